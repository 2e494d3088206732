//! Bindings of IPv6 by their messages: mobile node, mobility anchor, access router.

use crate::support::{
    self, AGENT_1, AGENT_2, Caused, HOME_AGENT, MOBILE, ON_LINK_1, ON_LINK_2, SENDER, carrying, data,
    deliver, mobile_node, setup6, staying, wake_until,
};
use seamline_mobility::protocol::{self, Setup};
use seamline_mobility::{AnchorPorts, CellId, MobileNode, MobileNodeConfig, MobilityAnchor, Move, Movement};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, Ipv6Control, RouterAdvertisement,
};
use seamline_wire::{
    Control, DropCause, Duration, Instant, Machine, MobilityEvent, NodeId, Packet, Signal, Tunnel,
};

const ANCHOR: NodeId = NodeId(6);
const REGIONAL: NodeId = NodeId(21);
const START: Instant = Instant::from_secs(10);

fn setup() -> Setup {
    Setup { layer_2_triggers: true, regional_address: Some((ANCHOR, REGIONAL)), ..setup6() }
}

fn node(name: &str, setup: &Setup) -> MobileNode {
    mobile_node(name, setup, staying())
}

fn hear(node: &mut MobileNode, now: Instant, router: NodeId) -> Caused {
    let advertisement = RouterAdvertisement { router, lifetime_s: 3, mobility_anchor_point: Some(ANCHOR) };
    receive(node, now, NodeId::ALL_SYSTEMS, Ipv6Control::RouterAdvertisement(advertisement))
}

fn receive(node: &mut MobileNode, now: Instant, to: NodeId, message: Ipv6Control) -> Caused {
    deliver(node, now, MobileNode::cell_port(CellId(0)), carrying(AGENT_1, to, Control::Ipv6(message)))
}

fn updates(caused: &Caused) -> Vec<(NodeId, BindingUpdate)> {
    let update = |(_, to, message): &_| match message {
        Control::Ipv6(Ipv6Control::BindingUpdate(update)) => Some((*to, *update)),
        _ => None,
    };
    caused.messages().iter().filter_map(update).collect()
}

fn accepted(update: &BindingUpdate) -> BindingAcknowledgement {
    BindingAcknowledgement {
        status: BindingStatus::ACCEPTED,
        mobile_router: false,
        sequence: update.sequence,
        lifetime_units: update.lifetime_units,
        home_address: update.home_address,
        care_of_address: update.care_of_address,
    }
}

fn answer(node: &mut MobileNode, now: Instant, answer: BindingAcknowledgement) -> Caused {
    receive(node, now, answer.care_of_address, Ipv6Control::BindingAcknowledgement(answer))
}

fn tunnels(caused: &Caused) -> Vec<(NodeId, NodeId)> {
    let [(_, packet)] = &caused.packets[..] else { panic!("{caused:?}") };
    packet.tunnels.iter().map(|tunnel| (tunnel.entry, tunnel.exit)).collect()
}

/// RFC 5380: within the domain the anchor alone hears of a move, and the home agent nothing.
#[test]
fn the_home_agent_is_not_notified_of_moves_within_the_domain() {
    let mut node = node("hmipv6", &setup());
    let heard = hear(&mut node, START, AGENT_2);
    assert_eq!(heard.signals, [Signal::MovementDetected]);
    let [(to, update)] = updates(&heard)[..] else { panic!("{heard:?}") };
    assert_eq!((to, update.home_address, update.care_of_address), (ANCHOR, REGIONAL, ON_LINK_2));
    assert!(update.flags.contains(BindingFlags::MOBILITY_ANCHOR_POINT | BindingFlags::ACKNOWLEDGE));
    assert!(!update.flags.contains(BindingFlags::HOME_REGISTRATION));
    assert_eq!((update.lifetime_units, heard.packets[0].1.source), (150, ON_LINK_2));
    let done = answer(&mut node, START, accepted(&update));
    assert_eq!((done.signals, done.packets.len()), (vec![Signal::Registered], 0));
    assert_eq!(done.events.len(), 1);
    let again = answer(&mut node, START, accepted(&update));
    assert_eq!((again.signals.len(), again.events.len()), (0, 0), "a duplicate says nothing new");
}

fn fast_updates(caused: &Caused) -> Vec<(NodeId, BindingUpdate)> {
    let update = |(_, to, message): &_| match message {
        Control::Ipv6(Ipv6Control::FastBindingUpdate(update)) => Some((*to, *update)),
        _ => None,
    };
    caused.messages().iter().filter_map(update).collect()
}

/// RFC 5568 sections 4, 5.6 and 6.2.2: the previous router hears of the new care-of address, then the home agent; back again the
/// router that may tunnel away hears of that, too.
#[test]
fn the_previous_router_is_sent_the_new_address() {
    let mut node = node("fmipv6", &setup());
    let heard = hear(&mut node, START, AGENT_2);
    let [(to, fast)] = fast_updates(&heard)[..] else { panic!("{heard:?}") };
    assert_eq!((to, fast.home_address, fast.care_of_address), (AGENT_1, ON_LINK_1, ON_LINK_2));
    assert_eq!(fast.flags, BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION);
    assert_eq!((heard.packets[0].1.source, heard.packets[0].1.wire_bytes), (ON_LINK_2, 40 + 24 + 16));
    let [(to, home)] = updates(&heard)[..] else { panic!("{heard:?}") };
    assert_eq!((to, home.care_of_address), (HOME_AGENT, ON_LINK_2));

    let answered = Ipv6Control::FastBindingAcknowledgment(accepted(&fast));
    let done = receive(&mut node, START, ON_LINK_2, answered);
    assert_eq!((done.signals.len(), done.packets.len()), (0, 0), "the home agent does not know yet");
    assert_eq!(answer(&mut node, START, accepted(&home)).signals, [Signal::Registered]);
    assert!(wake_until(&mut node, START + Duration::from_secs(30)).is_empty(), "both have answered");

    let later = START + Duration::from_secs(3);
    let [(to, ends), (other, begins)] = fast_updates(&hear(&mut node, later, AGENT_1))[..] else { panic!() };
    assert_eq!(
        (to, ends.home_address, ends.care_of_address, ends.lifetime_units),
        (AGENT_1, ON_LINK_1, ON_LINK_1, 0)
    );
    assert_eq!((other, begins.home_address, begins.care_of_address), (AGENT_2, ON_LINK_2, ON_LINK_1));
}

/// FBU_RETRIES (RFC 5568 section 9): three times more, each after twice the time; then the node does without.
#[test]
fn a_previous_router_that_does_not_answer_is_given_up() {
    let mut node = node("fmipv6", &setup());
    let [(_, home)] = updates(&hear(&mut node, START, AGENT_2))[..] else { panic!("one update") };
    answer(&mut node, START, accepted(&home));
    let again: Vec<_> = wake_until(&mut node, START + Duration::from_secs(100))
        .iter()
        .flat_map(|(at, caused)| fast_updates(caused).into_iter().map(|(_, update)| (*at, update.sequence)))
        .collect();
    let after = |s| START + Duration::from_secs(s);
    assert_eq!(again, [(after(1), 2), (after(3), 3), (after(7), 4)]);
}

/// From nowhere: first the anchor, then the home agent, by way of the anchor; only then it is registered.
#[test]
fn the_home_agent_is_sent_the_regional_address_once() {
    let mut node = node("hmipv6", &Setup { registered_with: None, ..setup() });
    let [(_, local)] = updates(&hear(&mut node, START, AGENT_1))[..] else { panic!("one update") };
    let first = answer(&mut node, START, accepted(&local));
    assert_eq!(first.signals, [], "it is not reachable from outside the domain yet");
    let [(to, home)] = updates(&first)[..] else { panic!("{first:?}") };
    assert_eq!((to, home.home_address, home.care_of_address), (HOME_AGENT, MOBILE, REGIONAL));
    assert_eq!(tunnels(&first), [(ON_LINK_1, ANCHOR)], "its source is the regional address");
    assert_eq!(first.packets[0].1.wire_bytes, 40 + 40 + 24 + 32);
    let done = answer(&mut node, START, accepted(&home));
    assert_eq!(done.signals, [Signal::Registered]);
    assert_eq!(updates(&hear(&mut node, START, AGENT_2)).len(), 1);
}

/// It moves on while the home agent is asked: that one's answer is for the earlier move, and the anchor's for the next.
#[test]
fn the_home_agents_late_answer_leaves_the_anchors_to_be_waited_for() {
    let mut node = node("hmipv6", &Setup { registered_with: None, ..setup() });
    let [(_, local)] = updates(&hear(&mut node, START, AGENT_1))[..] else { panic!("one update") };
    let [(_, home)] = updates(&answer(&mut node, START, accepted(&local)))[..] else { panic!("another") };
    let [(_, local)] = updates(&hear(&mut node, START, AGENT_2))[..] else { panic!("one update") };
    assert_eq!(answer(&mut node, START, accepted(&home)).signals, []);
    assert_eq!(answer(&mut node, START, accepted(&local)).signals, [Signal::Registered]);
}

#[test]
fn data_leaves_through_the_tunnels_that_belong_to_its_source() {
    let send = |node: &mut MobileNode, source| {
        tunnels(&deliver(node, START, MobileNode::HOST, data(source, SENDER)))
    };
    let mut both = node("hmipv6", &setup());
    assert_eq!(send(&mut both, MOBILE), [(REGIONAL, HOME_AGENT), (ON_LINK_1, ANCHOR)]);
    let known_by_regional = Setup { home_agent: None, regional_address: Some((ANCHOR, MOBILE)), ..setup() };
    let mut local = node("hmipv6", &known_by_regional);
    assert_eq!(send(&mut local, MOBILE), [(ON_LINK_1, ANCHOR)]);
    let host_behind = NodeId(9);
    let mut router = node("nemo", &setup());
    assert_eq!(send(&mut router, host_behind), [(ON_LINK_1, HOME_AGENT)]);
    hear(&mut router, START, AGENT_2);
    assert_eq!(send(&mut router, host_behind), [(ON_LINK_2, HOME_AGENT)]);
    hear(&mut router, START, HOME_AGENT);
    assert_eq!(send(&mut router, host_behind), [], "at home");
}

/// RFC 6275 section 11.8: after one second, then twice as long up to 32 s, each with a new sequence number. An answer to an
/// earlier one counts no more.
#[test]
fn lost_updates_are_sent_again_with_back_off() {
    for name in ["mobile-ipv6", "hmipv6", "nemo"] {
        let mut node = node(name, &setup());
        let [(_, first)] = updates(&hear(&mut node, START, AGENT_2))[..] else { panic!("one update") };
        let woken = wake_until(&mut node, START + Duration::from_secs(100));
        let times: Vec<u64> = woken.iter().map(|(at, _)| (*at - START).as_nanos() / 1_000_000_000).collect();
        assert_eq!(times, [1, 3, 7, 15, 31, 63, 95], "{name}");
        let mut newest = first;
        for (_, caused) in &woken {
            let [(_, update)] = updates(caused)[..] else { panic!("{caused:?}") };
            assert_eq!(update, BindingUpdate { sequence: newest.sequence + 1, ..first });
            newest = update;
        }
        let end = START + Duration::from_secs(101);
        assert_eq!(answer(&mut node, end, accepted(&first)).events, [], "{name}: late");
        assert_eq!(answer(&mut node, end, accepted(&newest)).signals, [Signal::Registered], "{name}");
        // At half of the 600 s; the home agent's binding, that no move has changed, is as old as the run.
        let refresh = Duration::from_secs(300);
        let due = if name == "hmipv6" { Instant::ZERO + refresh } else { end + refresh };
        assert_eq!(node.wake_at(), Some(due), "{name}");
    }
}

#[test]
fn a_sequence_number_out_of_window_is_corrected_at_once() {
    let mut node = node("nemo", &setup());
    let [(_, update)] = updates(&hear(&mut node, START, AGENT_2))[..] else { panic!("one update") };
    assert!(update.flags.contains(BindingFlags::HOME_REGISTRATION | BindingFlags::MOBILE_ROUTER));
    let status = BindingStatus::SEQUENCE_OUT_OF_WINDOW;
    let refused = answer(
        &mut node,
        START,
        BindingAcknowledgement { status, sequence: 65_535, lifetime_units: 0, ..accepted(&update) },
    );
    assert_eq!(refused.mobility()[0], MobilityEvent::BindingRefused { status });
    let [(_, again)] = updates(&refused)[..] else { panic!("{refused:?}") };
    assert_eq!(again, BindingUpdate { sequence: 0, ..update }, "modulo 2^16");
}

#[test]
fn at_home_it_deregisters_without_options() {
    let mut node = node("mobile-ipv6", &setup());
    let heard = hear(&mut node, START, HOME_AGENT);
    let [(_, update)] = updates(&heard)[..] else { panic!("{heard:?}") };
    assert_eq!((update.lifetime_units, update.care_of_address), (0, MOBILE));
    assert_eq!((heard.packets[0].1.wire_bytes, heard.packets[0].1.source), (56, MOBILE));
    answer(&mut node, START, accepted(&update));
    assert_eq!(node.wake_at(), None, "nothing to keep up");
}

/// A solicitation is for the link alone, wherever the tunnels lead.
#[test]
fn solicitations_stay_on_the_link() {
    for name in ["mobile-ipv6", "hmipv6", "nemo"] {
        let up = Signal::LinkUp { rate: None, round_trip_time: None };
        let caused = support::step(&mut node(name, &setup()), START, seamline_wire::Input::Signal(up));
        assert_eq!((tunnels(&caused), caused.signals.len()), (vec![], 0), "{name}");
        assert!(matches!(caused.messages()[..], [(_, NodeId::ALL_ROUTERS, _)]), "{name}");
    }
}

fn anchor() -> MobilityAnchor {
    let mut anchor = MobilityAnchor::new(HOME_AGENT);
    anchor.add_home(MOBILE);
    anchor.add_to_network(MOBILE, NodeId(9));
    anchor
}

fn update(sequence: u16, lifetime_units: u16) -> BindingUpdate {
    BindingUpdate {
        sequence,
        flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
        lifetime_units,
        home_address: MOBILE,
        care_of_address: ON_LINK_1,
    }
}

fn ask(anchor: &mut MobilityAnchor, now: Instant, update: BindingUpdate) -> BindingAcknowledgement {
    let message = Control::Ipv6(Ipv6Control::BindingUpdate(update));
    let packet = carrying(update.care_of_address, HOME_AGENT, message);
    let caused = deliver(anchor, now, AnchorPorts::LOCAL, packet);
    match caused.messages()[..] {
        [(_, to, Control::Ipv6(Ipv6Control::BindingAcknowledgement(answer)))] => {
            assert_eq!(to, update.care_of_address);
            answer
        }
        ref other => panic!("{other:?}"),
    }
}

/// RFC 6275 section 9.5.1, modulo 2^16.
#[test]
fn late_and_duplicated_updates_change_nothing() {
    let mut anchor = anchor();
    for sequence in [7, 65_000 - 32_761, 65_000, 3] {
        assert_eq!(
            ask(&mut anchor, START, update(sequence, 10)).status,
            BindingStatus::ACCEPTED,
            "{sequence}"
        );
    }
    for sequence in [3, 2, 65_000] {
        let late = BindingUpdate { care_of_address: ON_LINK_2, ..update(sequence, 10) };
        let answer = ask(&mut anchor, START, late);
        assert_eq!((answer.status, answer.sequence), (BindingStatus::SEQUENCE_OUT_OF_WINDOW, 3));
        assert_eq!(anchor.care_of_address(START, MOBILE), Some(ON_LINK_1));
    }
}

#[test]
fn an_anchor_serves_whom_it_knows_as_what_it_is() {
    let mut anchor = anchor();
    let stranger = BindingUpdate { home_address: SENDER, ..update(1, 10) };
    assert_eq!(ask(&mut anchor, START, stranger).status, BindingStatus::NOT_HOME_AGENT);
    let local = BindingUpdate { flags: BindingFlags::MOBILITY_ANCHOR_POINT, ..update(1, 10) };
    let status = BindingStatus::HOME_REGISTRATION_NOT_SUPPORTED;
    assert_eq!(ask(&mut anchor, START, local).status, status);
    assert_eq!(anchor.care_of_address(START, MOBILE), None);
}

#[test]
fn bindings_run_out() {
    let mut anchor = anchor();
    ask(&mut anchor, START, update(1, 10));
    let end = START + Duration::from_secs(40);
    assert_eq!(anchor.wake_at(), Some(end), "units of four seconds");
    assert_eq!(anchor.care_of_address(end - Duration::from_nanos(1), MOBILE), Some(ON_LINK_1));
    let gone = wake_until(&mut anchor, end);
    let changed = MobilityEvent::BindingChanged { home_address: MOBILE, care_of_address: None };
    assert_eq!(gone[0].1.mobility(), [changed]);
    assert_eq!((anchor.care_of_address(end, MOBILE), anchor.wake_at()), (None, None));
}

/// Down to a node of the network and up from it, through the tunnel; from elsewhere nothing comes out of a tunnel.
#[test]
fn a_network_is_reached_through_its_router() {
    let host = NodeId(9);
    let mut anchor = anchor();
    let at_home = deliver(&mut anchor, START, AnchorPorts::NETWORK, data(SENDER, host));
    assert_eq!(at_home.packets, [(AnchorPorts::HOME, data(SENDER, host))]);
    ask(&mut anchor, START, update(1, 100));
    let down = deliver(&mut anchor, START, AnchorPorts::NETWORK, data(SENDER, host));
    assert_eq!(tunnels(&down), [(HOME_AGENT, ON_LINK_1)]);
    assert_eq!(down.packets[0].1.wire_bytes, 1040);
    let from = |entry| {
        let mut packet: Packet = data(host, SENDER);
        assert!(packet.encapsulate_in_ipv6(Tunnel { entry, exit: HOME_AGENT }));
        packet
    };
    let up = deliver(&mut anchor, START, AnchorPorts::LOCAL, from(ON_LINK_1));
    assert_eq!(up.packets, [(AnchorPorts::NETWORK, data(host, SENDER))]);
    let spoofed = deliver(&mut anchor, START, AnchorPorts::LOCAL, from(ON_LINK_2));
    assert_eq!((spoofed.packets.len(), spoofed.drops()), (0, vec![DropCause::NoVisitor]));
}

/// One node may be home agent and mobility anchor point: what is for the home address enters two tunnels there.
#[test]
fn an_anchor_may_be_both() {
    let mut anchor = anchor();
    anchor.add_regional(REGIONAL);
    anchor.bind(MOBILE, REGIONAL, 600);
    anchor.bind(REGIONAL, ON_LINK_1, 600);
    let once = deliver(&mut anchor, START, AnchorPorts::NETWORK, data(SENDER, MOBILE));
    let [(AnchorPorts::NETWORK, packet)] = &once.packets[..] else { panic!("{once:?}") };
    let twice = deliver(&mut anchor, START, AnchorPorts::NETWORK, packet.clone());
    assert_eq!(tunnels(&twice), [(HOME_AGENT, REGIONAL), (HOME_AGENT, ON_LINK_1)]);
    let mut up = data(MOBILE, SENDER);
    assert!(up.encapsulate_in_ipv6(Tunnel { entry: REGIONAL, exit: HOME_AGENT }));
    assert!(up.encapsulate_in_ipv6(Tunnel { entry: ON_LINK_1, exit: HOME_AGENT }));
    let out = deliver(&mut anchor, START, AnchorPorts::LOCAL, up);
    assert_eq!(out.packets, [(AnchorPorts::NETWORK, data(MOBILE, SENDER))]);
}

/// While an old link lasts, data leaves by it under the address that the anchor knows, until the update has left; from its
/// arrival on the anchor would take nothing more from there.
#[test]
fn data_follows_the_update_over_the_new_link() {
    for (name, anchor) in [("mobile-ipv6", HOME_AGENT), ("nemo", HOME_AGENT), ("hmipv6", ANCHOR)] {
        let [old, new] = [CellId(0), CellId(1)].map(MobileNode::cell_port);
        let moves = vec![Move { at: START, to: CellId(1) }];
        let movement = Movement::new(CellId(0), moves, Duration::ZERO).expect("in order");
        let movement = movement.with_old_links(|_, left| left + Duration::from_secs(1));
        let protocol = Some((protocol::find(name).expect("registered").build)(&setup()));
        let mut node = MobileNode::new(MobileNodeConfig { movement, first_cell: CellId(0), protocol });
        wake_until(&mut node, START);
        let sent = |node: &mut MobileNode| {
            let caused = deliver(node, START, MobileNode::HOST, data(MOBILE, SENDER));
            (caused.packets[0].0, *tunnels(&caused).last().expect("a tunnel"))
        };
        assert_eq!(sent(&mut node), (old, (ON_LINK_1, anchor)), "{name}");
        let heard =
            RouterAdvertisement { router: AGENT_2, lifetime_s: 3, mobility_anchor_point: Some(ANCHOR) };
        let message = Control::Ipv6(Ipv6Control::RouterAdvertisement(heard));
        let heard = deliver(&mut node, START, new, carrying(AGENT_2, NodeId::ALL_SYSTEMS, message));
        assert_eq!((updates(&heard).len(), heard.packets[0].0), (1, new), "{name}");
        assert_eq!(sent(&mut node), (new, (ON_LINK_2, anchor)), "{name}");
    }
}
