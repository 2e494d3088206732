//! Simultaneous bindings of Mobile IPv4 (RFC 5944, the S bit): home agent and mobile node.

use crate::support::{
    AGENT_1, AGENT_2, Caused, HOME_AGENT, MOBILE, SENDER, carrying, data, deliver, mobile_node, request,
    setup, staying, wake_until,
};
use seamline_mobility::protocol::Setup;
use seamline_mobility::{AnchorPorts, CellId, HomeAgent, HomeAgentConfig, MobileNode};
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, RegistrationReply, RegistrationRequest, ReplyCode, RequestFlags,
};
use seamline_wire::{Control, Duration, Instant, MobilityEvent, NodeId, Packet, TransportPort};

const START: Instant = Instant::from_secs(10);
const THIRD: NodeId = NodeId(6);

fn after(ms: u64) -> Instant {
    START + Duration::from_millis(ms)
}

fn home_agent() -> HomeAgent {
    let mut agent = HomeAgent::new(HomeAgentConfig { node: HOME_AGENT, longest_registration_s: 600 });
    agent.add_home(MOBILE);
    agent
}

fn ask(agent: &mut HomeAgent, now: Instant, request: RegistrationRequest) -> Caused {
    let packet = carrying(AGENT_1, HOME_AGENT, Control::RegistrationRequest(request));
    deliver(agent, now, AnchorPorts::LOCAL, packet)
}

fn also(care_of_address: NodeId, now: Instant) -> RegistrationRequest {
    let flags = RequestFlags::SIMULTANEOUS_BINDINGS;
    RegistrationRequest { flags, ..request(care_of_address, 300, now) }
}

/// Where copies of a packet for the node go.
fn copies(agent: &mut HomeAgent, now: Instant) -> Vec<NodeId> {
    let caused = deliver(agent, now, AnchorPorts::NETWORK, data(SENDER, MOBILE));
    let mut exits: Vec<NodeId> = caused
        .packets
        .iter()
        .map(|(port, packet)| {
            assert_eq!((*port, packet.wire_bytes, packet.source), (AnchorPorts::NETWORK, 1020, SENDER));
            packet.next_destination()
        })
        .collect();
    exits.sort_unstable();
    exits
}

/// RFC 5944 section 3.8.2: with the S bit the other bindings stay, and each gets a copy; without it they are replaced.
#[test]
fn each_binding_gets_a_copy() {
    let mut agent = home_agent();
    ask(&mut agent, START, request(AGENT_1, 300, START));
    assert_eq!(copies(&mut agent, START), [AGENT_1]);
    let added = ask(&mut agent, after(1), also(AGENT_2, after(1)));
    assert_eq!(added.reply().code, ReplyCode::ACCEPTED);
    let event = MobilityEvent::BindingAdded { home_address: MOBILE, care_of_address: AGENT_2 };
    assert_eq!(added.mobility(), [event]);
    assert_eq!(copies(&mut agent, after(2)), [AGENT_1, AGENT_2]);
    ask(&mut agent, after(3), also(THIRD, after(3)));
    ask(&mut agent, after(4), also(AGENT_2, after(4)));
    assert_eq!(copies(&mut agent, after(5)), [AGENT_1, AGENT_2, THIRD], "once for each");
    let replaced = ask(&mut agent, after(6), request(AGENT_2, 300, after(6)));
    assert_eq!(copies(&mut agent, after(7)), [AGENT_2]);
    let event = MobilityEvent::BindingChanged { home_address: MOBILE, care_of_address: Some(AGENT_2) };
    assert_eq!(replaced.mobility(), [event]);
}

/// Each binding has its own lifetime, and at home all of them end.
#[test]
fn bindings_end_one_by_one() {
    let mut agent = home_agent();
    let short = RegistrationRequest { lifetime_s: 2, ..request(AGENT_1, 2, START) };
    ask(&mut agent, START, short);
    ask(&mut agent, after(1), also(AGENT_2, after(1)));
    wake_until(&mut agent, after(2_000));
    assert_eq!(copies(&mut agent, after(2_000)), [AGENT_2]);
    ask(&mut agent, after(3_000), also(AGENT_1, after(3_000)));
    ask(&mut agent, after(3_001), request(MOBILE, 0, after(3_001)));
    assert_eq!(agent.care_of_address(after(3_002), MOBILE), None);
}

fn node(keeps_both_ms: u64) -> MobileNode {
    let setup = Setup { simultaneous_bindings: Duration::from_millis(keeps_both_ms), ..setup() };
    mobile_node("mobile-ipv4-simultaneous-bindings", &setup, staying()).with_simultaneous_bindings()
}

fn hear(node: &mut MobileNode, now: Instant, agent: NodeId) -> Caused {
    let advertisement = AgentAdvertisement {
        agent,
        lifetime_s: 3,
        sequence: 1,
        registration_lifetime_s: 600,
        flags: AgentFlags::FOREIGN_AGENT,
        care_of_address: Some(agent),
    };
    let packet = carrying(agent, NodeId::ALL_SYSTEMS, Control::AgentAdvertisement(advertisement));
    deliver(node, now, MobileNode::cell_port(CellId(0)), packet)
}

fn grant(node: &mut MobileNode, now: Instant, request: &RegistrationRequest) {
    let reply = RegistrationReply {
        code: ReplyCode::ACCEPTED,
        lifetime_s: request.lifetime_s,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        identification: request.identification,
    };
    let packet = carrying(AGENT_2, MOBILE, Control::RegistrationReply(reply));
    deliver(node, now, MobileNode::cell_port(CellId(0)), packet);
}

/// RFC 5944 section 3.3: the S bit from one foreign agent to another; the renewal that ends it has none.
#[test]
fn the_node_asks_for_both_and_then_for_one() {
    let mut node = node(700);
    let first = hear(&mut node, START, AGENT_2).request();
    assert_eq!((first.flags, first.care_of_address), (RequestFlags::SIMULTANEOUS_BINDINGS, AGENT_2));
    grant(&mut node, after(100), &first);
    let woken = wake_until(&mut node, after(2_000));
    let (at, renewal) = (woken[0].0, woken[0].1.request());
    assert_eq!((at, renewal.flags, renewal.care_of_address), (after(800), RequestFlags::default(), AGENT_2));
    grant(&mut node, after(2_000), &renewal);
    let home = hear(&mut node, after(3_000), HOME_AGENT).request();
    assert_eq!((home.flags, home.lifetime_s), (RequestFlags::default(), 0));
}

/// A copy over another link is dropped once; the same packet over the same link is another one.
#[test]
fn copies_over_another_link_are_dropped() {
    let mut node = node(700);
    let numbered = |n: u16| Packet { source_port: TransportPort(n), ..data(SENDER, MOBILE) };
    let mut over = |cell: u32, ms: u64, n: u16| {
        let port = MobileNode::cell_port(CellId(cell));
        deliver(&mut node, after(ms), port, numbered(n)).packets.len()
    };
    assert_eq!([over(0, 0, 1), over(0, 1, 2)], [1, 1]);
    assert_eq!(
        [over(1, 2, 1), over(1, 3, 2), over(1, 4, 3)],
        [0, 0, 1],
        "copies, and a packet that was lost on the first"
    );
    assert_eq!(
        [over(0, 5, 3), over(0, 6, 1), over(1, 7, 1)],
        [0, 1, 0],
        "sent again, it is received again, once"
    );
    assert_eq!([over(0, 8, 4), over(1, 209, 4)], [1, 1], "too late for a copy");
}
