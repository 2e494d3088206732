//! A host whose timers and packets come in ns-2's order where they come at the same time.

use super::ns2_clock::{Ns2Clock, timeout_seconds};
use super::setup::Setup;
use seamline_tcp::Host;
use seamline_tcp::host::ConnectionId;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox};
use std::collections::BTreeSet;

const ONLY: ConnectionId = ConnectionId(0);

/// A host with one connection. A timer comes before a packet of the same time, because it was set
/// earlier, except at times chosen beforehand; [`Self::misordered`] holds the first of these times.
#[derive(Debug)]
pub(super) struct TimedHost {
    pub(super) host: Host,
    setup: Setup,
    clock: Ns2Clock,
    packet_first: BTreeSet<Instant>,
    /// When the timer expires, by our clock and by ns-2's.
    expiry: Option<(Instant, f64)>,
    /// The last expiry that has happened.
    expired: Option<(Instant, f64)>,
    /// A timer waits for the packet of this time.
    waits_for_packet: Option<Instant>,
    last_packet: Option<Instant>,
    /// The first time at which a packet should have come before a timer: what happened later is void.
    pub(super) misordered: Option<Instant>,
    is_over: bool,
}

impl TimedHost {
    /// A host under the settings of a run.
    pub(super) fn new(host: Host, setup: &Setup, clock: Ns2Clock, packet_first: BTreeSet<Instant>) -> Self {
        TimedHost {
            host,
            setup: setup.clone(),
            clock,
            packet_first,
            expiry: None,
            expired: None,
            waits_for_packet: None,
            last_packet: None,
            misordered: None,
            is_over: false,
        }
    }

    fn on_packet(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        let arrival = self.clock.read();
        self.last_packet = Some(now);
        let packet_first = self.packet_first.contains(&now);
        if !packet_first {
            self.expire(now, out);
            if self.expired.is_some_and(|(at, seconds)| at == now && arrival < seconds) {
                self.misordered.get_or_insert(now);
            }
        }
        self.clock.set(arrival);
        self.step_host(now, input, out);
        self.waits_for_packet = None;
        if packet_first {
            self.expire(now, out);
        }
    }

    /// Let the timer expire if it is due.
    fn expire(&mut self, now: Instant, out: &mut Outbox) {
        let Some((at, seconds)) = self.expiry.filter(|(at, _)| *at <= now) else { return };
        self.clock.set(seconds);
        self.expired = Some((at, seconds));
        self.step_host(now, Input::Wake, out);
    }

    fn step_host(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.is_over = self.is_over || self.ends_before(now);
        if self.is_over {
            return;
        }
        self.host.step(now, input, out);
        let endpoint = self.host.endpoint(ONLY);
        let wake_at = endpoint.wake_at();
        if wake_at != self.expiry.map(|(at, _)| at) {
            let backoff = endpoint.sample().backoff;
            let seconds = |at: Instant| self.clock.read() + timeout_seconds(&self.setup, at - now, backoff);
            self.expiry = wake_at.map(|at| (at, seconds(at)));
        }
    }

    /// Whether the run has ended by ns-2's clock: the command that ends it was scheduled first of all.
    fn ends_before(&self, now: Instant) -> bool {
        now >= Instant::ZERO + Duration::from_secs_f64(self.setup.dur) && self.clock.read() >= self.setup.dur
    }
}

impl Machine for TimedHost {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(..) => self.on_packet(now, input, out),
            _ if self.packet_first.contains(&now) && self.last_packet != Some(now) => {
                self.waits_for_packet = Some(now)
            }
            _ if self.expiry.is_some_and(|(at, _)| at <= now) => self.expire(now, out),
            input => self.step_host(now, input, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        match self.waits_for_packet {
            _ if self.is_over => None,
            Some(at) => Some(at + Duration::from_nanos(1)),
            None => self.host.wake_at(),
        }
    }
}
