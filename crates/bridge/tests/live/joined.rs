//! Packets that come to the bridge joined, as a sender leaves them to its interface (TSO).

use crate::hop::Hop;
use crate::hosts::ip;
use crate::net::{Net, Transfer};
use crate::support::KINDS;
use crate::{Bridge, options, settings};

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
}

/// They are cut for the agent only.
#[test]
fn what_the_agent_leaves_as_it_is_leaves_joined() {
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
}

/// One by one they come to an agent that keeps copies of them; what has waited together leaves together.
#[test]
fn segments_that_follow_each_other_leave_joined() {
    let name = "segments_that_follow_each_other_leave_joined";
    for version in [4, 6] {
        let Some(net) = Net::or_skip(name) else { return };
        join_at_the_bridge(&net);
        let hop = Hop::begin(&net, 0);
        let mut bridge = Bridge::begin(&net, settings("snoop"), options());
        Transfer::begin_by(&net, version, BYTES, Some("cubic")).finish();
        let (frames, packets) = (received(&net, "c0"), BYTES / PAYLOAD);
        let it = bridge.end().unwrap();
        hop.end();
        println!("IPv{version}: {frames} frames, {} packets", it.ports[1].sent);
        assert!(
            (packets..2 * packets).contains(&it.ports[1].sent) && it.agent.cached > packets / 2,
            "{it:?}"
        );
        assert!((packets / 64..packets * 9 / 10).contains(&frames), "{frames} frames, {it:?}");
    }
}
