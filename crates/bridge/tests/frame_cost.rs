//! What a frame costs on its way through an engine: allocations, which are bounded here, and instructions, which callgrind counts:
//!
//! ```text
//! valgrind --tool=callgrind --toggle-collect='*measured*' target/debug/deps/frame_cost-HASH kept --nocapture
//! ```
//!
//! The sums of such a run, divided by the number of frames that the test prints, are instructions per frame.

#[path = "../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;
mod support;

use counting::{CountingAllocator, heap};
use seamline_agent::Side;
use seamline_bridge::{Engine, Outgoing};
use seamline_wire::{Duration, Flags, Instant};
use support::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const CONNECTIONS: u32 = 100;
const FIXED: End = (1, 80);
const LENGTH: usize = 1400;
/// Data frames of each connection in each half of a test; the first half fills pools and tables.
const FRAMES: u32 = 20;

type Frame = (Side, Vec<u8>);

fn mobile(number: u32) -> End {
    (1000 + number, 5000)
}

fn frame(from: Side, ends: [End; 2], flags: Flags, numbers: [u32; 2], payload: &[u8]) -> Frame {
    (from, ethernet(from, None, &packet(4, ends, segment(flags, numbers[0], numbers[1]), payload)))
}

fn handshake(mobile: End) -> [Frame; 3] {
    [
        frame(Side::Wired, [FIXED, mobile], Flags::SYN, [0, 0], &[]),
        frame(Side::Wireless, [mobile, FIXED], Flags::SYN | Flags::ACK, [6, 1], &[]),
        frame(Side::Wired, [FIXED, mobile], Flags::ACK, [1, 7], &[]),
    ]
}

/// Bulk data downwards, and an acknowledgment of each second packet.
fn downloads(numbers: std::ops::Range<u32>) -> Vec<Frame> {
    let at = |number: u32| 1 + number * LENGTH as u32;
    let of_each = |number: u32| {
        (0..CONNECTIONS).map(mobile).flat_map(move |mobile| {
            let data =
                frame(Side::Wired, [FIXED, mobile], Flags::ACK, [at(number), 7], &[number as u8; LENGTH]);
            let acknowledgment = frame(Side::Wireless, [mobile, FIXED], Flags::ACK, [7, at(number + 1)], &[]);
            [Some(data), (number % 2 == 1).then_some(acknowledgment)].into_iter().flatten()
        })
    };
    numbers.flat_map(of_each).collect()
}

/// An engine through which connections were opened.
fn opened(kind: &str) -> Engine {
    let mut engine = engine(kind);
    for (from, frame) in (0..CONNECTIONS).flat_map(|number| handshake(mobile(number))) {
        assert_eq!(pass(&mut engine, Instant::ZERO, from, &frame), [(from.other(), frame)]);
    }
    assert_eq!(engine.known_flows(), CONNECTIONS as usize);
    engine
}

/// Pass them all; returns the allocations for a hundred frames.
#[inline(always)]
fn pass_all<'f>(engine: &mut Engine, sent: &mut Outgoing<'f>, frames: &'f [Frame]) -> u64 {
    let before = heap().allocations;
    for (number, (from, frame)) in frames.iter().enumerate() {
        sent.clear();
        engine.pass(Instant::ZERO + Duration::from_micros(number as u64), *from, frame, sent);
        assert_eq!(sent.len(), 1);
    }
    (heap().allocations - before) * 100 / frames.len() as u64
}

/// A function of its own, for callgrind.
#[inline(never)]
fn measured<'f>(engine: &mut Engine, sent: &mut Outgoing<'f>, frames: &'f [Frame]) -> u64 {
    let allocations = pass_all(engine, sent, frames);
    println!("{} frames, {allocations} allocations for a hundred", frames.len());
    allocations
}

fn bulk() -> [Vec<Frame>; 2] {
    [downloads(0..FRAMES), downloads(FRAMES..2 * FRAMES)]
}

#[test]
fn nothing_is_allocated_for_unchanged_frames_of_known_connections() {
    let [before, frames] = bulk();
    let (mut engine, mut sent) = (opened("eln-ack"), Outgoing::new());
    pass_all(&mut engine, &mut sent, &before);
    let allocations = measured(&mut engine, &mut sent, &frames);
    assert_eq!((allocations, engine.counters().changed), (0, 0));
    assert_eq!(engine.counters().shown as usize, before.len() + frames.len() + CONNECTIONS as usize);
}

/// Two of three frames are kept.
#[test]
fn only_what_is_kept_is_copied() {
    let [before, frames] = bulk();
    let (mut engine, mut sent) = (opened("snoop"), Outgoing::new());
    pass_all(&mut engine, &mut sent, &before);
    let allocations = measured(&mut engine, &mut sent, &frames);
    assert_eq!(engine.agent_counters().cached, u64::from(2 * FRAMES * CONNECTIONS));
    assert!((60..=140).contains(&allocations), "{allocations}");
}

#[test]
fn nothing_is_allocated_for_connections_that_the_agent_is_not_shown() {
    let [before, frames] = bulk().map(|mut frames| {
        frames.retain(|(from, _)| *from == Side::Wired);
        frames
    });
    let (mut engine, mut sent) = (engine("snoop"), Outgoing::new());
    pass_all(&mut engine, &mut sent, &before);
    let allocations = measured(&mut engine, &mut sent, &frames);
    assert_eq!((allocations, engine.counters().unknown as usize), (0, before.len() + frames.len()));
}

#[test]
fn nothing_is_allocated_for_what_is_not_ip() {
    let arp = [&[255; 6][..], &[2; 6], &[8, 6], &[0; 28]].concat();
    let frames = vec![(Side::Wired, arp); 1000];
    let (mut engine, mut sent) = (engine("snoop"), Outgoing::new());
    pass_all(&mut engine, &mut sent, &frames);
    let allocations = measured(&mut engine, &mut sent, &frames);
    assert_eq!((allocations, engine.counters().not_ip), (0, 2000));
}
