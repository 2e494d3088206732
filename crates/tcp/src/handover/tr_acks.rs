//! Triplicate reconnection acknowledgments (Caceres and Iftode, "Improving the performance of reliable transport
//! protocols in mobile computing environments", IEEE JSAC 13(5), 1995, section 5): after a handover the mover
//! repeats its last acknowledgment three times, which makes any sender retransmit fast; and when the
//! mover is the sender itself, it retransmits at once.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tr-acks",
    summary: "the mobile host repeats its last acknowledgment three times, and the sender enters fast retransmit",
    cite: "Caceres and Iftode, IEEE JSAC 13(5), 1995",
    traits: END_TO_END,
    installed: Installed::MobileEnd,
    refuses: &[],
    build: &|parameters| Box::new(TrAcks { parameters: parameters.handover.tr_acks.clone(), marked: 0 }),
};

/// What the sender does on the last of the repeated acknowledgments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterReconnection {
    /// What its recovery does on duplicate acknowledgments: they are not marked, and the sender need not
    /// know the scheme.
    Recovery,
    /// Fast retransmission followed by slow start from one segment, whatever its recovery is: the reading
    /// of paper ehn-2004 (section 2.3), after the Tahoe of 1995. The acknowledgments are marked, so that the
    /// sender can tell.
    SlowStart,
}

parameters! {
    /// What of the scheme can be set.
    pub struct TrAcksParameters {
        /// How often the last acknowledgment is repeated.
        pub acknowledgments: u32 = 3,
        /// What the sender does about it.
        pub after: AfterReconnection = AfterReconnection::Recovery,
    }
}

#[derive(Debug)]
struct TrAcks {
    parameters: TrAcksParameters,
    /// Marked acknowledgments since the last reconnection.
    marked: u32,
}

impl TrAcks {
    fn retransmit(&self, actions: &mut Actions) {
        actions.extend([Action::SlowStart, Action::GoBack]);
    }
}

impl Handover for TrAcks {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            moved if moved.is_move() => {
                let mark = (self.parameters.after == AfterReconnection::SlowStart).then_some(Mark::Handover);
                actions.push(Action::Acknowledge { times: self.parameters.acknowledgments, mark });
                if view.outstanding() > 0 {
                    self.retransmit(actions);
                }
            }
            HandoverEvent::Marked { mark: Mark::Handover, .. } => {
                self.marked += 1;
                if self.marked == self.parameters.acknowledgments {
                    self.marked = 0;
                    self.retransmit(actions);
                }
            }
            HandoverEvent::Timeout | HandoverEvent::Progress { .. } => self.marked = 0,
            _ => {}
        }
    }
    /// What recovery is to answer is not marked.
    fn acts_on(&self, mark: Mark) -> bool {
        mark == Mark::Handover && self.parameters.after == AfterReconnection::SlowStart
    }
}
