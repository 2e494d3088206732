//! Data passes agents, air and mobile node without an allocation.

#[path = "../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;
mod support;

use counting::{CountingAllocator, heap};
use seamline_mobility::{
    AdvertisementConfig, AgentPorts, AnchorPorts, CellId, Coverage, CoverageConfig, ForeignAgent,
    ForeignAgentConfig, HomeAgent, HomeAgentConfig, InFlightUpwards, MobileNode, MobileNodeConfig, Movement,
    Order, Period,
};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Packet, Port};
use support::{AGENT_1, HOME_AGENT, MOBILE, SENDER, data};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The way of a packet from the home agent to the host of the mobile node, and of one back up.
struct Way {
    home_agent: HomeAgent,
    foreign_agent: ForeignAgent,
    coverage: Coverage,
    member: Port,
    mobile_node: MobileNode,
    out: Outbox,
}

impl Way {
    fn new() -> Way {
        let cells = [CellId(0), CellId(1)];
        let period = Period {
            first: Instant::from_secs(5),
            every: Duration::from_secs(5),
            end: Instant::from_secs(60),
        };
        let movement =
            Movement::new(cells[0], period.moves(&cells, Order::InTurn), Duration::ZERO).expect("in order");
        let mut home_agent =
            HomeAgent::new(HomeAgentConfig { node: HOME_AGENT, longest_registration_s: 600 });
        home_agent.bind(MOBILE, AGENT_1, 600);
        let agent = ForeignAgentConfig {
            node: AGENT_1,
            advertisements: AdvertisementConfig {
                interval: Duration::from_secs(1),
                jitter: Duration::ZERO,
                lifetime_s: 3,
            },
            longest_registration_s: 600,
            is_home_agent_too: false,
        };
        let stream = Stream::new(1, "cell/1/advertisement");
        let mut coverage = Coverage::new(CoverageConfig {
            cell: cells[0],
            uplink_one_way_delay: Duration::ZERO,
            in_flight_upwards: InFlightUpwards::Transmitted,
        });
        let member = coverage.add_mobile(movement.clone());
        coverage.set_route(MOBILE, member);
        let config = MobileNodeConfig { movement, first_cell: CellId(0), protocol: None };
        Way {
            home_agent,
            foreign_agent: ForeignAgent::new(agent, stream).with_visitor(MOBILE, 600),
            coverage,
            member,
            mobile_node: MobileNode::new(config),
            out: Outbox::new(),
        }
    }

    fn down(&mut self, now: Instant, packet: Packet) {
        let cell = MobileNode::cell_port(CellId(0));
        let down: [(&mut dyn Machine, Port, Port); 4] = [
            (&mut self.home_agent, AnchorPorts::NETWORK, AnchorPorts::NETWORK),
            (&mut self.foreign_agent, AgentPorts::NETWORK, AgentPorts::AIR),
            (&mut self.coverage, Coverage::DOWN, self.member),
            (&mut self.mobile_node, cell, MobileNode::HOST),
        ];
        follow(down, now, packet, &mut self.out);
    }

    fn up(&mut self, now: Instant, packet: Packet) {
        let up: [(&mut dyn Machine, Port, Port); 3] = [
            (&mut self.mobile_node, MobileNode::HOST, MobileNode::cell_port(CellId(0))),
            (&mut self.coverage, Coverage::UP, Coverage::BASE_STATION),
            (&mut self.foreign_agent, AgentPorts::AIR, AgentPorts::NETWORK),
        ];
        follow(up, now, packet, &mut self.out);
    }
}

/// Let a packet pass machine after machine, in by one port and out by the other.
fn follow<const N: usize>(
    machines: [(&mut dyn Machine, Port, Port); N],
    now: Instant,
    packet: Packet,
    out: &mut Outbox,
) {
    let mut boxed = out.packet();
    *boxed = packet;
    for (machine, entry, exit) in machines {
        machine.step(now, Input::Packet(entry, boxed), out);
        let (port, packet) = out.packets.pop().expect("it passes");
        assert_eq!(port, exit);
        boxed = packet;
    }
    out.recycle(boxed);
}

#[test]
fn nothing_allocates_on_the_way_of_data() {
    let mut way = Way::new();
    let mut pass = |from: u64, to: u64| {
        for n in from..to {
            let now = Instant::from_millis(n);
            way.down(now, data(SENDER, MOBILE));
            way.up(now, data(MOBILE, SENDER));
        }
    };
    pass(1, 100);
    let before = heap().allocations;
    pass(100, 4000);
    assert_eq!(heap().allocations, before);
}
