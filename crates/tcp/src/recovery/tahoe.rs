//! Tahoe: the third duplicate acknowledgment means a loss, and every loss means slow start from the
//! first outstanding byte (Jacobson 1988; Fall and Floyd 1996, section 2).

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "tahoe",
    summary: "fast retransmit, then slow start from one segment",
    cite: "Jacobson, ACM SIGCOMM 1988",
    needs_sack: false,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| {
        let first_progress = (start == Offset::SYN).then_some(Offset::FIRST_BYTE);
        Box::new(Tahoe { duplicates: 0, recover: start, first_progress })
    }),
};

#[derive(Debug)]
struct Tahoe {
    duplicates: u32,
    recover: Offset,
    first_progress: Option<Offset>,
}

impl Tahoe {
    /// Duplicates of what was sent before the last loss do not mean another one; but as in ns-2 (bugfix_ss_)
    /// a lost first segment is always sent again, even after a timeout.
    fn may_retransmit(&self, view: &View) -> bool {
        view.unacknowledged > self.recover || self.first_progress == Some(view.unacknowledged)
    }
    fn on_duplicate(&mut self, view: &View, commands: &mut Commands) {
        let counted = count_duplicate(&mut self.duplicates, &view.parameters.recovery, commands);
        if counted == Duplicate::AtThreshold && self.may_retransmit(view) {
            self.recover = view.highest_sent;
            commands.extend([
                Command::NoteRecovery,
                Command::Cut(Loss::Collapsed),
                Command::RestartTimer,
                Command::Rewind,
                Command::AbandonTiming,
            ]);
        }
    }
}

impl Recovery for Tahoe {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if ack.advanced {
            self.duplicates = 0;
            self.first_progress.get_or_insert(view.unacknowledged);
            commands.push(Command::Proceed);
        } else if ack.duplicate {
            self.on_duplicate(view, commands);
        }
        commands.push(Command::SEND);
    }
    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.recover = view.highest_sent;
        start_over(commands);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.recover = view.highest_sent;
        self.duplicates = 0;
        go_back(commands);
    }
    fn note_duplicate(&mut self) {
        self.duplicates += 1;
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        false
    }
}
