//! Reno: fast retransmit and fast recovery, which ends at the first new acknowledgment (RFC 5681
//! section 3.2; Fall and Floyd 1996, section 3).

use super::{
    AckSeen, Algorithm, Command, Commands, Duplicate, Recovery, acknowledge, count_duplicate, go_back,
    resume, start_over,
};
use crate::cc::Loss;
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::view::View;
use std::sync::Arc;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "reno",
    summary: "fast retransmit and fast recovery, ended by the first new acknowledgment",
    cite: "RFC 5681 section 3.2",
    needs_sack: false,
    needs_send_log: false,
    build: |parameters, start| {
        let parameters = Arc::clone(parameters);
        Box::new(Reno { parameters, duplicates: 0, recover: start, recovering: false })
    },
};

#[derive(Debug)]
struct Reno {
    parameters: Arc<Parameters>,
    duplicates: u32,
    recover: Offset,
    recovering: bool,
}

impl Reno {
    fn forget(&mut self, view: &View) {
        self.duplicates = 0;
        self.recovering = false;
        self.recover = view.highest_sent;
    }
    fn on_duplicate(&mut self, view: &View, commands: &mut Commands) {
        match count_duplicate(&mut self.duplicates, &self.parameters.recovery, commands) {
            Duplicate::AtThreshold if view.unacknowledged > self.recover => self.enter(view, commands),
            Duplicate::Later if self.recovering => commands.push(Command::Inflate(view.inflation + 1)),
            _ => {}
        }
    }
    fn enter(&mut self, view: &View, commands: &mut Commands) {
        self.recover = view.highest_sent;
        self.recovering = true;
        commands.extend([
            Command::KeepWindow,
            Command::NoteRecovery,
            Command::Cut(Loss::Detected),
            Command::RestartTimer,
            Command::AbandonTiming,
            Command::Retransmit(view.unacknowledged),
            Command::Inflate(self.parameters.recovery.duplicate_threshold),
        ]);
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if ack.advanced {
            self.recovering = false;
            self.duplicates = 0;
            if view.inflation > 0 {
                commands.push(Command::Inflate(0));
            }
            acknowledge(commands);
        } else if ack.duplicate {
            self.on_duplicate(view, commands);
        }
        if self.duplicates == 0
            || !(ack.advanced || ack.duplicate)
            || self.duplicates >= self.parameters.recovery.duplicate_threshold
        {
            commands.push(Command::SEND);
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
