//! Packets that come to the bridge joined, as a sender leaves them to its interface (TSO).

use crate::hop::Hop;
use crate::hosts::{ip, pause, run, skip};
use crate::net::{Net, Transfer};
use crate::support::{KINDS, engine, ethernet, fix_header, packet, segment};
use crate::{Bridge, options, settings};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port};
use seamline_testing::punctual;
use seamline_wire::{Flags, Instant};

const BYTES: u64 = 2_000_000;
/// Of a packet of 1,500 bytes, with timestamps.
const PAYLOAD: u64 = 1448;

/// Whatever leaves a host may be joined.
fn join_at_the_sender(net: &Net) {
    ip(&net.fixed, "link set a0 gso_max_segs 64");
}

/// Whatever leaves the bridge may be joined.
fn join_at_the_bridge(net: &Net) {
    ip(&net.bridge, "link set b1 gso_max_segs 64");
}

/// How many frames an interface has received, joined ones as one.
fn received(net: &Net, interface: &str) -> u64 {
    let list = net.hop.within(|| std::fs::read_to_string("/proc/thread-self/net/dev")).unwrap();
    let numbers =
        list.lines().find_map(|line| line.trim().strip_prefix(interface)?.strip_prefix(':')).unwrap();
    numbers.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Each kind with one version of IP. The agent sees packets, and repairs what is lost; the path sees packets no longer than its MTU.
#[test]
fn an_agent_sees_every_packet_of_those_that_are_joined() {
    punctual(30, || {
        for (kind, version) in KINDS.into_iter().zip([4, 6].into_iter().cycle()) {
            let Some(net) = Net::or_skip("an_agent_sees_every_packet_of_those_that_are_joined") else {
                return;
            };
            join_at_the_sender(&net);
            join_at_the_bridge(&net);
            let hop = Hop::begin(&net, 20);
            let mut bridge = Bridge::begin(&net, settings(kind), options());
            Transfer::begin_by(&net, version, BYTES, Some("cubic")).finish();
            let it = bridge.end().unwrap();
            hop.end();
            println!("{kind}, IPv{version}: {} shown, {:?}", it.engine.shown, it.agent);
            let packets = BYTES / PAYLOAD;
            assert!((packets..3 * packets).contains(&it.ports[0].received), "{it:?}");
            assert!(it.engine.shown > packets && it.agent.known == 1, "{it:?}");
            assert_eq!(it.ports.map(|port| (port.too_long, port.unsent)), [(0, 0); 2], "{it:?}");
            if kind == "snoop" {
                assert!(it.agent.local_retransmissions > 0 && it.agent.cached > packets, "{it:?}");
            }
        }
    });
}

/// They are cut for the agent only.
#[test]
fn what_the_agent_leaves_as_it_is_leaves_joined() {
    punctual(30, || {
        let Some(net) = Net::or_skip("what_the_agent_leaves_as_it_is_leaves_joined") else { return };
        join_at_the_sender(&net);
        join_at_the_bridge(&net);
        let hop = Hop::begin(&net, 0);
        let mut bridge = Bridge::begin(&net, settings("snoop"), options());
        Transfer::begin_by(&net, 4, BYTES, Some("cubic")).finish();
        let (frames, packets) = (received(&net, "c0"), BYTES / PAYLOAD);
        let it = bridge.end().unwrap();
        hop.end();
        println!("{frames} frames, {} packets", it.ports[1].sent);
        assert!((packets..2 * packets).contains(&it.ports[1].sent), "{it:?}");
        assert!(frames < packets / 2, "{frames} frames, {it:?}");
    });
}

/// Segments of a connection, one behind the other, as a host sends them that leaves nothing to its interface.
fn burst(version: u8, vlan: Option<u16>) -> Vec<Vec<u8>> {
    let frame = |number: u16| {
        let (length, flags) = if number == 20 { (300, Flags::ACK | Flags::PSH) } else { (1000, Flags::ACK) };
        let segment = segment(flags, (u32::MAX - 5000).wrapping_add(u32::from(number) * 1000), 7);
        let mut packet = packet(version, [(1, 80), (2, 5000)], segment, &vec![number as u8; length]);
        if version == 4 {
            packet[4..6].copy_from_slice(&number.to_be_bytes());
            fix_header(&mut packet);
        }
        ethernet(Side::Wired, vlan, &packet)
    };
    (0..21).map(frame).collect()
}

/// What waits together leaves together, and is the same behind the next interface, whether that cuts it or the one after. No other test runs,
/// since all of it has to arrive within the pauses.
#[test]
fn segments_that_follow_each_other_leave_joined() {
    let all = [(4, None), (4, Some(5)), (6, None), (6, Some(5))].map(|it| [(it, false), (it, true)]);
    for ((version, vlan), joins) in all.into_iter().flatten() {
        let Some(net) = Net::alone_or_skip("segments_that_follow_each_other_leave_joined") else { return };
        if !joins && !run(&net.bridge, "ethtool -K b1 tso off") {
            return skip("segments_that_follow_each_other_leave_joined", "ethtool is missing");
        }
        let places = [(&net.fixed, "a0"), (&net.bridge, "b0"), (&net.bridge, "b1"), (&net.hop, "c0")];
        let ports = places.map(|(namespace, name)| namespace.within(|| Port::open(name)).unwrap());
        let [mut sender, mut wired, mut wireless, mut receiver] = ports;
        let (frames, mut batch, mut sent) = (burst(version, vlan), Batch::default(), Outgoing::new());
        frames.iter().for_each(|frame| sent.push(Side::Wireless, &[frame]));
        sender.send(Side::Wireless, &sent, &batch);
        pause(50);

        let before = received(&net, "c0");
        let (mut engine, mut sent) = (engine("snoop"), Outgoing::new());
        wired.receive(&mut batch).unwrap();
        batch.iter().for_each(|(frame, _)| engine.pass(Instant::ZERO, Side::Wired, frame, &mut sent));
        wireless.send(Side::Wireless, &sent, &batch);
        drop(sent);
        pause(50);
        let count = received(&net, "c0") - before;

        receiver.receive(&mut batch).unwrap();
        let is_own = |frame: &&[u8]| frame[..12] == frames[0][..12];
        let came: Vec<&[u8]> = batch.iter().map(|(frame, _)| frame).filter(is_own).collect();
        println!("IPv{version}, VLAN {vlan:?}: {} packets in {count} frames", came.len());
        assert_eq!(came, frames);
        // Interfaces that have just begun say so.
        assert!(if joins { (1..8).contains(&count) } else { count >= 21 }, "{count} frames");
        assert_eq!(
            [&wired, &wireless].map(|port| (port.counters.too_long, port.counters.unsent)),
            [(0, 0); 2]
        );
    }
}
