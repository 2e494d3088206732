//! What agents cost: packets per second of processor time with a thousand connections, memory of an idle one, allocations.
//!
//! ```text
//! cargo test --release -p seamline-agent --test cost -- --nocapture
//! ```

mod load;

use load::{LENGTH, Load, heap, processor_time};
use seamline_agent::Kind;
use seamline_wire::Duration;

const CONNECTIONS: u32 = 1000;

/// Outside of tunnels, and inside of one where that makes a difference.
fn loads(kind: &Kind) -> Vec<Load> {
    let inside = (!kind.ends_connections).then(|| Load::inside_a_tunnel(kind, CONNECTIONS));
    std::iter::once(Load::new(kind, CONNECTIONS)).chain(inside).map(|load| busy(load, kind)).collect()
}

fn busy(mut load: Load, kind: &Kind) -> Load {
    (0..200).for_each(|round| load.round(round));
    let counters = load.agent.counters();
    assert_eq!((counters.packets, counters.unknown), (load.packets, 0));
    assert_eq!(counters.split, if kind.ends_connections { CONNECTIONS.into() } else { 0 });
    load
}

/// The best of three: what else the machine does only adds.
fn packets_per_second(load: &mut Load) -> f64 {
    let mut best = 0.0f64;
    for part in 0..3 {
        let (before, begun) = (load.packets, processor_time());
        (0..200).for_each(|round| load.round(200 * (part + 1) + round));
        best = best.max((load.packets - before) as f64 / (processor_time() - begun));
    }
    assert!(load.sent_bytes >= 800 * u64::from(CONNECTIONS * LENGTH), "all data goes on");
    best
}

/// Two million packets; a million where each is for one of the agent's own endpoints of TCP, whose answer it is, too.
#[test]
fn a_million_packets_a_second() {
    for kind in seamline_agent::ALL {
        let millions = if kind.ends_connections { 1.0 } else { 2.0 };
        let least = if cfg!(debug_assertions) { 0.15e6 } else { 1e6 } * millions;
        for mut load in loads(kind) {
            let found = packets_per_second(&mut load);
            println!(
                "{}: {:.1} M packets per CPU second, {CONNECTIONS} connections, in a tunnel: {}",
                kind.name,
                found / 1e6,
                load.tunnel.is_some()
            );
            assert!(found >= least, "{}: {found}", kind.name);
        }
    }
}

#[test]
fn nothing_is_allocated_per_packet() {
    for kind in seamline_agent::ALL {
        for mut load in loads(kind) {
            let before = heap();
            (200..300).for_each(|round| load.round(round));
            let after = heap();
            assert_eq!(after.allocations - before.allocations, 0, "{}", kind.name);
        }
    }
}

/// With the tables of the agent, which have room for more. A split connection has two endpoints of TCP.
#[test]
fn an_idle_connection_takes_little_memory() {
    const MANY: u32 = 4_000;
    for kind in seamline_agent::ALL {
        let before = heap();
        let mut load = Load::new(kind, MANY);
        for connection in 0..MANY {
            load.data(connection, 0);
            load.acknowledge(connection, 1);
        }
        load.pass(Duration::from_secs(60));
        let bytes = (heap().live_bytes - before.live_bytes) / MANY as usize;
        println!("{}: {bytes} bytes for an idle connection", kind.name);
        let most = if kind.ends_connections { 4200 } else { 1000 };
        assert!((16..most).contains(&bytes), "{}: {bytes}", kind.name);
        assert_eq!(load.agent.counters().unknown, 0, "{}", kind.name);
    }
}
