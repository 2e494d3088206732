//! When each segment was last sent, and how often: for schemes with fine-grained timers.

mod clock;
mod ring;
mod segments;

pub use clock::FineClock;

use crate::offset::Offset;
use ring::Ring;
use seamline_wire::Instant;
use segments::Segments;

/// How long the log remembers what was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LogUpkeep {
    /// Every acknowledged segment is forgotten, and no other.
    #[default]
    Exact,
    /// As ns-2's Vegas keeps its arrays of one window's length: when an acknowledgment crosses the
    /// end of the array the sweep stops early, so stale transmission counts remain; the segment
    /// sent first of all gives no sample; one that is not outstanding counts as sent one second before
    /// the first; and the log begins anew when the first segment is sent again.
    Ns2Ring {
        /// Length of the arrays in segments.
        segments: u32,
    },
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

#[derive(Clone, Debug)]
enum Book {
    Exact(Segments),
    Ns2Ring(Ring),
}

/// When the outstanding segments were sent.
#[derive(Clone, Debug)]
pub struct SendLog {
    clock: FineClock,
    first_sent: Option<(Instant, f64)>,
    book: Book,
}

impl SendLog {
    /// An empty log of a connection whose data begins at `origin` and is cut into segments of
    /// `segment_size` bytes, which only ns-2's arrays rely on.
    pub fn new(upkeep: LogUpkeep, clock: FineClock, origin: Offset, segment_size: u32) -> Self {
        let book = match upkeep {
            LogUpkeep::Exact => Book::Exact(Segments::default()),
            LogUpkeep::Ns2Ring { segments } => Book::Ns2Ring(Ring::new(segments, origin, segment_size)),
        };
        SendLog { clock, first_sent: None, book }
    }
    /// The peer has settled the size of segments, before anything was sent.
    pub fn set_segment_size(&mut self, segment_size: u32) {
        if let Book::Ns2Ring(ring) = &mut self.book {
            ring.set_segment_size(segment_size);
        }
    }
    /// The entry of the segment that holds the byte at `offset`.
    pub fn get(&self, offset: Offset) -> Sent {
        match &self.book {
            Book::Exact(segments) => segments.get(offset),
            Book::Ns2Ring(ring) => ring.get(offset),
        }
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
    /// How many seconds by the fine clock the segment that holds the byte at `offset` has waited for its
    /// acknowledgment. `None` when it is not outstanding, except that ns-2's arrays then count it as sent
    /// one second before the first.
    pub fn seconds_waited(&self, offset: Offset, now: Instant) -> Option<f64> {
        let waited = self.seconds_since(self.get(offset), now);
        match self.book {
            Book::Exact(_) => waited,
            Book::Ns2Ring(_) => Some(waited.unwrap_or_else(|| self.seconds(now) + 1.0)),
        }
    }
    fn seconds_since(&self, sent: Sent, now: Instant) -> Option<f64> {
        sent.at.map(|at| self.clock.between(at, sent.seconds, now, self.seconds(now)))
    }
    /// The segment from `begin` up to `end` goes out at `now`.
    pub fn record(&mut self, now: Instant, begin: Offset, end: Offset) {
        if let Book::Ns2Ring(ring) = &mut self.book
            && ring.is_first(begin)
        {
            self.first_sent = None;
            ring.clear();
        }
        self.first_sent.get_or_insert((now, self.clock.read(now)));
        let sent = Sent { at: Some(now), seconds: self.seconds(now), transmissions: 1 };
        match &mut self.book {
            Book::Exact(segments) => segments.record(begin, end, sent),
            Book::Ns2Ring(ring) => ring.record(begin, sent),
        }
    }
    /// Everything from `from` up to `to` was acknowledged at `now`. Returns the round-trip time of
    /// the last segment in seconds when it was sent exactly once.
    pub fn acknowledge(&mut self, now: Instant, from: Offset, to: Offset) -> Option<f64> {
        let (newest, skips_first) = match &mut self.book {
            Book::Exact(segments) => (segments.acknowledge(to)?, false),
            Book::Ns2Ring(ring) => (ring.acknowledge(from, to)?, true),
        };
        let at = newest.at.filter(|_| newest.transmissions == 1)?;
        let skipped = skips_first && Some(at) == self.first_sent();
        self.seconds_since(newest, now).filter(|_| !skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(upkeep: LogUpkeep) -> SendLog {
        SendLog::new(upkeep, FineClock::Exact, Offset::FIRST_BYTE, 1000)
    }
    fn byte(n: u64) -> Offset {
        Offset(1 + n)
    }
    fn ms(n: u64) -> Instant {
        Instant::from_millis(n)
    }

    #[test]
    fn only_segments_sent_once_give_a_sample() {
        let mut log = log(LogUpkeep::Exact);
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
        let mut log = log(LogUpkeep::Exact);
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
        let mut log = log(LogUpkeep::Exact);
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
        let mut log = log(LogUpkeep::Ns2Ring { segments: 4 });
        for n in 0..6 {
            log.record(ms(n + 1), byte(n * 1000), byte(n * 1000 + 1000));
        }
        log.acknowledge(ms(50), byte(2000), byte(6000));
        assert_eq!(log.get(byte(2000)).transmissions, 1);
        assert_eq!(log.get(byte(4000)).transmissions, 2);
    }
}
