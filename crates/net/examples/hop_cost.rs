//! What a packet-hop costs: drives links as the simulator does, each wake at its time, with recycled
//! packets, and prints nanoseconds per packet and hop.
//!
//! `cargo run --release -p seamline-net --example hop_cost`

use seamline_net::error::{Bernoulli, ErrorModel};
use seamline_net::schedule::{Handovers, Steps};
use seamline_net::{CoDelConfig, Limit, Link, LinkConfig, QueueConfig, Schedule, Scheduled};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Packet, Port, Rate};
use std::hint::black_box;

const PACKETS: u64 = 5_000_000;
const SIZE: u32 = 1000;

fn config(queue: QueueConfig) -> LinkConfig {
    LinkConfig { queue, ..LinkConfig::new(Rate::from_megabits_per_second(8), Duration::from_millis(20)) }
}

fn scheduled(queue: QueueConfig) -> LinkConfig {
    let schedule = Schedule {
        capacity: Some(Steps::constant(Rate::from_megabits_per_second(8)).into()),
        handovers: Handovers::default(),
        ..Schedule::default()
    };
    let loss_stream = Stream::new(1, "loss");
    LinkConfig { scheduled: Some(Scheduled { schedule, loss_stream }), ..config(queue) }
}

/// Packets arrive in pairs at the rate of the link, so that one waits while the other is sent.
fn drive(link: &mut dyn FnMut(Instant, Input, &mut Outbox) -> Option<Instant>) -> u64 {
    let mut out = Outbox::new();
    let mut delivered = 0;
    let mut wake = None;
    for pair in 0..PACKETS / 2 {
        let now = Instant::from_millis(2 * pair);
        while let Some(at) = wake.filter(|at| *at <= now) {
            wake = link(at, Input::Wake, &mut out);
            while let Some((_, packet)) = out.packets.pop() {
                delivered += 1;
                out.recycle(packet);
            }
        }
        for _ in 0..2 {
            let mut packet = out.packet();
            packet.wire_bytes = SIZE;
            packet.segment.length = SIZE;
            wake = link(now, Input::Packet(Port(0), packet), &mut out);
        }
    }
    delivered
}

#[expect(clippy::disallowed_methods, reason = "measures real time")]
fn best_of_five(mut run: impl FnMut() -> u64) -> f64 {
    let time = |run: &mut dyn FnMut() -> u64| {
        let start = std::time::Instant::now();
        black_box(run());
        start.elapsed().as_nanos() as f64 / PACKETS as f64
    };
    (0..5).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn measure(name: &str, config: impl Fn() -> LinkConfig) {
    let cost = best_of_five(|| {
        let mut link = Link::new(config());
        drive(&mut |now, input, out| {
            link.step(now, input, out);
            link.wake_at()
        })
    });
    println!("{name:<44} {cost:6.1} ns per packet-hop");
}

fn main() {
    let driver = best_of_five(|| {
        drive(&mut |_, input, out| {
            let Input::Packet(port, packet) = input else { return None };
            out.send(port, packet);
            Some(Instant::ZERO)
        })
    });
    println!("{:<44} {driver:6.1} ns per packet-hop (included in all others)", "no link: the driver alone");
    measure("unlimited queue", || config(QueueConfig::Unlimited));
    measure("drop-tail in packets", || config(QueueConfig::DropTail(Limit::Packets(50))));
    measure("drop-tail in bytes", || config(QueueConfig::DropTail(Limit::Bytes(50_000))));
    let lossy = || Bernoulli::new(0.01, Stream::new(1, "loss"));
    measure("drop-tail, 1 % lost at the end", || LinkConfig {
        end_error: Some(lossy().into()),
        ..config(QueueConfig::DropTail(Limit::Packets(50)))
    });
    measure("driven by a schedule, drop-tail", || scheduled(QueueConfig::DropTail(Limit::Packets(50))));
    measure("CoDel", || config(QueueConfig::CoDel(CoDelConfig::default())));
    let mut models: [Box<dyn ErrorModel>; 1] = [Box::new(lossy())];
    let mut model = lossy();
    let packet = Packet::default();
    let arrival = |index| seamline_net::error::Arrival { at: Instant::ZERO, index, packet: &packet };
    let dynamic = best_of_five(|| {
        (0..PACKETS).map(|index| u64::from(black_box(&mut models[0]).loses(arrival(index)))).sum()
    });
    let direct = best_of_five(|| (0..PACKETS).map(|index| u64::from(model.loses(arrival(index)))).sum());
    println!("{:<44} {dynamic:6.1} ns through dyn, {direct:.1} ns inlined", "one draw of an error model");
}
