//! Fairness control at a mobile router (Baig, Libman and Hassan, "Fairness control by mobile routers in on-board communication networks"):
//! the router overrides the windows that hosts on board offer, so that no connection is sent more than its share of the wireless bandwidth
//! in a round trip. It estimates round-trip times again when Jain's index of what the connections were sent falls below a target.
//!
//! The paper's three strategies are values of the target: 0 estimates at the start alone, 1 after each interval, a value between
//! them when needed.
//!
//! How the paper is read where its abstract, the part that is public, is silent:
//! - The bandwidth is given. Connections that were sent data in the current interval or the last share it equally.
//! - A round-trip time is the shortest since it was estimated last, in two parts: from the router to the source and back, which the handshake
//!   shows, and after it the echo of a timestamp; and to the host on board and back.
//! - Windows are whole segments, at least two, and those whose scale is not known pass as they are.

use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::key::Side;
use crate::offered::Scales;
use crate::{AT_THE_AIR_LINK, Kind};
use seamline_tcp::handover::Traits;
use seamline_wire::{Duration, Flags, Instant, Packet, Rate, Segment, SequenceNumber};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) static KIND: Kind = Kind {
    name: "fairness",
    summary: "limits the windows offered to senders, so that connections share the bandwidth of a mobile router equally",
    cite: "Baig, Libman and Hassan, University of New South Wales",
    traits: Traits { robust_to_bit_errors: false, keeps_end_to_end_semantics: true, ..AT_THE_AIR_LINK },
    ends_connections: false,
    runs_on_real_hosts: false,
    split: None,
    kept_packets: |_| 0,
    state_bytes: 128,
    connection: &|parameters| {
        let shares = Arc::new(Mutex::new(Shares::new(parameters.fairness)));
        ConnectionMaker::new(move || Box::new(Fairness::new(&shares)))
    },
};

/// What of fairness control can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FairnessParameters {
    /// The bandwidth that connections share.
    pub rate: Rate,
    /// Over how much time what connections are sent is compared.
    pub interval: Duration,
    /// The index below which round-trip times are estimated again, 0 to 1.
    pub target: f64,
}

impl Default for FairnessParameters {
    fn default() -> Self {
        FairnessParameters {
            rate: Rate::from_megabits_per_second(1),
            interval: Duration::from_secs(1),
            target: 0.95,
        }
    }
}

/// What the connections of a router share.
#[derive(Debug)]
struct Shares {
    parameters: FairnessParameters,
    next: u64,
    /// By connection that was sent data in this interval: bytes.
    sent: BTreeMap<u64, u64>,
    /// How many have been sent data, in this interval and in the last.
    busy: [u64; 2],
    ends_at: Instant,
    /// How often round-trip times had to be estimated again.
    epoch: u64,
}

impl Shares {
    fn new(parameters: FairnessParameters) -> Self {
        Shares {
            parameters,
            next: 0,
            sent: BTreeMap::new(),
            busy: [0; 2],
            ends_at: Instant::ZERO + parameters.interval,
            epoch: 0,
        }
    }

    /// Data goes to a connection's host.
    fn note(&mut self, now: Instant, id: u64, bytes: u32) {
        if now >= self.ends_at {
            self.end_interval(now);
        }
        let sent = self.sent.entry(id).or_default();
        self.busy[0] += u64::from(*sent == 0);
        *sent += u64::from(bytes);
    }

    fn end_interval(&mut self, now: Instant) {
        let count = self.sent.len() as f64;
        let shares = self.sent.values().map(|bytes| *bytes as f64);
        let (sum, squares) = shares.fold((0.0, 0.0), |(sum, squares), it| (sum + it, squares + it * it));
        // Jain's index; the last of all connections is fair to itself.
        if count > 1.0 && sum * sum < self.parameters.target * count * squares
            || self.parameters.target >= 1.0
        {
            self.epoch += 1;
        }
        let silent = now.saturating_since(self.ends_at) >= self.parameters.interval;
        self.busy = [0, if silent { 0 } else { self.busy[0] }];
        self.sent.clear();
        self.ends_at = now + self.parameters.interval;
    }

    /// Bytes of a connection with this round-trip time.
    fn window(&self, round_trip: Duration) -> u64 {
        let sharing = self.busy[0].max(self.busy[1]).max(1);
        self.parameters.rate.bandwidth_delay_product(round_trip) / sharing
    }
}

/// A time that is measured from one packet to another, and the shortest found.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    /// The number that ends it, and when it began.
    pending: Option<(SequenceNumber, Instant)>,
    shortest: Option<Duration>,
}

impl Measured {
    fn begin(&mut self, now: Instant, until: SequenceNumber) {
        self.pending.get_or_insert((until, now));
    }
    fn end(&mut self, now: Instant, has_ended: impl Fn(SequenceNumber) -> bool) {
        if let Some((_, begun)) = self.pending.take_if(|(until, _)| has_ended(*until)) {
            let sample = now.saturating_since(begun);
            self.shortest = Some(self.shortest.map_or(sample, |known| known.min(sample)));
        }
    }
}

#[derive(Debug)]
struct Fairness {
    shares: Arc<Mutex<Shares>>,
    id: u64,
    scales: Scales,
    /// To the source and back: until it acknowledges, and until it echoes a timestamp, which is a circular number, too.
    wired: [Measured; 2],
    /// To the host on board and back.
    local: Measured,
    /// The newest timestamp of the host on board: the first packet with it is measured.
    timestamp: Option<SequenceNumber>,
    /// In use, and since which epoch.
    round_trip: Option<(Duration, u64)>,
    longest: u32,
}

fn lock(shares: &Mutex<Shares>) -> MutexGuard<'_, Shares> {
    shares.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Fairness {
    fn new(shares: &Arc<Mutex<Shares>>) -> Self {
        let mut all = lock(shares);
        all.next += 1;
        Fairness {
            shares: Arc::clone(shares),
            id: all.next,
            scales: Scales::default(),
            wired: [Measured::default(); 2],
            local: Measured::default(),
            timestamp: None,
            round_trip: None,
            longest: 0,
        }
    }

    fn on_source(&mut self, now: Instant, segment: &Segment) {
        let [by_number, by_echo] = &mut self.wired;
        by_number.end(now, |end| end.is_at_or_before(segment.acknowledgment));
        if let Some(timestamps) = segment.timestamps {
            by_echo.end(now, |value| value.is_at_or_before(SequenceNumber(timestamps.echo)));
        }
        if segment.length > 0 {
            self.longest = self.longest.max(segment.length);
            self.local.begin(now, segment.end());
            lock(&self.shares).note(now, self.id, segment.length);
        }
    }

    /// A segment of the host on board. Returns whether its window was made smaller.
    fn on_host(&mut self, now: Instant, segment: &mut Segment) -> bool {
        let [by_number, by_echo] = &mut self.wired;
        if segment.sequence_length() > 0 {
            by_number.begin(now, segment.end());
        }
        if let Some(value) = segment.timestamps.map(|timestamps| SequenceNumber(timestamps.value))
            && self.timestamp.is_none_or(|newest| value.is_after(newest))
        {
            self.timestamp = Some(value);
            by_echo.begin(now, value);
        }
        self.local.end(now, |end| end.is_at_or_before(segment.acknowledgment));
        let before = segment.window;
        if let Some(most) = self.fair_window() {
            self.scales.limit(Side::Wireless, segment, Some(most));
        }
        segment.window != before
    }

    /// The share of the bandwidth in a round trip; `None` before one is known.
    fn fair_window(&mut self) -> Option<u32> {
        let shares = lock(&self.shares);
        let is_old = self.round_trip.is_none_or(|(_, epoch)| epoch < shares.epoch);
        let wired = self.wired.iter().filter_map(|measured| measured.shortest).min();
        if is_old && let (Some(wired), Some(local)) = (wired, self.local.shortest) {
            self.round_trip = Some((wired + local, shares.epoch));
            self.wired.iter_mut().chain([&mut self.local]).for_each(|measured| measured.shortest = None);
        }
        let (round_trip, _) = self.round_trip?;
        // A source sends whole segments.
        let segment = u64::from(self.longest.max(1));
        let window = shares.window(round_trip).div_ceil(segment).max(2) * segment;
        Some(u32::try_from(window).unwrap_or(u32::MAX))
    }
}

impl Drop for Fairness {
    fn drop(&mut self) {
        lock(&self.shares).sent.remove(&self.id);
    }
}

impl Connection for Fairness {
    fn on_segment(&mut self, now: Instant, from: Side, mut packet: Box<Packet>, exit: &mut Exit<'_>) {
        let segment = &mut packet.segment;
        self.scales.hear(from, segment);
        if segment.flags.contains(Flags::ACK) {
            match from {
                Side::Wired => self.on_source(now, segment),
                Side::Wireless => {
                    exit.counters.marked_acknowledgments += u64::from(self.on_host(now, segment))
                }
            }
        }
        exit.forward(from, packet);
    }
    /// The shares are those of one router.
    fn moves(&self) -> bool {
        false
    }
}
