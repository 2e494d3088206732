//! Explicit link failure notification (Holland and Vaidya, "Analysis of TCP performance over mobile ad hoc networks", ACM MobiCom 1999,
//! section 6; paper ehn-2004 names it among the end-to-end approaches): the node at which a link has failed notifies the
//! sender, which then disables its retransmission timer and stands by. While it does, it sends a packet at regular intervals, to
//! probe whether there is a route again. When an acknowledgment comes it leaves the standby mode, restores its timer, and continues as
//! normal: window, threshold and timeout are what they were.
//!
//! The notification is an ICMP Destination Unreachable message, as the paper proposes, which the node at the end of a link sends where
//! `failure_notices` is on. The probe is the first outstanding segment, the one whose acknowledgment moves the window; the paper
//! found two seconds between probes to be good.

use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "elfn",
    summary: "notified of a link failure by ICMP, the sender stands by and probes until an acknowledgment comes",
    cite: "Holland and Vaidya, ACM MobiCom 1999",
    traits: Traits { needs_intermediate_node: true, supports_encrypted_traffic: false, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(Elfn { parameters: parameters.handover.elfn.clone(), probe_at: None }),
};

parameters! {
    /// What of the scheme can be set.
    pub struct ElfnParameters {
        /// The time between probes.
        pub probe_interval: Duration = Duration::from_secs(2),
    }
}

#[derive(Debug)]
struct Elfn {
    parameters: ElfnParameters,
    /// In standby mode, when the next probe leaves.
    probe_at: Option<Instant>,
}

impl Elfn {
    fn leave_standby(&mut self, actions: &mut Actions) {
        if self.probe_at.take().is_some() {
            actions.push(Action::Thaw);
        }
    }
    fn probe_if_due(&mut self, view: &View, actions: &mut Actions) {
        if self.probe_at.is_none_or(|at| at > view.now) {
            return;
        }
        if view.outstanding() == 0 || view.peer_window == 0 {
            return self.leave_standby(actions);
        }
        self.probe_at = Some(view.now + self.parameters.probe_interval);
        actions.push(Action::Probe);
    }
}

impl Handover for Elfn {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        match happened {
            HandoverEvent::Unreachable if self.probe_at.is_none() => {
                self.probe_at = Some(view.now + self.parameters.probe_interval);
                actions.push(Action::Freeze);
            }
            HandoverEvent::Progress { .. } => self.leave_standby(actions),
            HandoverEvent::Wake => self.probe_if_due(view, actions),
            _ => {}
        }
    }
    /// The network informs it, not the peer.
    fn acts_on(&self, _mark: Mark) -> bool {
        false
    }
    fn wake_at(&self) -> Option<Instant> {
        self.probe_at
    }
}
