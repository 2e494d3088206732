//! The agent acts in its connections: on what passes, and when its time has come.

use super::{Connections, Moved, Place, Slot};
use crate::connection::Connection;
use crate::exit::Exit;
use crate::key::{ConnectionKey, End, Side};
use crate::passed::PassedSyn;
use crate::ways::Ways;
use seamline_wire::control::RecoveryMessage;
use seamline_wire::timers::NEVER;
use seamline_wire::{Instant, Outbox, Packet};

impl<A: End, L: Copy> Connections<A, L> {
    pub(super) fn exit<'a>(&'a mut self, out: &'a mut Outbox) -> Exit<'a> {
        Exit::new(out, &mut self.counters, &mut self.kept_bytes, self.limits.bytes, &Ways::UNKNOWN)
    }

    /// Let the agent's part in a connection act. `came` are the bytes of the packet at hand, if that is a real one.
    pub(super) fn act<R>(
        &mut self,
        index: usize,
        came: &[u8],
        out: &mut Outbox,
        act: impl FnOnce(&mut dyn Connection, &mut Exit<'_>) -> R,
    ) -> Option<R> {
        let Connections { slots, counters, kept_bytes, limits, shares, .. } = self;
        let Slot { held, ways, kept, owners, .. } = &mut slots[index];
        let (_, connection) = held.as_mut()?;
        let before = *kept_bytes;
        let result = act(
            &mut **connection,
            &mut Exit::new(out, counters, kept_bytes, limits.bytes, ways).with_bytes(came),
        );
        if *kept_bytes != before {
            let now = *kept + *kept_bytes - before;
            shares.change(*owners, std::mem::replace(kept, now), now);
        }
        Some(result)
    }

    /// The same, and what it sends again is measured: it does so at this time.
    fn act_at<R>(
        &mut self,
        now: Instant,
        index: usize,
        came: &[u8],
        out: &mut Outbox,
        act: impl FnOnce(&mut dyn Connection, &mut Exit<'_>) -> R,
    ) -> Option<R> {
        let before = self.counters.local_retransmissions;
        let result = self.act(index, came, out, act);
        if self.counters.local_retransmissions > before {
            self.note_repair(now, index);
        }
        result
    }

    /// So much is kept of a connection from now on.
    pub(super) fn set_kept(&mut self, index: usize, bytes: u64) {
        let Slot { kept, owners, .. } = &mut self.slots[index];
        let before = std::mem::replace(kept, bytes);
        self.shares.change(*owners, before, bytes);
        self.kept_bytes = self.kept_bytes + bytes - before;
    }

    /// Let the agent act on a segment that was admitted. `came` are the bytes of a real packet, from its IP header on: a copy that is kept has
    /// them, the segment itself does not. It leaves without, too, changed or not.
    pub fn show(
        &mut self,
        now: Instant,
        from: Side,
        place: Place,
        packet: Box<Packet>,
        came: &[u8],
        out: &mut Outbox,
    ) {
        let index = place.index();
        if from == Side::Wired {
            self.make_memory(now, index, u64::from(packet.wire_bytes), out);
        }
        let silent_until = now + self.limit(index).min(self.patience());
        self.slots[index].ways.note(from.other(), packet.tunnels);
        let shown = self.act_at(now, index, came, out, |connection, exit| {
            connection.on_segment(now, from, packet, exit);
            (connection.wake_at(), connection.is_over())
        });
        let Some((wake_at, is_over)) = shown else { unreachable!("what is admitted is held") };
        self.timers.bring_forward(index, wake_at.min(silent_until));
        if is_over {
            self.end(now, index, out);
        }
    }

    /// Let the agent act on a message about a connection that it is shown. A message that cannot be about it is forwarded.
    pub fn show_message(
        &mut self,
        now: Instant,
        from: Side,
        place: Place,
        message: RecoveryMessage,
        packet: Box<Packet>,
        out: &mut Outbox,
    ) {
        let index = place.index();
        let Slot { held: Some(_), ways, guard, .. } = &mut self.slots[index] else {
            return out.send(from.onwards(), packet);
        };
        if guard.as_ref().is_some_and(|it| !it.admits_ranges(Side::Wired, message.ranges.as_slice())) {
            self.counters.implausible += 1;
            return out.send(from.onwards(), packet);
        }
        ways.note(from.other(), packet.tunnels);
        let wake_at = self.act_at(now, index, &[], out, |connection, exit| {
            connection.on_message(now, from, message, packet, exit);
            connection.wake_at()
        });
        self.timers.bring_forward(index, wake_at.unwrap_or(NEVER));
    }

    /// When to call [`Connections::wake`].
    pub fn wake_at(&self) -> Option<Instant> {
        let refuses = (!self.refused.is_empty()).then_some(Instant::ZERO);
        refuses.or_else(|| self.timers.first().map(|(at, _)| at))
    }

    /// Forget what has been silent for too long, and let the agent act where its time has come.
    pub fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.end_refused(now, out);
        while let Some((_, index)) = self.timers.first().filter(|(at, _)| *at <= now) {
            if self.slots[index].is_new_here {
                self.slots[index].heard = [now; 2];
            }
            let expires = self.slots[index].last_heard() + self.limit(index);
            if expires <= now {
                self.counters.expired += 1;
                self.end(now, index, out);
                continue;
            }
            let hopeless = self.let_go_if_hopeless(now, index, out);
            let is_new_here = std::mem::take(&mut self.slots[index].is_new_here);
            let woken = self.act_at(now, index, &[], out, |connection, exit| {
                if is_new_here {
                    connection.on_arrival(now, exit);
                }
                if connection.wake_at() <= now {
                    connection.on_wake(now, exit);
                }
                (connection.wake_at(), connection.is_over())
            });
            let (wake_at, is_over) = woken.unwrap_or((NEVER, false));
            self.timers.set(index, wake_at.min(expires).min(hopeless));
            if is_over {
                self.end(now, index, out);
            }
        }
    }

    /// End what there is no room for; until then it counts as kept.
    fn end_refused(&mut self, now: Instant, out: &mut Outbox) {
        for Moved { key, mut connection, kept, .. } in std::mem::take(&mut self.refused) {
            self.note_passed(now, key, PassedSyn::Any);
            self.kept_bytes += kept;
            connection.end(now, &mut self.exit(out));
        }
    }

    pub(super) fn note_passed(&mut self, now: Instant, key: ConnectionKey<A>, syn: PassedSyn) {
        if let Some(passed) = &mut self.passed {
            passed.note(now, key, syn);
        }
    }
}
