//! Genuine marks, recorded and sent again: at once, a round trip later, and after later timeouts.

use crate::attacker::Deeds;
use crate::path::{Gap, Outcome, Plan, run};
use seamline_tcp::handover::{ALL, AfterReconnection, Scheme};
use seamline_wire::{Duration, Instant, MarkRefusal};

/// Three moves with an outage; the last one is long enough for timeouts, and recorded marks arrive in it.
fn plan(scheme: &'static Scheme, variant: &'static str, timestamps: bool) -> Plan {
    let mut plan = Plan { length: Duration::from_secs(30), ..Plan::new(Some(scheme), variant) };
    plan.parameters.handover.tr_acks.after = AfterReconnection::SlowStart;
    let gap = |begin: u64, length: u64| Gap {
        begin: Instant::from_millis(begin),
        length: Duration::from_millis(length),
        announced: Duration::from_millis(100),
    };
    plan.gaps = vec![gap(5000, 300), gap(12_000, 300), gap(19_000, 4000)];
    if timestamps { plan } else { plan.without_timestamps() }
}

fn replayed(plan: &Plan, millis: &[u64]) -> Outcome {
    run(plan, Some(Deeds::Replay { after: millis.iter().map(|it| Duration::from_millis(*it)).collect() }))
}

/// A round trip later, or after the timeouts of a later move, a mark acknowledges less than is acknowledged, or its timestamp
/// is old: as if it had not come.
#[test]
fn marks_that_come_late_again_change_nothing() {
    for scheme in ALL {
        for (variant, timestamps) in
            [("newreno", false), ("sack", true), ("vegas", false), ("westwood", true)]
        {
            let what = format!("{}, {variant}, timestamps {timestamps}", scheme.name);
            let plan = plan(scheme, variant, timestamps);
            let alone = run(&plan, None);
            let attacked = replayed(&plan, &[2000, 7500, 8500, 10_000, 15_000]);
            let marks = attacked.sender.marks;
            // In the last outage what was announced before it may be repeated once more: it holds already.
            assert!(marks.accepted - alone.sender.marks.accepted <= 2, "{what}: {marks:?}");
            let late = [
                MarkRefusal::OldAcknowledgment,
                MarkRefusal::ImplausibleAcknowledgment,
                MarkRefusal::OldTimestamp,
                MarkRefusal::OutOfWindow,
            ]
            .map(|reason| marks.refused(reason));
            assert_eq!(late.iter().sum::<u64>(), marks.all_refused(), "{what}: {marks:?}");
            assert_eq!(attacked.injected == 0, alone.sender.marks == Default::default(), "{what}");
            if variant == "vegas" {
                // What it makes of an outage turns on microseconds, also where nobody attacks.
                continue;
            }
            let share = attacked.delivered as f64 / alone.delivered as f64;
            assert!((0.995..1.005).contains(&share), "{what}: {share}");
            let sent_again = [attacked, alone].map(|it| it.sender.sender.retransmissions);
            // Challenge ACKs take their time on the way back, and a full queue then drops other packets.
            assert!(
                sent_again[0].abs_diff(sent_again[1]) <= 3 + sent_again[1] / 20,
                "{what}: {sent_again:?}"
            );
        }
    }
}

/// At once each counts like one that the network has doubled: a window is sent again for each, and no more.
#[test]
fn marks_that_come_twice_at_once_make_no_storm() {
    for scheme in ALL {
        for variant in ["newreno", "sack", "vegas"] {
            let what = format!("{}, {variant}", scheme.name);
            let plan = plan(scheme, variant, false);
            let alone = run(&plan, None);
            let attacked = replayed(&plan, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
            let window = alone.watch.largest_window;
            let changes = f64::from(4 * plan.gaps.len() as u32);
            let most = alone.sender.sender.retransmissions as f64 + 2.0 * changes * window;
            let sent_again = attacked.sender.sender.retransmissions as f64;
            assert!(sent_again <= most, "{what}: {sent_again} > {most}");
            assert!(
                attacked.watch.largest_window <= window + 1.0,
                "{what}: {}",
                attacked.watch.largest_window
            );
            assert!(attacked.delivered * 10 > alone.delivered * 8, "{what}: {}", attacked.delivered);
        }
    }
}
