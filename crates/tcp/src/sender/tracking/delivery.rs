//! How fast the network delivers (Cheng et al., draft-cheng-iccrg-delivery-rate-estimation; Linux, tcp_rate.c).

use super::queue::{Record, Snapshot};
use crate::cc::{LostSegment, RateSample};
use seamline_wire::{Duration, Instant};

/// What has been delivered over the life of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Delivery {
    /// Segments delivered, cumulatively or by SACK; those that arrived twice count twice.
    pub(super) delivered: u64,
    /// Of those, segments that acknowledgments with a report of marks acknowledge.
    pub(super) marked: u64,
    /// Segments taken to be lost.
    pub(super) lost: u64,
    delivered_at: Instant,
    first_sent: Instant,
    /// The application limits the flow until so many segments are delivered.
    limited_until: Option<u64>,
}

/// What an acknowledgment adds to a rate sample while it is being taken in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sampling {
    newest: Option<Newest>,
}

#[derive(Clone, Copy, Debug)]
struct Newest {
    snapshot: Snapshot,
    departure: u64,
    is_retransmission: bool,
    send_interval: Duration,
}

impl Sampling {
    /// Segments that had been delivered when the newest segment acknowledged was sent.
    pub(super) fn prior_delivered(&self) -> Option<u64> {
        self.newest.map(|newest| newest.snapshot.delivered)
    }
}

impl Delivery {
    /// What goes into the record of a segment that is sent at `now`, with which so many are in flight.
    pub(super) fn snapshot(&mut self, now: Instant, nothing_outstanding: bool, in_flight: u32) -> Snapshot {
        if nothing_outstanding {
            self.first_sent = now;
            self.delivered_at = now;
        }
        Snapshot {
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            in_flight,
            first_sent: self.first_sent,
            application_limited: self.limited_until.is_some(),
            counts: true,
        }
    }

    /// The segment is delivered.
    pub(super) fn take(&mut self, record: &Record, sampling: &mut Sampling) {
        if !record.snapshot.counts {
            return;
        }
        if sampling.newest.is_none_or(|newest| record.departure > newest.departure) {
            self.first_sent = record.sent();
            sampling.newest = Some(Newest {
                snapshot: record.snapshot,
                departure: record.departure,
                is_retransmission: record.ever_resent,
                send_interval: record.sent().saturating_since(record.snapshot.first_sent),
            });
        }
    }

    /// What congestion control hears of a segment that has just been counted as lost.
    pub(super) fn lost_segment(&self, record: &Record) -> LostSegment {
        LostSegment {
            start: record.start,
            end: record.end,
            sent: record.sent(),
            in_flight_at_departure: record.snapshot.in_flight,
            lost_since: self.lost - record.snapshot.lost,
            delivered: self.delivered,
            application_limited: record.snapshot.application_limited,
        }
    }

    /// The application supplies less than the network takes: what is outstanding says nothing about the network.
    pub(super) fn mark_application_limited(&mut self, in_flight: u32) {
        self.limited_until = Some((self.delivered + u64::from(in_flight)).max(1));
    }

    pub(super) fn is_application_limited(&self) -> bool {
        self.limited_until.is_some()
    }

    /// The sample of an acknowledgment that reported `delivered` segments as arrived and made `lost` of them lost.
    pub(super) fn finish(
        &mut self,
        sampling: &Sampling,
        now: Instant,
        delivered: u64,
        lost: u64,
        minimum_round_trip: Option<Duration>,
        reneged: bool,
    ) -> RateSample {
        if self.limited_until.is_some_and(|until| self.delivered > until) {
            self.limited_until = None;
        }
        if delivered > 0 {
            self.delivered_at = now;
        }
        let mut sample = RateSample { acknowledged: delivered, lost, ..RateSample::default() };
        let Some(newest) = sampling.newest.filter(|_| !reneged) else { return sample };
        sample.prior_delivered = newest.snapshot.delivered;
        sample.application_limited = newest.snapshot.application_limited;
        sample.is_retransmission = newest.is_retransmission;
        sample.lost_since = self.lost - newest.snapshot.lost;
        sample.in_flight_at_departure = newest.snapshot.in_flight;
        let interval = newest.send_interval.max(now.saturating_since(newest.snapshot.delivered_at));
        if minimum_round_trip.is_some_and(|minimum| interval >= minimum) {
            sample.rate = Some((self.delivered - newest.snapshot.delivered, interval));
        }
        sample
    }
}
