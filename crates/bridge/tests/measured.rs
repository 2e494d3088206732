//! What an engine measures of connections in passing, which no forged segment changes.

mod support;

use seamline_agent::{Limits, Losses, Measurements, Side};
use seamline_bridge::Engine;
use seamline_wire::{Duration, Flags, Histogram, Instant, SackBlock, Segment, SequenceNumber};
use support::*;

const FIXED: End = (1, 80);
const MOBILE: End = (2, 5000);
const LENGTH: u32 = 1000;

fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn frame(from: Side, segment: Segment, length: u32) -> Vec<u8> {
    let ends = if from == Side::Wired { [FIXED, MOBILE] } else { [MOBILE, FIXED] };
    ethernet(from, None, &packet(4, ends, segment, &vec![7; length as usize]))
}

/// A handshake of the mobile host. The server is 10 ms away from the agent, the mobile host 5 ms.
fn opened(mut engine: Engine) -> Engine {
    for (ms, from, segment) in [
        (0, Side::Wireless, segment(Flags::SYN, 6, 0)),
        (10, Side::Wired, segment(Flags::SYN | Flags::ACK, 0, 7)),
        (15, Side::Wireless, segment(Flags::ACK, 7, 1)),
    ] {
        pass(&mut engine, at(ms), from, &frame(from, segment, 0));
    }
    engine
}

fn data(engine: &mut Engine, ms: u64, number: u32) -> usize {
    let segment = segment(Flags::ACK, 1 + number * LENGTH, 7);
    pass(engine, at(ms), Side::Wired, &frame(Side::Wired, segment, LENGTH)).len()
}

fn acknowledge(engine: &mut Engine, ms: u64, number: u32, listed: Option<u32>) -> usize {
    let block = |number: u32| SackBlock {
        left: SequenceNumber(1 + number * LENGTH),
        right: SequenceNumber(1 + (number + 1) * LENGTH),
    };
    let acknowledgment = segment(Flags::ACK, 7, 1 + number * LENGTH);
    let segment = Segment { sack: listed.into_iter().map(block).collect(), ..acknowledgment };
    pass(engine, at(ms), Side::Wireless, &frame(Side::Wireless, segment, 0)).len()
}

/// The number and the sum, in milliseconds.
fn seen(histogram: &Histogram) -> (u64, u64) {
    (histogram.count(), histogram.sum().as_millis())
}

#[test]
fn a_handshake_shows_the_round_trips_of_both_sides_once_it_is_confirmed() {
    for kind in KINDS {
        let engine = opened(engine(kind));
        assert_eq!(engine.measurements().round_trips.map(|it| seen(&it)), [(1, 10), (1, 5)], "{kind}");
    }
    let mut unconfirmed = engine("snoop");
    for (ms, from, segment) in [
        (0, Side::Wireless, segment(Flags::SYN, 6, 0)),
        (10, Side::Wired, segment(Flags::SYN | Flags::ACK, 0, 7)),
        (15, Side::Wireless, segment(Flags::ACK, 7, 900)),
    ] {
        pass(&mut unconfirmed, at(ms), from, &frame(from, segment, 0));
    }
    assert_eq!(unconfirmed.measurements(), Measurements::default());
}

/// A SYN that comes twice may be answered either time.
#[test]
fn a_repeated_syn_shows_no_round_trip() {
    let mut engine = engine("snoop");
    let syn = frame(Side::Wired, segment(Flags::SYN, 0, 0), 0);
    // The agent takes a repeated SYN for that of a new connection; the answer only for one that comes twice itself.
    pass(&mut engine, at(0), Side::Wired, &syn);
    let answer = frame(Side::Wireless, segment(Flags::SYN | Flags::ACK, 6, 1), 0);
    pass(&mut engine, at(10), Side::Wireless, &answer);
    pass(&mut engine, at(1010), Side::Wireless, &answer);
    pass(&mut engine, at(1020), Side::Wired, &frame(Side::Wired, segment(Flags::ACK, 1, 7), 0));
    assert_eq!(engine.measurements().round_trips.map(|it| it.count())[Side::Wired.index()], 0);
}

#[test]
fn the_repair_of_the_agent_is_timed_and_in_a_dry_run_that_of_the_sender() {
    for (is_dry, expected) in [(false, [(1, 20), (0, 0)]), (true, [(0, 0), (1, 70)])] {
        let settings = settings("snoop", Limits::default());
        let mut engine = opened(Engine::new(seamline_bridge::Settings { is_dry, ..settings }));
        (0..6).for_each(|number| assert_eq!(data(&mut engine, 100, number), 1));
        acknowledge(&mut engine, 105, 1, None);
        let mut made = 0;
        for (ms, listed) in [(110, 2), (111, 3), (112, 4), (113, 5)] {
            made += acknowledge(&mut engine, ms, 1, Some(listed));
        }
        assert_eq!(engine.agent_counters().local_retransmissions, 1);
        if is_dry {
            assert_eq!((made, data(&mut engine, 170, 1)), (4, 1), "everything passes, and no more");
            acknowledge(&mut engine, 180, 6, None);
        } else {
            acknowledge(&mut engine, 130, 6, None);
        }
        let measured = engine.measurements();
        let repairs = [measured.repairs_by_agent, measured.repairs_by_sender[Side::Wired.index()]];
        assert_eq!(repairs.map(|it| seen(&it)), expected, "dry: {is_dry}");
        let seen_twice = u64::from(is_dry);
        let losses = Losses { segments: 6 + seen_twice, missing: 0, seen_twice };
        assert_eq!(measured.directions[Side::Wired.index()], losses);
        assert_eq!(measured.directions[Side::Wireless.index()], Losses::default());
    }
}

/// By a host that knows addresses and ports, and nothing else.
#[test]
fn forged_segments_change_nothing_that_was_measured() {
    let mut engine = opened(engine("snoop"));
    (0..6).for_each(|number| assert_eq!(data(&mut engine, 100, number), 1));
    acknowledge(&mut engine, 105, 3, None);
    let before = engine.measurements();
    let far = 1 << 29;
    let flags = [Flags::ACK, Flags::ACK | Flags::FIN, Flags::RST, Flags::SYN, Flags::SYN | Flags::ACK];
    let mut ms = 5000;
    for flags in flags {
        for (sequence, acknowledgment, length) in
            [(far, far, 500), (far, 7, 500), (1, far, 500), (far, far, 0), (far, 1, 0)]
        {
            for from in Side::BOTH {
                ms += 1000;
                let forged = frame(from, segment(flags, sequence, acknowledgment), length);
                pass(&mut engine, at(ms), from, &forged);
            }
        }
    }
    assert!(engine.agent_counters().implausible > 30, "{:?}", engine.agent_counters());
    // In frames that the agent is not shown, too.
    for option in [false, true] {
        let forged = packet(4, [FIXED, MOBILE], segment(Flags::ACK, far, far), &[7; 100]);
        let forged = if option { with_unknown_option(&forged).unwrap() } else { forged };
        let forged = ethernet(Side::Wired, None, &forged);
        let mut sent = seamline_bridge::Outgoing::new();
        match option {
            true => engine.pass(at(ms), Side::Wired, &forged, &mut sent),
            false => engine.pass_by(at(ms), Side::Wired, &forged, &mut sent),
        }
    }
    assert_eq!(engine.measurements(), before);
    // And what follows is measured as if nothing had come.
    acknowledge(&mut engine, 105 + 3000, 6, None);
    let stalls = engine.measurements().stalls[Side::Wired.index()];
    assert_eq!(seen(&stalls), (1, 3000));
}

/// What was measured stays when the agent has failed, as counters do, and a connection that is known again starts from nothing.
#[test]
fn measurements_outlive_the_agent() {
    let mut engine = opened(engine("obtcp-mr"));
    data(&mut engine, 100, 0);
    let before = engine.measurements();
    engine.replace_agent();
    assert_eq!(engine.measurements(), before);
    acknowledge(&mut engine, 90_000, 1, None);
    data(&mut engine, 90_001, 1);
    acknowledge(&mut engine, 90_011, 2, None);
    let after = engine.measurements();
    let grown = |of: fn(&Measurements) -> Histogram| of(&after).count() - of(&before).count();
    assert_eq!(grown(|it| it.stalls[0]), 0);
    assert_eq!(grown(|it| it.round_trips[Side::Wireless.index()]), 1);
    assert!(after.round_trips[1].sum() < before.round_trips[1].sum() + Duration::from_millis(20));
}
