//! Snoop (Balakrishnan, Seshan and Katz, "Improving reliable transport and handoff performance in cellular wireless networks",
//! ACM Wireless Networks 1(4), 1995): keeps the data on its way to the mobile node, sends what the air has lost again by
//! itself, and keeps the duplicate acknowledgments of that from the sender.

mod cache;
mod round_trip;
mod uplink;

use crate::Kind;
use crate::connection::Connection;
use crate::connections::Connections;
use crate::exit::Exit;
use crate::heard::{Heard, News};
use crate::key::Side;
use cache::{Cache, Place};
use round_trip::RoundTrip;
use seamline_tcp::handover::Traits;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, Segment, SequenceNumber};
use uplink::Uplink;

pub(super) static KIND: Kind = Kind {
    name: "snoop",
    summary: "sends what the air has lost again from its cache, and hides the duplicate acknowledgments",
    cite: "Balakrishnan, Seshan and Katz, ACM Wireless Networks 1(4), 1995",
    // It acknowledges nothing itself, so an acknowledgment still means that the far end has the data.
    traits: Traits { keeps_end_to_end_semantics: true, ..crate::BESIDE_THE_AIR },
    ends_connections: false,
    build: |parameters| {
        let own = parameters.snoop.clone();
        let connections = Connections::new(parameters.limits, move || Box::new(Snoop::new(own.clone())));
        Box::new(connections.inside_tunnels(parameters.inside_tunnels))
    },
};

/// What of Snoop can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct SnoopParameters {
    /// Packets kept of each connection.
    pub cache: u32,
    /// Duplicates that pass before one makes the agent send again. The paper's agent acts at once; ns-2's lets one pass.
    pub passed_duplicates: u32,
    /// How often at most a packet is sent again, unless its sender sends it again.
    pub local_retransmissions: u32,
    /// The shortest time after which the agent sends again by itself.
    pub minimum_timeout: Duration,
    /// Smoothed round-trip time over the air before the first sample.
    pub initial_round_trip_time: Duration,
    /// Its variation before the first sample.
    pub initial_variation: Duration,
    /// The share of a new sample in the smoothed round-trip time, 0 to 1.
    pub sample_weight: f64,
    /// Every acknowledgment gives a sample, from when the last packet was sent that it acknowledges; otherwise it is a sample for the packet
    /// that was sent last, if that was sent once.
    pub samples_retransmissions: bool,
    /// Duplicates are counted on across new acknowledgments, as by the one counter that all of ns-2's agents share.
    pub counts_duplicates_on: bool,
    /// Duplicates that show another gap are hidden like others, as in ns-2. Otherwise they pass: a sender with SACK that does not hear of them may never
    /// hear of what they list, and sends it again.
    pub hides_new_gaps: bool,
    /// Acknowledgments for the mobile node that ask for what the air has lost are marked.
    pub explicit_loss_notification: bool,
    /// What the mobile node sends again fills its gap at once where it lies right before later data, and duplicates for it that are still to come are
    /// not marked, as in ns-2. Otherwise they are, until the far end has it.
    pub repairs_fill_gaps: bool,
}

impl Default for SnoopParameters {
    /// As in ns-2, but for its mistakes: the new sample has an eighth, and each loss its own count.
    fn default() -> Self {
        SnoopParameters {
            cache: 100,
            passed_duplicates: 1,
            local_retransmissions: 10,
            minimum_timeout: Duration::from_millis(100),
            initial_round_trip_time: Duration::from_millis(100),
            initial_variation: Duration::from_millis(250),
            sample_weight: 0.125,
            samples_retransmissions: false,
            counts_duplicates_on: false,
            hides_new_gaps: false,
            explicit_loss_notification: true,
            repairs_fill_gaps: false,
        }
    }
}

impl SnoopParameters {
    /// Those of ns-2.
    pub fn ns2() -> Self {
        SnoopParameters {
            sample_weight: 0.875,
            samples_retransmissions: true,
            counts_duplicates_on: true,
            hides_new_gaps: true,
            repairs_fill_gaps: true,
            ..Self::default()
        }
    }
}

/// The duplicates that what is on its way over the air will still cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// None that are known of: the next one tells of a loss.
    None,
    /// So many, which say nothing new.
    Some(u32),
    /// More have come than there can be: something was miscounted.
    Fewer,
}

#[derive(Debug)]
struct Snoop {
    parameters: SnoopParameters,
    cache: Cache,
    heard: Heard,
    /// Duplicates since one made the agent act.
    duplicates: u32,
    expected: Expected,
    /// The first packet of the cache has been sent again: no duplicates come for it.
    first_is_under_way: bool,
    round_trip: RoundTrip,
    timer: Instant,
    uplink: Uplink,
}

impl Snoop {
    fn new(parameters: SnoopParameters) -> Self {
        Snoop {
            cache: Cache::default(),
            heard: Heard::default(),
            duplicates: 0,
            expected: Expected::None,
            first_is_under_way: false,
            round_trip: RoundTrip::new(&parameters),
            timer: NEVER,
            uplink: Uplink::default(),
            parameters,
        }
    }

    /// Data towards the mobile node.
    fn on_data(&mut self, now: Instant, packet: &Packet, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        if self.heard.acknowledged.is_some_and(|acknowledged| segment.end().is_at_or_before(acknowledged)) {
            return;
        }
        let place = self.cache.place_of(segment);
        if place != Place::Known && self.cache.len() >= self.parameters.cache as usize {
            exit.counters.not_cached += 1;
            return self.cache.note_end(segment.end());
        }
        match place {
            Place::Known => self.cache.sent_by_sender_again(segment.sequence, now),
            Place::Last | Place::Before(_) => {
                let Some(copy) = exit.keep(packet) else { return self.cache.note_end(segment.end()) };
                self.cache.insert(place, copy, now);
            }
        }
        if place != Place::Last {
            self.first_is_under_way &= place == Place::Known;
            self.timer = NEVER;
        }
        if self.timer == NEVER && !self.cache.is_empty() {
            self.timer = now + self.round_trip.timeout();
        }
    }

    /// Whether an acknowledgment from the mobile node goes on to the sender.
    fn passes(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) -> bool {
        let acknowledgment = segment.acknowledgment;
        match self.heard.hear(segment) {
            News::Old | News::More | News::Repeated => true,
            News::Duplicate => self.passes_duplicate(now, acknowledgment, exit),
            News::NewGap => {
                self.passes_duplicate(now, acknowledgment, exit) || !self.parameters.hides_new_gaps
            }
            News::Progress => {
                self.on_progress(now, acknowledgment, exit);
                true
            }
        }
    }

    fn on_progress(&mut self, now: Instant, acknowledgment: SequenceNumber, exit: &mut Exit<'_>) {
        if let Some(acknowledged) = self.cache.acknowledge(acknowledgment, exit) {
            let sent_at = match self.parameters.samples_retransmissions {
                true => Some(acknowledged.last_sent_at),
                false => acknowledged.answered_sent_at,
            };
            sent_at.into_iter().for_each(|at| self.round_trip.sample(now.saturating_since(at)));
        }
        self.expected = Expected::None;
        self.first_is_under_way = false;
        if !self.parameters.counts_duplicates_on {
            self.duplicates = 0;
        }
        self.timer = if self.cache.is_empty() { NEVER } else { now + self.round_trip.timeout() };
    }

    fn passes_duplicate(&mut self, now: Instant, missing: SequenceNumber, exit: &mut Exit<'_>) -> bool {
        let Some(first) = self.cache.first().filter(|first| first.begins_at_or_before(missing)) else {
            // It never came here: the sender has to send it again.
            return true;
        };
        match self.expected {
            Expected::Some(left) => {
                self.expected = if left > 1 { Expected::Some(left - 1) } else { Expected::None };
                false
            }
            Expected::Fewer => first.local_retransmissions >= 2 || !self.send_first_again(now, exit),
            Expected::None => {
                self.duplicates += 1;
                if self.duplicates <= self.parameters.passed_duplicates {
                    return true;
                }
                self.duplicates = 0;
                if first.sender_repeats {
                    return true;
                }
                let is_new = first.local_retransmissions == 0;
                self.expected = self.to_come();
                self.first_is_under_way = true;
                !is_new || !self.send_first_again(now, exit)
            }
        }
    }

    fn notify_of_losses(&mut self, from: Side, packet: &mut Packet, exit: &mut Exit<'_>) {
        match from {
            Side::Wireless if packet.segment.sequence_length() > 0 => {
                self.uplink.on_data(&packet.segment, self.parameters.repairs_fill_gaps)
            }
            Side::Wireless => {}
            Side::Wired => {
                if let Some(mark) = self.uplink.mark(&packet.segment) {
                    exit.mark(packet, mark);
                }
            }
        }
    }

    /// One duplicate for each packet behind the missing one, less those that have come.
    fn to_come(&self) -> Expected {
        let causes = self.cache.len() - usize::from(self.first_is_under_way && !self.cache.is_empty());
        let have_come = self.parameters.passed_duplicates as usize + 1;
        match causes.checked_sub(have_come) {
            None => Expected::Fewer,
            Some(0) => Expected::None,
            Some(left) => Expected::Some(left as u32),
        }
    }

    /// Whether the first packet of the cache was sent again.
    fn send_first_again(&mut self, now: Instant, exit: &mut Exit<'_>) -> bool {
        let most = self.parameters.local_retransmissions;
        let Some(first) = self.cache.first_mut().filter(|first| first.local_retransmissions < most) else {
            return false;
        };
        first.sent_at = now;
        first.local_retransmissions += 1;
        exit.retransmit(&first.packet);
        self.timer = now + self.round_trip.timeout();
        true
    }
}

impl Connection for Snoop {
    fn on_segment(&mut self, now: Instant, from: Side, mut packet: Box<Packet>, exit: &mut Exit<'_>) {
        if self.parameters.explicit_loss_notification {
            self.notify_of_losses(from, &mut packet, exit);
        }
        let segment = &packet.segment;
        match from {
            Side::Wired if segment.length > 0 => {
                self.on_data(now, &packet, exit);
                exit.forward(from, packet);
            }
            Side::Wireless if segment.flags.contains(Flags::ACK) => {
                if self.passes(now, segment, exit) {
                    exit.forward(from, packet);
                } else {
                    exit.suppress(from, packet);
                }
            }
            _ => exit.forward(from, packet),
        }
    }
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.timer > now {
            return;
        }
        self.timer = NEVER;
        let Some(first) = self.cache.first() else { return };
        let is_missing = self.heard.acknowledged.is_none_or(|missing| first.begins_at_or_before(missing));
        if is_missing && self.send_first_again(now, exit) {
            self.first_is_under_way = true;
        }
    }
    fn wake_at(&self) -> Instant {
        self.timer
    }
    /// What was on the air at the old base station is lost, unless it is acknowledged since: send it all again, as the new base
    /// station of the paper's handoff does.
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.cache.send_all_again(now, exit);
        self.expected = Expected::None;
        self.first_is_under_way = !self.cache.is_empty();
        self.duplicates = 0;
        self.timer = if self.cache.is_empty() { NEVER } else { now + self.round_trip.timeout() };
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (self.heard.acknowledged, self.cache.packets().collect())
    }
    fn kept_bytes(&self) -> u64 {
        self.cache.bytes()
    }
    fn end(&mut self, _now: Instant, exit: &mut Exit<'_>) {
        self.cache.clear(exit);
        self.timer = NEVER;
    }
}
