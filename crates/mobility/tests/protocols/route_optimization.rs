//! Route optimization of Mobile IPv6 by its messages (RFC 6275): mobile node and correspondent.

use crate::support::{
    AGENT_2, Caused, HOME_AGENT, MOBILE, ON_LINK_1, ON_LINK_2, SENDER, carrying, data, deliver, mobile_node,
    setup6, staying, wake_until,
};
use seamline_mobility::protocol::Setup;
use seamline_mobility::{Correspondent, MobileNode};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, CorrespondentAcknowledgement,
    CorrespondentUpdate, Ipv6Control, RouterAdvertisement, Test, TestInit,
};
use seamline_wire::{
    Control, DropCause, Duration, Instant, MobilityEvent, NodeId, Packet, Signal, Tunnel, TunnelHeader,
};

const CORRESPONDENT: NodeId = SENDER;
const STRANGER: NodeId = NodeId(9);
const START: Instant = Instant::from_secs(10);

fn after(seconds: u64) -> Instant {
    START + Duration::from_secs(seconds)
}

fn node() -> MobileNode {
    let setup = Setup { layer_2_triggers: true, correspondents: vec![CORRESPONDENT], ..setup6() };
    mobile_node("mobile-ipv6-route-optimization", &setup, staying())
}

fn from_air(node: &mut MobileNode, now: Instant, packet: Packet) -> Caused {
    deliver(node, now, MobileNode::cell_port(seamline_mobility::CellId(0)), packet)
}

fn receive(node: &mut MobileNode, now: Instant, message: Ipv6Control) -> Caused {
    from_air(node, now, carrying(CORRESPONDENT, MOBILE, Control::Ipv6(message)))
}

/// Data of a host that comes through the tunnel of the home agent to this address.
fn tunneled(source: NodeId, exit: NodeId) -> Packet {
    let mut packet = data(source, MOBILE);
    assert!(packet.encapsulate_in_ipv6(Tunnel { entry: HOME_AGENT, exit }));
    packet
}

fn hear(node: &mut MobileNode, now: Instant, router: NodeId) -> Caused {
    let advertisement = RouterAdvertisement { router, lifetime_s: 3, mobility_anchor_point: None };
    receive(node, now, Ipv6Control::RouterAdvertisement(advertisement))
}

/// The cookies of the tests that a step asked for: home and care-of.
fn cookies(caused: &Caused) -> [Option<u64>; 2] {
    let mut cookies = [None, None];
    for (to, message) in caused.ipv6() {
        match message {
            Ipv6Control::HomeTestInit(TestInit { cookie }) => {
                assert_eq!((to, cookies[0].replace(cookie)), (CORRESPONDENT, None));
            }
            Ipv6Control::CareOfTestInit(TestInit { cookie }) => {
                assert_eq!((to, cookies[1].replace(cookie)), (CORRESPONDENT, None));
            }
            _ => {}
        }
    }
    cookies
}

fn correspondent_updates(caused: &Caused) -> Vec<CorrespondentUpdate> {
    let update = |(_, message)| match message {
        Ipv6Control::CorrespondentUpdate(update) => Some(update),
        _ => None,
    };
    caused.ipv6().into_iter().filter_map(update).collect()
}

fn test(cookie: u64, token: u64) -> Test {
    Test { cookie, nonce_index: 3, token }
}

fn granted(update: &BindingUpdate, status: BindingStatus, lifetime_units: u16) -> BindingAcknowledgement {
    BindingAcknowledgement {
        status,
        mobile_router: false,
        sequence: update.sequence,
        lifetime_units,
        home_address: update.home_address,
        care_of_address: update.care_of_address,
    }
}

fn acknowledge(node: &mut MobileNode, now: Instant, answer: BindingAcknowledgement) -> Caused {
    let message = CorrespondentAcknowledgement { correspondent: CORRESPONDENT, answer };
    receive(node, now, Ipv6Control::CorrespondentAcknowledgement(message))
}

/// The node after a first registration with the correspondent.
fn registered() -> MobileNode {
    let mut node = node();
    let [home, care_of] = cookies(&from_air(&mut node, START, tunneled(CORRESPONDENT, ON_LINK_1)));
    receive(&mut node, START, Ipv6Control::HomeTest(test(home.unwrap(), 7)));
    let caused = receive(&mut node, START, Ipv6Control::CareOfTest(test(care_of.unwrap(), 8)));
    let [message] = correspondent_updates(&caused)[..] else { panic!("{caused:?}") };
    acknowledge(&mut node, START, granted(&message.update, BindingStatus::ACCEPTED, 105));
    node
}

/// The tunnels of data from the host, and what they add.
fn way(node: &mut MobileNode, to: NodeId) -> Vec<(NodeId, NodeId, TunnelHeader)> {
    let caused = deliver(node, START, MobileNode::HOST, data(MOBILE, to));
    let [(_, packet)] = &caused.packets[..] else { panic!("{caused:?}") };
    let header = |(place, it): (usize, Tunnel)| (it.entry, it.exit, packet.tunnels.header(place));
    packet.tunnels.iter().enumerate().map(header).collect()
}

/// RFC 6275 section 11.7.2: a packet through the tunnel of the home agent begins the procedure. Section 5.2.5: the home
/// test goes through the tunnel, the care-of test directly; sizes of sections 6.1.3, 6.1.4, 6.1.7, 6.2.6 and 6.2.7.
#[test]
fn a_tunneled_packet_begins_return_routability() {
    let mut node = node();
    let begun = from_air(&mut node, START, tunneled(CORRESPONDENT, ON_LINK_1));
    let [Some(home), Some(care_of)] = cookies(&begun) else { panic!("{begun:?}") };
    assert_ne!(home, care_of);
    let [(_, first), (_, second), (port, passed)] = &begun.packets[..] else { panic!("{begun:?}") };
    assert_eq!((first.source, first.wire_bytes), (MOBILE, 40 + 40 + 16));
    assert_eq!(first.tunnels.outermost(), Some(Tunnel { entry: ON_LINK_1, exit: HOME_AGENT }));
    assert_eq!((second.source, second.wire_bytes, second.tunnels.is_empty()), (ON_LINK_1, 40 + 16, true));
    assert_eq!((*port, passed.wire_bytes), (MobileNode::HOST, 1000));
    let again = from_air(&mut node, START, tunneled(CORRESPONDENT, ON_LINK_1));
    assert_eq!(cookies(&again), [None, None], "it is under way");

    let wrong = receive(&mut node, START, Ipv6Control::HomeTest(test(home + 9, 7)));
    assert!(wrong.packets.is_empty());
    assert!(receive(&mut node, START, Ipv6Control::CareOfTest(test(care_of, 8))).packets.is_empty());
    let complete = receive(&mut node, START, Ipv6Control::HomeTest(test(home, 7)));
    let [message] = correspondent_updates(&complete)[..] else { panic!("{complete:?}") };
    assert_eq!((message.home_nonce_index, message.care_of_nonce_index), (3, 3));
    assert_eq!(message.authenticator, CorrespondentUpdate::authenticate(7, 8));
    assert_eq!((message.update.home_address, message.update.care_of_address), (MOBILE, ON_LINK_1));
    assert_eq!((message.update.flags, message.update.lifetime_units), (BindingFlags::ACKNOWLEDGE, 150));
    let [(_, packet)] = &complete.packets[..] else { panic!() };
    assert_eq!((packet.source, packet.wire_bytes), (ON_LINK_1, 40 + 24 + 32));

    assert_eq!(way(&mut node, CORRESPONDENT), [(ON_LINK_1, HOME_AGENT, TunnelHeader::Ipv6)], "not yet");
    acknowledge(&mut node, START, granted(&message.update, BindingStatus::ACCEPTED, 105));
    assert_eq!(way(&mut node, CORRESPONDENT), [(ON_LINK_1, CORRESPONDENT, TunnelHeader::HomeAddress)]);
    assert_eq!(way(&mut node, STRANGER), [(ON_LINK_1, HOME_AGENT, TunnelHeader::Ipv6)]);
}

/// RFC 6275 section 11.6.2: a node that does not support it is left alone; and what arrives directly begins nothing.
#[test]
fn nothing_begins_without_a_reason() {
    let mut node = node();
    let other = from_air(&mut node, START, tunneled(STRANGER, ON_LINK_1));
    assert_eq!((cookies(&other), other.packets.len()), ([None, None], 1));
    let mut direct = data(CORRESPONDENT, MOBILE);
    direct.enter(Tunnel { entry: CORRESPONDENT, exit: ON_LINK_1 }, TunnelHeader::HomeAddress);
    let caused = from_air(&mut node, START, direct);
    assert_eq!((caused.packets.len(), caused.packets[0].1.wire_bytes), (1, 1000));
}

/// RFC 6275 section 11.8: separate timers, 1 s doubled up to 32 s, and new cookies and sequence numbers each time.
#[test]
fn lost_messages_are_sent_again() {
    let mut node = node();
    let first = cookies(&from_air(&mut node, START, tunneled(CORRESPONDENT, ON_LINK_1)));
    let woken = wake_until(&mut node, after(100));
    let times: Vec<u64> = woken.iter().map(|(at, _)| (*at - START).as_nanos() / 1_000_000_000).collect();
    assert_eq!(times, [1, 3, 7, 15, 31, 63, 95]);
    let mut seen: Vec<u64> = first.into_iter().flatten().collect();
    for (_, caused) in &woken {
        seen.extend(cookies(caused).map(|cookie| cookie.expect("both tests")));
    }
    let all = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), all, "a cookie is used once");

    let [Some(home), Some(care_of)] = cookies(&woken[6].1) else { panic!() };
    let late = after(100);
    assert!(receive(&mut node, late, Ipv6Control::HomeTest(test(first[0].unwrap(), 7))).packets.is_empty());
    receive(&mut node, late, Ipv6Control::HomeTest(test(home, 7)));
    let caused = receive(&mut node, late, Ipv6Control::CareOfTest(test(care_of, 8)));
    let [update] = correspondent_updates(&caused)[..] else { panic!("{caused:?}") };
    let again = wake_until(&mut node, late + Duration::from_secs(7));
    let numbers: Vec<u16> =
        again.iter().flat_map(|(_, it)| correspondent_updates(it)).map(|it| it.update.sequence).collect();
    let next = update.update.sequence;
    assert_eq!(numbers, [next + 1, next + 2, next + 3]);
    let stale = acknowledge(&mut node, late, granted(&update.update, BindingStatus::ACCEPTED, 105));
    assert_eq!((stale.events.len(), way(&mut node, CORRESPONDENT).len()), (0, 1));
    assert_eq!(way(&mut node, CORRESPONDENT)[0].2, TunnelHeader::Ipv6, "an answer to an earlier update");
}

/// RFC 6275 sections 5.2.7 and 11.7.2: after a move the home token is used again, the update waits for the home agent's
/// acknowledgement, and the node is reachable when the correspondent has confirmed, too.
#[test]
fn a_move_takes_a_care_of_test_and_both_acknowledgements() {
    let mut node = registered();
    let moved = hear(&mut node, after(1), AGENT_2);
    let [None, Some(care_of)] = cookies(&moved) else { panic!("{moved:?}") };
    assert_eq!(way(&mut node, CORRESPONDENT), [(ON_LINK_2, HOME_AGENT, TunnelHeader::Ipv6)]);
    let home_update = moved.ipv6().into_iter().find_map(|(to, message)| match message {
        Ipv6Control::BindingUpdate(update) => Some((to, update)),
        _ => None,
    });
    let Some((HOME_AGENT, home_update)) = home_update else { panic!("{moved:?}") };
    let tested = receive(&mut node, after(1), Ipv6Control::CareOfTest(test(care_of, 5)));
    assert_eq!(tested.packets.len(), 0, "the home agent has not answered");
    let answer = granted(&home_update, BindingStatus::ACCEPTED, 150);
    let known = receive(&mut node, after(1), Ipv6Control::BindingAcknowledgement(answer));
    assert_eq!(known.signals, [], "the correspondent still sends to the old address");
    let [message] = correspondent_updates(&known)[..] else { panic!("{known:?}") };
    assert_eq!(message.authenticator, CorrespondentUpdate::authenticate(7, 5));
    let done = acknowledge(&mut node, after(1), granted(&message.update, BindingStatus::ACCEPTED, 105));
    assert_eq!(done.signals, [Signal::Registered]);
    let accepted = MobilityEvent::RegistrationAccepted { care_of_address: ON_LINK_2, after_move: true };
    assert_eq!(done.mobility(), [accepted]);
    assert_eq!(way(&mut node, CORRESPONDENT), [(ON_LINK_2, CORRESPONDENT, TunnelHeader::HomeAddress)]);
}

/// RFC 6275 section 12: a token is good for 210 s; after that both tests are needed.
#[test]
fn an_old_home_token_is_not_used_again() {
    for (at, is_old) in [(209, false), (210, true)] {
        let mut node = registered();
        // The binding of 420 s is refreshed at half of it.
        let moved = hear(&mut node, after(at), AGENT_2);
        assert_eq!(cookies(&moved)[0].is_some(), is_old, "{at}");
    }
}

/// RFC 6275 sections 5.2.5 and 11.7.2: at home the home token alone authorizes the deletion, and there are no options.
#[test]
fn at_home_the_binding_is_deleted() {
    let mut node = registered();
    let moved = hear(&mut node, after(1), HOME_AGENT);
    assert_eq!(cookies(&moved), [None, None]);
    let home_update = moved.ipv6().into_iter().find_map(|(_, message)| match message {
        Ipv6Control::BindingUpdate(update) => Some(update),
        _ => None,
    });
    let answer = granted(&home_update.expect("it deregisters"), BindingStatus::ACCEPTED, 0);
    let known = receive(&mut node, after(1), Ipv6Control::BindingAcknowledgement(answer));
    let [message] = correspondent_updates(&known)[..] else { panic!("{known:?}") };
    assert_eq!((message.update.lifetime_units, message.update.care_of_address), (0, MOBILE));
    assert_eq!(message.authenticator, CorrespondentUpdate::authenticate(7, 0));
    assert_eq!((known.packets[0].1.source, known.packets[0].1.wire_bytes), (MOBILE, 40 + 32));
    let done = acknowledge(&mut node, after(1), granted(&message.update, BindingStatus::ACCEPTED, 0));
    assert_eq!(done.signals, [Signal::Registered]);
    assert_eq!(way(&mut node, CORRESPONDENT), []);
}

/// RFC 6275 section 6.1.8, statuses 135 to 138.
#[test]
fn refusals_are_corrected_at_once() {
    for (status, tests) in [
        (BindingStatus::EXPIRED_HOME_NONCE_INDEX, [true, false]),
        (BindingStatus::EXPIRED_CARE_OF_NONCE_INDEX, [false, true]),
        (BindingStatus::EXPIRED_NONCES, [true, true]),
    ] {
        let mut node = node();
        let [home, care_of] = cookies(&from_air(&mut node, START, tunneled(CORRESPONDENT, ON_LINK_1)));
        receive(&mut node, START, Ipv6Control::HomeTest(test(home.unwrap(), 7)));
        let caused = receive(&mut node, START, Ipv6Control::CareOfTest(test(care_of.unwrap(), 8)));
        let [message] = correspondent_updates(&caused)[..] else { panic!("{caused:?}") };
        let refused = acknowledge(&mut node, START, granted(&message.update, status, 0));
        assert_eq!(refused.mobility()[0], MobilityEvent::BindingRefused { status });
        assert_eq!(cookies(&refused).map(|cookie| cookie.is_some()), tests, "{status}");
    }
}

fn ask(correspondent: &mut Correspondent, now: Instant, from: NodeId, message: Ipv6Control) -> Caused {
    let packet = carrying(from, CORRESPONDENT, Control::Ipv6(message));
    deliver(correspondent, now, Correspondent::NETWORK, packet)
}

/// The tokens that a correspondent gives to both addresses, and their nonce index.
fn tokens(correspondent: &mut Correspondent, now: Instant) -> (u64, u64, u16) {
    let home = ask(correspondent, now, MOBILE, Ipv6Control::HomeTestInit(TestInit { cookie: 21 }));
    let care_of = ask(correspondent, now, ON_LINK_1, Ipv6Control::CareOfTestInit(TestInit { cookie: 22 }));
    let ([(to, Ipv6Control::HomeTest(home))], [(there, Ipv6Control::CareOfTest(care_of))]) =
        (&home.ipv6()[..], &care_of.ipv6()[..])
    else {
        panic!("{home:?} {care_of:?}")
    };
    assert_eq!((*to, *there, home.cookie, care_of.cookie), (MOBILE, ON_LINK_1, 21, 22));
    (home.token, care_of.token, home.nonce_index)
}

fn message(
    sequence: u16,
    lifetime_units: u16,
    (home, care_of, index): (u64, u64, u16),
) -> CorrespondentUpdate {
    let update = BindingUpdate {
        sequence,
        flags: BindingFlags::ACKNOWLEDGE,
        lifetime_units,
        home_address: MOBILE,
        care_of_address: ON_LINK_1,
    };
    CorrespondentUpdate {
        update,
        home_nonce_index: index,
        care_of_nonce_index: index,
        authenticator: CorrespondentUpdate::authenticate(home, care_of),
    }
}

fn update(
    correspondent: &mut Correspondent,
    now: Instant,
    message: CorrespondentUpdate,
) -> Option<BindingAcknowledgement> {
    let caused = ask(correspondent, now, ON_LINK_1, Ipv6Control::CorrespondentUpdate(message));
    match caused.ipv6()[..] {
        [] => None,
        [(to, Ipv6Control::CorrespondentAcknowledgement(answer))] => {
            assert_eq!((to, answer.correspondent), (message.update.care_of_address, CORRESPONDENT));
            assert_eq!(caused.packets[0].1.wire_bytes, 40 + 24 + 32);
            Some(answer.answer)
        }
        ref other => panic!("{other:?}"),
    }
}

/// RFC 6275 sections 9.5.1 and 9.5.2, with the longest lifetime of section 12; then packets go there directly (9.3.2).
#[test]
fn a_correspondent_binds_who_receives_at_both_addresses() {
    let mut correspondent = Correspondent::new(CORRESPONDENT);
    let known = tokens(&mut correspondent, START);
    let (home, care_of, index) = known;
    for forged in [(home + 1, care_of, index), (home, care_of + 1, index), (care_of, home, index)] {
        assert_eq!(update(&mut correspondent, START, message(1, 150, forged)), None, "silently ignored");
    }
    assert_eq!(correspondent.care_of_address(START, MOBILE), None);
    let answer = update(&mut correspondent, START, message(1, 150, known)).expect("answered");
    assert_eq!((answer.status, answer.lifetime_units), (BindingStatus::ACCEPTED, 105));
    let repeated = update(&mut correspondent, START, message(1, 150, known)).expect("answered");
    assert_eq!(repeated.status, BindingStatus::SEQUENCE_OUT_OF_WINDOW);

    let sent = deliver(&mut correspondent, START, Correspondent::HOST, data(CORRESPONDENT, MOBILE));
    let [(Correspondent::NETWORK, packet)] = &sent.packets[..] else { panic!("{sent:?}") };
    let tunnel = Tunnel { entry: CORRESPONDENT, exit: ON_LINK_1 };
    assert_eq!((packet.tunnels.outermost(), packet.wire_bytes), (Some(tunnel), 1024));
    let other = deliver(&mut correspondent, START, Correspondent::HOST, data(CORRESPONDENT, STRANGER));
    assert_eq!(other.packets[0].1.wire_bytes, 1000);

    // 420 s later it is forgotten.
    let end = after(420);
    assert_eq!(correspondent.care_of_address(after(419), MOBILE), Some(ON_LINK_1));
    assert_eq!(correspondent.care_of_address(end, MOBILE), None);
}

/// RFC 6275 section 9.3.1: a Home Address option must fit the binding.
#[test]
fn packets_from_other_care_of_addresses_are_dropped() {
    let mut correspondent = Correspondent::new(CORRESPONDENT);
    let direct = |entry| {
        let mut packet = data(MOBILE, CORRESPONDENT);
        packet.enter(Tunnel { entry, exit: CORRESPONDENT }, TunnelHeader::HomeAddress);
        packet
    };
    let early = deliver(&mut correspondent, START, Correspondent::NETWORK, direct(ON_LINK_1));
    assert_eq!(early.drops(), [DropCause::NoVisitor]);
    let known = tokens(&mut correspondent, START);
    update(&mut correspondent, START, message(1, 150, known));
    let fits = deliver(&mut correspondent, START, Correspondent::NETWORK, direct(ON_LINK_1));
    assert_eq!((fits.packets[0].0, fits.packets[0].1.wire_bytes), (Correspondent::HOST, 1000));
    let wrong = deliver(&mut correspondent, START, Correspondent::NETWORK, direct(ON_LINK_2));
    assert_eq!(wrong.drops(), [DropCause::NoVisitor]);
    let plain = deliver(&mut correspondent, START, Correspondent::NETWORK, data(MOBILE, CORRESPONDENT));
    assert_eq!(plain.packets[0].0, Correspondent::HOST, "through the home agent it always works");
}

/// RFC 6275 section 5.2.7: tokens are accepted for 210 to 240 s.
#[test]
fn nonces_expire() {
    let begins = Instant::from_secs(300);
    for (asked, last) in [(0, 239), (29, 239)] {
        let mut correspondent = Correspondent::new(CORRESPONDENT);
        let known = tokens(&mut correspondent, begins + Duration::from_secs(asked));
        let status = |correspondent: &mut Correspondent, s, sequence| {
            let now = begins + Duration::from_secs(s);
            update(correspondent, now, message(sequence, 10, known)).expect("answered").status
        };
        assert_eq!(status(&mut correspondent, last, 1), BindingStatus::ACCEPTED);
        assert_eq!(status(&mut correspondent, last + 1, 2), BindingStatus::EXPIRED_NONCES);
    }
}
