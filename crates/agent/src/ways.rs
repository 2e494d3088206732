//! The tunnels that the packets of a connection use.

use crate::key::Side;
use seamline_wire::{NodeId, Tunnel, Tunnels};

/// By side: the tunnels that lead from an agent to that end of a connection, as the newest packet used them.
///
/// Tunnels of mobility protocols count as bidirectional until they are seen not to be (Mobile IPv4 without reverse tunnelling). So a packet
/// from a care-of address also shows where to send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways([Way; 2]);

#[derive(Clone, Copy, Debug)]
struct Way {
    tunnels: Tunnels,
    /// A packet to that side has been seen.
    is_seen: bool,
}

impl Ways {
    /// Before the first packet.
    pub(crate) const UNKNOWN: Ways = Ways([Way { tunnels: Tunnels::NONE, is_seen: false }; 2]);

    /// The tunnels for packets to this side.
    pub(crate) fn towards(&self, side: Side) -> Tunnels {
        self.0[side.index()].tunnels
    }
    /// A packet goes to this side.
    #[inline]
    pub(crate) fn note(&mut self, side: Side, tunnels: Tunnels) {
        let way = &self.0[side.index()];
        if !way.is_seen || way.tunnels != tunnels {
            self.change(side, tunnels);
        }
    }
    #[cold]
    fn change(&mut self, side: Side, tunnels: Tunnels) {
        let back = &mut self.0[side.other().index()];
        let reversed = tunnels.reversed();
        if !back.is_seen || have_one_far_end(side, &reversed, &back.tunnels) {
            back.tunnels = reversed;
        }
        self.0[side.index()] = Way { tunnels, is_seen: true };
    }
    /// The mobile node has left these care-of addresses for another one, or is at home, where no tunnel leads.
    pub(crate) fn follow(&mut self, left: &[NodeId], care_of_address: Option<NodeId>) {
        for side in Side::BOTH {
            let tunnels = &mut self.0[side.index()].tunnels;
            let Some(address) = care_of_address else {
                *tunnels = Tunnels::NONE;
                continue;
            };
            tunnels.change(|tunnel| {
                let end = if side == Side::Wired { &mut tunnel.entry } else { &mut tunnel.exit };
                if left.contains(end) {
                    *end = address;
                }
            });
        }
    }
}

/// Whether the reversed tunnels of a packet to this side have the same far ends as those known for the other direction. Then they are
/// bidirectional, and only the mobile node's ends have changed.
fn have_one_far_end(side: Side, one: &Tunnels, other: &Tunnels) -> bool {
    let [one, other] = [one, other].map(Tunnels::iter);
    let is_same = |(one, other): (Tunnel, Tunnel)| match side {
        Side::Wired => one.entry == other.entry,
        Side::Wireless => one.exit == other.exit,
    };
    one.len() == other.len() && one.zip(other).all(is_same)
}
