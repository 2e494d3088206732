//! A handover as a flow experiences it.

use super::{BIN, RECOVERED_SHARE, REFERENCE_WINDOW, SHORTEST_WINDOW};
use seamline_report::record::HandoverRecord;
use seamline_wire::{Duration, Instant};

/// A handover on the path of a flow.
#[derive(Debug, Default)]
pub(crate) struct HandoverMeter {
    /// The index of the link.
    pub(crate) link: usize,
    pub(crate) start: Instant,
    pub(crate) end: Option<Instant>,
    /// The time of the first data after the end.
    pub(crate) first_data: Option<Instant>,
    /// The payload that arrived from the start until `first_data`.
    pub(crate) stalled_bytes: u64,
    /// The data packets lost in the same period.
    pub(crate) lost_packets: u64,
    /// The smoothed round-trip time of the flow at the start.
    pub(crate) round_trip: Duration,
    /// The time at which the mobile node detected its movement.
    pub(crate) movement_detected: Option<Instant>,
    /// The time at which the mobile node knew that it is reachable.
    pub(crate) registered: Option<Instant>,
}

/// Bytes delivered up to any time, at the resolution of [`BIN`].
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
    /// The record of the handover. `earliest` limits how far back the goodput before the handover is measured; the
    /// flow must recover by `limit`.
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
        let since = first_bin_from(earliest.max(self.start - REFERENCE_WINDOW));
        let window = bins_in(self.round_trip.max(SHORTEST_WINDOW));
        if since + window > start {
            return None;
        }
        let reference = progress.bytes(since, start) as f64 / (start - since) as f64;
        let wanted = RECOVERED_SHARE * reference * window as f64;
        if reference == 0.0 {
            return None;
        }
        // The window looks ahead by a round trip, so it would detect a recovery before any data has arrived.
        let first = first_bin_from(self.end?.max(self.first_data?));
        let last = (limit.as_nanos() / BIN.as_nanos()).checked_sub(window)?;
        let recovered = (first..=last).find(|from| progress.bytes(*from, from + window) as f64 >= wanted)?;
        Some(Instant::from_nanos(recovered * BIN.as_nanos()))
    }
}
