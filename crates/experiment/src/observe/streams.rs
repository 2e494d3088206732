//! What each sender did in intervals, as iperf3 reports it.

use super::connection;
use crate::measure::{ConnectionMeter, FlowSpan};
use seamline_report::export::iperf3::{Interval, Stream};
use seamline_report::record::FlowRecord;
use seamline_scenario::build::{RECEIVER_PORTS, SENDER_PORTS};
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_wire::{Duration, Event, Instant, SenderSample};

/// The bytes of a timestamps option, padded.
const TIMESTAMPS: u32 = 12;

/// Payload of a full segment of a flow in bytes.
pub(crate) fn full_payload(flow: &FlowSpec) -> u32 {
    let segments = &flow.parameters.segments;
    let options = segments.timestamp_tick.map_or(0, |_| TIMESTAMPS);
    u32::from(segments.maximum_segment_size).saturating_sub(options)
}

/// Records all connections of a run, in their order.
#[derive(Debug)]
pub(crate) struct StreamRecorder {
    connections: Vec<Connection>,
}

#[derive(Clone, Debug)]
struct Connection {
    flow: usize,
    grid: Grid,
    segment_bytes: f64,
    /// Bytes of the transfer that were not sent yet.
    unsent: u64,
    /// Whether a SYN is still to come.
    opens: bool,
    intervals: Vec<Interval>,
}

/// Intervals begin at the start of the flow, and again at the end of the warm-up.
#[derive(Clone, Copy, Debug)]
struct Grid {
    span: FlowSpan,
    length: Duration,
}

impl StreamRecorder {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let of_flow = |(index, flow): (usize, &FlowSpec)| {
            let grid = Grid { span: FlowSpan::of(flow, scenario), length: scenario.output.interval };
            let connection = Connection {
                flow: index,
                grid,
                segment_bytes: full_payload(flow).into(),
                unsent: flow.size.unwrap_or(u64::MAX),
                opens: flow.handshake,
                intervals: Vec::new(),
            };
            (0..flow.count).map(move |_| connection.clone())
        };
        StreamRecorder { connections: scenario.flows.iter().enumerate().flat_map(of_flow).collect() }
    }

    /// Record an event.
    pub(crate) fn event(&mut self, now: Instant, event: &Event) {
        let (Event::SegmentSent { port, .. } | Event::Sender { port, .. }) = *event else { return };
        let Some(connection) = connection(&mut self.connections, port, SENDER_PORTS) else { return };
        match *event {
            Event::SegmentSent { retransmission: true, .. } => connection.at(now).retransmissions += 1,
            Event::SegmentSent { length, .. } => connection.sent(now, length),
            Event::Sender { sample, .. } => connection.sampled(now, &sample),
            _ => {}
        }
    }

    /// The connections of a flow, which ended as its record says. `meters` are those of all connections.
    pub(crate) fn streams(
        &self,
        flow: usize,
        record: &FlowRecord,
        meters: &[ConnectionMeter],
    ) -> Vec<Stream> {
        let own = self.connections.iter().zip(meters).zip(0..).filter(|((it, _), _)| it.flow == flow);
        let stream = |((connection, meter), number): ((&Connection, &ConnectionMeter), u16)| Stream {
            local_port: SENDER_PORTS.saturating_add(number),
            remote_port: RECEIVER_PORTS.saturating_add(number),
            received_bytes: meter.measured,
            intervals: connection.finish(record),
        };
        own.map(stream).collect()
    }
}

impl Connection {
    fn at(&mut self, now: Instant) -> &mut Interval {
        let place = self.grid.place(now);
        if self.intervals.len() <= place {
            self.intervals.resize(place + 1, Interval::default());
        }
        &mut self.intervals[place]
    }

    /// SYN and FIN count in sequence space, but carry no payload.
    fn sent(&mut self, now: Instant, length: u32) {
        if std::mem::take(&mut self.opens) {
            return;
        }
        let bytes = u64::from(length).min(self.unsent);
        self.unsent -= bytes;
        self.at(now).sent_bytes += bytes;
    }

    fn sampled(&mut self, now: Instant, sample: &SenderSample) {
        let segment_bytes = self.segment_bytes;
        let interval = self.at(now);
        interval.congestion_window_bytes = (sample.congestion_window * segment_bytes) as u64;
        interval.round_trip_us = sample.smoothed_round_trip_time.as_micros();
        interval.variation_us = sample.round_trip_time_variation.as_micros();
    }

    /// All intervals up to the end of the flow; in one without a sample the last one still holds.
    fn finish(&self, record: &FlowRecord) -> Vec<Interval> {
        let mut last = Interval::default();
        let interval = |(place, (is_omitted, start_s, end_s))| {
            let found: Interval = self.intervals.get(place).cloned().unwrap_or_default();
            if found.congestion_window_bytes > 0 {
                last = found.clone();
            }
            let sampled = Interval {
                sent_bytes: found.sent_bytes,
                retransmissions: found.retransmissions,
                ..last.clone()
            };
            Interval { is_omitted, start_s, end_s, ..sampled }
        };
        self.grid.spans(record.measured_to_s).into_iter().enumerate().map(interval).collect()
    }
}

impl Grid {
    /// The interval of a time. The last one takes what happens after the end.
    fn place(&self, now: Instant) -> usize {
        let FlowSpan { start, from, to } = self.span;
        let whole = |time: Duration| time.as_nanos() / self.length.as_nanos();
        if now < from {
            return whole(now.saturating_since(start)) as usize;
        }
        let last = Duration::from_nanos(to.saturating_since(from).as_nanos().saturating_sub(1));
        self.omitted() + whole(now.saturating_since(from).min(last)) as usize
    }

    /// How many intervals are in the warm-up.
    fn omitted(&self) -> usize {
        let FlowSpan { start, from, .. } = self.span;
        from.saturating_since(start).as_nanos().div_ceil(self.length.as_nanos()) as usize
    }

    /// Whether each interval is in the warm-up, its begin and its end, for a flow that ended at `end_s`.
    fn spans(&self, end_s: f64) -> Vec<(bool, f64, f64)> {
        let FlowSpan { start, from, .. } = self.span;
        let end = Instant::from_nanos((end_s * 1e9).round() as u64);
        let of = |is_omitted: bool, whole: Duration| {
            let count = whole.as_nanos().div_ceil(self.length.as_nanos());
            (0..count).map(move |place| {
                let [begin, next] = [place, place + 1].map(|place| (self.length * place).min(whole));
                (is_omitted, begin.as_secs_f64(), next.as_secs_f64())
            })
        };
        of(true, from.saturating_since(start)).chain(of(false, end.saturating_since(from))).collect()
    }
}
