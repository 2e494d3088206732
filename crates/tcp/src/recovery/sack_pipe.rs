//! The selective acknowledgments of the 1990s: in fast recovery a counter, pipe, estimates what is in
//! the network, and each hole is sent again once (Fall and Floyd 1996, section 5; ns-2's Sack1).

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "sack-pipe",
    summary: "selective acknowledgments with a pipe counter, each hole retransmitted once",
    cite: "Fall and Floyd, ACM CCR 26(3), 1996",
    needs_sack: true,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| {
        Box::new(SackPipe {
            duplicates: 0,
            recover: None,
            start,
            recovering: false,
            timed_out: false,
            pipe: 0,
            next_hole: start,
        })
    }),
};

#[derive(Debug)]
struct SackPipe {
    duplicates: u32,
    recover: Option<Offset>,
    start: Offset,
    recovering: bool,
    timed_out: bool,
    pipe: i64,
    next_hole: Offset,
}

impl SackPipe {
    fn begin_again(&mut self, view: &View, commands: &mut Commands) {
        self.duplicates = 0;
        self.recovering = false;
        self.timed_out = true;
        self.recover = Some(view.highest_sent);
        self.forget(commands);
    }
    fn on_duplicate(&mut self, view: &View, commands: &mut Commands) {
        let counted = count_duplicate(&mut self.duplicates, &view.parameters.recovery, commands);
        if counted == Duplicate::AtThreshold && view.unacknowledged > self.recover.unwrap_or(self.start) {
            self.enter(view, commands);
        }
    }

    fn enter(&mut self, view: &View, commands: &mut Commands) {
        self.recover = Some(view.highest_sent);
        self.recovering = true;
        self.pipe = view.segments(view.outstanding()) as i64
            - i64::from(view.parameters.recovery.duplicate_threshold);
        self.mark_retransmitted(view.unacknowledged, view);
        commands.extend([
            Command::NoteRecovery,
            Command::RestartTimer,
            Command::AbandonTiming,
            Command::Cut(Loss::Detected),
            Command::Retransmit(view.unacknowledged),
        ]);
    }

    fn in_recovery_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        self.pipe -= 1;
        if ack.advanced && self.recover.is_none_or(|recover| view.unacknowledged >= recover) {
            self.recover = None;
            self.recovering = false;
            self.timed_out = false;
            self.duplicates = 0;
            self.forget(commands);
            commands.extend([Command::SampleRoundTrip, Command::RestartTimer]);
        } else if ack.advanced {
            self.pipe -= 1;
            commands.extend([Command::RestartTimer, Command::ResetBackoff]);
        } else if !self.timed_out && ack.sack.any && self.duplicates > 0 {
            self.duplicates += 1;
        }
        commands.push(Command::SEND);
    }

    fn forget(&mut self, commands: &mut Commands) {
        self.next_hole = self.start;
        commands.push(Command::ClearScoreboard);
    }

    fn mark_retransmitted(&mut self, at: Offset, view: &View) {
        self.next_hole = self.next_hole.max(at + u64::from(view.segment_size));
    }

    /// The lowest hole not yet sent again that has something reported above it.
    fn hole(&self, view: &View) -> Option<Offset> {
        let sacked = &view.scoreboard;
        let from = self.next_hole.max(view.unacknowledged);
        let hole = sacked.next_missing(from);
        sacked.end().filter(|end| hole < *end).map(|_| hole)
    }

    fn fresh(&self, view: &View) -> Option<Offset> {
        let window = if self.recovering { u64::MAX } else { view.usable_bytes() };
        let limit = u64::from(view.window_limit).saturating_mul(u64::from(view.segment_size));
        view.permits(window.min(limit)).then_some(view.next)
    }
}

impl Recovery for SackPipe {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if self.recovering {
            return self.in_recovery_ack(ack, view, commands);
        }
        if ack.advanced {
            self.timed_out = false;
            self.duplicates = 0;
            commands.push(Command::Proceed);
            self.forget(commands);
        } else if !self.timed_out && ack.sack.any {
            self.on_duplicate(view, commands);
        }
        if self.duplicates == 0 {
            commands.push(Command::SEND);
        }
    }

    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.begin_again(view, commands);
        start_over(commands);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.begin_again(view, commands);
        go_back(commands);
    }

    fn next(&mut self, view: &View) -> Option<Offset> {
        let open = if self.recovering {
            self.pipe < view.window.congestion as i64
        } else {
            view.permits_at(view.next, view.usable_bytes())
        };
        if !open {
            return None;
        }
        let at = match self.hole(view) {
            Some(hole) => {
                self.recover?;
                self.mark_retransmitted(hole, view);
                hole
            }
            None => self.fresh(view)?,
        };
        self.pipe += 1;
        Some(at)
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        self.recovering
    }
}
