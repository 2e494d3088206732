//! What agents at both ends of a wireless link report to each other about a TCP connection: which bytes are missing.

use crate::packet::TransportPort;
use crate::sequence::SequenceNumber;

/// A message between agents about bytes towards the mobile host. It travels between the addresses of the connection, hence by its way:
/// from the mobile host's to the fixed host's when it goes up. The agent that it is for takes it; hosts ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RecoveryMessage {
    /// What is to be done about the bytes.
    pub about: MissingBytes,
    /// The port of the connection at the mobile host.
    pub mobile_port: TransportPort,
    /// The port of the connection at the fixed host.
    pub fixed_port: TransportPort,
    /// Which bytes are missing.
    pub ranges: SequenceRanges,
}

/// Where bytes went missing, and so who can send them again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MissingBytes {
    /// "Send me these again": a selective negative acknowledgment (SNACK), from the mobile side.
    #[default]
    Request,
    /// "These never came here": they were lost by congestion on the wired side, and only their sender has them.
    LostByCongestion,
}

/// A range of sequence numbers, the second one not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SequenceRange {
    /// The first.
    pub first: SequenceNumber,
    /// The one behind the last.
    pub end: SequenceNumber,
}

/// Some ranges, at most [`SequenceRanges::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SequenceRanges {
    len: u8,
    list: [SequenceRange; SequenceRanges::MAX],
}

impl SequenceRanges {
    /// As many as leave a message no longer than a segment's headers can be.
    pub const MAX: usize = 5;

    /// The first of these, as many as fit.
    pub fn of(ranges: &[SequenceRange]) -> Self {
        let len = ranges.len().min(Self::MAX);
        let mut list = [SequenceRange::default(); Self::MAX];
        list[..len].copy_from_slice(&ranges[..len]);
        SequenceRanges { len: len as u8, list }
    }
    /// The ranges, in the order given.
    pub fn as_slice(&self) -> &[SequenceRange] {
        &self.list[..usize::from(self.len)]
    }
}

impl RecoveryMessage {
    /// Bytes of the message itself, without headers: identifier, kind, count, two ports, and two sequence numbers a range.
    pub const fn length(&self) -> usize {
        8 + 8 * self.ranges.len as usize
    }
}
