//! TCP for Transactions (T/TCP; RFC 1644, historic since RFC 6247): what a host remembers of its peers, so that a short transfer to one
//! it has met before takes a round trip less.
//!
//! A host counts its connections, and says the count in its SYN. A listener that has accepted a lower count of the same peer knows
//! that the SYN is no old duplicate: it takes in the data that comes with it at once, without a three-way handshake (the TAO test,
//! section 3.2). Where it knows no count, as at the first connection, the handshake goes its way and the count is remembered after it.
//! TIME-WAIT is shortened (section 3.5). The memory is of hosts, not of paths: a handover leaves it as it is.
//!
//! Three things are left out. The options are in segments with SYN alone, because in others they only tell connections between the same
//! ports apart. A FIN does not go with the SYN. And the first SYN to a peer carries no data.
//!
//! Who guesses a count has data accepted from any address, which is why the protocol was abandoned: it is for experiments.

use seamline_wire::{ConnectionCount, NodeId};
use std::collections::BTreeMap;

/// The counts of a host, and those of its peers.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    /// The count of the newest connection.
    newest: u32,
    peers: BTreeMap<NodeId, Peer>,
}

/// What is known of a peer.
#[derive(Clone, Copy, Debug, Default)]
struct Peer {
    /// The newest of its counts that was accepted (cache.CC).
    received: Option<u32>,
    /// It has accepted a count of this host (cache.CCsent).
    knows_us: bool,
}

impl Peer {
    /// Keep this count unless a newer one is known.
    fn learn(&mut self, count: u32) {
        let is_newer = |known: u32| count.wrapping_sub(known).cast_signed() > 0;
        if self.received.is_none_or(is_newer) {
            self.received = Some(count);
        }
    }
}

impl Transactions {
    /// The count of another connection.
    pub(crate) fn next(&mut self) -> u32 {
        self.newest = self.newest.wrapping_add(1);
        self.newest
    }
    /// What the SYN of a connection to this peer says.
    pub(crate) fn begin(&mut self, peer: NodeId, count: u32) -> ConnectionCount {
        match self.peers.entry(peer).or_default().knows_us {
            true => ConnectionCount::Count(count),
            false => ConnectionCount::New(count),
        }
    }
    /// The TAO test: whether a SYN that says this is certainly no old duplicate.
    pub(crate) fn accepts(&mut self, peer: NodeId, count: ConnectionCount) -> bool {
        let peer = self.peers.entry(peer).or_default();
        match count {
            ConnectionCount::Count(count) => {
                let before = peer.received;
                if before.is_some() {
                    peer.learn(count);
                }
                peer.received != before
            }
            ConnectionCount::New(_) => {
                peer.received = None;
                false
            }
            ConnectionCount::Answer(_) => false,
        }
    }
    /// The handshake of a connection with this count of the peer's is over.
    pub(crate) fn confirm(&mut self, peer: NodeId, count: u32) {
        self.peers.entry(peer).or_default().learn(count);
    }
    /// The peer has answered a count of this host by one of its own.
    pub(crate) fn answered(&mut self, peer: NodeId, count: u32) {
        let peer = self.peers.entry(peer).or_default();
        peer.knows_us = true;
        peer.learn(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: NodeId = NodeId(7);

    /// RFC 1644 section 3.2: a count passes the test only where a lower one was accepted, and then once.
    #[test]
    fn the_tao_test() {
        let mut known = Transactions::default();
        assert!(!known.accepts(PEER, ConnectionCount::Count(5)), "nothing is known");
        known.confirm(PEER, 5);
        assert!(!known.accepts(NodeId(8), ConnectionCount::Count(6)), "of another host");
        assert!(known.accepts(PEER, ConnectionCount::Count(6)));
        assert!(!known.accepts(PEER, ConnectionCount::Count(6)), "the same SYN again");
        assert!(!known.accepts(PEER, ConnectionCount::Count(4)), "an older one");
        known.confirm(PEER, 5);
        assert!(
            !known.accepts(PEER, ConnectionCount::Count(6)),
            "a handshake that ends late takes nothing back"
        );
        known.confirm(PEER, 1 << 31);
        known.confirm(PEER, u32::MAX);
        assert!(known.accepts(PEER, ConnectionCount::Count(2)), "counts wrap");
        assert!(!known.accepts(PEER, ConnectionCount::New(3)), "CC.NEW");
        assert!(!known.accepts(PEER, ConnectionCount::Count(4)), "and nothing is known again");
    }

    /// The first SYN to a peer says CC.NEW, and those after an answer CC.
    #[test]
    fn the_first_syn_says_so() {
        let mut known = Transactions::default();
        assert_eq!(known.begin(PEER, 1), ConnectionCount::New(1));
        assert_eq!(known.begin(PEER, 2), ConnectionCount::New(2), "it was not answered");
        known.answered(PEER, 9);
        assert_eq!(known.begin(PEER, 3), ConnectionCount::Count(3));
        assert!(known.accepts(PEER, ConnectionCount::Count(10)), "an answer tells its count");
    }
}
