//! When an agent advertises, and what it counts.

use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

/// How often an agent advertises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvertisementConfig {
    /// From one unsolicited advertisement to the next, at most. RFC 5944 section 2.3 wants no more than one
    /// per second on links that may be busy; movement is detected no faster than this.
    pub interval: Duration,
    /// Each interval is shorter by a uniform part of this (RFC 1256 section 6.2.4 wants a quarter).
    pub jitter: Duration,
    /// For how long an advertisement is good if no other follows, in seconds.
    pub lifetime_s: u16,
}

impl AdvertisementConfig {
    /// The lifetime of advertisements at this interval: three times as long (RFC 5944 section 2.3), in seconds rounded
    /// up.
    pub fn usual_lifetime_s(interval: Duration) -> u16 {
        let seconds = (interval * 3).as_nanos().div_ceil(1_000_000_000);
        u16::try_from(seconds).unwrap_or(u16::MAX)
    }
}

/// Decides when to advertise. The first advertisement is uniform in one interval, so that a node that comes
/// at any time waits a uniform part of it.
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
    /// When the next unsolicited advertisement is due.
    pub(crate) fn wake_at(&self) -> Instant {
        self.next
    }
    /// The next one has been sent.
    pub(crate) fn sent_unsolicited(&mut self) {
        let shorter = part(self.config.jitter, &mut self.stream);
        self.next += (self.config.interval - shorter).max(Duration::from_nanos(1));
    }
    /// The number of the advertisement that is sent now.
    pub(crate) fn next_sequence(&mut self) -> u16 {
        /// Numbers below this say that the agent has just begun (RFC 5944 section 2.3.2).
        const AFTER_WRAP: u16 = 256;
        let sequence = self.sequence;
        self.sequence = sequence.checked_add(1).unwrap_or(AFTER_WRAP);
        sequence
    }
    /// The Lifetime of an advertisement in seconds.
    pub(crate) fn lifetime_s(&self) -> u16 {
        self.config.lifetime_s
    }
}

fn part(whole: Duration, stream: &mut Stream) -> Duration {
    Duration::from_secs_f64(whole.as_secs_f64() * stream.uniform())
}
