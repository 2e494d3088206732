//! Whether a recovery was spurious: what it sent again had arrived the first time, late, or an agent on the path had repaired the
//! loss. Two signs show that:
//!
//! - *Timestamps* (Eifel detection, RFC 3522 section 3.2): what fills the hole carries the time at which it was sent. Echoes are
//!   monotonic, for old segments are refused (RFC 7323 section 5.3), so one from before the first retransmission says that
//!   nothing sent since was needed so far. Unlike in the RFC not only the first acknowledgment counts: while something that was
//!   sent again is on its way, nothing is settled (Linux, `tcp_try_undo_partial`).
//! - *Duplicates* (RFC 3708 section 3): the receiver reports by D-SACK (RFC 2883) that all that was sent again has come twice.

use crate::offset::Offset;
use crate::scoreboard::RangeSet;
use crate::view::{View, Window};

/// By what a spurious recovery is detected, so that the cut it began with is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpuriousDetection {
    /// By nothing: each cut stays.
    None,
    /// By timestamps (RFC 3522) and by reports of duplicates (RFC 3708), whichever comes first, as in Linux.
    TimestampsAndDuplicates,
}

/// What an acknowledgment says about what was sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// What was unacknowledged before it.
    pub(crate) previous: Offset,
    /// The timestamp that it echoes, if it echoes one.
    pub(crate) echo: Option<u32>,
    /// What it reports as having come twice.
    pub(crate) duplicate: Option<(Offset, Offset)>,
}

/// What is known of the last recovery.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spurious {
    /// The window before its cut, until it is known whether that comes back.
    before: Option<Window>,
    /// What had been sent when it began.
    recovery_point: Offset,
    /// What had been sent when that was acknowledged: behind it no report can be late any more.
    reports_end: Option<Offset>,
    /// RetransmitTS: when something was sent again first, by the timestamp clock.
    first_sent_again: Option<u32>,
    /// Something that was sent again filled a hole: timestamps say that it was needed.
    was_needed: bool,
    /// Made when something is sent again first: most connections are spared the memory.
    sets: Option<Box<Sets>>,
    /// Something was sent again twice, and one report does not show which of both was needless.
    is_ambiguous: bool,
}

#[derive(Clone, Debug, Default)]
struct Sets {
    sent_again: RangeSet,
    reported: RangeSet,
}

impl Spurious {
    /// Recovery is about to cut the window. Returns whether it begins with that; otherwise one is under way that has cut it before, and
    /// the window before that counts (RFC 4015 section 3: pipe_prev).
    pub(crate) fn begin(&mut self, view: &View) -> bool {
        let goes_on = self.before.is_some() && view.unacknowledged < self.recovery_point;
        if !goes_on {
            self.before = Some(view.window);
            self.was_needed = false;
            self.forget_what_has_arrived(view);
        }
        self.recovery_point = view.highest_sent;
        self.reports_end = None;
        !goes_on
    }
    /// Whatever comes, the window does not come back.
    pub(crate) fn forget(&mut self) {
        self.before = None;
    }
    /// Whether the window may still come back.
    pub(crate) fn is_open(&self) -> bool {
        self.before.is_some()
    }
    /// What an earlier recovery has sent again and is still under way may fill the holes of this one, which it has not made spurious
    /// by that (Linux, `tcp_retrans_stamp_cleanup`).
    fn forget_what_has_arrived(&mut self, view: &View) {
        if let Some(sets) = &mut self.sets {
            sets.sent_again.remove_before(view.unacknowledged);
            sets.reported.clear();
        }
        if !self.is_something_under_way(view) {
            if let Some(sets) = &mut self.sets {
                sets.sent_again.clear();
            }
            self.first_sent_again = None;
            self.is_ambiguous = false;
        }
    }

    /// Something was sent again, when the timestamp clock, if there is one, showed this.
    pub(crate) fn note_sent_again(&mut self, from: Offset, to: Offset, clock: Option<u32>, view: &View) {
        if self.before.is_none() {
            self.forget_what_has_arrived(view);
        }
        self.first_sent_again = self.first_sent_again.or(clock);
        let sent_again = &mut self.sets.get_or_insert_default().sent_again;
        self.is_ambiguous |= sent_again.insert(from, to) < to.saturating_since(from);
    }

    /// Judge by an acknowledgment that `view` has taken in already. Returns the window that comes back when it settles that recovery was
    /// spurious.
    pub(crate) fn judge(&mut self, evidence: &Evidence, view: &View) -> Option<Window> {
        if !self.is_open() {
            return None;
        }
        let is_spurious = self.echoes_show(evidence, view) || self.reports_show(evidence);
        if !is_spurious {
            self.expire(view);
            return None;
        }
        self.before.take()
    }

    fn echoes_show(&mut self, evidence: &Evidence, view: &View) -> bool {
        let (Some(echo), Some(first)) = (evidence.echo, self.first_sent_again) else { return false };
        let advances = view.unacknowledged > evidence.previous;
        if !advances || evidence.previous >= self.recovery_point {
            return false;
        }
        self.was_needed |= (echo.wrapping_sub(first) as i32) >= 0;
        !self.was_needed && !self.is_something_under_way(view)
    }

    /// Whether something that was sent again has been neither acknowledged nor reported.
    fn is_something_under_way(&self, view: &View) -> bool {
        let sacked = &view.scoreboard;
        let is_missing = |&(from, to): &(Offset, Offset)| {
            let from = from.max(view.unacknowledged);
            from < to && (!sacked.contains(from) || sacked.next_missing(from) < to)
        };
        self.sets.as_ref().is_some_and(|it| it.sent_again.ranges_after(view.unacknowledged).any(is_missing))
    }

    fn reports_show(&mut self, evidence: &Evidence) -> bool {
        let Some((left, right)) = evidence.duplicate else { return false };
        let Some(sets) = &mut self.sets else { return false };
        let Sets { sent_again, reported } = &mut **sets;
        for &(from, to) in sent_again.ranges_after(left).take_while(|(from, _)| *from < right) {
            reported.insert(from.max(left), to.min(right));
        }
        let all = sent_again.total();
        !self.is_ambiguous && all > 0 && reported.total() == all
    }

    fn expire(&mut self, view: &View) {
        match self.reports_end {
            None if view.unacknowledged >= self.recovery_point => self.reports_end = Some(view.highest_sent),
            Some(end) if view.unacknowledged > end => self.forget(),
            _ => {}
        }
    }
}
