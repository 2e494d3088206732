//! What is set aside for what comes from each side.

use super::Halves;
use crate::exit::Exit;
use crate::key::Side;
use crate::split::windows;

impl Halves {
    /// New data has come from this side: it may be worth a larger window, or have to do with a smaller one.
    pub(super) fn widen(&mut self, from: Side, exit: &mut Exit<'_>) {
        let endpoint = self.at(from);
        let (before, delivered) = (endpoint.receive_buffer(), endpoint.statistics().bytes_delivered);
        let wanted = windows::next(self.first_window, delivered, exit.left(), self.shared.buffer);
        let more = u64::from(wanted).saturating_sub(self.set_aside[from as usize]);
        if wanted != before && exit.set_aside(more) {
            self.set_aside[from as usize] += more;
            self.at_mut(from).set_receive_buffer(wanted);
        }
    }

    /// Give back what was set aside for bytes that have passed, unless others may come in their place.
    pub(super) fn free_what_cannot_come(&mut self, from: Side, exit: &mut Exit<'_>) {
        let endpoint = self.at(from);
        let needed = match endpoint.peer_has_closed() {
            true => endpoint.readable(),
            false => endpoint.committed().max(endpoint.receive_buffer().into()),
        };
        let set_aside = &mut self.set_aside[from as usize];
        debug_assert!(needed <= *set_aside, "{needed} may come, {set_aside} are set aside");
        exit.free(set_aside.saturating_sub(needed));
        *set_aside = needed.min(*set_aside);
    }
}
