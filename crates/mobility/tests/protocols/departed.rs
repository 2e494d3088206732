//! What a base station keeps for departed nodes.

use crate::support::{self, AGENT_1, AGENT_2, MOBILE, SENDER, carrying, data, deliver, wake_until};
use seamline_mobility::{DepartedBuffer, KeptAtMost};
use seamline_wire::control::{BindingFlags, BindingUpdate, Ipv6Control};
use seamline_wire::{Control, DropCause, Duration, Instant, Machine, NodeId, Packet};

const OTHER: NodeId = NodeId(8);
const NOW: Instant = Instant::from_secs(5);

fn numbered(destination: NodeId, source_port: u16) -> Packet {
    Packet { source_port: seamline_wire::TransportPort(source_port), ..data(SENDER, destination) }
}

fn ports(caused: &support::Caused) -> Vec<(seamline_wire::Port, u16)> {
    caused.packets.iter().map(|(port, packet)| (*port, packet.source_port.0)).collect()
}

#[test]
fn packets_for_present_nodes_pass() {
    let mut buffer = DepartedBuffer::new(KeptAtMost::Packets(9));
    let caused = deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 1));
    assert_eq!(ports(&caused), [(DepartedBuffer::AIR, 1)]);
    assert_eq!(buffer.wake_at(), None);
}

/// Two waited at the downlink, two come later, one more finds no room; all of it follows the node in its order.
#[test]
fn what_is_for_the_departed_is_kept_in_order_and_sent_after_them() {
    for at_most in [KeptAtMost::Packets(4), KeptAtMost::Bytes(4000)] {
        let mut buffer = DepartedBuffer::new(at_most);
        buffer.depart(&[MOBILE], [1, 2].map(|n| Box::new(numbered(MOBILE, n))).into());
        assert!(buffer.wake_at().is_some_and(|at| at <= NOW));
        for n in [3, 4] {
            assert_eq!(ports(&deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, n))), []);
        }
        let full = deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 5));
        assert_eq!((full.drops(), ports(&full)), (vec![DropCause::LeftCell], vec![]));
        let other = deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(OTHER, 6));
        assert_eq!(ports(&other), [(DepartedBuffer::AIR, 6)]);
        assert_eq!(buffer.wake_at(), None, "it waits for news");
        buffer.reach(&[MOBILE]);
        let woken = wake_until(&mut buffer, NOW);
        let sent: Vec<_> = woken.iter().flat_map(|(_, caused)| ports(caused)).collect();
        assert_eq!(sent, [1, 2, 3, 4].map(|n| (DepartedBuffer::NETWORK, n)));
        assert_eq!(buffer.dropped(), 1);
        let back = deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 7));
        assert_eq!(ports(&back), [(DepartedBuffer::AIR, 7)], "no node is missing");
    }
}

#[test]
fn a_reachable_node_gets_only_its_own_packets() {
    let mut buffer = DepartedBuffer::new(KeptAtMost::Packets(2));
    buffer.depart(&[MOBILE], [Box::new(numbered(MOBILE, 1))].into());
    buffer.depart(&[OTHER], [Box::new(numbered(OTHER, 2))].into());
    buffer.reach(&[OTHER]);
    let woken = wake_until(&mut buffer, NOW);
    assert_eq!(
        woken.iter().flat_map(|(_, caused)| ports(caused)).collect::<Vec<_>>(),
        [(DepartedBuffer::NETWORK, 2)]
    );
    assert_eq!(ports(&deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 3))), []);
    buffer.reach(&[MOBILE]);
    let woken = wake_until(&mut buffer, NOW);
    assert_eq!(woken.iter().map(|(_, caused)| caused.packets.len()).sum::<usize>(), 2);
}

/// What waits for a host behind a node that has left goes after the node, with all else and in its order.
#[test]
fn hosts_behind_a_node_depart_with_it() {
    let mut buffer = DepartedBuffer::new(KeptAtMost::Packets(9));
    let all = [MOBILE, OTHER];
    buffer.depart(&all, [numbered(OTHER, 1), numbered(MOBILE, 2)].map(Box::new).into());
    assert_eq!(ports(&deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(OTHER, 3))), []);
    buffer.reach(&all);
    let woken = wake_until(&mut buffer, NOW);
    let sent: Vec<_> = woken.iter().flat_map(|(_, caused)| ports(caused)).collect();
    assert_eq!(sent, [1, 2, 3].map(|n| (DepartedBuffer::NETWORK, n)));
    assert_eq!(
        ports(&deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(OTHER, 4))),
        [(DepartedBuffer::AIR, 4)]
    );
}

/// RFC 5568 section 4: what was kept, and what comes, goes through a tunnel to the new care-of address, until the lifetime is over or
/// the node is back; strangers get nothing.
#[test]
fn a_fast_binding_update_sets_the_tunnel() {
    let mut buffer = DepartedBuffer::new(KeptAtMost::Packets(9)).with_fast_handovers(AGENT_1, &[MOBILE], &[]);
    buffer.depart(&[MOBILE], [Box::new(numbered(MOBILE, 1))].into());
    assert_eq!(ports(&deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 2))), []);
    let mut update = |now, sequence, lifetime_units, home_address, care_of_address| {
        let flags = BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION;
        let update = BindingUpdate { sequence, flags, lifetime_units, home_address, care_of_address };
        let message = Control::Ipv6(Ipv6Control::FastBindingUpdate(update));
        let caused =
            deliver(&mut buffer, now, DepartedBuffer::UPDATES, carrying(care_of_address, AGENT_1, message));
        let (port, to, answer) = caused.messages()[0];
        let Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer)) = answer else {
            panic!("{caused:?}")
        };
        assert_eq!((port, to, answer.sequence), (DepartedBuffer::NETWORK, care_of_address, sequence));
        (answer.status.is_accepted(), caused)
    };
    let (stranger, _) = update(NOW, 1, 10, OTHER, AGENT_2);
    assert!(!stranger);
    let (granted, caused) = update(NOW, 1, 10, MOBILE, OTHER);
    assert!(granted);
    let sent = &caused.packets[1..];
    assert_eq!(sent.iter().map(|(_, packet)| packet.source_port.0).collect::<Vec<_>>(), [1, 2]);
    for (port, packet) in sent {
        let tunnel = packet.tunnels.outermost().expect("it is in a tunnel");
        assert_eq!((*port, tunnel.entry, tunnel.exit), (DepartedBuffer::NETWORK, AGENT_1, OTHER));
    }
    let (late, _) = update(NOW, 1, 10, MOBILE, AGENT_2);
    assert!(!late, "an older number");
    let (back, _) = update(NOW + Duration::from_secs(1), 2, 0, MOBILE, MOBILE);
    assert!(back);
    update(NOW + Duration::from_secs(2), 3, 10, MOBILE, OTHER);
    let port = |buffer: &mut DepartedBuffer, s| {
        let now = NOW + Duration::from_secs(s);
        deliver(buffer, now, DepartedBuffer::AIR, numbered(MOBILE, 3)).packets.first().map(|(port, _)| *port)
    };
    assert_eq!(port(&mut buffer, 11), Some(DepartedBuffer::NETWORK));
    assert_eq!(buffer.wake_at(), Some(NOW + Duration::from_secs(12)), "when the tunnel ends");
    assert_eq!(port(&mut buffer, 12), None, "it is kept: the link is gone");
    buffer.reach(&[MOBILE]);
    assert_eq!(port(&mut buffer, 13), Some(DepartedBuffer::NETWORK), "what was kept comes first");
}
