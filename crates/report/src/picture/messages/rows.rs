//! The rows of a message chart: notes, and packets. Of packets that are alike and that nothing else interrupts, one row tells.

use crate::messages::{HandoverMessages, Message, MessageKind, NodeNote};
use std::collections::BTreeMap;

/// A row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Row {
    /// Something that happened at a node.
    Note(NodeNote),
    /// One packet, or several that are alike.
    Packets(Packets),
}

/// Packets that are alike.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Packets {
    /// The first of them.
    pub(super) first: Message,
    /// The number of the last of them.
    pub(super) last_number: Option<u64>,
    /// How many.
    pub(super) count: usize,
}

/// What packets that are alike have in common: kind, text, tunnel, ends, and whether they arrived or where they were lost.
type Alike = (MessageKind, String, bool, usize, usize, bool, Option<usize>);

impl Row {
    /// When it begins.
    pub(super) fn at_s(&self) -> f64 {
        match self {
            Row::Note(note) => note.at_s,
            Row::Packets(packets) => packets.first.sent_s,
        }
    }
}

impl Packets {
    /// `data 12–57 (46 packets)`, `ACK 13 with handover mark`.
    pub(super) fn label(&self) -> String {
        let numbers = match (self.first.number, self.last_number) {
            (Some(first), Some(last)) if first != last => format!(" {first}–{last}"),
            (Some(first), _) => format!(" {first}"),
            _ => String::new(),
        };
        let text = &self.first.text;
        let mut label = match self.first.kind {
            MessageKind::Data => format!("data{numbers}"),
            MessageKind::Retransmission => format!("data{numbers} again"),
            MessageKind::Acknowledgment => format!("ACK{numbers}"),
            MessageKind::Marked => match text.split_once(' ') {
                Some((kind, rest)) => format!("{kind}{numbers} {rest}"),
                None => text.to_string(),
            },
            MessageKind::Signalling | MessageKind::Advertisement => text.to_string(),
        };
        if self.first.tunnelled {
            label += " in a tunnel";
        }
        if self.first.arrived_s.is_none() {
            label += ", lost";
        }
        if self.count > 1 {
            label += &format!(" ({} packets)", self.count);
        }
        label
    }
}

/// The rows, in the order of time. Packets that are alike share a row until something else happens: a note, a message of a
/// protocol, or, for data and acknowledgments that arrive, the first retransmission, the first loss, the first mark.
pub(super) fn rows(handover: &HandoverMessages) -> Vec<Row> {
    let mut rows = Vec::new();
    // By what they have in common: the place of their row.
    let mut open: BTreeMap<Alike, usize> = BTreeMap::new();
    let mut notes = handover.notes.iter().peekable();
    for message in &handover.messages {
        while let Some(note) = notes.next_if(|note| note.at_s <= message.sent_s) {
            open.clear();
            add_note(&mut rows, note);
        }
        let alike = alike(message);
        if handover.link.is_none() {
            close_flight(&mut open, &rows, message);
        }
        if let Some(Row::Packets(packets)) = open.get(&alike).and_then(|place| rows.get_mut(*place)) {
            packets.count += 1;
            packets.last_number = message.number;
            continue;
        }
        if !is_ordinary(message) {
            // Only what goes on anyway is parted: losses and marks that take turns stay two rows.
            open.retain(|_, place| !matches!(&rows[*place], Row::Packets(it) if is_ordinary(&it.first)));
        }
        if message.kind != MessageKind::Signalling {
            open.insert(alike, rows.len());
        }
        let (first, last_number) = (message.clone(), message.number);
        rows.push(Row::Packets(Packets { first, last_number, count: 1 }));
    }
    notes.for_each(|note| add_note(&mut rows, note));
    rows
}

/// Around a loss, repetitions share a row only while the first of them is on its way: what is repeated after an answer has its own.
fn close_flight(open: &mut BTreeMap<Alike, usize>, rows: &[Row], message: &Message) {
    open.retain(|_, place| match &rows[*place] {
        Row::Packets(Packets { first, .. }) if first.kind == MessageKind::Retransmission => {
            first.arrived_s.is_none_or(|arrived_s| message.sent_s < arrived_s)
        }
        _ => true,
    });
}

/// What happens at one node at one time is one row.
fn add_note(rows: &mut Vec<Row>, note: &NodeNote) {
    match rows.last_mut() {
        Some(Row::Note(last)) if (last.at_s, last.node) == (note.at_s, note.node) => {
            last.text = format!("{}; {}", last.text, note.text).into();
        }
        _ => rows.push(Row::Note(note.clone())),
    }
}

fn alike(message: &Message) -> Alike {
    let Message { kind, text, tunnelled, from, to, arrived_s, lost_behind, .. } = message;
    (*kind, text.to_string(), *tunnelled, *from, *to, arrived_s.is_some(), *lost_behind)
}

/// Data and acknowledgments that arrive, and advertisements.
fn is_ordinary(message: &Message) -> bool {
    let repeated = [MessageKind::Retransmission, MessageKind::Marked, MessageKind::Signalling];
    !repeated.contains(&message.kind) && message.arrived_s.is_some()
}
