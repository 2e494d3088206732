//! What the application supplies, and how far it has come.

use super::*;

impl Sender {
    /// Payload bytes acknowledged so far.
    pub(crate) fn bytes_acknowledged(&self) -> u64 {
        self.view.unacknowledged.min(self.data_end).saturating_since(Offset::FIRST_BYTE)
    }
    /// Supplied and not yet acknowledged.
    pub(crate) fn bytes_buffered(&self) -> u64 {
        self.data_end.saturating_since(self.view.unacknowledged.max(Offset::FIRST_BYTE))
    }

    /// The application supplies more data.
    pub(crate) fn supply(&mut self, bytes: u64) {
        debug_assert!(!self.view.finishing, "data after close");
        self.data_end = Offset(self.data_end.0.saturating_add(bytes).min(u64::MAX >> 2));
        self.update_available();
    }
    /// The application has no more data: a FIN follows.
    pub(crate) fn finish(&mut self) {
        self.view.finishing = true;
        self.update_available();
    }
    /// Supply nothing more than has been sent; used to stop an endless source.
    pub(crate) fn cut_supply(&mut self) {
        self.data_end = self.data_end.min(self.view.highest_sent.max(Offset::FIRST_BYTE));
        self.update_available();
        if let Some(tracking) = &mut self.tracking {
            tracking.cut_supply(self.data_end);
        }
        if self.view.outstanding() == 0 && !self.has_unsent() {
            self.probing = false;
            self.stop_timer();
        }
    }
    pub(super) fn update_available(&mut self) {
        self.view.available = self.data_end + u64::from(self.view.finishing);
    }
}
