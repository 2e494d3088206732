//! From a table of events to an event list.

use super::Failure;
use crate::atomic::WriteError;
use crate::block_file::BlockFile;
use crate::columns::{Group, TableFile, damaged};
use crate::observe::event_table::{
    CONNECTION, DETAIL, ELEMENT, EVENT, FIELDS, IN_FLIGHT, LENGTH, QUEUED, ROUND_TRIP, SEQUENCE, THRESHOLD,
    TIME, TIMEOUT, WINDOW,
};
use crate::observe::line::Line;
use crate::observe::rows::{Clock, HEADER, MOST_BESIDES_NAMES};
use parquet::data_type::ByteArray;
use seamline_wire::Instant;
use std::io::Write;
use std::path::{Path, PathBuf};

/// An event list that is being written.
pub(super) struct EventRows {
    file: BlockFile,
    clock: Clock,
}

/// The columns of a row that are texts.
struct Texts {
    element: ByteArray,
    event: ByteArray,
    connection: Option<ByteArray>,
    detail: Option<ByteArray>,
}

impl EventRows {
    pub(super) fn create(path: &Path) -> Result<Self, WriteError> {
        let mut file = BlockFile::create(path)?;
        let begun = writeln!(file, "{HEADER}");
        begun.map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(EventRows { file, clock: Clock::default() })
    }

    pub(super) fn group(&mut self, table: &TableFile, number: usize) -> Result<(), Failure> {
        let mut group = table.group(number, FIELDS).map_err(Failure::Reading)?;
        (0..group.rows).try_for_each(|_| self.row(&mut group))
    }

    fn row(&mut self, group: &mut Group) -> Result<(), Failure> {
        let (time, element, event) = (group.long(TIME), group.bytes(ELEMENT), group.bytes(EVENT));
        let (Some(time), Some(element), Some(event)) = (time, element, event) else {
            return Err(Failure::Reading(damaged("a row has no time, element or event")));
        };
        let texts =
            Texts { element, event, connection: group.bytes(CONNECTION), detail: group.bytes(DETAIL) };
        let mut line = Line::new(self.file.room(texts.length() + MOST_BESIDES_NAMES));
        self.clock.show(Instant::from_nanos(time), &mut line);
        texts.write_names(&mut line);
        for column in [SEQUENCE, LENGTH] {
            line.literal(b",");
            number(&mut line, group.number(column));
        }
        line.literal(b",");
        texts.write_detail(&mut line, group.number(QUEUED));
        for column in [WINDOW, THRESHOLD] {
            line.literal(b",");
            group.real(column).into_iter().for_each(|value| line.four_decimals(value));
        }
        line.literal(b",");
        number(&mut line, group.number(IN_FLIGHT));
        for column in [ROUND_TRIP, TIMEOUT] {
            line.literal(b",");
            group.long(column).into_iter().for_each(|nanos| line.millis(nanos));
        }
        line.literal(b"\n");
        let length = line.len();
        self.file.append(length).map_err(Failure::Writing)
    }

    pub(super) fn finish(self) -> Result<PathBuf, WriteError> {
        self.file.finish()
    }
}

fn number(line: &mut Line<'_>, number: Option<u32>) {
    number.into_iter().for_each(|number| line.number(number.into()));
}

impl Texts {
    fn length(&self) -> usize {
        let optional = |text: &Option<ByteArray>| text.as_ref().map_or(0, ByteArray::len);
        self.element.len() + self.event.len() + optional(&self.connection) + optional(&self.detail)
    }

    fn write_names(&self, line: &mut Line<'_>) {
        for text in [Some(&self.element), Some(&self.event), self.connection.as_ref()] {
            line.literal(b",");
            text.into_iter().for_each(|text| line.bytes(text.data()));
        }
    }

    /// The detail of a queue is how many packets it has.
    fn write_detail(&self, line: &mut Line<'_>, queued: Option<u32>) {
        if let Some(packets) = queued {
            line.number(packets.into());
            line.literal(b" packets");
        }
        self.detail.iter().for_each(|detail| line.bytes(detail.data()));
    }
}
