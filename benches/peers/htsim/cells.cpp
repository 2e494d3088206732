// A server sends to users in radio cells, ten NewReno flows in each; the same network as ../ns2/cells.tcl.
//   cells SEED SECONDS CELLS THRESHOLD
// Prints the packets delivered in order and the packets that queues dropped, all flows together. Nothing is logged.
#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <vector>

namespace
{
constexpr int FLOWS = 10;
constexpr int PACKET = 1000;
constexpr uint32_t WINDOW = 64 * PACKET;
uint32_t threshold;

// A rate, a queue and a delay in one direction.
struct Wire
{
    Wire(double megabits, double milliseconds, int packets)
        : queue(speedFromMbps(megabits), mem_b(packets) * PACKET, EventList::getTheEventList(), nullptr),
          pipe(timeFromMs(milliseconds), EventList::getTheEventList())
    {
    }

    Queue queue;
    Pipe pipe;
};

// From the server to a user or back.
Route*
Through(const std::vector<Wire*>& wires, PacketSink& end)
{
    auto route = new Route();
    for (auto wire : wires)
    {
        route->push_back(&wire->queue);
        route->push_back(&wire->pipe);
    }
    route->push_back(&end);
    return route;
}

// Its connection exists from the start, as in the other simulators' workloads.
class Sender : public TcpSrc
{
  public:
    Sender()
        : TcpSrc(nullptr, nullptr, EventList::getTheEventList())
    {
        _cwnd = PACKET;
        _maxcwnd = WINDOW;
        _ssthresh = threshold;
    }

    void doNextEvent() override
    {
        if (_established)
        {
            TcpSrc::doNextEvent();
            return;
        }
        _established = true;
        _unacked = _cwnd;
        send_packets();
    }
};
} // namespace

int
main(int, char** arguments)
{
    srandom(std::stoul(arguments[1]));
    const auto end = timeFromSec(std::stod(arguments[2]));
    const int cells = std::stoi(arguments[3]);
    threshold = std::stoul(arguments[4]) * PACKET;
    Packet::set_packet_size(PACKET);
    auto& events = EventList::getTheEventList();
    events.setEndtime(end);
    TcpRtxTimerScanner timers(timeFromMs(10), events);

    Wire down(1e6, 10, 100'000);
    Wire up(1e6, 10, 100'000);
    std::vector<std::unique_ptr<Wire>> wires;
    auto wire = [&](double megabits, int packets) {
        wires.push_back(std::make_unique<Wire>(megabits, 5, packets));
        return wires.back().get();
    };
    std::vector<std::unique_ptr<TcpSink>> receivers;
    for (int cell = 0; cell < cells; ++cell)
    {
        auto to_station = wire(1000, 1000);
        auto to_router = wire(1000, 1000);
        auto to_user = wire(20, 100);
        auto from_user = wire(20, 100);
        for (int flow = 0; flow < FLOWS; ++flow)
        {
            auto sender = new Sender();
            receivers.push_back(std::make_unique<TcpSink>());
            auto& receiver = *receivers.back();
            sender->connect(*Through({&down, to_station, to_user}, receiver),
                            *Through({from_user, to_router, &up}, *sender),
                            receiver,
                            timeFromUs(100.0 * (cell * FLOWS + flow)));
            timers.registerTcp(*sender);
        }
    }

    // Timeouts print a line each.
    std::cout.setstate(std::ios::failbit);
    while (events.doNextEvent())
    {
    }
    std::cout.clear();
    uint64_t packets = 0;
    for (const auto& receiver : receivers)
    {
        packets += receiver->_cumulative_ack / PACKET;
    }
    uint64_t dropped = down.queue.num_drops() + up.queue.num_drops();
    for (const auto& wire : wires)
    {
        dropped += wire->queue.num_drops();
    }
    std::cout << packets << " " << dropped << std::endl;
    // Ending here is quicker than destroying every object.
    std::_Exit(0);
}
