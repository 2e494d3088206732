//! Snoop (Balakrishnan, Seshan and Katz, "Improving reliable transport and handoff performance in cellular wireless networks",
//! ACM Wireless Networks 1(4), 1995): keeps the data on its way to the mobile node, sends what the air has lost again by
//! itself, and keeps the duplicate acknowledgments of that from the sender.

mod parameters;
mod round_trip;
mod uplink;

use crate::Kind;
use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::heard::{Heard, News};
use crate::key::Side;
use crate::store::Store;
use round_trip::RoundTrip;
use seamline_tcp::handover::Traits;
use seamline_wire::timers::NEVER;
use seamline_wire::{Flags, Instant, Packet, Segment, SequenceNumber};
use uplink::Uplink;

pub use parameters::SnoopParameters;

pub(super) static KIND: Kind = Kind {
    name: "snoop",
    summary: "retransmits from its cache what was lost over the air, and hides the duplicate acknowledgments",
    cite: "Balakrishnan, Seshan and Katz, ACM Wireless Networks 1(4), 1995",
    // It acknowledges nothing itself, so an acknowledgment still means that the far end has the data.
    traits: Traits { keeps_end_to_end_semantics: true, ..crate::AT_THE_AIR_LINK },
    ends_connections: false,
    runs_on_real_hosts: true,
    split: None,
    kept_packets: |parameters| parameters.snoop.cache,
    state_bytes: 0,
    connection: &|parameters| {
        let own = parameters.snoop.clone();
        ConnectionMaker::new(move || Box::new(Snoop::new(own.clone())))
    },
};

/// The duplicates that what is on its way over the air will still cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// None: the next one shows a loss.
    None,
    /// So many, which say nothing new.
    Some(u32),
    /// More have come than there can be: something was miscounted.
    Fewer,
}

#[derive(Debug)]
struct Snoop {
    parameters: SnoopParameters,
    cache: Store,
    /// The end of what was seen last in sequence.
    end: Option<SequenceNumber>,
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
            cache: Store::default(),
            end: None,
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
        if self.heard.has_all_of(segment) {
            return;
        }
        let is_last = self.end.is_none_or(|end| segment.sequence.is_at_or_after(end));
        let found = self.cache.find(segment.sequence);
        match found {
            Ok(place) => self.cache.sent_by_sender_again(place, now),
            Err(place) => {
                self.note_end(segment.end());
                if self.cache.len() >= self.parameters.cache as usize {
                    exit.counters.not_cached += 1;
                    return;
                }
                let Some(copy) = exit.keep(packet) else { return };
                self.cache.insert(place, copy, now, !is_last && place == 0);
            }
        }
        if !is_last {
            self.first_is_under_way &= found.is_ok();
            self.timer = NEVER;
        }
        if self.timer == NEVER && !self.cache.is_empty() {
            self.timer = now + self.round_trip.timeout();
        }
    }

    fn note_end(&mut self, end: SequenceNumber) {
        self.end = Some(self.end.map_or(end, |known| known.max(end)));
    }

    /// Whether an acknowledgment from the mobile node is forwarded to the sender.
    fn passes(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) -> bool {
        let acknowledgment = segment.acknowledgment;
        self.cache.list(segment.sack.behind(acknowledgment));
        match self.heard.hear(segment) {
            News::Old | News::More | News::Repeated => true,
            News::Duplicate => self.passes_duplicate(now, acknowledgment, exit),
            News::NewGap => {
                self.passes_duplicate(now, acknowledgment, exit) || !self.parameters.hides_new_gaps
            }
            News::Progress => {
                self.on_progress(now, segment, exit);
                true
            }
        }
    }

    fn on_progress(&mut self, now: Instant, segment: &Segment, exit: &mut Exit<'_>) {
        let answered = self.cache.acknowledge(segment.acknowledgment, exit);
        self.note_end(segment.acknowledgment);
        if let Some(answered) = &answered {
            let sample = match self.parameters.samples_retransmissions {
                true => Some(now.saturating_since(answered.last_in_sequence)),
                false => answered.round_trip_time(now),
            };
            sample.into_iter().for_each(|sample| self.round_trip.sample(sample));
        }
        self.expected = Expected::None;
        let (shortest, most) = (self.round_trip.shortest(), self.parameters.local_retransmissions);
        let acknowledgment = segment.acknowledgment;
        let timeout =
            self.cache.continue_after_timeout(now, acknowledgment, answered.as_ref(), shortest, most, exit);
        self.first_is_under_way =
            timeout.is_some() && self.cache.first().is_some_and(|first| first.sent_again > 0);
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
            Expected::Fewer => first.sent_again >= 2 || !self.send_first_again(now, exit),
            Expected::None => {
                self.duplicates += 1;
                if self.duplicates <= self.parameters.passed_duplicates {
                    return true;
                }
                self.duplicates = 0;
                if first.sender_repeats {
                    return true;
                }
                let is_new = first.sent_again == 0;
                self.expected = self.to_come();
                self.first_is_under_way = true;
                !is_new || !self.send_first_again(now, exit)
            }
        }
    }

    fn notify_of_losses(&mut self, from: Side, packet: &mut Packet, exit: &mut Exit<'_>) {
        match from {
            Side::Wireless if packet.segment.sequence_length() > 0 => {
                self.uplink.on_data(&packet.segment, self.parameters.remembers_uplink_as_ns2)
            }
            Side::Wireless => {}
            Side::Wired => {
                if let Some(mark) = self.uplink.mark(&packet.segment, &self.parameters) {
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
        let Some(first) = self.cache.first_mut().filter(|first| first.sent_again < most) else {
            return false;
        };
        first.send_again(now, exit);
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
            let end = self.end.filter(|_| self.parameters.goes_on_after_timeouts);
            self.cache.note_timeout(now, end);
        }
    }
    fn wake_at(&self) -> Instant {
        self.timer
    }
    /// What was on the air at the old base station is lost, unless it is acknowledged since: send it all again, as the new base
    /// station of the paper's handoff does.
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.cache.begin_elsewhere(now, exit);
        self.round_trip.begin_elsewhere();
        self.expected = Expected::None;
        self.first_is_under_way = !self.cache.is_empty();
        self.duplicates = 0;
        self.timer = if self.cache.is_empty() { NEVER } else { now + self.round_trip.timeout() };
    }
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (self.heard.acknowledged, self.cache.packets().collect())
    }
    fn let_go(&mut self, exit: &mut Exit<'_>) {
        self.cache.clear(exit);
        self.expected = Expected::None;
        self.first_is_under_way = false;
        self.timer = NEVER;
    }
}
