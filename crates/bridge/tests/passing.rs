//! What passes as it came, what does not, and what happens when the agent fails.

mod support;

use seamline_agent::{Connection, ConnectionMaker, Exit, Kind, Limits, Parameters, Side, find};
use seamline_bridge::{Engine, EngineCounters, Outgoing, Settings};
use seamline_wire::{Duration, Flags, Instant, Packet, Segment};
use support::*;

const FIXED: End = (1, 80);
const MOBILE: End = (2, 5000);
const DOWN: [End; 2] = [FIXED, MOBILE];
const UP: [End; 2] = [MOBILE, FIXED];
const T: Instant = Instant::ZERO;

/// A connection that the agent is shown, with a thousand bytes on their way to the mobile host.
fn opened(mut engine: Engine, version: u8, vlan: Option<u16>) -> Engine {
    let syn = segment(Flags::SYN, 0, 0);
    let answer = segment(Flags::SYN | Flags::ACK, 6, 1);
    for (from, ends, segment) in [
        (Side::Wired, DOWN, syn),
        (Side::Wireless, UP, answer),
        (Side::Wired, DOWN, segment(Flags::ACK, 1, 7)),
    ] {
        let frame = ethernet(from, vlan, &packet(version, ends, segment, &[]));
        assert_eq!(pass(&mut engine, T, from, &frame), [(from.other(), frame)]);
    }
    assert_eq!(engine.known_flows(), 1);
    let frame = data(version, vlan, 1);
    assert_eq!(pass(&mut engine, T, Side::Wired, &frame), [(Side::Wireless, frame)]);
    engine
}

fn data(version: u8, vlan: Option<u16>, sequence: u32) -> Vec<u8> {
    ethernet(Side::Wired, vlan, &packet(version, DOWN, segment(Flags::ACK, sequence, 7), &[5; 1000]))
}

fn acknowledgment(version: u8, vlan: Option<u16>, of: u32) -> Vec<u8> {
    ethernet(Side::Wireless, vlan, &packet(version, UP, segment(Flags::ACK, 7, of), &[]))
}

#[test]
fn what_the_agent_cannot_take_in_passes_byte_for_byte() {
    let four = packet(4, DOWN, segment(Flags::ACK, 1001, 7), &[9; 64]);
    let six = packet(6, DOWN, segment(Flags::ACK, 1001, 7), &[9; 64]);
    let [first, second] = fragments(&four, 7, 24);
    let mut damaged = four.clone();
    damaged[70] ^= 1;
    let mut udp = four.clone();
    udp[9] = 17;
    fix_header(&mut udp);
    let strange = |packet: &[u8]| with_unknown_option(packet).expect("there is room");
    let mut frames: Vec<Vec<u8>> =
        [&first, &second, &damaged, &udp, &strange(&four), &strange(&six), &four[..30].to_vec(), &vec![]]
            .iter()
            .map(|packet| ethernet(Side::Wired, None, packet))
            .collect();
    frames.push([&[255; 6][..], &[2; 6], &[8, 6], &[0; 28]].concat());
    frames.push([&[1; 12][..], &[0, 46], &[3; 46]].concat());
    frames.push(vec![]);
    for kind in KINDS {
        let mut engine = opened(engine(kind), 4, None);
        let before = engine.agent_counters();
        for frame in &frames {
            for from in Side::BOTH {
                assert_eq!(pass(&mut engine, T, from, frame), [(from.other(), frame.clone())], "{kind}");
            }
        }
        assert_eq!(engine.agent_counters(), before, "{kind}");
        assert!(engine.counters().opaque > 0 && engine.counters().not_ip > 0);
    }
}

/// A short frame comes with what it was padded with, and leaves so.
#[test]
fn padding_stays_where_it_passes_and_is_left_out_where_a_packet_is_sent_again() {
    for vlan in [None, Some(5)] {
        let mut engine = opened(engine("snoop"), 4, vlan);
        let mut short = ethernet(Side::Wired, vlan, &packet(4, DOWN, segment(Flags::ACK, 1001, 7), b"x"));
        let whole = short.len();
        short.extend([0xee; 5]);
        assert_eq!(pass(&mut engine, T, Side::Wired, &short), [(Side::Wireless, short.clone())]);
        let progress = acknowledgment(4, vlan, 1001);
        assert_eq!(pass(&mut engine, T, Side::Wireless, &progress).len(), 1);
        let sent: Vec<_> = (0..2).flat_map(|_| pass(&mut engine, T, Side::Wireless, &progress)).collect();
        let again = (Side::Wireless, short[..whole].to_vec());
        assert!(sent.contains(&again), "{sent:?}");
    }
}

#[test]
fn snoop_sends_again_what_was_lost_and_keeps_duplicates_to_itself() {
    for version in [4, 6] {
        for vlan in [None, Some(100)] {
            let mut engine = opened(engine("snoop"), version, vlan);
            (1..5).for_each(|number| {
                drop(pass(&mut engine, T, Side::Wired, &data(version, vlan, 1 + 1000 * number)))
            });
            let duplicate = acknowledgment(version, vlan, 1);
            let sent: Vec<_> =
                (0..4).flat_map(|_| pass(&mut engine, T, Side::Wireless, &duplicate)).collect();
            let again = sent.iter().filter(|sent| **sent == (Side::Wireless, data(version, vlan, 1)));
            assert_eq!(again.count(), 1, "{sent:?}");
            let counters = engine.agent_counters();
            assert_eq!((counters.local_retransmissions, engine.counters().made), (1, 1));
            assert!(counters.suppressed_acknowledgments > 0);
            assert_eq!(sent.len() as u64, 4 - counters.suppressed_acknowledgments + 1);
        }
    }
}

/// The sender cuts its data otherwise after the MTU has shrunk: what is sent again must be no longer than that, also where a longer packet
/// that begins alike came before, or comes although it cannot leave.
#[test]
fn what_no_longer_fits_is_not_sent_again() {
    const MTU: usize = 600;
    let cut = |sequence| {
        let packet = packet(4, DOWN, segment(Flags::ACK, sequence, 7), &[5; 500]);
        ethernet(Side::Wired, None, &packet)
    };
    for longer_comes_after in [false, true] {
        let mut engine = engine("snoop");
        engine.set_mtu(Side::Wireless, 1500);
        let mut engine = opened(engine, 4, None);
        assert!(engine.kept_bytes() > 1000);
        engine.set_mtu(Side::Wireless, MTU);
        assert_eq!(engine.kept_bytes(), 0);
        if longer_comes_after {
            let frame = data(4, None, 1);
            assert_eq!(pass(&mut engine, T, Side::Wired, &frame), [(Side::Wireless, frame)]);
        }
        for number in 0..5 {
            drop(pass(&mut engine, T, Side::Wired, &cut(1 + 500 * number)));
        }
        // The sender repeats, so the agent waits for its own timer.
        let mut sent = Outgoing::new();
        engine.wake(engine.wake_at().expect("a timer"), &mut sent);
        let sent: Vec<_> = sent.iter().map(|(side, frame)| (side, frame.to_vec())).collect();
        assert_eq!(sent, [(Side::Wireless, cut(1))], "{longer_comes_after}");
        engine.set_mtu(Side::Wireless, 1500);
        assert!(engine.kept_bytes() > 2000, "a longer one drops nothing");
    }
}

/// Every frame passes as it came, and what would have been done is counted.
#[test]
fn a_dry_run_changes_nothing() {
    let settings = Settings { is_dry: true, ..settings("snoop", Limits::default()) };
    let mut engine = opened(Engine::new(settings), 4, None);
    for number in 1..5 {
        let frame = data(4, None, 1 + 1000 * number);
        assert_eq!(pass(&mut engine, T, Side::Wired, &frame), [(Side::Wireless, frame)]);
    }
    for _ in 0..4 {
        let frame = acknowledgment(4, None, 1);
        assert_eq!(pass(&mut engine, T, Side::Wireless, &frame), [(Side::Wired, frame)]);
    }
    let mut sent = Outgoing::new();
    engine.wake(Instant::from_secs(10), &mut sent);
    assert!(sent.is_empty());
    let counters = engine.agent_counters();
    assert!(counters.local_retransmissions > 1 && counters.suppressed_acknowledgments > 0);
    assert_eq!((engine.counters().made, engine.counters().changed), (0, 0));
}

/// Snoop, which fails at a segment without a window.
#[derive(Debug)]
struct Failing(Box<dyn Connection>);

impl Connection for Failing {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        assert!(packet.segment.window > 0, "the test wants this");
        self.0.on_segment(now, from, packet, exit);
    }
}

fn failing() -> Engine {
    let connection = |parameters: &Parameters| {
        let snoop = (find("snoop").unwrap().connection)(parameters);
        ConnectionMaker::new(move || Box::new(Failing(snoop.make())))
    };
    let connection = Box::leak(Box::new(connection));
    let settings = settings("snoop", Limits::default());
    Engine::new(Settings { kind: Box::leak(Box::new(Kind { connection, ..*settings.kind })), ..settings })
}

#[test]
fn a_packet_at_which_the_agent_fails_passes_and_the_next_agent_helps() {
    let mut engine = opened(failing(), 4, None);
    let before = engine.agent_counters();
    let bad = Segment { window: 0, ..segment(Flags::ACK, 1001, 7) };
    let bad = ethernet(Side::Wired, None, &packet(4, DOWN, bad, &[1; 10]));
    assert_eq!(pass(&mut engine, T, Side::Wired, &bad), [(Side::Wireless, bad)]);
    assert_eq!((engine.counters().failures, engine.known_flows()), (1, 0));
    assert_eq!(engine.agent_counters().cached, before.cached);
    // It learns of the connection as of any that it has not seen begin.
    drop(pass(&mut engine, T, Side::Wired, &data(4, None, 1001)));
    drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(4, None, 2001)));
    drop(pass(&mut engine, T, Side::Wired, &data(4, None, 2001)));
    assert_eq!((engine.agent_counters().cached, engine.counters().failures), (before.cached + 1, 1));
}

/// After a failure around the agent, too, nothing counts from zero again, and no frame becomes longer than may leave.
#[test]
fn an_engine_whose_agent_is_replaced_keeps_what_it_has_counted_and_forgets_connections() {
    let mut engine = opened(engine("snoop"), 4, None);
    engine.set_mtu(Side::Wireless, 41);
    let before = (engine.agent_counters(), engine.counters());
    assert!(before.0.cached > 0 && before.0.known > 0 && before.1.shown > 0);
    engine.replace_agent();
    let failed = EngineCounters { failures: 1, ..before.1 };
    assert_eq!((engine.agent_counters(), engine.counters()), (before.0, failed));
    assert_eq!((engine.flows(), engine.known_flows(), engine.wake_at()), (0, 0, None));
    let mut engine = opened(engine, 4, None);
    assert_eq!(engine.agent_counters().known, before.0.known + 1);
    assert_eq!(engine.agent_counters().cached, before.0.cached, "what does not fit is not kept");
    assert!(!a_mark_is_written(&mut engine) && engine.counters().too_long > 0);
}

/// The mobile host sends with a gap; what the fixed host then acknowledges is marked, if there is room for that.
fn a_mark_is_written(engine: &mut Engine) -> bool {
    let upward = |sequence: u32| {
        let data = segment(Flags::ACK, sequence, 1);
        ethernet(Side::Wireless, None, &packet(4, UP, data, &[1; 100]))
    };
    drop(pass(engine, T, Side::Wireless, &upward(7)));
    for number in 2..6 {
        drop(pass(engine, T, Side::Wireless, &upward(7 + 100 * number)));
    }
    let duplicate = ethernet(Side::Wired, None, &packet(4, DOWN, segment(Flags::ACK, 1001, 107), &[]));
    drop(pass(engine, T, Side::Wired, &duplicate));
    let sent = pass(engine, T, Side::Wired, &duplicate);
    assert_eq!(sent.len(), 1);
    sent[0].1 != duplicate
}

/// A connection that ends with a reset is forgotten, and what was kept of it with it; not if anybody could have sent that.
#[test]
fn a_reset_ends_what_is_known() {
    for (flags, sequence, known) in
        [(Flags::RST, 7, 0), (Flags::RST, 8, 1), (Flags::SYN, 6, 1), (Flags::SYN, 90_000_000, 1)]
    {
        let mut engine = opened(engine("snoop"), 4, None);
        let frame = ethernet(Side::Wireless, None, &packet(4, UP, segment(flags, sequence, 0), &[]));
        assert_eq!(pass(&mut engine, T, Side::Wireless, &frame), [(Side::Wired, frame)]);
        assert_eq!(engine.known_flows(), known, "{flags:?} {sequence}");
        for _ in 0..4 {
            drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(4, None, 1)));
        }
        let helps = engine.agent_counters().local_retransmissions > 0;
        assert_eq!(helps, known == 1, "{flags:?} {sequence}");
    }
}

/// Another connection between the same ports is known as such once both ends have begun it, and the old one is silent: one who sends
/// from both sides could forge that.
#[test]
fn a_connection_that_begins_again_is_another_one() {
    let mut engine = opened(engine("snoop"), 4, None);
    let later = T + Duration::from_secs(1);
    let [client, server] = [3_000_000_000, 90_000_000];
    let mut put = |from, segment, payload: &[u8]| {
        let ends = if from == Side::Wired { DOWN } else { UP };
        drop(pass(&mut engine, later, from, &ethernet(from, None, &packet(4, ends, segment, payload))));
    };
    put(Side::Wireless, segment(Flags::SYN, client, 0), &[]);
    put(Side::Wired, segment(Flags::SYN | Flags::ACK, server, client + 1), &[]);
    for n in 0..5 {
        put(Side::Wired, segment(Flags::ACK, server + 1 + 100 * n, client + 1), &[7; 100]);
    }
    for _ in 0..4 {
        drop(pass(&mut engine, later, Side::Wireless, &acknowledgment(4, None, 1)));
    }
    assert_eq!(engine.agent_counters().local_retransmissions, 0, "the old one is over");
    for _ in 0..4 {
        let duplicate = segment(Flags::ACK, client + 1, server + 1);
        drop(pass(
            &mut engine,
            later,
            Side::Wireless,
            &ethernet(Side::Wireless, None, &packet(4, UP, duplicate, &[])),
        ));
    }
    assert!(engine.agent_counters().local_retransmissions > 0);
    assert_eq!(engine.known_flows(), 1);
}

/// What is set holds also for connections of which nothing is acknowledged yet, unless it is longer than what RFC 5382 gives those.
#[test]
fn a_handshake_that_nobody_answers_is_forgotten_when_it_is_set_so() {
    for (idle, held) in [(10, 10), (7440, 240)] {
        let limits = Limits { idle: Duration::from_secs(idle), ..Limits::default() };
        let mut engine = Engine::new(settings("snoop", limits));
        let syn = ethernet(Side::Wired, None, &packet(4, DOWN, segment(Flags::SYN, 0, 0), &[]));
        drop(pass(&mut engine, T, Side::Wired, &syn));
        let mut sent = Outgoing::new();
        for (second, flows) in [(held - 1, 1), (held, 0)] {
            engine.wake(T + Duration::from_secs(second), &mut sent);
            assert_eq!(engine.flows(), flows, "after {second} s");
        }
    }
}

/// While there is no time for the agent, the end of a connection is no secret to it either.
#[test]
fn a_reset_that_passes_by_ends_what_is_known() {
    for (flags, known) in [
        (Flags::ACK, 1),
        (Flags::ACK | Flags::FIN, 1),
        (Flags::SYN | Flags::ACK, 1),
        (Flags::SYN, 1),
        (Flags::RST, 0),
    ] {
        let mut engine = opened(engine("snoop"), 4, Some(3));
        let reset = packet(4, UP, segment(flags, 7, 1), &[]);
        let other = packet(4, [(9, 9), FIXED], segment(flags, 7, 1), &[]);
        let strange = with_unknown_option(&reset).expect("there is room");
        for (packet, known) in [(&other, 1), (&strange, known)] {
            let frame = ethernet(Side::Wireless, Some(3), packet);
            let mut sent = Outgoing::new();
            engine.pass_by(T, Side::Wireless, &frame, &mut sent);
            assert_eq!(sent.iter().collect::<Vec<_>>(), [(Side::Wired, &frame[..])]);
            assert_eq!((engine.flows(), engine.known_flows()), (known, known), "{flags:?}");
        }
        for _ in 0..4 {
            drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(4, Some(3), 1)));
        }
        assert_eq!(
            engine.agent_counters().local_retransmissions > 0,
            known > 0,
            "what was kept is gone with it"
        );
    }
}

/// The same addresses and ports in two VLANs are two connections.
#[test]
fn vlans_are_kept_apart() {
    let engine = opened(engine("snoop"), 4, Some(1));
    let other = data(4, Some(2), 1);
    let mut engine = engine;
    drop(pass(&mut engine, T, Side::Wired, &other));
    assert_eq!((engine.flows(), engine.known_flows()), (2, 1));
}

/// Restarted in the middle, it is shown a connection when one end acknowledges what the other has sent.
#[test]
fn a_connection_is_taken_up_in_its_middle() {
    let mut engine = engine("snoop");
    drop(pass(&mut engine, T, Side::Wired, &data(4, None, 50_001)));
    assert_eq!(engine.known_flows(), 0);
    drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(4, None, 50_001)));
    assert_eq!(engine.known_flows(), 0, "it acknowledges nothing that was seen");
    drop(pass(&mut engine, T, Side::Wireless, &acknowledgment(4, None, 51_001)));
    assert_eq!(engine.known_flows(), 1);
}

#[test]
fn what_is_written_into_an_acknowledgment_makes_it_no_longer_than_may_leave() {
    for (mtu, changed, too_long) in [(1500, 1, 0), (41, 0, 1)] {
        let mut engine = opened(engine("snoop"), 4, None);
        engine.set_mtu(Side::Wireless, mtu);
        assert_eq!(a_mark_is_written(&mut engine), changed > 0);
        let counters = engine.counters();
        assert!(counters.changed >= changed && (counters.changed == 0) == (changed == 0), "{counters:?}");
        assert!(counters.too_long >= too_long && (counters.too_long == 0) == (too_long == 0));
    }
}
