//! Which marks an endpoint acts on. A mark asks for what only a move justifies, so it counts only on a segment that a stranger
//! cannot make up (RFC 9293 section 3.10.7.4; RFC 5961; RFC 7323 section 5), only where the scheme here knows it, and
//! not more often than ends move. An attacker who can read a connection can forge its marks as it can forge its acknowledgments:
//! for him there is the rate.

use super::*;

/// Marks that change what is sent are accepted once in this time on average. Some ends move more often: cells of millimetre
/// waves are 118 m apart (Hassan et al., SIGCOMM 2022), which is 3.5 s at 120 km/h, and some of their marks are refused. But with
/// half of this time a receiver that calls each loss a move gets the better of an honest flow (cross-layer with SACK).
const INTERVAL: Duration = Duration::from_secs(4);
/// So many may come at once after a pause: both ends move at once and the network doubles what they say.
const BURST: u64 = 4;

/// How many marks have come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MarkCounts {
    /// Marks passed to the scheme.
    pub accepted: u64,
    refused: [u64; MarkRefusal::ALL.len()],
}

impl MarkCounts {
    /// Marks refused for this reason.
    pub fn refused(&self, reason: MarkRefusal) -> u64 {
        self.refused[reason as usize]
    }
    /// Marks refused.
    pub fn all_refused(&self) -> u64 {
        self.refused.iter().sum()
    }
}

/// What marks may still change.
#[derive(Debug, Default)]
pub(super) struct MarkBudget {
    /// When all of [`BURST`] may come at once again.
    full_at: Instant,
    /// What has been announced was paid for with its end.
    end_is_paid: bool,
    /// And with what its announcement says to the other direction.
    again_is_paid: bool,
    /// How much had come and was acknowledged when a move was announced.
    announced_at: Option<u64>,
    pub(super) counts: MarkCounts,
}

impl MarkBudget {
    /// What is announced to a sender and to a receiver is one move, as long as the first of it `is_held`.
    fn is_paid(&self, mark: Mark, is_held: bool) -> bool {
        if mark == Mark::WillHandover { is_held && self.again_is_paid } else { self.end_is_paid }
    }
    fn permits(&self, now: Instant, mark: Mark, is_held: bool) -> bool {
        self.is_paid(mark, is_held) || self.full_at <= now + INTERVAL * (BURST - 1)
    }
    /// The scheme received a mark that changes what is sent or when. Returns whether marks come more often than ends move.
    fn pay(&mut self, now: Instant, mark: Mark, was_held: bool) -> bool {
        let announces = mark == Mark::WillHandover;
        let is_paid = self.is_paid(mark, was_held);
        self.end_is_paid = announces;
        self.again_is_paid = announces && !is_paid;
        if is_paid {
            return false;
        }
        let comes_early = self.full_at > now;
        self.full_at = self.full_at.max(now) + INTERVAL;
        comes_early
    }
}

impl Endpoint {
    /// The mark of a segment that the scheme here knows. One that lists losses does not announce a move.
    pub(super) fn expected_mark(&self, segment: &Segment) -> Option<Mark> {
        let mover = self.mover.as_ref()?;
        segment.mark.filter(|mark| mover.scheme.acts_on(*mark))
    }

    /// The mark of an acceptable segment that acknowledges nothing old, `expected` if the scheme knows it, if it is accepted.
    pub(super) fn accepted_mark(
        &mut self,
        now: Instant,
        expected: Option<Mark>,
        segment: &Segment,
        out: &mut Outbox,
    ) -> Option<Mark> {
        let Some(mark) = expected else {
            self.refuse_mark(segment, MarkRefusal::NotExpected, out);
            return None;
        };
        if self.marks.permits(now, mark, self.is_held()) && !self.is_announced_in_vain(mark) {
            return Some(mark);
        }
        self.refuse_mark(segment, MarkRefusal::TooOften, out);
        None
    }

    /// Whether a move holds something here.
    pub(super) fn is_held(&self) -> bool {
        self.sender.is_held() || self.header.held.is_holding()
    }

    /// Whether a move is announced while something is under way or waits, and since one was announced before, which did not come,
    /// nothing else has: else a connection that has just lost what was under way could be kept from ever sending it again.
    fn is_announced_in_vain(&self, mark: Mark) -> bool {
        let view = &self.sender.view;
        let waits = view.unacknowledged < view.available && !self.is_held();
        mark == Mark::WillHandover && waits && self.marks.announced_at == Some(self.progress())
    }
    fn progress(&self) -> u64 {
        self.sender.view.unacknowledged.0 + self.receiver.next().0
    }

    /// The scheme received a mark while it held something or not, and what it wanted done `changes` what is sent or when.
    /// Where marks come more often than ends move, what they keep from being cut must not grow: then the window stays below the
    /// largest one so far.
    pub(super) fn note_accepted(&mut self, now: Instant, mark: Mark, was_held: bool, changes: bool) {
        self.marks.counts.accepted += 1;
        match mark {
            Mark::WillHandover if changes => self.marks.announced_at = Some(self.progress()),
            // Nothing is sent again for what is cancelled, but the timer starts again.
            Mark::WillHandover | Mark::HandoverCancelled => {}
            _ => self.marks.announced_at = None,
        }
        if changes && self.marks.pay(now, mark, was_held) {
            self.sender.hold_growth(self.marks.full_at);
        }
    }

    /// Note that the mark of a segment, if it has one, is refused.
    pub(super) fn refuse_mark(&mut self, segment: &Segment, reason: MarkRefusal, out: &mut Outbox) {
        let is_news_of_a_move = segment.mark.is_some_and(|mark| mark.losses().is_none());
        if is_news_of_a_move && self.mover.is_some() {
            self.marks.counts.refused[reason as usize] += 1;
            let port = self.header.local.port;
            out.event(|| Event::MarkRefused { port, reason });
        }
    }

    /// Whether the peer may have sent this segment, although it is not acceptable: it stands within a window of what is expected,
    /// and acknowledges what may be acknowledged. What a stranger makes up does neither.
    pub(super) fn is_plausible(&self, segment: &Segment, start: Option<Offset>) -> bool {
        let oldest = self.receiver.next().0.saturating_sub(self.receiver.largest_window());
        let is_near = start.is_some_and(|start| start.0 >= oldest && start <= self.receiver.edge());
        is_near && segment.flags.intersects(Flags::ACK) && self.acceptable_acknowledgment(segment).is_some()
    }
}
