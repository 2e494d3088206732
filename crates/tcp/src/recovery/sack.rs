//! Recovery from selective acknowledgments with a conservative estimate of what is in the network
//! (RFC 6675; names in capitals are its variables). What SACK reported is kept over a retransmission
//! timeout (section 5.1 permits it), so that only holes are sent again; it is forgotten when the
//! cumulative acknowledgment itself points at something reported, for then the receiver has reneged.

use super::reduction::Reduction;
use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "sack",
    summary: "selective acknowledgments with an estimate of what is in the network",
    cite: "RFC 6675",
    needs_sack: true,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| Box::new(Sack::new(start))),
};

#[derive(Debug)]
pub(super) struct Sack {
    duplicates: u32,
    recovery_point: Offset,
    recovering: bool,
    highest_retransmitted: Offset,
    rescued: Option<Offset>,
    /// What is unreported below this offset was lost already before the last acknowledgment.
    lost_before: Offset,
    reduction: Reduction,
}

/// What [`Sack::next_segment`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Data never sent before.
    New(Offset),
    /// A hole, to be sent again.
    Hole(Offset),
    /// The last outstanding segment, although nothing says that it is lost.
    Rescue(Offset),
}

impl Sack {
    pub(super) fn new(start: Offset) -> Self {
        Sack {
            duplicates: 0,
            recovery_point: start,
            recovering: false,
            highest_retransmitted: start,
            rescued: None,
            lost_before: start,
            reduction: Reduction::default(),
        }
    }
    fn forget(&mut self, view: &View, commands: &mut Commands) {
        if view.scoreboard.contains(view.unacknowledged) {
            commands.push(Command::ClearScoreboard);
        }
        self.duplicates = 0;
        self.recovering = false;
        self.recovery_point = view.highest_sent;
    }
    /// Everything unreported below this offset is lost: `IsLost` of section 4.
    fn lost_edge(&self, view: &View) -> Offset {
        let threshold = view.parameters.recovery.duplicate_threshold;
        let enough_bytes = u64::from(threshold.saturating_sub(1)) * u64::from(view.segment_size);
        let (mut bytes, mut ranges) = (0, 0);
        for &(left, right) in view.scoreboard.ranges().iter().rev() {
            bytes += right - left;
            ranges += 1;
            if ranges >= threshold || bytes > enough_bytes {
                return left;
            }
        }
        view.unacknowledged
    }

    /// `SetPipe` of section 4.
    fn pipe(&self, view: &View) -> u64 {
        let sacked = &view.scoreboard;
        let lost_edge = self.lost_edge(view);
        sacked.missing_between(view.unacknowledged, self.highest_retransmitted.max(view.unacknowledged))
            + sacked.missing_between(lost_edge, view.highest_sent)
    }

    fn on_duplicate(&mut self, delivered: u64, view: &View, commands: &mut Commands) {
        self.duplicates += 1;
        let lost = self.duplicates >= view.parameters.recovery.duplicate_threshold
            || self.lost_edge(view) > view.unacknowledged;
        if lost && self.may_begin(view) {
            self.enter(delivered, view, commands);
        }
    }
    /// Whether the last recovery is over.
    pub(super) fn may_begin(&self, view: &View) -> bool {
        view.unacknowledged >= self.recovery_point
    }

    /// Section 5, step 4, on an acknowledgment that reports `delivered`.
    pub(super) fn enter(&mut self, delivered: u64, view: &View, commands: &mut Commands) {
        self.recovery_point = view.highest_sent;
        self.recovering = true;
        self.rescued = None;
        let first = u64::from(view.length_at(view.unacknowledged));
        self.highest_retransmitted = view.unacknowledged + first;
        let unreported = view.outstanding() - view.scoreboard.total();
        self.reduction = Reduction::start(unreported + delivered, delivered);
        self.lost_before = self.lost_edge(view);
        commands.extend([
            Command::KeepWindow,
            Command::NoteRecovery,
            Command::Cut(Loss::Detected),
            Command::RestartTimer,
            Command::AbandonTiming,
            Command::Retransmit(view.unacknowledged),
        ]);
    }

    /// SafeACK of RFC 9937 section 6.2: the acknowledgment advanced, and nothing more than before is lost.
    fn is_safe(&mut self, advanced: bool, view: &View) -> bool {
        if !self.recovering {
            return false;
        }
        let edge = self.lost_edge(view);
        let known = self.lost_before.max(view.unacknowledged);
        self.lost_before = edge;
        advanced && view.scoreboard.missing_between(known, edge) == 0
    }

    /// Whether a segment of `length` may be sent in fast recovery (section 5, step C).
    fn has_room(&mut self, length: u64, view: &View) -> bool {
        let size = u64::from(view.segment_size);
        let pipe = self.pipe(view);
        if view.parameters.recovery.proportional_rate_reduction {
            let threshold = (view.window.threshold * size as f64) as u64;
            self.reduction.permits(length, pipe, threshold, size)
        } else {
            pipe + size <= view.usable_bytes()
        }
    }

    /// `NextSeg` of section 4.
    fn next_segment(&self, view: &View) -> Option<Found> {
        let sacked = &view.scoreboard;
        let hole = sacked.next_missing(self.highest_retransmitted.max(view.unacknowledged));
        let below_reported = sacked.end().is_some_and(|end| hole < end);
        if below_reported && hole < self.lost_edge(view) {
            return Some(Found::Hole(hole));
        }
        let fresh = view.next.max(view.highest_sent);
        if view.permits_at(fresh, u64::MAX) {
            return Some(Found::New(fresh));
        }
        if below_reported {
            return Some(Found::Hole(hole));
        }
        self.rescue(view)
    }

    /// Rule 4 of `NextSeg`: once per recovery the last outstanding segment, so that a lost tail
    /// does not wait for the timer.
    fn rescue(&self, view: &View) -> Option<Found> {
        let due = self.rescued.is_none_or(|rescued| view.unacknowledged > rescued);
        let reported = view.scoreboard.end().unwrap_or(view.unacknowledged);
        let last = Offset(view.highest_sent.0.saturating_sub(u64::from(view.segment_size)));
        let last = last.max(reported).max(self.highest_retransmitted);
        (due && last < view.highest_sent).then_some(Found::Rescue(last))
    }

    /// Section 5, step C: the next segment, once it is certain to leave.
    fn next_in_recovery(&mut self, view: &View) -> Option<Offset> {
        let found = self.next_segment(view)?;
        let (Found::New(at) | Found::Hole(at) | Found::Rescue(at)) = found;
        let length = u64::from(view.length_at(at));
        if matches!(found, Found::Rescue(_)) {
            self.reduction.doubt();
        }
        if length == 0 || !self.has_room(length, view) {
            return None;
        }
        match found {
            Found::New(_) => {}
            Found::Hole(hole) => self.highest_retransmitted = hole + length,
            Found::Rescue(_) => self.rescued = Some(self.recovery_point),
        }
        Some(at)
    }
}

impl Recovery for Sack {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        let safe = self.is_safe(ack.advanced, view);
        self.reduction.acknowledge(ack.delivered, safe);
        if ack.advanced {
            self.duplicates = 0;
            if !self.recovering {
                commands.push(Command::Proceed);
                if ack.sack.blocks {
                    self.on_duplicate(ack.delivered, view, commands);
                }
            } else {
                self.recovering = view.unacknowledged < self.recovery_point;
                let timing = if self.recovering { Command::EndTiming } else { Command::SampleRoundTrip };
                commands.extend([timing, Command::RestartTimer]);
            }
        } else if ack.sack.any && !self.recovering {
            self.on_duplicate(ack.delivered, view, commands);
        } else if ack.sack.any {
            self.duplicates += 1;
        }
        commands.push(Command::SEND);
    }

    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.forget(view, commands);
        commands.push(Command::KeepWindow);
        start_over(commands);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.forget(view, commands);
        go_back(commands);
    }
    /// Another hole may begin another recovery at once: a retransmission brings no SACK information that could be mistaken for one.
    fn on_spurious(&mut self, view: &View, commands: &mut Commands) {
        self.duplicates = 0;
        self.recovering = false;
        self.recovery_point = view.unacknowledged;
        resume(commands);
    }

    fn next(&mut self, view: &View) -> Option<Offset> {
        if self.recovering {
            return self.next_in_recovery(view);
        }
        let sacked = &view.scoreboard;
        if sacked.is_empty() {
            return view.permits(view.usable_bytes()).then_some(view.next);
        }
        let at = sacked.next_missing(view.next);
        let waits =
            self.duplicates > 0 && !view.parameters.recovery.limited_transmit && at >= view.highest_sent;
        let arrived = (at - view.unacknowledged) - sacked.missing_between(view.unacknowledged, at);
        (!waits && view.permits_at(at, view.usable_bytes() + arrived)).then_some(at)
    }
    fn note_sent(&mut self, length: u64) {
        self.reduction.note_sent(length);
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        self.recovering
    }
}
