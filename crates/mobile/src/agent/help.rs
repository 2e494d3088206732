//! Helping connections whose link is back.

use super::{Agent, Host, Way};
use crate::connections::{Connection, Key};
use crate::craft;
use crate::kick::{self, KernelView, Kick, Outcome, Step};
use crate::log::Line;
use crate::settings::{Policy, Repeat};
use seamline_wire::{Duration, Instant, Mark};
use std::io;

impl Agent {
    /// Help every connection that is owed it, whose link is up and whose address is there: first all acknowledgments, which bring data
    /// back, then this host's own data. Where that fails, for want of a route, it is tried again after the next news.
    pub fn help(&mut self, now: Instant, host: &mut dyn Host, log: &mut Vec<Line>) {
        let mut kicks = Vec::new();
        for key in self.due(now, log) {
            let Some(connection) = self.connections.get(&key).copied() else { continue };
            let policy = self.settings.policy(self.links.name(connection.interface).unwrap_or_default());
            match self.acknowledge(now, &key, &connection, policy, host, log) {
                Ok(Some(view)) if policy.kick => kicks.push((key, connection, view)),
                Ok(Some(_)) => {}
                Ok(None) => {
                    self.connections.remove(&key);
                    self.counters.over += 1;
                    continue;
                }
                Err(error) => {
                    self.failed(&key, &error, log);
                    continue;
                }
            }
            if let Some(connection) = self.connections.get_mut(&key) {
                (connection.owed, connection.interrupted) = (None, None);
            }
        }
        for (key, connection, view) in kicks {
            if let Err(error) = self.kick(&key, &connection, view, host, log) {
                self.failed(&key, &error, log);
            }
        }
    }

    /// Whose turn it is. Those that have waited for too long get none.
    fn due(&mut self, now: Instant, log: &mut Vec<Line>) -> Vec<Key> {
        let mut due = Vec::new();
        for (key, connection) in self.connections.iter_mut() {
            let Some(since) = connection.owed else { continue };
            if !self.links.is_up(connection.interface) {
                continue;
            }
            if now.saturating_since(since) > self.settings.patience {
                connection.owed = None;
                self.counters.given_up += 1;
                log.push(line("given-up", key).with("reason", "its address or a route did not come back"));
            } else if !connection.is_blocked && self.links.has(key.local.ip()) {
                due.push(*key);
            }
        }
        due
    }

    /// Repeat the last acknowledgment. `None` when the connection is over.
    fn acknowledge(
        &mut self,
        now: Instant,
        key: &Key,
        connection: &Connection,
        policy: Policy,
        host: &mut dyn Host,
        log: &mut Vec<Line>,
    ) -> io::Result<Option<KernelView>> {
        let Some(view) = host.view(key, connection.interface)?.filter(KernelView::is_synchronized) else {
            return Ok(None);
        };
        let times = policy.repeat.times();
        if times == 0 {
            return Ok(Some(view));
        }
        let mark = (policy.repeat == Repeat::Marked).then_some(Mark::Handover);
        let packet = craft::acknowledgment(connection, mark).map_err(io::Error::other)?;
        let way = Way { from: key.local.ip(), to: key.remote.ip(), interface: connection.interface };
        for _ in 0..if self.is_dry { 0 } else { times } {
            host.send(&packet, way)?;
            self.counters.acknowledgments += 1;
        }
        // They mean something only after the acknowledgment.
        let messages = if policy.disruption { disruptions(now, connection) } else { 0 };
        let message = craft::disruption(connection).map_err(io::Error::other)?;
        for _ in 0..if self.is_dry { 0 } else { messages } {
            host.send(&message, way)?;
            self.counters.disruptions += 1;
        }
        self.counters.repeated += 1;
        log.push(
            line(if self.is_dry { "would-repeat" } else { "repeat" }, key)
                .with("link", self.links.name(connection.interface).unwrap_or_default())
                .with("acknowledgment", connection.last.segment.acknowledgment.0)
                .with("times", times)
                .with("marked", mark.is_some())
                .with("disruptions", messages),
        );
        Ok(Some(view))
    }

    /// Have the kernel send the connection's first unacknowledged segment.
    fn kick(
        &mut self,
        key: &Key,
        connection: &Connection,
        mut view: KernelView,
        host: &mut dyn Host,
        log: &mut Vec<Line>,
    ) -> io::Result<()> {
        let Some(mut kick) = Kick::new(connection.next, connection.retransmitted, &view) else {
            return Ok(());
        };
        let said = |event| {
            line(event, key).with("unacknowledged", view.unacknowledged).with("backoff", view.backoff)
        };
        if self.is_dry {
            log.push(said("would-kick"));
            return Ok(());
        }
        let said = said("kick");
        let local = key.local.ip();
        let way = Way { from: local, to: local, interface: connection.interface };
        let outcome = loop {
            let number = match kick.next(&view) {
                Step::Over(outcome) => break outcome,
                Step::Quote(number) => number,
            };
            let message = craft::unreachable(connection, number).map_err(io::Error::other)?;
            host.send(&message, way)?;
            self.counters.messages += 1;
            match host.view(key, connection.interface)? {
                Some(newer) => view = newer,
                None => return Ok(()),
            }
        };
        self.counters.kicked += u64::from(outcome == Outcome::Retransmitted);
        let outcome = match outcome {
            Outcome::Retransmitted => "retransmitted",
            Outcome::Undoubled => "timer undoubled",
            Outcome::NoEffect => "no effect",
            Outcome::GivenUp => "given up",
        };
        log.push(said.with("messages", kick.messages()).with("outcome", outcome));
        Ok(())
    }

    fn failed(&mut self, key: &Key, error: &io::Error, log: &mut Vec<Line>) {
        self.counters.failures += 1;
        if let Some(connection) = self.connections.get_mut(key) {
            connection.is_blocked = true;
        }
        log.push(line("failed", key).shown("error", error));
    }
}

/// How often the other end is told of the disruption: not at all where nothing had come from it for a while before.
fn disruptions(now: Instant, connection: &Connection) -> u8 {
    const A_WHILE: Duration = Duration::from_secs(10);
    let is_idle =
        connection.interrupted.is_some_and(|since| since.saturating_since(connection.heard) > A_WHILE);
    if is_idle { 0 } else { kick::messages_after(now.saturating_since(connection.heard)) }
}

fn line(event: &'static str, key: &Key) -> Line {
    Line::new(event).shown("local", key.local).shown("remote", key.remote)
}
