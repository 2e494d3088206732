//! Lower bounds of arrivals outside are never later than what arrives, and what is certain arrives when it was said to.

use seamline_net::error::Bernoulli;
use seamline_net::schedule::{Schedule, Steps};
use seamline_net::{Link, LinkConfig, Scheduled};
use seamline_sim::{ElementId, HostPort, Router, World};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant, NodeId, Packet, Port, Rate};
use std::collections::BTreeMap;

const AT_HOST: Port = Port(0);
const ONWARD: Port = Port(1);
const RUNS: u64 = 40;

/// Two hosts outside, each with a router, and two links one after the other in each direction; the second has a delay that changes.
struct Pair {
    world: World<HostPort>,
    hosts: [ElementId; 2],
}

fn varying(stream: &mut Stream, least: Duration) -> LinkConfig {
    let mut at = Instant::ZERO;
    let mut points = Vec::new();
    for place in 0..20 {
        let more = if place == 7 { Duration::ZERO } else { Duration::from_micros(1 + stream.bits() % 9000) };
        points.push((at, least + more));
        at += Duration::from_millis(1 + stream.bits() % 30);
    }
    let schedule = Schedule { one_way_delay: Some(Steps::new(points).unwrap()), ..Schedule::default() };
    let loss_stream = Stream::new(1, "loss");
    let air = Bernoulli::new(0.1, Stream::new(stream.bits(), "air"));
    LinkConfig {
        end_error: Some(air.into()),
        scheduled: Some(Scheduled { schedule, loss_stream }),
        ..LinkConfig::new(Rate::from_megabits_per_second(20), least)
    }
}

impl Pair {
    fn new(stream: &mut Stream, first: Duration, second: Duration) -> Self {
        let mut world = World::new();
        let hosts = [(); 2].map(|()| world.add(HostPort::default()));
        let routers = [(); 2].map(|()| world.add_router(Router::new()));
        for (from, to) in [(0, 1), (1, 0)] {
            let near = world.add_link(Link::new(LinkConfig::new(Rate::from_megabits_per_second(30), first)));
            let far = world.add_link(Link::new(varying(stream, second)));
            world.connect(hosts[from], AT_HOST, routers[from], AT_HOST);
            world.connect(routers[from], AT_HOST, hosts[from], AT_HOST);
            world.connect(routers[from], ONWARD, near, AT_HOST);
            world.connect(near, AT_HOST, far, AT_HOST);
            world.connect(far, AT_HOST, routers[to], ONWARD);
            let router = world.router_mut(routers[from]).unwrap();
            router.set_route(NodeId(from as u32), AT_HOST);
            router.set_route(NodeId(to as u32), ONWARD);
        }
        Pair { world, hosts }
    }

    fn send(&mut self, from: usize) {
        let packet = Packet {
            source: NodeId(from as u32),
            destination: NodeId(1 - from as u32),
            wire_bytes: 1500,
            ..Packet::default()
        };
        self.world.take_in(self.hosts[from], AT_HOST, Box::new(packet));
    }

    /// When and where packets have arrived, and their addresses.
    fn arrived(&mut self) -> Vec<(Instant, ElementId, usize)> {
        let mut arrived = Vec::new();
        for host in self.hosts {
            let port = self.world.machine_mut(host).unwrap();
            arrived.extend(
                port.packets.drain(..).map(|(at, packet)| (at, host, std::ptr::from_ref(&*packet).addr())),
            );
        }
        arrived
    }
}

#[test]
fn nothing_arrives_before_its_bound() {
    let [first, second] = [Duration::from_millis(3), Duration::from_millis(5)];
    let (mut tight, mut foreseen) = (0, 0);
    for seed in 0..RUNS {
        let mut stream = Stream::new(seed, "horizon");
        let mut pair = Pair::new(&mut stream, first, second);
        let mut certain = BTreeMap::new();
        let horizon = pair.world.horizon(&pair.hosts);
        for host in pair.hosts {
            assert_eq!(pair.world.shortest_way(host, &horizon), first + second);
        }
        let end = Instant::from_millis(400);
        let (mut now, mut next_sent) = (Instant::ZERO, Instant::from_millis(1));
        while now < end {
            let bound = pair.world.earliest_arrival(&horizon, &|_| false);
            assert!(bound.is_none_or(|bound| bound >= now), "{bound:?} at {now:?}");
            // What is sent meanwhile cannot arrive before this, either.
            let until = bound.unwrap_or(end).min(next_sent + first + second);
            pair.world.certain_arrivals(&mut |at, host, packet| {
                certain.insert((host, std::ptr::from_ref(packet).addr()), at);
            });
            let before = until.min(end) - Duration::from_nanos(1);
            while next_sent <= before {
                pair.world.run_until(next_sent);
                pair.send((stream.bits() % 2) as usize);
                next_sent += Duration::from_micros(100 + stream.bits() % 4000);
            }
            pair.world.run_until(before);
            assert_eq!(pair.arrived(), [], "seed {seed}: nothing before {until:?}");
            pair.world.run_until(until);
            let arrived = pair.arrived();
            tight += usize::from(arrived.iter().any(|(at, ..)| *at == until));
            for (at, host, packet) in arrived {
                let said = certain.remove(&(host, packet));
                foreseen += usize::from(said.is_some());
                assert!(said.is_none_or(|said| said == at), "{said:?}, not {at:?}");
            }
            assert!(certain.values().all(|at| *at > until), "all that was certain has arrived");
            now = until;
        }
    }
    // Of a packet whose transmission has ended the arrival is known.
    assert!(tight > 1000 && foreseen > 1000, "{tight} {foreseen}");
}
