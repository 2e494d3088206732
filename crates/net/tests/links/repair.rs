//! Repair at the link layer: times worked out by hand, residual losses against closed forms.

use crate::support::{Log, Offer, SIZE, burst, config, ms, run, scheduled, span};
use seamline_net::error::{Bernoulli, DropList};
use seamline_net::schedule::{Fates, Handover, Handovers};
use seamline_net::{ArqConfig, Delivery, FecConfig, Link, LinkConfig, RepairConfig, Schedule};
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration};

fn arq(retransmissions: u32) -> RepairConfig {
    RepairConfig { arq: Some(ArqConfig { retransmissions, ..ArqConfig::default() }), fec: None }
}

fn fec(data: u32, redundancy: u32) -> RepairConfig {
    RepairConfig { arq: None, fec: Some(FecConfig { data, redundancy, timeout: span(50.0) }) }
}

/// A link of 10 ms one way that loses the frames with these places in their order of arrival.
fn losing(frames: impl IntoIterator<Item = u64>, repair: RepairConfig) -> Link {
    Link::new(LinkConfig { end_error: Some(DropList::new(frames).into()), repair, ..config(10.0) })
}

fn with_probability(probability: f64, repair: RepairConfig) -> LinkConfig {
    let end_error = Some(Bernoulli::new(probability, Stream::new(7, "loss")).into());
    LinkConfig { end_error, repair, ..config(10.0) }
}

/// So many packets over a link that is busy half of the time.
fn half_load(count: u32) -> Vec<Offer> {
    (0..count).map(|id| Offer { at: ms(2.0 * f64::from(id)), id, size: SIZE }).collect()
}

fn lost_share(log: &Log) -> f64 {
    log.dropped.len() as f64 / (log.dropped.len() + log.delivered.len()) as f64
}

fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).map(|_| base).product()
}

/// Four standard errors around a probability.
fn assert_share(log: &Log, expected: f64) {
    let count = (log.dropped.len() + log.delivered.len()) as f64;
    let error = (expected * (1.0 - expected) / count).sqrt();
    let share = lost_share(log);
    assert!((share - expected).abs() < 4.0 * error, "{share} is not {expected} +- 4 x {error}");
}

#[test]
fn a_lost_frame_is_reported_and_sent_again_before_anything_new() {
    // Lost at 11 ms, reported at 21 ms, sent from 21 to 22 ms, there at 32 ms.
    let log = run(&mut losing([0], arq(3)), &burst(0.0, 0..2));
    assert_eq!(log.delivered_millis(), [(32.0, 0), (32.0, 1)]);
    // Packet 21 is being sent when the report comes: it is sent to its end, then the lost one.
    let log = run(&mut losing([0], arq(3)), &burst(0.5, 0..30));
    let at = |id: u32| log.delivered_millis().into_iter().find(|(_, it)| *it == id).unwrap().0;
    assert_eq!((at(0), at(20), at(21), at(22)), (33.5, 33.5, 33.5, 34.5));
}

#[test]
fn packets_do_not_wait_where_the_order_does_not_count() {
    let config = ArqConfig { delivery: Delivery::OutOfOrder, ..ArqConfig::default() };
    let repair = RepairConfig { arq: Some(config), fec: None };
    let log = run(&mut losing([0], repair), &burst(0.0, 0..3));
    assert_eq!(log.delivered_millis(), [(12.0, 1), (13.0, 2), (32.0, 0)]);
}

#[test]
fn a_receiver_with_periodic_reports_reports_at_the_next_one() {
    let every = |report_interval, report_delay| RepairConfig {
        arq: Some(ArqConfig { report_interval, report_delay, ..ArqConfig::default() }),
        fec: None,
    };
    // Lost at 11 ms, reported at 25 ms, known at 35 ms, there at 46 ms.
    let log = run(&mut losing([0], every(span(25.0), None)), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(46.0, 0)]);
    let log = run(&mut losing([0], every(span(25.0), Some(span(3.0)))), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(39.0, 0)]);
    // A report at the very time of the loss can say it.
    let log = run(&mut losing([0], every(span(11.0), None)), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(32.0, 0)]);
}

#[test]
fn a_packet_that_is_lost_too_often_holds_up_nobody_any_longer() {
    let mut link = losing([0, 2, 3], arq(2));
    let log = run(&mut link, &burst(0.0, 0..2));
    // Lost at 11, 32 and 53 ms.
    assert_eq!(log.delivered_millis(), [(53.0, 1)]);
    assert_eq!(log.dropped, [(ms(53.0), 0, DropCause::ErrorModel)]);
    assert_eq!(link.counters().retransmitted.packets, 2);
}

#[test]
fn with_n_retransmissions_a_packet_is_lost_with_the_power_n_plus_one() {
    let mut before = 1.0;
    for retransmissions in 0..4 {
        let log = run(&mut Link::new(with_probability(0.2, arq(retransmissions))), &half_load(100_000));
        assert_share(&log, power(0.2, retransmissions + 1));
        assert!(lost_share(&log) < before);
        assert!(log.ids().is_sorted());
        before = lost_share(&log);
    }
}

#[test]
fn retransmissions_take_their_share_of_the_rate() {
    // Each packet is sent 1 / (1 - p) times.
    let mut link = Link::new(with_probability(0.2, arq(1000)));
    let log = run(&mut link, &burst(0.0, 0..100_000));
    let seconds = log.delivered.last().unwrap().0.as_nanos() as f64 / 1e9;
    assert!((seconds - 125.0).abs() < 1.0, "{seconds} s for 100 s of packets");
    assert_eq!(log.delivered.len(), 100_000);
    let sent_again = link.counters().retransmitted.packets as f64;
    assert!((sent_again - 25_000.0).abs() < 800.0, "{sent_again} retransmissions");
}

#[test]
fn redundancy_restores_as_many_losses_as_arrive_of_it() {
    // Two packets and one frame of redundancy, sent from 0 to 3 ms.
    let lost = |frames: &[u64]| run(&mut losing(frames.iter().copied(), fec(2, 1)), &burst(0.0, 0..2));
    assert_eq!(lost(&[]).delivered_millis(), [(11.0, 0), (12.0, 1)]);
    assert_eq!(lost(&[2]).delivered_millis(), [(11.0, 0), (12.0, 1)]);
    assert_eq!(lost(&[0]).delivered_millis(), [(13.0, 0), (13.0, 1)]);
    assert_eq!(lost(&[1]).delivered_millis(), [(11.0, 0), (13.0, 1)]);
    let log = lost(&[0, 1]);
    assert_eq!((log.delivered.len(), log.dropped_ids()), (0, vec![0, 1]));
    assert_eq!(log.dropped[0].0, ms(13.0));
    assert_eq!(lost(&[1, 2]).dropped_ids(), [1]);
}

#[test]
fn redundancy_is_as_long_as_the_longest_packet_and_follows_its_block() {
    let offers: Vec<Offer> = [40, 1000, 500, 500]
        .iter()
        .zip(0..)
        .map(|(size, id)| Offer { at: ms(0.0), id, size: *size })
        .collect();
    let mut link = losing([], fec(3, 2));
    let log = run(&mut link, &offers);
    // 0.04 + 1 + 0.5 ms of packets, 2 ms of redundancy, then the next packet.
    assert_eq!(log.delivered_millis(), [(10.04, 0), (11.04, 1), (11.54, 2), (14.04, 3)]);
    // The last block has one packet of 500 bytes when its time is up.
    let redundancy = link.counters().redundancy;
    assert_eq!((redundancy.packets, redundancy.bytes), (4, 3000));
}

#[test]
fn a_block_that_is_not_filled_ends_after_its_timeout() {
    // The first packet is sent at 1 ms; its block ends 50 ms later, and its redundancy takes 1 + 10 ms.
    let log = run(&mut losing([0], fec(10, 2)), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(62.0, 0)]);
}

#[test]
fn residual_losses_of_the_code_are_those_of_its_closed_form() {
    // A packet stays lost when two or more of the other eleven frames of its block are lost.
    let p: f64 = 0.1;
    let at_most_one = power(1.0 - p, 11) + 11.0 * p * power(1.0 - p, 10);
    let log = run(&mut Link::new(with_probability(p, fec(10, 2))), &half_load(200_000));
    // Losses of one block come together: the standard error is that of about half as many packets.
    let expected = p * (1.0 - at_most_one);
    let share = lost_share(&log);
    assert!((share - expected).abs() < 0.0015, "{share} is not {expected}");
    assert!(share < p / 3.0);
}

#[test]
fn what_the_code_does_not_restore_is_sent_again() {
    // Both packets are lost, and the redundancy is not enough. It passes at 13 ms; reported at 23 ms, sent until 25 ms.
    let repair = RepairConfig { arq: arq(1).arq, ..fec(2, 1) };
    let log = run(&mut losing([0, 1], repair), &burst(0.0, 0..2));
    assert_eq!(log.delivered_millis(), [(34.0, 0), (35.0, 1)]);
}

#[test]
fn what_a_handover_drops_is_not_repaired() {
    let handover = Handover { at: ms(11.5), interruption: span(20.0), fates: Fates::HARD };
    let schedule = Schedule { handovers: Handovers::new(vec![handover]).unwrap(), ..Schedule::default() };
    let config = LinkConfig { repair: arq(3), ..config(10.0) };
    let log = run(&mut Link::new(scheduled(config, schedule)), &burst(0.0, 0..20));
    assert_eq!(log.ids(), [0]);
    assert!(log.dropped.iter().all(|(at, _, cause)| *cause == DropCause::LinkDown && *at == ms(11.5)));
    assert_eq!(log.dropped.len(), 19);
}

#[test]
fn a_delay_of_zero_repairs_at_once() {
    let link = LinkConfig { end_error: Some(DropList::new([0, 1]).into()), repair: arq(3), ..config(0.0) };
    let log = run(&mut Link::new(link), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(3.0, 0)]);
    assert_eq!(Duration::ZERO, ArqConfig::default().report_interval);
}
