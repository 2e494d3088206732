//! Times and losses that follow from the definition of a link, worked out by hand.

use crate::support::{Log, Offer, RATE, SIZE, burst, config, ms, run, scheduled, span};
use seamline_net::schedule::{Capacity, DeliveryOpportunities, Reordering, Steps};
use seamline_net::{Limit, Link, LinkConfig, QueueConfig, Schedule};
use seamline_wire::{Duration, Event, Instant, Rate};

fn constant_and_varying(config: impl Fn() -> LinkConfig, offers: &[Offer]) -> Log {
    let schedule = Schedule { capacity: Some(Steps::constant(RATE).into()), ..Schedule::default() };
    let constant = run(&mut Link::new(config()), offers);
    let varying = run(&mut Link::new(scheduled(config(), schedule)), offers);
    assert_eq!(constant.delivered, varying.delivered);
    assert_eq!(constant.dropped, varying.dropped);
    constant
}

#[test]
fn a_packet_takes_transmission_plus_propagation() {
    let offers = [
        Offer { at: ms(1.0), id: 0, size: 1000 },
        Offer { at: ms(1.5), id: 1, size: 500 },
        Offer { at: ms(7.0), id: 2, size: 40 },
    ];
    let log = constant_and_varying(|| config(10.0), &offers);
    assert_eq!(log.delivered_millis(), [(12.0, 0), (12.5, 1), (17.04, 2)]);
}

#[test]
fn a_busy_link_carries_its_rate() {
    let log = constant_and_varying(|| config(3.0), &burst(0.0, 0..5000));
    assert_eq!(log.delivered.last(), Some(&(ms(5003.0), 4999)));
    assert!(log.delivered.windows(2).all(|pair| pair[1].0 - pair[0].0 == span(1.0)));
}

#[test]
fn a_rate_that_does_not_divide_the_size_rounds_to_the_nearest_nanosecond() {
    let rate = Rate::from_bits_per_second(3_000_000_000);
    let log = run(&mut Link::new(LinkConfig::new(rate, Duration::ZERO)), &burst(0.0, 0..2));
    let transmission = 2667; // 8000 bits at 3 bit/ns = 2666.67 ns
    let times: Vec<u64> = log.delivered.iter().map(|(at, _)| at.as_nanos()).collect();
    assert_eq!(times, [transmission, 2 * transmission]);
}

#[test]
fn a_link_of_rate_zero_holds_everything() {
    let mut link = Link::new(LinkConfig::new(Rate::ZERO, Duration::ZERO));
    let log = run(&mut link, &burst(0.0, 0..3));
    assert!(log.delivered.is_empty());
    assert_eq!(link.packets_inside(), 3);
}

/// Ten packets at once on an idle link, with these limits: how many get through?
fn survivors(limit: Limit) -> Vec<u32> {
    let queue = QueueConfig::DropTail(limit);
    constant_and_varying(|| LinkConfig { queue, ..config(0.0) }, &burst(0.0, 0..10)).ids()
}

#[test]
fn the_limit_counts_waiting_packets_and_not_the_one_in_service() {
    assert_eq!(survivors(Limit::Packets(0)), [0]);
    assert_eq!(survivors(Limit::Packets(1)), [0, 1]);
    assert_eq!(survivors(Limit::Packets(4)), [0, 1, 2, 3, 4]);
    assert_eq!(survivors(Limit::Bytes(999)), [0]);
    assert_eq!(survivors(Limit::Bytes(2999)), [0, 1, 2]);
    assert_eq!(survivors(Limit::Bytes(3000)), [0, 1, 2, 3]);
}

#[test]
fn a_place_is_free_at_the_moment_of_a_departure() {
    let queue = QueueConfig::DropTail(Limit::Packets(1));
    let mut offers = burst(0.0, 0..2);
    offers.push(Offer { at: ms(1.0) - Duration::from_nanos(1), id: 2, size: SIZE });
    offers.push(Offer { at: ms(1.0), id: 3, size: SIZE });
    offers.push(Offer { at: ms(1.0), id: 4, size: SIZE });
    let log = constant_and_varying(|| LinkConfig { queue, ..config(5.0) }, &offers);
    assert_eq!(log.ids(), [0, 1, 3]);
    assert_eq!(log.dropped_ids(), [2, 4]);
}

#[test]
fn queue_events_tell_what_waits_or_is_in_service() {
    let mut offers = burst(0.0, 0..2);
    offers.push(Offer { at: ms(1.25), id: 2, size: 500 });
    let log = run(&mut Link::new(config(0.0)), &offers);
    let queue = |at: f64, packets, bytes| (ms(at), Event::Queue { packets, bytes });
    let expected = [
        queue(0.0, 1, 1000),
        queue(0.0, 2, 2000),
        queue(1.0, 1, 1000),
        queue(1.25, 2, 1500),
        queue(2.0, 1, 500),
        queue(2.5, 0, 0),
    ];
    assert_eq!(log.events, expected);
}

#[test]
fn a_transmission_continues_at_the_new_rate() {
    // 8 Mbit/s until 2.5 ms, nothing until 4 ms, then 2 Mbit/s.
    let steps = Steps::new(vec![
        (Instant::ZERO, RATE),
        (ms(2.5), Rate::ZERO),
        (ms(4.0), Rate::from_megabits_per_second(2)),
    ]);
    let schedule = Schedule { capacity: Some(steps.unwrap().into()), ..Schedule::default() };
    let log = run(&mut Link::new(scheduled(config(0.0), schedule)), &burst(0.0, 0..4));
    // Packet 2 has half of its 8000 bits left at 4 ms: 2 ms more. Packet 3 takes 4 ms.
    assert_eq!(log.delivered_millis(), [(1.0, 0), (2.0, 1), (6.0, 2), (10.0, 3)]);
}

#[test]
fn repeating_rates_repeat_and_slow_ones_skip_whole_periods() {
    let on_off = Steps::new(vec![(Instant::ZERO, RATE), (ms(1.0), Rate::ZERO)]).unwrap();
    let schedule = |steps: Steps<Rate>| Schedule { capacity: Some(steps.into()), ..Schedule::default() };
    let steps = on_off.repeating(span(10.0)).unwrap();
    let log = run(&mut Link::new(scheduled(config(0.0), schedule(steps.clone()))), &burst(0.5, 0..3));
    assert_eq!(log.delivered_millis(), [(10.5, 0), (20.5, 1), (30.5, 2)]);
    // 1000 bytes in slices of 1 ms out of 10 at 8 kbit/s: 8 bits per period, so 1000 periods.
    let slow =
        Steps::new(vec![(Instant::ZERO, Rate::from_bits_per_second(8_000)), (ms(1.0), Rate::ZERO)]).unwrap();
    let slow = slow.repeating(span(10.0)).unwrap();
    let log = run(&mut Link::new(scheduled(config(0.0), schedule(slow))), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(9991.0, 0)]);
    let never = Steps::constant(Rate::ZERO).repeating(span(1.0)).unwrap();
    let mut link = Link::new(scheduled(config(0.0), schedule(never)));
    assert!(run(&mut link, &burst(0.0, 0..1)).delivered.is_empty());
    // The same on and off from 5 ms on.
    let log = run(&mut Link::new(scheduled(config(0.0), schedule(steps.skip(span(5.0))))), &burst(0.0, 0..1));
    assert_eq!(log.delivered_millis(), [(6.0, 0)]);
}

#[test]
fn the_queue_feels_a_falling_rate() {
    let steps =
        Steps::new(vec![(Instant::ZERO, RATE), (ms(1.0), Rate::from_bits_per_second(800_000))]).unwrap();
    let schedule = Schedule { capacity: Some(steps.into()), ..Schedule::default() };
    let queue = QueueConfig::DropTail(Limit::Packets(1));
    let offers: Vec<_> = (0..10).map(|id| Offer { at: ms(f64::from(id)), id, size: SIZE }).collect();
    let log = run(&mut Link::new(scheduled(LinkConfig { queue, ..config(0.0) }, schedule)), &offers);
    // From 1 ms on a packet takes 10 ms: 1 is in service until 11 ms, 2 waits, the others find no room.
    assert_eq!(log.delivered_millis(), [(1.0, 0), (11.0, 1), (21.0, 2)]);
    assert_eq!(log.dropped_ids(), [3, 4, 5, 6, 7, 8, 9]);
}

fn opportunities(millis: &[u64], config: LinkConfig, offers: &[Offer]) -> Log {
    let times: Vec<_> = millis.iter().map(|at| Duration::from_millis(*at)).collect();
    let chances = DeliveryOpportunities::new(&times).unwrap();
    let schedule = Schedule { capacity: Some(Capacity::Opportunities(chances)), ..Schedule::default() };
    run(&mut Link::new(scheduled(config, schedule)), offers)
}

#[test]
fn delivery_opportunities_are_shared_and_continued_as_in_mahimahi() {
    let sizes = [1500, 700, 700, 700, 1500];
    let offers: Vec<_> = (0..5).map(|id| Offer { at: ms(0.0), id, size: sizes[id as usize] }).collect();
    // At 2 ms 1500 bytes: packet 0. At 5 ms 1500: 1, 2 and 100 of 3. At 8 ms 1500: the rest of 3 and 900
    // of 4. At 10 ms (the end, where the recording begins again) the rest of 4.
    let log = opportunities(&[2, 5, 8, 10], config(0.0), &offers);
    assert_eq!(log.delivered_millis(), [(2.0, 0), (5.0, 1), (5.0, 2), (8.0, 3), (10.0, 4)]);
}

#[test]
fn unused_opportunities_are_lost_and_the_recording_repeats_at_its_last_time() {
    let mut offers = burst(5.0, 0..1);
    offers.extend(burst(10.0, 1..4));
    // At 5 ms packet 0 has just missed the chance at 5. The recording goes on 10, 10+1, 10+5, 20.
    let log = opportunities(&[1, 5, 10], config(0.0), &offers);
    assert_eq!(log.delivered_millis(), [(10.0, 0), (11.0, 1), (15.0, 2), (15.0, 3)]);
    // At 3 ms the three chances of the end and the two of the new start, 7500 bytes in all; and at 6 ms.
    let several = opportunities(&[0, 0, 3, 3, 3], config(1.0), &burst(0.0, 0..9));
    let (first, second) = several.delivered.split_at(7);
    assert!(first.iter().all(|(at, _)| *at == ms(4.0)), "{first:?}");
    assert_eq!(second, [(ms(7.0), 7), (ms(7.0), 8)]);
}

#[test]
fn the_rate_of_a_recording_is_its_chances_over_its_length() {
    let times: Vec<_> = (1..=1000).map(Duration::from_millis).collect();
    let chances = DeliveryOpportunities::new(&times).unwrap();
    assert_eq!(chances.mean_rate(), Rate::from_megabits_per_second(12));
}

#[test]
fn a_falling_delay_lets_packets_overtake_only_where_allowed() {
    let delay = Steps::new(vec![(Instant::ZERO, span(50.0)), (ms(2.5), span(10.0))]).unwrap();
    let log = |reordering| {
        let schedule = Schedule { one_way_delay: Some(delay.clone()), reordering, ..Schedule::default() };
        run(&mut Link::new(scheduled(config(99.0), schedule)), &burst(0.0, 0..4)).delivered_millis()
    };
    assert_eq!(log(Reordering::Prevented), [(51.0, 0), (52.0, 1), (52.0, 2), (52.0, 3)]);
    assert_eq!(log(Reordering::Allowed), [(13.0, 2), (14.0, 3), (51.0, 0), (52.0, 1)]);
}

#[test]
fn an_unlimited_queue_refuses_nothing() {
    let log = constant_and_varying(
        || LinkConfig { queue: QueueConfig::Unlimited, ..config(0.0) },
        &burst(0.0, 0..20_000),
    );
    assert_eq!(log.delivered.len(), 20_000);
}
