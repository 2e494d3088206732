//! What a bridge asks of the table, and does to it, besides showing packets to the agent.

use super::{Connections, Place, Slot};
use crate::key::{ConnectionKey, End, Side};
use seamline_wire::{Instant, NodeId, Packet, SequenceNumber, TransportPort};

impl<A: End, L: Copy> Connections<A, L> {
    /// The connection with this key, if the agent is shown it.
    pub fn find_shown(&self, key: &ConnectionKey<A>) -> Option<Place> {
        let index = *self.by_key.get(key)?;
        (!self.slots[index].is_unconfirmed).then(|| self.place(index))
    }
    /// The ends of the connection of which [`Place::node`] is one.
    pub fn key_of(&self, end: NodeId) -> Option<ConnectionKey<A>> {
        self.slot_of(end)?.held.as_ref().map(|(key, _)| *key)
    }
    /// The link header of the newest packet of that connection that leaves by this side.
    pub fn link_of(&self, end: NodeId, towards: Side) -> Option<L> {
        self.slot_of(end)?.links[towards.index()]
    }
    fn slot_of(&self, end: NodeId) -> Option<&Slot<A, L>> {
        self.slots.get(end.0 as usize / 2)
    }
    /// The connections of hosts on the wireless side from `first` on, as long as they are of the host.
    pub fn of_host(&self, first: A, is_host: impl Fn(&A) -> bool) -> Vec<Place> {
        let lowest = (first, TransportPort(0));
        // The wired end only has to be there: ports begin at 1.
        let known = self.by_key.range(ConnectionKey { wireless: lowest, wired: lowest }..);
        let of_host = known.take_while(|(key, _)| is_host(&key.wireless.0));
        of_host.map(|(_, index)| self.place(*index)).collect()
    }
    /// By side: whether it has sent its FIN.
    pub fn has_ended(&self, place: Place) -> [bool; 2] {
        self.slots[place.index()].guard.as_ref().map_or([false; 2], |guard| guard.has_ended())
    }
    /// The next byte that the mobile node misses, if it was heard of, and data on its way there, in order of sequence.
    pub fn kept(&self, place: Place) -> (Option<SequenceNumber>, Vec<&Packet>) {
        let held = self.slots[place.index()].held.as_ref();
        held.map_or_else(Default::default, |(_, connection)| connection.kept())
    }
    /// Forget a connection, and drop what is kept of it.
    pub fn forget(&mut self, place: Place) {
        if self.place(place.index()) == place {
            self.take_away(place.index());
        }
    }

    /// The agent at another base station knows it, and the mobile host is here now: from now on the agent is shown it, beginning with what
    /// the other has kept ([`Connections::admit`], [`Connections::show`]; what leaves then is to be dropped) until
    /// [`Connections::arrive`]. What was kept of it here is dropped. `None` when there is no room.
    pub fn adopt(
        &mut self,
        now: Instant,
        key: ConnectionKey<A>,
        link: L,
        has_ended: [bool; 2],
    ) -> Option<Place> {
        let index = self.find_or_begin(now, key)?;
        let is_new = self.confirm(index);
        let slot = &mut self.slots[index];
        slot.heard = [now; 2];
        slot.guard = Some(Box::default());
        if is_new {
            slot.links[Side::Wireless.index()] = Some(link);
        }
        slot.held = Some((key, self.make.make()));
        self.begin_flow(index, [None; 2]);
        self.set_kept(index, 0);
        let ended = Side::BOTH.into_iter().filter(|side| has_ended[side.index()]);
        ended.for_each(|side| self.note_end(index, side));
        Some(self.place(index))
    }
    /// All is shown that was handed over: at the next [`Connections::wake`] the agent begins to send it.
    pub fn arrive(&mut self, place: Place) {
        self.slots[place.index()].is_new_here = true;
        self.timers.set(place.index(), Instant::ZERO);
    }
}
