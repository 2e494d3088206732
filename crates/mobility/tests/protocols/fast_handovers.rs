//! Predictive fast handovers by their messages (RFC 5568): mobile node, previous and new access router.

use crate::support::{
    AGENT_1, AGENT_2, ARRIVES, Caused, HOME_AGENT, MOBILE, ON_LINK_1, ON_LINK_2, SENDER, carrying, data,
    deliver, mobile_node, moving, setup6, step, up, wake_until,
};
use seamline_mobility::{
    AccessRouter, AccessRouterConfig, AdvertisementConfig, AgentPorts, CellId, DepartedBuffer, KeptAtMost,
    MobileNode,
};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, HandoverAcknowledge,
    HandoverInitiate, Ipv6Control, ProxyRouterAdvertisement, ProxyRouterSolicitation, RouterAdvertisement,
};
use seamline_wire::random::Stream;
use seamline_wire::{Control, DropCause, Duration, Input, Instant, Machine, NodeId, Packet, Port, Signal};

const WARNED: Instant = Instant::from_millis(9_900);
const WITHIN: Duration = Duration::from_millis(100);

fn node() -> MobileNode {
    mobile_node("fmipv6-predictive", &setup6(), moving())
}

fn receive(node: &mut MobileNode, now: Instant, cell: u32, message: Ipv6Control) -> Caused {
    let packet = carrying(AGENT_1, ON_LINK_1, Control::Ipv6(message));
    deliver(node, now, MobileNode::cell_port(CellId(cell)), packet)
}

fn warn(node: &mut MobileNode, now: Instant) -> Caused {
    step(node, now, Input::Signal(Signal::LinkGoingDown { within: WITHIN }))
}

fn solicitation(caused: &Caused) -> ProxyRouterSolicitation {
    match caused.ipv6()[..] {
        [(AGENT_1, Ipv6Control::ProxyRouterSolicitation(asked))] => asked,
        ref other => panic!("{other:?}"),
    }
}

fn proxy(asked: ProxyRouterSolicitation, router: Option<NodeId>) -> Ipv6Control {
    let ProxyRouterSolicitation { identifier, access_point } = asked;
    Ipv6Control::ProxyRouterAdvertisement(ProxyRouterAdvertisement { identifier, access_point, router })
}

fn granted(update: &BindingUpdate) -> Ipv6Control {
    Ipv6Control::FastBindingAcknowledgment(BindingAcknowledgement {
        status: BindingStatus::ACCEPTED,
        mobile_router: false,
        sequence: update.sequence,
        lifetime_units: update.lifetime_units,
        home_address: update.home_address,
        care_of_address: update.home_address,
    })
}

/// The node after the proxy advertisement, with its update.
fn asked() -> (MobileNode, BindingUpdate) {
    let mut node = node();
    let asked = solicitation(&warn(&mut node, WARNED));
    let caused = receive(&mut node, WARNED, 0, proxy(asked, Some(AGENT_2)));
    let [(AGENT_1, Ipv6Control::PredictiveBindingUpdate(update))] = caused.ipv6()[..] else {
        panic!("{caused:?}")
    };
    let packet = &caused.packets[0].1;
    assert_eq!((packet.source, packet.wire_bytes), (ON_LINK_1, 40 + 24 + 32));
    (node, update)
}

/// RFC 5568 sections 4, 6.1 and 6.2.2: which router is there, then the update, with the new address in an option.
#[test]
fn a_warning_begins_the_preparation() {
    let mut node = node();
    let warned = warn(&mut node, WARNED);
    let asked = solicitation(&warned);
    assert_eq!((asked.access_point, warned.packets[0].1.wire_bytes), (1, 40 + 8 + 16 + 16));
    assert_eq!(warned.packets[0].1.source, ON_LINK_1);
    assert_eq!(warned.signals, [Signal::LinkGoingDown { within: WITHIN }], "the host is told as well");
    assert!(warn(&mut node, WARNED).ipv6().is_empty(), "it is under way");
    let stale = ProxyRouterSolicitation { identifier: asked.identifier + 1, ..asked };
    assert!(receive(&mut node, WARNED, 0, proxy(stale, Some(AGENT_2))).ipv6().is_empty());
    let caused = receive(&mut node, WARNED, 0, proxy(asked, Some(AGENT_2)));
    let [(AGENT_1, Ipv6Control::PredictiveBindingUpdate(update))] = caused.ipv6()[..] else {
        panic!("{caused:?}")
    };
    assert_eq!((update.home_address, update.care_of_address), (ON_LINK_1, ON_LINK_2));
    assert_eq!(update.flags, BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION);
}

/// RFC 5568 section 6.1.1: 100 ms, doubled each time, RTSOLPR_RETRIES (3).
#[test]
fn a_solicitation_is_sent_again() {
    let mut node = node();
    let early = Instant::from_secs(1);
    warn(&mut node, early);
    let again: Vec<u64> = wake_until(&mut node, Instant::from_secs(3))
        .iter()
        .filter(|(_, caused)| !caused.ipv6().is_empty())
        .map(|(at, _)| (*at - early).as_nanos() / 1_000_000)
        .collect();
    assert_eq!(again, [100, 300, 700]);
}

/// RFC 5568 section 4: a router that does not know the access point ends it.
#[test]
fn an_unknown_access_point_ends_the_preparation() {
    let mut node = node();
    let asked = solicitation(&warn(&mut node, WARNED));
    assert!(receive(&mut node, WARNED, 0, proxy(asked, None)).ipv6().is_empty());
    let caused = up(&mut node);
    assert!(caused.ipv6().is_empty(), "it waits for an advertisement: {caused:?}");
}

/// RFC 5568 sections 4 and 6.3: on the new link the node announces itself, and needs no advertisement; the previous router
/// is not asked once more.
#[test]
fn a_prepared_node_announces_itself() {
    let (mut node, update) = asked();
    receive(&mut node, WARNED, 0, granted(&update));
    let caused = up(&mut node);
    let [(to, Ipv6Control::NeighborAdvertisement(ON_LINK_2)), (HOME_AGENT, Ipv6Control::BindingUpdate(home))] =
        caused.ipv6()[..]
    else {
        panic!("{caused:?}")
    };
    assert_eq!((to, caused.packets[0].1.source, caused.packets[0].1.wire_bytes), (AGENT_2, ON_LINK_2, 72));
    assert_eq!(home.care_of_address, ON_LINK_2);
    assert_eq!(caused.signals, [Signal::MovementDetected]);
    // RFC 4861 section 7.2.6: three times in all.
    let again: Vec<u64> = wake_until(&mut node, ARRIVES + Duration::from_millis(900))
        .iter()
        .filter(|(_, caused)| matches!(caused.ipv6()[..], [(_, Ipv6Control::NeighborAdvertisement(_))]))
        .map(|(at, _)| (*at - ARRIVES).as_nanos() / 1_000_000)
        .collect();
    assert_eq!(again, [100, 200]);
    let heard = RouterAdvertisement { router: AGENT_2, lifetime_s: 3, mobility_anchor_point: None };
    let later = receive(&mut node, ARRIVES, 1, Ipv6Control::RouterAdvertisement(heard));
    assert!(later.ipv6().is_empty(), "nothing new: {later:?}");
}

/// RFC 5568 section 4: without an acknowledgment on the old link an update follows the announcement.
#[test]
fn without_an_acknowledgment_it_is_reactive() {
    let (mut node, update) = asked();
    let caused = up(&mut node);
    let [
        (AGENT_2, Ipv6Control::NeighborAdvertisement(ON_LINK_2)),
        (AGENT_1, Ipv6Control::FastBindingUpdate(again)),
        (HOME_AGENT, Ipv6Control::BindingUpdate(_)),
    ] = caused.ipv6()[..]
    else {
        panic!("{caused:?}")
    };
    assert_eq!((again.home_address, again.care_of_address), (ON_LINK_1, ON_LINK_2));
    assert!(again.sequence > update.sequence);
}

/// Without a warning nothing is announced (section 6.2.2); it is the reactive mode.
#[test]
fn without_a_warning_it_is_reactive() {
    let mut node = node();
    assert!(up(&mut node).ipv6().is_empty());
    let heard = RouterAdvertisement { router: AGENT_2, lifetime_s: 3, mobility_anchor_point: None };
    let caused = receive(&mut node, ARRIVES, 1, Ipv6Control::RouterAdvertisement(heard));
    assert!(matches!(
        caused.ipv6()[..],
        [(AGENT_1, Ipv6Control::FastBindingUpdate(_)), (HOME_AGENT, Ipv6Control::BindingUpdate(_))]
    ));
}

/// A false warning: when the next router has stopped waiting (PROXY_ND_LIFETIME), the tunnel ends (section 5.6).
#[test]
fn a_false_warning_is_taken_back() {
    let mut node = node();
    let early = Instant::from_secs(1);
    let asked = solicitation(&warn(&mut node, early));
    let caused = receive(&mut node, early, 0, proxy(asked, Some(AGENT_2)));
    let [(_, Ipv6Control::PredictiveBindingUpdate(update))] = caused.ipv6()[..] else { panic!() };
    receive(&mut node, early, 0, granted(&update));
    let woken = wake_until(&mut node, Instant::from_secs(5));
    let [(at, caused)] = &woken[..1] else { panic!("{woken:?}") };
    let [(AGENT_1, Ipv6Control::FastBindingUpdate(ends))] = caused.ipv6()[..] else { panic!("{caused:?}") };
    assert_eq!(*at, early + WITHIN + Duration::from_millis(1500));
    assert_eq!((ends.home_address, ends.care_of_address, ends.lifetime_units), (ON_LINK_1, ON_LINK_1, 0));
}

/// RFC 5568 section 6.1.2: known neighbors with their router, others without.
#[test]
fn a_router_tells_about_its_neighbors() {
    let advertisements =
        AdvertisementConfig { interval: Duration::from_secs(1), jitter: Duration::ZERO, lifetime_s: 3 };
    let config = AccessRouterConfig { node: AGENT_1, advertisements, mobility_anchor_point: None };
    let router = AccessRouter::new(config, Stream::new(1, "advertisement"));
    let mut router = router.with_neighbors(vec![(CellId(1), AGENT_2)]);
    for (access_point, known, bytes) in [(1, Some(AGENT_2), 120), (7, None, 80)] {
        let asked = ProxyRouterSolicitation { identifier: 4, access_point };
        let packet = carrying(ON_LINK_1, AGENT_1, Control::Ipv6(Ipv6Control::ProxyRouterSolicitation(asked)));
        let caused = deliver(&mut router, WARNED, AgentPorts::AIR, packet);
        assert_eq!(caused.ipv6(), [(ON_LINK_1, proxy(asked, known))]);
        assert_eq!((caused.packets[0].0, caused.packets[0].1.wire_bytes), (AgentPorts::AIR, bytes));
    }
}

fn previous() -> DepartedBuffer {
    let buffer = DepartedBuffer::new(KeptAtMost::Packets(9));
    buffer.with_fast_handovers(AGENT_1, &[ON_LINK_1], &[(ON_LINK_2, AGENT_2)])
}

fn early_update(sequence: u16, home_address: NodeId, care_of_address: NodeId) -> Ipv6Control {
    Ipv6Control::PredictiveBindingUpdate(BindingUpdate {
        sequence,
        flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
        lifetime_units: 10,
        home_address,
        care_of_address,
    })
}

fn tell(buffer: &mut DepartedBuffer, now: Instant, from: NodeId, message: Ipv6Control) -> Caused {
    let packet = carrying(from, AGENT_1, Control::Ipv6(message));
    deliver(buffer, now, DepartedBuffer::UPDATES, packet)
}

fn pass(buffer: &mut DepartedBuffer, now: Instant, to: NodeId) -> Vec<(Port, Packet)> {
    deliver(buffer, now, DepartedBuffer::AIR, data(SENDER, to)).packets
}

/// RFC 5568 sections 4 and 6.2.3: the new router is asked first; only then packets go there, and the acknowledgment on both
/// links.
#[test]
fn the_previous_router_asks_the_new_one() {
    let mut buffer = previous();
    let caused = tell(&mut buffer, WARNED, ON_LINK_1, early_update(1, ON_LINK_1, ON_LINK_2));
    let [(AGENT_2, Ipv6Control::HandoverInitiate(initiate))] = caused.ipv6()[..] else {
        panic!("{caused:?}")
    };
    let HandoverInitiate { sequence, previous_care_of_address, new_care_of_address } = initiate;
    assert_eq!((previous_care_of_address, new_care_of_address), (ON_LINK_1, ON_LINK_2));
    assert_eq!((caused.packets[0].0, caused.packets[0].1.wire_bytes), (DepartedBuffer::NETWORK, 104));
    assert_eq!(pass(&mut buffer, WARNED, ON_LINK_1)[0].0, DepartedBuffer::AIR, "it is still here");
    let again = tell(&mut buffer, WARNED, ON_LINK_1, early_update(2, ON_LINK_1, ON_LINK_2));
    assert!(again.packets.is_empty(), "it is under way");

    let answer = HandoverAcknowledge { sequence, code: 0 };
    let caused = tell(&mut buffer, WARNED, AGENT_2, Ipv6Control::HandoverAcknowledge(answer));
    let sent: Vec<_> =
        caused.packets.iter().map(|(port, it)| (*port, it.destination, it.wire_bytes)).collect();
    assert_eq!(
        sent,
        [(DepartedBuffer::NETWORK, ON_LINK_2, 80), (DepartedBuffer::AIR, ON_LINK_1, 56)],
        "the sequence number is that of the last update"
    );
    let tunneled = pass(&mut buffer, WARNED, ON_LINK_1);
    assert_eq!((tunneled[0].0, tunneled[0].1.next_destination()), (DepartedBuffer::NETWORK, ON_LINK_2));
    let repeated = tell(&mut buffer, WARNED, AGENT_2, Ipv6Control::HandoverAcknowledge(answer));
    assert!(repeated.packets.is_empty());
    // A lost acknowledgment is repeated without asking again.
    let again = tell(&mut buffer, WARNED, ON_LINK_1, early_update(3, ON_LINK_1, ON_LINK_2));
    assert_eq!(again.packets.len(), 2);
    assert!(again.ipv6().iter().all(|(_, it)| matches!(it, Ipv6Control::FastBindingAcknowledgment(_))));
}

/// RFC 5568 section 6.2.1.1: 100 ms, doubled each time, HI_RETRIES (3).
#[test]
fn the_request_to_the_new_router_is_sent_again() {
    let mut buffer = previous();
    tell(&mut buffer, WARNED, ON_LINK_1, early_update(1, ON_LINK_1, ON_LINK_2));
    let woken = wake_until(&mut buffer, WARNED + Duration::from_secs(9));
    let times = |(at, caused): &(Instant, Caused)| {
        (!caused.packets.is_empty()).then(|| (*at - WARNED).as_nanos() / 1_000_000)
    };
    assert_eq!(woken.iter().filter_map(times).collect::<Vec<_>>(), [100, 300, 700]);
    assert_eq!(buffer.wake_at(), None, "it has given up");
}

/// Strangers, unknown neighbors, and a refusal of the new router.
#[test]
fn refusals_reach_the_node_on_its_link() {
    let refusal = |caused: &Caused| match caused.ipv6()[..] {
        [(ON_LINK_1 | MOBILE, Ipv6Control::FastBindingAcknowledgment(answer))] => {
            assert_eq!(caused.packets[0].0, DepartedBuffer::AIR);
            answer.status
        }
        ref other => panic!("{other:?}"),
    };
    let prohibited = BindingStatus::ADMINISTRATIVELY_PROHIBITED;
    for (home, there) in [(MOBILE, ON_LINK_2), (ON_LINK_1, MOBILE)] {
        let caused = tell(&mut previous(), WARNED, home, early_update(1, home, there));
        assert_eq!(refusal(&caused), prohibited);
    }
    let mut buffer = previous();
    let caused = tell(&mut buffer, WARNED, ON_LINK_1, early_update(1, ON_LINK_1, ON_LINK_2));
    let [(_, Ipv6Control::HandoverInitiate(initiate))] = caused.ipv6()[..] else { panic!("{caused:?}") };
    let answer = HandoverAcknowledge { sequence: initiate.sequence, code: HandoverAcknowledge::PROHIBITED };
    let caused = tell(&mut buffer, WARNED, AGENT_2, Ipv6Control::HandoverAcknowledge(answer));
    assert_eq!(refusal(&caused), prohibited);
    assert_eq!(pass(&mut buffer, WARNED, ON_LINK_1)[0].0, DepartedBuffer::AIR);
}

fn new_router(at_most: u64) -> DepartedBuffer {
    let buffer = DepartedBuffer::new(KeptAtMost::Packets(at_most));
    let mut buffer = buffer.with_fast_handovers(AGENT_2, &[ON_LINK_2], &[(ON_LINK_1, AGENT_1)]);
    let initiate =
        HandoverInitiate { sequence: 5, previous_care_of_address: ON_LINK_1, new_care_of_address: ON_LINK_2 };
    let caused = tell(&mut buffer, WARNED, AGENT_1, Ipv6Control::HandoverInitiate(initiate));
    let accepted = Ipv6Control::HandoverAcknowledge(HandoverAcknowledge { sequence: 5, code: 0 });
    assert_eq!((caused.ipv6(), caused.packets[0].1.wire_bytes), (vec![(AGENT_1, accepted)], 56));
    buffer
}

/// RFC 5568 sections 4 and 6.3: packets wait for the announcement, as many as there is room for.
#[test]
fn the_new_router_keeps_packets_until_the_node_announces_itself() {
    let mut buffer = new_router(2);
    for _ in 0..2 {
        assert!(pass(&mut buffer, WARNED, ON_LINK_2).is_empty());
    }
    let full = deliver(&mut buffer, WARNED, DepartedBuffer::AIR, data(SENDER, ON_LINK_2));
    assert_eq!(full.drops(), [DropCause::LeftCell]);
    let other = tell(&mut buffer, WARNED, MOBILE, Ipv6Control::NeighborAdvertisement(MOBILE));
    assert!(other.packets.is_empty());
    let here = tell(&mut buffer, WARNED, ON_LINK_2, Ipv6Control::NeighborAdvertisement(ON_LINK_2));
    assert_eq!(here.packets.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [DepartedBuffer::AIR; 2]);
    assert_eq!(pass(&mut buffer, WARNED, ON_LINK_2)[0].0, DepartedBuffer::AIR);
    let again = tell(&mut buffer, WARNED, ON_LINK_2, Ipv6Control::NeighborAdvertisement(ON_LINK_2));
    assert!(again.packets.is_empty());
}

/// PROXY_ND_LIFETIME (RFC 5568 section 9): 1.5 s.
#[test]
fn the_new_router_does_not_wait_for_ever() {
    let mut buffer = new_router(9);
    assert!(pass(&mut buffer, WARNED, ON_LINK_2).is_empty());
    let woken = wake_until(&mut buffer, WARNED + Duration::from_secs(9));
    let [(at, caused)] = &woken[..] else { panic!("{woken:?}") };
    assert_eq!((*at - WARNED, caused.drops()), (Duration::from_millis(1500), vec![DropCause::LeftCell]));
    assert_eq!((buffer.dropped(), pass(&mut buffer, *at, ON_LINK_2)[0].0), (1, DepartedBuffer::AIR));
}

/// A node that comes back is kept for, whatever tunnel its last departure has left.
#[test]
fn a_node_that_comes_back_is_expected() {
    let mut buffer = new_router(9);
    tell(&mut buffer, WARNED, ON_LINK_2, Ipv6Control::NeighborAdvertisement(ON_LINK_2));
    let away = BindingUpdate {
        sequence: 9,
        flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
        lifetime_units: 10,
        home_address: ON_LINK_2,
        care_of_address: ON_LINK_1,
    };
    tell(&mut buffer, WARNED, ON_LINK_1, Ipv6Control::FastBindingUpdate(away));
    assert_eq!(pass(&mut buffer, WARNED, ON_LINK_2)[0].0, DepartedBuffer::NETWORK);
    let initiate =
        HandoverInitiate { sequence: 6, previous_care_of_address: ON_LINK_1, new_care_of_address: ON_LINK_2 };
    tell(&mut buffer, WARNED, AGENT_1, Ipv6Control::HandoverInitiate(initiate));
    assert!(pass(&mut buffer, WARNED, ON_LINK_2).is_empty());
    let here = tell(&mut buffer, WARNED, ON_LINK_2, Ipv6Control::NeighborAdvertisement(ON_LINK_2));
    assert_eq!(here.packets[0].0, DepartedBuffer::AIR);
}
