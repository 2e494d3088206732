//! Floods of connections: memory stays within what is stated, and connections that are helped go on being helped.

#[path = "../../sim/tests/common/counting.rs"]
#[allow(dead_code, unreachable_pub, reason = "each test uses its part of this")]
mod counting;
mod support;

use counting::{CountingAllocator, forget_peak, heap};
use seamline_agent::{Limits, Side};
use seamline_bridge::{BYTES_PER_FLOW, Engine, Outgoing, most_memory};
use seamline_wire::{Duration, Flags, Instant};
use support::*;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const FLOOD: u32 = 100_000;
const ROOM: u32 = 20_000;
const FIXED: End = (1, 80);

fn limits() -> Limits {
    Limits { connections: ROOM, bytes: 4 << 20, ..Limits::default() }
}

struct Bridge {
    engine: Engine,
    now: Instant,
}

impl Bridge {
    fn new(kind: &str) -> Self {
        Bridge { engine: Engine::new(settings(kind, limits())), now: Instant::ZERO }
    }
    /// How many frames leave.
    fn pass(&mut self, from: Side, ends: [End; 2], flags: Flags, numbers: [u32; 2], payload: &[u8]) -> usize {
        self.now += Duration::from_micros(10);
        let frame = ethernet(from, None, &packet(4, ends, segment(flags, numbers[0], numbers[1]), payload));
        let mut sent = Outgoing::new();
        self.engine.pass(self.now, from, &frame, &mut sent);
        sent.len()
    }
    fn open(&mut self, mobile: End) {
        self.pass(Side::Wired, [FIXED, mobile], Flags::SYN, [0, 0], &[]);
        self.pass(Side::Wireless, [mobile, FIXED], Flags::SYN | Flags::ACK, [6, 1], &[]);
        self.pass(Side::Wired, [FIXED, mobile], Flags::ACK, [1, 7], &[]);
    }
    /// Data, of which the first packet is lost on the air: whether it was sent again.
    fn is_helped(&mut self, mobile: End, begin: u32) -> bool {
        let before = self.engine.agent_counters().local_retransmissions;
        for number in 0..4 {
            self.pass(Side::Wired, [FIXED, mobile], Flags::ACK, [begin + 100 * number, 7], &[1; 100]);
        }
        for _ in 0..4 {
            self.pass(Side::Wireless, [mobile, FIXED], Flags::ACK, [7, begin], &[]);
        }
        self.pass(Side::Wireless, [mobile, FIXED], Flags::ACK, [7, begin + 400], &[]);
        self.engine.agent_counters().local_retransmissions > before
    }
}

fn mobile(number: u32) -> End {
    (1000 + number, 5000)
}

/// The sources are forged, so nobody acknowledges the answers.
#[test]
fn a_flood_of_syns_takes_no_place_from_connections_that_are_helped() {
    let mut bridge = Bridge::new("snoop");
    let before = heap().live_bytes;
    forget_peak();
    let helped: Vec<End> = (0..100).map(mobile).collect();
    for mobile in &helped {
        bridge.open(*mobile);
        assert!(bridge.is_helped(*mobile, 1));
    }
    for number in 0..FLOOD {
        let forged = mobile(1000 + number);
        assert_eq!(bridge.pass(Side::Wired, [forged, (7, 443)], Flags::SYN, [1, 0], &[]), 1);
        assert_eq!(bridge.pass(Side::Wireless, [(7, 443), forged], Flags::SYN | Flags::ACK, [1, 2], &[]), 1);
    }
    assert_eq!(bridge.engine.flows(), ROOM as usize);
    assert_eq!(bridge.engine.agent_counters().displaced, u64::from(FLOOD + 100 - ROOM));
    assert_eq!((bridge.engine.known_flows(), bridge.engine.counters().shown < 2000), (100, true));
    for mobile in &helped {
        assert!(bridge.is_helped(*mobile, 401));
    }
    bridge.open(mobile(999));
    assert!(bridge.is_helped(mobile(999), 1), "a new connection finds a place");
    let most = heap().peak_bytes - before;
    println!("{FLOOD} SYNs: at most {most} bytes, {} for each of {ROOM} places", most / ROOM as usize);
    assert!(most < ROOM as usize * BYTES_PER_FLOW);
}

/// These acknowledge, so they are connections; what there is no room for passes.
#[test]
fn a_hundred_thousand_connections_take_what_is_stated() {
    for kind in KINDS {
        let before = heap().live_bytes;
        forget_peak();
        let mut bridge = Bridge::new(kind);
        for number in 0..FLOOD {
            let mobile = mobile(number);
            bridge.open(mobile);
            assert_eq!(bridge.pass(Side::Wired, [FIXED, mobile], Flags::ACK, [1, 7], &[1; 20]), 1);
            assert_eq!(bridge.pass(Side::Wireless, [mobile, FIXED], Flags::ACK, [7, 21], &[]), 1);
        }
        assert_eq!(bridge.engine.known_flows(), ROOM as usize);
        assert!(bridge.engine.agent_counters().unknown >= 5 * u64::from(FLOOD - ROOM));
        let bytes = (heap().live_bytes - before) / ROOM as usize;
        println!("{kind}: {bytes} bytes for each connection");
        assert!((BYTES_PER_FLOW / 4..BYTES_PER_FLOW).contains(&bytes), "{kind}: {bytes}");
        bridge.now += Duration::from_secs(7500);
        let mut sent = Outgoing::new();
        bridge.engine.wake(bridge.now, &mut sent);
        assert_eq!(bridge.engine.flows(), 0, "{kind}: all are forgotten");
        assert!(bridge.engine.agent_counters().expired >= ROOM.into());
    }
}

/// Data of one byte, which takes most besides its bytes, and of a thousand; nothing is ever acknowledged.
#[test]
fn what_is_kept_stays_within_the_memory_that_is_set() {
    for kind in ["snoop", "obtcp-bs", "obtcp-mr"] {
        for length in [1, 1000] {
            let before = heap().live_bytes;
            let mut bridge = Bridge::new(kind);
            let connections = 2000;
            for number in 0..connections {
                bridge.open(mobile(number));
            }
            let tables = heap().live_bytes;
            let payload = vec![1; length];
            for number in 0..100 {
                for connection in 0..connections {
                    let sequence = 1 + number * length as u32;
                    bridge.pass(
                        Side::Wired,
                        [FIXED, mobile(connection)],
                        Flags::ACK,
                        [sequence, 7],
                        &payload,
                    );
                }
            }
            assert!(bridge.engine.agent_counters().not_cached > 0, "{kind}: there was more than fits");
            let kept = heap().live_bytes - tables;
            // The tables of caches grow by doubling.
            let most = (limits().bytes as usize) + connections as usize * 128 * 48;
            println!("{kind}, {length} bytes a packet: {kept} bytes kept, tables {}", tables - before);
            assert!((limits().bytes as usize / 3..most).contains(&kept), "{kind}: {kept}");
            let settings = settings(kind, Limits { connections, ..limits() });
            let stated = most_memory(settings.kind, &settings.parameters) as usize;
            let all = heap().live_bytes - before;
            assert!((stated / 8..stated).contains(&all), "{kind}: {all} bytes of {stated}");
            bridge.engine.release();
            assert_eq!(bridge.engine.known_flows(), 0);
            let left = heap().live_bytes - before;
            println!("after release {left}");
            assert!(left < tables - before + 3 * limits().bytes as usize / 4, "{kind}: {left} bytes left");
        }
    }
}

/// The phones of 100 downloads vanish, and what is on its way to them fills the memory. A phone that comes then is helped nevertheless, and
/// a minute later nothing is kept for the others.
#[test]
fn phones_that_vanish_leave_the_memory_to_others() {
    for kind in ["snoop", "obtcp-bs", "obtcp-mr"] {
        let mut bridge = Bridge::new(kind);
        for port in 0..100 {
            let vanished = (1000, 5000 + port);
            bridge.open(vanished);
            for number in 0..80 {
                bridge.pass(Side::Wired, [FIXED, vanished], Flags::ACK, [1 + 1400 * number, 7], &[1; 1400]);
            }
        }
        let full = bridge.engine.agent_counters();
        assert!(full.not_cached > 0 && bridge.engine.kept_bytes() <= limits().bytes, "{kind}: {full:?}");
        bridge.now += Duration::from_secs(2);
        let phone = mobile(1);
        bridge.open(phone);
        for number in 0..80 {
            bridge.pass(Side::Wired, [FIXED, phone], Flags::ACK, [1 + 1400 * number, 7], &[1; 1400]);
        }
        let after = bridge.engine.agent_counters();
        assert_eq!((after.cached - full.cached, after.not_cached), (80, full.not_cached), "{kind}");
        assert!((1..100).contains(&after.cleared), "{kind}: not more than needed: {}", after.cleared);
        bridge.pass(Side::Wireless, [phone, FIXED], Flags::ACK, [7, 1], &[]);
        bridge.now += Duration::from_secs(59);
        bridge.pass(Side::Wireless, [phone, FIXED], Flags::ACK, [7, 1 + 1400 * 80], &[]);
        bridge.now += Duration::from_secs(2);
        let mut sent = Outgoing::new();
        bridge.engine.wake(bridge.now, &mut sent);
        assert_eq!((bridge.engine.kept_bytes(), bridge.engine.known_flows()), (0, 101), "{kind}");
    }
}

/// One host opens more connections than there are places, and says nothing in them. Others get places, and keep them.
#[test]
fn one_host_leaves_places_to_others() {
    for kind in ["snoop", "obtcp-bs", "obtcp-mr"] {
        let mut bridge = Bridge::new(kind);
        bridge.open(mobile(1));
        for port in 0..ROOM + 1000 {
            bridge.open((1000, 1024 + port as u16));
        }
        assert_eq!((bridge.engine.known_flows(), bridge.engine.agent_counters().evicted), (ROOM as usize, 0));
        for number in 2..1000 {
            bridge.open(mobile(number));
        }
        let all = bridge.engine.agent_counters();
        assert!((998..2000).contains(&all.evicted), "{kind}: {}", all.evicted);
        let before = bridge.engine.counters().shown;
        for number in 1..1000 {
            bridge.pass(Side::Wired, [FIXED, mobile(number)], Flags::ACK, [1, 7], &[1; 100]);
        }
        assert_eq!(bridge.engine.counters().shown - before, 999, "{kind}: all are helped");
    }
}
