//! Explicit congestion notification (RFC 3168, and with [`accurate`] counts RFC 9768): what both ends have agreed on, and what is owed to the other end.

mod accurate;

use accurate::Accurate;
use seamline_wire::{Ecn, Flags, Segment};

/// Whether a connection uses ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EcnUse {
    /// Never.
    #[default]
    Off,
    /// Where the peer asks for it (Linux: `tcp_ecn=2`).
    OnRequest,
    /// Where the peer agrees; our SYN asks for it, the first time that it is sent (`tcp_ecn=1`).
    On,
    /// Where the peer agrees, with counts of marked packets if it has them (RFC 9768; Linux: `tcp_ecn=3`).
    Accurate,
}

/// What a congestion control needs of ECN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EcnNeeds {
    /// Nothing: new data is marked where the parameters ask for it, and one report a round-trip time is enough.
    #[default]
    Nothing,
    /// Both ends use it, every packet may be marked, and acknowledgments report each change between marked and unmarked packets (RFC
    /// 8257 section 3.2; Linux, `TCP_CONG_NEEDS_ECN`).
    EachChange,
    /// Both ends count marked packets (RFC 9768), and data carries ECT(1) (RFC 9331). A peer without counts gets the ECN of RFC 3168.
    Counts,
}

/// What an acknowledgment reports about our packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// No marks.
    Nothing,
    /// Some were marked.
    Echo,
    /// So many more were marked.
    Marks(u64),
}

/// The state of ECN at one end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EcnState {
    /// What our congestion control needs.
    pub(crate) needs: EcnNeeds,
    /// Both ends use it.
    pub(crate) agreed: bool,
    /// Counts, where both ends have them.
    accurate: Option<Accurate>,
    /// The peer has to hear that a packet was marked, until it says that its window is reduced (RFC 3168 section 6.1.3).
    echoes: bool,
    /// Packets with an ECN field have come.
    seen: bool,
    /// The peer has to hear that our window is reduced (section 6.1.2).
    announces: bool,
    /// The next segment has data that was not sent before: the network may mark it, and it announces the reduction.
    pub(crate) carries_new_data: bool,
}

/// What a packet with data says about the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notice {
    /// Nothing new.
    Nothing,
    /// It was marked and none before, or has lost its field: the peer had better hear soon how far we are.
    Soon,
}

impl EcnState {
    fn asks(&self, ecn: EcnUse) -> bool {
        matches!(ecn, EcnUse::On | EcnUse::Accurate) || self.needs != EcnNeeds::Nothing
    }
    fn counts(&self, ecn: EcnUse) -> bool {
        ecn == EcnUse::Accurate || self.needs == EcnNeeds::Counts
    }
    fn agrees(&self, ecn: EcnUse) -> bool {
        ecn != EcnUse::Off || self.needs != EcnNeeds::Nothing
    }
    /// There is no handshake; the peer's parameters are these, and its congestion control is like ours.
    pub(crate) fn assume(&mut self, ours: EcnUse, peers: EcnUse) {
        let both = self.agrees(ours) && self.agrees(peers);
        self.agreed = both && (self.asks(ours) || self.asks(peers));
        let both_count = self.agreed && self.counts(ours) && self.counts(peers);
        self.accurate = both_count.then(|| Accurate::on_syn(Ecn::NotEct));
    }
    /// The flags of a SYN that was sent so often before. Counts are asked for twice (RFC 9768 section 3.1.4.1), anything else once and
    /// so many times `again`.
    pub(crate) fn flags_of_syn(&self, ecn: EcnUse, sent_before: u32, again: u32) -> Flags {
        match (self.counts(ecn), sent_before) {
            (true, 0 | 1) => Flags::AE | Flags::ECE | Flags::CWR,
            (false, before) if before <= again && self.asks(ecn) => Flags::ECE | Flags::CWR,
            _ => Flags::default(),
        }
    }
    /// The flags of the answer to the peer's SYN.
    pub(crate) fn flags_of_answer(&self) -> Flags {
        match (&self.accurate, self.agreed) {
            (Some(accurate), _) => accurate::handshake_flags(accurate.arrived),
            (None, true) => Flags::ECE,
            (None, false) => Flags::default(),
        }
    }
    /// The acknowledgment of our answer opens the connection.
    pub(crate) fn on_handshake_end(&mut self, segment: &Segment) {
        if let Some(accurate) = &mut self.accurate {
            accurate.on_handshake_end(segment);
        }
    }
    /// An acceptable packet has come. Returns whether its marks are to be reported at once.
    pub(crate) fn on_packet(&mut self, ecn: Ecn, segment: &Segment) -> bool {
        let has_data = segment.length > 0;
        self.accurate.as_mut().is_some_and(|accurate| accurate.on_packet(ecn, has_data))
    }
    /// The peer's SYN asks for it; the answer says whether it is agreed on. One that may be marked comes from a congestion control with
    /// needs, to which only its like agrees (Linux, `tcp_ecn_create_request`).
    pub(crate) fn on_syn(&mut self, ecn: EcnUse, syn: &Segment, field: Ecn) {
        let asked = accurate::field_of(syn.flags);
        let is_for_counts = self.counts(ecn) && !matches!(asked, 0b000 | 0b011);
        self.accurate = is_for_counts.then(|| Accurate::on_syn(field));
        if is_for_counts {
            self.agreed = true;
            return;
        }
        let fits = self.needs != EcnNeeds::Nothing || !field.is_capable();
        self.agreed = self.agrees(ecn) && fits && syn.flags.contains(Flags::ECE | Flags::CWR);
    }
    /// The peer answers our SYN. One that reflects our flags does not know what they mean.
    pub(crate) fn on_answer(&mut self, ecn: EcnUse, answer: &Segment, field: Ecn) {
        let agreed = accurate::field_of(answer.flags);
        let counts = self.counts(ecn) && !matches!(agreed, 0b000 | 0b001 | 0b111);
        self.accurate = counts.then(|| Accurate::on_answer(answer, field));
        if counts {
            self.agreed = true;
            return;
        }
        let accepts = answer.flags.intersects(Flags::ECE) && !answer.flags.intersects(Flags::CWR);
        self.agreed = self.asks(ecn) && accepts;
    }
    /// The window is reduced: say so with the next new data.
    pub(crate) fn reduce(&mut self) {
        self.announces = self.agreed && self.accurate.is_none();
    }
    /// What an acknowledgment of so many segments reports.
    pub(crate) fn take_report(&mut self, segment: &Segment, acknowledged: u64) -> Report {
        if !self.agreed || segment.flags.intersects(Flags::SYN) {
            return Report::Nothing;
        }
        if let Some(accurate) = &mut self.accurate {
            return match accurate.take_report(segment, acknowledged) {
                0 => Report::Nothing,
                marks => Report::Marks(marks),
            };
        }
        if segment.flags.intersects(Flags::ECE) { Report::Echo } else { Report::Nothing }
    }
    /// The peer says that its window is reduced. Returns whether it did.
    pub(crate) fn take_announcement(&mut self, segment: &Segment) -> bool {
        let is_reduced = self.agreed && self.accurate.is_none() && segment.flags.intersects(Flags::CWR);
        self.echoes &= !is_reduced;
        is_reduced
    }
    /// Whether a packet with data is marked where the one before was not, or the other way round, and the peer has to hear of that.
    pub(crate) fn changes(&self, ecn: Ecn) -> bool {
        self.agreed
            && self.needs == EcnNeeds::EachChange
            && ecn.is_capable()
            && self.echoes != (ecn == Ecn::Ce)
    }
    /// A packet with data has come.
    pub(crate) fn on_data(&mut self, ecn: Ecn) -> Notice {
        if self.changes(ecn) {
            self.echoes = ecn == Ecn::Ce;
        }
        let is_news = match ecn {
            _ if !self.agreed || self.accurate.is_some() => false,
            Ecn::NotEct => self.seen,
            Ecn::Ce => !std::mem::replace(&mut self.echoes, true),
            Ecn::Ect0 | Ecn::Ect1 => false,
        };
        self.seen |= ecn.is_capable();
        if is_news { Notice::Soon } else { Notice::Nothing }
    }
    /// Whether segments say anything about it, or may.
    pub(crate) fn is_used(&self) -> bool {
        self.agreed || self.needs != EcnNeeds::Nothing
    }
    /// The field of a segment that leaves, which gets its flags.
    pub(crate) fn mark(&mut self, segment: &mut Segment) -> Ecn {
        let is_new = std::mem::take(&mut self.carries_new_data) && segment.length > 0;
        // Most connections: every segment comes by here.
        if !self.is_used() {
            return Ecn::NotEct;
        }
        let always = if self.needs == EcnNeeds::EachChange { Ecn::Ect0 } else { Ecn::NotEct };
        if segment.flags.intersects(Flags::RST) {
            return Ecn::NotEct;
        }
        if segment.flags.intersects(Flags::SYN) {
            return if segment.flags.intersects(Flags::ECE) { always } else { Ecn::NotEct };
        }
        if !self.agreed {
            return Ecn::NotEct;
        }
        let is_resent = segment.length > 0 && self.needs == EcnNeeds::Counts;
        let low_latency = if self.needs == EcnNeeds::Counts { Ecn::Ect1 } else { Ecn::Ect0 };
        if let Some(accurate) = &mut self.accurate {
            accurate.write(segment);
            let may_be_marked = (is_new || is_resent) && accurate.is_sound;
            return if may_be_marked { low_latency } else { Ecn::NotEct };
        }
        if self.echoes {
            segment.flags = segment.flags | Flags::ECE;
        }
        if is_new && std::mem::take(&mut self.announces) {
            segment.flags = segment.flags | Flags::CWR;
        }
        if is_new { Ecn::Ect0 } else { always }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed() -> EcnState {
        let mut state = EcnState::default();
        let syn = Segment { flags: Flags::SYN | Flags::ECE | Flags::CWR, ..Segment::default() };
        state.on_syn(EcnUse::OnRequest, &syn, Ecn::NotEct);
        state
    }
    fn data() -> Segment {
        Segment { flags: Flags::ACK, length: 100, ..Segment::default() }
    }

    #[test]
    fn a_reflected_request_is_no_agreement() {
        let mut state = EcnState::default();
        for (flags, agreed) in [(Flags::ECE, true), (Flags::ECE | Flags::CWR, false), (Flags::ACK, false)] {
            state.on_answer(
                EcnUse::On,
                &Segment { flags: Flags::SYN | flags, ..Segment::default() },
                Ecn::NotEct,
            );
            assert_eq!(state.agreed, agreed, "{flags:?}");
        }
        state.on_answer(
            EcnUse::OnRequest,
            &Segment { flags: Flags::SYN | Flags::ECE, ..Segment::default() },
            Ecn::NotEct,
        );
        assert!(!state.agreed);
    }

    #[test]
    fn a_mark_is_echoed_until_the_peer_has_reduced() {
        let mut state = agreed();
        assert_eq!(state.on_data(Ecn::Ect0), Notice::Nothing);
        assert_eq!(state.on_data(Ecn::Ce), Notice::Soon);
        assert_eq!(state.on_data(Ecn::Ce), Notice::Nothing);
        for _ in 0..2 {
            let mut ack = Segment { flags: Flags::ACK, ..Segment::default() };
            assert_eq!(state.mark(&mut ack), Ecn::NotEct);
            assert!(ack.flags.intersects(Flags::ECE));
        }
        let reduced = Segment { flags: Flags::ACK | Flags::CWR, ..data() };
        assert!(state.take_announcement(&reduced));
        let mut ack = Segment { flags: Flags::ACK, ..Segment::default() };
        state.mark(&mut ack);
        assert!(!ack.flags.intersects(Flags::ECE));
    }

    #[test]
    fn new_data_announces_a_reduction_once() {
        let mut state = agreed();
        state.reduce();
        let mut again = data();
        assert_eq!(state.mark(&mut again), Ecn::NotEct, "what is sent again is not marked");
        assert!(!again.flags.intersects(Flags::CWR));
        for announces in [true, false] {
            state.carries_new_data = true;
            let mut new = data();
            assert_eq!(state.mark(&mut new), Ecn::Ect0);
            assert_eq!(new.flags.intersects(Flags::CWR), announces);
        }
    }
}
