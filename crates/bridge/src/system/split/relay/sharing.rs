//! The memory of all split connections: what each may have, and what is taken back where there is too little.

use super::Relay;
use crate::system::split::connection::Connection;
use crate::system::split::fair::Fair;
use crate::system::split::memory;
use crate::system::split::taking_back::{Holder, to_end};
use seamline_wire::Instant;

impl Relay<'_> {
    /// Set memory aside for what a connection may need now; where its host has more than is left, its buffers get smaller.
    pub(super) fn reserve(&mut self, place: usize) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        let before = connection.reserved;
        set_aside(&mut self.fair, connection);
        let is_smaller = connection.allow(self.fair.memory_of_each(connection.host));
        set_aside(&mut self.fair, connection);
        // One that was denied what it has just earned is not smaller than before.
        self.counters.shrunk += u64::from(is_smaller && connection.reserved < before);
    }

    /// See how much is left. If there is less than all have, take some back.
    pub(super) fn share_memory(&mut self, now: Instant) {
        let (mut kept, mut reserved) = (0, 0);
        for connection in self.connections.iter().flatten() {
            kept += connection.kept;
            reserved += connection.reserved.max(connection.kept);
        }
        // Of each limit, what others have of it.
        let shared = memory::limits(&self.groups).map(|it| (it.most, it.used.saturating_sub(kept)));
        let limits: Vec<(u64, u64)> = shared.chain(self.settings.memory.map(|most| (most, 0))).collect();
        let left = |(most, others): &(u64, u64)| (*most as i64).saturating_sub_unsigned(others + reserved);
        self.fair.left = limits.iter().map(left).min();
        (0..self.connections.len()).for_each(|place| self.reserve(place));
        let short = limits.iter().map(|(most, others)| (others + kept).saturating_sub(*most)).max();
        self.take_back(now, short.unwrap_or(0));
        (self.counters.kept_bytes, self.counters.left_bytes) =
            (kept, self.fair.left.unwrap_or(0).max(0).unsigned_abs());
    }

    /// So much more memory is used than there should be: end connections that have some of it and move nothing.
    fn take_back(&mut self, now: Instant, short: u64) {
        if short == 0 {
            return;
        }
        let all = self.connections.iter().enumerate();
        let holders = all.filter_map(|(place, connection)| {
            connection.as_ref().map(|it| Holder {
                place,
                host: it.host,
                moved_at: it.moved_at(),
                kept: it.kept,
            })
        });
        for place in to_end(now, &holders.collect::<Vec<_>>(), short) {
            self.counters.evicted += 1;
            self.connections[place].iter().for_each(Connection::end_at_once);
            self.forget(place);
        }
    }
}

/// As much as a connection needs now.
fn set_aside(fair: &mut Fair, connection: &mut Connection) {
    let needs = connection.needs();
    let before = std::mem::replace(&mut connection.reserved, needs);
    fair.change(connection.owners, before, needs);
}
