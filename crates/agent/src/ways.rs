//! By which tunnels the packets of a connection go.

use crate::key::Side;
use seamline_wire::{NodeId, Tunnel, Tunnels};

/// The tunnels that lead to the ends of a connection from where an agent stands: those of the newest packet.
///
/// Tunnels of mobility protocols are bidirectional unless they are seen not to be, as those of Mobile IPv4 without reverse tunnelling: so what
/// comes from a care-of address shows where to send, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    wired: Way,
    wireless: Way,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    tunnels: Tunnels,
    /// A packet has gone there.
    is_seen: bool,
}

impl Ways {
    /// Nothing has come.
    pub(crate) const UNKNOWN: Ways = {
        let unknown = Way { tunnels: Tunnels::NONE, is_seen: false };
        Ways { wired: unknown, wireless: unknown }
    };

    /// The tunnels for what goes to this side.
    pub(crate) fn towards(&self, side: Side) -> Tunnels {
        match side {
            Side::Wired => self.wired.tunnels,
            Side::Wireless => self.wireless.tunnels,
        }
    }
    /// A packet goes to this side.
    #[inline]
    pub(crate) fn note(&mut self, side: Side, tunnels: Tunnels) {
        let [way, _] = self.there_and_back(side);
        if !way.is_seen || way.tunnels != tunnels {
            self.change(side, tunnels);
        }
    }
    #[cold]
    fn change(&mut self, side: Side, tunnels: Tunnels) {
        let [there, back] = self.there_and_back(side);
        let reversed = tunnels.reversed();
        if !back.is_seen || have_one_far_end(side, &reversed, &back.tunnels) {
            back.tunnels = reversed;
        }
        *there = Way { tunnels, is_seen: true };
    }
    fn there_and_back(&mut self, side: Side) -> [&mut Way; 2] {
        match side {
            Side::Wired => [&mut self.wired, &mut self.wireless],
            Side::Wireless => [&mut self.wireless, &mut self.wired],
        }
    }
    /// The mobile node has left these care-of addresses for another one, or is at home, where no tunnel leads.
    pub(crate) fn follow(&mut self, left: &[NodeId], care_of_address: Option<NodeId>) {
        for side in Side::BOTH {
            let [Way { tunnels, .. }, _] = self.there_and_back(side);
            let Some(address) = care_of_address else {
                *tunnels = Tunnels::NONE;
                continue;
            };
            for tunnel in tunnels.as_mut_slice() {
                let end = if side == Side::Wired { &mut tunnel.entry } else { &mut tunnel.exit };
                if left.contains(end) {
                    *end = address;
                }
            }
        }
    }
}

/// Whether the tunnels that a packet to this side would come back by lead from, or to, the same far ends as those known for the other
/// direction: then they are bidirectional, and only the mobile node's ends have changed.
fn have_one_far_end(side: Side, one: &Tunnels, other: &Tunnels) -> bool {
    let [one, other] = [one, other].map(Tunnels::as_slice);
    let is_same = |(one, other): (&Tunnel, &Tunnel)| match side {
        Side::Wired => one.entry == other.entry,
        Side::Wireless => one.exit == other.exit,
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}
