//! A path with one bottleneck for tests of congestion controls that model one: a flow over it, and what each acknowledgment measures.

use super::*;
use std::collections::VecDeque;

/// The bottleneck, which a test may change at any time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bottleneck {
    /// Segments per second.
    pub(super) rate: u64,
    /// Without the queue.
    pub(super) round_trip: Duration,
    /// Segments that may wait.
    pub(super) buffer: u64,
    /// One in so many is lost at random; zero for none.
    pub(super) loses_one_in: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u64,
    at: Instant,
    acknowledged_at: Option<Instant>,
    delivered: u64,
    delivered_at: Instant,
    first_sent: Instant,
    lost: u64,
    in_flight: u32,
}

/// A flow that always has data.
#[derive(Debug)]
pub(super) struct Flow<C> {
    pub(super) control: C,
    pub(super) view: View,
    pub(super) path: Bottleneck,
    out: VecDeque<Sent>,
    sent: u64,
    free_at: Instant,
    may_send_at: Instant,
    delivered_at: Instant,
    first_sent: Instant,
    recovers_until: u64,
    random: u64,
}

/// Payload of a segment in bytes.
pub(super) const SEGMENT: u32 = 1000;
/// A segment is lost when one sent so many later has arrived.
const REORDERING: u64 = 3;

impl<C: CongestionControl> Flow<C> {
    pub(super) fn new(control: C, path: Bottleneck) -> Self {
        let mut view = crate::view::sample(Parameters::default(), path.round_trip);
        view.tracked.minimum_round_trip = Some(path.round_trip);
        view.tracked.is_paced = true;
        view.congestion_limited = false;
        let start = view.now;
        let mut flow = Flow {
            control,
            view,
            path,
            out: VecDeque::new(),
            sent: 0,
            free_at: start,
            may_send_at: start,
            delivered_at: start,
            first_sent: start,
            recovers_until: 0,
            random: 1,
        };
        let first = flow.control.on_transmission_start(Duration::ZERO, &flow.view);
        flow.follow(first.expect("it decides before the first segment"));
        flow
    }
    /// Segments that wait at the bottleneck.
    pub(super) fn queue(&self) -> u64 {
        self.free_at.saturating_since(self.view.now).as_nanos() * self.path.rate / 1_000_000_000
    }
    pub(super) fn run(&mut self, time: Duration) {
        self.run_until(time, |_| false);
    }
    /// Run for at most so long, until `done`. Returns whether that came.
    pub(super) fn run_until(&mut self, time: Duration, mut done: impl FnMut(&mut Self) -> bool) -> bool {
        let end = self.view.now + time;
        while self.view.now < end {
            if done(self) {
                return true;
            }
            self.step();
        }
        false
    }
    fn step(&mut self) {
        let arrival = self.out.iter().find_map(|sent| sent.acknowledged_at);
        let room = f64::from(self.view.tracked.in_flight) < self.view.window.congestion.floor();
        let departure = room.then_some(self.may_send_at.max(self.view.now));
        match (arrival, departure) {
            (Some(arrival), Some(departure)) if arrival < departure => self.arrive(arrival),
            (_, Some(departure)) => self.send(departure),
            (Some(arrival), None) => self.arrive(arrival),
            (None, None) => self.time_out(),
        }
    }
    fn is_lost_at_random(&mut self) -> bool {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.path.loses_one_in > 0 && (self.random >> 33).is_multiple_of(self.path.loses_one_in)
    }
    fn send(&mut self, at: Instant) {
        self.view.now = at;
        if self.out.is_empty() {
            self.first_sent = at;
            self.delivered_at = at;
        }
        let fits = self.queue() < self.path.buffer;
        let arrives = !self.is_lost_at_random() && fits;
        if arrives {
            self.free_at = self.free_at.max(at) + Duration::from_nanos(1_000_000_000 / self.path.rate);
        }
        self.view.tracked.in_flight += 1;
        self.out.push_back(Sent {
            number: self.sent,
            at,
            acknowledged_at: arrives.then(|| self.free_at + self.path.round_trip),
            delivered: self.view.tracked.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            lost: self.view.tracked.lost,
            in_flight: self.view.tracked.in_flight,
        });
        self.sent += 1;
        let gap = u64::from(SEGMENT) * 1_000_000_000 / self.view.tracked.pacing_rate;
        self.may_send_at = self.may_send_at.max(at) + Duration::from_nanos(gap);
        self.view.highest_sent = Offset(self.sent * u64::from(SEGMENT));
        self.view.congestion_limited =
            f64::from(self.view.tracked.in_flight) >= self.view.window.congestion.floor();
    }
    fn arrive(&mut self, at: Instant) {
        self.view.now = at;
        let place = self.out.iter().position(|sent| sent.acknowledged_at.is_some()).expect("one arrives");
        let newest = self.out[place];
        let prior_in_flight = self.view.tracked.in_flight;
        self.out.remove(place);
        self.view.tracked.in_flight -= 1;
        self.view.tracked.delivered += 1;
        self.view.round_trip.latest = at - newest.at;
        self.view.round_trip.smoothed = (self.view.round_trip.smoothed * 7 + (at - newest.at)) / 8;
        let lost = self.find_losses(newest.number);
        self.view.unacknowledged =
            self.out.front().map_or(self.view.highest_sent, |sent| Offset(sent.number * u64::from(SEGMENT)));
        let interval = (newest.at - newest.first_sent).max(at - newest.delivered_at);
        self.first_sent = newest.at;
        self.delivered_at = at;
        let sample = RateSample {
            rate: Some((self.view.tracked.delivered - newest.delivered, interval)),
            prior_delivered: newest.delivered,
            acknowledged: 1,
            lost,
            round_trip: Some(at - newest.at),
            prior_in_flight,
            lost_since: self.view.tracked.lost - newest.lost,
            in_flight_at_departure: newest.in_flight,
            ..RateSample::default()
        };
        let decision = self.control.on_rate_sample(&sample, &self.view);
        self.follow(decision);
    }
    fn find_losses(&mut self, arrived: u64) -> u64 {
        let mut lost = 0;
        while let Some(first) = self.out.front().copied()
            && first.acknowledged_at.is_none()
            && first.number + REORDERING <= arrived
        {
            lost += 1;
            self.lose(first);
        }
        let state = if self.view.unacknowledged.0 / u64::from(SEGMENT) >= self.recovers_until {
            RecoveryState::Open
        } else {
            RecoveryState::Recovery
        };
        self.enter(if lost > 0 { RecoveryState::Recovery } else { state });
        lost
    }
    fn lose(&mut self, first: Sent) {
        self.out.pop_front();
        self.view.tracked.in_flight -= 1;
        self.view.tracked.lost += 1;
        let start = Offset(first.number * u64::from(SEGMENT));
        let lost = LostSegment {
            start,
            end: start + u64::from(SEGMENT),
            sent: first.at,
            in_flight_at_departure: first.in_flight,
            lost_since: self.view.tracked.lost - first.lost,
            delivered: self.view.tracked.delivered,
            application_limited: false,
        };
        self.control.on_segment_lost(&lost, &self.view);
        if self.view.tracked.state < RecoveryState::Recovery {
            self.recovers_until = self.sent;
            self.view.window = self.control.on_loss(Loss::Detected, &self.view);
        }
    }
    fn enter(&mut self, state: RecoveryState) {
        if self.view.tracked.state != state {
            self.view.tracked.state = state;
            self.control.on_state(state, &self.view);
        }
    }
    /// Nothing arrives any more.
    fn time_out(&mut self) {
        self.view.now += Duration::from_millis(200);
        while let Some(first) = self.out.front().copied() {
            self.lose(first);
        }
        self.may_send_at = self.view.now;
    }
    fn follow(&mut self, decision: Decision) {
        self.view.window = decision.window;
        self.view.tracked.pacing_rate = decision.pacing_rate;
    }
}
