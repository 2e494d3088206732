//! Post-registration of Mobile IPv4 by its messages (RFC 4881 section 4): both foreign agents.

use crate::support::{
    self, AGENT_1, AGENT_2, Caused, HOME_AGENT, MOBILE, SENDER, carrying, data, deliver, wake_until,
};
use seamline_mobility::{AdvertisementConfig, AgentPorts, ForeignAgent, ForeignAgentConfig};
use seamline_wire::control::{HandoffReply, HandoffRequest, Identification};
use seamline_wire::random::Stream;
use seamline_wire::{Control, DropCause, Duration, Instant, Machine, MobilityEvent, NodeId, Packet, Tunnel};

const START: Instant = Instant::from_secs(10);

fn agent(node: NodeId) -> ForeignAgent {
    let advertisements = AdvertisementConfig {
        interval: Duration::from_secs(1_000),
        jitter: Duration::ZERO,
        lifetime_s: 3_000,
    };
    let config =
        ForeignAgentConfig { node, advertisements, longest_registration_s: 65_535, is_home_agent_too: false };
    ForeignAgent::new(config, Stream::new(1, "advertisement"))
}

fn from_home(exit: NodeId) -> Packet {
    let mut packet = data(SENDER, MOBILE);
    assert!(packet.encapsulate(Tunnel { entry: HOME_AGENT, exit }));
    packet
}

fn requests(woken: &[(Instant, Caused)]) -> Vec<(Instant, NodeId, HandoffRequest)> {
    let all = woken.iter().flat_map(|(at, caused)| caused.messages().into_iter().map(|it| (*at, it)));
    let request = |(at, (_, to, message))| match message {
        Control::HandoffRequest(request) => Some((at, to, request)),
        _ => None,
    };
    all.filter_map(request).collect()
}

/// The trigger makes the new agent ask at once, and again after 100, 200 and 400 ms.
#[test]
fn the_new_agent_asks_the_previous_one() {
    let mut new = agent(AGENT_2);
    wake_until(&mut new, START);
    new.link_up(MOBILE, AGENT_1);
    assert_eq!(new.wake_at(), Some(Instant::ZERO), "at the next step");
    let first = support::step(&mut new, START, seamline_wire::Input::Wake);
    let first = requests(&[(START, first)]);
    let [(_, AGENT_1, request)] = first[..] else { panic!("{first:?}") };
    assert_eq!((request.home_address, request.lifetime_s), (MOBILE, 10));
    let again = requests(&wake_until(&mut new, START + Duration::from_secs(9)));
    let times: Vec<u64> = again.iter().map(|(at, ..)| (*at - START).as_nanos() / 1_000_000).collect();
    assert_eq!(times, [100, 300, 700]);
    new.link_up(MOBILE, AGENT_2);
    assert!(requests(&wake_until(&mut new, START + Duration::from_secs(20))).is_empty(), "it was here");
}

/// RFC 4881 section 4.1: packets of a visitor go to the new agent until the lifetime is over or the node is back.
#[test]
fn the_previous_agent_sends_packets_after_a_visitor() {
    let mut previous = agent(AGENT_1).with_visitor(MOBILE, 300);
    let ask = |agent: &mut ForeignAgent, home_address, at| {
        let request = HandoffRequest { lifetime_s: 10, home_address, identification: Identification::at(at) };
        let message = Control::HandoffRequest(request);
        let caused = deliver(agent, at, AgentPorts::NETWORK, carrying(AGENT_2, AGENT_1, message));
        let [(AgentPorts::NETWORK, AGENT_2, Control::HandoffReply(reply))] = caused.messages()[..] else {
            panic!("{caused:?}")
        };
        assert_eq!(reply.identification, request.identification);
        assert_eq!(caused.packets[0].1.wire_bytes, 20 + 8 + 24 + 9);
        (reply.code, caused.mobility())
    };
    let stranger = ask(&mut previous, SENDER, START);
    assert_eq!(stranger, (HandoffReply::UNKNOWN_NODE, vec![]));
    let (code, events) = ask(&mut previous, MOBILE, START);
    let event = MobilityEvent::BindingChanged { home_address: MOBILE, care_of_address: Some(AGENT_2) };
    assert_eq!((code, events), (0, vec![event]));
    let passed = deliver(&mut previous, START, AgentPorts::NETWORK, from_home(AGENT_1));
    let [(AgentPorts::NETWORK, packet)] = &passed.packets[..] else { panic!("{passed:?}") };
    let tunnel = Tunnel { entry: AGENT_1, exit: AGENT_2 };
    assert_eq!((packet.tunnels.outermost(), packet.wire_bytes), (Some(tunnel), 1020));
    let late = START + Duration::from_secs(10);
    let passed = deliver(&mut previous, late, AgentPorts::NETWORK, from_home(AGENT_1));
    assert_eq!(passed.packets[0].0, AgentPorts::AIR);
    ask(&mut previous, MOBILE, late);
    previous.link_up(MOBILE, AGENT_2);
    let back = deliver(&mut previous, late, AgentPorts::NETWORK, from_home(AGENT_1));
    assert!(back.packets.iter().any(|(port, packet)| *port == AgentPorts::AIR && packet.wire_bytes == 1000));
}

/// With the reply the new agent serves the node, although it has not registered.
#[test]
fn the_new_agent_serves_the_node_from_the_reply_on() {
    let mut new = agent(AGENT_2);
    wake_until(&mut new, START);
    new.link_up(MOBILE, AGENT_1);
    let asked = requests(&[(START, support::step(&mut new, START, seamline_wire::Input::Wake))]);
    let identification = asked[0].2.identification;
    let pass = |agent: &mut ForeignAgent| {
        let mut packet = data(SENDER, MOBILE);
        assert!(packet.encapsulate(Tunnel { entry: AGENT_1, exit: AGENT_2 }));
        deliver(agent, START, AgentPorts::NETWORK, packet)
    };
    assert_eq!(pass(&mut new).drops(), [DropCause::NoVisitor]);
    for (code, identification, is_served) in [(0, Identification(7), false), (0, identification, true)] {
        let reply = HandoffReply { code, lifetime_s: 10, home_address: MOBILE, identification };
        let packet = carrying(AGENT_1, AGENT_2, Control::HandoffReply(reply));
        deliver(&mut new, START, AgentPorts::NETWORK, packet);
        assert_eq!(pass(&mut new).drops().is_empty(), is_served);
    }
    assert!(requests(&wake_until(&mut new, START + Duration::from_secs(9))).is_empty(), "answered");
}
