//! Explicit loss notification at the ends: what a receiver lists, and what a sender does about it (eln-ack, section III;
//! Balakrishnan and Katz 1998).

use crate::script::*;
use seamline_tcp::loss_notification::{LossNotification, Repeat};
use seamline_tcp::parameters::Parameters;
use seamline_tcp::rtt::Estimator;
use seamline_wire::{Duration, Loss, LossCause, Mark};

const VARIANTS: [&str; 7] = ["tahoe", "reno", "newreno", "sack", "westwood", "vegas", "cubic"];
const AIR: LossCause = LossCause::Air;
const CONGESTION: LossCause = LossCause::Congestion;

fn mark(losses: &[(u32, LossCause)]) -> Mark {
    Mark::Losses(losses.iter().map(|&(offset, cause)| Loss { offset, cause }).collect())
}

fn notified(change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|parameters| {
        parameters.loss_notification.scheme = LossNotification::ListAndActOn;
        parameters.round_trip.minimum_timeout = Duration::from_secs(1);
        parameters.recovery.limited_transmit = false;
        change(parameters);
    })
}

/// A sender whose ten segments left at 1000 ms, with more to send.
fn ten_segments(variant: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::established(notified(change), variant);
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.supply(30_000).expect_nothing();
    script
}

fn cuts(script: &Script) -> u64 {
    script.endpoint.statistics().sender.window_cuts
}

fn receiver() -> Script {
    let mut script = Script::established(notified(|_| {}), "reno");
    script.read_at_once().at(1000).inject(data(1..1001)).at(1010).inject(data(1001..2001)).expect(ack(2001));
    script
}

/// Section III: the four most recent losses, by default with the bit of congestion.
#[test]
fn a_receiver_lists_its_gaps_most_recent_first() {
    let mut script = receiver();
    script.inject(data(3001..4001)).expect(ack(2001).mark(mark(&[(0, CONGESTION)])));
    script.inject(data(6001..7001));
    script.expect(ack(2001).mark(mark(&[(3000, CONGESTION), (2000, CONGESTION), (0, CONGESTION)])));
    script.inject(data(9001..10_001));
    let four = [(6000, CONGESTION), (5000, CONGESTION), (3000, CONGESTION), (2000, CONGESTION)];
    script.expect(ack(2001).mark(mark(&four)));
    script.inject(data(2001..3001));
    let rest = [(4000, CONGESTION), (3000, CONGESTION), (1000, CONGESTION), (0, CONGESTION)];
    script.expect(ack(4001).mark(mark(&rest)));
    script.inject(data(4001..5001)).inject(data(5001..6001)).take();
    script.inject(data(7001..8001)).expect(ack(8001).mark(mark(&[(0, CONGESTION)])));
    script.inject(data(8001..9001)).expect(ack(10_001)).expect_nothing();
}

/// A loss further off than can be listed is left out, and others are not.
#[test]
fn a_receiver_leaves_out_what_is_too_far_off() {
    let mut script = Script::connected(
        notified(|parameters| {
            parameters.segments.window_scale = Some(7);
            parameters.receiver.buffer = 4 << 20;
        }),
        "reno",
        syn_ack().scale(7),
    );
    script.at(1000).inject(data(1001..2001)).expect(ack(1).mark(mark(&[(0, CONGESTION)])));
    script.inject(data(1_060_001..1_061_001)).take();
    script.inject(data(1_063_001..1_064_001));
    let listed = [1_048_000, 1_047_000, 1_046_000, 1_045_000].map(|offset| (offset, CONGESTION));
    script.expect(ack(1).mark(mark(&listed)));
}

/// Section III: bit 0 retransmits at once, by the first acknowledgment that says so, with the window as it is. Duplicates
/// let new segments go in place of those that have arrived, and the window is no larger once all has.
#[test]
fn what_the_air_has_lost_is_sent_again_at_once() {
    for variant in VARIANTS {
        let mut script = ten_segments(variant, |parameters| parameters.window.grow_only_when_full = false);
        let window = script.endpoint.sample().congestion_window;
        let listed = |script: &mut Script| {
            script
                .inject(ack(1).mark(mark(&[(0, AIR)])))
                .take()
                .iter()
                .map(|it| it.sequence)
                .collect::<Vec<_>>()
        };
        script.at(1100);
        assert_eq!(listed(&mut script), [1, 10_001], "{variant}");
        for n in 1..9 {
            assert_eq!(listed(&mut script), [10_001 + n * 1000], "{variant}");
        }
        assert_eq!((cuts(&script), script.endpoint.sample().congestion_window), (0, window), "{variant}");
        script.at(1200).inject(ack(10_001));
        let room = script.endpoint.sample().congestion_window as usize - 9;
        assert_eq!(script.take().len(), room, "{variant}: nine are in flight");
        assert_eq!(cuts(&script), 0, "{variant}");
    }
}

/// As in ns-2: what is in flight shrinks until the loss is repaired.
#[test]
fn duplicates_may_count_for_nothing() {
    for variant in VARIANTS {
        let mut script = ten_segments(variant, |parameters| {
            parameters.loss_notification.duplicates_let_segments_go = false;
        });
        script.at(1100).inject(ack(1).mark(mark(&[(0, AIR)]))).expect(data(1..1001));
        script.inject_times(8, ack(1).mark(mark(&[(0, AIR)]))).expect_nothing();
        assert_eq!(cuts(&script), 0, "{variant}");
    }
}

/// Section III: bit 1 is the normal response, and so is an acknowledgment without a mark.
#[test]
fn congestion_is_answered_as_ever() {
    for variant in VARIANTS {
        for listed in [Some(mark(&[(0, CONGESTION)])), None] {
            let mut ours = ten_segments(variant, |_| {});
            let mut plain = ten_segments(variant, |parameters| {
                parameters.loss_notification.scheme = LossNotification::None;
            });
            for millis in [1100, 1101, 1102, 1103, 1104, 1150] {
                let seen = if millis < 1150 { ack(1) } else { ack(10_001) };
                let marked = Seg { mark: listed.filter(|_| millis < 1150), ..seen.clone() };
                let sent = |script: &mut Script, seg: Seg| {
                    script.at(millis).inject(seg).take().iter().map(ToString::to_string).collect::<Vec<_>>()
                };
                assert_eq!(sent(&mut ours, marked), sent(&mut plain, seen), "{variant} at {millis}");
            }
            assert_eq!(
                (cuts(&ours), ours.endpoint.sample()),
                (cuts(&plain), plain.endpoint.sample()),
                "{variant}"
            );
            assert!(ours.endpoint.statistics().sender.recoveries == 1, "{variant}");
        }
    }
}

/// One loss of each kind: the first missing is repaired without a cut, the other has its own duplicates and its cut.
#[test]
fn losses_of_both_kinds() {
    for variant in ["reno", "newreno"] {
        let mut script = ten_segments(variant, |parameters| {
            parameters.loss_notification.duplicates_let_segments_go = false;
        });
        let both = mark(&[(4000, CONGESTION), (0, AIR)]);
        script.at(1100).inject(ack(1).mark(both)).expect(data(1..1001));
        script.inject_times(7, ack(1).mark(both)).expect_nothing();
        let rest = mark(&[(0, CONGESTION)]);
        script.at(1200).inject(ack(4001).mark(rest)).take();
        assert_eq!(cuts(&script), 0);
        script.inject_times(2, ack(4001).mark(rest)).expect_nothing();
        script.inject(ack(4001).mark(rest)).expect(data(4001..5001));
        assert_eq!(cuts(&script), 1);

        let mut script = ten_segments(variant, |_| {});
        let both = mark(&[(4000, AIR), (0, CONGESTION)]);
        script.at(1100).inject(ack(1).mark(both)).expect(data(4001..5001)).inject(ack(1).mark(both));
        script.expect_nothing().inject(ack(1).mark(both)).expect(data(1..1001)).expect_nothing();
        assert_eq!(cuts(&script), 1);
    }
}

/// A loss that lies further back than the four most recent ones is remembered.
#[test]
fn five_losses_over_the_air() {
    let mut script = ten_segments("reno", |parameters| {
        parameters.loss_notification.duplicates_let_segments_go = false;
    });
    script.at(1100).inject(ack(1).mark(mark(&[(0, AIR)]))).expect(data(1..1001));
    let four = mark(&[(8000, AIR), (6000, AIR), (4000, AIR), (2000, AIR)]);
    script.inject(ack(1).mark(four));
    [2001, 4001, 6001, 8001].iter().for_each(|&at| _ = script.expect(data(at..at + 1000)));
    script.inject_times(5, ack(1).mark(four)).expect_nothing();
    script.at(1190).inject(ack(2001).mark(mark(&[(6000, AIR), (4000, AIR), (2000, AIR), (0, AIR)])));
    assert!(script.take().iter().all(|sent| sent.sequence > 10_000));
    assert_eq!(cuts(&script), 0);
}

/// A sender that sent the first of ten segments again at 1150 ms, after samples of 150 ms, and the same acknowledgment again.
fn sent_again(repeat: Repeat, estimator: Estimator) -> (Script, Seg) {
    let mut script = ten_segments("reno", |parameters| {
        parameters.loss_notification.repeat = repeat;
        parameters.loss_notification.duplicates_let_segments_go = false;
        parameters.round_trip.estimator = estimator;
    });
    script.at(1150).inject(ack(1001)).take();
    let listed = ack(1001).mark(mark(&[(0, AIR)]));
    script.inject(listed.clone()).expect(data(1001..2001));
    (script, listed)
}

/// What is still listed so long after it was sent again is sent again, on a fine clock even where the retransmission timer
/// has ticks of 100 ms.
#[test]
fn a_lost_retransmission() {
    let ticks = Estimator::Ticks { tick: Duration::from_millis(100), phase: Duration::ZERO };
    for estimator in [Estimator::RFC_6298, ticks] {
        // The handshake took 100 ms, the first segment 150 ms: smoothed 106.25 ms, variation 50 ms.
        for (variations, wait) in [(0, 107), (1, 157), (4, 307)] {
            let (mut script, listed) = sent_again(Repeat::AfterRoundTrip { variations }, estimator);
            script.at(1150 + wait - 1).inject(listed.clone()).expect_nothing();
            script.at(1150 + wait).inject(listed.clone()).expect(data(1001..2001));
            script.inject(listed.clone()).expect_nothing();
            script.at(1150 + 2 * wait - 1).inject(listed.clone()).expect_nothing();
            script.at(1150 + 2 * wait).inject(listed).expect(data(1001..2001));
            assert_eq!((cuts(&script), script.endpoint.statistics().sender.timeouts), (0, 0));
        }
        let (mut script, listed) = sent_again(Repeat::Never, estimator);
        script.at(1900).inject(listed).expect_nothing();
        script.at(2149).expect_nothing().at(2150).expect(data(1001..2001));
        assert_eq!((cuts(&script), script.endpoint.statistics().sender.timeouts), (1, 1));
    }
}

/// Judged again: what was lost over the air is sent again and lost in a queue, and that is answered.
#[test]
fn the_latest_word_counts() {
    let mut script = ten_segments("reno", |parameters| {
        parameters.loss_notification.duplicates_let_segments_go = false;
    });
    script.at(1100).inject(ack(1).mark(mark(&[(0, AIR)]))).expect(data(1..1001));
    script.at(1200).inject_times(2, ack(1).mark(mark(&[(0, CONGESTION)]))).expect_nothing();
    script.inject(ack(1).mark(mark(&[(0, CONGESTION)]))).expect(data(1..1001));
    assert_eq!(cuts(&script), 1);
}

/// Losses that cannot be: what is acknowledged, and what was never sent.
#[test]
fn nonsense_is_ignored() {
    let mut script = ten_segments("reno", |_| {});
    script.at(1100).inject(ack(1).mark(mark(&[(10_000, AIR), (50_000, AIR)]))).expect_nothing();
    script.inject(ack(5001)).take();
    assert_eq!(cuts(&script), 0);
}

/// A mark about losses is no news for a handover scheme.
#[test]
fn handover_schemes_are_not_notified() {
    for scheme in seamline_tcp::handover::ALL {
        let mut script = Script::moving(notified(|_| {}), "reno", scheme.name);
        script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
        script.at(1100).inject(ack(1).mark(mark(&[(0, AIR)]))).expect(data(1..1001)).expect_nothing();
        script.window_is(10.0);
    }
}

/// A sender of ns-2 (`TcpAgent::tcp_eln`) that has sent ten segments.
fn of_ns2(variant: &str) -> Script {
    ten_segments(variant, |parameters| {
        parameters.loss_notification.scheme = LossNotification::ActOn;
        parameters.ns2().first_marked_duplicate_repairs = true;
    })
}

/// What a mark for the first missing segment has sent again.
fn repaired(script: &mut Script, at: u32) -> Vec<u32> {
    let left = script.inject(ack(at).mark(mark(&[(0, AIR)]))).take();
    left.iter().filter(|it| it.sequence < 10_001).map(|it| it.sequence).collect()
}

/// In ns-2 a mark on a new acknowledgment says nothing; the first duplicate that has one repairs, and a later one does not, whatever came
/// before it.
#[test]
fn the_first_marked_duplicate_may_repair_alone() {
    for variant in ["tahoe", "reno", "newreno"] {
        let mut script = of_ns2(variant);
        script.at(1100);
        assert_eq!(repaired(&mut script, 1001), [], "{variant}: a new acknowledgment");
        assert_eq!(repaired(&mut script, 1001), [1001], "{variant}: the first duplicate");
        assert_eq!(repaired(&mut script, 1001), [], "{variant}: the second");
        script.at(1200).inject(ack(4001)).take();
        script.inject(ack(4001)).take();
        assert_eq!(repaired(&mut script, 4001), [], "{variant}: the second, but the first with a mark");
        assert_eq!(cuts(&script), 0, "{variant}");
    }
}

/// ns-2's sender passes over a segment right behind the one that it sent again last, but not one further on.
#[test]
fn a_neighbour_may_be_passed_over() {
    let mut script = of_ns2("reno");
    script.at(1100);
    assert_eq!(repaired(&mut script, 1), [1]);
    script.at(1200).inject(ack(1001)).take();
    assert_eq!(repaired(&mut script, 1001), []);
    script.at(1300).inject(ack(3001)).take();
    assert_eq!(repaired(&mut script, 3001), [3001]);
    // The timer has not been restarted by the last repair: it runs from the new acknowledgment.
    script.at(2299).expect_nothing().at(2300).expect(data(3001..4001));
}

/// In ns-2 marked duplicates count: after three of them one without a mark is no third one, and nothing is cut.
#[test]
fn marked_duplicates_may_count() {
    for variant in ["tahoe", "reno", "newreno"] {
        let ours = |parameters: &mut Parameters| {
            parameters.loss_notification.duplicates_let_segments_go = false;
        };
        for (mut script, expected) in [(ten_segments(variant, ours), 1), (of_ns2(variant), 0)] {
            script.at(1100);
            for _ in 0..3 {
                script.inject(ack(1).mark(mark(&[(0, AIR)]))).take();
            }
            for _ in 0..3 {
                script.inject(ack(1)).take();
            }
            assert_eq!(cuts(&script), expected, "{variant}");
        }
    }
}
