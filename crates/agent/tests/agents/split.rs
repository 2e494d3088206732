//! Split connections, packet by packet: what each host gets from the agent in place of the other.

use crate::support::{Script, Sent, ack, data, syn};
use seamline_agent::{Handshake, Limits, Parameters, SplitParameters, find};
use seamline_wire::{Flags, Segment, SequenceNumber};

fn with(split: SplitParameters, limits: Limits) -> Script {
    let parameters = Parameters { split, limits, ..Parameters::default() };
    Script::new(find("split").unwrap().build(&parameters))
}
fn split() -> Script {
    with(SplitParameters::default(), Limits::default())
}
fn far_side_first() -> Script {
    let split = SplitParameters { handshake: Handshake::FarSideFirst, ..SplitParameters::default() };
    with(split, Limits::default())
}

/// Memory for the least windows of one connection, and not for those of two.
fn room_for_one() -> Limits {
    Limits { bytes: 10_000, ..Limits::default() }
}

/// A host that knows nothing but segments of 1000 bytes.
fn plain_syn(sequence: u32) -> Sent {
    let mut sent = syn(sequence).window(60_000);
    sent.0.maximum_segment_size = Some(1000);
    sent
}
fn syn_ack(sequence: u32, acknowledgment: u32) -> Sent {
    plain_syn(sequence).acknowledging(acknowledgment).flags(Flags::SYN | Flags::ACK)
}

fn one(segments: Vec<Segment>) -> Segment {
    let [segment] = segments[..] else { panic!("not one: {segments:?}") };
    segment
}

/// The fixed host has opened from 100, the mobile host has answered from 500; returns the number of the agent's own SYN.
fn open(script: &mut Script) -> u32 {
    script.wired(plain_syn(100));
    let [to_fixed, _] = script.sent_by_side();
    let own = one(to_fixed).sequence.0;
    script.wired(data(101, 0).acknowledging(own.wrapping_add(1)));
    script.wireless(syn_ack(500, 101));
    script.sent_by_side();
    own
}

/// Each host is answered with the address and port of the other, and neither waits for it.
#[test]
fn a_connection_becomes_two() {
    let mut script = split();
    script.at(1).wired(plain_syn(100));
    let [to_fixed, to_mobile] = script.sent_by_side();
    let (answer, question) = (one(to_fixed), one(to_mobile));
    assert_eq!((answer.flags, answer.acknowledgment), (Flags::SYN | Flags::ACK, SequenceNumber(101)));
    assert_eq!((question.flags, question.sequence), (Flags::SYN, SequenceNumber(100)));
    // Data is taken in before the mobile host has answered, and goes to it when it has.
    let next = answer.sequence.0.wrapping_add(1);
    script.wired(data(101, 1000).acknowledging(next)).is_quiet();
    script.wired(data(1101, 1000).acknowledging(next));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!((one(to_fixed).acknowledgment, to_mobile.len()), (SequenceNumber(2101), 0));
    script.at(30).wireless(syn_ack(500, 101));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!(to_fixed, []);
    let numbers: Vec<_> =
        to_mobile.iter().map(|it| (it.sequence.0, it.length, it.acknowledgment.0)).collect();
    assert_eq!(numbers, [(101, 1000, 501), (1101, 1000, 501)]);
    assert_eq!(script.counters().split, 1);
}

/// A loss on the air is the agent's to repair; the fixed host hears nothing of it.
#[test]
fn losses_on_the_air_stay_there() {
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    let mut counts = [0, 0];
    for n in 0..10 {
        script.wired(data(101 + n * 1000, 1000).acknowledging(next));
        let [to_fixed, to_mobile] = script.sent_by_side();
        counts = [counts[0] + to_fixed.len(), counts[1] + to_mobile.len()];
    }
    assert_eq!(counts, [5, 10]);
    let mut again = Vec::new();
    for _ in 0..4 {
        script.wireless(ack_from_mobile(1101));
        let [to_fixed, to_mobile] = script.sent_by_side();
        assert_eq!(to_fixed, []);
        again.extend(to_mobile.iter().map(|it| it.sequence.0));
    }
    assert_eq!(again, [1101]);
}

fn ack_from_mobile(acknowledgment: u32) -> Sent {
    data(501, 0).acknowledging(acknowledgment).window(60_000)
}

/// What the mobile host has not acknowledged fills the buffer, and closes the window that the fixed host sees.
#[test]
fn a_full_buffer_closes_the_window() {
    let split = SplitParameters { buffer: Some(4000), ..SplitParameters::default() };
    let mut script = with(split, Limits::default());
    let next = open(&mut script).wrapping_add(1);
    let mut windows = Vec::new();
    for n in 0..4 {
        script.wired(data(101 + n * 1000, 1000).acknowledging(next));
        let [to_fixed, _] = script.sent_by_side();
        windows.extend(to_fixed.iter().map(|it| it.window));
    }
    assert_eq!(windows, [2000, 0]);
    script.at(50).wireless(ack_from_mobile(2101));
    let [to_fixed, _] = script.sent_by_side();
    assert_eq!(one(to_fixed).window, 2000);
    script.at(60).wireless(ack_from_mobile(4101));
    let [to_fixed, _] = script.sent_by_side();
    assert_eq!(one(to_fixed).window, 4000);
}

/// A FIN follows the last byte, and the other direction stays open.
#[test]
fn a_half_close_goes_on_after_the_bytes() {
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    script.wired(data(101, 1000).acknowledging(next).flags(Flags::ACK | Flags::FIN));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!(one(to_fixed).acknowledgment, SequenceNumber(1102));
    let fin = to_mobile.last().expect("something leaves");
    assert!(fin.flags.contains(Flags::FIN) && fin.end() == SequenceNumber(1102), "{to_mobile:?}");
    // The mobile host goes on sending.
    script.at(20).wireless(data(501, 500).acknowledging(1102));
    let [to_fixed, _] = script.sent_by_side();
    let onwards = one(to_fixed);
    assert_eq!((onwards.sequence.0, onwards.length), (next, 500));
}

/// A reset of one host is one for the other, with a number that it takes.
#[test]
fn resets_go_on() {
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    script.wireless(data(501, 0).flags(Flags::RST));
    let [to_fixed, to_mobile] = script.sent_by_side();
    let reset = one(to_fixed);
    assert!(reset.flags.contains(Flags::RST) && to_mobile.is_empty());
    assert_eq!(reset.sequence.0, next);
    // What is late is answered here: to the mobile host it would be of another connection.
    script.at(1000).wired(data(101, 1000).acknowledging(next));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert!(one(to_fixed).flags.contains(Flags::RST) && to_mobile.is_empty());
    script.pass(241_000).wired(data(101, 1000).acknowledging(next)).onwards();
    // One that is not exactly the next byte is challenged (RFC 5961), and ends nothing.
    let mut script = split();
    open(&mut script);
    script.wireless(data(600, 0).flags(Flags::RST));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!((to_fixed.len(), one(to_mobile).flags), (0, Flags::ACK));
}

/// The agent has answered already when the mobile host refuses.
#[test]
fn a_refusal_resets_what_was_open() {
    let mut script = split();
    script.wired(plain_syn(100));
    script.sent_by_side();
    script.wireless(data(0, 0).acknowledging(101).flags(Flags::RST | Flags::ACK));
    let [to_fixed, _] = script.sent_by_side();
    assert!(one(to_fixed).flags.contains(Flags::RST));
}

/// With the far side first the host that opens waits, and gets the numbers of the other host, or its refusal.
#[test]
fn the_far_side_may_answer_first() {
    let mut script = far_side_first();
    script.wired(plain_syn(100));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!((to_fixed.len(), one(to_mobile).sequence.0), (0, 100));
    script.at(50).wired(plain_syn(100)).ends_here();
    script.at(60).wireless(syn_ack(500, 101));
    let [to_fixed, to_mobile] = script.sent_by_side();
    let answer = one(to_fixed);
    assert_eq!(
        (answer.flags, answer.sequence.0, answer.acknowledgment.0),
        (Flags::SYN | Flags::ACK, 500, 101)
    );
    assert_eq!(one(to_mobile).acknowledgment.0, 501);

    let mut script = far_side_first();
    script.wired(plain_syn(100));
    script.sent_by_side();
    script.wireless(data(0, 0).acknowledging(101).flags(Flags::RST | Flags::ACK));
    let [to_fixed, _] = script.sent_by_side();
    let refusal = one(to_fixed);
    assert_eq!((refusal.flags, refusal.acknowledgment.0), (Flags::RST | Flags::ACK, 101));
}

/// Each side agrees on options of its own.
#[test]
fn options_are_agreed_on_by_side() {
    let mut script = split();
    script.wired(plain_syn(100));
    let [to_fixed, to_mobile] = script.sent_by_side();
    let (answer, question) = (one(to_fixed), one(to_mobile));
    assert_eq!((answer.window_scale, answer.timestamps), (None, None));
    assert!(question.window_scale.is_some() && question.timestamps.is_some());
    assert_eq!(question.maximum_segment_size, Some(1460));
}

/// What began before, or finds no room, passes as it is, and so does the rest of it.
#[test]
fn what_cannot_be_split_passes() {
    let mut script = split();
    script.wired(data(5000, 1000)).onwards().wireless(ack(6000)).onwards();
    script.wired(data(6000, 0).flags(Flags::RST)).onwards();

    let mut script = with(SplitParameters::default(), room_for_one());
    open(&mut script);
    let other = |script: &mut Script| {
        for sent in [plain_syn(100), plain_syn(100), data(101, 10)] {
            script.fixed_port(81).wired(sent).onwards();
        }
    };
    other(&mut script);
    assert_eq!((script.counters().split, script.counters().unknown), (1, 3));
    // The first one is reset, and there is room; but the second has begun.
    script.fixed_port(80).wireless(data(501, 0).flags(Flags::RST));
    script.sent_by_side();
    other(&mut script);
    script.fixed_port(82).wired(plain_syn(100));
    script.sent_by_side();
    assert_eq!(script.counters().split, 2);
}

/// Forgotten for its long silence, a connection is reset at both ends: neither could go on without the agent.
#[test]
fn what_is_forgotten_is_reset() {
    let limits = Limits { idle: seamline_wire::Duration::from_secs(100), ..Limits::default() };
    let mut script = with(SplitParameters::default(), limits);
    open(&mut script);
    script.pass(99_000).is_quiet().pass(101_000);
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert!(one(to_fixed).flags.contains(Flags::RST) && one(to_mobile).flags.contains(Flags::RST));
    assert_eq!(script.counters().expired, 1);
}

/// All memory is given back when both directions have ended.
#[test]
fn memory_is_given_back() {
    let mut script = with(SplitParameters::default(), room_for_one());
    let next = open(&mut script).wrapping_add(1);
    script.wired(data(101, 0).acknowledging(next).flags(Flags::ACK | Flags::FIN));
    script.sent_by_side();
    script.wireless(data(501, 0).acknowledging(102).flags(Flags::ACK | Flags::FIN));
    script.sent_by_side();
    script.wired(data(102, 0).acknowledging(next.wrapping_add(1)));
    script.sent_by_side();
    script.fixed_port(81).wired(plain_syn(100));
    script.sent_by_side();
    assert_eq!(script.counters().split, 2);
}

/// Close both directions, the fixed host first; its side of the agent is done, that of the mobile host waits.
fn close(script: &mut Script, own: u32) {
    let next = own.wrapping_add(1);
    script.wired(data(101, 0).acknowledging(next).flags(Flags::ACK | Flags::FIN));
    script.sent_by_side();
    script.wireless(data(501, 0).acknowledging(101).flags(Flags::ACK | Flags::FIN));
    script.sent_by_side();
    script.wired(data(102, 0).acknowledging(next.wrapping_add(1)));
    script.sent_by_side();
}

/// The same ports may be used again when the old connection is over at both ends; until then a SYN waits.
#[test]
fn a_connection_may_follow_another() {
    let mut script = split();
    let own = open(&mut script);
    close(&mut script, own);
    // The mobile host has not acknowledged the FIN of the fixed host yet.
    script.at(10).wired(plain_syn(9000)).ends_here();
    script.at(20).wireless(data(502, 0).acknowledging(102)).ends_here();
    script.at(30).wired(plain_syn(9000));
    let [to_fixed, to_mobile] = script.sent_by_side();
    assert_eq!((one(to_fixed).acknowledgment.0, one(to_mobile).sequence.0), (9001, 9000));
    assert_eq!(script.counters().split, 2);
}

/// A SYN that comes again is answered again; another one from a host that has begun again replaces what was not open.
#[test]
fn a_syn_may_come_again() {
    let mut script = split();
    script.wired(plain_syn(100));
    let [first, _] = script.sent_by_side();
    script.at(500).wired(plain_syn(100));
    let [again, to_mobile] = script.sent_by_side();
    assert_eq!((one(first).sequence, to_mobile), (one(again).sequence, vec![]));
    script.at(600).wired(plain_syn(7000));
    let [to_fixed, to_mobile] = script.sent_by_side();
    let answers = |it: &&Segment| it.flags.contains(Flags::SYN) && it.acknowledgment.0 == 7001;
    assert_eq!(to_fixed.iter().filter(answers).count(), 1);
    assert_eq!(one(to_mobile).sequence.0, 7000);
}

/// What the agent knows goes to another base station: the bytes that wait, the numbers, the timers, the memory. What was under
/// way over the old air is sent again at once.
#[test]
fn a_connection_moves_with_the_mobile_host() {
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    script.wired(data(101, 1000).acknowledging(next));
    script.sent_by_side();
    let limits = Limits { bytes: 54_000, ..Limits::default() };
    let mut there = script.moves_to(with(SplitParameters::default(), limits), 300);
    let [to_fixed, to_mobile] = there.sent_by_side();
    assert_eq!(one(to_fixed).acknowledgment.0, 1101);
    assert_eq!((one(to_mobile.clone()).sequence.0, one(to_mobile).length), (101, 1000));
    // If that is lost, too, the timer goes on from here.
    there.pass(1299).is_quiet().pass(1301);
    let [_, to_mobile] = there.sent_by_side();
    assert_eq!(one(to_mobile).sequence.0, 101);
    there.at(1350).wireless(data(501, 700).acknowledging(1101)).pass(1350);
    let [to_fixed, _] = there.sent_by_side();
    let onwards: Vec<_> = to_fixed.iter().filter(|it| it.length > 0).collect();
    assert_eq!(onwards.len(), 1);
    assert_eq!((onwards[0].sequence.0, onwards[0].acknowledgment.0, onwards[0].length), (next, 1101, 700));
    // Its memory came along: there is no room for another one.
    there.fixed_port(81).wired(plain_syn(1)).onwards();
    script.fixed_port(80).at(2000).wired(data(1101, 10)).onwards();
}

/// What waits for an answer over the air is sent again at once wherever the mobile host is now, whatever it is; and what waits for
/// one of the fixed host, so that it says how far it is.
#[test]
fn after_a_move_everything_goes_on_at_once() {
    // A SYN.
    let mut script = split();
    script.wired(plain_syn(100));
    script.sent_by_side();
    let mut there = script.moves_to(split(), 300);
    let [to_fixed, to_mobile] = there.sent_by_side();
    assert!(one(to_mobile).flags.contains(Flags::SYN) && one(to_fixed).flags.contains(Flags::SYN));

    // A FIN.
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    script.wired(data(101, 0).acknowledging(next).flags(Flags::ACK | Flags::FIN));
    script.sent_by_side();
    let mut there = script.moves_to(split(), 300);
    let [_, to_mobile] = there.sent_by_side();
    assert!(one(to_mobile).flags.contains(Flags::FIN));

    // All of a window; of the other direction the first segment.
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    for n in 0..4 {
        script.wired(data(101 + n * 1000, 1000).acknowledging(next));
        script.sent_by_side();
        script.wireless(data(501 + n * 1000, 1000).acknowledging(101).window(60_000));
        script.sent_by_side();
    }
    let mut there = script.moves_to(split(), 300);
    let [to_fixed, to_mobile] = there.sent_by_side();
    let numbers = |sent: &[Segment]| -> Vec<u32> {
        sent.iter().filter(|it| it.length > 0).map(|it| it.sequence.0).collect()
    };
    assert_eq!((numbers(&to_mobile), numbers(&to_fixed)), (vec![101, 1101, 2101, 3101], vec![next]));

    // A probe of a closed window: whether it is open again was sent where the mobile host has left.
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    script.wireless(data(501, 0).acknowledging(101).window(0));
    script.wired(data(101, 1000).acknowledging(next));
    script.sent_by_side();
    let mut there = script.moves_to(split(), 300);
    let [_, to_mobile] = there.sent_by_side();
    assert_eq!((one(to_mobile.clone()).sequence.0, one(to_mobile).length), (101, 1));
    // What is at rest stays so.
    let mut script = split();
    open(&mut script);
    script.pass(5000).is_quiet();
    script.moves_to(split(), 5300).is_quiet();
}

/// Where there is no room for a connection that was split elsewhere, both hosts hear that it is gone.
#[test]
fn who_finds_no_room_after_a_move_is_reset() {
    for limits in [room_for_one(), Limits { connections: 0, ..Limits::default() }] {
        for rests in [false, true] {
            let mut script = split();
            let next = open(&mut script).wrapping_add(1);
            script.pass(if rests { 5000 } else { 10 }).is_quiet();
            let mut there = script.moves_to(with(SplitParameters::default(), limits), 5300);
            let [to_fixed, to_mobile] = there.sent_by_side();
            let [to_fixed, to_mobile] = [one(to_fixed), one(to_mobile)];
            assert!(to_fixed.flags.contains(Flags::RST) && to_mobile.flags.contains(Flags::RST));
            assert_eq!((to_fixed.sequence.0, to_mobile.sequence.0), (next, 101));
            there.knows_nothing();
            if limits.connections > 0 {
                // Its memory is free again.
                there.fixed_port(81).wired(plain_syn(1));
                there.sent_by_side();
                assert_eq!(there.counters().split, 1);
            }
        }
    }
}

/// What is offered grows with what comes, so that a sender in slow start never waits for it, up to the buffer; and as long as nothing
/// new comes it stays as it is, which tells duplicate acknowledgments from window updates.
#[test]
fn the_window_grows_with_what_comes() {
    let mut script = split();
    let next = open(&mut script).wrapping_add(1);
    let mut at = 101u32;
    let mut largest = 0;
    for n in 0..200u32 {
        script.at(u64::from(n) + 1).wired(data(at, 1000).acknowledging(next));
        let [mut to_fixed, _] = script.sent_by_side();
        at += 1000;
        script.wireless(data(501, 0).acknowledging(at).window(60_000));
        to_fixed.extend(script.sent_by_side()[0].iter());
        for answer in to_fixed {
            // A sender that doubles its window each round trip, from ten segments on.
            let (usable, acknowledged) = (u32::from(answer.window), answer.acknowledgment.0 - 101);
            assert!(usable >= (14_600 + acknowledged).min(60_000), "{usable} after {acknowledged}");
            largest = largest.max(usable);
        }
    }
    assert_eq!(largest, 65_535, "this host does not scale windows");
    // Something is overtaken by four others, which are answered alike.
    let windows: Vec<u16> = (1..5)
        .map(|n| {
            script.wired(data(at + n * 1000, 1000).acknowledging(next));
            let [to_fixed, _] = script.sent_by_side();
            one(to_fixed).window
        })
        .collect();
    assert!(windows.iter().all(|window| *window == windows[0]), "{windows:?}");
}

/// Some thousand connections fit into the memory of an agent, and the more there are the less each may be sent at once; what
/// is set aside for one that has ended is there for the next.
#[test]
fn thousands_fit() {
    let mut script = split();
    let mut windows = Vec::new();
    for port in 1..=4000 {
        script.fixed_port(port).wired(plain_syn(100));
        let [to_fixed, _] = script.sent_by_side();
        windows.push(one(to_fixed).window);
    }
    assert_eq!((windows[0], script.counters().split), (16_384, 4000));
    assert!(windows.is_sorted_by(|earlier, later| earlier >= later), "{windows:?}");
    let offered: u64 = windows.iter().map(|window| 2 * u64::from(*window)).sum();
    assert!((50_000_000..=64 << 20).contains(&offered), "{offered}");
}
