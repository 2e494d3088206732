//! In steady state a link allocates nothing, on either path.
#![expect(unsafe_code, reason = "an allocator that counts has to be one")]

mod support;

use seamline_net::error::Bernoulli;
use seamline_net::schedule::Steps;
use seamline_net::{
    CakeConfig, CoDelConfig, DualPi2Config, FqCoDelConfig, FqConfig, Limit, Link, LinkConfig, PieConfig,
    QueueConfig, Schedule,
};
use seamline_wire::random::Stream;
use seamline_wire::{Input, Instant, Machine, Outbox, Port};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use support::{RATE, config, scheduled};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Twelve packets every ten milliseconds on a link that carries ten.
fn drive(link: &mut Link, out: &mut Outbox, rounds: std::ops::Range<u64>) {
    for round in rounds {
        let now = Instant::from_millis(10 * round);
        while let Some(at) = link.wake_at().filter(|at| *at <= now) {
            link.step(at, Input::Wake, out);
            while let Some((_, packet)) = out.packets.pop() {
                out.recycle(packet);
            }
        }
        for _ in 0..12 {
            let mut packet = out.packet();
            packet.wire_bytes = 1000;
            link.step(now, Input::Packet(Port(0), packet), out);
        }
    }
}

#[test]
fn steady_state_allocates_nothing() {
    let queue = || QueueConfig::DropTail(Limit::Packets(20));
    let loss = || Some(Bernoulli::new(0.01, Stream::new(1, "loss")).into());
    let schedule = Schedule { capacity: Some(Steps::constant(RATE).into()), ..Schedule::default() };
    let codel = QueueConfig::CoDel(CoDelConfig { limit: Some(Limit::Packets(20)), ..CoDelConfig::default() });
    let limit = Limit::Packets(20);
    let fq_codel = QueueConfig::FqCoDel(FqCoDelConfig { limit: 20, ..FqCoDelConfig::default() });
    let pie = QueueConfig::Pie(PieConfig { limit, ..PieConfig::default() });
    let dual_pi2 = QueueConfig::DualPi2(DualPi2Config { limit, ..DualPi2Config::default() });
    let fq = QueueConfig::Fq(FqConfig { limit: 20, ..FqConfig::default() });
    let cake = QueueConfig::Cake(CakeConfig { memory_limit: 20_000, ..CakeConfig::default() });
    let managed = [("FQ-CoDel", fq_codel), ("PIE", pie), ("DualPI2", dual_pi2), ("fq", fq), ("CAKE", cake)]
        .map(|(name, queue)| (name, LinkConfig { queue, ..config(30.0) }));
    let links = [
        ("bare", LinkConfig { queue: queue(), ..config(30.0) }),
        ("lossy", LinkConfig { queue: queue(), head_error: loss(), end_error: loss(), ..config(30.0) }),
        ("scheduled", scheduled(LinkConfig { queue: queue(), ..config(30.0) }, schedule)),
        ("CoDel", LinkConfig { queue: codel, ..config(30.0) }),
    ];
    for (name, config) in links.into_iter().chain(managed) {
        let mut link = Link::new(config);
        let mut out = Outbox::new();
        drive(&mut link, &mut out, 0..500);
        let before = COUNT.get();
        drive(&mut link, &mut out, 500..5_000);
        assert_eq!(COUNT.get() - before, 0, "{name}");
        let counters = link.counters();
        assert!(counters.delivered.packets > 40_000 && counters.dropped.total().packets > 5_000, "{name}");
    }
}
