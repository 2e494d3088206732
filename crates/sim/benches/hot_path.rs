//! Instructions of the hot path, counted by valgrind, so that they are the same on a busy machine.
//!
//! ```text
//! apt-get install valgrind
//! cargo install gungraun-runner --version 0.20.0
//! cargo bench -p seamline-sim --bench hot_path
//! ```
//!
//! Each benchmark does its work [`TIMES`] times: divide the instructions by that. A later run shows the
//! change since the one before it.

#![allow(missing_docs, reason = "what the macros make has no place for documentation")]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Dumbbell, Flows, PORT, chain, dumbbell, hop};
use gungraun::{library_benchmark, library_benchmark_group, main};
use seamline_net::error::Bernoulli;
use seamline_net::{Link, LinkConfig};
use seamline_sim::World;
use seamline_tcp::endpoint::Endpoint;
use seamline_tcp::{Address, EndpointConfig, Host, Opening, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Flags, Input, Instant, Machine, NodeId, Outbox, Packet, Segment, SequenceNumber, TransportPort,
};
use std::hint::black_box;
use std::sync::Arc;

/// How often each benchmark does its work.
const TIMES: u64 = 10_000;

/// A link, warm, that takes a packet and hands one over.
fn warm_link() -> (Link, Outbox) {
    let mut link = Link::new(hop(1000, Duration::from_millis(1), 1000));
    let mut out = Outbox::new();
    link_hops(&mut link, &mut out, 0, 1000);
    (link, out)
}

fn link_hops(link: &mut Link, out: &mut Outbox, from: u64, times: u64) {
    for n in from..from + times {
        let now = Instant::from_nanos(n * 10_000);
        let mut packet = out.packet();
        packet.wire_bytes = 1000;
        link.step(now, Input::Packet(PORT, packet), out);
        if link.wake_at().is_some_and(|at| at <= now) {
            link.step(now, Input::Wake, out);
        }
        while let Some((_, packet)) = out.packets.pop() {
            out.recycle(packet);
        }
    }
}

#[library_benchmark]
#[bench::drop_tail(warm_link())]
fn link_hop((mut link, mut out): (Link, Outbox)) -> (Link, Outbox) {
    link_hops(black_box(&mut link), &mut out, 1000, TIMES);
    (link, out)
}

/// Does nothing, at a regular interval.
#[derive(Debug)]
struct Ticker {
    interval: Duration,
    next: Instant,
}

impl Machine for Ticker {
    fn step(&mut self, now: Instant, _: Input, _: &mut Outbox) {
        self.next = now + self.interval;
    }
    fn wake_at(&self) -> Option<Instant> {
        Some(self.next)
    }
}

/// Tickers with intervals that have no common divisor, about [`TIMES`] ticks in the second after the first.
fn tickers(count: u64) -> World<Ticker> {
    let mut world = World::new();
    for n in 0..count {
        let interval = Duration::from_nanos(count * 1_000_000_000 / TIMES + 7919 * n);
        world.add(Ticker { interval, next: Instant::from_nanos(n) });
    }
    world.run_until(Instant::from_secs(1));
    world
}

#[library_benchmark]
#[bench::of_10(tickers(10))]
#[bench::of_1000(tickers(1000))]
fn agenda(mut world: World<Ticker>) -> World<Ticker> {
    black_box(&mut world).run_until(Instant::from_secs(2));
    world
}

/// A sender with a full window.
fn sender(name: &str) -> (Endpoint, Outbox) {
    let mut parameters = (profile::RFC.parameters)();
    parameters.window.limit = 64;
    let parameters = Arc::new(parameters);
    let address = |node| Address { node: NodeId(node), port: TransportPort(1) };
    let mut endpoint = Endpoint::new(EndpointConfig {
        local: address(0),
        remote: address(1),
        variant: variant::find(name, &parameters).expect("the variant exists"),
        parameters: parameters.clone(),
        handover: None,
        initial_sequence: SequenceNumber(0),
    });
    let mut out = Outbox::new();
    let established = Opening::Established { peer: parameters, peer_initial_sequence: SequenceNumber(0) };
    endpoint.open(Instant::ZERO, established, &mut out);
    endpoint.supply(Instant::ZERO, u64::MAX, &mut out);
    acknowledgments(&mut endpoint, &mut out, 0, 1000);
    (endpoint, out)
}

/// Acknowledge segment after segment.
fn acknowledgments(endpoint: &mut Endpoint, out: &mut Outbox, from: u64, times: u64) {
    let mut packet = Packet { source: NodeId(1), wire_bytes: 52, ..Packet::default() };
    for n in from..from + times {
        let now = Instant::from_nanos((n + 1) * 1_000_000);
        packet.segment = Segment {
            sequence: SequenceNumber(1),
            acknowledgment: SequenceNumber(1) + (n as u32 + 1) * endpoint.segment_size(),
            flags: Flags::ACK,
            window: u16::MAX,
            timestamps: Some(Default::default()),
            ..Segment::default()
        };
        endpoint.on_packet(now, &packet, out);
        while let Some((_, packet)) = out.packets.pop() {
            out.recycle(packet);
        }
    }
}

#[library_benchmark]
#[bench::newreno(sender("newreno"))]
#[bench::sack(sender("sack"))]
#[bench::cubic(sender("cubic"))]
fn endpoint_ack((mut endpoint, mut out): (Endpoint, Outbox)) -> (Endpoint, Outbox) {
    acknowledgments(black_box(&mut endpoint), &mut out, 1000, TIMES);
    (endpoint, out)
}

/// One flow over three hops with 1 % loss, warm.
fn three_hops(variant: &'static str) -> World<Host> {
    let ms = Duration::from_millis;
    let there = [(100, 50), (10, 3), (2, 5)].map(|(megabits, millis)| hop(megabits, ms(millis), 50));
    let back = [(2, 5), (10, 3), (100, 50)].map(|(megabits, millis)| hop(megabits, ms(millis), 50));
    let mut there: Vec<LinkConfig> = there.into_iter().collect();
    if let Some(air) = there.last_mut() {
        air.end_error = Some(Bernoulli::new(0.01, Stream::new(1, "air/down/loss")).into());
    }
    let mut world = World::new();
    chain(&mut world, &Flows::endless(variant), there, back.into_iter().collect());
    world.run_until(Instant::from_secs(100));
    world
}

/// 100 flows over a shared gigabit, warm.
fn hundred_flows(variant: &'static str) -> World<Host> {
    let shape = Dumbbell {
        flows: 100,
        bottleneck_megabits: 1000,
        bottleneck_queue: 1000,
        access_megabits: 1000,
        start_spacing: Duration::from_millis(1),
    };
    let mut world = World::new();
    dumbbell(&mut world, &Flows::endless(variant), shape);
    world.run_until(Instant::from_secs(1));
    world
}

// Steps of a whole world: a packet that crosses three hops takes three, its acknowledgment three more.
#[library_benchmark]
#[bench::three_hops(three_hops("newreno"))]
#[bench::three_hops_sack(three_hops("sack"))]
#[bench::dumbbell(hundred_flows("newreno"))]
fn world_step(mut world: World<Host>) -> World<Host> {
    let end = world.steps() + TIMES;
    while world.steps() < end {
        world.run_until(world.now() + Duration::from_millis(1));
    }
    world
}

library_benchmark_group!(name = hot_path, benchmarks = [link_hop, agenda, endpoint_ack, world_step]);
main!(library_benchmark_groups = hot_path);
