//! Accurate ECN (RFC 9768) without its option.

use crate::script::*;
use seamline_tcp::EcnUse;
use seamline_tcp::parameters::Parameters;
use seamline_wire::{Ecn, Flags};

/// AE, CWR and ECE as a number.
fn ace(number: u16) -> Flags {
    Flags(number << 6)
}
fn using(ecn: EcnUse, rack: bool) -> Parameters {
    plain(|p| {
        p.segments.ecn = ecn;
        p.segments.nagle = false;
        if rack {
            p.recovery.sack_algorithm = "rack";
            p.window.whole_segments = true;
        }
    })
}
/// Opened by us; the peer has seen our SYN as it was sent.
fn open(rack: bool) -> Script {
    let mut script = Script::new(using(EcnUse::Accurate, rack), "sack");
    script.connect().expect(syn().with_flags(ace(7)));
    script
        .at(100)
        .inject(syn_ack().with_flags(ace(2)).sack_permitted(true))
        .expect(ack(1).with_flags(ace(2)));
    script
}

/// Section 3.1.2, table 2, the side that opens: what each answer leads to, by the field of data and the feedback that is sent.
#[test]
fn answers_choose_the_mode() {
    for (answer, acknowledged, field) in [
        (0b010, 0b010, Ecn::Ect0),
        (0b011, 0b010, Ecn::NotEct),
        (0b100, 0b010, Ecn::NotEct),
        (0b110, 0b010, Ecn::NotEct),
        (0b101, 0b010, Ecn::Ect0),
        (0b001, 0, Ecn::Ect0),
        (0b000, 0, Ecn::NotEct),
        (0b111, 0, Ecn::NotEct),
    ] {
        let mut script = Script::new(using(EcnUse::Accurate, false), "sack");
        script.connect().expect(syn().with_flags(ace(7)));
        script.at(100).inject(syn_ack().with_flags(ace(answer)));
        script.expect(ack(1).with_flags(ace(acknowledged))).fields();
        script.supply(1000).take();
        assert_eq!(script.fields(), [field], "{answer:03b}");
    }
}

/// The same table, the side that answers; section 3.1.3: combinations of the future are taken to ask for counts.
#[test]
fn requests_choose_the_answer() {
    for (ecn, request, field, answer) in [
        (EcnUse::Accurate, 0b111, Ecn::NotEct, 0b010),
        (EcnUse::Accurate, 0b111, Ecn::Ect1, 0b011),
        (EcnUse::Accurate, 0b111, Ecn::Ect0, 0b100),
        (EcnUse::Accurate, 0b111, Ecn::Ce, 0b110),
        (EcnUse::Accurate, 0b101, Ecn::NotEct, 0b010),
        (EcnUse::Accurate, 0b011, Ecn::NotEct, 0b001),
        (EcnUse::Accurate, 0b000, Ecn::NotEct, 0b000),
        (EcnUse::On, 0b111, Ecn::NotEct, 0b001),
        (EcnUse::Off, 0b111, Ecn::NotEct, 0b000),
    ] {
        let mut script = Script::new(using(ecn, false), "sack");
        script.listen().inject_marked(syn().with_flags(ace(request)), field);
        script.expect(syn_ack().with_flags(ace(answer)));
    }
}

/// Section 3.1.4.1: the first SYN that is sent again asks, too, the next does not.
#[test]
fn a_syn_asks_twice() {
    let mut script = Script::new(using(EcnUse::Accurate, false), "sack");
    script.connect().expect(syn().with_flags(ace(7)));
    script.at(1000).expect(syn().with_flags(ace(7))).at(3000).expect(syn());
}

/// Sections 3.2.2.1 and 3.2.2.2: the acknowledgment of the answer reports its field; a mark on it is counted, too.
#[test]
fn the_field_of_the_answer_is_reported() {
    for (field, reported, counted) in
        [(Ecn::NotEct, 0b010, 5), (Ecn::Ect1, 0b011, 5), (Ecn::Ect0, 0b100, 5), (Ecn::Ce, 0b110, 6)]
    {
        let mut script = Script::new(using(EcnUse::Accurate, false), "sack");
        script.connect().expect(syn().with_flags(ace(7)));
        script.at(100).inject_marked(syn_ack().with_flags(ace(2)), field);
        script.expect(ack(1).with_flags(ace(reported)));
        script.supply(1000).expect(data(1..1001).with_push().with_flags(ace(counted)));
    }
}

/// Sections 3.2.1 and 3.2.2.5.1: marks are counted from five on in three bits. The first of a run is acknowledged at once, then every second.
#[test]
fn marks_are_counted() {
    let mut script = open(false);
    script.inject_marked(data(1..1001), Ecn::Ect0).expect_nothing();
    script.inject_marked(data(1001..2001), Ecn::Ce).expect(ack(2001).with_flags(ace(6)));
    script.inject_marked(data(2001..3001), Ecn::Ce).expect_nothing();
    script.inject_marked(data(3001..4001), Ecn::Ce).expect(ack(4001).with_flags(ace(0)));
    script.inject_marked(data(4001..5001), Ecn::Ect0).expect_nothing();
    script.inject_marked(data(5001..6001), Ecn::Ce).expect(ack(6001).with_flags(ace(1)));
}

/// Section 3.1.5: new marks reduce the window once for what is outstanding, and nothing announces that with CWR.
#[test]
fn new_counts_reduce_the_window_once() {
    for rack in [false, true] {
        let mut script = open(rack);
        script.supply(40_000).take();
        script.at(200).inject(ack(1001).with_flags(ace(5))).threshold_is_unlimited();
        script.inject(ack(2001).with_flags(ace(6)));
        let threshold = script.endpoint.sample().slow_start_threshold;
        assert!((4.0..=6.0).contains(&threshold), "{threshold}");
        script.inject(ack(3001).with_flags(ace(7))).threshold_is(threshold);
        assert!(
            script
                .take()
                .iter()
                .all(|sent| has(sent, Flags::ECE) && has(sent, Flags::AE) && !has(sent, Flags::CWR))
        );
    }
}

/// Section 3.2.2.1, note 1: a zero in the acknowledgment of our answer ends the use of ECN, but not our feedback.
#[test]
fn a_zero_ends_marking() {
    let mut script = Script::new(using(EcnUse::Accurate, false), "sack");
    script.listen().inject(syn().with_flags(ace(7))).expect(syn_ack().with_flags(ace(2)));
    script.inject(ack(1)).supply(40_000).take();
    assert!(script.fields().iter().all(|field| *field == Ecn::NotEct));
    script.at(100).inject(ack(2001).with_flags(ace(3))).threshold_is_unlimited().take();
    script.inject_marked(data(1..1001), Ecn::Ce);
    assert!(script.take().iter().any(|sent| has(sent, Flags::CWR) && has(sent, Flags::AE)));
}
