//! A receiver that misbehaves: next to an honest flow it gets no more by marks than by keeping the rules. What any receiver can
//! do to any TCP, acknowledging what it has not got (Savage, Cardwell, Wetherall and Anderson 1999), it still can.

use crate::attacker::{Deeds, Lie};
use crate::path::{Plan, Victim, run};
use crate::{handover_marks, name, schemes};
use seamline_tcp::handover::{AfterReconnection, Scheme};
use seamline_tcp::loss_notification::LossNotification;
use seamline_tcp::recovery::SpuriousDetection;
use seamline_wire::Duration;

const SEEDS: u64 = 6;
/// Student's t for 95 %, one-sided, five degrees of freedom.
const T: f64 = 2.015;

fn plan(scheme: Option<&'static Scheme>, variant: &'static str, seed: u64) -> Plan {
    // A few random losses keep two flows over one queue from falling into step.
    let length = Duration::from_secs(30);
    let plan = Plan::new(scheme, variant);
    let mut plan =
        Plan { victim: Victim::Receiver, with_other: true, random_loss: 0.0005, seed, length, ..plan };
    plan.parameters.handover.tr_acks.after = AfterReconnection::SlowStart;
    plan
}

/// By how much the misbehaving flow is ahead of the honest one, as a share of both, for each seed.
fn lead(plans: impl Fn(u64) -> Plan, lie: Option<Lie>) -> Vec<f64> {
    let of = |seed| {
        let outcome = run(&plans(seed), lie.map(Deeds::Lie));
        let (own, other) = (outcome.sender.bytes_acknowledged as f64, outcome.delivered_to_other as f64);
        (own - other) / (own + other)
    };
    (1..=SEEDS).map(of).collect()
}

/// The mean of what lying adds to the lead, and half of its interval.
fn gain(honest: &[f64], lying: &[f64]) -> (f64, f64) {
    let gains: Vec<f64> = lying.iter().zip(honest).map(|(lying, honest)| lying - honest).collect();
    let count = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / count;
    let variance = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum::<f64>() / (count - 1.0);
    (mean, T * (variance / count).sqrt())
}

#[test]
fn marks_get_a_receiver_no_more_than_its_share() {
    for scheme in schemes() {
        for variant in ["newreno", "sack"] {
            let plans = |seed| plan(scheme, variant, seed);
            let honest = lead(plans, None);
            let lies = |lies: Vec<Lie>| {
                for lie in lies {
                    let (mean, half) = gain(&honest, &lead(plans, Some(lie)));
                    let what = format!("{}, {variant}, {lie:?}: {mean:+.3} +- {half:.3}", name(scheme));
                    assert!(mean - half <= 0.0, "{what}");
                }
            };
            if scheme.is_none() {
                lies(vec![Lie::ThreeTimes, Lie::ZeroWindows]);
                continue;
            }
            let marks = handover_marks();
            let known = marks.into_iter().filter(|mark| {
                let marked = run(&plans(1), Some(Deeds::Lie(Lie::MarkAll(*mark)))).sender.marks;
                marked.accepted > 0
            });
            known.for_each(|mark| lies(vec![Lie::MarkAll(mark), Lie::MarkGaps(mark)]));
        }
    }
}

/// A receiver that hides all losses takes nearly everything, from any TCP; the comparison could see it.
#[test]
fn hiding_losses_takes_it_all_from_any_tcp() {
    let plans = |seed| plan(None, "newreno", seed);
    let (mean, half) = gain(&lead(plans, None), &lead(plans, Some(Lie::NothingIsMissing)));
    assert!(mean - half > 0.5, "{mean} +- {half}");
}

/// A sender that acts on explicit loss notification believes its receiver about causes: that is no worse than to believe it
/// about losses, as all TCP does.
#[test]
fn false_causes_are_no_worse_than_hidden_losses() {
    for variant in ["newreno", "sack"] {
        let plans = |seed| {
            let mut plan = plan(None, variant, seed);
            plan.parameters.loss_notification.scheme = LossNotification::ListAndActOn;
            plan
        };
        let honest = lead(plans, None);
        let (lying, _) = gain(&honest, &lead(plans, Some(Lie::LostOverTheAir)));
        let (hiding, _) = gain(&honest, &lead(plans, Some(Lie::NothingIsMissing)));
        assert!(lying <= hiding, "{variant}: {lying} > {hiding}");
    }
}

/// A sender that takes cuts back believes its receiver about what was needless: that is no worse than to believe it about losses.
#[test]
fn old_echoes_are_no_worse_than_hidden_losses() {
    for variant in ["newreno", "sack", "cubic"] {
        let plans = |seed| {
            let mut plan = plan(None, variant, seed);
            plan.parameters.recovery.spurious_detection = SpuriousDetection::TimestampsAndDuplicates;
            plan.parameters.receiver.reports_duplicates = true;
            plan
        };
        let cheated = run(&plans(1), Some(Deeds::Lie(Lie::OldEchoes))).sender.sender;
        assert!(cheated.undone_cuts > 0, "{variant}: {cheated:?}");
        let honest = lead(plans, None);
        let (lying, _) = gain(&honest, &lead(plans, Some(Lie::OldEchoes)));
        let (hiding, _) = gain(&honest, &lead(plans, Some(Lie::NothingIsMissing)));
        assert!(lying <= hiding, "{variant}: {lying} > {hiding}");
    }
}
