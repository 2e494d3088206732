//! Measurements of a flow: the sum of its connections, over time.

use super::ConnectionMeter;
use super::part::Part;
use seamline_report::record::{FlowRecord, HandoverRecord, IntervalRecord};
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_wire::{Duration, Instant};

/// The part of a run that is measured.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowSpan {
    /// The start of the flow.
    pub(crate) start: Instant,
    /// The end of the warm-up, or the start of the flow if that is later.
    pub(crate) from: Instant,
    /// The end of the run, or of the flow if that is earlier.
    pub(crate) to: Instant,
}

impl FlowSpan {
    /// The part of a flow.
    pub(crate) fn of(flow: &FlowSpec, scenario: &Scenario) -> Self {
        let end = Instant::ZERO + scenario.duration;
        let from = flow.start.max(Instant::ZERO + scenario.warm_up);
        let to = flow.stop.unwrap_or(end).min(end);
        FlowSpan { start: flow.start, from: from.min(to), to }
    }
}

/// The counters of a flow.
#[derive(Debug, Default)]
pub(crate) struct FlowMeter {
    pub(crate) span: FlowSpan,
    /// The intervals of the run; `None` when they are not recorded.
    wanted: Option<Intervals>,
    /// Those up to now, in order.
    intervals: Vec<IntervalRecord>,
    retransmissions: u64,
    timeouts: u64,
    fast_recoveries: u64,
    undone_cuts: u64,
    congestion_window: f64,
    /// Connections that have different handovers on their way; none where there is no handover.
    parts: Vec<Part>,
}

/// A run in intervals of the same length, of which the last one may be shorter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals {
    length: Duration,
    end: Instant,
}

impl Intervals {
    /// The intervals of a scenario.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        Intervals { length: scenario.output.interval, end: Instant::ZERO + scenario.duration }
    }
    fn count(self) -> usize {
        self.end.as_nanos().div_ceil(self.length.as_nanos()) as usize
    }
    fn place(self, now: Instant) -> usize {
        (now.as_nanos() / self.length.as_nanos()) as usize
    }
    fn interval(self, place: usize) -> IntervalRecord {
        let from = Instant::ZERO + self.length * place as u64;
        IntervalRecord {
            from_s: from.as_secs_f64(),
            to_s: (from + self.length).min(self.end).as_secs_f64(),
            ..IntervalRecord::default()
        }
    }
}

impl FlowMeter {
    /// `parts`: how many kinds of connections there are that have different handovers on their way.
    pub(crate) fn new(span: FlowSpan, wanted: Option<Intervals>, parts: usize) -> Self {
        let parts = (0..parts).map(|_| Part::default()).collect();
        FlowMeter { span, wanted, parts, ..FlowMeter::default() }
    }

    /// Payload of a connection of this part arrived in order.
    pub(crate) fn delivered(&mut self, now: Instant, bytes: u64, part: usize) {
        if let Some(interval) = self.interval(now) {
            interval.bytes += bytes;
        }
        if let Some(part) = self.part(part) {
            part.delivered(now, bytes);
        }
    }
    /// Connections that have the same handovers on their way; `None` where there is no handover.
    pub(crate) fn part(&mut self, part: usize) -> Option<&mut Part> {
        self.parts.get_mut(part)
    }
    /// A segment was retransmitted.
    pub(crate) fn retransmitted(&mut self, now: Instant) {
        self.retransmissions += 1;
        if let Some(interval) = self.interval(now) {
            interval.retransmissions += 1;
        }
    }
    /// The retransmission timer of a connection expired.
    pub(crate) fn timed_out(&mut self, now: Instant) {
        self.timeouts += 1;
        if let Some(interval) = self.interval(now) {
            interval.timeouts += 1;
        }
    }
    /// A connection started a recovery without a timeout.
    pub(crate) fn recovery_started(&mut self) {
        self.fast_recoveries += 1;
    }
    /// A recovery of a connection was found to be spurious.
    pub(crate) fn cut_undone(&mut self) {
        self.undone_cuts += 1;
    }
    /// The congestion window of a connection changed by `window_change` segments; with the smoothed round-trip time.
    pub(crate) fn sampled(
        &mut self,
        now: Instant,
        window_change: f64,
        smoothed_round_trip: Duration,
        part: usize,
    ) {
        self.congestion_window += window_change;
        if let Some(part) = self.part(part) {
            part.smoothed_round_trip = smoothed_round_trip;
        }
        let window = self.congestion_window;
        if let Some(interval) = self.interval(now) {
            interval.congestion_window_segments = window;
            interval.smoothed_round_trip_ms = smoothed_round_trip.as_millis_f64();
        }
    }
    /// The record of the flow. `connections` are its own.
    pub(crate) fn record(
        &self,
        name: &str,
        variant: &str,
        connections: &[&ConnectionMeter],
        links: &[String],
    ) -> FlowRecord {
        let completed = connections.iter().map(|meter| meter.completed).collect::<Option<Vec<_>>>();
        let completed = completed.and_then(|times| times.into_iter().max());
        let to = completed.map_or(self.span.to, |at| at.clamp(self.span.from, self.span.to));
        let seconds = to.saturating_since(self.span.from).as_secs_f64();
        let per_second = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
        let copies: Vec<f64> = connections.iter().map(|meter| per_second(meter.measured)).collect();
        let mean_ms = |sum: fn(&ConnectionMeter) -> (u128, u64)| {
            let sums = connections.iter().map(|meter| sum(meter));
            let (nanos, count) = sums.fold((0, 0), |(nanos, count), (more, of)| (nanos + more, count + of));
            (count > 0).then(|| nanos as f64 / count as f64 / 1e6)
        };
        let minimum = connections.iter().filter_map(|meter| meter.round_trips.minimum()).min();
        FlowRecord {
            name: name.to_owned(),
            variant: variant.to_owned(),
            delivered_bytes: connections.iter().map(|meter| meter.delivered).sum(),
            goodput_bits_per_second: per_second(connections.iter().map(|meter| meter.measured).sum()),
            measured_from_s: self.span.from.as_secs_f64(),
            measured_to_s: to.as_secs_f64(),
            retransmissions: self.retransmissions,
            timeouts: self.timeouts,
            fast_recoveries: self.fast_recoveries,
            undone_cuts: self.undone_cuts,
            round_trip_mean_ms: mean_ms(|meter| meter.round_trips.sum()),
            round_trip_min_ms: minimum.map(Duration::as_millis_f64),
            loss_repair_mean_ms: mean_ms(|meter| meter.loss_repairs.sum()),
            completion_s: completed.map(|at| at.saturating_since(self.span.start).as_secs_f64()),
            copies_bits_per_second: if copies.len() > 1 { copies } else { Vec::new() },
            handovers: self.handover_records(links),
            intervals: self.interval_records(),
        }
    }

    /// Those of all parts in the order of their begin.
    fn handover_records(&self, links: &[String]) -> Vec<HandoverRecord> {
        let of_part = |part: &Part| part.records(links, self.span);
        let mut records: Vec<HandoverRecord> = self.parts.iter().flat_map(of_part).collect();
        if self.parts.len() > 1 {
            records.sort_by(|one, other| one.start_s.total_cmp(&other.start_s));
        }
        records
    }

    /// In an interval without a sample the last one still holds.
    fn interval_records(&self) -> Vec<IntervalRecord> {
        let Some(wanted) = self.wanted else { return Vec::new() };
        let mut records = self.intervals.clone();
        records.extend((records.len()..wanted.count()).map(|place| wanted.interval(place)));
        let mut last = (0.0, 0.0);
        for record in &mut records {
            let sample = (&mut record.congestion_window_segments, &mut record.smoothed_round_trip_ms);
            if *sample.0 > 0.0 {
                last = (*sample.0, *sample.1);
            }
            (*sample.0, *sample.1) = last;
        }
        records
    }

    fn interval(&mut self, now: Instant) -> Option<&mut IntervalRecord> {
        let wanted = self.wanted?;
        let place = wanted.place(now);
        if place >= self.intervals.len() && place < wanted.count() {
            self.intervals.extend((self.intervals.len()..=place).map(|place| wanted.interval(place)));
        }
        self.intervals.get_mut(place)
    }
}
