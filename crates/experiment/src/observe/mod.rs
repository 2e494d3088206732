//! The observers of a run: the meters always; a capture, an event list and a time series on request.

mod by_element;
mod capture;
mod closely;
mod convert;
mod event_table;
mod events;
mod line;
mod messages;
mod mobiles;
mod packet_table;
mod passing;
mod pcapng;
mod positions;
mod rows;
mod selection;
mod series;
mod streams;

use by_element::ByElement;
use capture::PacketDirection;
pub(crate) use capture::SenderCapture;
pub(crate) use closely::CloseMeter;
pub use closely::Felt;
pub use convert::{ConvertError, convert, converted_path};
pub(crate) use event_table::EventTable;
pub(crate) use events::EventList;
pub(crate) use messages::MessageRecorder;
pub(crate) use packet_table::PacketTable;
pub(crate) use pcapng::PcapngFile;
pub(crate) use series::SeriesRecorder;
pub(crate) use streams::{StreamRecorder, full_payload};

use crate::measure::{ConnectionMeter, FlowMeter, FlowSpan, Intervals};
use mobiles::{Mobiles, Progress};
use passing::Passing;
use rows::{Kind, kind_of};
use seamline_report::export::iperf3::Stream;
use seamline_report::messages::HandoverMessages;
use seamline_report::record::{FlowRecord, RunRecord};
use seamline_scenario::build::{Places, RECEIVER_PORTS, SENDER_PORTS};
use seamline_scenario::schema::{FlowSpec, Scenario};
use seamline_sim::{ElementId, Observer};
use seamline_wire::{Event, HandoverPhase, Instant, MobilityEvent, Packet, SequenceNumber, TransportPort};
use selection::Selection;

/// What records a run in full.
#[derive(Debug, Default)]
pub(crate) struct Recorders {
    pub(crate) capture: Option<SenderCapture>,
    pub(crate) events: Option<EventList>,
    pub(crate) event_table: Option<EventTable>,
}

impl Recorders {
    fn record_events(&self) -> bool {
        self.events.is_some() || self.event_table.is_some()
    }
}

/// Observes one run.
#[derive(Debug, Default)]
pub struct RunObserver {
    connections: Vec<ConnectionMeter>,
    flows: Vec<FlowMeter>,
    sizes: Vec<Option<u64>>,
    measured_from: Vec<Instant>,
    /// By element: the link that it is a direction of, or the mobile node; mobile nodes are numbered after the links.
    links: ByElement<usize>,
    /// By link, then by mobile node: what passes it and its handovers, or starts or ends there.
    passing: Vec<Vec<Passing>>,
    mobiles: Mobiles,
    /// Segments with data that senders have sent.
    pub(crate) segments: u64,
    pub(crate) recorders: Recorders,
    /// Which events lists and tables record; `None` for all.
    selection: Option<Selection>,
    /// Set after construction, when a report needs the run over time.
    pub(crate) series: Option<SeriesRecorder>,
    /// Likewise, with the packets around its first handover.
    pub(crate) messages: Option<MessageRecorder>,
    /// Likewise, when each connection is reported on its own.
    pub(crate) streams: Option<StreamRecorder>,
    /// Likewise, when what flows felt like is asked for.
    pub(crate) close: Option<CloseMeter>,
}

impl RunObserver {
    /// An observer of a run whose elements have been placed. Whether flows are recorded in intervals is the caller's choice: it takes
    /// memory in proportion to the run.
    pub(crate) fn new(
        scenario: &Scenario,
        places: &Places,
        recorders: Recorders,
        with_intervals: bool,
    ) -> Self {
        let mut observer = RunObserver { recorders, ..RunObserver::default() };
        observer.prepare(scenario, places, with_intervals);
        if let Some(capture) = &mut observer.recorders.capture {
            capture.prepare(scenario, places);
        }
        if let Some(events) = &mut observer.recorders.events {
            events.prepare(scenario, places);
        }
        if let Some(table) = &mut observer.recorders.event_table {
            table.prepare(scenario, places);
        }
        observer.selection = Selection::new(scenario, places);
        observer
    }

    fn prepare(&mut self, scenario: &Scenario, places: &Places, with_intervals: bool) {
        let parts = passing::parts(scenario, &places.networks);
        let wanted = with_intervals.then(|| Intervals::of(scenario));
        for (index, flow) in scenario.flows.iter().enumerate() {
            let span = FlowSpan::of(flow, scenario);
            let own = &parts[index];
            let count = own.count();
            self.flows.push(FlowMeter::new(span, wanted, count));
            self.sizes.push(flow.size);
            self.measured_from.push(span.from);
            let meters = (0..flow.count as usize).map(|copy| ConnectionMeter {
                flow: index,
                part: own.of_pair[copy % flow.ends.count()],
                ..Default::default()
            });
            self.connections.extend(meters);
        }
        for (link, directions) in places.links.iter().enumerate() {
            directions.iter().for_each(|element| self.links.set(*element, link));
        }
        for (index, mobile) in places.mobiles.iter().enumerate() {
            self.links.set(mobile.node, places.links.len() + index);
        }
        self.passing = passing::by_source(scenario, &parts);
        self.mobiles = Mobiles::new(scenario, places);
    }

    /// The records of the flows.
    pub(crate) fn records(&self, scenario: &Scenario) -> Vec<FlowRecord> {
        let links: Vec<String> = passing::names(scenario).cloned().collect();
        let mut connections = self.connections.iter();
        let record = |(index, flow): (usize, &FlowSpec)| {
            let own: Vec<&ConnectionMeter> = connections.by_ref().take(flow.count as usize).collect();
            self.flows[index].record(&flow.name, &flow.variant_name, &own, &links)
        };
        scenario.flows.iter().enumerate().map(record).collect()
    }

    /// The packets around the first handover, if they were recorded and there was one.
    pub(crate) fn messages(&mut self, scenario: &Scenario, record: &RunRecord) -> Option<HandoverMessages> {
        self.messages.take()?.finish(scenario, record, &self.passing)
    }

    /// The connections of a flow in intervals, if they were recorded.
    pub(crate) fn streams(&self, flow: usize, record: &FlowRecord) -> Vec<Stream> {
        let recorded = self.streams.as_ref();
        recorded.map_or(Vec::new(), |streams| streams.streams(flow, record, &self.connections))
    }

    fn measure(&mut self, now: Instant, at: ElementId, event: &Event) {
        match *event {
            Event::Delivered { port, bytes } => self.delivered(now, port, u64::from(bytes)),
            Event::Handover(phase) => self.handover(now, at, phase),
            Event::Mobility(event) => self.mobility(now, at, event),
            Event::Dropped { source_port, sequence, length, .. } if length > 0 => {
                self.lost(now, source_port, sequence + length);
            }
            _ => self.sender_event(now, event),
        }
    }

    // Apart, so that events of queues do not pay for it.
    #[inline(never)]
    fn other_than_queues(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.measure(now, at, event);
        if let Some(capture) = &mut self.recorders.capture {
            capture.event(at, event);
        }
        if let Some(messages) = &mut self.messages {
            messages.event(now, at, event);
        }
        if let Some(streams) = &mut self.streams {
            streams.event(now, event);
        }
        if let Some(close) = &mut self.close {
            close.event(now, event);
        }
    }

    #[inline]
    fn record(&mut self, now: Instant, at: ElementId, event: &Event) {
        if !self.recorders.record_events() {
            return;
        }
        if let Some(selection) = &mut self.selection
            && !selection.takes(at, kind_of(event))
        {
            return;
        }
        if let Some(events) = &mut self.recorders.events {
            events.write(now, at, event);
        }
        if let Some(table) = &mut self.recorders.event_table {
            table.write(now, at, event);
        }
    }

    fn delivered(&mut self, now: Instant, port: TransportPort, bytes: u64) {
        let Some(meter) = connection(&mut self.connections, port, RECEIVER_PORTS) else { return };
        meter.delivered += bytes;
        if now >= self.measured_from[meter.flow] {
            meter.measured += bytes;
        }
        if self.sizes[meter.flow].is_some_and(|size| meter.delivered >= size) && meter.completed.is_none() {
            meter.completed = Some(now);
        }
        self.flows[meter.flow].delivered(now, bytes, meter.part);
    }

    /// A packet with payload that ends before this sequence number.
    fn lost(&mut self, now: Instant, port: TransportPort, end: SequenceNumber) {
        let Some(meter) = connection(&mut self.connections, port, SENDER_PORTS) else { return };
        meter.loss_repairs.lost(now, end);
        if let Some(part) = self.flows[meter.flow].part(meter.part) {
            part.lost();
        }
    }

    fn sender_event(&mut self, now: Instant, event: &Event) {
        let (Event::SegmentSent { port, .. }
        | Event::AckReceived { port, .. }
        | Event::Sender { port, .. }
        | Event::RetransmissionTimeout { port }
        | Event::RecoveryStarted { port }
        | Event::CutUndone { port }) = *event
        else {
            return;
        };
        let Some(meter) = connection(&mut self.connections, port, SENDER_PORTS) else { return };
        let flow = &mut self.flows[meter.flow];
        match *event {
            Event::SegmentSent { retransmission: true, .. } => {
                self.segments += 1;
                meter.round_trips.retransmitted();
                flow.retransmitted(now);
            }
            Event::SegmentSent { sequence, length, .. } => {
                self.segments += 1;
                meter.round_trips.sent(now, sequence + length);
            }
            Event::AckReceived { acknowledgment, .. } => {
                let counts = now >= flow.span.from;
                meter.round_trips.acknowledged(now, acknowledgment, counts);
                meter.loss_repairs.acknowledged(now, acknowledgment, counts);
            }
            Event::Sender { sample, .. } => {
                let change = sample.congestion_window - meter.congestion_window;
                meter.congestion_window = sample.congestion_window;
                flow.sampled(now, change, sample.smoothed_round_trip_time, meter.part);
            }
            Event::RetransmissionTimeout { .. } => flow.timed_out(now),
            Event::CutUndone { .. } => flow.cut_undone(),
            _ => flow.recovery_started(),
        }
    }

    fn handover(&mut self, now: Instant, at: ElementId, phase: HandoverPhase) {
        if phase == HandoverPhase::Started {
            self.mobiles.left(at);
        }
        let Some(link) = self.links.get(at).copied() else { return };
        for Passing { flow, part } in &self.passing[link] {
            let Some(part) = self.flows[*flow].part(*part) else { continue };
            match phase {
                HandoverPhase::Predicted => {}
                HandoverPhase::Started => part.handover_started(now, link),
                HandoverPhase::Completed => part.handover_completed(now, link),
            }
        }
    }
}

impl RunObserver {
    fn mobility(&mut self, now: Instant, at: ElementId, event: MobilityEvent) {
        let Some((mobile, progress)) = self.mobiles.note(at, event) else { return };
        let links = self.passing.len() - self.mobiles.len();
        for Passing { flow, part } in &self.passing[links + mobile] {
            let Some(part) = self.flows[*flow].part(*part) else { continue };
            match progress {
                Progress::MovementDetected => part.movement_detected(now, links + mobile),
                Progress::Registered => part.registered(now, links + mobile),
                Progress::Reachable => part.handover_completed(now, links + mobile),
            }
        }
    }
}

/// Of the connection with a port of this range.
fn connection<T>(connections: &mut [T], port: TransportPort, first: u16) -> Option<&mut T> {
    connections.get_mut(usize::from(port.0.checked_sub(first)?))
}

impl Observer for RunObserver {
    fn hears_queues(&self) -> bool {
        let are_recorded = || self.selection.as_ref().is_none_or(|it| it.includes(Kind::Queue));
        self.series.is_some() || (self.recorders.record_events() && are_recorded())
    }
    fn sees_packets(&self) -> bool {
        self.recorders.capture.is_some() || self.series.is_some() || self.messages.is_some()
    }
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        // Most events are of queues, which only records and series take.
        if !matches!(event, Event::Queue { .. }) {
            self.other_than_queues(now, at, event);
        }
        self.record(now, at, event);
        if let Some(series) = &mut self.series {
            series.event(now, at, event);
        }
    }
    fn sent(&mut self, now: Instant, from: ElementId, packet: &Packet) {
        if let Some(capture) = &mut self.recorders.capture {
            capture.packet(now, from, packet, PacketDirection::Out);
        }
        if let Some(messages) = &mut self.messages {
            messages.sent(now, from, packet);
        }
    }
    fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        if let Some(capture) = &mut self.recorders.capture {
            capture.packet(now, at, packet, PacketDirection::In);
        }
        if let Some(series) = &mut self.series {
            series.arrived(now, at, packet);
        }
        if let Some(messages) = &mut self.messages {
            messages.arrived(now, at, packet);
        }
    }
}
