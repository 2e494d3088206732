//! WTCP (Ratnam and Matta, "WTCP: an efficient mechanism for improving TCP performance over wireless links", IEEE ISCC 1998): the base
//! station keeps the data on its way to the mobile host, repairs what the air loses with a timer and a window of its own, and hides from the
//! source how long that takes: to the timestamp of a packet it adds the time for which the packet was here. So the source's round-trip
//! times, and with them its timeout, are those of the wired path, and an acknowledgment still is the mobile host's.
//!
//! The rules of its window: a timeout shows a burst of losses, and leaves one packet under way until an acknowledgment shows that the air is
//! good again; then the window is that of the mobile host. A duplicate acknowledgment shows a single loss on a good air: that packet is sent
//! again, and the window stays.
//!
//! Readings: the source's timestamp clock ticks as [`WtcpParameters::timestamp_tick`] says, because a base station cannot know. After a timeout what
//! was under way goes out again as acknowledgments come. A source without timestamps sees the repairs in its round-trip times.

use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::heard::{Heard, News};
use crate::key::Side;
use crate::round_trip::RoundTrip;
use crate::store::Store;
use crate::{AT_THE_AIR_LINK, Kind};
use seamline_tcp::handover::Traits;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, Segment, SequenceNumber};

pub(super) static KIND: Kind = Kind {
    name: "wtcp",
    summary: "repairs losses over the air with a window of its own, and hides the time that takes in the timestamps",
    cite: "Ratnam and Matta, IEEE ISCC 1998",
    traits: Traits { keeps_end_to_end_semantics: true, ..AT_THE_AIR_LINK },
    ends_connections: false,
    runs_on_real_hosts: false,
    split: None,
    kept_packets: |parameters| parameters.wtcp.cache,
    state_bytes: 0,
    connection: &|parameters| {
        let own = parameters.wtcp;
        ConnectionMaker::new(move || Box::new(Wtcp::new(own)))
    },
};

/// What of WTCP can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WtcpParameters {
    /// Packets kept of each connection.
    pub cache: u32,
    /// How often a packet is sent again at most, unless its source sends it again.
    pub local_retransmissions: u32,
    /// The shortest local retransmission timeout.
    pub minimum_timeout: Duration,
    /// The tick of the source's timestamp clock; zero leaves timestamps as they are.
    pub timestamp_tick: Duration,
}

impl Default for WtcpParameters {
    /// The clock of Linux, and of our profiles.
    fn default() -> Self {
        WtcpParameters {
            cache: 1000,
            local_retransmissions: 100,
            minimum_timeout: Duration::from_millis(100),
            timestamp_tick: Duration::from_millis(1),
        }
    }
}

#[derive(Debug)]
struct Wtcp {
    parameters: WtcpParameters,
    store: Store,
    heard: Heard,
    round_trip: RoundTrip,
    /// The end of what the source has sent.
    end: Option<SequenceNumber>,
    /// After a timeout: the first byte that waits here until the air is good again. What lies before has been sent.
    waits_from: Option<SequenceNumber>,
    timer: Instant,
}

impl Wtcp {
    fn new(parameters: WtcpParameters) -> Self {
        Wtcp {
            store: Store::default(),
            heard: Heard::default(),
            round_trip: RoundTrip::of_data(parameters.minimum_timeout, Duration::ZERO),
            end: None,
            waits_from: None,
            timer: NEVER,
            parameters,
        }
    }

    /// Data from the source. Returns whether it goes on now.
    fn on_data(&mut self, now: Instant, packet: &Packet, exit: &mut Exit<'_>) -> bool {
        let segment = &packet.segment;
        if self.heard.has_all_of(segment) {
            return true;
        }
        self.end = Some(self.end.map_or(segment.end(), |end| end.max(segment.end())));
        let before = self.store.len();
        self.store.keep(now, packet, self.parameters.cache, exit);
        if self.timer == NEVER {
            self.restart_timer(now);
        }
        let is_kept = self.store.len() > before;
        !(is_kept && self.waits_from.is_some_and(|from| segment.sequence.is_at_or_after(from)))
    }

    /// Whether an acknowledgment from the mobile host goes on to the source.
    fn passes(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) -> bool {
        self.store.list(segment.sack.behind(segment.acknowledgment));
        match self.heard.hear(segment) {
            News::Old | News::More | News::Repeated => true,
            News::Duplicate | News::NewGap => self.passes_duplicate(now, segment.acknowledgment, exit),
            News::Progress => {
                self.on_progress(now, segment.acknowledgment, exit);
                true
            }
        }
    }

    /// The air is good: everything that waits goes out, and of what a timeout has shown to be lost as much as acknowledgments let go.
    fn on_progress(&mut self, now: Instant, acknowledgment: SequenceNumber, exit: &mut Exit<'_>) {
        let answered = self.store.acknowledge(acknowledgment, exit);
        if let Some(sample) = answered.and_then(|answered| answered.round_trip_time(now)) {
            self.round_trip.sample(sample);
        }
        let (shortest, most) = (self.round_trip.shortest(), self.parameters.local_retransmissions);
        if let Some(from) = self.waits_from.take() {
            self.store.send_waiting(now, from, exit);
        }
        let timeout =
            self.store.continue_after_timeout(now, acknowledgment, answered.as_ref(), shortest, most, exit);
        if timeout.is_some_and(|timeout| timeout.is_answered()) {
            self.round_trip.end_back_off();
        }
        self.restart_timer(now);
    }

    /// A duplicate of what is kept here stays here; the first one has the packet sent again.
    fn passes_duplicate(&mut self, now: Instant, missing: SequenceNumber, exit: &mut Exit<'_>) -> bool {
        let most = self.parameters.local_retransmissions;
        let Some(first) = self.store.first_mut().filter(|first| first.begins_at_or_before(missing)) else {
            return true;
        };
        if first.sender_repeats || first.sent_again >= most {
            return true;
        }
        if first.sent_again == 0 {
            first.send_again(now, exit);
            self.restart_timer(now);
        }
        false
    }

    fn restart_timer(&mut self, now: Instant) {
        self.timer = if self.store.is_empty() { NEVER } else { now + self.round_trip.timeout() };
    }
}

impl Connection for Wtcp {
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        exit.hide_time_here(self.parameters.timestamp_tick);
        let segment = &packet.segment;
        match from {
            Side::Wired if segment.length > 0 => match self.on_data(now, &packet, exit) {
                true => exit.forward(from, packet),
                false => exit.absorb(packet),
            },
            Side::Wireless if segment.flags.contains(Flags::ACK) => match self.passes(now, segment, exit) {
                true => exit.forward(from, packet),
                false => exit.suppress(from, packet),
            },
            _ => exit.forward(from, packet),
        }
    }
    /// A burst of losses: one packet is under way, and what comes waits.
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.timer > now {
            return;
        }
        self.timer = NEVER;
        exit.hide_time_here(self.parameters.timestamp_tick);
        let Some(first) = self.store.first_mut() else { return };
        if first.sent_again >= self.parameters.local_retransmissions {
            // The source has to help. What waits here is of use only if it arrives.
            if let Some(from) = self.waits_from.take() {
                self.store.send_waiting(now, from, exit);
            }
            return;
        }
        first.send_again(now, exit);
        let end = *self.waits_from.get_or_insert(self.end.unwrap_or_default());
        self.round_trip.back_off();
        self.restart_timer(now);
        self.store.note_timeout(now, Some(end));
    }
    fn wake_at(&self) -> Instant {
        self.timer
    }
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        exit.hide_time_here(self.parameters.timestamp_tick);
        self.store.begin_elsewhere(now, exit);
        self.round_trip.begin_elsewhere();
        self.waits_from = None;
        self.restart_timer(now);
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (self.heard.acknowledged, self.store.packets().collect())
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.store.clear(exit);
        self.waits_from = None;
        self.timer = NEVER;
    }
}
