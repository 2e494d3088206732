//! No packet appears or vanishes: what was sent has arrived, was dropped and counted, or is inside.

use crate::common::trace::Trace;
use crate::common::{Built, Dumbbell, Flows, chain, dumbbell, hop};
use seamline_net::error::{GilbertElliott, GilbertElliottParameters};
use seamline_net::schedule::{Fates, Handovers};
use seamline_net::{CoDelConfig, Drops, LinkConfig, QueueConfig, Schedule, Scheduled};
use seamline_sim::World;
use seamline_tcp::Host;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Instant};

fn of(drops: &[Drops], cause: DropCause) -> u64 {
    drops.iter().map(|drops| drops.of(cause).packets).sum()
}

fn total(drops: &[Drops]) -> u64 {
    drops.iter().map(|drops| drops.total().packets).sum()
}

/// Check every link, and the sum over the world; returns what each link has dropped.
fn balance(world: &World<Host, Trace>, built: &Built) -> Vec<Drops> {
    let (mut dropped, mut inside) = (Vec::new(), 0);
    for id in &built.links {
        let link = world.link(*id).expect("it is a link");
        let counters = link.counters();
        let within = link.packets_inside() as u64;
        let out = counters.delivered.packets + counters.dropped.total().packets + within;
        assert_eq!(counters.arrived.packets, out, "{id:?} at {}: {counters:?}", world.now());
        dropped.push(counters.dropped);
        inside += within;
    }
    let seen = world.observer();
    let out = seen.arrived + total(&dropped) + inside + world.unwired_drops();
    assert_eq!(seen.sent, out, "at {}", world.now());
    dropped
}

#[test]
fn a_chain_with_every_kind_of_loss_keeps_its_balance() {
    let ms = Duration::from_millis;
    let channel = GilbertElliottParameters {
        good_to_bad: 0.01 / 3.0 / (1.0 - 0.01),
        bad_to_good: 1.0 / 3.0,
        loss_in_good: 0.0,
        loss_in_bad: 1.0,
    };
    let handovers = Handovers::at((1..6).map(|n| Instant::from_secs(10 * n)), ms(500), Fates::HARD);
    let schedule = Schedule { handovers: handovers.expect("they are in order"), ..Schedule::default() };
    let air = LinkConfig {
        end_error: Some(GilbertElliott::new(channel, Stream::new(1, "air/error")).into()),
        scheduled: Some(Scheduled { schedule, loss_stream: Stream::new(1, "air/loss") }),
        ..hop(5, ms(5), 10)
    };
    let controlled = LinkConfig { queue: QueueConfig::CoDel(CoDelConfig::default()), ..hop(4, ms(3), 0) };
    let there = vec![hop(100, ms(20), 20), controlled, air];
    let mut world = World::with_observer(Trace::default());
    let built = chain(&mut world, &Flows::endless("sack"), there, vec![hop(5, ms(28), 20)]);
    let mut drops = Vec::new();
    for n in 1..600 {
        world.run_until(Instant::from_millis(101 * n));
        drops = balance(&world, &built);
    }
    assert!(of(&drops, DropCause::ActiveQueueManagement) > 0, "{drops:?}");
    assert!(of(&drops, DropCause::ErrorModel) > 0 && of(&drops, DropCause::LinkDown) > 0, "{drops:?}");
}

#[test]
fn a_dumbbell_with_overflow_keeps_its_balance() {
    let shape = Dumbbell {
        flows: 20,
        bottleneck_megabits: 20,
        bottleneck_queue: 30,
        access_megabits: 100,
        start_spacing: Duration::from_millis(10),
    };
    let mut world = World::with_observer(Trace::default());
    let built = dumbbell(&mut world, &Flows::endless("newreno"), shape);
    let mut drops = Vec::new();
    for n in 1..100 {
        world.run_until(Instant::from_millis(97 * n));
        drops = balance(&world, &built);
    }
    assert!(of(&drops, DropCause::QueueOverflow) > 100, "{drops:?}");
    assert_eq!(of(&drops, DropCause::QueueOverflow), total(&drops));
    let carried = world.link(built.links[0]).expect("it is a link").counters().delivered.bytes;
    let share = carried as f64 * 8.0 / 9.6 / 20e6;
    assert!((0.85..=1.0).contains(&share), "the bottleneck was used to {share}");
}
