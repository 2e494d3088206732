//! The observers of a run: the meters always; a capture, an event list and a time series on request.

mod by_element;
mod capture;
mod closely;
mod events;
mod line;
mod messages;
mod mobiles;
mod positions;
mod rows;
mod series;
mod streams;

use by_element::ByElement;
use capture::PacketDirection;
pub(crate) use capture::SenderCapture;
pub(crate) use closely::CloseMeter;
pub use closely::Felt;
pub(crate) use events::EventList;
pub(crate) use messages::MessageRecorder;
pub(crate) use series::SeriesRecorder;
pub(crate) use streams::{StreamRecorder, full_payload};

use crate::measure::{ConnectionMeter, FlowMeter, FlowSpan};
use mobiles::{Mobiles, Progress};
use seamline_mobility::protocol::{BaseStation, Participation};
use seamline_report::export::iperf3::Stream;
use seamline_report::messages::HandoverMessages;
use seamline_report::record::{FlowRecord, RunRecord};
use seamline_scenario::build::{Places, RECEIVER_PORTS, SENDER_PORTS};
use seamline_scenario::routes::{Routes, Way};
use seamline_scenario::schema::{FlowSpec, MobileSpec, Scenario};
use seamline_sim::{ElementId, Observer};
use seamline_wire::{Event, HandoverPhase, Instant, MobilityEvent, Packet, TransportPort};

/// Observes one run.
#[derive(Debug, Default)]
pub(crate) struct RunObserver {
    connections: Vec<ConnectionMeter>,
    flows: Vec<FlowMeter>,
    sizes: Vec<Option<u64>>,
    measured_from: Vec<Instant>,
    /// By element: the link that it is a direction of, or the mobile node; mobile nodes are numbered after the links.
    links: ByElement<usize>,
    /// By link, then by mobile node: the flows that pass it, or start or end there.
    passing: Vec<Vec<usize>>,
    mobiles: Mobiles,
    pub(crate) capture: Option<SenderCapture>,
    pub(crate) events: Option<EventList>,
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
    /// An observer of a run whose elements have been placed.
    pub(crate) fn new(
        scenario: &Scenario,
        places: &Places,
        capture: Option<SenderCapture>,
        events: Option<EventList>,
    ) -> Self {
        let mut observer = RunObserver { capture, events, ..RunObserver::default() };
        observer.prepare(scenario, places);
        if let Some(capture) = &mut observer.capture {
            capture.prepare(scenario, places);
        }
        if let Some(events) = &mut observer.events {
            events.prepare(scenario, places);
        }
        observer
    }

    fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        for (index, flow) in scenario.flows.iter().enumerate() {
            let span = FlowSpan::of(flow, scenario);
            self.flows.push(FlowMeter::new(span, scenario.duration, scenario.output.interval));
            self.sizes.push(flow.size);
            self.measured_from.push(span.from);
            let meters = (0..flow.count).map(|_| ConnectionMeter { flow: index, ..Default::default() });
            self.connections.extend(meters);
        }
        for (link, directions) in places.links.iter().enumerate() {
            directions.iter().for_each(|element| self.links.set(*element, link));
        }
        for (index, mobile) in places.mobiles.iter().enumerate() {
            self.links.set(mobile.node, places.links.len() + index);
        }
        self.passing = flows_by_link(scenario);
        self.passing.extend(flows_by_mobile(scenario));
        self.mobiles = Mobiles::new(scenario, places);
    }

    /// The records of the flows.
    pub(crate) fn records(&self, scenario: &Scenario, with_intervals: bool) -> Vec<FlowRecord> {
        let mobiles = scenario.mobiles.iter().map(|mobile| scenario.nodes[mobile.node].clone());
        let links: Vec<String> = scenario.links.iter().map(|link| link.name.clone()).chain(mobiles).collect();
        let record = |(index, flow): (usize, &FlowSpec)| {
            let place = |flow| self.connections.partition_point(|meter| meter.flow < flow);
            let own: Vec<&ConnectionMeter> =
                self.connections[place(index)..place(index + 1)].iter().collect();
            self.flows[index].record(&flow.name, &flow.variant_name, &own, &links, with_intervals)
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
            Event::Dropped { source_port, length, .. } if length > 0 => self.lost(source_port),
            _ => self.sender_event(now, event),
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
        self.flows[meter.flow].delivered(now, bytes);
    }

    fn lost(&mut self, port: TransportPort) {
        if let Some(meter) = connection(&mut self.connections, port, SENDER_PORTS) {
            self.flows[meter.flow].lost();
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
                meter.round_trips.retransmitted();
                flow.retransmitted(now);
            }
            Event::SegmentSent { sequence, length, .. } => meter.round_trips.sent(now, sequence + length),
            Event::AckReceived { acknowledgment, .. } => {
                meter.round_trips.acknowledged(now, acknowledgment, now >= flow.span.from);
            }
            Event::Sender { sample, .. } => {
                let change = sample.congestion_window - meter.congestion_window;
                meter.congestion_window = sample.congestion_window;
                flow.sampled(now, change, sample.smoothed_round_trip_time);
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
        for flow in &self.passing[link] {
            match phase {
                HandoverPhase::Predicted => {}
                HandoverPhase::Started => self.flows[*flow].handover_started(now, link),
                HandoverPhase::Completed => self.flows[*flow].handover_completed(now, link),
            }
        }
    }
}

impl RunObserver {
    fn mobility(&mut self, now: Instant, at: ElementId, event: MobilityEvent) {
        let Some((mobile, progress)) = self.mobiles.note(at, event) else { return };
        let links = self.passing.len() - self.mobiles.len();
        for flow in &self.passing[links + mobile] {
            let flow = &mut self.flows[*flow];
            match progress {
                Progress::MovementDetected => flow.movement_detected(now, links + mobile),
                Progress::Registered => flow.registered(now, links + mobile),
                Progress::Reachable => flow.handover_completed(now, links + mobile),
            }
        }
    }
}

/// Of the connection with a port of this range.
fn connection<T>(connections: &mut [T], port: TransportPort, first: u16) -> Option<&mut T> {
    connections.get_mut(usize::from(port.0.checked_sub(first)?))
}

/// By link: the flows whose data or acknowledgments pass it, wherever mobile nodes may be.
fn flows_by_link(scenario: &Scenario) -> Vec<Vec<usize>> {
    let all = Routes::everywhere(scenario);
    let mut passing = vec![Vec::new(); scenario.links.len()];
    for (index, flow) in scenario.flows.iter().enumerate() {
        let ends = flow.ends.pairs().flat_map(|[from, to]| [(from, to), (to, from)]);
        for (from, to) in ends.chain(tunnels(scenario, flow)) {
            for hop in all.iter().flat_map(|routes| routes.path(from, to)) {
                if let Way::Link(link, _) = hop.way
                    && !passing[link].contains(&index)
                {
                    passing[link].push(index);
                }
            }
        }
    }
    passing
}

/// The ends of all tunnels that may lead to or from an end of a flow.
fn tunnels(scenario: &Scenario, flow: &FlowSpec) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    for mobile in scenario.mobiles.iter().filter(|mobile| carries(scenario, mobile, flow)) {
        let Some(protocol) = &mobile.protocol else { continue };
        let anchors: Vec<usize> = protocol.anchors().collect();
        let mut own: Vec<(usize, usize)> = anchors.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let base_stations = mobile.cells.iter().map(|cell| scenario.cells[*cell].base_station);
        own.extend(anchors.last().into_iter().flat_map(|last| base_stations.clone().map(|it| (*last, it))));
        let traits = &protocol.scheme.traits;
        if traits.previous_router_forwards || traits.links_trigger_agents {
            let pairs =
                base_stations.clone().flat_map(|from| base_stations.clone().map(move |to| (from, to)));
            own.extend(pairs.filter(|(from, to)| from != to));
        }
        if protocol.scheme.traits.correspondents != Participation::None {
            let ends = flow.ends.pairs().flatten().filter(|node| *node != mobile.node);
            own.extend(ends.flat_map(|end| base_stations.clone().map(move |it| (end, it))));
        }
        if protocol.scheme.traits.base_station == BaseStation::AccessRouter {
            all.extend(own.iter().map(|(from, to)| (*to, *from)));
        }
        all.extend(own);
    }
    all
}

/// Whether a flow starts or ends at a mobile node or behind it.
fn carries(scenario: &Scenario, mobile: &MobileSpec, flow: &FlowSpec) -> bool {
    let behind = scenario.behind(mobile.node);
    flow.ends.contains(mobile.node) || behind.iter().any(|node| flow.ends.contains(*node))
}

/// By mobile node: the flows that start or end there or behind it.
fn flows_by_mobile(scenario: &Scenario) -> Vec<Vec<usize>> {
    let of = |mobile| {
        let flows = scenario.flows.iter().enumerate();
        flows.filter(|(_, flow)| carries(scenario, mobile, flow)).map(|(index, _)| index).collect()
    };
    scenario.mobiles.iter().map(of).collect()
}

impl Observer for RunObserver {
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.measure(now, at, event);
        if let Some(capture) = &mut self.capture {
            capture.event(at, event);
        }
        if let Some(events) = &mut self.events {
            events.write(now, at, event);
        }
        if let Some(series) = &mut self.series {
            series.event(now, at, event);
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
    fn sent(&mut self, now: Instant, from: ElementId, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
            capture.packet(now, from, packet, PacketDirection::Out);
        }
        if let Some(messages) = &mut self.messages {
            messages.sent(now, from, packet);
        }
    }
    fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
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
