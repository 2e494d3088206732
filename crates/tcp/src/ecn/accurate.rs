//! Accurate ECN (RFC 9768): the three flags AE, CWR and ECE count marked packets. The option with counts of bytes is not sent and not
//! read, which section 3.2.3 permits; so what a long run of lost acknowledgments hides is taken as in appendix A.2.

use seamline_wire::{Ecn, Flags, Segment};

/// Where the lowest of the three flags stands.
const PLACE: u32 = 6;
const ALL_THREE: u16 = 7 << PLACE;

/// The flags as a number, AE highest.
pub(super) fn field_of(flags: Flags) -> u16 {
    (flags.0 & ALL_THREE) >> PLACE
}
/// The flags of the lowest three bits of a number.
fn flags_for(number: u64) -> Flags {
    Flags((number as u16 & 7) << PLACE)
}
/// Counters begin with this (section 3.2.1).
const FIRST: u64 = 5;
/// Marks that are acknowledged at once, whatever is waited for (section 3.2.2.5.1).
const MOST_UNREPORTED: u32 = 2;

/// How the field of a SYN or its answer is reported (tables 2 and 3).
pub(super) fn handshake_flags(arrived: Ecn) -> Flags {
    flags_for(match arrived {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    })
}

/// The counters of both directions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accurate {
    /// Marked packets that have come (r.cep).
    received: u64,
    /// Marked packets of ours, as far as reported (s.cep).
    reported: u64,
    /// The field that the peer's SYN or its answer came with.
    pub(super) arrived: Ecn,
    /// The next acknowledgment answers the answer to our SYN, and reports its field.
    reports_answer: bool,
    /// The acknowledgment being taken in has been read already.
    is_read: bool,
    last_was_marked: bool,
    unreported: u32,
    /// What we send may be marked, and reports count: nothing on the path changes the field of packets.
    pub(super) is_sound: bool,
    /// Reports count although packets of ours are no longer to be marked.
    responds: bool,
}

impl Accurate {
    fn new(arrived: Ecn) -> Self {
        Accurate {
            received: FIRST,
            reported: FIRST,
            arrived,
            reports_answer: false,
            is_read: false,
            last_was_marked: false,
            unreported: 0,
            is_sound: true,
            responds: true,
        }
    }
    /// The peer's SYN asks for it.
    pub(super) fn on_syn(arrived: Ecn) -> Self {
        Accurate::new(arrived)
    }
    /// The peer agrees; its answer reports how our SYN, which may not be marked, arrived (section 3.2.2.3).
    pub(super) fn on_answer(answer: &Segment, arrived: Ecn) -> Self {
        Accurate {
            received: FIRST + u64::from(arrived == Ecn::Ce),
            reports_answer: true,
            is_sound: matches!(field_of(answer.flags), 0b010 | 0b101),
            ..Accurate::new(arrived)
        }
    }
    /// The acknowledgment of our answer (section 3.2.2.1, table 4). Our answer may not be marked.
    pub(super) fn on_handshake_end(&mut self, segment: &Segment) {
        if segment.sequence_length() > 0 || !segment.sack.is_empty() {
            return;
        }
        self.is_read = true;
        match field_of(segment.flags) {
            0b000 => (self.is_sound, self.responds) = (false, false),
            0b011 | 0b100 => self.is_sound = false,
            0b110 => (self.is_sound, self.reported) = (false, FIRST + 1),
            _ => {}
        }
    }
    /// Marks of ours that an acknowledgment of so many segments newly reports. Where the field may have wrapped, the most that are
    /// possible (section 3.2.2.5.2, appendix A.2).
    pub(super) fn take_report(&mut self, segment: &Segment, acknowledged: u64) -> u64 {
        if std::mem::take(&mut self.is_read) || !self.responds {
            return 0;
        }
        let least = (u64::from(field_of(segment.flags)).wrapping_sub(self.reported)) & 7;
        let marks = if acknowledged <= 7 { least } else { acknowledged - ((acknowledged - least) & 7) };
        self.reported += marks;
        marks
    }
    /// An acceptable packet has come. Returns whether it is to be acknowledged at once.
    pub(super) fn on_packet(&mut self, ecn: Ecn, has_data: bool) -> bool {
        let is_marked = ecn == Ecn::Ce;
        self.received += u64::from(is_marked);
        self.unreported += u32::from(is_marked);
        let begins = is_marked && !std::mem::replace(&mut self.last_was_marked, is_marked);
        has_data && (begins || (is_marked && self.unreported >= MOST_UNREPORTED))
    }
    /// Count in a segment that leaves.
    pub(super) fn write(&mut self, segment: &mut Segment) {
        self.unreported = 0;
        let is_bare = segment.sequence_length() == 0 && segment.sack.is_empty();
        let count = match std::mem::take(&mut self.reports_answer) && is_bare {
            true => handshake_flags(self.arrived),
            false => flags_for(self.received),
        };
        segment.flags = Flags(segment.flags.0 & !ALL_THREE) | count;
    }
}
