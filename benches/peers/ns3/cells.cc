// A server sends to users in radio cells, ten NewReno flows in each; the same network as ../ns2/cells.tcl.
//   cells SEED SECONDS CELLS THRESHOLD
// Prints the packets delivered in order and the packets that queues dropped, all flows together. Nothing is traced.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{
constexpr uint32_t FLOWS = 10;
// For each packet, ns-3 searches all connections of a host. A server for every 100 flows spares it that.
constexpr uint32_t CELLS_PER_SERVER = 10;
// With headers of TCP, IP and PPP, a packet has 1000 bytes.
constexpr uint32_t PAYLOAD = 958;
constexpr uint32_t WINDOW = 64 * PAYLOAD;
constexpr uint16_t PORT = 9;
// Flows begin to send data one round-trip time after their start.
const Time HANDSHAKE = MilliSeconds(40);

// What ns-2 does, as far as ns-3 has it.
void
Configure(uint32_t threshold)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(10)));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(threshold * PAYLOAD));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD));
    // The sender's buffer limits the window: ns-3.37 crashes if the receiver's does (it sends a segment without data in recovery).
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(WINDOW));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(65535));
}

class Network
{
  public:
    Network()
    {
        // No packet takes a search in a table of routes.
        m_internet.SetRoutingHelper(Ipv4NixVectorHelper());
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
    }

    Ptr<Node> Add()
    {
        auto node = CreateObject<Node>();
        m_internet.Install(node);
        return node;
    }

    // Returns the address of the second node.
    Ipv4Address Wire(Ptr<Node> left, Ptr<Node> right, const std::string& rate, Time delay, uint32_t packets)
    {
        PointToPointHelper link;
        // With flow control, addresses would bring a FqCoDel queue in front of the link's.
        link.DisableFlowControl();
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        // The packet that is being sent is not in the queue.
        link.SetQueue("ns3::DropTailQueue",
                      "MaxSize",
                      QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, packets - 1)));
        auto devices = link.Install(left, right);
        auto interfaces = m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        for (uint32_t end = 0; end < devices.GetN(); ++end)
        {
            m_queues.push_back(DynamicCast<PointToPointNetDevice>(devices.Get(end))->GetQueue());
        }
        return interfaces.GetAddress(1);
    }

    uint64_t Dropped() const
    {
        uint64_t packets = 0;
        for (const auto& queue : m_queues)
        {
            packets += queue->GetTotalDroppedPackets();
        }
        return packets;
    }

  private:
    InternetStackHelper m_internet;
    Ipv4AddressHelper m_addresses;
    std::vector<Ptr<Queue<Packet>>> m_queues;
};

// A flow that always has data.
void
Flow(Ptr<Node> from, Ipv4Address to, Time start)
{
    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(to, PORT));
    source.SetAttribute("SendSize", UintegerValue(PAYLOAD));
    source.SetAttribute("StartTime", TimeValue(start));
    source.Install(from);
}

// Takes the data of all flows to a user.
Ptr<PacketSink>
Sink(Ptr<Node> user)
{
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    return DynamicCast<PacketSink>(sink.Install(user).Get(0));
}
} // namespace

int
main(int, char** arguments)
{
    RngSeedManager::SetSeed(std::stoul(arguments[1]));
    const auto end = Seconds(std::stod(arguments[2])) + HANDSHAKE;
    const uint32_t cells = std::stoul(arguments[3]);
    Configure(std::stoul(arguments[4]));
    Network network;
    auto router = network.Add();
    Ptr<Node> server;
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        if (cell % CELLS_PER_SERVER == 0)
        {
            server = network.Add();
            network.Wire(server, router, "1000Gbps", MilliSeconds(10), 100000);
        }
        auto station = network.Add();
        auto user = network.Add();
        network.Wire(router, station, "1Gbps", MilliSeconds(5), 1000);
        auto address = network.Wire(station, user, "20Mbps", MilliSeconds(5), 100);
        for (uint32_t flow = 0; flow < FLOWS; ++flow)
        {
            Flow(server, address, MicroSeconds(100 * (cell * FLOWS + flow)));
        }
        sinks.push_back(Sink(user));
    }
    Simulator::Stop(end);
    Simulator::Run();
    uint64_t bytes = 0;
    for (const auto& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    std::cout << bytes / PAYLOAD << " " << network.Dropped() << std::endl;
    // Ending here is quicker than destroying every object.
    std::_Exit(0);
}
