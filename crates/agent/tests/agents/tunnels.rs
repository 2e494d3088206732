//! Segments inside of the tunnels of mobility protocols, packet by packet: forwarded untouched, or helped where they are. Packet n
//! carries 1000 bytes from n * 1000 + 1 on.

use crate::support::{Script, Sent, ack, data};
use seamline_agent::Side::Wireless;
use seamline_agent::{Kind, ObtcpParameters, Parameters, Role, find};
use seamline_wire::control::MissingBytes::{LostByCongestion, Request};
use seamline_wire::{LossCause, NodeId, Tunnel};

const HOME_AGENT: NodeId = NodeId(10);
/// Care-of addresses in two cells.
const HERE: NodeId = NodeId(21);
const THERE: NodeId = NodeId(22);

fn to(exit: NodeId) -> Tunnel {
    Tunnel { entry: HOME_AGENT, exit }
}

fn script(kind: &Kind, inside_tunnels: bool) -> Script {
    let obtcp = ObtcpParameters { role: Role::BaseStation, ..ObtcpParameters::default() };
    Script::new(kind.build(&Parameters { inside_tunnels, obtcp, ..Parameters::default() }))
}

fn inside(name: &str) -> Script {
    script(find(name).unwrap(), true)
}

fn packet(n: u32) -> Sent {
    data(n * 1000 + 1, 1000)
}

/// The acknowledgment that asks for packet n.
fn wants(n: u32) -> Sent {
    ack(n * 1000 + 1)
}

/// A loss that any of them would do something about, and messages of obTCP.
fn a_loss(script: &mut Script) {
    for n in 0..5 {
        script.wired(packet(n)).onwards();
    }
    for _ in 0..4 {
        script.wireless(wants(1).losses(&[(0, LossCause::Congestion)]).sack(&[(2001, 5001)])).onwards();
    }
    script.hears(Wireless, Request, &[(1001, 2001)]).onwards();
    script.at(20_000).is_quiet();
}

/// Without being asked to look inside, and where it cannot be done, everything in a tunnel, or in two, passes bit by bit as it came.
#[test]
fn what_is_in_tunnels_passes_untouched() {
    for kind in seamline_agent::ALL {
        for tunnels in [&[to(HERE)][..], &[to(HERE), Tunnel { entry: NodeId(11), exit: NodeId(31) }]] {
            for inside in [false, true] {
                if inside && !kind.ends_connections {
                    continue;
                }
                let mut script = script(kind, inside);
                a_loss(script.tunnels(tunnels));
                let counters = script.counters();
                assert_eq!((counters.packets, counters.cached, counters.split), (10, 0, 0), "{}", kind.name);
            }
        }
    }
    assert!(seamline_agent::ALL.iter().any(|kind| kind.ends_connections));
}

/// Snoop repairs a loss inside a tunnel, and inside of two, with the headers that the packet came with.
#[test]
fn snoop_sends_again_in_the_same_tunnels() {
    for tunnels in [&[to(HERE)][..], &[to(HERE), Tunnel { entry: NodeId(11), exit: NodeId(31) }]] {
        let mut script = inside("snoop");
        script.tunnels(tunnels);
        for n in 0..5 {
            script.wired(packet(n)).onwards();
        }
        script.wireless(wants(1)).onwards().wireless(wants(1)).onwards();
        script.wireless(wants(1)).sends_again(1001).ends_here();
        script.wireless(wants(1)).ends_here().wireless(wants(5)).onwards();
        assert_eq!((script.counters().cached, script.counters().local_retransmissions), (5, 1));
    }
}

/// The bits of an acknowledgment in the tunnel upwards are judged; the tunnel stays.
#[test]
fn eln_ack_judges_inside_a_tunnel() {
    let mut script = inside("eln-ack");
    script.tunnels(&[to(HERE)]).wired(packet(1)).onwards();
    let listed = |cause| wants(1).losses(&[(0, cause)]);
    script.wireless(listed(LossCause::Congestion)).onwards_as(listed(LossCause::Air));
}

/// The base station of obTCP hears a SNACK inside the tunnel, and its answer and repairs go down inside it, too. What never came to it
/// is reported to the router before the packet behind it.
#[test]
fn the_base_station_answers_inside_the_tunnel() {
    let mut script = inside("obtcp");
    script.tunnels(&[to(HERE)]);
    for n in 0..4 {
        script.wired(packet(n)).onwards();
    }
    script.hears(Wireless, Request, &[(1001, 3001)]).tells(Wireless, LostByCongestion, &[(1001, 1001)]);
    script.sends_again(1001).sends_again(2001).is_quiet();
    script.wired(packet(6)).tells(Wireless, LostByCongestion, &[(4001, 6001)]).onwards().is_quiet();
}

/// The router is reached by another tunnel now, as the newest packet shows: what was kept before goes there, and so do answers.
#[test]
fn what_is_kept_goes_by_the_newest_tunnel() {
    for (kind, again) in [("obtcp", false), ("snoop", true)] {
        let mut script = inside(kind);
        script.tunnels(&[to(HERE)]);
        for n in 0..3 {
            script.wired(packet(n)).onwards();
        }
        script.wireless(wants(0)).onwards();
        script.tunnels(&[to(THERE)]).wired(packet(3)).onwards();
        if again {
            script.wireless(wants(0)).onwards().wireless(wants(0)).sends_again(1).ends_here();
        } else {
            script.hears(Wireless, Request, &[(1, 2001)]).tells(Wireless, LostByCongestion, &[(1, 1)]);
            script.sends_again(1).sends_again(1001).is_quiet();
        }
        // Home, where no tunnel leads, and their bytes are gone.
        script.tunnels(&[]).wired(packet(4)).onwards();
        if again {
            script.pass(1200).sends_again(1).is_quiet();
        } else {
            script.hears(Wireless, Request, &[(1, 2001)]).tells(Wireless, LostByCongestion, &[(1, 1)]);
            script.sends_again(1).sends_again(1001).is_quiet();
        }
    }
}

/// What moves to the next base station is sent again to the care-of address that the router has there, before any packet has shown it;
/// with two tunnels only the one that ended at the old one changes.
#[test]
fn what_moves_follows_the_care_of_address() {
    let anchor = Tunnel { entry: NodeId(11), exit: HERE };
    for kind in ["snoop", "obtcp"] {
        for (before, after, address) in [
            (&[to(HERE)][..], &[to(THERE)][..], Some(THERE)),
            (&[to(NodeId(31)), anchor], &[to(NodeId(31)), Tunnel { exit: THERE, ..anchor }], Some(THERE)),
            (&[to(HERE)], &[], None),
        ] {
            let mut old = inside(kind);
            old.tunnels(before);
            for n in 0..3 {
                old.wired(packet(n)).onwards();
            }
            let mut new = old.moves_to_care_of(inside(kind), 70, &[HERE, NodeId(23)], address);
            new.tunnels(after).sends_again(1).sends_again(1001).sends_again(2001).is_quiet();
            old.knows_nothing();
            new.wireless(wants(3)).onwards();
        }
    }
}

/// The connection is that of the inner headers, in a tunnel or out of it: one who comes home is helped on.
#[test]
fn a_connection_is_known_by_its_inner_headers() {
    let mut script = inside("snoop");
    script.tunnels(&[to(HERE)]).wired(packet(0)).onwards();
    script.tunnels(&[]).wired(packet(1)).onwards().wireless(wants(0)).onwards();
    script.wireless(wants(0)).onwards().wireless(wants(0)).sends_again(1).ends_here();
    script.fixed_port(81).wireless(wants(0)).onwards();
}

/// A router that has moved sends by its new tunnel first: that leads back, too. A tunnel that leads one way only shows nothing of the other.
#[test]
fn tunnels_lead_both_ways_unless_they_are_seen_not_to() {
    let mut script = inside("obtcp");
    script.tunnels(&[to(HERE)]).wired(packet(0)).onwards().wired(packet(1)).onwards();
    script.tunnels(&[to(THERE)]).hears(Wireless, Request, &[(1, 1001)]);
    script.tells(Wireless, LostByCongestion, &[(1, 1)]).sends_again(1).is_quiet();

    let mut script = inside("obtcp");
    script.tunnels(&[to(HERE)]).wired(packet(0)).onwards().wired(packet(1)).onwards();
    script.tunnels(&[]).wireless(wants(0)).onwards();
    script.hears(Wireless, Request, &[(1, 1001)]).tunnels(&[to(HERE)]);
    script.tells(Wireless, LostByCongestion, &[(1, 1)]).sends_again(1).is_quiet();
    script.tunnels(&[to(THERE)]).wired(packet(2)).onwards();
    script.tunnels(&[]).hears(Wireless, Request, &[(1, 1001)]).tunnels(&[to(THERE)]);
    script.tells(Wireless, LostByCongestion, &[(1, 1)]).sends_again(1).is_quiet();
}

/// Who knows the connection by what its host sends alone answers into the tunnel that this came by.
#[test]
fn an_answer_goes_back_through_the_tunnel_of_the_request() {
    let mut script = inside("obtcp");
    script.tunnels(&[to(HERE)]).wireless(wants(3)).onwards();
    script
        .hears(Wireless, Request, &[(3001, 4001)])
        .tells(Wireless, LostByCongestion, &[(3001, 3001)])
        .is_quiet();
    script.tunnels(&[to(THERE)]).wireless(wants(4)).onwards();
    script
        .hears(Wireless, Request, &[(4001, 5001)])
        .tells(Wireless, LostByCongestion, &[(4001, 4001)])
        .is_quiet();
}
