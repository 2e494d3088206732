//! Proportional rate reduction (RFC 9937 section 6; names in comments are its variables).

/// How much each acknowledgment in fast recovery may send, so that the window shrinks evenly and never in
/// a burst. All in bytes.
#[derive(Debug, Default)]
pub(super) struct Reduction {
    /// RecoverFS: what had not been reported as delivered before the acknowledgment that began recovery.
    flight_at_start: u64,
    /// prr_delivered.
    delivered: u64,
    /// prr_out.
    sent: u64,
    /// DeliveredData of the last acknowledgment.
    delivered_now: u64,
    /// SafeACK: the last acknowledgment was cumulative and showed no further loss.
    safe: bool,
    /// Of what was sent, what left since the last acknowledgment.
    sent_now: u64,
    /// What is left of SndCnt, once it has been asked for since the last acknowledgment.
    left: Option<u64>,
}

impl Reduction {
    /// Recovery begins with an acknowledgment that reports `delivered`, before which `flight` had not
    /// been reported.
    pub(super) fn start(flight: u64, delivered: u64) -> Self {
        Reduction { flight_at_start: flight, delivered, delivered_now: delivered, ..Reduction::default() }
    }
    /// An acknowledgment reports so much as delivered; `safe` says whether all is well with it.
    pub(super) fn acknowledge(&mut self, delivered: u64, safe: bool) {
        self.delivered += delivered;
        self.delivered_now = delivered;
        self.safe = safe;
        self.sent_now = 0;
        self.left = None;
    }
    /// The last acknowledgment is reason to fear a further loss.
    pub(super) fn doubt(&mut self) {
        self.safe = false;
    }
    /// So much has left, new or again.
    pub(super) fn note_sent(&mut self, length: u64) {
        self.sent += length;
        self.sent_now += length;
        self.left = self.left.map(|left| left.saturating_sub(length));
    }
    /// Whether a segment of `length` may leave on account of the last acknowledgment.
    pub(super) fn permits(&mut self, length: u64, pipe: u64, threshold: u64, segment_size: u64) -> bool {
        let left = self.left.unwrap_or_else(|| {
            let pipe_before = pipe.saturating_sub(self.sent_now);
            self.send_count(pipe_before, threshold, segment_size).saturating_sub(self.sent_now)
        });
        self.left = Some(left);
        length <= left
    }
    /// SndCnt of the last acknowledgment: the proportional part, or the reduction bound, which conserves
    /// packets and adds a segment when recovery makes good progress. The proportional part is rounded up to
    /// whole segments, as the figures of section 8 have it. That the first retransmission leaves anyway is
    /// up to the code that begins recovery.
    fn send_count(&self, pipe: u64, threshold: u64, segment_size: u64) -> u64 {
        let sent_before = self.sent - self.sent_now;
        if pipe > threshold {
            let proportional = u128::from(self.delivered) * u128::from(threshold);
            let segment = u128::from(self.flight_at_start.max(1)) * u128::from(segment_size);
            let due = proportional.div_ceil(segment) as u64 * segment_size;
            due.saturating_sub(sent_before)
        } else {
            let conserving = self.delivered.saturating_sub(sent_before).max(self.delivered_now);
            let progress = if self.safe { segment_size } else { 0 };
            (conserving + progress).min(threshold - pipe)
        }
    }
}
