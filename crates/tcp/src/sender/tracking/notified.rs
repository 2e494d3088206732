//! Losses over the air that an agent reports ([`crate::loss_notification`]): they are sent again at once, and cost no window.
//!
//! A record remembers the latest word on its loss. A loss that is excused this way begins no recovery; one that is not, in the same
//! window or when the retransmission is lost without another word, does. When a retransmission is lost again is for RACK to say.

use super::*;
use crate::loss_notification::LossNotification;
use seamline_wire::{LossCause, Mark, Segment};

impl Run<'_, '_> {
    /// Take in what an acknowledgment lists.
    pub(super) fn take_notified_losses(&mut self, segment: &Segment) {
        if self.s.view.parameters.loss_notification.scheme == LossNotification::None {
            return;
        }
        let Some(losses) = segment.mark.and_then(Mark::losses) else { return };
        for loss in losses.iter() {
            let outstanding = self.unacknowledged()..self.s.view.highest_sent;
            let at = self.s.offset(loss.sequence(segment.acknowledgment));
            let Some(at) = at.filter(|at| outstanding.contains(at)) else { continue };
            let id = self.t.queue.find(at);
            if !self.t.queue.ids().contains(&id) {
                continue;
            }
            let over_the_air = loss.cause == LossCause::Air;
            self.t.queue.attribute(id, over_the_air);
            if over_the_air && !self.t.queue.get(id).resent {
                self.mark_lost(id);
            }
        }
    }
}
