//! M-TCP (Brown and Singh, "M-TCP: TCP for mobile cellular networks", ACM Computer Communication Review 27(5), 1997), for long and frequent
//! disconnections over an air that loses little: an acknowledgment reaches the source only after the mobile host has sent it, and of what the
//! mobile host has acknowledged the last byte is held back. When nothing is heard of the mobile host any more, that byte is acknowledged
//! with a window of zero: the source stays in persist mode, with its window as it was, until the mobile host is heard again.
//!
//! How the paper is read where it needs a changed TCP at the mobile host, or is silent:
//! - The agent notices a disconnection by itself, when the answer to what it has sent over the air takes longer than the round trips there
//!   have (as a retransmission timeout). The paper's mobile host tells of its return; here the agent sends the first missing packet
//!   from time to time, and what it has kept as acknowledgments come back.
//! - A byte is held back only while more than that is under way: else a source with nothing else to send would wait for it.
//! - A duplicate acknowledgment releases the byte first, as an acknowledgment of its own. A loss on the air is the source's to repair.
//! - The allocation of the air's bandwidth is a fixed largest window, if one is given.

use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::heard::{Heard, News};
use crate::key::Side;
use crate::offered::Scales;
use crate::round_trip::RoundTrip;
use crate::store::Store;
use crate::{AT_THE_AIR_LINK, Kind};
use seamline_tcp::handover::Traits;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, SequenceNumber};

pub(super) static KIND: Kind = Kind {
    name: "m-tcp",
    summary: "holds the last acknowledged byte back, and freezes the sender with it when the mobile host is out of reach",
    cite: "Brown and Singh, ACM Computer Communication Review 27(5), 1997",
    traits: Traits {
        supports_handover: true,
        robust_to_bit_errors: false,
        keeps_end_to_end_semantics: true,
        robust_to_long_disconnection: true,
        ..AT_THE_AIR_LINK
    },
    ends_connections: false,
    runs_on_real_hosts: false,
    split: None,
    kept_packets: |parameters| parameters.m_tcp.cache,
    state_bytes: size_of::<Packet>(),
    connection: &|parameters| {
        let own = parameters.m_tcp;
        ConnectionMaker::new(move || Box::new(MTcp::new(own)))
    },
};

/// What of M-TCP can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MTcpParameters {
    /// Packets kept of each connection, to be sent again after a disconnection.
    pub cache: u32,
    /// The shortest silence that counts as a disconnection while an answer is due.
    pub minimum_timeout: Duration,
    /// Time from one attempt to reach a disconnected mobile host to the next.
    pub probe_interval: Duration,
    /// The largest window that the source is offered, in bytes; `None` is that of the mobile host.
    pub window: Option<u32>,
}

impl Default for MTcpParameters {
    /// A disconnection is to be noticed before the source's timer expires, which takes a second at least (RFC 6298 section 2.4).
    fn default() -> Self {
        MTcpParameters {
            cache: 1000,
            minimum_timeout: Duration::from_millis(100),
            probe_interval: Duration::from_millis(200),
            window: None,
        }
    }
}

/// A connection at the supervisor host.
#[derive(Debug)]
struct MTcp {
    parameters: MTcpParameters,
    store: Store,
    heard: Heard,
    scales: Scales,
    round_trip: RoundTrip,
    /// The end of what the source has sent.
    end: Option<SequenceNumber>,
    /// The highest acknowledgment that has gone to the source.
    passed: Option<SequenceNumber>,
    /// The mobile host's newest acknowledgment, as it came: the agent's own are made from it.
    newest: Option<Box<Packet>>,
    is_disconnected: bool,
    timer: Instant,
}

impl MTcp {
    fn new(parameters: MTcpParameters) -> Self {
        MTcp {
            store: Store::default(),
            heard: Heard::default(),
            scales: Scales::default(),
            round_trip: RoundTrip::of_data(parameters.minimum_timeout, Duration::ZERO),
            end: None,
            passed: None,
            newest: None,
            is_disconnected: false,
            timer: NEVER,
            parameters,
        }
    }

    fn on_data(&mut self, now: Instant, packet: &Packet, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        if self.heard.has_all_of(segment) {
            return;
        }
        self.end = Some(self.end.map_or(segment.end(), |end| end.max(segment.end())));
        self.store.keep(now, packet, self.parameters.cache, exit);
        if self.is_disconnected {
            // A source in persist mode asks with a byte whether the window is still closed.
            if segment.length <= 1 {
                self.pass(true, exit);
            }
        } else if self.timer == NEVER {
            self.restart_timer(now);
        }
    }

    /// An answer of the mobile host is due: what it misses first has gone over the air. If that never came here, it waits for the source.
    fn waits_for_mobile_host(&self) -> bool {
        let acknowledged = self.heard.acknowledged;
        self.store
            .first()
            .is_some_and(|first| acknowledged.is_none_or(|missing| first.begins_at_or_before(missing)))
    }

    fn restart_timer(&mut self, now: Instant) {
        self.timer = if self.waits_for_mobile_host() { now + self.round_trip.timeout() } else { NEVER };
    }

    /// An acknowledgment of the mobile host is about to go to the source.
    fn on_acknowledgment(&mut self, now: Instant, packet: &mut Packet, exit: &mut Exit<'_>) {
        let segment = packet.segment;
        self.store.list(segment.sack.behind(segment.acknowledgment));
        let news = self.heard.hear(&segment);
        if news == News::Old {
            return;
        }
        self.remember(packet);
        self.is_disconnected = false;
        match news {
            News::Progress => self.on_progress(now, segment.acknowledgment, exit),
            News::Duplicate | News::NewGap if self.passed != Some(segment.acknowledgment) => {
                self.pass(false, exit);
            }
            _ => {}
        }
        self.restart_timer(now);
        packet.segment.acknowledgment = self.number_for_source(segment.acknowledgment);
        self.scales.limit(Side::Wireless, &mut packet.segment, self.parameters.window);
        exit.counters.marked_acknowledgments += u64::from(packet.segment != segment);
    }

    fn on_progress(&mut self, now: Instant, acknowledgment: SequenceNumber, exit: &mut Exit<'_>) {
        let answered = self.store.acknowledge(acknowledgment, exit);
        if let Some(sample) = answered.and_then(|answered| answered.round_trip_time(now)) {
            self.round_trip.sample(sample);
        }
        let shortest = self.round_trip.shortest();
        self.store.continue_after_timeout(now, acknowledgment, answered.as_ref(), shortest, u32::MAX, exit);
    }

    /// One byte less than is acknowledged while more is under way; never less than has gone to the source.
    fn number_for_source(&mut self, acknowledgment: SequenceNumber) -> SequenceNumber {
        let more_is_under_way = self.end.is_some_and(|end| end.is_after(acknowledgment));
        let number = if more_is_under_way { acknowledgment - 1 } else { acknowledgment };
        *self.passed.insert(self.passed.map_or(number, |passed| passed.max(number)))
    }

    fn remember(&mut self, packet: &Packet) {
        let newest = self.newest.get_or_insert_default();
        Packet::clone_from(newest, packet);
        newest.make_bare();
        // Only the numbers and the window count: what else it said has been said.
        newest.wire_bytes = newest.wire_bytes.saturating_sub(newest.segment.length);
        let segment = &mut newest.segment;
        (segment.sequence, segment.length, segment.flags, segment.mark) =
            (segment.end(), 0, Flags::ACK, None);
        self.scales.limit(Side::Wireless, segment, self.parameters.window);
    }

    /// Acknowledge to the source everything that the mobile host has acknowledged, with the window that it offers or with none.
    fn pass(&mut self, is_frozen: bool, exit: &mut Exit<'_>) {
        let (Some(newest), Some(acknowledged)) = (&self.newest, self.heard.acknowledged) else { return };
        let window = if is_frozen { 0 } else { newest.segment.window };
        exit.acknowledge(newest, acknowledged, window);
        self.passed = Some(acknowledged);
    }
}

impl Connection for MTcp {
    fn on_segment(&mut self, now: Instant, from: Side, mut packet: Box<Packet>, exit: &mut Exit<'_>) {
        self.scales.hear(from, &packet.segment);
        match from {
            Side::Wired if packet.segment.sequence_length() > 0 => self.on_data(now, &packet, exit),
            Side::Wireless if packet.segment.flags.contains(Flags::ACK) => {
                self.on_acknowledgment(now, &mut packet, exit);
            }
            _ => {}
        }
        exit.forward(from, packet);
    }
    /// Nothing is heard of the mobile host: it is disconnected, if it was not before.
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.timer > now {
            return;
        }
        self.timer = NEVER;
        if !self.waits_for_mobile_host() {
            return;
        }
        if !std::mem::replace(&mut self.is_disconnected, true) {
            self.pass(true, exit);
        }
        if let Some(first) = self.store.first_mut() {
            first.send_again(now, exit);
        }
        self.store.note_timeout(now, self.end);
        self.timer = now + self.parameters.probe_interval;
    }
    fn wake_at(&self) -> Instant {
        self.timer
    }
    /// What was on the air at the old base station is lost. The source hears of the mobile host with its next acknowledgment.
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.store.begin_elsewhere(now, exit);
        self.round_trip.begin_elsewhere();
        self.restart_timer(now);
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (self.heard.acknowledged, self.store.packets().collect())
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.store.clear(exit);
        self.timer = NEVER;
    }
}
