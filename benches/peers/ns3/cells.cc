// Servers send to users in radio cells, ten NewReno flows in each. The same network as ../ns2/cells.tcl, except that each cell has a server
// of its own: for each packet, ns-3 searches a list of all connections of its host.
//   cells SEED SECONDS CELLS THRESHOLD
// Prints the packets delivered in order and the packets that queues dropped, all flows together. Nothing is traced.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>
#include <string>
#include <unordered_map>
#include <vector>

using namespace ns3;

namespace
{
constexpr uint32_t FLOWS = 10;
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

// Routes by the address of a host. The routing protocols of ns-3 search lists of routes or interfaces, which takes half of the time at a
// router with a thousand of them.
class Routes : public Ipv4RoutingProtocol
{
  public:
    void Add(Ipv4Address destination, Ptr<NetDevice> device)
    {
        m_routes[destination.Get()] = To(device);
    }

    void AddDefault(Ptr<NetDevice> device)
    {
        m_default = To(device);
    }

    // Packets that arrive here are for this node.
    void AddEnd(Ptr<NetDevice> device)
    {
        AddDefault(device);
        m_isEnd = true;
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet>,
                               const Ipv4Header& header,
                               Ptr<NetDevice>,
                               Socket::SocketErrno& error) override
    {
        error = Socket::ERROR_NOTERROR;
        return Find(header);
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    UnicastForwardCallback forward,
                    MulticastForwardCallback,
                    LocalDeliverCallback deliver,
                    ErrorCallback) override
    {
        if (m_isEnd)
        {
            deliver(packet, header, m_ipv4->GetInterfaceForDevice(device));
        }
        else
        {
            forward(Find(header), packet, header);
        }
        return true;
    }

    void NotifyInterfaceUp(uint32_t) override
    {
    }

    void NotifyInterfaceDown(uint32_t) override
    {
    }

    void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override
    {
    }

    void SetIpv4(Ptr<Ipv4> ipv4) override
    {
        m_ipv4 = ipv4;
    }

    void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override
    {
    }

  private:
    Ptr<Ipv4Route> To(Ptr<NetDevice> device)
    {
        auto route = Create<Ipv4Route>();
        route->SetSource(m_ipv4->GetAddress(m_ipv4->GetInterfaceForDevice(device), 0).GetLocal());
        route->SetGateway(Ipv4Address::GetZero());
        route->SetOutputDevice(device);
        return route;
    }

    Ptr<Ipv4Route> Find(const Ipv4Header& header) const
    {
        auto found = m_routes.find(header.GetDestination().Get());
        return found == m_routes.end() ? m_default : found->second;
    }

    Ptr<Ipv4> m_ipv4;
    std::unordered_map<uint32_t, Ptr<Ipv4Route>> m_routes;
    Ptr<Ipv4Route> m_default;
    bool m_isEnd = false;
};

Ptr<Routes>
RoutesOf(Ptr<Node> node)
{
    return DynamicCast<Routes>(node->GetObject<Ipv4>()->GetRoutingProtocol());
}

// The two devices of a wire and the addresses of their nodes.
struct Wire
{
    Ptr<NetDevice> left;
    Ptr<NetDevice> right;
    Ipv4Address leftAddress;
    Ipv4Address rightAddress;
};

class Network
{
  public:
    Network()
    {
        m_internet.SetIpv6StackInstall(false);
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
    }

    Ptr<Node> Add()
    {
        auto node = CreateObject<Node>();
        m_internet.Install(node);
        node->GetObject<Ipv4>()->SetRoutingProtocol(CreateObject<Routes>());
        return node;
    }

    Wire Join(Ptr<Node> left, Ptr<Node> right, const std::string& rate, Time delay, uint32_t packets)
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
        return {devices.Get(0), devices.Get(1), interfaces.GetAddress(0), interfaces.GetAddress(1)};
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
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t cell = 0; cell < cells; ++cell)
    {
        auto server = network.Add();
        auto core = network.Join(server, router, "1000Gbps", MilliSeconds(10), 100000);
        RoutesOf(server)->AddEnd(core.left);
        RoutesOf(router)->Add(core.leftAddress, core.right);
        auto station = network.Add();
        auto user = network.Add();
        auto backhaul = network.Join(router, station, "1Gbps", MilliSeconds(5), 1000);
        auto air = network.Join(station, user, "20Mbps", MilliSeconds(5), 100);
        auto address = air.rightAddress;
        RoutesOf(router)->Add(address, backhaul.left);
        RoutesOf(station)->AddDefault(backhaul.right);
        RoutesOf(station)->Add(address, air.left);
        RoutesOf(user)->AddEnd(air.right);
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
