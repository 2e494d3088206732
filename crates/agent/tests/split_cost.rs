//! What split connections cost: memory of an idle one, allocations and time per packet. Each is two endpoints of TCP, so
//! an idle one takes more than what other agents remember.

#[path = "../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;

use counting::{CountingAllocator, heap};
use seamline_agent::{Agent, Handshake, Limits, Parameters, SplitParameters, WIRED, WIRELESS, find};
use seamline_wire::{
    Duration, Flags, Input, Instant, NodeId, Outbox, Packet, Port, Segment, SequenceNumber, TransportPort,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const LENGTH: u32 = 1000;

/// Open connections, all of whose initial sequence numbers are 0: so the far side answers first.
struct Load {
    agent: Box<dyn Agent>,
    out: Outbox,
    now: Instant,
    packets: u64,
    /// Bytes of payload that have left.
    sent_bytes: u64,
}

impl Load {
    fn new(connections: u32) -> Self {
        let split = SplitParameters { handshake: Handshake::FarSideFirst, ..SplitParameters::default() };
        let limits = Limits { bytes: u64::MAX, ..Limits::default() };
        let parameters = Parameters { split, limits, ..Parameters::default() };
        let agent = (find("split").expect("it is there").build)(&parameters);
        let mut load = Load { agent, out: Outbox::new(), now: Instant::ZERO, packets: 0, sent_bytes: 0 };
        (0..connections).for_each(|connection| load.open(connection));
        load
    }

    fn open(&mut self, connection: u32) {
        let segment = |sequence, acknowledgment, flags| Segment {
            sequence: SequenceNumber(sequence),
            acknowledgment: SequenceNumber(acknowledgment),
            flags,
            window: 60_000,
            maximum_segment_size: flags.contains(Flags::SYN).then_some(LENGTH as u16),
            ..Segment::default()
        };
        self.put(WIRED, connection, segment(0, 0, Flags::SYN));
        self.put(WIRELESS, connection, segment(0, 1, Flags::SYN | Flags::ACK));
        self.put(WIRED, connection, segment(1, 1, Flags::ACK));
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
        self.agent.step(self.now, Input::Packet(from, packet), &mut self.out);
        self.packets += 1;
        while let Some((_, packet)) = self.out.packets.pop() {
            self.sent_bytes += u64::from(packet.segment.length);
            self.out.recycle(packet);
        }
    }

    /// One packet of data for each connection, the `round`-th, and its acknowledgment.
    fn round(&mut self, round: u32, connections: u32) {
        self.now += Duration::from_millis(1);
        let at = |packets: u32| SequenceNumber(1 + packets * LENGTH);
        let segment = Segment { flags: Flags::ACK, window: 60_000, ..Segment::default() };
        for connection in 0..connections {
            let acknowledgment = SequenceNumber(1);
            let data = Segment { sequence: at(round), length: LENGTH, acknowledgment, ..segment };
            self.put(WIRED, connection, data);
            let ack = Segment { sequence: SequenceNumber(1), acknowledgment: at(round + 1), ..segment };
            self.put(WIRELESS, connection, ack);
        }
    }
}

#[test]
fn an_idle_connection_takes_a_few_kilobytes() {
    const MANY: u32 = 10_000;
    let before = heap().live_bytes;
    let load = Load::new(MANY);
    assert_eq!(load.agent.counters().split, u64::from(MANY));
    let bytes = (heap().live_bytes - before) / MANY as usize;
    println!("split: {bytes} bytes for an idle connection");
    assert!((1000..5000).contains(&bytes), "{bytes}");
}

#[test]
fn packets_cost_no_allocation_and_little_time() {
    const CONNECTIONS: u32 = 1000;
    let mut load = Load::new(CONNECTIONS);
    (0..100).for_each(|round| load.round(round, CONNECTIONS));
    let (before, packets) = (heap().allocations, load.packets);
    let time = || {
        let time = nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock");
        time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9
    };
    let begun = time();
    (100..300).for_each(|round| load.round(round, CONNECTIONS));
    let allocations = heap().allocations - before;
    let per_second = (load.packets - packets) as f64 / (time() - begun);
    println!("split: {:.1} M packets per CPU second, {CONNECTIONS} connections", per_second / 1e6);
    assert_eq!(allocations, 0);
    assert_eq!(load.sent_bytes, 300 * u64::from(CONNECTIONS * LENGTH), "all data goes on");
    let least = if cfg!(debug_assertions) { 0.2e6 } else { 1e6 };
    assert!(per_second >= least, "{per_second}");
}
