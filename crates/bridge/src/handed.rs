//! A connection on its way from the agent of one base station to that of another, as bytes: the handoff of Snoop (section 4 of the paper of
//! 1995) between processes.
//!
//! What is kept travels as the frames that would leave by the wireless side. So the receiving agent reads them like frames from an
//! interface, and there is no second description of a packet that could disagree with the first.
//!
//! ```text
//! beginning   "SLho"   version, 2 bytes
//! record      length of what follows, 4 bytes; none for the end of all records
//!             what is known, 1 byte   acknowledged, 4 bytes   frames: each its length, 2 bytes, and its bytes
//! answer      "SLho"   version, 2 bytes   connections taken in, 4 bytes   packets taken in, 4 bytes
//! ```
//!
//! All numbers have their high byte first.

use seamline_host::counters;
use seamline_wire::SequenceNumber;

/// The most bytes of one record: more packets of a connection stay behind, the newest first.
pub const MOST_BYTES: usize = 4 << 20;
/// What both directions begin with: four letters, and the version of what follows.
pub const BEGINNING: [u8; 6] = *b"SLho\0\x01";
/// Of an answer, in bytes.
pub const ANSWER: usize = BEGINNING.len() + 8;

const IS_ACKNOWLEDGED: u8 = 1;
/// By side, wired first.
const HAS_ENDED: [u8; 2] = [2, 4];
const FIXED: usize = 5;

/// A connection, as an agent hands it over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Handed {
    /// The next byte that the mobile host misses, if it was heard of.
    pub(crate) acknowledged: Option<SequenceNumber>,
    /// By side: it has sent its FIN.
    pub(crate) has_ended: [bool; 2],
    /// Data for the mobile host, in order of sequence, as frames that would leave by the wireless side.
    pub(crate) frames: Vec<Vec<u8>>,
}

/// What comes is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl Handed {
    /// How many packets.
    pub fn packets(&self) -> usize {
        self.frames.len()
    }

    /// Put a frame behind the others; `false` when there is no room for it in a record.
    pub(crate) fn push(&mut self, parts: [&[u8]; 2], room: &mut usize) -> bool {
        let length = parts[0].len() + parts[1].len();
        let fits = length <= usize::from(u16::MAX) && length + 2 <= *room;
        if fits {
            *room -= length + 2;
            self.frames.push(parts.concat());
        }
        fits
    }

    /// Its record, with the length before it.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let begin = out.len();
        out.extend([0; 4]);
        let mut known = if self.acknowledged.is_some() { IS_ACKNOWLEDGED } else { 0 };
        for (has_ended, bit) in self.has_ended.into_iter().zip(HAS_ENDED) {
            known |= if has_ended { bit } else { 0 };
        }
        out.push(known);
        out.extend(self.acknowledged.unwrap_or_default().0.to_be_bytes());
        for frame in &self.frames {
            out.extend((frame.len() as u16).to_be_bytes());
            out.extend(frame);
        }
        let length = (out.len() - begin - 4) as u32;
        out[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Read a record, without the length before it.
    ///
    /// # Errors
    /// When it is too long, breaks off, or has unknown bits set. The contents of the frames are not checked.
    pub fn decode(record: &[u8]) -> Result<Self, Malformed> {
        let (fixed, mut rest) = record.split_first_chunk::<FIXED>().ok_or(Malformed)?;
        let [known, acknowledged @ ..] = *fixed;
        if record.len() > MOST_BYTES || known > IS_ACKNOWLEDGED + HAS_ENDED[0] + HAS_ENDED[1] {
            return Err(Malformed);
        }
        let acknowledged = SequenceNumber(u32::from_be_bytes(acknowledged));
        let mut handed = Handed {
            acknowledged: (known & IS_ACKNOWLEDGED != 0).then_some(acknowledged),
            has_ended: HAS_ENDED.map(|bit| known & bit != 0),
            frames: Vec::new(),
        };
        while !rest.is_empty() {
            let (length, behind) = rest.split_first_chunk().ok_or(Malformed)?;
            let length = usize::from(u16::from_be_bytes(*length));
            let (frame, behind) = behind.split_at_checked(length).ok_or(Malformed)?;
            // An empty one would take more memory than it takes room in the record.
            if frame.is_empty() {
                return Err(Malformed);
            }
            handed.frames.push(frame.to_vec());
            rest = behind;
        }
        Ok(handed)
    }

    /// What a record may hold of frames, in bytes.
    pub(crate) const fn room() -> usize {
        MOST_BYTES - FIXED
    }
}

counters! {
/// Connections handed over, and what became of them.
HandOverCounters {
    /// Connections handed over to other agents.
    counter "handed_out_connections" connections_out: u64,
    /// Packets handed over to other agents.
    counter "handed_out_packets" packets_out: u64,
    /// Connections accepted from other agents.
    counter "taken_in_connections" connections_in: u64,
    /// Packets accepted from other agents.
    counter "taken_in_packets" packets_in: u64,
    /// Connections from other agents not accepted.
    counter "refused_connections" connections_refused: u64,
    /// Packets from other agents not accepted.
    counter "refused_packets" packets_refused: u64,
}
}

/// What was taken in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TakenIn {
    /// Connections.
    pub connections: u32,
    /// Packets, which are sent over the air.
    pub packets: u32,
}

impl TakenIn {
    /// As an answer.
    pub fn encode(self) -> [u8; ANSWER] {
        let mut answer = [0; ANSWER];
        let (beginning, numbers) = answer.split_at_mut(BEGINNING.len());
        beginning.copy_from_slice(&BEGINNING);
        numbers[..4].copy_from_slice(&self.connections.to_be_bytes());
        numbers[4..].copy_from_slice(&self.packets.to_be_bytes());
        answer
    }
    /// From an answer.
    ///
    /// # Errors
    /// When it begins otherwise.
    pub fn decode(answer: &[u8; ANSWER]) -> Result<Self, Malformed> {
        let numbers = answer.strip_prefix(&BEGINNING).ok_or(Malformed)?;
        let number = |at: usize| numbers[at..].first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes));
        Ok(TakenIn { connections: number(0), packets: number(4) })
    }
}
