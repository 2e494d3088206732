//! Somebody on the path who reads and injects, but cannot drop: what he forges is as right as the peer's own. He can hurt any
//! TCP with forged acknowledgments; by marks he can do little more, and nothing without end.

use crate::attacker::{Deeds, Forgery};
use crate::path::{Gap, Outcome, PATH_HOLDS, Plan, SEGMENT, Victim, run};
use crate::{handover_marks, lost_over_the_air, name};
use seamline_tcp::handover::{ALL, AfterReconnection, Scheme};
use seamline_tcp::loss_notification::LossNotification;
use seamline_wire::{Duration, Instant, Mark, MarkRefusal};

const PER_SECOND: u64 = 1000;
const LENGTH: Duration = Duration::from_secs(30);
/// Marks that change something: four at once, and one in four seconds (`endpoint/marks.rs`).
const MOST_CHANGES: f64 = 4.0 + 30.0 / 4.0;
const VARIANTS: [&str; 4] = ["newreno", "sack", "vegas", "westwood"];

fn plan(scheme: &'static Scheme, variant: &'static str, victim: Victim) -> Plan {
    let mut plan = Plan { victim, length: LENGTH, ..Plan::new(Some(scheme), variant) };
    plan.parameters.handover.tr_acks.after = AfterReconnection::SlowStart;
    plan
}

fn forge(plan: &Plan, what: Forgery) -> Outcome {
    run(plan, Some(Deeds::Forge { what, per_second: PER_SECOND }))
}

/// What the same attacker does to the same connection by what any TCP knows.
struct Plain {
    alone: Outcome,
    attacks: [Outcome; 2],
}

impl Plain {
    fn of(plan: &Plan) -> Plain {
        let plan = Plan { scheme: None, ..plan.clone() };
        let attacks = [Forgery::DuplicateAcknowledgments, Forgery::ZeroWindows];
        Plain { alone: run(&plan, None), attacks: attacks.map(|what| forge(&plan, what)) }
    }
    fn most(&self, of: impl Fn(&Outcome) -> f64) -> f64 {
        self.attacks.iter().map(&of).fold(of(&self.alone), f64::max)
    }
}

/// The window is none that was not in use before, in queues at most what a loss-based sender keeps there too; for
/// each mark that is accepted at most one window is sent again, once for the mark and once for what that overflows.
fn is_bounded(what: &str, plain: &Plain, attacked: &Outcome) {
    let window = plain.most(|it| it.watch.largest_window).max(PATH_HOLDS + 1.0);
    assert!(attacked.watch.largest_window <= window, "{what}: {} > {window}", attacked.watch.largest_window);
    let in_flight = plain.most(|it| it.watch.most_in_flight as f64) + window * f64::from(SEGMENT);
    assert!(attacked.watch.most_in_flight as f64 <= in_flight, "{what}: {}", attacked.watch.most_in_flight);

    let sent_again = attacked.sender.sender.retransmissions as f64;
    let most = plain.most(|it| it.sender.sender.retransmissions as f64) + 2.0 * MOST_CHANGES * window;
    assert!(sent_again <= most, "{what}: {sent_again} > {most}");
    let second = attacked.watch.worst_second() as f64;
    let most = plain.most(|it| it.watch.worst_second() as f64) + 2.0 * 4.0 * window;
    assert!(second <= most, "{what}: {second} > {most} in a second");
    let overflows = attacked.watch.overflows as f64;
    let most = plain.most(|it| it.watch.overflows as f64) + MOST_CHANGES * window;
    assert!(overflows <= most, "{what}: {overflows} > {most} dropped");

    // The smallest timeout is one second.
    let pause = plain.most(|it| it.watch.longest_pause.as_secs_f64()) + 2.0;
    assert!(attacked.watch.longest_pause.as_secs_f64() <= pause, "{what}: {}", attacked.watch.longest_pause);
    assert!(attacked.delivered * 20 > plain.alone.delivered, "{what}: {}", attacked.delivered);
}

#[test]
fn forged_marks_raise_nothing_and_make_no_storm() {
    for scheme in ALL {
        let senders = VARIANTS.map(|variant| (variant, Victim::Sender));
        for (variant, victim) in senders.into_iter().chain([("newreno", Victim::Receiver)]) {
            let plan = plan(scheme, variant, victim);
            let plain = Plain::of(&plan);
            let attack = |marks: Vec<Mark>| {
                let what = format!("{}, {variant}, {victim:?}, {marks:?}", scheme.name);
                let attacked = forge(&plan, Forgery::Marks(marks));
                assert!(attacked.injected > 25_000);
                is_bounded(&what, &plain, &attacked);
                let ends = [attacked.sender, attacked.receiver];
                ends.iter().all(|it| it.marks.refused(MarkRefusal::NotExpected) == 0)
            };
            let known: Vec<Mark> = handover_marks().into_iter().filter(|mark| attack(vec![*mark])).collect();
            // What a scheme does not know is a duplicate acknowledgment, as to any TCP.
            if !known.is_empty() {
                attack(known);
            }
        }
    }
}

/// Marks that tell of losses, at ends that act on them: a segment is sent again at most once in a round trip, three for two marks that
/// come, and nine of ten segments sent at worst (SECURITY.md, what is left open). Retransmissions give no round-trip samples: while they
/// fill the queue, a round trip as it was known is shorter than the path's, and up to four windows more are under way.
#[test]
fn forged_losses_send_a_segment_again_once_in_a_round_trip() {
    for variant in VARIANTS {
        let mut plan = Plan { length: LENGTH, ..Plan::new(None, variant) };
        plan.parameters.loss_notification.scheme = LossNotification::ListAndActOn;
        let plain = Plain::of(&plan);
        let attacked = forge(&plan, Forgery::Marks(vec![lost_over_the_air()]));
        let window = plain.most(|it| it.watch.largest_window).max(PATH_HOLDS + 1.0);
        let in_flight = plain.most(|it| it.watch.most_in_flight as f64) + 4.0 * window * f64::from(SEGMENT);
        assert!(attacked.watch.most_in_flight as f64 <= in_flight, "{variant}");
        let sent_again = attacked.sender.sender.retransmissions as f64;
        let most = plain.most(|it| it.sender.sender.retransmissions as f64) + 1.5 * attacked.injected as f64;
        assert!(sent_again <= most, "{variant}: {sent_again} > {most}");
        assert!(sent_again <= attacked.sender.sender.segments_sent as f64 * 0.9, "{variant}");
        assert!(attacked.delivered * 20 > plain.alone.delivered, "{variant}: {}", attacked.delivered);
    }
}

/// The worst time for it: the connection has just lost all that was under way.
#[test]
fn a_forged_announcement_freezes_no_longer_than_a_disconnection_lasts() {
    for scheme in ALL {
        let gap = Gap {
            begin: Instant::from_millis(5000),
            length: Duration::from_secs(2),
            announced: Duration::ZERO,
        };
        let mut plan = Plan { length: Duration::from_secs(60), ..plan(scheme, "newreno", Victim::Sender) };
        plan.gaps = vec![gap];
        plan.signals = false;
        let alone = run(&plan, None);
        let attacked = forge(&plan, Forgery::Marks(vec![Mark::WillHandover]));
        let longest = plan.parameters.handover.mobility_vegas.longest_disconnection;
        assert_eq!(longest, plan.parameters.handover.cross_layer.longest_disconnection);
        let pause = attacked.watch.longest_pause;
        // The gap has doubled the timer once before the announcement halts it: 2 s.
        assert!(pause <= longest + Duration::from_secs(2 + 2), "{}: {pause}", name(Some(scheme)));
        assert!(attacked.delivered * 3 > alone.delivered, "{}: {}", scheme.name, attacked.delivered);
    }
}
