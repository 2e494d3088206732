//! Error models against closed forms, and their two places on a link.

use crate::support::{Offer, burst, config, ms, run, scheduled, span};
use seamline_net::error::{
    AppliesTo, Arrival, Bernoulli, Burst, DropList, ErrorModel, ErrorStage, GilbertElliott,
    GilbertElliottInTime, GilbertElliottParameters, GilbertElliottTimes, LossTrace, PeriodicOutage,
    ScheduledLoss,
};
use seamline_net::schedule::Steps;
use seamline_net::{Link, LinkConfig, Schedule};
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Instant, Packet};

const MANY: u64 = 400_000;

fn stream() -> Stream {
    Stream::new(11, "air/down/loss")
}

fn losses(model: &mut dyn ErrorModel, count: u64) -> Vec<bool> {
    let packet = Packet::default();
    (0..count)
        .map(|index| model.loses(Arrival { at: Instant::from_millis(index), index, packet: &packet }))
        .collect()
}

fn share(losses: &[bool]) -> f64 {
    losses.iter().filter(|lost| **lost).count() as f64 / losses.len() as f64
}

/// Lengths of the runs of losses.
fn runs(losses: &[bool]) -> Vec<usize> {
    losses.split(|lost| !lost).map(<[bool]>::len).filter(|length| *length > 0).collect()
}

fn mean(lengths: &[usize]) -> f64 {
    lengths.iter().sum::<usize>() as f64 / lengths.len() as f64
}

fn assert_near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() < tolerance, "{value} is not {expected} +- {tolerance}");
}

#[test]
fn bernoulli_loses_its_share_one_draw_each() {
    let lost = losses(&mut Bernoulli::new(0.01, stream()), MANY);
    // Standard error sqrt(0.01 * 0.99 / 400000) = 0.00016.
    assert_near(share(&lost), 0.01, 0.0007);
    // One draw per packet, lost when below the probability.
    let mut dice = stream();
    assert!(lost.iter().all(|lost| *lost == (dice.uniform() < 0.01)));
    // A higher probability loses those packets and more: the streams stay aligned.
    let more = losses(&mut Bernoulli::new(0.02, stream()), MANY);
    assert!(lost.iter().zip(&more).all(|(less, more)| !less || *more));
}

#[test]
fn gilbert_elliott_has_its_stationary_loss_and_burst_length() {
    let parameters = GilbertElliottParameters {
        good_to_bad: 0.02,
        bad_to_good: 0.25,
        loss_in_good: 0.0,
        loss_in_bad: 1.0,
    };
    let lost = losses(&mut GilbertElliott::new(parameters, stream()), MANY);
    // P / (P + p) = 0.02 / 0.27; the bad state lasts 1 / 0.25 packets.
    assert_near(parameters.stationary_loss(), 0.074_074, 1e-6);
    assert_near(share(&lost), 0.074_074, 0.004);
    assert_near(mean(&runs(&lost)), 4.0, 0.12);
    let lossy = GilbertElliottParameters { loss_in_good: 0.01, loss_in_bad: 0.5, ..parameters };
    let lost = losses(&mut GilbertElliott::new(lossy, stream()), MANY);
    // 0.0741 * 0.5 + 0.9259 * 0.01
    assert_near(share(&lost), 0.046_296, 0.003);
}

#[test]
fn gilbert_elliott_can_be_given_by_loss_and_burst() {
    let parameters = GilbertElliottParameters {
        good_to_bad: 0.03 / 5.0 / (1.0 - 0.03),
        bad_to_good: 1.0 / 5.0,
        loss_in_good: 0.0,
        loss_in_bad: 1.0,
    };
    let lost = losses(&mut GilbertElliott::new(parameters, stream()), MANY);
    assert_near(share(&lost), 0.03, 0.003);
    assert_near(mean(&runs(&lost)), 5.0, 0.2);
}

/// Good for 100 ms and bad for 20 ms on average: it leaves its states at a rate of 10 + 50 = 60 a second.
const FADES: GilbertElliottTimes = GilbertElliottTimes {
    mean_good: Duration::from_millis(100),
    mean_bad: Duration::from_millis(20),
    loss_in_good: 0.0,
    loss_in_bad: 1.0,
};

fn fading(parameters: GilbertElliottTimes) -> GilbertElliottInTime {
    GilbertElliottInTime::new(parameters, Stream::new(11, "air/down/loss/state"), stream())
}

/// The fates of packets that arrive at these times, in microseconds.
fn losses_at(model: &mut dyn ErrorModel, micros: impl IntoIterator<Item = u64>) -> Vec<bool> {
    let packet = Packet::default();
    let arrivals = micros.into_iter().enumerate();
    arrivals
        .map(|(index, at)| {
            let at = Instant::ZERO + Duration::from_micros(at);
            model.loses(Arrival { at, index: index as u64, packet: &packet })
        })
        .collect()
}

#[test]
fn fades_have_their_stationary_loss() {
    let lost = losses(&mut fading(FADES), MANY);
    assert_near(FADES.stationary_loss(), 1.0 / 6.0, 1e-12);
    // Variance of the share of time in a state: 2 (0.1 * 0.02)^2 / (0.12^3 * 400 s) = 0.0034^2.
    assert_near(share(&lost), 1.0 / 6.0, 0.0136);
    assert!(!lost[0], "it begins in the good state");
    let lossy = GilbertElliottTimes { loss_in_good: 0.01, loss_in_bad: 0.5, ..FADES };
    // 0.5 / 6 + 0.01 * 5 / 6
    assert_near(lossy.stationary_loss(), 0.091_667, 1e-6);
    let fewer = losses(&mut fading(lossy), MANY);
    assert_near(share(&fewer), 0.091_667, 0.0075);
    // More loss in the same states loses those packets and more.
    let more = losses(&mut fading(GilbertElliottTimes { loss_in_bad: 0.7, ..lossy }), MANY);
    assert!(fewer.iter().zip(&more).all(|(fewer, more)| !fewer || *more));
    assert_near(share(&more), 0.125, 0.01);
}

#[test]
fn fades_last_their_time() {
    // Every 100 us for 400 s. A fade is over by the next packet with probability 5/6 (1 - e^(-60 * 0.0001)) =
    // 0.0049850, so 200.6 packets are lost in a row; 3333 fades give a standard error of 3.5.
    let lost = losses_at(&mut fading(FADES), (0..4_000_000).map(|n| n * 100));
    let lengths = runs(&lost);
    assert_near(mean(&lengths), 200.6, 14.0);
    assert_near(lengths.len() as f64, 3333.0, 4.0 * 49.0);
    // A geometric number: 1/e of them are longer than the mean.
    let longer = lengths.iter().filter(|length| **length > 200).count() as f64 / lengths.len() as f64;
    assert_near(longer, 0.368, 0.034);
}

#[test]
fn a_fade_passes_while_nothing_is_sent() {
    // Of packets 10 ms after a lost one 1/6 + 5/6 e^-0.6 = 0.6240 are lost, and of those a second after it
    // 1/6: the link was idle meanwhile. Per packet the state would last for 20 of them.
    let pairs =
        losses_at(&mut fading(FADES), (0..100_000).flat_map(|n| [n * 1_000_000, n * 1_000_000 + 10_000]));
    let after = |lag: usize, first: usize| -> Vec<bool> {
        (first..pairs.len() - lag).step_by(2).filter(|n| pairs[*n]).map(|n| pairs[n + lag]).collect()
    };
    // 16,667 of them: standard errors 0.0038 and 0.0029.
    assert_near(share(&after(1, 0)), 0.6240, 0.015);
    assert_near(share(&after(2, 0)), 1.0 / 6.0, 0.0116);
}

/// Common random numbers: whatever each flow sends, the fades are the same.
#[test]
fn fades_do_not_depend_on_what_is_sent() {
    let every = losses_at(&mut fading(FADES), (0..100_000).map(|n| n * 1000));
    for (first, step) in [(0, 2), (7, 13), (99, 1000)] {
        let some = losses_at(&mut fading(FADES), (first..100_000).step_by(step).map(|n| n * 1000));
        let same: Vec<bool> = every.iter().skip(first as usize).step_by(step).copied().collect();
        assert_eq!(some, same);
    }
    let others = GilbertElliottInTime::new(FADES, Stream::new(12, "air/down/loss/state"), stream());
    assert_ne!(every, losses_at(&mut others.clone(), (0..100_000).map(|n| n * 1000)));
}

#[test]
fn a_burst_takes_its_length() {
    let lost = losses(&mut Burst::new(0.005, 3, stream()), MANY);
    // n p / (1 + (n - 1) p) = 0.015 / 1.01
    assert_near(share(&lost), 0.014_851, 0.0013);
    assert!(runs(&lost[..MANY as usize - 2]).iter().all(|length| length % 3 == 0));
    let every = losses(&mut Burst::new(1.0, 3, stream()), 10);
    assert!(every.iter().all(|lost| *lost));
    assert_eq!(share(&losses(&mut Burst::new(0.0, 3, stream()), 1000)), 0.0);
}

#[test]
fn a_drop_list_counts_from_zero() {
    let lost = losses(&mut DropList::new([14, 2, 2, 0]), 20);
    let indices: Vec<_> = (0..20).filter(|index| lost[*index]).collect();
    assert_eq!(indices, [0, 2, 14]);
}

#[test]
fn a_periodic_outage_takes_what_arrives_in_it() {
    let mut outage = PeriodicOutage::new(Duration::from_secs(5), Duration::from_secs(1));
    let packet = Packet::default();
    let mut lost = |at: u64| outage.loses(Arrival { at: Instant::from_nanos(at), index: 0, packet: &packet });
    let second = 1_000_000_000;
    assert!(!lost(0) && !lost(second / 2), "no outage at the start");
    assert!(!lost(5 * second - 1));
    assert!(lost(5 * second) && lost(6 * second - 1));
    assert!(!lost(6 * second) && !lost(10 * second - 1));
    assert!(lost(10 * second) && lost(1005 * second + 3));
    let mut never = PeriodicOutage::new(Duration::ZERO, Duration::from_secs(1));
    assert!(!never.loses(Arrival { at: Instant::from_secs(7), index: 0, packet: &packet }));
}

#[test]
fn a_loss_trace_repeats() {
    let lost = losses(&mut LossTrace::new(vec![false, true, true]), 7);
    assert_eq!(lost, [false, true, true, false, true, true, false]);
    assert_eq!(share(&losses(&mut LossTrace::new(vec![]), 5)), 0.0);
}

#[test]
fn a_scheduled_loss_follows_the_clock() {
    let probability = Steps::new(vec![(Instant::ZERO, 0.0), (Instant::from_secs(100), 0.3)]).unwrap();
    let lost = losses(&mut ScheduledLoss::new(probability.clone(), stream()), 200_000);
    assert_eq!(share(&lost[..100_000]), 0.0);
    assert_near(share(&lost[100_000..]), 0.3, 0.006);
    // On a link it sits at the far end: arrivals from 100 s on.
    let schedule = Schedule { loss: Some(probability.skip(Duration::from_secs(90))), ..Schedule::default() };
    let offers: Vec<_> =
        (0..20_000).map(|id| Offer { at: Instant::from_millis(u64::from(id)), id, size: 100 }).collect();
    let log = run(&mut Link::new(scheduled(config(1000.0), schedule)), &offers);
    let first = log.dropped[0].0;
    assert!(first >= Instant::from_secs(10) && first < Instant::from_millis(10_100), "{first}");
    // 11,000 packets arrive after that.
    assert_near(log.dropped.len() as f64 / 11_000.0, 0.3, 0.02);
}

#[test]
fn before_the_queue_a_loss_uses_no_airtime_and_at_the_end_it_does() {
    let list = || Some(ErrorStage::from(DropList::new([1])));
    let head = run(&mut Link::new(LinkConfig { head_error: list(), ..config(10.0) }), &burst(0.0, 0..3));
    assert_eq!(head.delivered_millis(), [(11.0, 0), (12.0, 2)]);
    assert_eq!(head.dropped, [(ms(0.0), 1, DropCause::ErrorModel)]);
    let end = run(&mut Link::new(LinkConfig { end_error: list(), ..config(10.0) }), &burst(0.0, 0..3));
    assert_eq!(end.delivered_millis(), [(11.0, 0), (13.0, 2)]);
    assert_eq!(end.dropped, [(ms(12.0), 1, DropCause::ErrorModel)]);
}

#[test]
fn a_stage_may_leave_packets_without_payload_alone() {
    let mut offers = burst(0.0, 0..6);
    for offer in offers.iter_mut().step_by(2) {
        offer.size = 40;
    }
    let only = |applies_to| {
        let stage = ErrorStage::new(DropList::new([0, 1]), applies_to);
        run(&mut Link::new(LinkConfig { end_error: Some(stage), ..config(1.0) }), &offers).dropped_ids()
    };
    assert_eq!(only(AppliesTo::All), [0, 1]);
    assert_eq!(only(AppliesTo::Payload), [1, 3]);
}

#[test]
fn at_the_end_models_see_packets_in_their_order_of_arrival() {
    let delay = Steps::new(vec![(Instant::ZERO, span(50.0)), (ms(2.5), span(10.0))]).unwrap();
    let reordering = seamline_net::schedule::Reordering::Allowed;
    let schedule = Schedule { one_way_delay: Some(delay), reordering, ..Schedule::default() };
    let end_error = Some(DropList::new([0]).into());
    let log =
        run(&mut Link::new(scheduled(LinkConfig { end_error, ..config(0.0) }, schedule)), &burst(0.0, 0..4));
    assert_eq!(log.dropped_ids(), [2], "packet 2 overtakes 0 and 1 and arrives first");
}
