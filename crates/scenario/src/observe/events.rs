//! All events of a run as CSV (RFC 4180): one row each, columns that do not apply left empty.

use super::line::{Line, OVERHANG, TEN_TO_THE_8, Text, eight_digits};
use crate::atomic::WriteError;
use crate::background::BackgroundFile;
use crate::build::{Places, RECEIVER_PORTS, SENDER_PORTS};
use crate::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::capture::ipv4_address;
use seamline_wire::{DropCause, Event, HandoverPhase, Instant, MobilityEvent, SenderSample, TransportPort};
use std::io::Write;
use std::path::{Path, PathBuf};

const HEADER: &str = "time_s,element,event,connection,sequence,length_bytes,detail,\
    congestion_window_segments,slow_start_threshold_segments,bytes_in_flight,\
    smoothed_round_trip_ms,retransmission_timeout_ms";

/// The numbers of a row and what is not a name: at most a thousand letters, because the largest `f64` has 309
/// digits in front of the point.
const MOST_BESIDE_NAMES: usize = 1024 + OVERHANG;

/// A list of events being written.
#[derive(Debug)]
pub(crate) struct EventList {
    file: BackgroundFile,
    clock: Clock,
    /// By element: its name between commas, then that with the name of each [`Kind`]. The last one is
    /// without a name.
    elements: Vec<[Text; Kind::ALL.len()]>,
    /// By number: the name of the connection, then a comma.
    connections: Vec<Text>,
    /// No connection: a comma.
    no_connection: Text,
    /// As long as this a row can be.
    longest_row: usize,
}

/// The third column.
#[derive(Clone, Copy, Debug)]
enum Kind {
    State,
    Sent,
    SentAgain,
    Acknowledgment,
    Sender,
    Timeout,
    Recovery,
    Delivered,
    Dropped,
    Queue,
    Handover,
    HandoverAction,
    CellEntered,
    AdvertisementHeard,
    MovementDetected,
    RegistrationRequested,
    RegistrationAccepted,
    RegistrationRefused,
    BindingChanged,
    Other,
}

impl Kind {
    const ALL: [(Kind, &str); 20] = [
        (Kind::State, "state"),
        (Kind::Sent, "segment sent"),
        (Kind::SentAgain, "segment sent again"),
        (Kind::Acknowledgment, "acknowledgment"),
        (Kind::Sender, "sender"),
        (Kind::Timeout, "retransmission timeout"),
        (Kind::Recovery, "recovery started"),
        (Kind::Delivered, "delivered"),
        (Kind::Dropped, "dropped"),
        (Kind::Queue, "queue"),
        (Kind::Handover, "handover"),
        (Kind::HandoverAction, "handover action"),
        (Kind::CellEntered, "cell entered"),
        (Kind::AdvertisementHeard, "advertisement heard"),
        (Kind::MovementDetected, "movement detected"),
        (Kind::RegistrationRequested, "registration requested"),
        (Kind::RegistrationAccepted, "registration accepted"),
        (Kind::RegistrationRefused, "registration refused"),
        (Kind::BindingChanged, "binding changed"),
        (Kind::Other, "other"),
    ];
}

impl EventList {
    /// Begin a list.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let mut file = BackgroundFile::create(path)?;
        writeln!(file, "{HEADER}").map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(EventList {
            file,
            clock: Clock::default(),
            elements: vec![element_texts("")],
            connections: Vec::new(),
            no_connection: Text::new(","),
            longest_row: 0,
        })
    }

    /// Learn what is where.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        for (host, node) in places.hosts.iter().zip(&scenario.nodes) {
            self.name_element(*host, node);
        }
        for (link, notices) in scenario.links.iter().zip(&places.notices) {
            self.name_element(*notices, &format!("{}/notice", link.name));
        }
        for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
            self.name_element(Some(*down), &format!("{}/down", link.name));
            self.name_element(Some(*up), &format!("{}/up", link.name));
        }
        self.name_mobility(scenario, places);
        for flow in &scenario.flows {
            let copies = (0..flow.count).map(|copy| match flow.count {
                1 => Text::new(&format!("{},", flow.name)),
                _ => Text::new(&format!("{}/{copy},", flow.name)),
            });
            self.connections.extend(copies);
        }
        let longest_element = self.elements.iter().flatten().map(Text::len).max().unwrap_or(0);
        let longest_connection = self.connections.iter().map(Text::len).max().unwrap_or(0);
        self.longest_row = longest_element + longest_connection + MOST_BESIDE_NAMES;
    }

    fn name_mobility(&mut self, scenario: &Scenario, places: &Places) {
        for (cell, places) in scenario.cells.iter().zip(&places.cells) {
            self.name_element(Some(places.down), &format!("{}/down", cell.name));
            self.name_element(Some(places.up), &format!("{}/up", cell.name));
            self.name_element(Some(places.coverage), &cell.name);
            self.name_element(places.agent, &format!("{}/agent", cell.name));
        }
        for (node, element) in &places.home_agents {
            self.name_element(Some(*element), &format!("{}/home-agent", scenario.nodes[*node]));
        }
        for (mobile, places) in scenario.mobiles.iter().zip(&places.mobiles) {
            let node = &scenario.nodes[mobile.node];
            self.name_element(Some(places.node), &format!("{node}/radio"));
            self.name_element(places.notices, &format!("{node}/notice"));
        }
    }

    fn name_element(&mut self, element: Option<ElementId>, name: &str) {
        let Some(place) = element.map(|element| element.0 as usize) else { return };
        let unnamed = self.elements.len().saturating_sub(1);
        if unnamed <= place {
            self.elements.resize(place + 2, self.elements[unnamed].clone());
        }
        self.elements[place] = element_texts(name);
    }

    pub(crate) fn write(&mut self, now: Instant, at: ElementId, event: &Event) {
        let EventList { file, clock, elements, connections, no_connection, longest_row } = self;
        let mut line = Line::new(file.room(*longest_row));
        clock.show(now, &mut line);
        let place = (at.0 as usize).min(elements.len() - 1);
        let mut row = Row { line, kinds: &elements[place], connections, no_connection };
        row.lay(event);
        let length = row.line.len();
        file.append(length);
    }

    /// Put the file in its place.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        self.file.finish()
    }
}

fn element_texts(name: &str) -> [Text; Kind::ALL.len()] {
    Kind::ALL.map(|(_, kind)| Text::new(&format!(",{name},{kind},")))
}

/// The time of the last row as text: most rows share it with the next one, or all but its last eight digits.
#[derive(Debug, Default)]
struct Clock {
    shown: Option<Instant>,
    /// Tenths of a second: the digits before the last eight.
    tenths: Option<u64>,
    head: [u8; 16],
    head_length: usize,
    last_digits: [u8; 8],
}

impl Clock {
    #[inline(always)]
    fn show(&mut self, now: Instant, line: &mut Line<'_>) {
        if self.shown != Some(now) {
            self.shown = Some(now);
            let (tenths, rest) = (now.as_nanos() / TEN_TO_THE_8, now.as_nanos() % TEN_TO_THE_8);
            self.last_digits = eight_digits(rest);
            if self.tenths != Some(tenths) {
                self.tenths = Some(tenths);
                self.show_tenths(tenths);
            }
        }
        line.part(&self.head, self.head_length);
        line.literal(&self.last_digits);
    }

    #[cold]
    fn show_tenths(&mut self, tenths: u64) {
        let text = format!("{}.{}", tenths / 10, tenths % 10);
        // The last nanosecond that there is has eleven digits before the point.
        self.head[..text.len()].copy_from_slice(text.as_bytes());
        self.head_length = text.len();
    }
}

/// A row that has its time.
struct Row<'a> {
    line: Line<'a>,
    kinds: &'a [Text; Kind::ALL.len()],
    connections: &'a [Text],
    no_connection: &'a Text,
}

impl Row<'_> {
    fn lay(&mut self, event: &Event) {
        match *event {
            Event::Queue { packets, bytes } => self.queue(packets, bytes),
            Event::SegmentSent { port, sequence, length, retransmission } => {
                self.of(if retransmission { Kind::SentAgain } else { Kind::Sent }, port);
                self.line.number(u64::from(sequence.0));
                self.line.literal(b",");
                self.line.number(u64::from(length));
                self.line.literal(b",,,,,,\n");
            }
            Event::AckReceived { port, acknowledgment } => {
                self.of(Kind::Acknowledgment, port);
                self.line.number(u64::from(acknowledgment.0));
                self.line.literal(b",,,,,,,\n");
            }
            Event::Delivered { port, bytes } => {
                self.of(Kind::Delivered, port);
                self.line.literal(b",");
                self.line.number(u64::from(bytes));
                self.line.literal(b",,,,,,\n");
            }
            Event::Sender { port, sample } => {
                self.of(Kind::Sender, port);
                self.sample(&sample);
            }
            _ => self.rare(event),
        }
    }

    fn rare(&mut self, event: &Event) {
        match *event {
            Event::ConnectionState { port, state } => {
                self.of(Kind::State, port);
                self.detail(state);
            }
            Event::RetransmissionTimeout { port } => {
                self.of(Kind::Timeout, port);
                self.detail("");
            }
            Event::RecoveryStarted { port } => {
                self.of(Kind::Recovery, port);
                self.detail("");
            }
            Event::Dropped { cause, source_port, sequence, length, .. } => {
                self.of(Kind::Dropped, source_port);
                self.line.number(u64::from(sequence.0));
                self.line.literal(b",");
                self.line.number(u64::from(length));
                self.line.literal(b",");
                self.line.word(cause_name(cause));
                self.line.literal(b",,,,,\n");
            }
            Event::Handover(phase) => {
                self.without_connection(Kind::Handover);
                self.detail(phase_name(phase));
            }
            Event::HandoverAction { port, action } => {
                self.of(Kind::HandoverAction, port);
                self.detail(action);
            }
            Event::Mobility(what) => {
                let (kind, detail) = mobility(what);
                self.without_connection(kind);
                self.detail(&detail);
            }
            _ => {
                self.without_connection(Kind::Other);
                self.detail("");
            }
        }
    }

    /// Element, event and connection.
    #[inline(always)]
    fn of(&mut self, kind: Kind, port: TransportPort) {
        self.line.text(&self.kinds[kind as usize]);
        let first = if port.0 >= SENDER_PORTS { SENDER_PORTS } else { RECEIVER_PORTS };
        let number = usize::from(port.0.wrapping_sub(first));
        self.line.text(self.connections.get(number).unwrap_or(self.no_connection));
    }

    #[inline(always)]
    fn without_connection(&mut self, kind: Kind) {
        self.line.text(&self.kinds[kind as usize]);
        self.line.literal(b",");
    }

    #[inline(always)]
    fn queue(&mut self, packets: u32, bytes: u32) {
        self.without_connection(Kind::Queue);
        self.line.literal(b",");
        self.line.number(u64::from(bytes));
        self.line.literal(b",");
        self.line.number(u64::from(packets));
        self.line.literal(b" packets,,,,,\n");
    }

    /// A row whose only other column is in words.
    fn detail(&mut self, detail: &str) {
        self.line.literal(b",,");
        self.line.word(detail);
        self.line.literal(b",,,,,\n");
    }

    fn sample(&mut self, sample: &SenderSample) {
        self.line.literal(b",,,");
        self.line.four_decimals(sample.congestion_window);
        self.line.literal(b",");
        self.line.four_decimals(sample.slow_start_threshold);
        self.line.literal(b",");
        self.line.number(u64::from(sample.bytes_in_flight));
        self.line.literal(b",");
        self.line.millis(sample.smoothed_round_trip_time.as_nanos());
        self.line.literal(b",");
        self.line.millis(sample.retransmission_timeout.as_nanos());
        self.line.literal(b"\n");
    }
}

/// What a mobility protocol did: which kind of row, and its detail. Addresses stand as they do in captures.
fn mobility(what: MobilityEvent) -> (Kind, String) {
    let address = |node| ipv4_address(node).to_string();
    match what {
        MobilityEvent::CellEntered { cell } => (Kind::CellEntered, (cell + 1).to_string()),
        MobilityEvent::AdvertisementHeard { agent } => (Kind::AdvertisementHeard, address(agent)),
        MobilityEvent::MovementDetected { agent } => (Kind::MovementDetected, address(agent)),
        MobilityEvent::RegistrationRequested { care_of_address } => {
            (Kind::RegistrationRequested, address(care_of_address))
        }
        MobilityEvent::RegistrationAccepted { care_of_address } => {
            (Kind::RegistrationAccepted, address(care_of_address))
        }
        MobilityEvent::RegistrationRefused { code } => {
            (Kind::RegistrationRefused, code.meaning().replace(',', ";"))
        }
        MobilityEvent::BindingChanged { care_of_address, .. } => {
            (Kind::BindingChanged, care_of_address.map(address).unwrap_or_default())
        }
        _ => (Kind::Other, String::new()),
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
