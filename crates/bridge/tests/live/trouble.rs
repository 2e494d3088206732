//! Snoop, with trouble while a test wants it.

use crate::hosts::pause;
use seamline_agent::{Connection, ConnectionMaker, Exit, Kind, Parameters, Side, find};
use seamline_wire::{Instant, Packet, SequenceNumber};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// What goes wrong now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Trouble {
    None,
    /// It does not come back from whatever it is asked.
    Hangs,
    /// It panics at a segment, and then there is no other agent to replace it.
    Panics,
}

static NOW: AtomicU8 = AtomicU8::new(Trouble::None as u8);
/// The next agent cannot be made.
static CANNOT_BE_REPLACED: AtomicBool = AtomicBool::new(false);

impl Trouble {
    /// From now on, for all such agents.
    pub(crate) fn begin(self) {
        CANNOT_BE_REPLACED.store(false, Ordering::Relaxed);
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
struct Troubled(Box<dyn Connection>);

impl Connection for Troubled {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        hang();
        if Trouble::Panics.is_now() {
            CANNOT_BE_REPLACED.store(true, Ordering::Relaxed);
            panic!("the test wants this");
        }
        self.0.on_segment(now, from, packet, exit);
    }
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.0.on_wake(now, exit);
    }
    fn wake_at(&self) -> Instant {
        self.0.wake_at()
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        self.0.kept()
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.0.let_go(exit);
    }
    fn end(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.0.end(now, exit);
    }
}

fn snoop() -> &'static Kind {
    find("snoop").expect("it is there")
}

fn connection(parameters: &Parameters) -> ConnectionMaker {
    assert!(!CANNOT_BE_REPLACED.swap(false, Ordering::Relaxed), "the test wants this");
    let snoop = (snoop().connection)(parameters);
    ConnectionMaker::new(move || Box::new(Troubled(snoop.make())))
}

/// The kind of such agents.
pub(crate) fn kind() -> &'static Kind {
    Box::leak(Box::new(Kind { connection: &connection, ..*snoop() }))
}
