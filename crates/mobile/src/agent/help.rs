//! Helping connections whose link is back.

use super::{Agent, Host, Way};
use crate::connections::{Connection, Frozen, Key};
use crate::craft;
use crate::kick::{self, KernelView, Kick, Outcome, Standing, Step};
use crate::settings::{Policy, Repeat};
use seamline_host::Line;
use seamline_wire::{Duration, Instant, Mark};
use std::collections::BTreeSet;
use std::io;

/// How long to wait where the host's queues are full. They hold some hundred of such packets, which the slowest of links takes
/// longer to send: so little is lost by waiting, and less by asking rarely.
const PAUSE: Duration = Duration::from_millis(5);

impl Agent {
    /// Help every connection that is owed it, whose link is up and whose address is there: first all acknowledgments, which bring data
    /// back, then this host's own data. Where that fails, for want of a route, it is tried again after the next news; where it fails
    /// for want of room, the rest waits ([`Agent::resume_in`]).
    pub fn help(&mut self, now: Instant, host: &mut dyn Host) {
        self.follow(now);
        self.note_standing(host);
        if self.pause_until.is_some_and(|until| now < until) {
            return;
        }
        let are_acknowledged = self.acknowledge_all(now, host);
        let is_done = self.kick_all(host) && are_acknowledged;
        self.counters.pauses += u64::from(!is_done);
        self.pause_until = (!is_done).then_some(now + PAUSE);
    }

    /// Ask the kernel for the state of the connections whose link is lost: what they send from now on is not observed.
    fn note_standing(&mut self, host: &mut dyn Host) {
        if !std::mem::take(&mut self.asks_standing) {
            return;
        }
        for (key, connection) in self.connections.all.iter_mut() {
            if connection.interrupted.is_some()
                && connection.standing.is_none()
                && let Ok(Some(view)) = host.view(key, connection.interface)
            {
                connection.standing = Some(Standing::new(connection.next, &view));
            }
        }
    }

    /// Whether there was room for all.
    fn acknowledge_all(&mut self, now: Instant, host: &mut dyn Host) -> bool {
        let mut full = BTreeSet::new();
        for key in self.due(now) {
            let Some(connection) = self.connections.all.get(&key).copied() else { continue };
            if full.contains(&connection.interface) {
                continue;
            }
            let policy = self.policy(connection.interface);
            match self.acknowledge(now, &key, &connection, policy, host) {
                Ok(Some(view)) => {
                    let is_kick_due = policy.kick && view.is_stuck();
                    self.connections.all.get_mut(&key).into_iter().for_each(|it| it.settle(is_kick_due));
                }
                Ok(None) => {
                    self.connections.all.remove(&key);
                    self.counters.ended += 1;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    full.insert(connection.interface);
                }
                Err(error) => self.failed(&key, &error),
            }
        }
        full.is_empty()
    }

    /// Whether there was room for all.
    fn kick_all(&mut self, host: &mut dyn Host) -> bool {
        let is_due =
            |connection: &Connection| connection.is_kick_due && self.links.is_up(connection.interface);
        let due = self.connections.all.iter().filter(|(_, connection)| is_due(connection));
        for (key, connection) in due.map(|(key, it)| (*key, *it)).collect::<Vec<_>>() {
            match self.kick(&key, &connection, host) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(error) => self.failed(&key, &error),
                Ok(()) => {}
            }
            self.connections.all.get_mut(&key).into_iter().for_each(|it| it.settle(false));
        }
        true
    }

    /// Whose turn it is. Those that have waited for too long get none, nor do those that only the kernel can help.
    fn due(&mut self, now: Instant) -> Vec<Key> {
        let mut due = Vec::new();
        for (key, connection) in self.connections.all.iter_mut() {
            let Some(since) = connection.owed else { continue };
            if !self.links.is_up(connection.interface) {
                continue;
            }
            if let Some(needed) = connection.needed {
                connection.settle(false);
                self.counters.skipped += 1;
                self.log.push(line("skipped", key).shown("reason", needed));
            } else if now.saturating_since(since) > self.settings.route_timeout {
                connection.settle(false);
                self.counters.given_up += 1;
                self.log
                    .push(line("given-up", key).with("reason", "its address or a route did not come back"));
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
    ) -> io::Result<Option<KernelView>> {
        let Some(view) = host.view(key, connection.interface)?.filter(KernelView::is_synchronized) else {
            return Ok(None);
        };
        let times = times(policy.repeat, connection, &view);
        if times == 0 {
            return Ok(Some(view));
        }
        // Without an outage there was no handover; and it is to be counted once.
        let is_marked = policy.repeat == Repeat::Marked && connection.interrupted.is_some();
        let echoes = policy.echo || connection.interrupted.is_none();
        let connection = &if echoes { *connection } else { connection.without_echo() };
        let first = craft::acknowledgment(connection, is_marked.then_some(Mark::Handover));
        let first = first.map_err(io::Error::other)?;
        let further = craft::acknowledgment(connection, None).map_err(io::Error::other)?;
        // They mean something only after the acknowledgment.
        let messages = if policy.disruption { disruptions(now, connection) } else { 0 };
        let message = craft::disruption(connection).map_err(io::Error::other)?;
        if !self.is_dry {
            let way = way(key, connection, &view);
            for number in connection.given..times.saturating_add(messages) {
                let is_acknowledgment = number < times;
                let packet = match number {
                    0 => &first,
                    _ if is_acknowledgment => &further,
                    _ => &message,
                };
                host.send(packet, way)?;
                self.counters.acknowledgments += u64::from(is_acknowledgment);
                self.counters.disruptions += u64::from(!is_acknowledgment);
                self.connections.all.get_mut(key).into_iter().for_each(|it| it.given += 1);
            }
        }
        self.counters.repeated += 1;
        self.log.push(
            line(if self.is_dry { "would-repeat" } else { "repeat" }, key)
                .with("link", self.links.name(connection.interface).unwrap_or_default())
                .with("acknowledgment", connection.last.segment.acknowledgment.0)
                .with("times", times)
                .with("marked", is_marked)
                .with("disruptions", messages),
        );
        Ok(Some(view))
    }

    /// Have the kernel send the connection's first unacknowledged segment.
    fn kick(&mut self, key: &Key, connection: &Connection, host: &mut dyn Host) -> io::Result<()> {
        let Some(mut view) = host.view(key, connection.interface)? else { return Ok(()) };
        let Connection { next, standing, retransmitted, .. } = *connection;
        let Some(mut kick) = Kick::new(next, standing, retransmitted, &view) else { return Ok(()) };
        let logged = |event| {
            line(event, key).with("unacknowledged", view.unacknowledged).with("backoff", view.backoff)
        };
        if self.is_dry {
            self.log.push(logged("would-kick"));
            return Ok(());
        }
        let logged = logged("kick");
        let local = key.local.ip();
        let way = Way { from: local, to: local, interface: connection.interface, bound_to: 0, mark: 0 };
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
        self.log.push(logged.with("messages", kick.messages).with("outcome", outcome));
        Ok(())
    }

    fn failed(&mut self, key: &Key, error: &io::Error) {
        self.counters.failures += 1;
        if let Some(connection) = self.connections.all.get_mut(key) {
            connection.is_blocked = true;
        }
        self.log.push(warning("failed", key).shown("error", error));
    }
}

/// How often an acknowledgment is repeated. Where senders have SACK and no timestamps, their F-RTO takes a second repetition for a
/// duplicate, and hence the loss for real (RFC 5682 section 2.1, step 3a). A frozen end has had no timeout and waits for this: so that it is not
/// lost, it is repeated as often as in Freeze-TCP.
fn times(repeat: Repeat, connection: &Connection, view: &KernelView) -> u8 {
    if connection.frozen == Frozen::Thawed {
        return Repeat::Three.times();
    }
    let is_misled = view.has_sack && !view.has_timestamps;
    repeat.times().min(if is_misled { 1 } else { u8::MAX })
}

/// As the connection's own packets go.
pub(super) fn way(key: &Key, connection: &Connection, view: &KernelView) -> Way {
    let KernelView { bound_to, mark, .. } = *view;
    Way { from: key.local.ip(), to: key.remote.ip(), interface: connection.interface, bound_to, mark }
}

/// How many ICMP messages tell the other end of the disruption: none where nothing had come from it for a while before, or where it was frozen
/// and has had no timeout.
fn disruptions(now: Instant, connection: &Connection) -> u8 {
    const A_WHILE: Duration = Duration::from_secs(10);
    let since = connection.interrupted.unwrap_or(now);
    let is_idle = since.saturating_since(connection.heard) > A_WHILE;
    if is_idle || connection.frozen == Frozen::Thawed {
        0
    } else {
        kick::messages_after(now.saturating_since(connection.heard))
    }
}

/// What has happened to a connection.
pub(super) fn line(event: &'static str, key: &Key) -> Line {
    of(Line::new(event), key)
}

/// A line about a connection that something failed for.
pub(super) fn warning(event: &'static str, key: &Key) -> Line {
    of(Line::warning(event), key)
}

fn of(line: Line, key: &Key) -> Line {
    line.shown("local", key.local).shown("remote", key.remote)
}
