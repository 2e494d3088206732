//! Vegas's own recovery: a fine-grained timer for each segment, looked at on every duplicate
//! acknowledgment and on the first two new ones after a retransmission (Brakmo and Peterson 1995,
//! section 3.1).

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "vegas-fine",
    summary: "fine-grained timeout per segment, checked on duplicates and after a retransmission",
    cite: "Brakmo and Peterson, IEEE JSAC 13(8), 1995, section 3.1",
    needs_sack: false,
    needs_send_log: true,
    engine: Engine::Commands(|parameters, start| Box::new(VegasFine::new(parameters, start))),
};

#[derive(Debug)]
struct VegasFine {
    duplicate_threshold: u32,
    duplicates: u32,
    recover: Offset,
    timed_out: bool,
    /// A handover has led back to SND.UNA: until `recover` is acknowledged, duplicates are due to what had arrived after all.
    went_back: bool,
    timer: FineTimer,
    acks_to_check: u64,
    /// By the send log's clock, in seconds; `None` before the first change.
    window_changed_at: Option<f64>,
    window_after_cut: f64,
    new_acks: u32,
}

/// The fine-grained timeout, in seconds: srtt and variation scaled by 8 and 4 as in 4.3BSD.
#[derive(Debug)]
struct FineTimer {
    smoothed_by_8: f64,
    variation_by_4: f64,
    timeout: f64,
    started: bool,
}

impl FineTimer {
    fn start(&mut self, seconds: f64) {
        if !self.started {
            self.started = true;
            self.smoothed_by_8 = seconds * 8.0;
            self.variation_by_4 = seconds;
            self.timeout = (self.smoothed_by_8 / 4.0 + self.variation_by_4) / 2.0;
        }
    }
    fn sample(&mut self, seconds: f64) {
        if seconds <= 0.0 {
            return;
        }
        let error = seconds - self.smoothed_by_8 / 8.0;
        self.smoothed_by_8 += error;
        self.variation_by_4 += error.abs() - self.variation_by_4 / 4.0;
        self.timeout = (self.smoothed_by_8 / 4.0 + self.variation_by_4) / 2.0;
        self.timeout += self.timeout / 16.0;
    }
}

impl VegasFine {
    fn forget(&mut self, view: &View) {
        self.duplicates = 0;
        self.recover = view.highest_sent;
        self.timed_out = true;
        self.went_back = false;
        self.window_after_cut = 0.0;
        self.window_changed_at = Some(view.fine_seconds());
    }
    fn new(parameters: &Parameters, start: Offset) -> Self {
        VegasFine {
            duplicate_threshold: parameters.recovery.duplicate_threshold,
            duplicates: 0,
            recover: start,
            timed_out: false,
            went_back: false,
            timer: FineTimer { smoothed_by_8: 0.0, variation_by_4: 0.0, timeout: 1000.0, started: false },
            acks_to_check: 0,
            window_changed_at: parameters.ns2.vegas.spares_first_burst.then_some(0.0),
            window_after_cut: 0.0,
            new_acks: 0,
        }
    }

    /// Whether the segment at `at` has waited longer than the fine-grained timeout.
    fn has_expired(&self, at: Offset, view: &View) -> bool {
        let waited = view.sent.as_ref().and_then(|log| log.seconds_waited(at, view.now));
        waited.is_some_and(|waited| waited >= self.timer.timeout)
    }

    fn on_new_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        let mut window = view.window;
        self.new_acks += 1;
        if let (2, Some(initial)) = (self.new_acks, view.parameters.ns2.vegas.window_at_second_ack) {
            window.congestion = initial;
        }
        let inflated = self.duplicates > self.duplicate_threshold
            && window.congestion > self.window_after_cut
            && !self.went_back;
        self.went_back &= view.unacknowledged <= self.recover;
        if inflated
            && (self.window_after_cut >= 1.0 || view.parameters.ns2.vegas.deflates_to_forgotten_window)
        {
            window = Window { congestion: self.window_after_cut, threshold: 2.0 };
        }
        if window != view.window {
            commands.push(Command::SetWindow(window));
        }
        self.duplicates = 0;
        commands.extend([Command::SampleRoundTrip, Command::RestartTimer, Command::Grow]);
        if let Some(sample) = ack.fine_round_trip {
            self.timer.sample(sample);
        }
        self.check_after_retransmission(view, commands);
    }

    fn check_after_retransmission(&mut self, view: &View, commands: &mut Commands) {
        if self.acks_to_check == 0 {
            return;
        }
        self.acks_to_check -= 1;
        if self.has_expired(view.unacknowledged, view) {
            self.duplicates = self.duplicate_threshold;
            commands.push(Command::Retransmit(view.unacknowledged));
        } else {
            self.acks_to_check = 0;
        }
    }

    fn on_duplicate(&mut self, view: &View, commands: &mut Commands) {
        self.duplicates += 1;
        let expired = self.has_expired(view.unacknowledged, view);
        if expired || self.duplicates == self.duplicate_threshold {
            if view.unacknowledged > self.recover || !self.timed_out {
                self.retransmit(view, commands);
            }
        } else if self.duplicates > self.duplicate_threshold && !self.went_back {
            let congestion = view.window.congestion + 1.0;
            commands.push(Command::SetWindow(Window { congestion, ..view.window }));
        }
    }

    fn retransmit(&mut self, view: &View, commands: &mut Commands) {
        let entry = view.sent.as_ref().map(|log| log.get(view.unacknowledged)).unwrap_or_default();
        let again = entry.transmissions > 1;
        self.timed_out = false;
        self.recover = view.highest_sent;
        self.acks_to_check = (view.segments(view.next - view.unacknowledged) + 1).min(2);
        self.timer.timeout += if again { self.timer.timeout } else { self.timer.timeout / 8.0 };
        commands.push(Command::NoteRecovery);
        if entry.at.is_some() && self.window_changed_at.is_none_or(|changed| changed < entry.seconds) {
            self.cut(again, view, commands);
        }
        commands.extend([
            Command::BackOff,
            Command::RestartTimer,
            Command::AbandonTiming,
            Command::Retransmit(view.unacknowledged),
        ]);
        if entry.transmissions == 1 {
            self.duplicates = self.duplicate_threshold;
        }
    }

    /// Give back what duplicates have lent, because no acknowledgment will end this recovery any more. The window may be
    /// smaller already, when the move begins with slow start.
    fn deflate(&self, view: &View, commands: &mut Commands) {
        let recovers = self.duplicates >= self.duplicate_threshold && self.window_after_cut >= 1.0;
        if recovers && self.window_after_cut < view.window.congestion {
            commands.push(Command::SetWindow(Window { congestion: self.window_after_cut, ..view.window }));
        }
    }

    /// Three quarters of the window when the segment was sent once, half when it was sent before.
    fn cut(&mut self, again: bool, view: &View, commands: &mut Commands) {
        let window = view.effective_window() as u64;
        let reduced = match window {
            0..=3 => 2,
            _ if again => window / 2,
            _ => window - window / 4,
        };
        self.window_after_cut = reduced as f64;
        self.window_changed_at = Some(view.fine_seconds());
        let congestion = self.window_after_cut + f64::from(self.duplicates);
        commands.push(Command::SetWindow(Window { congestion, ..view.window }));
    }
}

impl Recovery for VegasFine {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        self.timer.start(view.fine_seconds());
        if ack.advanced {
            self.on_new_ack(ack, view, commands);
        } else if ack.duplicate {
            self.on_duplicate(view, commands);
        }
        if self.duplicates == 0 || self.duplicates >= self.duplicate_threshold {
            commands.push(Command::SEND);
        }
    }

    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.forget(view);
        commands.extend([
            Command::BackOff,
            Command::RestartTimer,
            Command::Rewind,
            Command::AbandonTiming,
            Command::Cut(Loss::Collapsed),
            Command::SEND,
        ]);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.deflate(view, commands);
        self.forget(view);
        self.went_back = true;
        go_back(commands);
    }
    fn duplicate_acks(&self) -> u32 {
        self.duplicates
    }
    fn in_recovery(&self) -> bool {
        self.acks_to_check > 0 || self.duplicates >= self.duplicate_threshold
    }
}
