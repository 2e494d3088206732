//! Fast retransmit and fast recovery. Reno's recovery ends at the first new acknowledgment (RFC 5681 section 3.2; Fall and
//! Floyd 1996, section 3). NewReno's lasts until everything sent before it is acknowledged, and each partial acknowledgment
//! sends the next hole again (RFC 6582).

use super::*;

pub(super) static RENO: Algorithm = Algorithm {
    name: "reno",
    summary: "fast retransmit and fast recovery, ended by the first new acknowledgment",
    cite: "RFC 5681 section 3.2",
    needs_sack: false,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| Box::new(FastRecovery::new(start, false))),
};

pub(super) static NEWRENO: Algorithm = Algorithm {
    name: "newreno",
    summary: "fast recovery until all that was outstanding is acknowledged; partial acknowledgments retransmit",
    cite: "RFC 6582",
    needs_sack: false,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| Box::new(FastRecovery::new(start, true))),
};

#[derive(Debug)]
struct FastRecovery {
    duplicates: u32,
    recover: Offset,
    recovering: bool,
    /// Whether partial acknowledgments prolong recovery: NewReno.
    is_newreno: bool,
    partial_seen: bool,
}

impl FastRecovery {
    fn new(start: Offset, is_newreno: bool) -> Self {
        FastRecovery { duplicates: 0, recover: start, recovering: false, is_newreno, partial_seen: false }
    }
    fn forget(&mut self, view: &View) {
        self.duplicates = 0;
        self.recovering = false;
        self.recover = view.highest_sent;
    }
    /// RFC 6582 section 3.2, steps 2 and 4.
    fn on_duplicate(&mut self, view: &View, commands: &mut Commands) {
        let parameters = &view.parameters.recovery;
        let inflates = self.recovering || parameters.inflates_outside_recovery;
        match count_duplicate(&mut self.duplicates, parameters, commands) {
            Duplicate::AtThreshold if view.unacknowledged > self.recover => self.enter(view, commands),
            Duplicate::AtThreshold if inflates => {
                commands.push(Command::Inflate(parameters.duplicate_threshold));
            }
            Duplicate::Later if inflates => commands.push(Command::Inflate(view.inflation + 1)),
            _ => {}
        }
    }
    fn enter(&mut self, view: &View, commands: &mut Commands) {
        self.recover = view.highest_sent;
        self.recovering = true;
        self.partial_seen = false;
        commands.extend([
            Command::KeepWindow,
            Command::NoteRecovery,
            Command::RestartTimer,
            Command::AbandonTiming,
            Command::Cut(Loss::Detected),
            Command::Retransmit(view.unacknowledged),
            Command::Inflate(view.parameters.recovery.duplicate_threshold),
        ]);
    }
    /// Section 3.2, step 3, full acknowledgment.
    fn leave(&mut self, view: &View, commands: &mut Commands) {
        self.recovering = false;
        commands.push(Command::Inflate(0));
        if self.is_newreno && view.parameters.recovery.bound_window_on_exit {
            let outstanding = view.flight_segments().max(1.0) + 1.0;
            let congestion = view.window.threshold.min(outstanding);
            commands.push(Command::SetWindow(Window { congestion, ..view.window }));
            commands.extend([Command::SampleRoundTrip, Command::RestartTimer]);
        } else {
            commands.push(Command::Proceed);
        }
    }
    /// Section 3.2, step 3, partial acknowledgment.
    fn on_partial(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if !view.parameters.recovery.impatient || !self.partial_seen {
            self.partial_seen = true;
            commands.push(Command::RestartTimer);
        }
        if view.parameters.recovery.partial_ack_deflates {
            let acknowledged = view.segments(view.unacknowledged - ack.previous) as u32;
            deflate(acknowledged, view, commands);
        } else {
            commands.push(Command::Inflate(0));
        }
        commands.extend([Command::EndTiming, Command::Retransmit(view.unacknowledged)]);
    }
    /// How many segments a duplicate may let go in fast recovery.
    fn burst(&self, view: &View) -> u32 {
        if self.is_newreno { view.parameters.recovery.burst_in_recovery } else { u32::MAX }
    }
}

/// Take what was acknowledged off the window and add one segment back; the inflation is spent first,
/// and one segment of it stays while recovery lasts.
fn deflate(acknowledged: u32, view: &View, commands: &mut Commands) {
    if view.inflation > acknowledged {
        commands.push(Command::Inflate(view.inflation - (acknowledged - 1)));
        return;
    }
    let excess = f64::from(acknowledged - view.inflation);
    let congestion = (view.window.congestion - excess).max(1.0);
    commands.extend([Command::SetWindow(Window { congestion, ..view.window }), Command::Inflate(1)]);
}

impl Recovery for FastRecovery {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if ack.advanced && self.is_newreno && self.recovering && view.unacknowledged < self.recover {
            self.on_partial(ack, view, commands);
        } else if ack.advanced {
            self.duplicates = 0;
            let inflates = !self.is_newreno || view.parameters.recovery.inflates_outside_recovery;
            if self.recovering || (inflates && view.inflation > 0) {
                self.leave(view, commands);
            } else {
                commands.push(Command::Proceed);
            }
        } else if ack.duplicate {
            self.on_duplicate(view, commands);
        }
        if self.duplicates == 0 || !(ack.advanced || ack.duplicate) {
            commands.push(Command::SEND);
        } else if self.duplicates >= view.parameters.recovery.duplicate_threshold {
            commands.push(Command::Send { most: self.burst(view) });
        }
    }
    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.forget(view);
        commands.push(Command::KeepWindow);
        start_over(commands);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.forget(view);
        go_back(commands);
    }
    /// What went back, if it did, still makes the peer repeat its acknowledgment (RFC 6582 section 3.2, step 1), so `recover` stays.
    fn on_spurious(&mut self, _view: &View, commands: &mut Commands) {
        self.duplicates = 0;
        self.recovering = false;
        resume(commands);
    }
    fn note_duplicate(&mut self) {
        self.duplicates += 1;
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        self.recovering
    }
}
