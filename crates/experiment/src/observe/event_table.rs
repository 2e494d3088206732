//! All events of a run as a table in Parquet: the rows of an event list, with values in columns of their own.

use super::events::{connection_names, element_names};
use super::rows::{Kind, Rare, connection_number};
use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{Encoder, Filling, Presence, Table, Values, about, fields, page};
use seamline_scenario::build::Places;
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{Event, Instant, SenderSample, SequenceNumber, TransportPort};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// What the metadata of the file calls it.
pub(crate) const EVENTS: &str = "events";

fields! {
    always {
        TIME "time_ns" Long;
        ELEMENT "element" Words;
        EVENT "event" Words;
    }
    WITH_CONNECTION {
        CONNECTION "connection" Words;
    }
    WITH_SEQUENCE {
        SEQUENCE "sequence" Number;
    }
    WITH_LENGTH {
        LENGTH "length_bytes" Number;
    }
    WITH_DETAIL {
        DETAIL "detail" Words;
    }
    WITH_QUEUE {
        QUEUED "queue_packets" Number;
    }
    WITH_SAMPLE {
        WINDOW "congestion_window_segments" Real;
        THRESHOLD "slow_start_threshold_segments" Real;
        IN_FLIGHT "bytes_in_flight" Number;
        ROUND_TRIP "smoothed_round_trip_ns" Long;
        TIMEOUT "retransmission_timeout_ns" Long;
    }
}

/// The bits of the rows of a kind.
#[inline]
fn columns(kind: Kind) -> u8 {
    match kind {
        Kind::Sent | Kind::Retransmitted | Kind::Marked => WITH_CONNECTION | WITH_SEQUENCE | WITH_LENGTH,
        Kind::Dropped => WITH_CONNECTION | WITH_SEQUENCE | WITH_LENGTH | WITH_DETAIL,
        Kind::Acknowledgment => WITH_CONNECTION | WITH_SEQUENCE,
        Kind::Delivered => WITH_CONNECTION | WITH_LENGTH,
        Kind::Sender => WITH_CONNECTION | WITH_SAMPLE,
        Kind::Timeout | Kind::Recovery | Kind::CutUndone => WITH_CONNECTION,
        Kind::State | Kind::HandoverAction => WITH_CONNECTION | WITH_DETAIL,
        Kind::Queue => WITH_LENGTH | WITH_QUEUE,
        Kind::Other => 0,
        _ => WITH_DETAIL,
    }
}

/// A table of events that is being written.
#[derive(Debug)]
pub(crate) struct EventTable {
    path: PathBuf,
    pages: Filling<Writer>,
}

impl EventTable {
    /// Create the file.
    pub(crate) fn create(path: &Path, provenance: &str) -> Result<Self, WriteError> {
        let file = BlockFile::create(path)?;
        let table = Table::new(file, FIELDS, about(EVENTS, provenance, &[]));
        let table = table.map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(EventTable { path: path.to_owned(), pages: Filling::new(Writer::new(table)) })
    }

    /// Register the names of all elements and connections.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        self.pages.encoder.name(element_names(scenario, places), connection_names(scenario));
    }

    /// Likewise in tests.
    #[cfg(test)]
    pub(super) fn name(&mut self, elements: &[(ElementId, String)], connections: &[String]) {
        self.pages.encoder.name(elements.iter().cloned(), connections.iter().cloned());
    }

    /// Record an event.
    #[inline]
    pub(crate) fn write(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.pages.add(|page| {
            page.put(now, at, event);
            Ok(())
        });
    }

    /// Finish the file.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let file = self.pages.finish().and_then(|writer| writer.table.finish());
        file.map_err(|cause| WriteError { path: self.path, cause })?.finish()
    }
}

page! {
    /// Events in columns. All but the first three have values only for some kinds.
    Page {
        times: i64,
        elements: u32,
        kinds: Kind,
        connections: u16,
        sequences: i32,
        lengths: i32,
        details: Cow<'static, str>,
        queued: i32,
        windows: f64,
        thresholds: f64,
        in_flight: i32,
        round_trips: i64,
        timeouts: i64,
    }
}

impl Page {
    #[inline]
    fn put(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.times.push(now.as_nanos() as i64);
        self.elements.push(at.0);
        let kind = match *event {
            Event::Queue { packets, bytes } => {
                self.lengths.push(bytes as i32);
                self.queued.push(packets as i32);
                Kind::Queue
            }
            Event::SegmentSent { port, sequence, length, retransmission } => {
                self.segment(port, sequence, length);
                if retransmission { Kind::Retransmitted } else { Kind::Sent }
            }
            Event::AckReceived { port, acknowledgment } => {
                self.connections.push(connection_number(port));
                self.sequences.push(acknowledgment.0 as i32);
                Kind::Acknowledgment
            }
            Event::Delivered { port, bytes } => {
                self.connections.push(connection_number(port));
                self.lengths.push(bytes as i32);
                Kind::Delivered
            }
            Event::Sender { port, sample } => {
                self.connections.push(connection_number(port));
                self.sample(&sample);
                Kind::Sender
            }
            _ => self.rare(event),
        };
        self.kinds.push(kind);
    }

    #[inline]
    fn segment(&mut self, port: TransportPort, sequence: SequenceNumber, length: u32) {
        self.connections.push(connection_number(port));
        self.sequences.push(sequence.0 as i32);
        self.lengths.push(length as i32);
    }

    #[inline]
    fn sample(&mut self, sample: &SenderSample) {
        self.windows.push(sample.congestion_window);
        self.thresholds.push(sample.slow_start_threshold);
        self.in_flight.push(sample.bytes_in_flight as i32);
        self.round_trips.push(sample.smoothed_round_trip_time.as_nanos() as i64);
        self.timeouts.push(sample.retransmission_timeout.as_nanos() as i64);
    }

    fn rare(&mut self, event: &Event) -> Kind {
        let Rare { kind, port, segment, detail } = Rare::of(event);
        self.connections.extend(port.map(connection_number));
        self.sequences.extend(segment.map(|(sequence, _)| sequence.0 as i32));
        self.lengths.extend(segment.map(|(_, length)| length as i32));
        self.details.extend((columns(kind) & WITH_DETAIL != 0).then_some(detail));
        kind
    }
}

/// Encodes pages.
#[derive(Debug)]
struct Writer {
    table: Table<BlockFile>,
    /// By element: its name. The last entry is for elements without a name.
    elements: Vec<u16>,
    /// By number: the name of the connection.
    connections: Vec<u16>,
}

impl Writer {
    fn new(mut table: Table<BlockFile>) -> Self {
        for name in Kind::NAMES {
            table.dictionary(EVENT).place(name);
        }
        let unnamed = table.dictionary(ELEMENT).place("");
        Writer { table, elements: vec![unnamed], connections: Vec::new() }
    }

    /// Name elements, and the connections in order.
    fn name(
        &mut self,
        elements: impl IntoIterator<Item = (ElementId, String)>,
        connections: impl Iterator<Item = String>,
    ) {
        let unnamed = self.elements[0];
        for (element, name) in elements {
            let index = element.0 as usize;
            if self.elements.len() <= index + 1 {
                self.elements.resize(index + 2, unnamed);
            }
            self.elements[index] = self.table.dictionary(ELEMENT).place(&name);
        }
        self.connections = connections.map(|name| self.table.dictionary(CONNECTION).place(&name)).collect();
    }

    /// The names of the connections of a page, and which columns its rows have a value in: none has the name of a connection that
    /// is not known.
    fn connections(&self, page: &Page) -> (Vec<u16>, Vec<u8>) {
        let mut numbers = page.connections.iter();
        let mut names = Vec::with_capacity(page.connections.len());
        let mut present_in_rows = vec![0; page.kinds.len()];
        for (present_in_row, kind) in present_in_rows.iter_mut().zip(&page.kinds) {
            let mut present = columns(*kind);
            if present & WITH_CONNECTION != 0 {
                let number = numbers.next().map_or(usize::MAX, |number| usize::from(*number));
                match self.connections.get(number) {
                    Some(name) => names.push(*name),
                    None => present &= !WITH_CONNECTION,
                }
            }
            *present_in_row = present;
        }
        (names, present_in_rows)
    }
}

impl Encoder for Writer {
    type Page = Page;

    fn encode(&mut self, page: &Page) -> io::Result<()> {
        let rows = page.times.len();
        let (connections, columns) = self.connections(page);
        let [connection, sequence, length, detail, queue, sample, ..] = Presence::all(&columns);
        let unnamed = self.elements.len() - 1;
        let (mut elements, mut kinds) = (vec![0; rows], vec![0; rows]);
        for (name, element) in elements.iter_mut().zip(&page.elements) {
            *name = self.elements[(*element as usize).min(unnamed)];
        }
        for (name, kind) in kinds.iter_mut().zip(&page.kinds) {
            *name = *kind as u16;
        }
        let table = &mut self.table;
        let details: Vec<u16> =
            page.details.iter().map(|detail| table.dictionary(DETAIL).place(detail)).collect();
        let mut put = |column, presence, values| table.put(column, rows, presence, values);
        put(TIME, None, Values::Long(&page.times))?;
        put(ELEMENT, None, Values::Words(&elements))?;
        put(EVENT, None, Values::Words(&kinds))?;
        put(CONNECTION, Some(&connection), Values::Words(&connections))?;
        put(SEQUENCE, Some(&sequence), Values::Number(&page.sequences))?;
        put(LENGTH, Some(&length), Values::Number(&page.lengths))?;
        put(DETAIL, Some(&detail), Values::Words(&details))?;
        put(QUEUED, Some(&queue), Values::Number(&page.queued))?;
        put(WINDOW, Some(&sample), Values::Real(&page.windows))?;
        put(THRESHOLD, Some(&sample), Values::Real(&page.thresholds))?;
        put(IN_FLIGHT, Some(&sample), Values::Number(&page.in_flight))?;
        put(ROUND_TRIP, Some(&sample), Values::Long(&page.round_trips))?;
        put(TIMEOUT, Some(&sample), Values::Long(&page.timeouts))?;
        table.end_page()
    }
}
