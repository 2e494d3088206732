//! Nothing allocates per packet in steady state, and many flows fit into little memory.

mod common;

use common::counting::{CountingAllocator, forget_peak, heap};
use common::{Dumbbell, Flows, bytes_delivered, chain, dumbbell, hop};
use seamline_net::error::Bernoulli;
use seamline_net::{CoDelConfig, LinkConfig, QueueConfig};
use seamline_sim::{NoObserver, World};
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

#[test]
fn ten_thousand_flows_fit_into_150_megabytes() {
    const FLOWS: u16 = 10_000;
    let before = heap().live_bytes;
    forget_peak();
    let mut world: World<Host, NoObserver> = World::new();
    let shape = Dumbbell {
        flows: FLOWS,
        bottleneck_megabits: 10_000,
        bottleneck_queue: 20_000,
        access_megabits: 1000,
        start_spacing: Duration::from_micros(100),
    };
    let built = dumbbell(&mut world, &Flows::endless("sack"), shape);
    world.run_until(Instant::from_secs(3));
    let early = bytes_delivered(&world, &built);
    world.run_until(Instant::from_secs(6));
    let late = bytes_delivered(&world, &built);
    let beginners = late.iter().filter(|late| **late > 0).count();
    let active = early.iter().zip(&late).filter(|(early, late)| late > early).count();
    let (live, peak) = (heap().live_bytes - before, heap().peak_bytes - before);
    println!(
        "{FLOWS} flows: {} MB live, {} MB at most, {} GB delivered",
        live >> 20,
        peak >> 20,
        late.iter().sum::<u64>() >> 30
    );
    assert_eq!(beginners, usize::from(FLOWS), "flows that carried data");
    // A timeout can be backed off beyond the time between the two looks.
    assert!(active > usize::from(FLOWS) * 98 / 100, "{active} flows carried data in the later half");
    assert!((20 << 20..150 << 20).contains(&peak), "{peak} bytes at most");
    assert!(live <= peak, "{live} bytes live, {peak} at most");
    let carried = late.iter().sum::<u64>() * 8 / 6;
    assert!((5_000_000_000..10_000_000_000).contains(&carried), "{carried} bit/s through 10 Gb/s");
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
