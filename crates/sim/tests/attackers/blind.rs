//! A stranger who knows addresses and ports, sees nothing, and guesses the rest thousands of times a second.

use crate::attacker::Deeds;
use crate::path::{Outcome, Plan, SEGMENT, Victim, run};
use crate::{handover_marks, lost_over_the_air, name, schemes};

const PER_SECOND: u64 = 5000;

/// What it sends takes nothing of the flow's way; what is answered does: two challenge ACKs a second, of 52 bytes.
fn is_as_without(what: &str, alone: &Outcome, attacked: &Outcome) {
    let share = attacked.delivered as f64 / alone.delivered as f64;
    assert!((0.999..1.001).contains(&share), "{what}: {share}");
    assert_eq!(attacked.sender.sender.timeouts, alone.sender.sender.timeouts, "{what}");
    let sent_again = [attacked, alone].map(|it| it.sender.sender.retransmissions);
    assert!(sent_again[0].abs_diff(sent_again[1]) <= 3, "{what}: {sent_again:?}");
    // A duplicate acknowledgment, twice a second, may let one segment go (RFC 3042).
    assert!((attacked.watch.largest_window - alone.watch.largest_window).abs() < 1.0, "{what}");
    let one_more = alone.watch.most_in_flight + i64::from(SEGMENT);
    assert!(attacked.watch.most_in_flight <= one_more, "{what}");
    assert!(attacked.watch.longest_pause <= alone.watch.longest_pause * 2, "{what}");
}

#[test]
fn who_guesses_changes_nothing() {
    let mut marks = handover_marks();
    marks.push(lost_over_the_air());
    for scheme in schemes() {
        for (victim, variant, timestamps) in [
            (Victim::Sender, "newreno", false),
            (Victim::Sender, "sack", true),
            (Victim::Sender, "vegas", false),
            (Victim::Receiver, "newreno", false),
            (Victim::Receiver, "sack", true),
            (Victim::Receiver, "vegas", true),
        ] {
            let plan = Plan { victim, ..Plan::new(scheme, variant) };
            let plan = if timestamps { plan } else { plan.without_timestamps() };
            let what = format!("{}, {variant}, {victim:?}, timestamps {timestamps}", name(scheme));
            let alone = run(&plan, None);
            let attacked = run(&plan, Some(Deeds::Guess { marks: marks.clone(), per_second: PER_SECOND }));
            assert!(attacked.injected > 80_000, "{what}");
            is_as_without(&what, &alone, &attacked);
            let attacked_end = if victim == Victim::Sender { attacked.sender } else { attacked.receiver };
            assert_eq!(attacked_end.marks.accepted, 0, "{what}");
            assert!(
                (30..=36).contains(&attacked_end.challenge_acks),
                "{what}: {}",
                attacked_end.challenge_acks
            );
            // With timestamps a fifth comes without, and is dropped before anybody looks at its mark.
            let refused = attacked_end.marks.all_refused() as f64 / attacked.injected as f64;
            assert_eq!(refused > 0.5, scheme.is_some(), "{what}: {refused}");
        }
    }
}
