//! The advertisement schedule and counters of a mobility agent.

use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// How often a mobility agent advertises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvertisementConfig {
    /// The maximum time between two unsolicited advertisements. RFC 5944 section 2.3 limits the rate to one per
    /// second on possibly busy links; movement detection is no faster than this.
    pub interval: Duration,
    /// Each interval is shortened by a uniform part of this (RFC 1256 section 6.2.4 recommends a quarter).
    pub jitter: Duration,
    /// The lifetime of an advertisement in seconds.
    pub lifetime_s: u16,
}

impl AdvertisementConfig {
    /// The advertisement lifetime for this interval: three times as long (RFC 5944 section 2.3), in seconds, rounded
    /// up.
    pub fn usual_lifetime_s(interval: Duration) -> u16 {
        let seconds = (interval * 3).as_nanos().div_ceil(1_000_000_000);
        u16::try_from(seconds).unwrap_or(u16::MAX)
    }
}

/// Schedules advertisements. The first is uniform in one interval, so a node that arrives at any time waits for a
/// uniform part of it.
#[derive(Debug)]
pub(crate) struct Advertiser {
    config: AdvertisementConfig,
    next: Instant,
    sequence: u16,
    stream: Stream,
}

impl Advertiser {
    pub(crate) fn new(config: AdvertisementConfig, mut stream: Stream) -> Self {
        let next = Instant::ZERO + part(config.interval, &mut stream);
        Advertiser { config, next, sequence: 0, stream }
    }
    /// The time of the next unsolicited advertisement.
    pub(crate) fn wake_at(&self) -> Instant {
        self.next
    }
    /// Whether the next unsolicited advertisement is due; if so, it counts as sent.
    pub(crate) fn take_due(&mut self, now: Instant) -> bool {
        if now < self.next {
            return false;
        }
        let shorter = part(self.config.jitter, &mut self.stream);
        self.next += (self.config.interval - shorter).max(Duration::from_nanos(1));
        true
    }
    /// The sequence number of the advertisement that is sent now.
    pub(crate) fn next_sequence(&mut self) -> u16 {
        /// Lower numbers mean that the agent has just started (RFC 5944 section 2.3.2).
        const AFTER_WRAP: u16 = 256;
        let sequence = self.sequence;
        self.sequence = sequence.checked_add(1).unwrap_or(AFTER_WRAP);
        sequence
    }
}

fn part(whole: Duration, stream: &mut Stream) -> Duration {
    Duration::from_secs_f64(whole.as_secs_f64() * stream.uniform())
}
