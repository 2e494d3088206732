//! Snoop, with trouble while a test wants it.

use crate::hosts::pause;
use seamline_agent::{Agent, ConnectionKey, Counters, Kind, Moved, Parameters, Side, find};
use seamline_wire::{Input, Instant, Machine, NodeId, Outbox, Segment};
use std::sync::atomic::{AtomicU8, Ordering};

/// What goes wrong now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Trouble {
    None,
    /// It does not come back from whatever it is asked.
    Hangs,
    /// It panics where the engine asks it when to be woken, and no packet is to blame.
    Panics,
}

static NOW: AtomicU8 = AtomicU8::new(Trouble::None as u8);

impl Trouble {
    /// From now on, for all such agents.
    pub(crate) fn begin(self) {
        NOW.store(self as u8, Ordering::Relaxed);
    }
    fn is_now(self) -> bool {
        NOW.load(Ordering::Relaxed) == self as u8
    }
}

fn hang() {
    while Trouble::Hangs.is_now() {
        pause(10);
    }
}

#[derive(Debug)]
struct Troubled(Box<dyn Agent>);

impl Machine for Troubled {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        hang();
        self.0.step(now, input, out);
    }
    fn wake_at(&self) -> Option<Instant> {
        hang();
        assert!(!Trouble::Panics.is_now(), "the test wants this");
        self.0.wake_at()
    }
}

impl Agent for Troubled {
    fn counters(&self) -> Counters {
        self.0.counters()
    }
    fn is_ended_by(&self, key: ConnectionKey, from: Side, segment: &Segment) -> bool {
        self.0.is_ended_by(key, from, segment)
    }
    fn on_opaque(&mut self, now: Instant, key: ConnectionKey, out: &mut Outbox) {
        self.0.on_opaque(now, key, out);
    }
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved> {
        self.0.hand_out(addresses)
    }
    fn take_in(&mut self, moved: Vec<Moved>) {
        self.0.take_in(moved);
    }
}

fn snoop() -> &'static Kind {
    find("snoop").expect("it is there")
}

fn build(parameters: &Parameters) -> Box<dyn Agent> {
    Box::new(Troubled((snoop().build)(parameters)))
}

/// The kind of such agents.
pub(crate) fn kind() -> &'static Kind {
    Box::leak(Box::new(Kind { build, ..*snoop() }))
}
