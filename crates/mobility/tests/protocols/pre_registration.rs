//! Pre-registration of Mobile IPv4 by its messages (RFC 4881 section 3): mobile node and foreign agents.

use crate::support::{
    AGENT_1, AGENT_2, ARRIVES, Caused, HOME_AGENT, MOBILE, SENDER, carrying, data, deliver, mobile_node,
    moving, request, setup, step, up, wake_until,
};
use seamline_mobility::protocol::Setup;
use seamline_mobility::{
    AdvertisementConfig, AgentPorts, CellId, ForeignAgent, ForeignAgentConfig, MobileNode,
};
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, RegistrationReply, RegistrationRequest, ReplyCode, RequestFlags,
};
use seamline_wire::random::Stream;
use seamline_wire::{Control, Duration, Input, Instant, NodeId, Signal, Tunnel};

const WARNED: Instant = Instant::from_millis(9_800);
const WITHIN: Duration = Duration::from_millis(200);

fn node(simultaneous_bindings: Duration) -> MobileNode {
    let setup = Setup { simultaneous_bindings, ..setup() };
    mobile_node("mobile-ipv4-pre-registration", &setup, moving())
}

fn advertisement(agent: NodeId) -> AgentAdvertisement {
    AgentAdvertisement {
        agent,
        lifetime_s: 3,
        sequence: 0,
        registration_lifetime_s: 65_535,
        flags: AgentFlags::FOREIGN_AGENT,
        care_of_address: Some(agent),
    }
}

fn receive(node: &mut MobileNode, now: Instant, cell: u32, message: Control) -> Caused {
    deliver(node, now, MobileNode::cell_port(CellId(cell)), carrying(AGENT_1, MOBILE, message))
}

fn warn(node: &mut MobileNode, now: Instant) -> Caused {
    step(node, now, Input::Signal(Signal::LinkGoingDown { within: WITHIN }))
}

fn granted(request: &RegistrationRequest) -> Control {
    Control::RegistrationReply(RegistrationReply {
        code: ReplyCode::ACCEPTED,
        lifetime_s: request.lifetime_s,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        identification: request.identification,
    })
}

/// The node after its early request, and that request.
fn prepared(simultaneous_bindings: Duration) -> (MobileNode, RegistrationRequest) {
    let mut node = node(simultaneous_bindings);
    let warned = warn(&mut node, WARNED);
    assert!(matches!(warned.messages()[..], [(_, AGENT_1, Control::ProxyAgentSolicitation(1))]));
    assert_eq!(warned.packets[0].1.wire_bytes, 20 + 8 + 9);
    let heard = Control::ProxyAgentAdvertisement(1, advertisement(AGENT_2));
    let caused = receive(&mut node, WARNED, 0, heard);
    let (port, to, _) = caused.messages()[0];
    assert_eq!(
        (port, to),
        (MobileNode::cell_port(CellId(0)), AGENT_2),
        "over the old link, to the next agent"
    );
    (node, caused.request())
}

/// RFC 4881 section 3.3.
#[test]
fn the_node_registers_before_it_moves() {
    let (mut node, request) = prepared(Duration::ZERO);
    assert_eq!((request.care_of_address, request.lifetime_s), (AGENT_2, 600));
    assert_eq!(request.flags, RequestFlags::default());
    let caused = up(&mut node);
    assert_eq!(caused.signals, [Signal::MovementDetected], "without an advertisement");
    assert!(matches!(caused.messages()[..], [(_, NodeId::ALL_ROUTERS, Control::AgentSolicitation)]));
    let done = receive(&mut node, ARRIVES, 1, granted(&request));
    assert_eq!(done.signals, [Signal::Registered]);
    let heard = receive(&mut node, ARRIVES, 1, Control::AgentAdvertisement(advertisement(AGENT_2)));
    assert!(heard.packets.is_empty(), "nothing new: {heard:?}");
}

/// RFC 4881 section 6: with simultaneous bindings packets go to the old link until the node leaves.
#[test]
fn it_may_ask_for_both() {
    let (_, request) = prepared(Duration::from_secs(1));
    assert_eq!(request.flags, RequestFlags::SIMULTANEOUS_BINDINGS);
}

/// RFC 4881 section 8.1: the new agent has no reply, so the request was lost.
#[test]
fn a_lost_request_is_sent_again_on_the_new_link() {
    let (mut node, request) = prepared(Duration::ZERO);
    up(&mut node);
    let mut hear = || receive(&mut node, ARRIVES, 1, Control::AgentAdvertisement(advertisement(AGENT_2)));
    assert!(hear().packets.is_empty(), "it may be older than the solicitation");
    let heard = hear();
    let again = heard.request();
    assert_eq!(again.care_of_address, AGENT_2);
    assert!(again.identification > request.identification);
}

/// Without a warning, and with one that comes too late, it is Mobile IPv4.
#[test]
fn unprepared_it_waits_for_an_advertisement() {
    for is_warned in [false, true] {
        let mut node = node(Duration::ZERO);
        if is_warned {
            warn(&mut node, WARNED);
        }
        assert!(up(&mut node).packets.is_empty());
        let heard = receive(&mut node, ARRIVES, 1, Control::AgentAdvertisement(advertisement(AGENT_2)));
        assert_eq!(heard.request().care_of_address, AGENT_2);
    }
}

/// A false warning: the node registers with the agent of the link that it still has.
#[test]
fn a_false_warning_is_taken_back() {
    let mut node = node(Duration::ZERO);
    let early = Instant::from_secs(1);
    receive(&mut node, early, 0, Control::AgentAdvertisement(advertisement(AGENT_1)));
    warn(&mut node, early);
    let heard = Control::ProxyAgentAdvertisement(1, advertisement(AGENT_2));
    let request = receive(&mut node, early, 0, heard).request();
    assert_eq!(request.care_of_address, AGENT_2);
    let woken = wake_until(&mut node, Instant::from_secs(3));
    let mut back = woken.iter().map(|(_, caused)| caused).filter(|caused| !caused.packets.is_empty());
    let last = back.next_back().expect("it asks").request();
    assert_eq!(last.care_of_address, AGENT_1);
}

fn agent(node: NodeId, neighbors: Vec<(CellId, NodeId)>) -> ForeignAgent {
    let advertisements =
        AdvertisementConfig { interval: Duration::from_secs(1), jitter: Duration::ZERO, lifetime_s: 3 };
    let config =
        ForeignAgentConfig { node, advertisements, longest_registration_s: 65_535, is_home_agent_too: false };
    ForeignAgent::new(config, Stream::new(1, "advertisement")).with_neighbors(neighbors)
}

/// RFC 4881 sections 3.3 and 9: the advertisement of a neighbor with the address of the access point; sizes on the wire.
#[test]
fn the_old_agent_passes_on_the_advertisement_of_the_next() {
    let mut old = agent(AGENT_1, vec![(CellId(1), AGENT_2)]);
    let mut ask = |access_point| {
        let message = Control::ProxyAgentSolicitation(access_point);
        deliver(&mut old, WARNED, AgentPorts::AIR, carrying(MOBILE, AGENT_1, message))
    };
    let caused = ask(1);
    let expected = Control::ProxyAgentAdvertisement(1, advertisement(AGENT_2));
    assert_eq!(caused.messages(), [(AgentPorts::AIR, MOBILE, expected)]);
    assert_eq!(caused.packets[0].1.wire_bytes, 48 + 9);
    assert!(ask(7).packets.is_empty(), "unknown");
}

/// The next agent relays a request that comes from another, serves the node from the reply on, and gives it the reply when
/// it solicits one.
#[test]
fn the_next_agent_keeps_the_reply() {
    let mut next = agent(AGENT_2, Vec::new());
    let request = request(AGENT_2, 300, WARNED);
    let message = Control::RegistrationRequest(request);
    let relayed = deliver(&mut next, WARNED, AgentPorts::NETWORK, carrying(MOBILE, AGENT_2, message));
    assert_eq!(relayed.messages(), [(AgentPorts::NETWORK, HOME_AGENT, message)]);
    let reply = carrying(HOME_AGENT, AGENT_2, granted(&request));
    deliver(&mut next, WARNED, AgentPorts::NETWORK, reply);
    let mut packet = data(SENDER, MOBILE);
    assert!(packet.encapsulate(Tunnel { entry: HOME_AGENT, exit: AGENT_2 }));
    let served = deliver(&mut next, WARNED, AgentPorts::NETWORK, packet);
    assert_eq!(served.packets[0].0, AgentPorts::AIR);
    for expected in [2, 1] {
        let solicited = carrying(MOBILE, NodeId::ALL_ROUTERS, Control::AgentSolicitation);
        let caused = deliver(&mut next, ARRIVES, AgentPorts::AIR, solicited);
        assert_eq!(caused.packets.len(), expected, "the reply once, before the advertisement");
        let is_reply = matches!(caused.messages()[0].2, Control::RegistrationReply(_));
        assert_eq!(is_reply, expected == 2);
    }
}
