//! When the receiver acknowledges.

use super::adaptive::{Decision, Gap};
use super::{Arrival, Receiver, Timing};
use crate::offset::Offset;
use seamline_wire::{Duration, Instant};

/// Smaller segments do not let the window grow (Linux: tcp_event_data_recv).
const LEAST_TO_GROW: u32 = 128;

impl Receiver {
    /// Data or FIN has come in order; `gap` says whether there was one.
    pub(super) fn note_in_order(&mut self, arrival: &Arrival, fin: bool, gap: bool) {
        self.forget_duplicates();
        if arrival.length > 0 {
            self.note_data(arrival);
        }
        let is_filled = gap && self.out_of_order.is_empty();
        match &mut self.adaptive {
            Some(adaptive) => {
                if fin {
                    adaptive.on_fin();
                }
                if is_filled {
                    adaptive.urge();
                }
            }
            None if fin || gap => self.acknowledge_now = true,
            None => self.schedule_acknowledgment(arrival.now),
        }
    }
    fn note_data(&mut self, arrival: &Arrival) {
        self.measure(arrival);
        let reached = (arrival.start + u64::from(arrival.length)).min(self.next);
        let window = self.last_window();
        if let Some(tuning) = &mut self.tuning {
            tuning.measure_by_window(arrival.now, reached, window);
        }
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.on_data(arrival.now, window, &arrival.timing);
        }
        if arrival.length >= LEAST_TO_GROW {
            self.grow(arrival.length);
        }
    }

    /// Data or FIN comes beyond a gap, and is not in the books yet. Returns whether its duplicate acknowledgment waits.
    pub(super) fn note_beyond_gap(&mut self, arrival: &Arrival) -> bool {
        self.measure(arrival);
        let waits = self.delayed_duplicates.as_mut().is_some_and(|it| it.waits(arrival.now));
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| !waits) {
            adaptive.owe();
        }
        if self.agreed.selective {
            self.grow(arrival.length);
        }
        waits
    }
    /// No duplicate acknowledgment waits any longer.
    pub(crate) fn forget_duplicates(&mut self) {
        if let Some(duplicates) = &mut self.delayed_duplicates {
            duplicates.forget();
        }
    }
    /// When a duplicate acknowledgment is due that has waited.
    pub(crate) fn duplicate_at(&self) -> Option<Instant> {
        self.delayed_duplicates.as_ref().and_then(|duplicates| duplicates.due_at())
    }
    /// How many such are due, and wait no longer.
    pub(crate) fn take_due_duplicates(&mut self, now: Instant) -> usize {
        self.delayed_duplicates.as_mut().map_or(0, |duplicates| duplicates.take_due(now))
    }

    /// A segment has brought nothing in order; `beyond_gap` says whether it lies beyond one, or is old.
    pub(super) fn note_nothing_in_order(&mut self, beyond_gap: bool) {
        match &mut self.adaptive {
            None => self.acknowledge_now = true,
            Some(_) if beyond_gap => {}
            Some(_) => {
                self.note_trouble();
                self.acknowledge_soon();
            }
        }
    }
    /// The peer sends again what has arrived, or more than fits: it may not have heard of us.
    pub(crate) fn note_trouble(&mut self) {
        self.hurry();
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.owe();
        }
    }
    /// Acknowledge the next segments one by one; what has just arrived is answered otherwise (tcp_send_dupack).
    pub(crate) fn hurry(&mut self) {
        let window = self.last_window();
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.on_trouble(window);
        }
    }

    fn measure(&mut self, arrival: &Arrival) {
        let &Arrival { length, push, fin, .. } = arrival;
        let is_new_size = match &mut self.adaptive {
            Some(adaptive) => adaptive.measure(length, push || fin, self.agreed.payload),
            None => length == self.longest_payload,
        };
        if let Some(tuning) = self.tuning.as_mut().filter(|_| is_new_size) {
            tuning.on_segment_size(length);
        }
    }
    fn grow(&mut self, length: u32) {
        let (used, full_segment) = (self.used_memory(), self.full_segment());
        let grows = self.tuning.as_mut().is_some_and(|tuning| tuning.grow(used, length, full_segment));
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| grows) {
            adaptive.on_growth();
        }
    }
    /// The payload of the peer's full segments, as far as known.
    pub(crate) fn full_segment(&self) -> u32 {
        self.adaptive.as_ref().map_or(self.longest_payload, |adaptive| adaptive.full_segment())
    }

    /// A segment that `echo`es our clock of `age` ago, with so much payload, has arrived.
    pub(crate) fn measure_by_echo(&mut self, echo: u32, age: Duration, length: u32) {
        let (is_full, unread) = (length >= self.full_segment(), self.readable() > 0);
        if let Some(tuning) = &mut self.tuning {
            tuning.measure_by_echo(echo, age, is_full, unread);
        }
    }

    pub(super) fn schedule_acknowledgment(&mut self, now: Instant) {
        let Some(delay) = self.parameters().delayed_acknowledgment else {
            self.acknowledge_now = true;
            return;
        };
        self.segments_unacknowledged += 1;
        if self.segments_unacknowledged >= delay.segments || self.duplicate.is_some() {
            self.acknowledge_now = true;
        } else if self.acknowledge_at.is_none() {
            self.acknowledge_at = Some(now + delay.timeout);
        }
    }

    /// Whether acknowledgments adapt, so that [`Receiver::settle`] decides on them.
    pub(crate) fn adapts(&self) -> bool {
        self.adaptive.is_some()
    }

    /// Everything that a segment or a timer caused has been sent: decide what is to become of what is still owed.
    pub(crate) fn settle(&mut self, now: Instant, timing: &Timing) {
        let offered = self.last_window();
        let selected = self.owes_much().then(|| self.selected());
        let gap = (!self.out_of_order.is_empty()).then(|| Gap {
            next: self.next.0,
            selective: self.agreed.selective,
            round_trip: self.tuning.as_ref().and_then(|tuning| tuning.round_trip()),
        });
        let Some(adaptive) = &mut self.adaptive else { return };
        let timer_expires = adaptive.timer.take_due(now);
        let releases = timer_expires && adaptive.is_compressing();
        if releases || adaptive.compressed_until.is_some_and(|at| at <= now) {
            self.acknowledge_now = true;
        } else if self.acknowledge_at.is_some_and(|at| at <= now) && adaptive.is_owed() {
            adaptive.on_timeout(timing);
            self.acknowledge_now = true;
        }
        if selected.is_some_and(|selected| selected.is_short) {
            adaptive.on_shortage();
        }
        let wide = selected.is_some_and(|selected| selected.window >= offered);
        match adaptive.decide(now, wide, gap, self.acknowledge_at.is_some(), timing) {
            Some(Decision::Now) => self.acknowledge_now = true,
            Some(Decision::In(wait)) => self.acknowledge_at = Some(adaptive.timer.set(now, wait)),
            None => {}
        }
    }

    /// Whether more than a full segment is not acknowledged.
    fn owes_much(&self) -> bool {
        self.next - self.last_acknowledged > self.full_segment().into()
    }

    /// Whether what the application has read is worth an acknowledgment (Linux: tcp_cleanup_rbuf).
    pub(super) fn reading_is_worth_it(&self) -> bool {
        let Some(adaptive) = self.adaptive.as_ref().filter(|adaptive| adaptive.is_owed()) else {
            return false;
        };
        self.owes_much() || (adaptive.ends_write() && self.readable() == 0 && self.out_of_order.is_empty())
    }

    /// A packet was marked: acknowledge the next ones soon, so that the peer hears of it.
    pub(crate) fn note_mark(&mut self) {
        let window = self.last_window();
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.on_mark(window);
        }
    }
    /// The peer's window is small: it waits for the acknowledgment of what has come with this.
    pub(crate) fn acknowledge_at_once(&mut self) {
        match &mut self.adaptive {
            Some(adaptive) => adaptive.urge(),
            None => self.acknowledge_now = true,
        }
    }

    /// Data of the application will carry the acknowledgment soon. Returns whether there is a way to wait for it.
    pub(crate) fn wait_for_data(&mut self, now: Instant) -> bool {
        self.hurry();
        let Some(adaptive) = &mut self.adaptive else { return false };
        self.acknowledge_at = Some(adaptive.begin_waiting(now));
        true
    }

    /// Whether an acknowledgment must leave before anything else happens.
    pub fn must_acknowledge(&self) -> bool {
        self.acknowledge_now
    }

    /// Whether an acknowledgment is to leave now.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.acknowledge_now || self.acknowledge_at().is_some_and(|at| at <= now)
    }

    /// Acknowledge with the next segment, at once.
    pub fn acknowledge_soon(&mut self) {
        self.acknowledge_now = true;
    }

    /// Acknowledge the peer's FIN at once, if nothing has yet: this end has closed before, so that nothing will carry it.
    pub(crate) fn acknowledge_fin(&mut self) {
        let owed = self.adaptive.as_ref().is_some_and(|adaptive| adaptive.is_owed());
        self.acknowledge_now |= owed;
    }

    /// Last.ACK.sent (RFC 7323 section 4.3).
    pub fn last_acknowledged(&self) -> Offset {
        self.last_acknowledged
    }

    /// Whether an acknowledgment waits for its time.
    pub(crate) fn delays(&self) -> bool {
        self.acknowledge_at.is_some()
    }
    /// When a delayed acknowledgment is due.
    pub fn acknowledge_at(&self) -> Option<Instant> {
        let adaptive = self.adaptive.as_ref();
        let compressed = adaptive.and_then(|adaptive| adaptive.compressed_until);
        let timer =
            adaptive.filter(|adaptive| adaptive.is_compressing()).and_then(|adaptive| adaptive.timer.fires());
        self.acknowledge_at.into_iter().chain(compressed).chain(timer).min()
    }
    /// What has just arrived asks for no acknowledgment of its own: one has left on its account (Linux: tcp_sack_new_ofo_skb).
    pub(crate) fn owe_nothing(&mut self) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.owe_nothing();
        }
    }
    /// Whether only the end of their compression lets acknowledgments leave now.
    pub(crate) fn ends_compression(&self, now: Instant) -> bool {
        let ends = |at: Instant| at <= now;
        !self.acknowledge_now
            && self.adaptive.as_ref().and_then(|adaptive| adaptive.compressed_until).is_some_and(ends)
    }

    /// Whether an acknowledgment at the end of compression has the clock of the last arrival (tcp_compressed_ack_kick).
    pub(crate) fn keeps_clock(&self) -> bool {
        self.adaptive.as_ref().is_some_and(|adaptive| adaptive.keeps_clock())
    }

    /// A segment with payload leaves.
    pub(crate) fn note_data_sent(&mut self, now: Instant) {
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.on_data_sent(now);
        }
    }

    /// A segment with an acknowledgment has left.
    pub fn acknowledged(&mut self) {
        self.last_acknowledged = self.next;
        self.acknowledge_now = false;
        self.acknowledge_at = None;
        self.segments_unacknowledged = 0;
        if let Some(adaptive) = &mut self.adaptive {
            adaptive.acknowledged();
        }
    }
}
