//! What a flow feels like: each round-trip time under its own load, and the longest time without data.

use super::connection;
use crate::measure::RoundTripProbe;
use seamline_report::statistics::nearest_rank;
use seamline_scenario::build::{RECEIVER_PORTS, SENDER_PORTS};
use seamline_scenario::schema::Scenario;
use seamline_wire::{Duration, Event, Instant};

/// What a flow felt like in a run: all of its connections together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Felt {
    /// The median round-trip time of segments sent once; `None` without such segments.
    pub round_trip_median: Option<Duration>,
    /// The round-trip time that 95 % of them do not exceed.
    pub round_trip_p95: Option<Duration>,
    /// The longest time in which the receiver got nothing new in order, from its first data to the end of the transfer or of the
    /// run; all of the flow's time when it never got any.
    pub longest_stall: Duration,
}

/// Records it.
#[derive(Debug)]
pub(crate) struct CloseMeter {
    /// By connection: the flow, and what is outstanding.
    connections: Vec<(usize, RoundTripProbe)>,
    flows: Vec<FlowFeel>,
    end: Instant,
}

#[derive(Debug)]
struct FlowFeel {
    start: Instant,
    /// Bytes until the transfer is complete.
    left: Option<u64>,
    /// In microseconds, which hold an hour.
    round_trips: Vec<u32>,
    last: Option<Instant>,
    longest: Duration,
}

impl CloseMeter {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let flows = scenario.flows.iter().map(|flow| FlowFeel {
            start: flow.start,
            left: flow.size.map(|size| size.saturating_mul(u64::from(flow.count))),
            round_trips: Vec::new(),
            last: None,
            longest: Duration::ZERO,
        });
        let counts = scenario.flows.iter().enumerate();
        let connections =
            counts.flat_map(|(index, flow)| (0..flow.count).map(move |_| (index, RoundTripProbe::default())));
        CloseMeter {
            connections: connections.collect(),
            flows: flows.collect(),
            end: Instant::ZERO + scenario.duration,
        }
    }

    pub(crate) fn event(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Delivered { port, bytes } => {
                if let Some((flow, _)) = connection(&mut self.connections, port, RECEIVER_PORTS) {
                    self.flows[*flow].delivered(now, u64::from(bytes));
                }
            }
            Event::SegmentSent { port, sequence, length, retransmission } => {
                let Some((_, probe)) = connection(&mut self.connections, port, SENDER_PORTS) else { return };
                if retransmission { probe.retransmitted() } else { probe.sent(now, sequence + length) }
            }
            Event::AckReceived { port, acknowledgment, .. } => {
                let Some((flow, probe)) = connection(&mut self.connections, port, SENDER_PORTS) else {
                    return;
                };
                if let Some(sample) = probe.acknowledged(now, acknowledgment, true) {
                    self.flows[*flow].round_trips.push(micros(sample));
                }
            }
            _ => {}
        }
    }

    /// What each flow felt like, in the order of the scenario.
    pub(crate) fn finish(self) -> Vec<Felt> {
        let end = self.end;
        self.flows.into_iter().map(|flow| flow.finish(end)).collect()
    }
}

fn micros(sample: Duration) -> u32 {
    u32::try_from(sample.as_nanos() / 1000).unwrap_or(u32::MAX)
}

impl FlowFeel {
    fn delivered(&mut self, now: Instant, bytes: u64) {
        self.wait_until(now);
        self.left = self.left.map(|left| left.saturating_sub(bytes));
    }

    /// Nothing came from the last data until now.
    fn wait_until(&mut self, now: Instant) {
        if self.left == Some(0) {
            return;
        }
        if let Some(last) = self.last {
            self.longest = self.longest.max(now.saturating_since(last));
        }
        self.last = Some(now);
    }

    fn finish(mut self, end: Instant) -> Felt {
        if self.last.is_none() {
            self.last = Some(self.start);
        }
        self.wait_until(end);
        self.round_trips.sort_unstable();
        let rank = |in_a_thousand| {
            let micros = nearest_rank(&self.round_trips, in_a_thousand)?;
            Some(Duration::from_micros(u64::from(micros)))
        };
        Felt { round_trip_median: rank(500), round_trip_p95: rank(950), longest_stall: self.longest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(left: Option<u64>) -> FlowFeel {
        FlowFeel { start: Instant::ZERO, left, round_trips: Vec::new(), last: None, longest: Duration::ZERO }
    }

    #[test]
    fn a_stall_lasts_from_data_to_data_or_to_the_end() {
        let mut it = flow(None);
        it.delivered(Instant::from_secs(2), 10);
        it.delivered(Instant::from_secs(5), 10);
        assert_eq!(
            it.finish(Instant::from_secs(6)).longest_stall,
            Duration::from_secs(3),
            "not from the start"
        );
        let mut it = flow(None);
        it.delivered(Instant::from_secs(1), 10);
        assert_eq!(it.finish(Instant::from_secs(9)).longest_stall, Duration::from_secs(8));
        assert_eq!(flow(None).finish(Instant::from_secs(9)).longest_stall, Duration::from_secs(9));
    }

    #[test]
    fn nothing_is_awaited_after_a_complete_transfer() {
        let mut it = flow(Some(20));
        it.delivered(Instant::from_secs(1), 10);
        it.delivered(Instant::from_secs(2), 10);
        assert_eq!(it.finish(Instant::from_secs(9)).longest_stall, Duration::from_secs(1));
    }

    #[test]
    fn round_trips_are_ranked() {
        let mut it = flow(None);
        it.round_trips = (1..=100).rev().collect();
        let felt = it.finish(Instant::from_secs(1));
        assert_eq!(felt.round_trip_median, Some(Duration::from_micros(50)));
        assert_eq!(felt.round_trip_p95, Some(Duration::from_micros(95)));
        assert_eq!(flow(None).finish(Instant::from_secs(1)).round_trip_median, None);
    }
}
