//! Which of two simultaneous events at a host comes first.
//!
//! Round-trip times and timeouts of the reference scenarios are multiples of common units, so now and then
//! the retransmission timer expires at the very nanosecond at which a packet arrives. ns-2 orders events of
//! one time by when they were scheduled: the timer, which was set a round trip before, comes
//! first. But its times are sums of doubles, and where those round differently, the packet does.

use seamline_tcp::Host;
use seamline_tcp::host::ConnectionId;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox};
use std::collections::BTreeSet;

/// How simultaneous events are ordered where it is not by ns-2's rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exceptions {
    /// Times at which a packet comes before a timer of the sender.
    pub(super) packet_first: BTreeSet<Instant>,
    /// Whether packets that arrive at the very end of the run still count. ns-2's last command was
    /// scheduled first of all, so by the rule they do not.
    pub(super) end_included: bool,
}

/// A host with one connection, whose timers come before packets of the same time, except at chosen
/// times.
#[derive(Debug)]
pub(super) struct TieOrder {
    host: Host,
    packet_first: BTreeSet<Instant>,
    ties: Vec<Instant>,
    timer_was_due: Option<Instant>,
    waits_for_packet: Option<Instant>,
}

impl TieOrder {
    /// Timers come first, except at these times.
    pub(super) fn new(host: Host, packet_first: BTreeSet<Instant>) -> Self {
        TieOrder { host, packet_first, ties: Vec::new(), timer_was_due: None, waits_for_packet: None }
    }
    /// The host.
    pub(super) fn host(&self) -> &Host {
        &self.host
    }
    /// When packets met a timer.
    pub(super) fn ties(&self) -> &[Instant] {
        &self.ties
    }

    fn note_timer(&mut self, now: Instant) {
        if self.host.endpoint(ConnectionId(0)).wake_at().is_some_and(|at| at <= now) {
            self.timer_was_due = Some(now);
        }
    }
    fn on_packet(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.note_timer(now);
        let is_tie = self.timer_was_due == Some(now);
        if is_tie {
            self.ties.push(now);
        }
        if is_tie && !self.packet_first.contains(&now) {
            self.host.step(now, Input::Wake, out);
        }
        self.host.step(now, input, out);
        if self.waits_for_packet.take().is_some() {
            self.host.step(now, Input::Wake, out);
        }
    }
}

impl Machine for TieOrder {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(..) => self.on_packet(now, input, out),
            Input::Wake if self.packet_first.contains(&now) => self.waits_for_packet = Some(now),
            input => {
                self.note_timer(now);
                self.host.step(now, input, out);
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        match self.waits_for_packet {
            Some(at) => Some(at + Duration::from_nanos(1)),
            None => self.host.wake_at(),
        }
    }
}
