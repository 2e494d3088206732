//! Which flow a packet belongs to.

use seamline_wire::random::Stream;
use seamline_wire::{Extra, NodeId, Packet};

/// What makes a flow: the ends, their ports, and the kind of packet. Inside of tunnels, those of the inner packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub(super) source: NodeId,
    pub(super) destination: NodeId,
    ports: u32,
    protocol: u8,
}

impl FlowKey {
    pub(super) fn of(packet: &Packet) -> Self {
        let protocol = match packet.extra.as_deref() {
            None | Some(Extra::Segment(_)) => 0,
            Some(Extra::Control(_)) => 1,
            Some(Extra::Foreign(_)) => 2,
        };
        let ports = u32::from(packet.source_port.0) << 16 | u32::from(packet.destination_port.0);
        FlowKey { source: packet.source, destination: packet.destination, ports, protocol }
    }
}

/// A hash with a key of its own, drawn once from a named stream. So which flows share a queue depends on the seed, as it depends on the
/// boot of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlowHash(u64);

impl FlowHash {
    pub(super) fn new(stream: &mut Stream) -> Self {
        FlowHash(stream.bits())
    }
    pub(super) fn of(self, key: &FlowKey) -> u64 {
        let ends = u64::from(key.source.0) << 32 | u64::from(key.destination.0);
        let rest = u64::from(key.ports) << 8 | u64::from(key.protocol);
        mix(mix(self.0 ^ ends).wrapping_add(rest))
    }
    /// One of `count` queues.
    pub(super) fn place(self, key: &FlowKey, count: usize) -> usize {
        ((u128::from(self.of(key)) * count as u128) >> 64) as usize
    }
}

/// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::TransportPort;

    /// 10,000 flows fall on 16 queues evenly (625 each, a standard deviation of 24), and elsewhere with another seed.
    #[test]
    fn flows_are_spread_evenly() {
        let place = |seed, port| {
            let hash = FlowHash::new(&mut Stream::new(seed, "air/down/queue"));
            hash.place(&FlowKey::of(&Packet { source_port: TransportPort(port), ..Packet::default() }), 16)
        };
        let mut counts = [0; 16];
        (0..10_000).for_each(|port| counts[place(1, port)] += 1);
        assert!(counts.iter().all(|count| (525..725).contains(count)), "{counts:?}");
        let same = (0..10_000).filter(|port| place(1, *port) == place(2, *port)).count();
        assert!((525..725).contains(&same), "{same}");
    }
}
