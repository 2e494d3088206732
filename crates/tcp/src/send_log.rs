//! When each segment was last sent, and how often: for schemes with fine-grained timers.

use crate::offset::Offset;
use seamline_wire::Instant;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How long the log remembers what was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LogUpkeep {
    /// Every acknowledged segment is forgotten.
    #[default]
    Exact,
    /// As ns-2's Vegas keeps its arrays of one window's length: when an acknowledgment crosses the
    /// end of the array the sweep stops early, so stale transmission counts remain; the segment
    /// sent first of all gives no sample; one that is not outstanding counts as sent long ago; and
    /// the log begins anew when the first segment is sent again.
    Ns2Ring {
        /// Length of the arrays in segments.
        segments: u32,
    },
}

/// The clock that fine-grained timers read, in seconds.
#[derive(Clone, Debug, Default)]
pub enum FineClock {
    /// The time of the run, as the nearest floating-point number.
    #[default]
    Exact,
    /// What somebody else keeps up to date before each step: the bits of an `f64`. A comparison with a
    /// simulator whose clock is a sum of floating-point numbers needs it where that clock's rounding
    /// decides between equals.
    Kept(Arc<AtomicU64>),
}

impl FineClock {
    fn read(&self, now: Instant) -> f64 {
        match self {
            FineClock::Exact => now.as_secs_f64(),
            FineClock::Kept(bits) => f64::from_bits(bits.load(Ordering::Relaxed)),
        }
    }
    /// The time between two readings: from the exact times where there are any, so that equal spans
    /// are equal.
    fn between(&self, earlier: Instant, earlier_reading: f64, later: Instant, later_reading: f64) -> f64 {
        match self {
            FineClock::Exact => later.saturating_since(earlier).as_secs_f64(),
            FineClock::Kept(_) => later_reading - earlier_reading,
        }
    }
}

impl PartialEq for FineClock {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (FineClock::Exact, FineClock::Exact) => true,
            (FineClock::Kept(ours), FineClock::Kept(theirs)) => Arc::ptr_eq(ours, theirs),
            _ => false,
        }
    }
}

/// One entry of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sent {
    /// When the segment was last sent, `None` when it is not outstanding.
    pub at: Option<Instant>,
    /// The same by the fine clock, in seconds since the first segment of all was sent.
    pub seconds: f64,
    /// How often it has been sent.
    pub transmissions: u32,
}

/// A ring of the outstanding segments, indexed by segment number.
#[derive(Clone, Debug)]
pub struct SendLog {
    upkeep: LogUpkeep,
    segment_size: u64,
    origin: Offset,
    clock: FineClock,
    first_sent: Option<(Instant, f64)>,
    ring: Vec<Sent>,
}

impl SendLog {
    /// An empty log of a connection whose data begins at `origin` and is cut into segments of
    /// `segment_size` bytes.
    pub fn new(upkeep: LogUpkeep, clock: FineClock, origin: Offset, segment_size: u32) -> Self {
        let length = match upkeep {
            LogUpkeep::Exact => 64,
            LogUpkeep::Ns2Ring { segments } => segments.max(1) as usize,
        };
        SendLog {
            upkeep,
            segment_size: u64::from(segment_size.max(1)),
            origin,
            clock,
            first_sent: None,
            ring: vec![Sent::default(); length],
        }
    }
    /// The peer has settled the size of segments, before anything was sent.
    pub fn set_segment_size(&mut self, segment_size: u32) {
        self.segment_size = u64::from(segment_size.max(1));
    }
    /// The entry of the segment that begins at `offset`.
    pub fn get(&self, offset: Offset) -> Sent {
        self.ring[self.place(self.number(offset))]
    }
    /// Whether a segment that is not outstanding counts as sent one second before the first.
    pub fn counts_unsent_as_late(&self) -> bool {
        matches!(self.upkeep, LogUpkeep::Ns2Ring { .. })
    }
    /// When the very first segment was sent.
    pub fn first_sent(&self) -> Option<Instant> {
        self.first_sent.map(|(at, _)| at)
    }
    /// The fine clock at `now`, in seconds since the first segment was sent; zero before that.
    pub fn seconds(&self, now: Instant) -> f64 {
        self.first_sent
            .map_or(0.0, |(first, origin)| self.clock.between(first, origin, now, self.clock.read(now)))
    }
    /// Seconds by the fine clock since the segment of this entry was sent, `None` when it is not
    /// outstanding.
    pub fn seconds_since(&self, sent: Sent, now: Instant) -> Option<f64> {
        sent.at.map(|at| self.clock.between(at, sent.seconds, now, self.seconds(now)))
    }
    /// The segment beginning at `offset` goes out at `now`, with `unacknowledged` the first
    /// outstanding one.
    pub fn record(&mut self, now: Instant, unacknowledged: Offset, offset: Offset) {
        if self.number(offset) == 0 && matches!(self.upkeep, LogUpkeep::Ns2Ring { .. }) {
            self.first_sent = None;
            self.ring.fill(Sent::default());
        }
        self.first_sent.get_or_insert((now, self.clock.read(now)));
        let seconds = self.seconds(now);
        self.make_room(unacknowledged, offset);
        let place = self.place(self.number(offset));
        self.ring[place] = Sent { at: Some(now), seconds, transmissions: self.ring[place].transmissions + 1 };
    }
    /// Everything from `from` up to `to` was acknowledged at `now`. Returns the round-trip time of
    /// the last segment in seconds when it was sent exactly once.
    pub fn acknowledge(&mut self, now: Instant, from: Offset, to: Offset) -> Option<f64> {
        let (first, end) = (self.number(from), self.number_rounding_up(to));
        let last = end.checked_sub(1).filter(|last| *last >= first)?;
        let newest = self.ring[self.place(last)];
        match self.upkeep {
            LogUpkeep::Exact => self.forget(first, end),
            LogUpkeep::Ns2Ring { .. } => self.forget_up_to_the_ring_end(first, last),
        }
        let at = newest.at.filter(|_| newest.transmissions == 1)?;
        let skipped = matches!(self.upkeep, LogUpkeep::Ns2Ring { .. }) && Some(at) == self.first_sent();
        self.seconds_since(newest, now).filter(|_| !skipped)
    }

    fn forget(&mut self, first: u64, end: u64) {
        for number in first..end.min(first + self.ring.len() as u64) {
            let place = self.place(number);
            self.ring[place] = Sent::default();
        }
    }
    fn forget_up_to_the_ring_end(&mut self, first: u64, last: u64) {
        let length = self.ring.len() as u64;
        let (mut place, end) = (first % length, last % length);
        let mut left = last + 1 - first;
        while place <= end && left > 0 {
            self.ring[place as usize] = Sent::default();
            place = (place + 1) % length;
            left -= 1;
        }
    }
    fn make_room(&mut self, unacknowledged: Offset, offset: Offset) {
        let (first, number) = (self.number(unacknowledged), self.number(offset));
        let needed = (number.saturating_sub(first) + 2) as usize;
        if matches!(self.upkeep, LogUpkeep::Ns2Ring { .. }) || needed <= self.ring.len() {
            return;
        }
        let mut larger = vec![Sent::default(); needed.next_power_of_two()];
        let length = larger.len() as u64;
        for old in first..first + self.ring.len() as u64 {
            larger[(old % length) as usize] = self.ring[self.place(old)];
        }
        self.ring = larger;
    }
    fn number(&self, offset: Offset) -> u64 {
        offset.saturating_since(self.origin) / self.segment_size
    }
    fn number_rounding_up(&self, offset: Offset) -> u64 {
        offset.saturating_since(self.origin).div_ceil(self.segment_size)
    }
    fn place(&self, number: u64) -> usize {
        (number % self.ring.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(upkeep: LogUpkeep) -> SendLog {
        SendLog::new(upkeep, FineClock::Exact, Offset::FIRST_BYTE, 1000)
    }
    fn segment(n: u64) -> Offset {
        Offset(1 + n * 1000)
    }

    #[test]
    fn only_segments_sent_once_give_a_sample() {
        let mut log = log(LogUpkeep::Exact);
        let (sent, later) = (Instant::from_millis(10), Instant::from_millis(60));
        log.record(sent, segment(0), segment(0));
        log.record(sent, segment(0), segment(1));
        log.record(Instant::from_millis(20), segment(0), segment(1));
        let sample = log.acknowledge(later, segment(0), segment(1)).unwrap();
        assert!((sample - 0.050).abs() < 1e-12, "{sample}");
        assert_eq!(log.acknowledge(later, segment(1), segment(2)), None);
        assert_eq!(log.get(segment(1)), Sent::default());
    }

    #[test]
    fn the_log_grows_with_the_window() {
        let mut log = log(LogUpkeep::Exact);
        for n in 0..1000 {
            log.record(Instant::from_millis(n), segment(0), segment(n));
        }
        for n in 0..1000 {
            assert_eq!(log.get(segment(n)).at, Some(Instant::from_millis(n)));
        }
    }

    /// Worked by hand: four places, acknowledging segments 2..=5 sweeps from place 2 to place 1: none.
    #[test]
    fn ns2_leaves_stale_counts_behind_the_ring_end() {
        let mut log = log(LogUpkeep::Ns2Ring { segments: 4 });
        for n in 0..6 {
            log.record(Instant::from_millis(n + 1), segment(0), segment(n));
        }
        log.acknowledge(Instant::from_millis(50), segment(2), segment(6));
        assert_eq!(log.get(segment(2)).transmissions, 1);
        assert_eq!(log.get(segment(4)).transmissions, 2);
    }
}
