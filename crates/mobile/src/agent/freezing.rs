//! Freezing other ends before an outage, and thawing them after it: Freeze-TCP (Goff, Moronski, Phatak and Gupta, IEEE INFOCOM 2000).
//!
//! A connection is frozen one loaded round trip and a margin before its link is expected to be lost, so that what the other end has sent
//! until it hears of the closed window still arrives. It thaws when the link is back, when the announced loss did not come, or when
//! the timeout ends.

use super::arriving::Arriving;
use super::help::{line, warning, way};
use super::{Agent, By, Host};
use crate::connections::{Connection, Frozen, Key};
use crate::craft;
use crate::freeze::{self, Freeze};
use crate::kick::KernelView;
use crate::links::Change;
use seamline_host::Line;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;

/// How long before a scheduled outage connections are weighed, besides the margin: longer than nearly all round trips (RFC 6298 appendix A
/// takes it for the first timer for that reason).
const LONG_ROUND_TRIP: Duration = Duration::from_secs(1);

/// As many are frozen or thawed by one look at the clock: each takes some tens of microseconds, and a freeze that comes too late does harm.
const AT_ONCE: usize = 64;

/// What is to come.
#[derive(Clone, Debug, Default)]
pub(super) struct Freezing {
    plans: BTreeMap<Key, Plan>,
    /// What is on its way to connections that are frozen.
    pub(super) arriving: BTreeMap<Key, Arriving>,
    /// Losses that the schedule has announced, not yet weighed: the interface, and when its link will be lost.
    announced: Vec<(u32, Instant)>,
}

/// What is to come for one connection.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// The interface by which its packets leave.
    interface: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// To be frozen.
    Planned {
        at: Instant,
        /// When its link is expected to be lost.
        lost_at: Instant,
    },
    /// Frozen.
    Frozen {
        thaw_at: Instant,
        /// Why it will thaw then.
        why: &'static str,
        /// When the kernel will thaw it on its own.
        kernel_until: Instant,
    },
}

impl Plan {
    fn due(&self) -> Instant {
        match self.stage {
            Stage::Planned { at, .. } => at,
            Stage::Frozen { thaw_at, kernel_until, .. } if thaw_at == kernel_until => thaw_at,
            Stage::Frozen { .. } => Instant::ZERO,
        }
    }
}

impl Agent {
    /// A notice announces that a link will be lost.
    pub(super) fn going_down(
        &mut self,
        now: Instant,
        index: u32,
        within: Option<Duration>,
        by: By,
        host: &mut dyn Host,
    ) {
        let Some(link) = self.links.name(index) else { return };
        let mut longest = None;
        let (mut weighed, mut left_alone) = (Vec::new(), Vec::new());
        let carried = self.carried(index);
        let over = |(_, connection): &(&Key, &Connection)| carried.contains_key(&connection.interface);
        for (key, connection) in self.connections.all.iter().filter(over) {
            let Ok(Some(view)) = host.view(key, connection.interface) else { continue };
            let round_trip = view.loaded_round_trip();
            longest = longest.max(round_trip);
            let policy = self.policy(connection.interface);
            match connection.needed {
                _ if !policy.freeze => {}
                // A window that is changed on its way spoils a signature, and says something about all ways of a multipath connection.
                Some(needed) => left_alone.push((*key, needed)),
                None => weighed.push((*key, freeze::decide(within, round_trip, policy.freeze_margin))),
            }
        }
        let policy = self.policy(index);
        let decision = freeze::decide(within, longest, policy.freeze_margin);
        let mut line = Line::new("link-going-down").with("link", link).with("by", by.name());
        if let Some(within) = within {
            line = line.with("lead_ms", within.as_millis_f64());
        }
        if let Some(longest) = longest {
            line = line.with("round_trip_ms", longest.as_millis_f64());
        }
        self.log.push(line.with("freeze", decision.label(policy.freeze)));
        for (key, needed) in left_alone {
            self.refuse(&key, needed);
        }
        for (key, decision) in weighed {
            self.plan(now, key, within, decision, host);
        }
    }

    fn plan(
        &mut self,
        now: Instant,
        key: Key,
        within: Option<Duration>,
        decision: Freeze,
        host: &mut dyn Host,
    ) {
        let lost_at = now + within.unwrap_or_default();
        match (decision, self.freezing.plans.get(&key).copied()) {
            (_, Some(Plan { stage: Stage::Frozen { thaw_at, why, .. }, .. })) if thaw_at <= now => {
                self.thaw(now, &key, why, host);
                self.plan(now, key, within, decision, host);
            }
            // What is to be lost after the link has been back is no news of this outage.
            (_, Some(Plan { stage: Stage::Frozen { .. }, .. })) if self.is_lost(&key) => {
                self.refuse(&key, "the link is down");
            }
            (Freeze::Helps { .. }, Some(Plan { stage: Stage::Frozen { .. }, .. })) => {
                self.thaw(now, &key, "lost later than announced", host);
                self.plan(now, key, within, decision, host);
            }
            // The newest notice counts.
            (_, Some(Plan { stage: Stage::Frozen { .. }, .. })) => {
                let margin = self.margin(&key);
                self.freezing.arriving.insert(key, Arriving::new(now, lost_at, margin));
                self.postpone(&key, lost_at + margin, NOT_LOST);
            }
            (Freeze::Helps { needed }, _) => {
                let at = lost_at - needed;
                if let Err(error) = self.prepare(&key, host) {
                    return self.not_frozen(&key, &error);
                }
                self.log.push(
                    line("freeze-planned", &key)
                        .with("in_ms", at.saturating_since(now).as_millis_f64())
                        .with("needed_ms", needed.as_millis_f64()),
                );
                let Some(interface) = self.connections.all.get(&key).map(|it| it.interface) else { return };
                self.freezing.plans.insert(key, Plan { interface, stage: Stage::Planned { at, lost_at } });
            }
            (decision, _) => {
                self.freezing.plans.remove(&key);
                self.refuse(&key, decision.label(true));
            }
        }
    }

    /// Whether the link of a connection carries nothing now.
    fn is_lost(&self, key: &Key) -> bool {
        self.connections.all.get(key).is_some_and(|connection| !self.links.is_up(connection.interface))
    }

    fn prepare(&self, key: &Key, host: &mut dyn Host) -> io::Result<()> {
        match self.connections.all.get(key) {
            Some(connection) if !self.is_dry => host.prepare(connection.interface),
            _ => Ok(()),
        }
    }

    fn refuse(&mut self, key: &Key, reason: impl Display) {
        self.counters.freezes_refused += 1;
        self.log.push(line("freeze-refused", key).shown("reason", reason));
    }

    fn margin(&self, key: &Key) -> Duration {
        let interface = self.connections.all.get(key).map(|connection| connection.interface);
        interface.map_or(self.settings.default.freeze_margin, |index| self.policy(index).freeze_margin)
    }

    fn postpone(&mut self, key: &Key, until: Instant, reason: &'static str) {
        if let Some(Plan { stage: Stage::Frozen { thaw_at, why, .. }, .. }) = self.freezing.plans.get_mut(key)
        {
            (*thaw_at, *why) = (until, reason);
        }
    }

    /// A link has changed that carries these interfaces.
    pub(super) fn freezes_changed(&mut self, now: Instant, carried: &BTreeMap<u32, bool>, change: Change) {
        // Also plans whose connection has been forgotten.
        let plans = self.freezing.plans.iter().filter(|(_, plan)| carried.contains_key(&plan.interface));
        let keys: Vec<Key> = plans.map(|(key, _)| *key).collect();
        for key in keys {
            match (self.freezing.plans[&key].stage, change) {
                (Stage::Planned { .. }, Change::Down) => {
                    self.freezing.plans.remove(&key);
                    self.refuse(&key, "lost earlier than announced");
                }
                (Stage::Planned { .. }, Change::Up) => {
                    self.freezing.plans.remove(&key);
                    self.refuse(&key, "the link is back already");
                }
                (Stage::Frozen { .. }, Change::Down) if self.goes_elsewhere(&key, carried) => {
                    self.postpone(&key, now, "another port carries it");
                }
                (Stage::Frozen { .. }, Change::Down) => {
                    self.freezing.arriving.remove(&key);
                    self.postpone(&key, now + self.settings.route_timeout, "timeout");
                }
                (Stage::Frozen { .. }, Change::Up) => self.postpone(&key, now, "link up"),
            }
        }
    }

    /// Whether a connection has lost one of several ports alone, and what it leaves by is still up.
    fn goes_elsewhere(&self, key: &Key, carried: &BTreeMap<u32, bool>) -> bool {
        self.connections.all.get(key).is_some_and(|connection| {
            carried.get(&connection.interface) == Some(&false) && self.links.is_up(connection.interface)
        })
    }

    /// Freeze and thaw what is due. To be called before [`Agent::help`], with all packets taken in that the host has sent so far. Whether more
    /// is due: then it is to be called again with the time that it is by then.
    #[must_use]
    pub fn freeze(&mut self, now: Instant, host: &mut dyn Host) -> bool {
        self.drop_moved(now, host);
        let is_due = |(_, plan): &(&Key, &Plan)| plan.due() <= now;
        let mut due: Vec<(Key, Plan)> =
            self.freezing.plans.iter().filter(is_due).map(|(key, plan)| (*key, *plan)).collect();
        let is_more = due.len() > AT_ONCE;
        due.truncate(AT_ONCE);
        for (key, plan) in due {
            match plan.stage {
                Stage::Planned { lost_at, .. } => self.freeze_one(now, key, lost_at, host),
                Stage::Frozen { thaw_at, why, .. } if thaw_at <= now => self.thaw(now, &key, why, host),
                Stage::Frozen { thaw_at, .. } => self.prolong(&key, thaw_at, host),
            }
        }
        if is_more {
            return true;
        }
        self.acknowledge_arrivals(now, host);
        // After what the link's return thaws, which may be now.
        for (index, lost_at) in std::mem::take(&mut self.freezing.announced) {
            self.going_down(now, index, Some(lost_at.saturating_since(now)), By::Schedule, host);
        }
        false
    }

    /// What leaves by another interface now has nothing to do with the loss of the former.
    fn drop_moved(&mut self, now: Instant, host: &mut dyn Host) {
        let plans = self.freezing.plans.iter().filter(|(key, plan)| self.has_moved(key, plan));
        for (key, stage) in plans.map(|(key, plan)| (*key, plan.stage)).collect::<Vec<_>>() {
            match stage {
                Stage::Frozen { .. } => self.thaw(now, &key, MOVED, host),
                Stage::Planned { .. } => {
                    self.freezing.plans.remove(&key);
                    self.refuse(&key, MOVED);
                }
            }
        }
    }

    fn has_moved(&self, key: &Key, plan: &Plan) -> bool {
        self.connections.all.get(key).is_some_and(|connection| connection.interface != plan.interface)
    }

    /// When there is something to freeze or to thaw.
    pub fn freeze_at(&self) -> Option<Instant> {
        let announced = self.freezing.announced.iter().map(|_| Instant::ZERO);
        let due = |(key, plan)| if self.has_moved(key, plan) { Instant::ZERO } else { plan.due() };
        let arriving = self.freezing.arriving.values().map(|it| it.look_at);
        self.freezing.plans.iter().map(due).chain(announced).chain(arriving).min()
    }

    fn freeze_one(&mut self, now: Instant, key: Key, lost_at: Instant, host: &mut dyn Host) {
        self.freezing.plans.remove(&key);
        let Some(connection) = self.connections.all.get(&key).copied() else { return };
        let view = match host.view(&key, connection.interface) {
            Ok(view) => view.filter(KernelView::is_synchronized),
            Err(error) => return self.not_frozen(&key, &error),
        };
        let Some(view) = view else { return };
        if !self.links.is_up(connection.interface) {
            return self.refuse(&key, "the link is down");
        }
        // Its queues may have grown since it was weighed; the margin is for that.
        let left = lost_at.saturating_since(now);
        if view.loaded_round_trip().is_none_or(|round_trip| left <= round_trip) {
            return self.refuse(&key, "the round trip has grown");
        }
        let Some(known) = self.connections.all.get_mut(&key) else { return };
        let connection = known.caught_up(now, view.received).unwrap_or(*known);
        let event = line(if self.is_dry { "would-freeze" } else { "freeze" }, &key)
            .with("left_ms", left.as_millis_f64())
            .with("acknowledgment", connection.last.segment.acknowledgment.0);
        if self.is_dry {
            self.log.push(event);
            return;
        }
        let thaw_at = lost_at + self.margin(&key);
        if let Err(error) = close(&key, &connection, &view, thaw_at, host) {
            return self.not_frozen(&key, &error);
        }
        let stage = Stage::Frozen { thaw_at, why: NOT_LOST, kernel_until: thaw_at };
        let interface = connection.interface;
        self.freezing.plans.insert(key, Plan { interface, stage });
        self.freezing.arriving.insert(key, Arriving::new(now, lost_at, self.margin(&key)));
        if let Some(known) = self.connections.all.get_mut(&key) {
            *known = Connection { frozen: Frozen::Yes, ..connection };
        }
        self.counters.frozen += 1;
        self.log.push(event);
    }

    fn not_frozen(&mut self, key: &Key, error: &io::Error) {
        self.counters.failures += 1;
        self.log.push(warning("freeze-failed", key).shown("error", error));
    }

    /// Have the kernel wait for longer, too.
    fn prolong(&mut self, key: &Key, until: Instant, host: &mut dyn Host) {
        let Some(Plan { interface, stage: Stage::Frozen { kernel_until, .. }, .. }) =
            self.freezing.plans.get_mut(key)
        else {
            return;
        };
        *kernel_until = until;
        if let Err(error) = host.close_window(key, *interface, until) {
            self.not_frozen(key, &error);
        }
    }

    /// Open the window again; [`Agent::help`] repeats the acknowledgment.
    fn thaw(&mut self, now: Instant, key: &Key, why: &'static str, host: &mut dyn Host) {
        self.freezing.plans.remove(key);
        self.freezing.arriving.remove(key);
        let window = host.open_window(key).unwrap_or_else(|error| {
            // The kernel opens it when its time is over.
            self.counters.failures += 1;
            self.log.push(warning("thaw-failed", key).shown("error", error));
            None
        });
        self.counters.thawed += 1;
        self.log.push(line("thaw", key).with("reason", why));
        let Some(connection) = self.connections.all.get_mut(key) else { return };
        // If packets have carried another window since, they left by an interface without the program, and it is newer.
        if let (Some(window), 0) = (window, connection.advertised_window) {
            connection.last.segment.window = window;
        }
        connection.frozen = Frozen::Thawed;
        if connection.owed.is_none() {
            connection.owe(now);
        }
    }

    /// Thaw everything: the end is near. What waits for room in the host's queues waits no longer; there will be no other time.
    pub fn thaw_all(&mut self, now: Instant, host: &mut dyn Host) {
        self.pause_until = None;
        self.freezing.plans.retain(|_, plan| matches!(plan.stage, Stage::Frozen { .. }));
        for key in self.freezing.plans.keys().copied().collect::<Vec<Key>>() {
            self.thaw(now, &key, "the daemon ends", host);
        }
    }

    /// How many connections are frozen.
    pub(super) fn frozen_now(&self) -> usize {
        self.freezing.plans.values().filter(|plan| matches!(plan.stage, Stage::Frozen { .. })).count()
    }

    /// How long before its outages the connections of a link are weighed; `None` where none of them is to be frozen.
    pub(super) fn announce_before(&self, link: &str) -> Option<Duration> {
        let carried = self.carried(self.links.index(link)?);
        let policies = carried.keys().map(|index| self.policy(*index)).filter(|policy| policy.freeze);
        policies.map(|policy| LONG_ROUND_TRIP + policy.freeze_margin).max()
    }

    /// The schedule says when a link will be lost.
    pub(super) fn announce(&mut self, index: u32, lost_at: Instant) {
        self.freezing.announced.push((index, lost_at));
    }
}

const MOVED: &str = "its packets leave by another link";
const NOT_LOST: &str = "not lost at the announced time";

/// Have every packet say that the window is closed, and send one. It is made with the true window, so that nothing is frozen where it leaves
/// by a way that the kernel does not watch.
fn close(
    key: &Key,
    connection: &Connection,
    view: &KernelView,
    until: Instant,
    host: &mut dyn Host,
) -> io::Result<()> {
    let packet = craft::acknowledgment(connection, None).map_err(io::Error::other)?;
    host.close_window(key, connection.interface, until)?;
    let sent = host.send(&packet, way(key, connection, view));
    if sent.is_err() {
        host.open_window(key)?;
    }
    sent
}
