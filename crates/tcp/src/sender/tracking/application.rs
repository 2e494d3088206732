//! What the application asks of a sender beyond sending: writes that take what fits, corks, and a send buffer of its own size.

use super::buffer::Buffer;
use super::limits::Limit;
use super::writing::Occasion;
use super::*;

impl Sender {
    /// Take in as much of `bytes` as the send buffer has room for, and return how much that was. A sender without one takes
    /// everything.
    pub(crate) fn write(&mut self, now: Instant, bytes: u64, write: Write, exit: &mut Exit<'_>) -> u64 {
        let before = self.data_end;
        self.supply(bytes);
        if self.tracking.is_none() {
            self.pump(now, exit);
            return bytes;
        }
        self.run_tracking(now, exit, |run| run.take_write(write));
        self.data_end - before
    }
    /// Keep parts of segments back until more follows, or not.
    pub(crate) fn cork(&mut self, now: Instant, corked: bool, exit: &mut Exit<'_>) {
        self.run_tracking(now, exit, |run| {
            run.t.corked = corked;
            if !corked {
                run.write_as(if run.s.view.nagle { Occasion::Usual } else { Occasion::Pushed });
            }
        });
    }
    /// Nagle's algorithm, from now on or no longer; without it what it holds leaves.
    pub(crate) fn set_nagle(&mut self, now: Instant, nagle: bool, exit: &mut Exit<'_>) {
        self.view.nagle = nagle;
        if nagle {
            return;
        }
        match self.tracking.is_some() {
            true => self.run_tracking(now, exit, |run| run.write_as(Occasion::Pushed)),
            false => self.pump(now, exit),
        }
    }
    fn buffer(&self) -> Option<&Buffer> {
        self.tracking.as_ref()?.buffer.as_ref()
    }
    fn buffer_mut(&mut self) -> Option<&mut Buffer> {
        self.tracking.as_mut()?.buffer.as_mut()
    }
    /// The memory of the send buffer, from now on.
    pub(crate) fn set_send_buffer(&mut self, bytes: u64) {
        if let Some(buffer) = self.buffer_mut() {
            buffer.fix_limit(bytes);
        }
    }
    pub(crate) fn send_buffer(&self) -> Option<u64> {
        self.buffer().map(Buffer::limit)
    }
    /// Take nothing more in while so many bytes are not sent.
    pub(crate) fn set_most_unsent(&mut self, bytes: u64) {
        if let Some(buffer) = self.buffer_mut() {
            buffer.most_unsent = bytes;
        }
    }
    /// Whether there is room worth writing into; if not, the application waits for it.
    pub(crate) fn poll_room(&mut self) -> bool {
        let sent = self.view.highest_sent;
        let Some(buffer) = self.buffer_mut() else { return true };
        let is_writable = buffer.is_worth_waking(sent);
        buffer.is_short |= !is_writable;
        is_writable
    }
    /// Whether the application waits for room.
    pub(crate) fn is_short_of_room(&self) -> bool {
        self.buffer().is_some_and(|buffer| buffer.is_short)
    }
    /// How often it was woken because there was.
    pub(crate) fn times_woken(&self) -> u64 {
        self.buffer().map_or(0, |buffer| buffer.woken)
    }
}

/// What a sender knows by its records of segments.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Records {
    pub(crate) probes: u32,
    pub(crate) timeouts_in_a_row: u32,
    pub(crate) sacked: u32,
    pub(crate) lost: u32,
    pub(crate) resent: u32,
    pub(crate) reordering: u32,
    pub(crate) busy: Duration,
    pub(crate) limited_by_peer: Duration,
    pub(crate) limited_by_send_buffer: Duration,
}

impl Sender {
    /// What the records show; a sender without them knows nothing of that.
    pub(crate) fn records(&self, now: Instant) -> Records {
        let Some(tracking) = &self.tracking else {
            return Records { reordering: REORDERING, ..Records::default() };
        };
        let lasted = |limit| tracking.limits.total(limit, now);
        let (limited_by_peer, limited_by_send_buffer) = (lasted(Limit::Peer), lasted(Limit::SendBuffer));
        Records {
            probes: tracking.window_probes,
            timeouts_in_a_row: tracking.timeouts_in_a_row,
            sacked: tracking.queue.sacked,
            lost: tracking.queue.lost,
            resent: tracking.queue.resent,
            reordering: tracking.reordering,
            busy: lasted(Limit::Busy) + limited_by_peer + limited_by_send_buffer,
            limited_by_peer,
            limited_by_send_buffer,
        }
    }
    /// Payload bytes taken in and not sent.
    pub(crate) fn bytes_unsent(&self) -> u64 {
        let written = self.buffer().map_or(self.data_end, |buffer| buffer.written);
        written.saturating_since(self.view.highest_sent.max(Offset::FIRST_BYTE))
    }
    /// Another congestion control, which finds window and threshold as they are.
    pub(crate) fn replace_control(&mut self, algorithm: &crate::cc::Algorithm) {
        self.control = (algorithm.build)(&self.view.parameters);
        self.control.on_window_replaced();
        if let Some(tracking) = self.tracking.as_mut().filter(|_| self.control.controls_rate()) {
            tracking.pace();
        }
    }
}

impl Run<'_, '_> {
    fn take_write(&mut self, write: Write) {
        self.take_in(write);
        match &self.t.buffer {
            Some(buffer) => self.s.data_end = buffer.written,
            None => self.write(),
        }
        self.s.update_available();
    }
}
