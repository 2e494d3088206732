//! Help that is switched off, and on again.

mod support;

use seamline_agent::Side;
use seamline_bridge::Engine;
use seamline_wire::{Flags, Instant, Segment};
use support::*;

const DOWN: [End; 2] = [(1, 80), (2, 5000)];
const UP: [End; 2] = [(2, 5000), (1, 80)];
const T: Instant = Instant::ZERO;

/// What comes of a segment; what comes from the wired side has data.
fn show(engine: &mut Engine, from: Side, segment: Segment) -> (Vec<u8>, Vec<(Side, Vec<u8>)>) {
    let (ends, payload) = if from == Side::Wired { (DOWN, &[1; 1000][..]) } else { (UP, &[][..]) };
    let payload = if segment.flags.contains(Flags::SYN) { &[] } else { payload };
    let frame = ethernet(from, None, &packet(4, ends, segment, payload));
    let out = pass(engine, T, from, &frame);
    (frame, out)
}

fn handshake(engine: &mut Engine) {
    show(engine, Side::Wireless, segment(Flags::SYN, 6, 0));
    show(engine, Side::Wired, segment(Flags::SYN | Flags::ACK, 0, 7));
    show(engine, Side::Wireless, segment(Flags::ACK, 7, 1));
}

/// Data, and three acknowledgments that ask for it.
fn gap(engine: &mut Engine) -> [Vec<(Side, Vec<u8>)>; 5] {
    let data = |number: u32| segment(Flags::ACK, 1 + number * 1000, 7);
    let mut out = [0, 1].map(|number| show(engine, Side::Wired, data(number)).1).to_vec();
    out.extend([(); 3].map(|()| show(engine, Side::Wireless, segment(Flags::ACK, 7, 1)).1));
    out.try_into().unwrap()
}

#[test]
fn frames_leave_as_they_came_while_help_is_off_and_nothing_is_kept() {
    for kind in KINDS {
        let mut engine = engine(kind);
        handshake(&mut engine);
        gap(&mut engine);
        assert_eq!(engine.known_flows(), 1, "{kind}");
        assert!(engine.set_paused(true) && !engine.set_paused(true) && engine.is_paused());
        assert_eq!((engine.flows(), engine.kept_bytes(), engine.wake_at()), (0, 0, None), "{kind}");
        let before = engine.agent_counters();
        for from in [Side::Wired, Side::Wireless, Side::Wireless, Side::Wireless, Side::Wireless] {
            let (frame, out) = show(&mut engine, from, segment(Flags::ACK, 7, 1));
            assert_eq!(out, [(from.other(), frame)], "{kind}");
        }
        assert_eq!((engine.flows(), engine.agent_counters()), (0, before), "{kind}");
        assert_eq!(engine.counters().paused_frames, 5);
    }
}

#[test]
fn only_connections_that_begin_afterwards_are_helped_then() {
    for kind in KINDS {
        let mut engine = engine(kind);
        engine.set_paused(true);
        handshake(&mut engine);
        assert!(engine.set_paused(false) && !engine.set_paused(false) && !engine.is_paused());
        let before = engine.agent_counters();
        for (at, out) in gap(&mut engine).into_iter().enumerate() {
            let towards = if at < 2 { Side::Wireless } else { Side::Wired };
            assert!(out.len() == 1 && out[0].0 == towards, "{kind}: {out:?}");
        }
        assert_eq!((engine.flows(), engine.known_flows()), (0, 0), "{kind}");
        assert_eq!(engine.agent_counters().known, before.known, "{kind}");
        // One half of the handshake is not a beginning.
        show(&mut engine, Side::Wired, segment(Flags::SYN | Flags::ACK, 0, 7));
        show(&mut engine, Side::Wireless, segment(Flags::ACK, 7, 1));
        assert_eq!(engine.flows(), 0, "{kind}");
        handshake(&mut engine);
        assert_eq!(engine.known_flows(), 1, "{kind}");
        engine.replace_agent();
        gap(&mut engine);
        assert_eq!(engine.flows(), 0, "{kind}: it stays so when the agent has failed");
    }
}
