//! Demo-Vegas (Ho, Chan and Chen, "An efficient mechanism of TCP-Vegas on Mobile IP networks", IEEE Global Internet
//! Symposium with INFOCOM 2005; as paper mobility-vegas-2020, section 3, describes it): when either end has moved, the sender measures
//! BaseRTT again, so that a longer path is not taken for a queue. Timers and losses are as in Vegas.
//!
//! An end knows of its own move by its registration, and of the peer's by its care-of address. Home addresses are all
//! that arrives here, so the first segments from the new place carry the handover mark instead. They are several because
//! one may be lost; a row of them is one move.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "demo-vegas",
    summary: "the mobile host marks its first segments; a Vegas sender then measures BaseRTT again",
    cite: "Ho, Chan and Chen, IEEE Global Internet Symposium 2005",
    traits: Traits { robust_to_long_disconnection: false, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| {
        Box::new(DemoVegas { parameters: parameters.handover.demo_vegas.clone(), heard: false })
    },
};

parameters! {
    /// What of the scheme can be set.
    pub struct DemoVegasParameters {
        /// How many segments from the new place carry the mark: as many as TR-ACKs and Freeze-TCP repeat their
        /// acknowledgments.
        pub marked_segments: u32 = 3,
    }
}

#[derive(Debug)]
struct DemoVegas {
    parameters: DemoVegasParameters,
    /// The peer's last segment was marked.
    heard: bool,
}

const MEASURE_AGAIN: Action = Action::RenewPath { round_trip_time: None };

impl Handover for DemoVegas {
    fn on(&mut self, happened: HandoverEvent, _view: &View, actions: &mut Actions) {
        match happened {
            arrived if arrived.is_arrival() => {
                let segments = self.parameters.marked_segments;
                actions.extend([Action::Mark { mark: Mark::Handover, segments }, MEASURE_AGAIN]);
            }
            HandoverEvent::Marked { mark: Mark::Handover, .. } if !self.heard => {
                self.heard = true;
                actions.push(MEASURE_AGAIN);
            }
            HandoverEvent::Progress { mark: None } | HandoverEvent::Data => self.heard = false,
            _ => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        mark == Mark::Handover
    }
    /// The mark is news of the path, not of what is outstanding.
    fn decides_on(&self, _mark: Mark) -> bool {
        false
    }
}
