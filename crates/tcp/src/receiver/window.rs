//! The window: what is offered to the peer, and what is accepted from it.

use super::Receiver;
use super::tuning::{Selected, round_up};
use crate::offset::Offset;
use crate::parameters::ReceiverParameters;
use seamline_wire::Instant;

impl Receiver {
    /// The application reads `bytes` (at most what is readable). Returns whether that is worth an acknowledgment.
    pub fn consume(&mut self, now: Instant, bytes: u64) -> bool {
        let bytes = bytes.min(self.readable());
        // As in Linux, what counts is known when the first segment of a read has been copied.
        let first = bytes.min(self.full_segment().into());
        let (unread, beyond_gap) = (self.readable() - first, self.beyond_gap());
        if let Some(tuning) = self.tuning.as_mut().filter(|_| bytes > 0) {
            tuning.adjust(now, self.read + first, unread, beyond_gap);
        }
        self.read += bytes;
        self.reading_is_worth_it() || (!self.closed_on_purpose && self.has_opened())
    }

    /// Whether the window has opened enough to report it: by two segments, or half the buffer, as in 4.4BSD; where it adapts, to
    /// twice of what is left, as in Linux (tcp_cleanup_rbuf). Less rides on the next acknowledgment. One that is
    /// closed on purpose stays closed.
    fn has_opened(&self) -> bool {
        let offered = self.offered();
        if let Some(tuning) = &self.tuning {
            if self.finished || 2 * offered > tuning.clamp() {
                return false;
            }
            let window = self.selected().window;
            return window > 0 && window >= 2 * offered;
        }
        let opened = self.window().saturating_sub(offered);
        let worth_telling = (2 * u64::from(self.agreed.segment_size)).min(u64::from(self.buffer()) / 2);
        opened > 0 && opened >= worth_telling
    }

    /// The application reads everything there is when it arrives, before the window is offered again. A window that adapts counts
    /// what is unread when it is offered, so there reading comes after that.
    pub fn consume_all(&mut self) {
        self.read += self.readable();
    }

    /// What fits into the buffer is acceptable from now on, where that is wanted at all: the connection has its buffer.
    pub(crate) fn has_buffer(&mut self) {
        self.accepts_what_fits = self.parameters().accepts_what_fits;
    }

    /// Whether the window adapts to what the connection needs.
    pub(crate) fn is_tuned(&self) -> bool {
        self.tuning.is_some()
    }

    /// The receive buffer in bytes from now on, however much the connection needs. A smaller one takes nothing back that was offered (RFC 9293 section 3.8.6):
    /// until that has come, it shows in [`Receiver::committed`].
    pub fn set_buffer(&mut self, bytes: u32) {
        self.own_buffer = Some(bytes);
        self.tuning = None;
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
        u64::from(self.buffer().max(u32::from(u16::MAX)))
    }

    /// What it was made from; its buffer may be [another](Receiver::buffer).
    pub(super) fn parameters(&self) -> &ReceiverParameters {
        &self.parameters.receiver
    }

    /// The window in bytes before anything has arrived, for a payload of this size.
    pub(crate) fn first_window(&self, payload: u32) -> u32 {
        self.own_buffer.unwrap_or_else(|| self.parameters().first_window(payload))
    }

    /// The receive buffer in bytes.
    pub fn buffer(&self) -> u32 {
        self.own_buffer.unwrap_or(self.parameters().buffer)
    }

    /// Bytes that are not read, or may still come because they were offered.
    pub fn committed(&self) -> u64 {
        self.offered_edge.saturating_since(self.read)
    }

    /// RCV.WND in bytes; the right edge never moves left (RFC 9293 section 3.8.6).
    pub fn window(&self) -> u64 {
        self.window_of(self.selected())
    }
    fn window_of(&self, selected: Selected) -> u64 {
        match self.offered() {
            offered if selected.window < offered && self.tuning.is_some() => {
                round_up(offered, 1 << self.agreed.window_shift)
            }
            _ => selected.window,
        }
    }

    /// The window by what is free, wherever the right edge stands in the window that adapts.
    pub(super) fn selected(&self) -> Selected {
        let unread = self.next - self.read;
        match &self.tuning {
            Some(tuning) if tuning.is_open() => {
                tuning.select(self.used_memory(), unread, self.last_window(), self.full_segment())
            }
            Some(_) => {
                let window = self.first_window(self.agreed.payload).min(u32::from(u16::MAX));
                Selected { window: u64::from(window).saturating_sub(unread), is_short: false }
            }
            None => Selected { window: self.window_of_buffer(unread), is_short: false },
        }
    }
    fn window_of_buffer(&self, unread: u64) -> u64 {
        let buffer = u64::from(self.buffer());
        let edge = self.next + buffer.saturating_sub(unread);
        let step = u64::from(self.agreed.segment_size).min(buffer / 2);
        let edge = if edge.saturating_since(self.offered_edge) < step { self.offered_edge } else { edge };
        edge.saturating_since(self.next)
    }

    /// The window that the last acknowledgment offered.
    pub(super) fn last_window(&self) -> u64 {
        self.offered_edge.saturating_since(self.last_acknowledged)
    }

    /// Memory in use, where windows are chosen by memory.
    pub(super) fn used_memory(&self) -> u64 {
        let bytes = (self.next - self.read) + self.out_of_order.total();
        self.tuning.as_ref().map_or(0, |tuning| tuning.memory_of(bytes, self.full_segment()))
    }

    /// The window field to send, and remember it as offered. `scaled` is false on a SYN.
    pub fn offer(&mut self, scaled: bool) -> u16 {
        let shift = if scaled { self.agreed.window_shift } else { 0 };
        let selected = match self.tuning {
            None => self.window_of_buffer(self.next - self.read),
            Some(_) => self.select_to_offer(),
        };
        let window = if self.closed_on_purpose { 0 } else { selected };
        let field = (window >> shift).min(u64::from(u16::MAX)) as u16;
        self.offered_edge = self.offered_edge.max(self.next + (u64::from(field) << shift));
        field
    }

    #[inline(never)]
    fn select_to_offer(&mut self) -> u64 {
        let selected = self.selected();
        if let Some(adaptive) = self.adaptive.as_mut().filter(|_| selected.is_short) {
            adaptive.on_shortage();
        }
        self.window_of(selected)
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

    /// The right edge of what is acceptable: that of the window that was offered.
    pub(crate) fn edge(&self) -> Offset {
        let room = u64::from(self.buffer()).saturating_sub(self.readable());
        let fits = if self.accepts_what_fits { self.next + room } else { self.next };
        self.offered_edge.max(fits)
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
