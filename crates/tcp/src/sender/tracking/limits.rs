//! What has kept a sender from sending, and for how long (`tcp_chrono_start`).

use super::*;

/// What a sender has had to do or to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// Data was outstanding or waited, and nothing of the following held.
    Busy,
    /// The peer's window was full.
    Peer,
    /// The send buffer was full, and all of it sent.
    SendBuffer,
}

/// How long each limit has lasted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    current: Option<(Limit, Instant)>,
    past: [Duration; 3],
}

impl Limits {
    /// Whether nothing limits at present.
    pub(super) fn are_none(&self) -> bool {
        self.current.is_none()
    }
    /// From now on this limits, unless something stronger does.
    pub(super) fn begin(&mut self, limit: Limit, now: Instant) {
        if self.current.is_none_or(|(current, _)| limit > current) {
            self.replace(Some(limit), now);
        }
    }
    fn replace(&mut self, limit: Option<Limit>, now: Instant) {
        if let Some((before, since)) = self.current {
            self.past[before as usize] += now.saturating_since(since);
        }
        self.current = limit.map(|limit| (limit, now));
    }
    fn end(&mut self, limit: Limit, is_idle: bool, now: Instant) {
        if is_idle {
            self.replace(None, now);
        } else if self.current.is_some_and(|(current, _)| current == limit) {
            self.replace(Some(Limit::Busy), now);
        }
    }
    /// How long this has lasted in all.
    pub(super) fn total(&self, limit: Limit, now: Instant) -> Duration {
        let current = self.current.filter(|(current, _)| *current == limit);
        self.past[limit as usize] + current.map_or(Duration::ZERO, |(_, since)| now.saturating_since(since))
    }
}

impl Run<'_, '_> {
    /// Data is acknowledged or this limit is gone.
    pub(super) fn end_limit(&mut self, limit: Limit) {
        let is_idle = self.t.queue.is_empty() && !self.something_waits();
        let now = self.now();
        self.t.limits.end(limit, is_idle, now);
    }
    pub(super) fn note_peer_limit(&mut self, is_full: bool) {
        match is_full {
            true => self.t.limits.begin(Limit::Peer, self.s.view.now),
            false => self.end_limit(Limit::Peer),
        }
    }
    /// The application waits for room although the window is not full (`tcp_cwnd_validate`).
    pub(super) fn note_buffer_limit(&mut self) {
        let waits = self.t.buffer.as_ref().is_some_and(|buffer| buffer.is_short && buffer.pieces.is_empty());
        if waits {
            self.t.limits.begin(Limit::SendBuffer, self.s.view.now);
        }
    }
}
