//! The order of sending, by which losses are found: a list through the records of those that have neither arrived nor are lost.

use super::{Id, NONE, Queue, Record};

/// Where a record is with respect to the order of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the order.
    Within,
    /// Not in it while the segment is taken to be lost.
    Aside,
    /// Not in it until the segment is sent again.
    Outside,
}

impl Queue {
    /// The segment that was sent the longest ago of those that have neither arrived nor are lost.
    pub(in crate::sender::tracking) fn oldest(&self) -> Option<Id> {
        self.oldest
    }
    /// Of these the one sent last before what had that place among all that was sent, which never falls from one call to the next.
    pub(in crate::sender::tracking) fn newest_before(&mut self, departure: u64) -> Option<Id> {
        let mut next = self.passed.map_or(self.oldest, |id| self.newer(id));
        while let Some(id) = next.filter(|&id| self.get(id).departure < departure) {
            self.passed = Some(id);
            next = self.newer(id);
        }
        self.passed
    }
    fn newer(&self, id: Id) -> Option<Id> {
        some(self.get(id).newer)
    }
    /// The segment is lost: it comes back when that turns out to be wrong.
    pub(super) fn set_aside(&mut self, id: Id) {
        if self.get(id).place == Place::Within {
            self.remove_from_order(id);
            self.get_mut(id).place = Place::Aside;
        }
    }
    /// Take those that are aside back to where they were.
    pub(super) fn restore_order(&mut self) {
        let mut order: Vec<Id> = self.ids().filter(|&id| self.get(id).place != Place::Outside).collect();
        order.sort_unstable_by_key(|&id| self.get(id).departure);
        (self.oldest, self.newest, self.passed) = (None, None, None);
        order.into_iter().for_each(|id| self.link(id));
    }
    pub(in crate::sender::tracking) fn remove_from_order(&mut self, id: Id) {
        let Record { older, newer, place, .. } = *self.get(id);
        self.get_mut(id).place = Place::Outside;
        if place != Place::Within {
            return;
        }
        if self.passed == Some(id) {
            self.passed = some(older);
        }
        match older {
            NONE => self.oldest = some(newer),
            _ => self.get_mut(older).newer = newer,
        }
        match newer {
            NONE => self.newest = some(older),
            _ => self.get_mut(newer).older = older,
        }
    }
    pub(super) fn append_to_order(&mut self, id: Id) {
        self.departures += 1;
        self.get_mut(id).departure = self.departures;
        self.link(id);
    }
    /// It is the newest one of the order.
    fn link(&mut self, id: Id) {
        let newest = self.newest.replace(id);
        let record = self.get_mut(id);
        record.place = Place::Within;
        record.newer = NONE;
        record.older = newest.unwrap_or(NONE);
        match newest {
            Some(before) => self.get_mut(before).newer = id,
            None => self.oldest = Some(id),
        }
    }
}

fn some(id: Id) -> Option<Id> {
    (id != NONE).then_some(id)
}
