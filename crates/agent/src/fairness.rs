//! Fairness control at a mobile router (Baig, Libman and Hassan, "Fairness control by mobile routers in on-board communication networks"):
//! the router overrides the windows that hosts on board offer, so that no connection is sent more than its share of the wireless bandwidth
//! in a round trip. It estimates round-trip times anew when Jain's index of what the connections were sent falls below a target.
//!
//! The paper's three strategies are values of the target: 0 estimates at the start alone, 1 after each interval, a value between
//! them when needed.
//!
//! How the paper is read where its abstract, the part that is public, is silent:
//! - The bandwidth is given. Connections that were sent data in the current interval or the last share it equally.
//! - A round-trip time is the shortest since it was estimated last, in two parts: from the router to the source and back, from an
//!   acknowledgment that lets more be sent until more comes; and to the host on board and back.
//! - Two segments are always offered, and windows whose scale is not known pass as they are.

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
    connection: |parameters| {
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
    /// The index below which round-trip times are estimated anew, 0 to 1.
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
    /// By connection: bytes in this interval.
    sent: BTreeMap<u64, u64>,
    /// How many have been sent data, in this interval and in the last.
    busy: [u64; 2],
    ends_at: Instant,
    /// How often round-trip times had to be estimated anew.
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
        self.busy[0] += u64::from(*sent == 0 && bytes > 0);
        *sent += u64::from(bytes);
    }

    fn end_interval(&mut self, now: Instant) {
        let shares = self.sent.values().filter(|bytes| **bytes > 0).map(|bytes| *bytes as f64);
        let (count, sum, squares) =
            shares.fold((0.0, 0.0, 0.0), |(n, sum, squares), it| (n + 1.0, sum + it, squares + it * it));
        // Jain's index; the last of all connections is fair to itself.
        if count > 1.0 && sum * sum < self.parameters.target * count * squares
            || self.parameters.target >= 1.0
        {
            self.epoch += 1;
        }
        let silent = now.saturating_since(self.ends_at) >= self.parameters.interval;
        self.busy = [0, if silent { 0 } else { self.busy[0] }];
        self.sent.values_mut().for_each(|bytes| *bytes = 0);
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
    /// To the source and back.
    wired: Measured,
    /// To the host on board and back.
    local: Measured,
    /// In use, and since which epoch.
    round_trip: Option<(Duration, u64)>,
    /// The end of what the source may send.
    edge: Option<SequenceNumber>,
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
            wired: Measured::default(),
            local: Measured::default(),
            round_trip: None,
            edge: None,
            longest: 0,
        }
    }

    fn on_data(&mut self, now: Instant, segment: &Segment) {
        self.longest = self.longest.max(segment.length);
        self.wired.end(now, |edge| segment.end().is_after(edge));
        self.local.begin(now, segment.end());
        lock(&self.shares).note(now, self.id, segment.length);
    }

    fn on_acknowledgment(&mut self, now: Instant, segment: &mut Segment) -> bool {
        let acknowledgment = segment.acknowledgment;
        self.local.end(now, |end| end.is_at_or_before(acknowledgment));
        let before = segment.window;
        if let Some(most) = self.fair_window() {
            self.scales.limit(Side::Wireless, segment, Some(most));
        }
        if let Some(window) = self.scales.window(Side::Wireless, segment) {
            let edge = acknowledgment + window;
            if let Some(known) = self.edge.filter(|known| edge.is_after(*known)) {
                self.wired.begin(now, known);
            }
            self.edge = Some(self.edge.map_or(edge, |known| known.max(edge)));
        }
        segment.window != before
    }

    /// The share of the bandwidth in a round trip; `None` before one is known.
    fn fair_window(&mut self) -> Option<u32> {
        let shares = lock(&self.shares);
        let is_old = self.round_trip.is_none_or(|(_, epoch)| epoch < shares.epoch);
        if is_old && let (Some(wired), Some(local)) = (self.wired.shortest, self.local.shortest) {
            self.round_trip = Some((wired + local, shares.epoch));
            (self.wired.shortest, self.local.shortest) = (None, None);
        }
        let (round_trip, _) = self.round_trip?;
        let window = u32::try_from(shares.window(round_trip)).unwrap_or(u32::MAX);
        Some(window.max(2 * self.longest))
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
        match from {
            Side::Wired if segment.length > 0 => self.on_data(now, segment),
            Side::Wireless if segment.flags.contains(Flags::ACK) && !segment.flags.contains(Flags::SYN) => {
                exit.counters.marked_acknowledgments += u64::from(self.on_acknowledgment(now, segment));
            }
            _ => {}
        }
        exit.forward(from, packet);
    }
    /// The shares are those of one router.
    fn moves(&self) -> bool {
        false
    }
}
