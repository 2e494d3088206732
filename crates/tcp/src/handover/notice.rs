//! A notice that may get lost: a marked acknowledgment, sent again until the peer is heard.

use super::*;

#[derive(Clone, Copy, Debug)]
struct Pending {
    mark: Mark,
    left: u32,
    interval: Duration,
    at: Instant,
}

/// The notice under way, if there is one.
#[derive(Debug)]
pub(super) struct Notice {
    /// How often at most it is sent.
    times: u32,
    /// How long after the first the second follows; the time doubles then.
    interval: Duration,
    pending: Option<Pending>,
}

impl Notice {
    pub(super) fn new(times: u32, interval: Duration) -> Self {
        Notice { times, interval, pending: None }
    }
    /// Send the peer this notice, in place of any before.
    pub(super) fn announce(&mut self, mark: Mark, now: Instant, actions: &mut Actions) {
        let Notice { times: left, interval, .. } = *self;
        self.send(Pending { mark, left, interval, at: now }, now, actions);
    }
    /// The peer has been heard, or the notice is out of date.
    pub(super) fn end(&mut self) {
        self.pending = None;
    }
    pub(super) fn on_wake(&mut self, now: Instant, actions: &mut Actions) {
        if let Some(pending) = self.pending.filter(|pending| pending.at <= now) {
            self.send(pending, now, actions);
        }
    }
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.pending.map(|pending| pending.at)
    }
    fn send(&mut self, pending: Pending, now: Instant, actions: &mut Actions) {
        actions.push(Action::Acknowledge { times: 1, mark: Some(pending.mark) });
        let left = pending.left.saturating_sub(1);
        let Pending { mark, interval, .. } = pending;
        self.pending =
            (left > 0).then_some(Pending { mark, left, interval: interval * 2, at: now + interval });
    }
}
