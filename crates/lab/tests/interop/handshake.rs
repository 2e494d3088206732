//! Who opens, in both families, and what is lost on the way.

use crate::host::{Fate, Setup, Way};
use crate::pair::{BOTH, KERNEL_PORT, OUR_CLIENT_PORT, Opener, Pair, exchange};
use seamline_tcp::{CloseReason, State};
use seamline_testing::punctual;
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Flags, Segment};
use std::io::ErrorKind;

const SYN_ACK: Flags = Flags::SYN.union(Flags::ACK);

fn is_syn(segment: &Segment) -> bool {
    segment.flags.contains(Flags::SYN) && !segment.flags.contains(Flags::ACK)
}
fn is_syn_ack(segment: &Segment) -> bool {
    segment.flags.contains(SYN_ACK)
}
fn is_plain_acknowledgment(segment: &Segment) -> bool {
    segment.flags == Flags::ACK && segment.length == 0
}

/// A connection survives that the first segment of a kind is lost, and the network sees another one.
fn repeats(test: &str, which: fn(&Segment) -> bool) {
    let Some(_) = Pair::or_skip(test) else { return };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        let mut lost = false;
        pair.ours.network(Duration::ZERO, move |_, segment| {
            let is_first = which(segment) && !lost;
            lost |= is_first;
            if is_first { Fate::Lost } else { Fate::Pass }
        });
        let (ours, stream) = pair.connected(opener, Setup::default());
        exchange(&ours, stream, 100_000, 100_000);
        let seen: Vec<_> = pair.ours.record().into_iter().filter(|seen| which(&seen.segment)).collect();
        assert!(seen.len() >= 2, "{opener:?}: {seen:?}");
        assert_eq!(seen.iter().filter(|seen| seen.fate == Fate::Lost).count(), 1);
    }
}

#[test]
fn either_side_opens_in_both_families() {
    punctual(20, || {
        let Some(_) = Pair::or_skip("either_side_opens_in_both_families") else { return };
        for version in [IpVersion::V4, IpVersion::V6] {
            for opener in BOTH {
                let pair = Pair::new(version);
                let (ours, stream) = pair.connected(opener, Setup::default());
                exchange(&ours, stream, 300_000, 300_000);
                let syns = [Way::ToKernel, Way::ToOurs].map(|way| pair.ours.seen(way, is_syn).len());
                assert_eq!(syns, if opener == Opener::We { [1, 0] } else { [0, 1] });
                ours.wait_for(State::Closed);
                assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Finished));
                assert_eq!(pair.ours.connections_left(), 0);
            }
        }
    });
}

#[test]
fn a_lost_syn_is_repeated() {
    repeats("a_lost_syn_is_repeated", is_syn);
}

#[test]
fn a_lost_syn_ack_is_repeated() {
    repeats("a_lost_syn_ack_is_repeated", is_syn_ack);
}

#[test]
fn a_lost_third_segment_is_made_good() {
    repeats("a_lost_third_segment_is_made_good", is_plain_acknowledgment);
}

/// Both SYNs cross, as RFC 9293 section 3.5 has it in figure 8.
#[test]
fn both_open_at_once() {
    let Some(pair) = Pair::or_skip("both_open_at_once") else { return };
    // Whatever comes to the other end before its own SYN has left would be refused.
    pair.ours.network(Duration::from_millis(300), |_, _| Fate::Pass);
    let ours = pair.ours.connect((crate::pair::OUR_PORT, KERNEL_PORT), &Setup::default());
    let stream = pair.kernel_connects_from(KERNEL_PORT, |_| ()).unwrap();
    exchange(&ours, stream, 50_000, 50_000);
    let crossed = [Way::ToKernel, Way::ToOurs].map(|way| pair.ours.seen(way, is_syn).len());
    assert!(crossed.iter().all(|syns| *syns >= 1), "{crossed:?}");
}

#[test]
fn a_port_without_a_listener() {
    let Some(pair) = Pair::or_skip("a_port_without_a_listener") else { return };
    let refused = pair.kernel_connects().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let ours = pair.ours.connect((OUR_CLIENT_PORT, KERNEL_PORT), &Setup::default());
    ours.wait_for(State::Closed);
    assert_eq!(ours.look(|endpoint| endpoint.close_reason()), Some(CloseReason::Refused));
    assert_eq!(pair.ours.connections_left(), 0);
}
