//! Explicit congestion notification (RFC 3168).

use crate::script::*;
use seamline_tcp::EcnUse;
use seamline_tcp::parameters::Parameters;
use seamline_wire::{Ecn, Flags};

const BOTH: Flags = Flags::ECE.union(Flags::CWR);

fn using(ecn: EcnUse, change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|p| {
        p.segments.ecn = ecn;
        p.segments.nagle = false;
        change(p);
    })
}
fn open(variant: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::new(using(EcnUse::On, change), variant);
    script.connect().expect(syn().with_flags(BOTH));
    script.at(100).inject(syn_ack().with_flags(Flags::ECE).sack_permitted(true)).expect(ack(1));
    script
}

/// Section 6.1.1: a SYN asks once, an answer agrees; without a request nothing is agreed on.
#[test]
fn both_ends_have_to_agree() {
    let mut asks = Script::new(using(EcnUse::On, |_| {}), "newreno");
    asks.connect().expect(syn().with_flags(BOTH)).at(1000).expect(syn());
    for (ecn, request, answer) in [
        (EcnUse::OnRequest, BOTH, Flags::ECE),
        (EcnUse::On, BOTH, Flags::ECE),
        (EcnUse::OnRequest, Flags::ECE, Flags::default()),
        (EcnUse::Off, BOTH, Flags::default()),
    ] {
        let mut script = Script::new(using(ecn, |_| {}), "newreno");
        script.listen().inject(syn().with_flags(request)).expect(syn_ack().with_flags(answer));
        let agreed = script.endpoint.information(script.now()).agreement.ecn;
        assert_eq!(agreed, answer.intersects(Flags::ECE), "{ecn:?} {request:?}");
    }
}

/// Section 6.1.5: new data may be marked, what is sent again and acknowledgments may not.
#[test]
fn only_new_data_may_be_marked() {
    let mut script = open("newreno", |_| {});
    script.supply(1000).expect(data(1..1001).with_push());
    assert_eq!(script.fields(), [Ecn::NotEct, Ecn::NotEct, Ecn::Ect0]);
    script.at(1100).expect(data(1..1001).with_push()).inject(data(1..1001)).inject(data(1001..2001));
    script.expect(ack(2001).seq(1001));
    assert_eq!(script.fields(), [Ecn::NotEct, Ecn::NotEct]);
}

/// Section 6.1.2: a report halves the window once for what is outstanding, and the next new data announces that.
#[test]
fn a_report_reduces_the_window_once() {
    for (variant, rack) in [("newreno", false), ("sack", true)] {
        let change = |p: &mut Parameters| {
            p.recovery.sack_algorithm = if rack { "rack" } else { p.recovery.sack_algorithm };
            p.window.whole_segments = rack;
        };
        let mut script = open(variant, change);
        script.supply(40_000).expect_run(1..10_001, 1000).at(200);
        script.inject(ack(1001).with_flags(Flags::ECE));
        let threshold = script.endpoint.sample().slow_start_threshold;
        assert!((4.0..=5.0).contains(&threshold), "{variant}: {threshold}");
        script.inject(ack(2001).with_flags(Flags::ECE)).threshold_is(threshold);
        let announcing = |script: &mut Script| {
            let sent = script.take();
            sent.iter().filter(|segment| has(segment, Flags::CWR)).count()
        };
        let mut announcements = announcing(&mut script);
        for acknowledged in (3001..=10_001).step_by(1000) {
            script.inject(ack(acknowledged));
            announcements += announcing(&mut script);
        }
        assert_eq!(announcements, 1, "{variant}");
        script.threshold_is(threshold);
        assert_eq!(script.endpoint.statistics().sender.retransmissions, 0, "{variant}");
    }
}

/// Section 6.1.3: a mark is echoed with every acknowledgment until the peer says that it has reduced.
#[test]
fn a_mark_is_echoed_until_the_peer_has_reduced() {
    let mut script = open("newreno", |p| p.receiver.delayed_acknowledgment = None);
    script.inject_marked(data(1..1001), Ecn::Ce).expect(ack(1001).with_flags(Flags::ECE));
    script.inject_marked(data(1001..2001), Ecn::Ect0).expect(ack(2001).with_flags(Flags::ECE));
    script.inject_marked(data(2001..3001).with_flags(Flags::CWR), Ecn::Ect0).expect(ack(3001));
    script.inject_marked(data(3001..4001), Ecn::Ce).expect(ack(4001).with_flags(Flags::ECE));
}

/// Without an agreement flags and fields mean nothing.
#[test]
fn without_agreement_nothing_is_said() {
    let mut script = Script::established(plain(|p| p.receiver.delayed_acknowledgment = None), "newreno");
    script.inject_marked(data(1..1001), Ecn::Ce).expect(ack(1001));
    script.supply(40_000);
    script.take();
    script.inject(ack(1001).seq(1001).with_flags(Flags::ECE)).take();
    script.threshold_is_unlimited();
}
