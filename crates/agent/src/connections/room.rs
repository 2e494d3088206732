//! Room on real networks, where none is left: what nobody waits for gives way, and then who has most to those that have less.
//!
//! A host on the wireless side may have all room as long as no other needs it. Where there is none, one look at all connections makes a
//! part of it free at once, so that the cost for each packet stays small.

use super::shares::{Amounts, Owner, Shares};
use super::{Connections, Slot};
use crate::key::{ConnectionKey, End, Side};
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Instant, Outbox};

/// A mobile host that has said nothing for so long has left, or is in an outage after which its sender begins with a small window anyway.
const HOPELESS: Duration = Duration::from_secs(60);
/// What is kept for a host that was heard more recently is not taken from it for its silence.
const SILENT: Duration = Duration::from_secs(1);
/// How long no room is looked for after none was found.
const FULL: Duration = Duration::from_millis(100);
/// The part of the room that is made free at once: one divided by this. Who has less than a sixteenth of that to give is left alone, so that a look
/// is worth its time.
const PART: u64 = 64;

/// A connection with something that another one could have.
#[derive(Clone, Copy, Debug)]
struct Holder {
    index: usize,
    /// When its mobile host was last heard.
    heard: Instant,
    /// Of what is short.
    amount: u64,
}

/// Of places, or of memory: when it is worth while to look for more.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shortage {
    /// Until then a host that has as much as this finds nothing: its network, and itself.
    until: Instant,
    found_nothing: [u64; 2],
}

impl Shortage {
    /// Who has more than this host, or its network, and how much of that it can give, at most a part of the room.
    fn giver<A: End>(
        &mut self,
        now: Instant,
        shares: &Shares<A>,
        to: A,
        part: u64,
        of: impl Fn(&Amounts) -> u64,
    ) -> Option<(Owner<A>, u64)> {
        let own = shares.of(to).map(|amounts| of(&amounts));
        if now < self.until && own.iter().zip(self.found_nothing).all(|(own, failed)| *own >= failed) {
            return None;
        }
        let heaviest = shares.heaviest(&of).into_iter().zip(own);
        let mut gives = heaviest.filter_map(|(it, own)| it.map(|(owner, most)| (owner, excess(most, own))));
        let giver = gives.find(|(_, amount)| *amount >= (part / 16).max(1));
        if giver.is_none() {
            (self.until, self.found_nothing) = (now + FULL, own);
        }
        giver.map(|(owner, amount)| (owner, amount.min(part.max(1))))
    }
}

/// Of these, the longest silent ones that have so much together.
fn longest_silent(mut holders: Vec<Holder>, wanted: u64) -> Vec<usize> {
    holders.sort_by_key(|it| it.heard);
    let (mut indices, mut found) = (Vec::new(), 0);
    for it in holders {
        if found >= wanted {
            break;
        }
        found += it.amount;
        indices.push(it.index);
    }
    indices
}

/// What the other one can give without having less than this one then.
fn excess(most: u64, own: u64) -> u64 {
    most.saturating_sub(own) / 2
}

impl<A: End, L: Copy> Connections<A, L> {
    /// A free place, or that of a connection that the agent is not shown, the oldest first, or of who has more than others.
    pub(super) fn free_place(&mut self, now: Instant, of: &ConnectionKey<A>) -> Option<usize> {
        if self.by_key.len() >= self.limits.connections as usize {
            match self.unconfirmed.first() {
                Some(&(_, oldest)) => {
                    self.counters.displaced += 1;
                    self.take(oldest);
                }
                None => self.evict(now, of)?,
            }
        }
        if self.free.is_empty() {
            self.slots.push(Slot::FREE);
            self.timers.add(NEVER);
            return Some(self.slots.len() - 1);
        }
        self.free.pop()
    }

    /// Take places from who has most; `None` if that is hardly more than this host has.
    fn evict(&mut self, now: Instant, of: &ConnectionKey<A>) -> Option<()> {
        if !self.is_confirming {
            return None;
        }
        let part = u64::from(self.limits.connections) / PART;
        let giver = self.short_of_places.giver(now, &self.shares, of.wireless.0, part, |it| it.connections);
        let (owner, amount) = giver?;
        for index in longest_silent(self.holders(|key, _| u64::from(owner.has(key.wireless.0))), amount) {
            self.counters.evicted += 1;
            let evicted = self.take_away(index);
            self.refused.extend(evicted);
        }
        Some(())
    }

    /// Data comes for the mobile host of a connection: if there is no memory to keep it, drop what is kept for hosts that are silent, or for
    /// who has most.
    pub(super) fn make_memory(&mut self, now: Instant, own: usize, bytes: u64, out: &mut Outbox) {
        if self.kept_bytes + bytes <= self.limits.bytes || !self.is_confirming {
            return;
        }
        let mut victims = self.silent(now, own);
        if victims.is_empty() {
            victims = self.of_heaviest(now, own);
        }
        victims.into_iter().for_each(|index| self.let_go(index, out));
    }

    /// Connections other than this one of hosts that are silent, with a part of the memory.
    fn silent(&mut self, now: Instant, own: usize) -> Vec<usize> {
        if now < self.nobody_is_silent_until {
            return Vec::new();
        }
        let is_silent = |slot: &Slot<A, L>| slot.heard[Side::Wireless.index()] + SILENT <= now;
        let mut silent = self.holders(|_, slot| if is_silent(slot) { slot.kept } else { 0 });
        silent.retain(|it| it.index != own);
        if silent.is_empty() {
            self.nobody_is_silent_until = now + FULL;
        }
        longest_silent(silent, self.limits.bytes / PART)
    }

    /// Connections of who has most of the memory, if that is more than this one's host has.
    fn of_heaviest(&mut self, now: Instant, own: usize) -> Vec<usize> {
        let Some((key, _)) = &self.slots[own].held else { return Vec::new() };
        let part = self.limits.bytes / PART;
        let giver = self.short_of_memory.giver(now, &self.shares, key.wireless.0, part, |it| it.bytes);
        let Some((owner, amount)) = giver else { return Vec::new() };
        longest_silent(
            self.holders(|key, slot| if owner.has(key.wireless.0) { slot.kept } else { 0 }),
            amount,
        )
    }

    /// How long something is kept for a mobile host that says nothing.
    pub(super) fn patience(&self) -> Duration {
        if self.is_confirming { HOPELESS } else { self.limits.idle }
    }

    /// Drop what is kept for a mobile host that has been silent for too long. Returns when to look again.
    pub(super) fn let_go_if_hopeless(&mut self, now: Instant, index: usize, out: &mut Outbox) -> Instant {
        let hopeless = self.slots[index].heard[Side::Wireless.index()] + self.patience();
        if hopeless > now {
            return hopeless;
        }
        if self.is_confirming {
            self.let_go(index, out);
        }
        NEVER
    }

    /// Drop all that is kept, because it can no longer leave as it is. The agent still knows the connections.
    pub fn let_go_of_all(&mut self, out: &mut Outbox) {
        for Holder { index, .. } in self.holders(|_, slot| slot.kept) {
            self.let_go(index, out);
        }
    }

    fn let_go(&mut self, index: usize, out: &mut Outbox) {
        let before = self.kept_bytes;
        self.act(index, &[], out, |connection, exit| connection.let_go(exit));
        self.counters.cleared += u64::from(self.kept_bytes < before);
    }

    fn holders(&self, amount: impl Fn(&ConnectionKey<A>, &Slot<A, L>) -> u64) -> Vec<Holder> {
        let held = self.by_key.iter().map(|(key, &index)| {
            let slot = &self.slots[index];
            Holder { index, heard: slot.heard[Side::Wireless.index()], amount: amount(key, slot) }
        });
        held.filter(|it| it.amount > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_silent_go_first_and_no_more_than_needed() {
        let holder = |index: usize| Holder { index, heard: Instant::from_secs(index as u64), amount: 10 };
        let all: Vec<Holder> = [2, 0, 1].map(holder).to_vec();
        assert_eq!(longest_silent(all.clone(), 15), [0, 1]);
        assert_eq!(longest_silent(all, 0), [] as [usize; 0]);
    }
}
