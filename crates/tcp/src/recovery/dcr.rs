//! TCP-DCR (Bhandarkar, Sadry, Reddy and Vaidya, "TCP-DCR: a novel protocol for tolerating wireless channel errors", IEEE Transactions
//! on Mobile Computing 4(5), 2005; draft-ietf-tcpm-tcp-dcr-00, whose successor is RFC 4653): the response to duplicate acknowledgments
//! is delayed by one round-trip time, which leaves a link layer the time to repair the loss, and the network the time to deliver what is
//! only out of order. What has not arrived by then was lost to congestion. Meanwhile each duplicate lets one new segment go, so that
//! the acknowledgment clock keeps running.
//!
//! The loss is then repaired as by the recovery `sack`, which the paper builds on; with a peer without selective acknowledgments the
//! recovery is NewReno's, without delay. What the paper leaves open is decided so: an acknowledgment that fills one gap and leaves
//! another begins the delay again, for the gap that is left; and before the first sample of the round-trip time nothing is delayed.

use super::sack::Sack;
use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "dcr",
    summary: "TCP-DCR: the recovery `sack`, which waits a round trip for what may only be late or repaired on the way",
    cite: "Bhandarkar et al., IEEE Transactions on Mobile Computing 4(5), 2005",
    needs_sack: true,
    needs_send_log: false,
    engine: Engine::Commands(|_, start| {
        Box::new(DelayedResponse { recovery: Sack::new(start), is_waiting: false })
    }),
};

parameters! {
    /// What of TCP-DCR can be set.
    pub struct DcrParameters {
        /// How long the response is delayed, in smoothed round-trip times.
        pub delay: f64 = 1.0,
    }
}

#[derive(Debug)]
struct DelayedResponse {
    recovery: Sack,
    /// Something is out of order, and its time is not over.
    is_waiting: bool,
}

impl DelayedResponse {
    fn wait(&mut self, view: &View, commands: &mut Commands) {
        self.is_waiting = true;
        let delay = view.round_trip.smoothed.mul_f64(view.parameters.recovery.dcr.delay);
        commands.push(Command::WakeAt(Some(view.now + delay)));
    }
    fn end_wait(&mut self, commands: &mut Commands) {
        if std::mem::take(&mut self.is_waiting) {
            commands.push(Command::WakeAt(None));
        }
    }
}

impl Recovery for DelayedResponse {
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands) {
        if self.recovery.in_recovery() {
            return self.recovery.on_ack(ack, view, commands);
        }
        if ack.advanced {
            commands.push(Command::Proceed);
            self.end_wait(commands);
        }
        if !self.is_waiting && !view.scoreboard.is_empty() && self.recovery.may_begin(view) {
            self.wait(view, commands);
        }
        commands.push(Command::SEND);
    }
    fn on_wake(&mut self, view: &View, commands: &mut Commands) {
        self.is_waiting = false;
        self.recovery.enter(0, view, commands);
        commands.push(Command::SEND);
    }
    fn on_timeout(&mut self, view: &View, commands: &mut Commands) {
        self.end_wait(commands);
        self.recovery.on_timeout(view, commands);
    }
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands) {
        self.end_wait(commands);
        self.recovery.on_path_lost(view, commands);
    }
    fn on_spurious(&mut self, view: &View, commands: &mut Commands) {
        self.recovery.on_spurious(view, commands);
    }
    fn next(&mut self, view: &View) -> Option<Offset> {
        self.recovery.next(view)
    }
    fn note_sent(&mut self, length: u64) {
        self.recovery.note_sent(length);
    }
    fn duplicate_acks(&self) -> u32 {
        self.recovery.duplicate_acks()
    }
    fn in_recovery(&self) -> bool {
        self.recovery.in_recovery()
    }
}
