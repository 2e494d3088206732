//! What a base station keeps for departed nodes.

mod support;

use seamline_mobility::{DepartedBuffer, KeptAtMost};
use seamline_wire::{DropCause, Instant, Machine, NodeId, Packet};
use support::{MOBILE, SENDER, data, deliver, wake_until};

const OTHER: NodeId = NodeId(8);
const NOW: Instant = Instant::from_secs(5);

fn numbered(destination: NodeId, source_port: u16) -> Packet {
    Packet { source_port: seamline_wire::TransportPort(source_port), ..data(SENDER, destination) }
}

fn ports(caused: &support::Caused) -> Vec<(seamline_wire::Port, u16)> {
    caused.packets.iter().map(|(port, packet)| (*port, packet.source_port.0)).collect()
}

#[test]
fn what_is_for_those_who_are_there_passes() {
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
        assert_eq!((buffer.forwarded(), buffer.dropped()), (4, 1));
        let back = deliver(&mut buffer, NOW, DepartedBuffer::AIR, numbered(MOBILE, 7));
        assert_eq!(ports(&back), [(DepartedBuffer::AIR, 7)], "nobody is missing");
    }
}

#[test]
fn one_who_is_reached_takes_nothing_of_the_others() {
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
