//! One run over time, for the figures of a report. Memory is bounded: single segments are recorded up to a limit, and
//! continuous values are thinned out. Only delivered data per [`BIN`], timeouts, recoveries and handovers grow with
//! the length of a run.

use super::by_element::ByElement;
use super::positions::Positions;
use crate::measure::{BIN, add_to_bin};
use seamline_report::decimate::{Sample, Thinner};
use seamline_report::record::RunRecord;
use seamline_report::series::{
    Acknowledgment, Drop, FlowSeries, HandoverBand, QueueSeries, RunSeries, SegmentSent, SelectiveBlock,
    SenderColumns,
};
use seamline_scenario::build::{Places, RECEIVER_PORTS, SENDER_PORTS};
use seamline_scenario::routes::{Everywhere, Way};
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_sim::ElementId;
use seamline_wire::{
    Event, Flags, HandoverPhase, Instant, MobilityEvent, Packet, Segment, SenderSample, TransportPort,
};
use std::collections::BTreeSet;

/// The maximum number of segments, acknowledgments and blocks that are kept for a run.
const MOST_DETAILS: usize = 500_000;
/// Continuous values are kept for this many parts of a run.
const BUCKETS: f64 = 6000.0;
/// With more links and radio cells than this only those on the way of the recorded connections are recorded.
const MOST_QUEUES: usize = 256;
/// Only the first connections of a run are recorded.
const MOST_CONNECTIONS: usize = 8;

/// Records one run.
#[derive(Debug, Default)]
pub(crate) struct SeriesRecorder {
    /// By connection number: the index of its recorder.
    by_connection: Vec<Option<usize>>,
    connections: Vec<Connection>,
    /// By element: the queue of a link's direction.
    queues: ByElement<Queue>,
    /// By element: the name of the link or of the mobile node whose handovers it reports or announces.
    links: ByElement<String>,
    handovers: Vec<HandoverBand>,
    predicted: Vec<(String, f64)>,
    duration_s: f64,
    details: usize,
    /// The time at which the limit of details was reached.
    full_since_s: Option<f64>,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Connection {
    sender_host: Option<ElementId>,
    positions: Positions,
    /// The window scale shift of the peer.
    window_shift: u8,
    sender: Thinner<5>,
    series: FlowSeries,
}

#[derive(Debug)]
struct Queue {
    link: String,
    packets: Thinner<1>,
    most: u32,
}

/// The links, radio cells and mobile nodes that are shown: all, or in a large network those on the way of the recorded connections.
#[derive(Debug, Default)]
struct Shown {
    links: BTreeSet<usize>,
    cells: BTreeSet<usize>,
    mobiles: BTreeSet<usize>,
    is_part: bool,
}

impl Shown {
    fn of(scenario: &Scenario) -> Self {
        let [links, cells, mobiles] = [scenario.links.len(), scenario.cells.len(), scenario.mobiles.len()]
            .map(|count| (0..count).collect());
        let all = Shown { links, cells, mobiles, is_part: false };
        if all.links.len() + all.cells.len() <= MOST_QUEUES { all } else { Shown::on_the_way(scenario) }
    }

    fn on_the_way(scenario: &Scenario) -> Self {
        let mut shown = Shown { is_part: true, ..Shown::default() };
        let everywhere = Everywhere::of(scenario);
        for [from, to] in scenario.flows.iter().take(MOST_CONNECTIONS).map(|flow| flow.ends.pair(0)) {
            for way in [[from, to], [to, from]] {
                everywhere.for_each_hop(way, |hop| match hop.way {
                    Way::Link(link, _) => drop(shown.links.insert(link)),
                    Way::Cell(cell, _) => drop(shown.cells.insert(cell)),
                    Way::Radio(mobile) | Way::Anchor(mobile) => {
                        shown.mobiles.insert(mobile);
                        shown.cells.extend(&scenario.mobiles[mobile].cells);
                    }
                });
            }
        }
        shown
    }
}

impl SeriesRecorder {
    pub(crate) fn new(scenario: &Scenario, places: &Places) -> Self {
        let duration_s = scenario.duration.as_secs_f64();
        let mut recorder = SeriesRecorder { duration_s, ..SeriesRecorder::default() };
        for flow in &scenario.flows {
            recorder.add_flow(flow, places.hosts[flow.ends.pair(0)[0]]);
        }
        let shown = Shown::of(scenario);
        if shown.is_part {
            recorder.notes.push(
                "with so many links, only the queues on the paths of the connections shown are recorded"
                    .to_owned(),
            );
        }
        recorder.name_handovers(scenario, places, &shown);
        let link = |index: &usize| (&scenario.links[*index].name, places.links[*index]);
        let cell = |index: &usize| {
            let elements = &places.cells[*index];
            (&scenario.cells[*index].name, [elements.down, elements.up])
        };
        for (name, directions) in shown.links.iter().map(link).chain(shown.cells.iter().map(cell)) {
            for (element, direction) in directions.into_iter().zip(["down", "up"]) {
                let packets = Thinner::new(duration_s / BUCKETS);
                let queue = Queue { link: format!("{name}/{direction}"), packets, most: 0 };
                recorder.queues.set(element, queue);
            }
        }
        recorder
    }

    /// Elements that announce handovers refer to the same ones as elements that perform them.
    fn name_handovers(&mut self, scenario: &Scenario, places: &Places, shown: &Shown) {
        let links = scenario.links.iter().zip(places.links.iter().zip(&places.notices)).enumerate();
        for (_, (link, elements)) in links.filter(|(index, _)| shown.links.contains(index)) {
            let (directions, notices) = elements;
            for element in directions.iter().chain(notices) {
                self.links.set(*element, link.name.clone());
            }
        }
        let mobiles = scenario.mobiles.iter().zip(&places.mobiles).enumerate();
        for (_, (mobile, places)) in mobiles.filter(|(index, _)| shown.mobiles.contains(index)) {
            for element in std::iter::once(places.node).chain(places.notices) {
                self.links.set(element, scenario.nodes[mobile.node].clone());
            }
        }
    }

    fn add_flow(&mut self, flow: &FlowSpec, sender_host: Option<ElementId>) {
        let wanted = self.connections.len() < MOST_CONNECTIONS;
        self.by_connection.extend((0..flow.count).map(|copy| {
            let first = copy == 0 && wanted;
            first.then_some(self.connections.len())
        }));
        if !wanted {
            self.notes.push(format!("flow {} is not recorded over time: too many flows", flow.name));
            return;
        }
        if flow.count > 1 {
            self.notes.push(format!("flow {} has {} copies; only the first is shown", flow.name, flow.count));
        }
        let series = FlowSeries {
            flow: flow.name.clone(),
            variant: flow.variant_name.clone(),
            delivered_bin_s: BIN.as_secs_f64(),
            ..FlowSeries::default()
        };
        self.connections.push(Connection {
            sender_host,
            positions: Positions::default(),
            window_shift: flow.parameters.segments.window_scale.unwrap_or(0),
            sender: Thinner::new(self.duration_s / BUCKETS),
            series,
        });
    }

    /// Record an event.
    pub(crate) fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        let time_s = now.as_secs_f64();
        match *event {
            Event::Queue { packets, .. } => {
                if let Some(queue) = self.queues.get_mut(at) {
                    queue.most = queue.most.max(packets);
                    queue.packets.push(Sample { time_s, values: [f64::from(packets)] });
                }
            }
            Event::Handover(phase) => self.handover(time_s, at, phase),
            Event::Mobility(what) => self.mobility(time_s, at, what),
            Event::Delivered { port, bytes } => {
                if let Some(connection) = self.connection(port, RECEIVER_PORTS) {
                    connection.delivered(now, bytes);
                }
            }
            _ => self.sender_event(time_s, event),
        }
    }

    fn sender_event(&mut self, time_s: f64, event: &Event) {
        let room = self.has_room(time_s);
        let (Event::SegmentSent { port, .. }
        | Event::Sender { port, .. }
        | Event::RetransmissionTimeout { port }
        | Event::RecoveryStarted { port }
        | Event::Dropped { source_port: port, .. }) = *event
        else {
            return;
        };
        let Some(connection) = self.connection(port, SENDER_PORTS) else { return };
        match *event {
            Event::SegmentSent { sequence, length, retransmission, .. } if room => {
                let start = connection.positions.sent(sequence, length);
                connection.series.segments.push(SegmentSent { time_s, start, length, retransmission });
                self.details += 1;
            }
            Event::SegmentSent { sequence, length, .. } => {
                connection.positions.sent(sequence, length);
            }
            Event::Sender { sample, .. } => connection.sampled(time_s, &sample),
            Event::RetransmissionTimeout { .. } => connection.series.timeouts_s.push(time_s),
            Event::RecoveryStarted { .. } => connection.series.recoveries_s.push(time_s),
            Event::Dropped { cause, sequence, length: 1.., .. } if room => {
                if let Some(start) = connection.positions.of(sequence) {
                    connection.series.drops.push(Drop { time_s, start, cause: cause.name().into() });
                    self.details += 1;
                }
            }
            _ => {}
        }
    }

    /// A packet arrives at a machine.
    pub(crate) fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        let time_s = now.as_secs_f64();
        let room = self.has_room(time_s);
        let Some(connection) = self.connection(packet.destination_port, SENDER_PORTS) else { return };
        let is_acknowledgment = packet.is_bare_segment() && packet.segment.flags.contains(Flags::ACK);
        if connection.sender_host != Some(at) || !is_acknowledgment {
            return;
        }
        if room {
            self.details += connection.acknowledged(time_s, &packet.segment);
        }
    }

    /// The recorded series. The run's record provides the time at which a mobile node became reachable, which is not
    /// an event of its own.
    pub(crate) fn finish(mut self, cell: usize, name: String, record: &RunRecord) -> RunSeries {
        let met = || record.flows.iter().flat_map(|flow| &flow.handovers);
        for band in self.handovers.iter_mut().filter(|band| band.end_s.is_none()) {
            let same = met().find(|met| met.link == band.link && met.start_s == band.start_s);
            let interruption_ms = same.and_then(|met| met.interruption_ms);
            band.end_s = interruption_ms.map(|millis| band.start_s + millis / 1e3);
        }
        if let Some(since) = self.full_since_s {
            self.notes.push(format!(
                "single segments and acknowledgments are recorded until {since:.3} s only: the limit is \
                 {MOST_DETAILS}"
            ));
        }
        // Queues that never held a second packet are not shown.
        let queues = self.queues.into_values().filter(|queue| queue.most > 1);
        RunSeries {
            cell,
            name,
            seed: record.seed,
            duration_s: self.duration_s,
            flows: self.connections.into_iter().map(Connection::finish).collect(),
            queues: queues.map(Queue::finish).collect(),
            handovers: self.handovers,
            messages: None,
            notes: self.notes,
        }
    }

    fn connection(&mut self, port: TransportPort, first: u16) -> Option<&mut Connection> {
        let number = usize::from(port.0.checked_sub(first)?);
        self.connections.get_mut(self.by_connection.get(number).copied().flatten()?)
    }

    fn has_room(&mut self, time_s: f64) -> bool {
        if self.details >= MOST_DETAILS {
            self.full_since_s.get_or_insert(time_s);
        }
        self.full_since_s.is_none()
    }

    /// Both directions of a link report the same handover.
    fn handover(&mut self, time_s: f64, at: ElementId, phase: HandoverPhase) {
        let Some(link) = self.links.get(at) else { return };
        let mut same = self.handovers.iter_mut().rev().filter(|band| band.link == *link);
        match phase {
            HandoverPhase::Predicted => {
                self.predicted.retain(|(known, _)| known != link);
                self.predicted.push((link.clone(), time_s));
            }
            HandoverPhase::Started => {
                if same.next().is_none_or(|band| band.start_s != time_s) {
                    let announced = self.predicted.iter().position(|(known, _)| known == link);
                    let predicted_s = announced.map(|index| self.predicted.swap_remove(index).1);
                    let band = HandoverBand {
                        link: link.clone(),
                        predicted_s,
                        start_s: time_s,
                        ..HandoverBand::default()
                    };
                    self.handovers.push(band);
                }
            }
            HandoverPhase::Completed => {
                if let Some(band) = same.next() {
                    band.end_s.get_or_insert(time_s);
                }
            }
        }
    }
}

impl SeriesRecorder {
    /// A mobility event belongs to the node's latest handover.
    fn mobility(&mut self, time_s: f64, at: ElementId, what: MobilityEvent) {
        let Some(node) = self.links.get(at) else { return };
        let Some(band) = self.handovers.iter_mut().rev().find(|band| band.link == *node) else { return };
        match what {
            MobilityEvent::MovementDetected { .. } => {
                band.movement_detected_s.get_or_insert(time_s);
            }
            MobilityEvent::RegistrationAccepted { after_move: true, .. } => {
                band.registered_s.get_or_insert(time_s);
            }
            _ => {}
        }
    }
}

impl Connection {
    fn sampled(&mut self, time_s: f64, sample: &SenderSample) {
        let values = [
            sample.congestion_window,
            sample.slow_start_threshold,
            sample.smoothed_round_trip_time.as_millis_f64(),
            sample.retransmission_timeout.as_millis_f64(),
            f64::from(sample.bytes_in_flight),
        ];
        self.sender.push(Sample { time_s, values });
    }

    fn delivered(&mut self, now: Instant, bytes: u32) {
        add_to_bin(&mut self.series.delivered_bytes, now, u64::from(bytes));
    }

    /// Record an acknowledgment and its SACK blocks; returns how many details that are.
    fn acknowledged(&mut self, time_s: f64, segment: &Segment) -> usize {
        let Some(position) = self.positions.of(segment.acknowledgment) else { return 0 };
        let is_syn = segment.flags.contains(Flags::SYN);
        if is_syn {
            // The shift is used when both ends offer one (RFC 7323 section 2.2).
            self.window_shift = segment.window_scale.unwrap_or(0);
        }
        let shift = if is_syn { 0 } else { self.window_shift };
        let window_edge = position + (u64::from(segment.window) << shift.min(14));
        self.series.acknowledgments.push(Acknowledgment { time_s, position, window_edge });
        for block in segment.sack.iter() {
            let ends = (self.positions.of(block.left), self.positions.of(block.right));
            if let (Some(start), Some(end)) = ends {
                self.series.selective.push(SelectiveBlock { time_s, start, end });
            }
        }
        1 + segment.sack.len()
    }

    fn finish(self) -> FlowSeries {
        let samples = self.sender.finish();
        let column = |index: usize| samples.iter().map(|sample| sample.values[index]).collect();
        let sender = SenderColumns {
            time_s: samples.iter().map(|sample| sample.time_s).collect(),
            congestion_window_segments: column(0),
            slow_start_threshold_segments: column(1),
            smoothed_round_trip_ms: column(2),
            retransmission_timeout_ms: column(3),
            bytes_in_flight: column(4),
        };
        FlowSeries { sender, ..self.series }
    }
}

impl Queue {
    fn finish(self) -> QueueSeries {
        let samples = self.packets.finish();
        QueueSeries {
            link: self.link,
            time_s: samples.iter().map(|sample| sample.time_s).collect(),
            packets: samples.iter().map(|sample| sample.values[0]).collect(),
        }
    }
}
