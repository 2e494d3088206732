//! Segments as scripts write them: sequence numbers relative to each end's initial one, fields that
//! do not matter left out.

use seamline_wire::{Flags, Mark, SackBlock, Segment, SequenceNumber, Timestamps};
use std::fmt;
use std::ops::Range;

/// A segment to inject or to expect. Sequence numbers are relative: zero is the SYN, one the first
/// byte. When expected, the options that only a SYN carries, the window and the timestamps are
/// compared where the script names them; everything else always.
#[derive(Clone, Debug)]
pub(crate) struct Seg {
    pub(crate) flags: Flags,
    pub(crate) sequence: u32,
    pub(crate) length: u32,
    pub(crate) acknowledgment: u32,
    pub(crate) window: Option<u16>,
    pub(crate) times: Option<(u32, u32)>,
    pub(crate) no_times: bool,
    pub(crate) mss: Option<Option<u16>>,
    pub(crate) scale: Option<Option<u8>>,
    pub(crate) sack_permitted: Option<bool>,
    pub(crate) sack: Vec<Range<u32>>,
    pub(crate) mark: Option<Mark>,
}

fn seg(flags: Flags, sequence: u32, length: u32, acknowledgment: u32) -> Seg {
    Seg {
        flags,
        sequence,
        length,
        acknowledgment,
        window: None,
        times: None,
        no_times: false,
        mss: None,
        scale: None,
        sack_permitted: None,
        sack: Vec::new(),
        mark: None,
    }
}

/// A SYN.
pub(crate) fn syn() -> Seg {
    seg(Flags::SYN, 0, 0, 0)
}
/// A SYN that acknowledges the other.
pub(crate) fn syn_ack() -> Seg {
    seg(Flags::SYN | Flags::ACK, 0, 0, 1)
}
/// A pure acknowledgment, from an end that has sent nothing but its SYN.
pub(crate) fn ack(acknowledgment: u32) -> Seg {
    seg(Flags::ACK, 1, 0, acknowledgment)
}
/// Payload, to an end that has sent nothing but its SYN.
pub(crate) fn data(bytes: Range<u32>) -> Seg {
    seg(Flags::ACK, bytes.start, bytes.end - bytes.start, 1)
}
/// A FIN without payload.
pub(crate) fn fin(sequence: u32, acknowledgment: u32) -> Seg {
    seg(Flags::FIN | Flags::ACK, sequence, 0, acknowledgment)
}
/// A reset without acknowledgment.
pub(crate) fn rst(sequence: u32) -> Seg {
    seg(Flags::RST, sequence, 0, 0)
}
/// A reset that acknowledges.
pub(crate) fn rst_ack(sequence: u32, acknowledgment: u32) -> Seg {
    seg(Flags::RST | Flags::ACK, sequence, 0, acknowledgment)
}

impl Seg {
    pub(crate) fn seq(mut self, sequence: u32) -> Self {
        self.sequence = sequence;
        self
    }
    pub(crate) fn ack(mut self, acknowledgment: u32) -> Self {
        self.acknowledgment = acknowledgment;
        self
    }
    pub(crate) fn window(mut self, window: u16) -> Self {
        self.window = Some(window);
        self
    }
    pub(crate) fn times(mut self, value: u32, echo: u32) -> Self {
        self.times = Some((value, echo));
        self
    }
    pub(crate) fn without_times(mut self) -> Self {
        self.no_times = true;
        self
    }
    pub(crate) fn mss(mut self, mss: impl Into<Option<u16>>) -> Self {
        self.mss = Some(mss.into());
        self
    }
    pub(crate) fn scale(mut self, scale: impl Into<Option<u8>>) -> Self {
        self.scale = Some(scale.into());
        self
    }
    pub(crate) fn sack_permitted(mut self, permitted: bool) -> Self {
        self.sack_permitted = Some(permitted);
        self
    }
    pub(crate) fn sack(mut self, blocks: &[Range<u32>]) -> Self {
        self.sack = blocks.to_vec();
        self
    }
    pub(crate) fn mark(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }
    pub(crate) fn with_data(mut self, length: u32) -> Self {
        self.length = length;
        self
    }
    pub(crate) fn with_push(mut self) -> Self {
        self.flags = self.flags | Flags::PSH;
        self
    }
    pub(crate) fn with_flags(mut self, flags: Flags) -> Self {
        self.flags = self.flags | flags;
        self
    }
    pub(crate) fn with_fin(mut self) -> Self {
        self.flags = self.flags | Flags::FIN;
        self
    }

    /// The segment on the wire, from an end that began at `from` to one that began at `to`.
    pub(crate) fn on_wire(&self, from: SequenceNumber, to: SequenceNumber) -> Segment {
        const WIDE: u16 = u16::MAX;
        let syn = self.flags.intersects(Flags::SYN);
        let block = |b: &Range<u32>| SackBlock { left: to + b.start, right: to + b.end };
        Segment {
            sequence: from + self.sequence,
            acknowledgment: if self.flags.intersects(Flags::ACK) {
                to + self.acknowledgment
            } else {
                SequenceNumber(0)
            },
            length: self.length,
            window: self.window.unwrap_or(WIDE),
            flags: self.flags,
            window_scale: self.scale.flatten().filter(|_| syn),
            maximum_segment_size: if syn { self.mss.unwrap_or(Some(1000)) } else { None },
            sack_permitted: syn && self.sack_permitted.unwrap_or(false),
            timestamps: self.times.map(|(value, echo)| Timestamps { value, echo }),
            sack: self.sack.iter().map(block).collect(),
            mark: self.mark,
        }
    }

    /// What of `sent` differs from this expectation, `None` when nothing does.
    pub(crate) fn difference(&self, sent: &Seg) -> Option<String> {
        let core = |s: &Seg| (s.flags.0 & !Flags::PSH.0, s.sequence, s.length, s.acknowledgment);
        if core(self) != core(sent) || self.sack != sent.sack || self.mark != sent.mark {
            return Some("flags, sequence, length, acknowledgment, SACK blocks or mark".to_owned());
        }
        let named = [
            ("window", self.window.is_some() && self.window != sent.window),
            ("timestamps", self.times.is_some() && self.times != sent.times),
            ("timestamps (none expected)", self.no_times && sent.times.is_some()),
            ("MSS", self.mss.is_some() && self.mss != sent.mss),
            ("window scale", self.scale.is_some() && self.scale != sent.scale),
            ("SACK-permitted", self.sack_permitted.is_some_and(|p| Some(p) != sent.sack_permitted)),
        ];
        named.iter().find(|(_, differs)| *differs).map(|(name, _)| (*name).to_owned())
    }

    /// What `segment` is in a script, when the ends began at `from` and `to`.
    pub(crate) fn seen(segment: &Segment, from: SequenceNumber, to: SequenceNumber) -> Seg {
        let acknowledges = segment.flags.intersects(Flags::ACK);
        Seg {
            flags: segment.flags,
            sequence: segment.sequence - from,
            length: segment.length,
            acknowledgment: if acknowledges { segment.acknowledgment - to } else { 0 },
            window: Some(segment.window),
            times: segment.timestamps.map(|t| (t.value, t.echo)),
            no_times: false,
            mss: Some(segment.maximum_segment_size),
            scale: Some(segment.window_scale),
            sack_permitted: Some(segment.sack_permitted),
            sack: segment.sack.iter().map(|b| b.left - to..b.right - to).collect(),
            mark: segment.mark,
        }
    }
}

impl fmt::Display for Seg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.sequence.wrapping_add(self.length);
        write!(f, "[{:?}] {}..{} ack {}", self.flags, self.sequence, end, self.acknowledgment)?;
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        if let Some((value, echo)) = self.times {
            write!(f, " TS {value} {echo}")?;
        }
        if !self.sack.is_empty() {
            write!(f, " sack {:?}", self.sack)?;
        }
        if let Some(mark) = self.mark {
            write!(f, " mark {mark:?}")?;
        }
        Ok(())
    }
}
