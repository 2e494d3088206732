//! A handover as a flow meets it.

use super::{BIN, PACE_REGAINED, PACE_WINDOW, SHORTEST_WINDOW};
use seamline_report::record::HandoverRecord;
use seamline_wire::{Duration, Instant};

/// A handover on the way of a flow.
#[derive(Debug)]
pub(crate) struct HandoverMeter {
    /// Place of the link.
    pub(crate) link: usize,
    pub(crate) start: Instant,
    pub(crate) end: Option<Instant>,
    /// When the first data arrived after the end.
    pub(crate) first_data: Option<Instant>,
    /// Payload that has arrived before `first_data`, since the start.
    pub(crate) stalled_bytes: u64,
    /// Data packets lost meanwhile.
    pub(crate) lost_packets: u64,
    /// Smoothed round-trip time of the flow at the start.
    pub(crate) round_trip: Duration,
    /// When the mobile node found out.
    pub(crate) movement_detected: Option<Instant>,
    /// When the mobile node knew that it can be reached.
    pub(crate) registered: Option<Instant>,
}

/// Bytes delivered up to any time, resolved to [`BIN`].
#[derive(Debug)]
pub(super) struct Progress(Vec<u64>);

impl Progress {
    pub(super) fn new(bins: &[u64]) -> Self {
        let mut sum = 0;
        let sums = bins.iter().map(|bytes| {
            sum += bytes;
            sum
        });
        Progress(std::iter::once(0).chain(sums).collect())
    }
    /// Bytes in the bins `from..to`.
    fn bytes(&self, from: u64, to: u64) -> u64 {
        let at = |bin: u64| self.0[usize::try_from(bin).unwrap_or(usize::MAX).min(self.0.len() - 1)];
        at(to) - at(from.min(to))
    }
}

fn first_bin_from(at: Instant) -> u64 {
    at.as_nanos().div_ceil(BIN.as_nanos())
}

fn bins_in(span: Duration) -> u64 {
    span.as_nanos().div_ceil(BIN.as_nanos())
}

impl HandoverMeter {
    /// What the handover did to a flow. `earliest` is the earliest time that counts for its pace before,
    /// `limit` the time by which it must have recovered.
    pub(super) fn record(
        &self,
        link: &str,
        progress: &Progress,
        earliest: Instant,
        limit: Instant,
    ) -> HandoverRecord {
        let millis_since_start = |at: Instant| (at.saturating_since(self.start)).as_millis_f64();
        let following = self.end.map(|end| {
            let from = first_bin_from(end);
            progress.bytes(from, from + bins_in(Duration::from_secs(1)))
        });
        HandoverRecord {
            link: link.to_owned(),
            start_s: self.start.as_secs_f64(),
            interruption_ms: self.end.map(millis_since_start),
            first_data_ms: self.first_data.map(millis_since_start),
            recovery_ms: self.recovered_at(progress, earliest, limit).map(millis_since_start),
            following_second_bytes: following.unwrap_or(0),
            stalled_bytes: self.stalled_bytes,
            lost_packets: self.lost_packets,
            movement_detected_ms: self.movement_detected.map(millis_since_start),
            registered_ms: self.registered.map(millis_since_start),
        }
    }

    fn recovered_at(&self, progress: &Progress, earliest: Instant, limit: Instant) -> Option<Instant> {
        let start = first_bin_from(self.start);
        let since = first_bin_from(earliest.max(self.start - PACE_WINDOW));
        let window = bins_in(self.round_trip.max(SHORTEST_WINDOW));
        if since + window > start {
            return None;
        }
        let pace = progress.bytes(since, start) as f64 / (start - since) as f64;
        let wanted = PACE_REGAINED * pace * window as f64;
        if pace == 0.0 {
            return None;
        }
        // The window reaches ahead by a round trip, and would find the pace before anything has arrived.
        let first = first_bin_from(self.end?.max(self.first_data?));
        let last = (limit.as_nanos() / BIN.as_nanos()).checked_sub(window)?;
        let recovered = (first..=last).find(|from| progress.bytes(*from, from + window) as f64 >= wanted)?;
        Some(Instant::from_nanos(recovered * BIN.as_nanos()))
    }
}
