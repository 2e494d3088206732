//! The window: what is offered to the peer, and what is accepted from it.

use super::Receiver;
use crate::offset::Offset;

impl Receiver {
    /// The application reads `bytes` (at most what is readable). Returns whether the window opened
    /// enough to report it: by two segments, or half the buffer, as in 4.4BSD; less rides on the
    /// next acknowledgment. One that is closed on purpose stays closed.
    pub fn consume(&mut self, bytes: u64) -> bool {
        self.read += bytes.min(self.readable());
        let opened = self.window().saturating_sub(self.offered());
        let worth_telling = (2 * u64::from(self.segment_size)).min(u64::from(self.parameters.buffer) / 2);
        !self.closed_on_purpose && opened > 0 && opened >= worth_telling
    }

    /// The receive buffer in bytes from now on. A smaller one takes nothing back that was offered (RFC 9293 section 3.8.6):
    /// until that has come, it shows in [`Receiver::committed`].
    pub fn set_buffer(&mut self, bytes: u32) {
        self.parameters.buffer = bytes;
    }

    /// So many bytes from the next one on have been offered by other means than [`Receiver::offer`].
    pub(crate) fn has_offered(&mut self, bytes: u64) {
        self.offered_edge = self.offered_edge.max(self.next + bytes);
    }

    /// Bytes from the next one on that the peer may send, by what was offered.
    pub(crate) fn offered(&self) -> u64 {
        self.offered_edge.saturating_since(self.next)
    }

    /// Bytes that the peer can have sent before the next one expected without hearing of it: the buffer, and no less than a window
    /// without scaling, in case it was larger once.
    pub(crate) fn largest_window(&self) -> u64 {
        u64::from(self.parameters.buffer.max(u32::from(u16::MAX)))
    }

    /// The receive buffer in bytes.
    pub fn buffer(&self) -> u32 {
        self.parameters.buffer
    }

    /// Bytes that are not read, or may still come because they were offered.
    pub fn committed(&self) -> u64 {
        self.offered_edge.saturating_since(self.read)
    }

    /// RCV.WND in bytes; the right edge never moves left (RFC 9293 section 3.8.6).
    pub fn window(&self) -> u64 {
        let kept = self.next - self.read;
        let free = u64::from(self.parameters.buffer).saturating_sub(kept);
        let edge = self.next + free;
        let step = u64::from(self.segment_size).min(u64::from(self.parameters.buffer) / 2);
        let edge = if edge.saturating_since(self.offered_edge) < step { self.offered_edge } else { edge };
        edge.saturating_since(self.next)
    }

    /// The window field to send, and remember it as offered. `scaled` is false on a SYN.
    pub fn offer(&mut self, scaled: bool) -> u16 {
        let shift = if scaled { self.window_shift } else { 0 };
        let window = if self.closed_on_purpose { 0 } else { self.window() };
        let field = (window >> shift).min(u64::from(u16::MAX)) as u16;
        self.offered_edge = self.offered_edge.max(self.next + (u64::from(field) << shift));
        field
    }

    /// Offer a window of zero from now on. The true right edge stays where it is, so that what is under way
    /// is still accepted.
    pub fn close_window(&mut self) {
        self.closed_on_purpose = true;
    }

    /// Offer the true window again.
    pub fn open_window(&mut self) {
        self.closed_on_purpose = false;
    }

    /// The right edge of the window that was offered.
    pub(crate) fn edge(&self) -> Offset {
        self.offered_edge.max(self.next)
    }

    /// Whether a segment of `length` at `start` overlaps the window (RFC 9293 section 3.4, table 6). What
    /// occupies no sequence space may also stand at the right edge: there a peer is that has filled the
    /// window, and if its acknowledgments were refused, two such ends would answer each other for ever.
    pub fn accepts(&self, start: Option<Offset>, length: u32) -> bool {
        let Some(start) = start else { return false };
        let edge = self.edge();
        let end = start + u64::from(length);
        match length {
            0 => start >= self.next && start <= edge,
            _ => start < edge && end > self.next && edge > self.next,
        }
    }

    /// Whether a reset at `start` lies in the window (RFC 5961 section 3.2).
    pub fn contains(&self, start: Option<Offset>) -> bool {
        let edge = self.edge();
        start.is_some_and(|start| start == self.next || (start > self.next && start < edge))
    }
}
