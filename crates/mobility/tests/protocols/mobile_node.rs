//! The mobile node: detection, registration, signals.

use crate::support::{
    AGENT_1, AGENT_2, Caused, HOME_AGENT, MOBILE, SENDER, carrying, data, deliver, setup, step, wake_until,
};
use seamline_mobility::protocol::{self, Setup};
use seamline_mobility::{CellId, MobileNode, MobileNodeConfig, Move, Movement, MovementDetection};
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, MissingBytes, RecoveryMessage, RegistrationReply, RegistrationRequest,
    ReplyCode, SequenceRanges,
};
use seamline_wire::{
    Control, DropCause, Duration, Event, HandoverPhase, Input, Instant, Machine, MobilityEvent, NodeId, Port,
    Rate, Signal, TransportPort, Tunnel,
};

const CELL_1: CellId = CellId(0);
const CELL_2: CellId = CellId(1);

fn config() -> Setup {
    Setup { registration_lifetime_s: 1800, ..setup() }
}

fn following(movement: Movement, mobile_ip: Option<Setup>) -> MobileNode {
    let scheme = protocol::find("mobile-ipv4").expect("it is registered");
    let protocol = mobile_ip.map(|setup| (scheme.build)(&setup));
    MobileNode::new(MobileNodeConfig { movement, first_cell: CellId(0), protocol })
}

/// Moves from cell 1 to cell 2 at 5 s and back at 10 s.
fn node(mobile_ip: Option<Setup>) -> MobileNode {
    let step = |s, to| Move { at: Instant::from_secs(s), to };
    let moves = vec![step(5, CELL_2), step(10, CELL_1)];
    let movement = Movement::new(CELL_1, moves, Duration::ZERO).expect("in order");
    following(movement, mobile_ip)
}

fn hear(node: &mut MobileNode, now: Instant, cell: CellId, agent: NodeId) -> Caused {
    let advertisement = AgentAdvertisement {
        agent,
        lifetime_s: 1,
        sequence: 0,
        registration_lifetime_s: 3600,
        flags: AgentFlags::FOREIGN_AGENT,
        care_of_address: Some(agent),
    };
    let packet = carrying(agent, NodeId::ALL_SYSTEMS, Control::AgentAdvertisement(advertisement));
    deliver(node, now, MobileNode::cell_port(cell), packet)
}

fn answer(node: &mut MobileNode, now: Instant, to: &RegistrationRequest, code: ReplyCode) -> Caused {
    let reply = RegistrationReply {
        code,
        lifetime_s: to.lifetime_s,
        home_address: to.home_address,
        home_agent: to.home_agent,
        identification: to.identification,
    };
    let packet = carrying(AGENT_1, MOBILE, Control::RegistrationReply(reply));
    deliver(node, now, MobileNode::cell_port(CELL_1), packet)
}

fn seconds(s: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(s)
}

#[test]
fn a_move_is_noticed_at_the_first_advertisement_and_done_at_the_reply() {
    let mut node = node(Some(config()));
    let before = hear(&mut node, seconds(4.0), CELL_1, AGENT_1);
    assert_eq!((before.signals.len(), before.packets.len()), (0, 0), "nothing new");
    let moved = wake_until(&mut node, seconds(5.0));
    assert_eq!(moved.len(), 1);
    let started = Event::Handover(HandoverPhase::Started);
    let entered = Event::Mobility(MobilityEvent::CellEntered { cell: 1 });
    assert_eq!(moved[0].1.events, [started, entered]);
    assert_eq!(moved[0].1.signals, [], "a new cell alone is not reported");

    let heard = hear(&mut node, seconds(5.07), CELL_2, AGENT_2);
    assert_eq!(heard.signals, [Signal::MovementDetected]);
    let request = heard.request();
    assert_eq!(heard.messages()[0].0, MobileNode::cell_port(CELL_2));
    assert_eq!(heard.messages()[0].1, AGENT_2);
    assert_eq!(
        (request.home_address, request.home_agent, request.care_of_address),
        (MOBILE, HOME_AGENT, AGENT_2)
    );
    assert_eq!((request.lifetime_s, request.identification.seconds()), (1800, 5));
    assert_eq!(hear(&mut node, seconds(5.17), CELL_2, AGENT_2).packets, [], "once is enough");

    let done = answer(&mut node, seconds(5.2), &request, ReplyCode::ACCEPTED);
    assert_eq!(done.signals, [Signal::Registered]);
    let again = answer(&mut node, seconds(5.2), &request, ReplyCode::ACCEPTED);
    assert_eq!((again.signals, again.events), (vec![], vec![]), "answered already");
}

/// RFC 5944 section 3.6.3: after one second, then twice as long each time, each with a new identification.
#[test]
fn lost_requests_are_sent_again_with_back_off() {
    let mut node = node(Some(config()));
    let first = hear(&mut node, seconds(11.0), CELL_1, AGENT_2).request();
    let again: Vec<(Instant, RegistrationRequest)> =
        wake_until(&mut node, seconds(45.0)).into_iter().map(|(at, caused)| (at, caused.request())).collect();
    let times: Vec<Instant> = again.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [12.0, 14.0, 18.0, 26.0, 42.0].map(seconds));
    let mut newest = first;
    for (_, request) in again {
        assert!(request.identification > newest.identification);
        assert_eq!(RegistrationRequest { identification: newest.identification, ..request }, newest);
        newest = request;
    }
    let late = answer(&mut node, seconds(45.0), &first, ReplyCode::ACCEPTED);
    assert_eq!(late.signals, [Signal::Registered], "whole seconds apart, the low halves agree");
    assert!(
        late.mobility()
            .contains(&MobilityEvent::RegistrationAccepted { care_of_address: AGENT_2, after_move: true })
    );
}

#[test]
fn a_reply_after_another_move_is_stale() {
    let mut node = node(Some(config()));
    let old = hear(&mut node, seconds(5.01), CELL_2, AGENT_2).request();
    let new = hear(&mut node, seconds(10.02), CELL_1, AGENT_1).request();
    let stale = answer(&mut node, seconds(10.03), &old, ReplyCode::ACCEPTED);
    assert_eq!((stale.signals, stale.events), (vec![], vec![]));
    let done = answer(&mut node, seconds(10.04), &new, ReplyCode::ACCEPTED);
    assert_eq!(done.signals, [Signal::Registered], "although it never was elsewhere, as far as it knows");
    assert_eq!(
        done.mobility(),
        [MobilityEvent::RegistrationAccepted { care_of_address: AGENT_1, after_move: true }]
    );
}

/// Back to the first agent exactly two seconds after it was asked: the low halves of the two identifications, which are all that a
/// reply must repeat, agree.
#[test]
fn a_reply_to_an_earlier_move_is_stale_also_whole_seconds_later() {
    let step = |s, to| Move { at: Instant::from_secs(s), to };
    let moves = vec![step(5, CELL_2), step(6, CELL_1), step(7, CELL_2)];
    let movement = Movement::new(CELL_1, moves, Duration::ZERO).expect("in order");
    let mut node = following(movement, Some(config()));
    let old = hear(&mut node, seconds(5.5), CELL_2, AGENT_2).request();
    hear(&mut node, seconds(6.25), CELL_1, AGENT_1);
    let new = hear(&mut node, seconds(7.5), CELL_2, AGENT_2).request();
    assert_eq!((old.identification.low(), old.care_of_address), (new.identification.low(), AGENT_2));
    let late = answer_by(&mut node, seconds(7.6), CELL_2, &old);
    assert_eq!((late.signals, late.events), (vec![], vec![]));
    let done = answer_by(&mut node, seconds(7.7), CELL_2, &new);
    assert_eq!(done.signals, [Signal::Registered]);
}

/// It turns away again before the answer, which comes over the old link; later it is back where it asked.
#[test]
fn an_answer_on_the_way_elsewhere_is_for_an_earlier_move() {
    let step = |s, to| Move { at: Instant::from_secs(s), to };
    let moves = vec![step(5, CELL_2), step(10, CELL_1)];
    let movement = Movement::new(CELL_1, moves, Duration::from_secs(1)).expect("in order");
    let movement = movement.with_old_links(|_, until| until + Duration::from_secs(3));
    let mut node = following(movement, Some(config()));
    let asked = hear(&mut node, seconds(6.5), CELL_2, AGENT_2).request();
    let late = answer_by(&mut node, seconds(10.5), CELL_2, &asked);
    assert_eq!(late.signals, []);
    let expected = MobilityEvent::RegistrationAccepted { care_of_address: AGENT_2, after_move: false };
    assert!(late.mobility().contains(&expected), "{late:?}");
    let asked = hear(&mut node, seconds(11.5), CELL_1, AGENT_1).request();
    assert_eq!(answer(&mut node, seconds(11.6), &asked, ReplyCode::ACCEPTED).signals, [Signal::Registered]);
}

#[test]
fn after_a_refusal_it_asks_again() {
    let mut node = node(Some(config()));
    let request = hear(&mut node, seconds(5.5), CELL_2, AGENT_2).request();
    let refused = answer(&mut node, seconds(5.6), &request, ReplyCode::IDENTIFICATION_MISMATCH);
    assert_eq!((refused.signals.len(), refused.packets.len()), (0, 0), "not at once");
    let code = ReplyCode::IDENTIFICATION_MISMATCH;
    assert_eq!(refused.mobility(), [MobilityEvent::RegistrationRefused { code }]);
    assert_eq!(node.wake_at(), Some(seconds(6.5)));

    let shorter = RegistrationRequest { lifetime_s: 60, ..request };
    let refused = answer(&mut node, seconds(5.7), &shorter, ReplyCode::LIFETIME_TOO_LONG);
    let again = refused.request();
    assert_eq!(again.lifetime_s, 60, "what the agent can do");
    assert!(again.identification > request.identification);
}

#[test]
fn a_registration_is_renewed_before_it_runs_out() {
    let mut node = node(Some(Setup { registration_lifetime_s: 100, ..config() }));
    let woken = wake_until(&mut node, seconds(50.0));
    let due: Vec<Instant> = woken.iter().map(|(at, _)| *at).collect();
    assert_eq!(due, [5.0, 10.0, 50.0].map(seconds));
    let renewed = answer(&mut node, seconds(50.1), &woken[2].1.request(), ReplyCode::ACCEPTED);
    assert_eq!(renewed.signals, [], "it has not moved");
    let expected = MobilityEvent::RegistrationAccepted { care_of_address: AGENT_1, after_move: false };
    assert_eq!(renewed.mobility(), [expected]);
    let mut forever = self::node(Some(Setup { registration_lifetime_s: u16::MAX, ..config() }));
    wake_until(&mut forever, seconds(10.0));
    assert_eq!(forever.wake_at(), None);
}

#[test]
fn lazy_detection_waits_until_the_old_agent_has_run_out() {
    let detection = MovementDetection::Lazy;
    let mut node = node(Some(Setup { movement_detection: detection, ..config() }));
    hear(&mut node, seconds(4.95), CELL_1, AGENT_1);
    assert_eq!(hear(&mut node, seconds(5.05), CELL_2, AGENT_2).signals, [], "good until 5.95 s");
    assert_eq!(hear(&mut node, seconds(5.94), CELL_2, AGENT_2).signals, []);
    assert_eq!(hear(&mut node, seconds(5.96), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
}

#[test]
fn at_home_it_deregisters() {
    let mut node = node(Some(config()));
    let request = hear(&mut node, seconds(5.5), CELL_2, HOME_AGENT).request();
    assert_eq!((request.lifetime_s, request.care_of_address), (0, MOBILE));
    let done = answer(&mut node, seconds(5.6), &request, ReplyCode::ACCEPTED);
    assert_eq!(done.signals, [Signal::Registered]);
    wake_until(&mut node, seconds(10.0));
    assert_eq!(node.wake_at(), None, "nothing to renew");
}

#[test]
fn link_up_means_something_only_where_it_makes_the_node_reachable() {
    let up = Signal::LinkUp { rate: None, round_trip_time: None };
    let going = Signal::LinkGoingDown { within: Duration::from_secs(1) };
    let triggers = Some(Setup { layer_2_triggers: true, ..config() });
    for (mobile_ip, passes, asks) in [(None, true, 0), (Some(config()), false, 0), (triggers, false, 1)] {
        let mut node = node(mobile_ip);
        for signal in [going, Signal::LinkDown] {
            assert_eq!(step(&mut node, seconds(1.0), Input::Signal(signal)).signals, [signal]);
        }
        let caused = step(&mut node, seconds(5.0), Input::Signal(up));
        assert_eq!((caused.signals.len(), caused.packets.len()), (usize::from(passes), asks));
        for (port, to, message) in caused.messages() {
            let cell = MobileNode::cell_port(CELL_2);
            assert_eq!((port, to, message), (cell, NodeId::ALL_ROUTERS, Control::AgentSolicitation));
        }
    }
}

fn signal(node: &mut MobileNode, now: Instant, signal: Signal) -> Vec<Signal> {
    step(node, now, Input::Signal(signal)).signals
}

const UP: Signal = Signal::LinkUp { rate: None, round_trip_time: None };

/// The host has heard that its link went down; a node that is back before it knew of another agent has moved nowhere,
/// but the host must hear that the link is up.
#[test]
fn a_link_that_comes_back_to_the_same_agent_is_news() {
    let mut node = node(Some(config()));
    assert_eq!(signal(&mut node, seconds(5.0), Signal::LinkDown), [Signal::LinkDown]);
    assert_eq!(signal(&mut node, seconds(5.0), UP), []);
    assert_eq!(signal(&mut node, seconds(10.0), Signal::LinkDown), [Signal::LinkDown]);
    assert_eq!(signal(&mut node, seconds(10.0), UP), [], "not before it is known where it is up");
    let heard = hear(&mut node, seconds(10.06), CELL_1, AGENT_1);
    assert_eq!((heard.signals, heard.packets), (vec![UP], vec![]), "nothing to register");
    assert_eq!(hear(&mut node, seconds(10.16), CELL_1, AGENT_1).signals, [], "once is enough");
}

/// One move is reported once, and not before the node can register what TCP tells the far end to send to it.
#[test]
fn with_layer_2_triggers_a_move_is_reported_once() {
    let mut node = node(Some(Setup { layer_2_triggers: true, ..config() }));
    assert_eq!(signal(&mut node, seconds(5.0), Signal::LinkDown), [Signal::LinkDown]);
    let up = step(&mut node, seconds(5.0), Input::Signal(UP));
    assert_eq!((up.signals.len(), up.messages().len()), (0, 1), "it asks");
    let heard = hear(&mut node, seconds(5.01), CELL_2, AGENT_2);
    assert_eq!(heard.signals, [Signal::MovementDetected]);
    assert_eq!(heard.request().care_of_address, AGENT_2);
    assert_eq!(hear(&mut node, seconds(5.1), CELL_2, AGENT_2).signals, []);
    signal(&mut node, seconds(10.0), Signal::LinkDown);
    signal(&mut node, seconds(10.0), UP);
    assert_eq!(hear(&mut node, seconds(10.01), CELL_2, AGENT_2).signals, [UP]);
}

/// Of a link that is up and means a move, or is down again, nobody hears later.
#[test]
fn a_link_up_is_kept_back_no_longer_than_until_the_move_is_detected() {
    let mut node = node(Some(config()));
    signal(&mut node, seconds(5.0), Signal::LinkDown);
    signal(&mut node, seconds(5.0), UP);
    assert_eq!(hear(&mut node, seconds(5.05), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
    assert_eq!(hear(&mut node, seconds(5.15), CELL_2, AGENT_2).signals, []);
    signal(&mut node, seconds(8.9), Signal::LinkDown);
    signal(&mut node, seconds(9.0), UP);
    signal(&mut node, seconds(9.1), Signal::LinkDown);
    assert_eq!(hear(&mut node, seconds(9.2), CELL_2, AGENT_2).signals, [], "it is down");
}

/// The link layer reports one or both links of a handover after an advertisement has shown it. The next handover is reported
/// to the host again.
#[test]
fn late_news_of_a_handover_that_is_known_is_none() {
    let passes_on_the_next = |node: &mut MobileNode| {
        assert_eq!(signal(node, seconds(10.0), Signal::LinkDown), [Signal::LinkDown]);
        assert_eq!(signal(node, seconds(10.0), UP), []);
        assert_eq!(hear(node, seconds(10.1), CELL_1, AGENT_1).signals, [Signal::MovementDetected]);
    };
    let mut late_up = node(Some(config()));
    assert_eq!(signal(&mut late_up, seconds(5.01), Signal::LinkDown), [Signal::LinkDown]);
    assert_eq!(hear(&mut late_up, seconds(5.05), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
    assert_eq!(signal(&mut late_up, seconds(5.1), UP), []);
    assert_eq!(hear(&mut late_up, seconds(5.15), CELL_2, AGENT_2).signals, [], "not registered yet");
    passes_on_the_next(&mut late_up);

    let mut late_both = node(Some(config()));
    assert_eq!(hear(&mut late_both, seconds(5.05), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
    assert_eq!(signal(&mut late_both, seconds(5.1), Signal::LinkDown), []);
    assert_eq!(signal(&mut late_both, seconds(5.1), UP), []);
    assert_eq!(hear(&mut late_both, seconds(5.15), CELL_2, AGENT_2).signals, [], "not registered yet");
    passes_on_the_next(&mut late_both);
}

/// With lazy detection another agent says nothing of where the link is up while the present one may still be there.
#[test]
fn a_link_up_waits_for_the_present_agent() {
    let lazy = Setup { movement_detection: MovementDetection::Lazy, ..config() };
    let mut node = node(Some(lazy));
    hear(&mut node, seconds(4.95), CELL_1, AGENT_1);
    signal(&mut node, seconds(5.0), Signal::LinkDown);
    signal(&mut node, seconds(5.0), UP);
    assert_eq!(hear(&mut node, seconds(5.05), CELL_2, AGENT_2).signals, []);
    assert_eq!(hear(&mut node, seconds(5.96), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
}

/// While the node is in no cell, its requests are not sent.
#[test]
fn what_is_not_sent_is_not_recorded_as_requested() {
    let moves = vec![Move { at: Instant::from_secs(5), to: CELL_2 }];
    let movement = Movement::new(CELL_1, moves, Duration::from_secs(2)).expect("in order");
    let mut node = following(movement, Some(config()));
    hear(&mut node, seconds(4.5), CELL_1, AGENT_2).request();
    let woken = wake_until(&mut node, seconds(8.0));
    let asked = |caused: &Caused| {
        let is_request = |it: &MobilityEvent| matches!(it, MobilityEvent::RegistrationRequested { .. });
        (caused.mobility().iter().filter(|it| is_request(it)).count(), caused.packets.len())
    };
    let all: Vec<(Instant, (usize, usize))> = woken.iter().map(|(at, caused)| (*at, asked(caused))).collect();
    let expected = [(5.0, (0, 0)), (5.5, (0, 0)), (7.0, (0, 0)), (7.5, (1, 1))];
    assert_eq!(all, expected.map(|(s, counts)| (seconds(s), counts)));
}

#[test]
fn data_goes_by_the_cell_the_node_is_in() {
    let moves = vec![Move { at: Instant::from_secs(5), to: CELL_2 }];
    let movement = Movement::new(CELL_1, moves, Duration::from_millis(200)).expect("in order");
    let mut node = following(movement, None);
    let mut sent_by = |s| {
        let caused = deliver(&mut node, seconds(s), MobileNode::HOST, data(MOBILE, SENDER));
        assert!(caused.packets.len() == 1 || caused.drops() == [DropCause::LinkDown]);
        caused.packets.first().map(|(port, _)| *port)
    };
    assert_eq!(sent_by(4.999), Some(Port(1)));
    assert_eq!((sent_by(5.0), sent_by(5.199)), (None, None));
    assert_eq!(sent_by(5.2), Some(Port(2)));
    let down = deliver(&mut node, seconds(6.0), MobileNode::cell_port(CELL_2), data(SENDER, MOBILE));
    assert_eq!(down.packets, [(MobileNode::HOST, data(SENDER, MOBILE))]);
}

/// Messages between agents have the addresses of hosts, and are passed on, out of the tunnel, to an agent behind the node.
#[test]
fn messages_between_agents_pass() {
    let mut node = node(Some(config()));
    let message = RecoveryMessage {
        about: MissingBytes::LostByCongestion,
        mobile_port: TransportPort(5001),
        fixed_port: TransportPort(35_001),
        ranges: SequenceRanges::default(),
    };
    let packet = carrying(SENDER, NodeId(77), Control::Recovery(message));
    let mut tunnelled = packet.clone();
    assert!(tunnelled.encapsulate(Tunnel { entry: HOME_AGENT, exit: MOBILE }));
    let caused = deliver(&mut node, seconds(1.0), MobileNode::cell_port(CELL_1), tunnelled);
    assert_eq!(caused.packets, [(MobileNode::HOST, packet)]);
}

/// From cell 1 to cell 2 at 5 s, there at 5.2 s; the old link lasts until 5.5 s.
fn with_two_links(mobile_ip: Option<Setup>) -> MobileNode {
    let moves = vec![Move { at: Instant::from_secs(5), to: CELL_2 }];
    let movement = Movement::new(CELL_1, moves, Duration::from_millis(200)).expect("in order");
    let movement = movement.with_old_links(|_, until| until + Duration::from_millis(500));
    following(movement, mobile_ip)
}

fn sent_by(node: &mut MobileNode, s: f64) -> Port {
    let caused = deliver(node, seconds(s), MobileNode::HOST, data(MOBILE, SENDER));
    let [(port, _)] = &caused.packets[..] else { panic!("{caused:?}") };
    *port
}

#[test]
fn with_two_links_data_goes_by_the_old_one_until_the_new_one_is_in_force() {
    let [old, new] = [CELL_1, CELL_2].map(MobileNode::cell_port);
    let mut ideal = with_two_links(None);
    assert_eq!([4.9, 5.1, 5.3].map(|s| sent_by(&mut ideal, s)), [old, old, new]);
    let mut never_registered = with_two_links(Some(config()));
    assert_eq!([5.1, 5.3, 5.49, 5.5].map(|s| sent_by(&mut never_registered, s)), [old, old, old, new]);

    let mut node = with_two_links(Some(config()));
    let heard = hear(&mut node, seconds(5.3), CELL_2, AGENT_2);
    assert_eq!(heard.messages()[0].0, new, "what sets up the new link goes there");
    assert_eq!(sent_by(&mut node, 5.35), old);
    answer(&mut node, seconds(5.4), &heard.request(), ReplyCode::ACCEPTED);
    assert_eq!(sent_by(&mut node, 5.45), old, "the reply came by the old link, so it was none");
    answer_by(&mut node, seconds(5.46), CELL_2, &heard.request());
    assert_eq!(sent_by(&mut node, 5.47), new);
}

fn answer_by(node: &mut MobileNode, now: Instant, cell: CellId, to: &RegistrationRequest) -> Caused {
    let reply = RegistrationReply {
        code: ReplyCode::ACCEPTED,
        lifetime_s: to.lifetime_s,
        home_address: to.home_address,
        home_agent: to.home_agent,
        identification: to.identification,
    };
    deliver(
        node,
        now,
        MobileNode::cell_port(cell),
        carrying(AGENT_2, MOBILE, Control::RegistrationReply(reply)),
    )
}

/// The registration is under way: that the same agent advertises once more says nothing of it.
#[test]
fn with_two_links_a_second_advertisement_puts_nothing_in_force() {
    let [old, new] = [CELL_1, CELL_2].map(MobileNode::cell_port);
    let mut node = with_two_links(Some(config()));
    let request = hear(&mut node, seconds(5.25), CELL_2, AGENT_2).request();
    hear(&mut node, seconds(5.3), CELL_2, AGENT_2);
    assert_eq!(sent_by(&mut node, 5.35), old);
    answer_by(&mut node, seconds(5.4), CELL_2, &request);
    assert_eq!(sent_by(&mut node, 5.45), new);
    // Where it is the same agent on both sides there is nothing to register.
    let mut same = with_two_links(Some(config()));
    hear(&mut same, seconds(5.25), CELL_2, AGENT_1);
    assert_eq!(sent_by(&mut same, 5.3), new);
}

/// The advertisements of the old cell are still heard, and would else lead the node back and forth.
#[test]
fn with_two_links_the_old_agent_is_no_news() {
    let mut node = with_two_links(Some(config()));
    assert_eq!(signal(&mut node, seconds(5.2), UP), []);
    assert_eq!(hear(&mut node, seconds(5.25), CELL_1, AGENT_1).signals, []);
    assert_eq!(hear(&mut node, seconds(5.3), CELL_2, AGENT_2).messages().len(), 1);
    let old = hear(&mut node, seconds(5.35), CELL_1, AGENT_1);
    assert_eq!((old.signals, old.packets), (vec![], vec![]));
}

#[test]
fn an_old_link_is_reported_only_until_another_is_known() {
    let going = Signal::LinkGoingDown { within: Duration::from_millis(100) };
    let mut ideal = with_two_links(None);
    assert_eq!(signal(&mut ideal, seconds(5.2), UP), [Signal::LinkHandoverComplete]);
    assert_eq!(signal(&mut ideal, seconds(5.4), going), []);
    assert_eq!(signal(&mut ideal, seconds(5.5), Signal::LinkDown), []);
    assert_eq!(signal(&mut ideal, seconds(6.0), going), [going], "the next handover");
    assert_eq!(signal(&mut ideal, seconds(6.1), Signal::LinkDown), [Signal::LinkDown]);

    let mut slow = with_two_links(Some(config()));
    assert_eq!(signal(&mut slow, seconds(5.2), UP), []);
    assert_eq!(signal(&mut slow, seconds(5.4), going), [going]);
    assert_eq!(signal(&mut slow, seconds(5.5), Signal::LinkDown), [Signal::LinkDown], "data is cut off");
    assert_eq!(hear(&mut slow, seconds(5.6), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);

    let mut fast = with_two_links(Some(config()));
    assert_eq!(signal(&mut fast, seconds(5.2), UP), []);
    let request = hear(&mut fast, seconds(5.3), CELL_2, AGENT_2).request();
    assert_eq!(answer_by(&mut fast, seconds(5.35), CELL_2, &request).signals, [Signal::Registered]);
    assert_eq!(signal(&mut fast, seconds(5.4), going), []);
    assert_eq!(signal(&mut fast, seconds(5.5), Signal::LinkDown), []);
    assert_eq!(woken_to(&mut fast, 9.0), []);
}

fn woken_to(node: &mut MobileNode, s: f64) -> Vec<(Instant, Vec<Signal>)> {
    let woken = wake_until(node, seconds(s)).into_iter().map(|(at, caused)| (at, caused.signals));
    woken.filter(|(_, signals)| !signals.is_empty()).collect()
}

/// With two links it is a move only when the old one ends before the new one is registered, and then it is at that time.
#[test]
fn with_two_links_a_move_is_reported_when_the_old_one_ends() {
    let going = Signal::LinkGoingDown { within: Duration::from_millis(100) };
    let mut node = with_two_links(Some(config()));
    assert_eq!(signal(&mut node, seconds(5.2), UP), []);
    let heard = hear(&mut node, seconds(5.3), CELL_2, AGENT_2);
    assert_eq!(heard.signals, []);
    assert_eq!(signal(&mut node, seconds(5.4), going), [going], "what is addressed to it comes by that link");
    assert_eq!(woken_to(&mut node, 5.8), [(seconds(5.5), vec![Signal::MovementDetected])]);
    assert_eq!(signal(&mut node, seconds(5.8), Signal::LinkDown), [], "reported late, and known");
    let answered = answer_by(&mut node, seconds(5.9), CELL_2, &heard.request());
    assert_eq!(answered.signals, [Signal::Registered]);
}

/// Rate and round-trip time are known when the link is up, whatever a protocol still has to find out; a move is still
/// reported once.
#[test]
fn parameters_of_a_new_link_are_reported_at_once() {
    let rate = Some(Rate::from_megabits_per_second(11));
    let round_trip_time = Some(Duration::from_millis(25));
    let up = Signal::LinkUp { rate, round_trip_time };
    let report = Signal::LinkParametersReport { rate, round_trip_time };
    let mut ideal = node(None);
    signal(&mut ideal, seconds(5.0), Signal::LinkDown);
    assert_eq!(signal(&mut ideal, seconds(5.0), up), [up]);
    let mut node = node(Some(config()));
    signal(&mut node, seconds(5.0), Signal::LinkDown);
    assert_eq!(signal(&mut node, seconds(5.0), up), [report]);
    assert_eq!(hear(&mut node, seconds(5.05), CELL_2, AGENT_2).signals, [Signal::MovementDetected]);
}
