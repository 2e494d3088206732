//! Formats the rows of an event list.

use super::line::{Line, OVERHANG, TEN_TO_THE_8, Text, eight_digits};
use crate::background::Work;
use crate::block_file::BlockFile;
use seamline_scenario::build::{RECEIVER_PORTS, SENDER_PORTS};
pub(super) use seamline_scenario::schema::EventKind as Kind;
use seamline_sim::ElementId;
use seamline_wire::codec::ipv4_address;
use seamline_wire::{
    Event, HandoverPhase, Instant, MobilityEvent, SenderSample, SequenceNumber, TransportPort,
};
use std::borrow::Cow;
use std::io::{self, Write};

pub(super) const HEADER: &str = "time_s,element,event,connection,sequence,length_bytes,detail,\
    congestion_window_segments,slow_start_threshold_segments,bytes_in_flight,\
    smoothed_round_trip_ms,retransmission_timeout_ms";

/// The maximum length of a row without names: an `f64` has at most 309 digits before the point, so a thousand
/// characters suffice.
pub(super) const MOST_BESIDES_NAMES: usize = 1024 + OVERHANG;

/// An event with its time and element, as queued for formatting.
#[derive(Debug)]
pub(crate) struct TimedEvent {
    pub(super) now: Instant,
    pub(super) at: ElementId,
    pub(super) event: Event,
}

/// The output file, with preformatted texts that occur in many rows.
#[derive(Debug)]
pub(super) struct Rows {
    file: BlockFile,
    clock: Clock,
    /// By element: its name with each kind of event, between commas. The last entry is for elements without a name.
    elements: Vec<[Text; Kind::COUNT]>,
    /// By number: the name of the connection, followed by a comma.
    connections: Vec<Text>,
    /// The text for no connection: a comma.
    no_connection: Text,
    longest_element: usize,
    longest_connection: usize,
}

/// The kind of an event.
pub(super) fn kind_of(event: &Event) -> Kind {
    match *event {
        Event::SegmentSent { retransmission: false, .. } => Kind::Sent,
        Event::SegmentSent { .. } => Kind::Retransmitted,
        Event::AckReceived { .. } => Kind::Acknowledgment,
        Event::Sender { .. } => Kind::Sender,
        Event::Delivered { .. } => Kind::Delivered,
        Event::Queue { .. } => Kind::Queue,
        _ => Rare::of(event).kind,
    }
}

/// What columns say of an event that does not come with each packet.
pub(super) struct Rare {
    pub(super) kind: Kind,
    /// Of the connection, at its sender or receiver.
    pub(super) port: Option<TransportPort>,
    pub(super) segment: Option<(SequenceNumber, u32)>,
    pub(super) detail: Cow<'static, str>,
}

impl Rare {
    pub(super) fn of(event: &Event) -> Self {
        let mut segment = None;
        let (kind, port, detail) = match *event {
            Event::ConnectionState { port, state } => (Kind::State, Some(port), state.into()),
            Event::RetransmissionTimeout { port } => (Kind::Timeout, Some(port), "".into()),
            Event::RecoveryStarted { port } => (Kind::Recovery, Some(port), "".into()),
            Event::CutUndone { port } => (Kind::CutUndone, Some(port), "".into()),
            Event::Dropped { cause, source_port, sequence, length, .. } => {
                segment = Some((sequence, length));
                (Kind::Dropped, Some(source_port), cause.name().into())
            }
            Event::Marked { source_port, sequence, length, .. } => {
                segment = Some((sequence, length));
                (Kind::Marked, Some(source_port), "".into())
            }
            Event::Handover(phase) => (Kind::Handover, None, phase_name(phase).into()),
            Event::HandoverAction { port, action } => (Kind::HandoverAction, Some(port), action.into()),
            Event::MarkRefused { port, reason } => (Kind::HandoverAction, Some(port), reason.name().into()),
            Event::Mobility(what) => {
                let (kind, detail) = mobility(what);
                (kind, None, Cow::Owned(detail))
            }
            _ => (Kind::Other, None, "".into()),
        };
        Rare { kind, port, segment, detail }
    }
}

impl Rows {
    /// Start a file with the header.
    pub(super) fn new(mut file: BlockFile) -> io::Result<Self> {
        writeln!(file, "{HEADER}")?;
        let unnamed = element_texts("");
        Ok(Rows {
            file,
            clock: Clock::default(),
            longest_element: unnamed.iter().map(Text::len).max().unwrap_or(0),
            elements: vec![unnamed],
            connections: Vec::new(),
            no_connection: Text::new(","),
            longest_connection: 0,
        })
    }

    /// Name an element.
    pub(super) fn name_element(&mut self, element: ElementId, name: &str) {
        let index = element.0 as usize;
        let unnamed = self.elements.len() - 1;
        if unnamed <= index {
            self.elements.resize(index + 2, self.elements[unnamed].clone());
        }
        self.elements[index] = element_texts(name);
        let longest = self.elements[index].iter().map(Text::len).max().unwrap_or(0);
        self.longest_element = self.longest_element.max(longest);
    }

    /// Name the connections in order.
    pub(super) fn name_connections(&mut self, names: impl Iterator<Item = String>) {
        self.connections.extend(names.map(|name| Text::new(&(name + ","))));
        self.longest_connection = self.connections.iter().map(Text::len).max().unwrap_or(0);
    }

    /// The output file with all rows.
    pub(super) fn into_file(self) -> BlockFile {
        self.file
    }
}

impl Work for Rows {
    type Item = TimedEvent;
    const NAME: &'static str = "events";

    fn process(&mut self, TimedEvent { now, at, event }: &TimedEvent) -> io::Result<()> {
        let longest_row = self.longest_element + self.longest_connection + MOST_BESIDES_NAMES;
        let Rows { file, clock, elements, connections, no_connection, .. } = self;
        let mut line = Line::new(file.room(longest_row));
        clock.show(*now, &mut line);
        let index = (at.0 as usize).min(elements.len() - 1);
        let mut row = Row { line, kinds: &elements[index], connections, no_connection };
        row.write(event);
        let length = row.line.len();
        file.append(length)
    }
}

fn element_texts(name: &str) -> [Text; Kind::COUNT] {
    std::array::from_fn(|kind| Text::new(&format!(",{name},{},", Kind::NAMES[kind])))
}

/// The formatted time of the last row: the next row often has the same time, or differs only in the last eight
/// digits.
#[derive(Debug, Default)]
pub(super) struct Clock {
    shown: Option<Instant>,
    /// Tenths of a second: the digits before the last eight.
    tenths: Option<u64>,
    head: [u8; 16],
    head_length: usize,
    last_digits: [u8; 8],
}

impl Clock {
    #[inline(always)]
    pub(super) fn show(&mut self, now: Instant, line: &mut Line<'_>) {
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
        // The largest time has eleven digits before the point.
        self.head[..text.len()].copy_from_slice(text.as_bytes());
        self.head_length = text.len();
    }
}

/// A row after its time column.
struct Row<'a> {
    line: Line<'a>,
    kinds: &'a [Text; Kind::COUNT],
    connections: &'a [Text],
    no_connection: &'a Text,
}

impl Row<'_> {
    #[inline(always)]
    fn write(&mut self, event: &Event) {
        match *event {
            Event::Queue { packets, bytes } => self.queue(packets, bytes),
            Event::SegmentSent { port, sequence, length, retransmission } => {
                self.of(if retransmission { Kind::Retransmitted } else { Kind::Sent }, port);
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
        let Rare { kind, port, segment, detail } = Rare::of(event);
        match port {
            Some(port) => self.of(kind, port),
            None => self.without_connection(kind),
        }
        if let Some((sequence, length)) = segment {
            self.line.number(u64::from(sequence.0));
            self.line.literal(b",");
            self.line.number(u64::from(length));
            self.line.literal(b",");
        } else {
            self.line.literal(b",,");
        }
        self.line.word(&detail);
        self.line.literal(b",,,,,\n");
    }

    /// Write element, event and connection.
    #[inline(always)]
    fn of(&mut self, kind: Kind, port: TransportPort) {
        self.line.text(&self.kinds[kind as usize]);
        let number = usize::from(connection_number(port));
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

/// The number of the connection with a port; one that no connection has if the port is not that of a flow.
#[inline(always)]
pub(super) fn connection_number(port: TransportPort) -> u16 {
    let first = if port.0 >= SENDER_PORTS { SENDER_PORTS } else { RECEIVER_PORTS };
    port.0.wrapping_sub(first)
}

/// The kind of row and the detail of a mobility event. Addresses look as they do in captures.
pub(super) fn mobility(what: MobilityEvent) -> (Kind, String) {
    let address = |node| ipv4_address(node).to_string();
    match what {
        MobilityEvent::CellEntered { cell } => (Kind::CellEntered, (cell + 1).to_string()),
        MobilityEvent::AdvertisementHeard { agent } => (Kind::AdvertisementHeard, address(agent)),
        MobilityEvent::MovementDetected { agent } => (Kind::MovementDetected, address(agent)),
        MobilityEvent::RegistrationRequested { care_of_address } => {
            (Kind::RegistrationRequested, address(care_of_address))
        }
        MobilityEvent::RegistrationAccepted { care_of_address, .. } => {
            (Kind::RegistrationAccepted, address(care_of_address))
        }
        MobilityEvent::RegistrationRefused { code } => {
            (Kind::RegistrationRefused, code.meaning().replace(',', ";"))
        }
        MobilityEvent::BindingRefused { status } => (Kind::RegistrationRefused, status.meaning().to_owned()),
        MobilityEvent::BindingAdded { care_of_address, .. } => (Kind::BindingAdded, address(care_of_address)),
        MobilityEvent::BindingChanged { care_of_address, .. } => {
            (Kind::BindingChanged, care_of_address.map(address).unwrap_or_default())
        }
        _ => (Kind::Other, String::new()),
    }
}

pub(super) fn phase_name(phase: HandoverPhase) -> &'static str {
    match phase {
        HandoverPhase::Predicted => "predicted",
        HandoverPhase::Started => "started",
        HandoverPhase::Completed => "completed",
    }
}
