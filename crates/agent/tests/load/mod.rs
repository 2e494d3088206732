//! Many connections through one agent, and what they cost.

#[path = "../../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;

use counting::CountingAllocator;
pub(crate) use counting::heap;
use seamline_agent::{Agent, Handshake, Kind, Limits, Parameters, SplitParameters, WIRED, WIRELESS};
use seamline_wire::{
    Duration, Flags, Input, Instant, NodeId, Outbox, Packet, Port, Segment, SequenceNumber, TransportPort,
    Tunnel,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Packets on the way over the air of each connection.
const WINDOW: u32 = 10;
pub(crate) const LENGTH: u32 = 1000;

/// Open connections whose packets take turns, so that none is found twice in a row. All their initial sequence numbers are 0:
/// so where a connection is split, the far side answers first.
pub(crate) struct Load {
    pub(crate) agent: Box<dyn Agent>,
    pub(crate) packets: u64,
    /// Bytes of payload that have left over the air.
    pub(crate) sent_bytes: u64,
    out: Outbox,
    now: Instant,
    connections: u32,
    /// Everything is in this tunnel to the wireless side, or comes from there by it.
    pub(crate) tunnel: Option<Tunnel>,
}

impl Load {
    pub(crate) fn new(kind: &Kind, connections: u32) -> Self {
        Load::with(kind, connections, None)
    }
    pub(crate) fn inside_a_tunnel(kind: &Kind, connections: u32) -> Self {
        Load::with(kind, connections, Some(Tunnel { entry: NodeId(1000), exit: NodeId(1001) }))
    }
    /// In an agent that has memory without bound.
    fn with(kind: &Kind, connections: u32, tunnel: Option<Tunnel>) -> Self {
        let split = SplitParameters { handshake: Handshake::FarSideFirst, ..SplitParameters::default() };
        let limits = Limits { bytes: u64::MAX, ..Limits::default() };
        let inside_tunnels = tunnel.is_some();
        let agent = kind.build(&Parameters { split, limits, inside_tunnels, ..Parameters::default() });
        let (out, now) = (Outbox::new(), Instant::ZERO);
        let mut load = Load { agent, out, now, packets: 0, sent_bytes: 0, connections, tunnel };
        (0..connections).for_each(|connection| load.open(connection));
        load
    }

    fn open(&mut self, connection: u32) {
        let syn = |acknowledgment, flags| Segment {
            acknowledgment: SequenceNumber(acknowledgment),
            flags,
            window: 60_000,
            maximum_segment_size: Some(LENGTH as u16),
            ..Segment::default()
        };
        self.put(WIRED, connection, syn(0, Flags::SYN));
        self.put(WIRELESS, connection, syn(1, Flags::SYN | Flags::ACK));
        self.put(WIRED, connection, segment(1, 1));
    }

    fn put(&mut self, from: Port, connection: u32, segment: Segment) {
        let fixed = (NodeId(1), TransportPort(80));
        let mobile = (NodeId(2 + connection / 100), TransportPort(5000 + (connection % 100) as u16));
        let (source, destination) = if from == WIRED { (fixed, mobile) } else { (mobile, fixed) };
        let mut packet = self.out.packet();
        *packet = Packet {
            source: source.0,
            source_port: source.1,
            destination: destination.0,
            destination_port: destination.1,
            wire_bytes: 40 + segment.length,
            segment,
            ..Packet::default()
        };
        if let Some(Tunnel { entry, exit }) = self.tunnel {
            let [entry, exit] = if from == WIRED { [entry, exit] } else { [exit, entry] };
            assert!(packet.encapsulate_in_ipv6(Tunnel { entry, exit }));
        }
        self.agent.step(self.now, Input::Packet(from, packet), &mut self.out);
        self.packets += 1;
        self.clear();
    }

    fn clear(&mut self) {
        while let Some((port, packet)) = self.out.packets.pop() {
            if port == WIRELESS {
                self.sent_bytes += u64::from(packet.segment.length);
            }
            self.out.recycle(packet);
        }
    }

    /// So long nothing comes.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.now += time;
        if self.agent.wake_at().is_some_and(|at| at <= self.now) {
            self.agent.step(self.now, Input::Wake, &mut self.out);
            self.clear();
        }
    }

    /// One packet of data for each connection, the `round`-th, and an acknowledgment of what came some time before. One packet
    /// in fifty is late on the air: two duplicates say so.
    pub(crate) fn round(&mut self, round: u32) {
        self.pass(Duration::from_millis(1));
        for connection in 0..self.connections {
            self.data(connection, round);
        }
        let Some(arrived) = round.checked_sub(WINDOW) else { return };
        let is_late = |connection: u32| (arrived + connection).is_multiple_of(50);
        for connection in 0..self.connections {
            self.acknowledge(connection, if is_late(connection) { arrived } else { arrived + 1 });
        }
        for connection in (0..self.connections).filter(|connection| is_late(*connection)) {
            self.acknowledge(connection, arrived);
        }
    }

    /// The packet of this number comes for a mobile node.
    pub(crate) fn data(&mut self, connection: u32, number: u32) {
        let sequence = 1 + number * LENGTH;
        self.put(WIRED, connection, Segment { length: LENGTH, ..segment(sequence, 1) });
    }

    /// A mobile node has so many packets.
    pub(crate) fn acknowledge(&mut self, connection: u32, packets: u32) {
        self.put(WIRELESS, connection, segment(1, 1 + packets * LENGTH));
    }
}

fn segment(sequence: u32, acknowledgment: u32) -> Segment {
    let (sequence, acknowledgment) = (SequenceNumber(sequence), SequenceNumber(acknowledgment));
    Segment { sequence, acknowledgment, flags: Flags::ACK, window: 60_000, ..Segment::default() }
}

/// In seconds, of this thread.
pub(crate) fn processor_time() -> f64 {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
}
