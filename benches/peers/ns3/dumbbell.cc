// Ten CUBIC flows over a shared link; the same as dumbbell.toml.
//   dumbbell SEED SECONDS
// Prints the packets delivered, all flows together. Nothing is traced.
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
constexpr uint32_t PAYLOAD = 1448;
constexpr uint32_t BUFFER = 4 << 20;

// What Linux does, as far as ns-3 has it.
void
Configure()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER));
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
        link.SetDeviceAttribute("DataRate", StringValue(rate));
        link.SetChannelAttribute("Delay", TimeValue(delay));
        link.SetQueue("ns3::DropTailQueue",
                      "MaxSize",
                      QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, packets)));
        auto devices = link.Install(left, right);
        auto interfaces = m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        // Addresses bring a FqCoDel queue in front of the link's.
        TrafficControlHelper().Uninstall(devices);
        return interfaces.GetAddress(1);
    }

  private:
    InternetStackHelper m_internet;
    Ipv4AddressHelper m_addresses;
};

// A flow that always has data, from time 0.
Ptr<PacketSink>
Flow(Ptr<Node> from, Ptr<Node> to, Ipv4Address address)
{
    constexpr uint16_t PORT = 9;
    BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(address, PORT));
    source.SetAttribute("SendSize", UintegerValue(16 * PAYLOAD));
    source.Install(from);
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    return DynamicCast<PacketSink>(sink.Install(to).Get(0));
}
} // namespace

int
main(int, char** arguments)
{
    RngSeedManager::SetSeed(std::stoul(arguments[1]));
    Configure();
    Network network;
    auto left = network.Add();
    auto right = network.Add();
    network.Wire(left, right, "100Mbps", MilliSeconds(20), 350);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t flow = 0; flow < FLOWS; ++flow)
    {
        auto delay = MicroSeconds(1000 + 500 * flow);
        auto from = network.Add();
        auto to = network.Add();
        network.Wire(from, left, "1Gbps", delay, 1000);
        auto address = network.Wire(right, to, "1Gbps", delay, 1000);
        sinks.push_back(Flow(from, to, address));
    }
    Simulator::Stop(Seconds(std::stoul(arguments[2])));
    Simulator::Run();
    uint64_t bytes = 0;
    for (const auto& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    std::cout << bytes / PAYLOAD << std::endl;
    // Ending here is quicker than destroying every object.
    std::_Exit(0);
}
