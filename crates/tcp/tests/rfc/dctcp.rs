//! DCTCP (RFC 8257) on the wire, and what Linux adds: every packet may be marked.

use crate::script::*;
use seamline_wire::{Ecn, Flags};

const BOTH: Flags = Flags::ECE.union(Flags::CWR);

fn open() -> Script {
    let parameters = plain(|p| {
        p.recovery.sack_algorithm = "rack";
        p.segments.nagle = false;
    });
    let mut script = Script::new(parameters, "dctcp");
    script.connect().expect(syn().with_flags(BOTH));
    script.at(100).inject(syn_ack().with_flags(Flags::ECE).sack_permitted(true)).expect(ack(1));
    script
}

/// It asks for ECN although the parameters do not, and every packet may be marked, the SYN and acknowledgments too.
#[test]
fn every_packet_may_be_marked() {
    let mut script = open();
    script.supply(1000).expect(data(1..1001).with_push());
    assert_eq!(script.fields(), [Ecn::Ect0; 3]);
}

/// Section 3.2: when marks begin or end, what was delayed is acknowledged with the state before, and the packet with the new one.
#[test]
fn a_change_is_acknowledged_at_once() {
    let mut script = open();
    script.inject_marked(data(1..1001), Ecn::Ect0).expect_nothing();
    script.inject_marked(data(1001..2001), Ecn::Ce).expect(ack(1001));
    script.expect(ack(2001).with_flags(Flags::ECE));
    script.inject_marked(data(2001..3001), Ecn::Ce).expect_nothing();
    script
        .inject_marked(data(3001..4001), Ecn::Ect0)
        .expect(ack(3001).with_flags(Flags::ECE))
        .expect(ack(4001));
}

/// Section 3.3: half of the share of marked segments, once for what is outstanding. The first estimate after an acknowledgment is 15/16.
#[test]
fn a_report_reduces_by_the_estimate_once() {
    let mut script = open();
    script.supply(40_000).expect_run(1..10_001, 1000).at(200);
    script.inject(ack(1001).with_flags(Flags::ECE)).threshold_is(6.0);
    script.inject(ack(2001).with_flags(Flags::ECE)).threshold_is(6.0);
    script.take();
}

/// A peer without ECN: no packet is marked, and a loss halves the window as Reno does.
#[test]
fn without_agreement_it_is_reno() {
    let parameters = plain(|p| {
        p.recovery.sack_algorithm = "rack";
        p.segments.nagle = false;
    });
    let mut script = Script::new(parameters, "dctcp");
    script.connect().expect(syn().with_flags(BOTH));
    script.at(100).inject(syn_ack().sack_permitted(true)).expect(ack(1));
    script.fields();
    script.supply(10_000).expect_run(1..10_001, 1000);
    assert!(script.fields().iter().all(|field| *field == Ecn::NotEct));
    script.at(200).inject(ack(1).sack(&[1001..4001])).expect(data(1..1001)).threshold_is(5.0);
}
