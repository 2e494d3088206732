//! Nothing allocates per packet in steady state, and many flows fit into little memory.

mod common;

use common::counting::{CountingAllocator, forget_peak, heap};
use common::{Dumbbell, Flows, bytes_delivered, chain, dumbbell, hop};
use seamline_net::error::Bernoulli;
use seamline_net::{CoDelConfig, LinkConfig, QueueConfig};
use seamline_sim::World;
use seamline_tcp::{Host, profile};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// One flow over three hops, the last with this loss.
fn lossy_chain(variant: &'static str, loss: f64, queue: Option<QueueConfig>) -> World<Host> {
    let mut flows = Flows::endless(variant);
    let mut parameters = (profile::RFC.parameters)();
    parameters.window.limit = 200;
    flows.parameters = Arc::new(parameters);
    let mut world = World::new();
    let ms = Duration::from_millis;
    let mut there = vec![hop(100, ms(20), 300), hop(50, ms(3), 300), hop(20, ms(5), 300)];
    if let Some(air) = there.last_mut() {
        air.queue = queue.unwrap_or(air.queue);
        air.end_error = (loss > 0.0).then(|| Bernoulli::new(loss, Stream::new(1, "air/down/loss")).into());
    }
    let back = vec![hop(20, ms(5), 300), hop(50, ms(3), 300), hop(100, ms(20), 300)];
    chain(&mut world, &flows, there, back);
    world
}

/// Allocations and steps of the next `seconds`.
fn allocations_in(world: &mut World<Host>, seconds: u64) -> (u64, u64) {
    let (before, steps) = (heap().allocations, world.steps());
    world.run_until(world.now() + Duration::from_secs(seconds));
    (heap().allocations - before, world.steps() - steps)
}

/// Rings and lists may still find a new maximum now and then, and double.
const LATE_GROWTH: u64 = 24;

#[test]
fn a_packet_allocates_nothing() {
    let codel = QueueConfig::CoDel(CoDelConfig::default());
    for (variant, loss, queue) in [
        ("newreno", 0.0, None),
        ("newreno", 0.01, None),
        ("sack", 0.01, None),
        ("cubic", 0.003, Some(codel)),
        ("vegas", 0.003, None),
        ("westwood+", 0.01, None),
    ] {
        let mut world = lossy_chain(variant, loss, queue);
        world.run_until(Instant::from_secs(120));
        let (few, steps) = allocations_in(&mut world, 30);
        let (many, more_steps) = allocations_in(&mut world, 300);
        assert!(steps > 10_000 && more_steps > 8 * steps, "{variant}: {steps}, then {more_steps} steps");
        assert!(
            few <= LATE_GROWTH && many <= LATE_GROWTH,
            "{variant} at loss {loss}: {few} allocations in {steps} steps, {many} in {more_steps}"
        );
    }
}

/// The counter counts: the first round trips do allocate.
#[test]
fn the_beginning_allocates() {
    let mut world = lossy_chain("sack", 0.01, None);
    let (beginning, _) = allocations_in(&mut world, 5);
    assert!((10..10_000).contains(&beginning), "{beginning} allocations in the first seconds");
}

const FLOWS: u16 = 10_000;

/// What became of [`FLOWS`] concurrent flows through 10 Gb/s.
#[derive(Debug)]
struct Crowd {
    /// Flows that carried data in the first half of the time, and in the second.
    active: [usize; 2],
    peak_bytes: usize,
    bits_per_second: u64,
}

/// Run the flows for `seconds` with windows of at most `window` segments.
fn crowd(window: u32, seconds: u64) -> Crowd {
    let before = heap().live_bytes;
    forget_peak();
    let mut flows = Flows::endless("sack");
    let mut parameters = (profile::RFC.parameters)();
    parameters.window.limit = window;
    flows.parameters = Arc::new(parameters);
    let mut world: World<Host> = World::new();
    let shape = Dumbbell {
        flows: FLOWS,
        bottleneck_megabits: 10_000,
        bottleneck_queue: 20_000,
        access_megabits: 1000,
        start_spacing: Duration::from_micros(100),
    };
    let built = dumbbell(&mut world, &flows, shape);
    let middle = Instant::ZERO + Duration::from_secs(seconds) / 2;
    world.run_until(middle);
    let early = bytes_delivered(&world, &built);
    world.run_until(Instant::from_secs(seconds));
    let late = bytes_delivered(&world, &built);
    let active =
        |begin: &[u64], end: &[u64]| begin.iter().zip(end).filter(|(begin, end)| begin < end).count();
    Crowd {
        active: [active(&vec![0; early.len()], &early), active(&early, &late)],
        peak_bytes: heap().peak_bytes - before,
        bits_per_second: late.iter().sum::<u64>() * 8 / seconds,
    }
}

const MEGABYTES: usize = 1_000_000;

/// Five segments each fit into the path and its queue: nothing is lost, and every flow flows all the time.
#[test]
fn ten_thousand_flows_fit_into_150_megabytes() {
    let crowd = crowd(5, 4);
    println!("without loss: {crowd:?}");
    assert_eq!(crowd.active, [usize::from(FLOWS); 2]);
    assert!((20 * MEGABYTES..150 * MEGABYTES).contains(&crowd.peak_bytes), "{crowd:?}");
    assert!((5_000_000_000..10_000_000_000).contains(&crowd.bits_per_second), "{crowd:?}");
}

/// The same where thousands of flows recover from losses at once; some back off for seconds.
#[test]
fn ten_thousand_lossy_flows_fit_into_150_megabytes() {
    let crowd = crowd(u32::MAX, 4);
    println!("with loss: {crowd:?}");
    assert!(crowd.active.iter().all(|active| *active > 9000), "{crowd:?}");
    assert!((20 * MEGABYTES..150 * MEGABYTES).contains(&crowd.peak_bytes), "{crowd:?}");
    assert!((5_000_000_000..10_000_000_000).contains(&crowd.bits_per_second), "{crowd:?}");
}

/// A link is at most as big as its packets make it: none allocates before it carries something.
#[test]
fn idle_links_hold_no_packets() {
    let before = heap();
    let mut world: World<Host> = World::new();
    for _ in 0..1000 {
        world.add_link(seamline_net::Link::new(LinkConfig::new(
            seamline_wire::Rate::from_megabits_per_second(1),
            Duration::ZERO,
        )));
    }
    let per_link = (heap().live_bytes - before.live_bytes) / 1000;
    assert!((100..1000).contains(&per_link), "{per_link} bytes for each link");
}
