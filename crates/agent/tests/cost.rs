//! What agents cost: packets per second of processor time with a thousand connections, memory of an idle one, allocations.
//!
//! ```text
//! cargo test --release -p seamline-agent --test cost -- --nocapture
//! ```

#[path = "../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;

use counting::{CountingAllocator, heap};
use seamline_agent::{Agent, Kind, Parameters, WIRED, WIRELESS};
use seamline_wire::{
    Duration, Flags, Input, Instant, NodeId, Outbox, Packet, Segment, SequenceNumber, TransportPort, Tunnel,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const CONNECTIONS: u32 = 1000;
/// Packets on the way over the air of each connection.
const WINDOW: u32 = 10;
const LENGTH: u32 = 1000;

/// Connections whose packets take turns, so that none is found twice in a row.
struct Load {
    agent: Box<dyn Agent>,
    out: Outbox,
    now: Instant,
    packets: u64,
    /// Everything is in this tunnel to the wireless side, or comes from there by it.
    tunnel: Option<Tunnel>,
}

impl Load {
    fn new(kind: &Kind) -> Self {
        let agent = (kind.build)(&Parameters::default());
        Load { agent, out: Outbox::new(), now: Instant::ZERO, packets: 0, tunnel: None }
    }
    fn inside_a_tunnel(kind: &Kind) -> Self {
        let parameters = Parameters { inside_tunnels: true, ..Parameters::default() };
        let tunnel = Some(Tunnel { entry: NodeId(1000), exit: NodeId(1001) });
        Load { agent: (kind.build)(&parameters), tunnel, ..Load::new(kind) }
    }

    fn put(&mut self, from_wired: bool, connection: u32, segment: Segment) {
        let fixed = (NodeId(1), TransportPort(80));
        let mobile = (NodeId(2 + connection / 100), TransportPort(5000 + (connection % 100) as u16));
        let (from, to) = if from_wired { (fixed, mobile) } else { (mobile, fixed) };
        let mut packet = self.out.packet();
        *packet = Packet {
            source: from.0,
            source_port: from.1,
            destination: to.0,
            destination_port: to.1,
            wire_bytes: 40 + segment.length,
            segment,
            ..Packet::default()
        };
        if let Some(Tunnel { entry, exit }) = self.tunnel {
            let [entry, exit] = if from_wired { [entry, exit] } else { [exit, entry] };
            assert!(packet.encapsulate_in_ipv6(Tunnel { entry, exit }));
        }
        let port = if from_wired { WIRED } else { WIRELESS };
        self.agent.step(self.now, Input::Packet(port, packet), &mut self.out);
        self.packets += 1;
        self.clear();
    }

    fn clear(&mut self) {
        while let Some((_, packet)) = self.out.packets.pop() {
            self.out.recycle(packet);
        }
    }

    /// One packet of data and one acknowledgment of each connection, `round` packets after its first. One packet in fifty is
    /// lost on the air: two duplicates say so.
    fn round(&mut self, round: u32) {
        self.now += Duration::from_millis(1);
        if self.agent.wake_at().is_some_and(|at| at <= self.now) {
            self.agent.step(self.now, Input::Wake, &mut self.out);
            self.clear();
        }
        let at = |packets: u32| SequenceNumber(1 + packets * LENGTH);
        for connection in 0..CONNECTIONS {
            let data =
                Segment { sequence: at(round), length: LENGTH, flags: Flags::ACK, ..Segment::default() };
            self.put(true, connection, data);
        }
        let Some(arrived) = round.checked_sub(WINDOW) else { return };
        let is_lost = |connection: u32| (arrived + connection).is_multiple_of(50);
        for connection in 0..CONNECTIONS {
            let acknowledged = if is_lost(connection) { at(arrived) } else { at(arrived + 1) };
            let ack = Segment { acknowledgment: acknowledged, flags: Flags::ACK, ..Segment::default() };
            self.put(false, connection, ack);
        }
        for connection in (0..CONNECTIONS).filter(|connection| is_lost(*connection)) {
            let ack = Segment { acknowledgment: at(arrived), flags: Flags::ACK, ..Segment::default() };
            self.put(false, connection, ack);
        }
    }
}

/// In seconds, of this thread.
fn processor_time() -> f64 {
    let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
    time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
}

/// The best of three: what else the machine does only adds.
fn packets_per_second(mut load: Load) -> f64 {
    (0..200).for_each(|round| load.round(round));
    assert_eq!((load.agent.counters().packets, load.agent.counters().unknown), (load.packets, 0));
    let mut best = 0.0f64;
    for part in 0..3 {
        let (before, begun) = (load.packets, processor_time());
        (0..200).for_each(|round| load.round(200 * (part + 1) + round));
        best = best.max((load.packets - before) as f64 / (processor_time() - begun));
    }
    best
}

#[test]
fn two_million_packets_a_second() {
    let least = if cfg!(debug_assertions) { 0.3e6 } else { 2e6 };
    for kind in seamline_agent::ALL {
        for load in [Load::new(kind), Load::inside_a_tunnel(kind)] {
            let in_a_tunnel = load.tunnel.is_some();
            let found = packets_per_second(load);
            println!(
                "{}: {:.1} M packets per CPU second, {CONNECTIONS} connections, in a tunnel: {in_a_tunnel}",
                kind.name,
                found / 1e6
            );
            assert!(found >= least, "{}: {found}", kind.name);
        }
    }
}

#[test]
fn nothing_is_allocated_per_packet() {
    for kind in seamline_agent::ALL {
        for mut load in [Load::new(kind), Load::inside_a_tunnel(kind)] {
            (0..200).for_each(|round| load.round(round));
            let before = heap();
            (200..300).for_each(|round| load.round(round));
            let after = heap();
            assert_eq!(after.allocations - before.allocations, 0, "{}", kind.name);
        }
    }
}

#[test]
fn an_idle_connection_takes_less_than_a_kilobyte() {
    const MANY: u32 = 10_000;
    for kind in seamline_agent::ALL {
        let mut load = Load::new(kind);
        load.put(true, 0, Segment { flags: Flags::SYN, ..Segment::default() });
        let before = heap();
        for connection in 0..MANY {
            let data = Segment {
                sequence: SequenceNumber(1),
                length: LENGTH,
                flags: Flags::ACK,
                ..Segment::default()
            };
            load.put(true, connection, data);
            let acknowledgment = SequenceNumber(1 + LENGTH);
            load.put(false, connection, Segment { acknowledgment, flags: Flags::ACK, ..Segment::default() });
        }
        let bytes = (heap().live_bytes - before.live_bytes) / MANY as usize;
        println!("{}: {bytes} bytes for an idle connection", kind.name);
        assert!((16..1000).contains(&bytes), "{}: {bytes}", kind.name);
    }
}
