//! Explicit congestion notification (RFC 3168): what both ends have agreed on, and what is owed to the other end.

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
}

/// The state of ECN at one end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EcnState {
    /// Both ends use it.
    pub(crate) agreed: bool,
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
    /// The flags of a SYN that may ask for it.
    pub(crate) fn flags_of_syn(ecn: EcnUse, asks: bool) -> Flags {
        if ecn == EcnUse::On && asks { Flags::ECE | Flags::CWR } else { Flags::default() }
    }
    /// The peer's SYN asks for it; the answer says whether it is agreed on.
    pub(crate) fn on_syn(&mut self, ecn: EcnUse, syn: &Segment) {
        self.agreed = ecn != EcnUse::Off && syn.flags.contains(Flags::ECE | Flags::CWR);
    }
    /// The peer answers our SYN. One that reflects our flags does not know what they mean.
    pub(crate) fn on_answer(&mut self, ecn: EcnUse, answer: &Segment) {
        let accepts = answer.flags.intersects(Flags::ECE) && !answer.flags.intersects(Flags::CWR);
        self.agreed = ecn == EcnUse::On && accepts;
    }
    /// The window is reduced: say so with the next new data.
    pub(crate) fn reduce(&mut self) {
        self.announces = self.agreed;
    }
    /// Whether an acknowledgment reports that a packet of ours was marked.
    pub(crate) fn is_reported(&self, segment: &Segment) -> bool {
        self.agreed && segment.flags.intersects(Flags::ECE) && !segment.flags.intersects(Flags::SYN)
    }
    /// The peer says that its window is reduced. Returns whether it did.
    pub(crate) fn take_announcement(&mut self, segment: &Segment) -> bool {
        let is_reduced = self.agreed && segment.flags.intersects(Flags::CWR);
        self.echoes &= !is_reduced;
        is_reduced
    }
    /// A packet with data has come.
    pub(crate) fn on_data(&mut self, ecn: Ecn) -> Notice {
        let is_news = match ecn {
            _ if !self.agreed => false,
            Ecn::NotEct => self.seen,
            Ecn::Ce => !std::mem::replace(&mut self.echoes, true),
            Ecn::Ect0 | Ecn::Ect1 => false,
        };
        self.seen |= ecn.is_capable();
        if is_news { Notice::Soon } else { Notice::Nothing }
    }
    /// The field of a segment that leaves, which gets its flags.
    pub(crate) fn mark(&mut self, segment: &mut Segment) -> Ecn {
        let is_new = std::mem::take(&mut self.carries_new_data) && segment.length > 0;
        if !self.agreed || segment.flags.intersects(Flags::SYN | Flags::RST) {
            return Ecn::NotEct;
        }
        if self.echoes {
            segment.flags = segment.flags | Flags::ECE;
        }
        if is_new && std::mem::take(&mut self.announces) {
            segment.flags = segment.flags | Flags::CWR;
        }
        if is_new { Ecn::Ect0 } else { Ecn::NotEct }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreed() -> EcnState {
        let mut state = EcnState::default();
        let syn = Segment { flags: Flags::SYN | Flags::ECE | Flags::CWR, ..Segment::default() };
        state.on_syn(EcnUse::OnRequest, &syn);
        state
    }
    fn data() -> Segment {
        Segment { flags: Flags::ACK, length: 100, ..Segment::default() }
    }

    #[test]
    fn a_reflected_request_is_no_agreement() {
        let mut state = EcnState::default();
        for (flags, agreed) in [(Flags::ECE, true), (Flags::ECE | Flags::CWR, false), (Flags::ACK, false)] {
            state.on_answer(EcnUse::On, &Segment { flags: Flags::SYN | flags, ..Segment::default() });
            assert_eq!(state.agreed, agreed, "{flags:?}");
        }
        state.on_answer(EcnUse::OnRequest, &Segment { flags: Flags::SYN | Flags::ECE, ..Segment::default() });
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
