//! All events of a run as CSV (RFC 4180): one row each, columns that do not apply left empty.

use crate::atomic::{AtomicFile, WriteError};
use crate::build::{Places, RECEIVER_PORTS, SENDER_PORTS};
use crate::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::capture::ipv4_address;
use seamline_wire::{DropCause, Event, HandoverPhase, Instant, MobilityEvent, SenderSample, TransportPort};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const HEADER: &str = "time_s,element,event,connection,sequence,length_bytes,detail,\
    congestion_window_segments,slow_start_threshold_segments,bytes_in_flight,\
    smoothed_round_trip_ms,retransmission_timeout_ms";

/// A list of events being written.
#[derive(Debug)]
pub(crate) struct EventList {
    path: PathBuf,
    file: AtomicFile,
    /// By element: its name.
    elements: Vec<String>,
    /// By number: the name of the connection.
    connections: Vec<String>,
    /// The first failure; nothing is written after it.
    failed: Option<io::Error>,
}

/// The columns of a row after time and element.
#[derive(Debug, Default)]
struct Row {
    event: &'static str,
    connection: Option<TransportPort>,
    sequence: Option<u32>,
    length: Option<u64>,
    detail: String,
    sample: Option<SenderSample>,
}

impl EventList {
    /// Begin a list.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let mut file = AtomicFile::create(path)?;
        writeln!(file, "{HEADER}").map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        let (elements, connections) = (Vec::new(), Vec::new());
        Ok(EventList { path: path.to_owned(), file, elements, connections, failed: None })
    }

    /// Learn what is where.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        for (host, node) in places.hosts.iter().zip(&scenario.nodes) {
            self.name_element(*host, node.clone());
        }
        for (link, notices) in scenario.links.iter().zip(&places.notices) {
            self.name_element(*notices, format!("{}/notice", link.name));
        }
        for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
            self.name_element(Some(*down), format!("{}/down", link.name));
            self.name_element(Some(*up), format!("{}/up", link.name));
        }
        self.name_mobility(scenario, places);
        for flow in &scenario.flows {
            let copies = (0..flow.count).map(|copy| match flow.count {
                1 => flow.name.clone(),
                _ => format!("{}/{copy}", flow.name),
            });
            self.connections.extend(copies);
        }
    }

    fn name_mobility(&mut self, scenario: &Scenario, places: &Places) {
        for (cell, places) in scenario.cells.iter().zip(&places.cells) {
            self.name_element(Some(places.down), format!("{}/down", cell.name));
            self.name_element(Some(places.up), format!("{}/up", cell.name));
            self.name_element(Some(places.coverage), cell.name.clone());
            self.name_element(places.agent, format!("{}/agent", cell.name));
        }
        for (node, element) in &places.home_agents {
            self.name_element(Some(*element), format!("{}/home-agent", scenario.nodes[*node]));
        }
        for (mobile, places) in scenario.mobiles.iter().zip(&places.mobiles) {
            let node = &scenario.nodes[mobile.node];
            self.name_element(Some(places.node), format!("{node}/radio"));
            self.name_element(places.notices, format!("{node}/notice"));
        }
    }

    fn name_element(&mut self, element: Option<ElementId>, name: String) {
        let Some(place) = element.map(|element| element.0 as usize) else { return };
        if self.elements.len() <= place {
            self.elements.resize(place + 1, String::new());
        }
        self.elements[place] = name;
    }

    pub(crate) fn write(&mut self, now: Instant, at: ElementId, event: &Event) {
        if self.failed.is_some() {
            return;
        }
        let row = Row::from(event);
        let element = self.elements.get(at.0 as usize).map_or("", String::as_str);
        let connection = row.connection.map_or("", |port| connection_name(&self.connections, port));
        let written = write_row(&mut self.file, now, element, connection, &row);
        self.failed = written.err();
    }

    /// Put the file in its place.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        match self.failed {
            Some(cause) => Err(WriteError { path: self.path, cause }),
            None => self.file.finish(),
        }
    }
}

fn connection_name(connections: &[String], port: TransportPort) -> &str {
    let first = if port.0 >= SENDER_PORTS { SENDER_PORTS } else { RECEIVER_PORTS };
    connections.get(usize::from(port.0.saturating_sub(first))).map_or("", String::as_str)
}

fn write_row(
    file: &mut AtomicFile,
    now: Instant,
    element: &str,
    connection: &str,
    row: &Row,
) -> io::Result<()> {
    write!(file, "{now},{element},{},{connection},", row.event)?;
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    write!(file, "{},{},{}", number(row.sequence.map(u64::from)), number(row.length), row.detail)?;
    match &row.sample {
        None => writeln!(file, ",,,,,"),
        Some(sample) => writeln!(
            file,
            ",{:.4},{:.4},{},{:.6},{:.6}",
            sample.congestion_window,
            sample.slow_start_threshold,
            sample.bytes_in_flight,
            sample.smoothed_round_trip_time.as_millis_f64(),
            sample.retransmission_timeout.as_millis_f64()
        ),
    }
}

impl From<&Event> for Row {
    fn from(event: &Event) -> Row {
        let of = |event, port: TransportPort| Row { event, connection: Some(port), ..Row::default() };
        match *event {
            Event::ConnectionState { port, state } => Row { detail: state.to_owned(), ..of("state", port) },
            Event::SegmentSent { port, sequence, length, retransmission } => Row {
                sequence: Some(sequence.0),
                length: Some(u64::from(length)),
                ..of(if retransmission { "segment sent again" } else { "segment sent" }, port)
            },
            Event::AckReceived { port, acknowledgment } => {
                Row { sequence: Some(acknowledgment.0), ..of("acknowledgment", port) }
            }
            Event::Sender { port, sample } => Row { sample: Some(sample), ..of("sender", port) },
            Event::RetransmissionTimeout { port } => of("retransmission timeout", port),
            Event::RecoveryStarted { port } => of("recovery started", port),
            Event::Delivered { port, bytes } => {
                Row { length: Some(u64::from(bytes)), ..of("delivered", port) }
            }
            Event::Dropped { cause, source_port, sequence, length, .. } => Row {
                sequence: Some(sequence.0),
                length: Some(u64::from(length)),
                detail: cause_name(cause).to_owned(),
                ..of("dropped", source_port)
            },
            Event::Queue { packets, bytes } => Row {
                event: "queue",
                length: Some(u64::from(bytes)),
                detail: format!("{packets} packets"),
                ..Row::default()
            },
            Event::Handover(phase) => {
                Row { event: "handover", detail: phase_name(phase).to_owned(), ..Row::default() }
            }
            Event::Mobility(what) => Row::from(what),
            _ => Row { event: "other", ..Row::default() },
        }
    }
}

/// Addresses stand as they do in captures.
impl From<MobilityEvent> for Row {
    fn from(what: MobilityEvent) -> Row {
        let row = |event, detail: String| Row { event, detail, ..Row::default() };
        let address = |node| ipv4_address(node).to_string();
        match what {
            MobilityEvent::CellEntered { cell } => row("cell entered", (cell + 1).to_string()),
            MobilityEvent::AdvertisementHeard { agent } => row("advertisement heard", address(agent)),
            MobilityEvent::MovementDetected { agent } => row("movement detected", address(agent)),
            MobilityEvent::RegistrationRequested { care_of_address } => {
                row("registration requested", address(care_of_address))
            }
            MobilityEvent::RegistrationAccepted { care_of_address } => {
                row("registration accepted", address(care_of_address))
            }
            MobilityEvent::RegistrationRefused { code } => {
                row("registration refused", code.meaning().replace(',', ";"))
            }
            MobilityEvent::BindingChanged { care_of_address, .. } => {
                row("binding changed", care_of_address.map(address).unwrap_or_default())
            }
            _ => row("other", String::new()),
        }
    }
}

fn cause_name(cause: DropCause) -> &'static str {
    match cause {
        DropCause::QueueOverflow => "queue full",
        DropCause::ActiveQueueManagement => "queue management",
        DropCause::ErrorModel => "error model",
        DropCause::LinkDown => "link down",
        DropCause::NoRoute => "no route",
        DropCause::LeftCell => "left cell",
        DropCause::NoVisitor => "no visitor",
        _ => "other",
    }
}

fn phase_name(phase: HandoverPhase) -> &'static str {
    match phase {
        HandoverPhase::Predicted => "predicted",
        HandoverPhase::Started => "started",
        HandoverPhase::Completed => "completed",
    }
}
