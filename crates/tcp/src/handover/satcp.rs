//! SaTCP (Cao and Zhang, "SaTCP: Link-Layer Informed TCP Adaptation for Highly Dynamic LEO Satellite Networks", IEEE INFOCOM 2023), after
//! the kernel patch that its authors publish with LeoEM (github.com/XuyangCaoUCSD/LeoEM, `emulation_stage/satcp`): a disruption is
//! reported beforehand, and for a while after the report CUBIC comes back fast from losses ([`Action::ExpectLosses`]). The window
//! itself is reduced as usual, also in the patch.
//!
//! The paper's constants: the report is sent 0.5 s before the predicted time (`lead` of the notice), and lasts 2.3 s. There the
//! terminal's host is told of it; here the end that hears it also tells the peer, which may be the sender.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "satcp",
    summary: "around a predicted handover CUBIC keeps its curve over timeouts, and returns to the old window nine times as fast",
    cite: "Cao and Zhang, IEEE INFOCOM 2023",
    traits: Traits { needs_prediction: true, robust_to_long_disconnection: false, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(Satcp { parameters: parameters.handover.satcp.clone() }),
};

parameters! {
    /// What of the scheme can be set.
    pub struct SatcpParameters {
        /// How long after a report losses are those of the disruption (D, `SATCP_DURATION`).
        pub duration: Duration = Duration::from_millis(2300),
    }
}

#[derive(Debug)]
struct Satcp {
    parameters: SatcpParameters,
}

impl Handover for Satcp {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        let until = view.now + self.parameters.duration;
        match happened {
            HandoverEvent::Below(Signal::LinkGoingDown { .. }) => actions.extend([
                Action::ExpectLosses { until },
                Action::Acknowledge { times: 1, mark: Some(Mark::WillHandover) },
            ]),
            HandoverEvent::Marked { mark: Mark::WillHandover, .. } => {
                actions.push(Action::ExpectLosses { until });
            }
            _ => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        mark == Mark::WillHandover
    }
}
