//! A trace of everything that can be observed, as text.

use seamline_sim::{ElementId, Observer};
use seamline_wire::{Event, Instant, Packet};
use std::fmt::Write;

/// Writes a line for each event and each packet that leaves or reaches a machine. Floating-point numbers
/// are written with all their digits: the simulator's arithmetic is the same on every machine.
#[derive(Debug, Default)]
pub struct Trace {
    pub text: String,
    pub sent: u64,
    pub arrived: u64,
}

impl Trace {
    fn line(&mut self, now: Instant, at: ElementId, what: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{now} {} {what}", at.0).expect("a string takes everything");
    }
}

impl Observer for Trace {
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.line(now, at, format_args!("{event:?}"));
    }
    fn sent(&mut self, now: Instant, from: ElementId, packet: &Packet) {
        self.sent += 1;
        self.line(now, from, format_args!("> {packet:?}"));
    }
    fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        self.arrived += 1;
        self.line(now, at, format_args!("< {packet:?}"));
    }
}
