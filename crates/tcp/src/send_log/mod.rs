//! When each segment was last sent, and how often: for schemes with fine-grained timers.

mod segments;

use crate::ns2::{DrivenClock, Ring, VegasQuirks};
use crate::offset::Offset;
use seamline_wire::Instant;
use segments::Segments;

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

#[derive(Clone, Debug)]
enum Book {
    Exact(Segments),
    Ring(Ring),
}

/// When the outstanding segments were sent.
#[derive(Clone, Debug)]
pub struct SendLog {
    clock: Option<DrivenClock>,
    first_sent: Option<(Instant, f64)>,
    book: Book,
}

impl SendLog {
    /// An empty log of a connection whose data begins at `origin`.
    pub(crate) fn new(quirks: &VegasQuirks, origin: Offset, segment_size: u32) -> Self {
        let book = match quirks.log_segments {
            None => Book::Exact(Segments::default()),
            Some(length) => Book::Ring(Ring::new(length, origin, segment_size)),
        };
        SendLog { clock: quirks.clock.clone(), first_sent: None, book }
    }
    /// The peer has settled the size of segments, before anything was sent.
    pub fn set_segment_size(&mut self, segment_size: u32) {
        if let Book::Ring(ring) = &mut self.book {
            ring.set_segment_size(segment_size);
        }
    }
    /// The entry of the segment that holds the byte at `offset`.
    pub fn get(&self, offset: Offset) -> Sent {
        match &self.book {
            Book::Exact(segments) => segments.get(offset),
            Book::Ring(ring) => ring.get(offset),
        }
    }
    /// When the very first segment was sent.
    pub fn first_sent(&self) -> Option<Instant> {
        self.first_sent.map(|(at, _)| at)
    }
    /// The fine clock at `now`, in seconds since the first segment was sent; zero before that.
    pub fn seconds(&self, now: Instant) -> f64 {
        self.first_sent.map_or(0.0, |(first, origin)| self.between(first, origin, now, self.read(now)))
    }
    /// How many seconds by the fine clock the segment that holds the byte at `offset` has waited for its
    /// acknowledgment. `None` when it is not outstanding.
    pub fn seconds_waited(&self, offset: Offset, now: Instant) -> Option<f64> {
        let waited = self.seconds_since(self.get(offset), now);
        match self.book {
            Book::Exact(_) => waited,
            Book::Ring(_) => Some(waited.unwrap_or_else(|| self.seconds(now) + 1.0)),
        }
    }
    fn read(&self, now: Instant) -> f64 {
        self.clock.as_ref().map_or_else(|| now.as_secs_f64(), DrivenClock::seconds)
    }
    /// The time between two readings: from the exact times where there are any, so that equal spans are equal.
    fn between(&self, earlier: Instant, earlier_reading: f64, later: Instant, later_reading: f64) -> f64 {
        match self.clock {
            None => later.saturating_since(earlier).as_secs_f64(),
            Some(_) => later_reading - earlier_reading,
        }
    }
    fn seconds_since(&self, sent: Sent, now: Instant) -> Option<f64> {
        sent.at.map(|at| self.between(at, sent.seconds, now, self.seconds(now)))
    }
    /// The segment from `begin` up to `end` goes out at `now`.
    pub fn record(&mut self, now: Instant, begin: Offset, end: Offset) {
        if let Book::Ring(ring) = &mut self.book
            && ring.is_first(begin)
        {
            self.first_sent = None;
            ring.clear();
        }
        self.first_sent.get_or_insert((now, self.read(now)));
        let sent = Sent { at: Some(now), seconds: self.seconds(now), transmissions: 1 };
        match &mut self.book {
            Book::Exact(segments) => segments.record(begin, end, sent),
            Book::Ring(ring) => ring.record(begin, sent),
        }
    }
    /// Everything from `from` up to `to` was acknowledged at `now`. Returns the round-trip time of
    /// the last segment in seconds when it was sent exactly once.
    pub fn acknowledge(&mut self, now: Instant, from: Offset, to: Offset) -> Option<f64> {
        let (newest, skips_first) = match &mut self.book {
            Book::Exact(segments) => (segments.acknowledge(to)?, false),
            Book::Ring(ring) => (ring.acknowledge(from, to)?, true),
        };
        let at = newest.at.filter(|_| newest.transmissions == 1)?;
        let skipped = skips_first && Some(at) == self.first_sent();
        self.seconds_since(newest, now).filter(|_| !skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(log_segments: Option<u32>) -> SendLog {
        SendLog::new(&VegasQuirks { log_segments, ..VegasQuirks::default() }, Offset::FIRST_BYTE, 1000)
    }
    fn byte(n: u64) -> Offset {
        Offset(1 + n)
    }
    fn ms(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    #[test]
    fn only_segments_sent_once_give_a_sample() {
        let mut log = log(None);
        log.record(ms(10), byte(0), byte(1000));
        log.record(ms(10), byte(1000), byte(2000));
        log.record(ms(20), byte(1000), byte(2000));
        let sample = log.acknowledge(ms(60), byte(0), byte(1000)).unwrap();
        assert!((sample - 0.050).abs() < 1e-12, "{sample}");
        assert_eq!(log.acknowledge(ms(60), byte(1000), byte(2000)), None);
        assert_eq!(log.get(byte(1000)), Sent::default());
    }

    #[test]
    fn the_log_grows_with_the_window() {
        let mut log = log(None);
        for n in 0..1000 {
            log.record(ms(n), byte(n * 1000), byte(n * 1000 + 1000));
        }
        for n in 0..1000 {
            assert_eq!(log.get(byte(n * 1000)).at, Some(ms(n)));
        }
    }

    /// Five segments of 400 bytes, then 700 bytes from the second one's middle again: the second keeps its
    /// first half, the fourth its end.
    #[test]
    fn other_boundaries_take_over_what_they_cover() {
        let mut log = log(None);
        for n in 0..5 {
            log.record(ms(n), byte(n * 400), byte(n * 400 + 400));
        }
        log.record(ms(100), byte(600), byte(1300));
        let seen = |at: u64| (log.get(byte(at)).at.unwrap(), log.get(byte(at)).transmissions);
        for (at, expected) in [
            (399, (ms(0), 1)),
            (599, (ms(1), 1)),
            (600, (ms(100), 2)),
            (1299, (ms(100), 2)),
            (1300, (ms(3), 1)),
            (1600, (ms(4), 1)),
        ] {
            assert_eq!(seen(at), expected, "byte {at}");
        }
        assert_eq!(log.get(byte(2000)), Sent::default());
        assert_eq!(log.acknowledge(ms(150), byte(0), byte(500)), Some(0.149));
        assert_eq!(log.get(byte(500)).at, Some(ms(1)));
        assert_eq!(log.acknowledge(ms(150), byte(500), byte(1300)), None);
        assert_eq!(log.acknowledge(ms(153), byte(1300), byte(1600)), Some(0.150));
    }

    /// Worked by hand: four places, acknowledging segments 2..=5 sweeps from place 2 to place 1: none.
    #[test]
    fn ns2_leaves_stale_counts_behind_the_ring_end() {
        let mut log = log(Some(4));
        for n in 0..6 {
            log.record(ms(n + 1), byte(n * 1000), byte(n * 1000 + 1000));
        }
        log.acknowledge(ms(50), byte(2000), byte(6000));
        assert_eq!(log.get(byte(2000)).transmissions, 1);
        assert_eq!(log.get(byte(4000)).transmissions, 2);
    }
}
