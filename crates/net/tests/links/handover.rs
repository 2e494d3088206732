//! What a handover does to packets at each place of a link, worked out by hand.

use crate::support::{self, Log, burst, config, ms, run, scheduled, span};
use seamline_net::schedule::{Arriving, Fates, Handover, Handovers, InFlight, InService, Queued};
use seamline_net::schedule::{Capacity, DeliveryOpportunities};
use seamline_net::{Limit, Link, LinkConfig, QueueConfig, Schedule};
use seamline_wire::{DropCause, Duration, Event, HandoverPhase};

/// Six packets of 1 ms at time zero and one at 5 ms, over 10 ms of propagation. At 2.5 ms, packets 0 and 1
/// are in flight, 2 is in transmission, 3 to 5 wait. The link is down until 22.5 ms.
fn log(fates: Fates) -> Log {
    log_at(2.5, 20.0, fates)
}

fn log_at(at: f64, interruption: f64, fates: Fates) -> Log {
    let handovers = Handovers::at([ms(at)], span(interruption), fates).unwrap();
    let schedule = Schedule { handovers, ..Schedule::default() };
    let mut offers = burst(0.0, 0..6);
    offers.extend(burst(5.0, 6..7));
    let log = run(&mut Link::new(scheduled(config(10.0), schedule)), &offers);
    assert!(log.dropped.iter().all(|(_, _, cause)| *cause == DropCause::LinkDown));
    log
}

const SEAMLESS: Fates = Fates::SEAMLESS;

#[test]
fn seamless_loses_nothing() {
    let log = log(SEAMLESS);
    let expected = [(11.0, 0), (12.0, 1), (33.5, 2), (34.5, 3), (35.5, 4), (36.5, 5), (37.5, 6)];
    assert_eq!(log.delivered_millis(), expected);
    assert!(log.dropped.is_empty());
}

#[test]
fn hard_loses_everything_on_the_link_and_what_comes() {
    let log = log(Fates::HARD);
    assert!(log.delivered.is_empty());
    let at_once = [0, 1, 3, 4, 5, 2].map(|id| (ms(2.5), id, DropCause::LinkDown));
    assert_eq!(log.dropped[..6], at_once);
    assert_eq!(log.dropped[6..], [(ms(5.0), 6, DropCause::LinkDown)]);
}

#[test]
fn waiting_packets_can_be_dropped_alone() {
    let log = log(Fates { queued: Queued::Drop, ..SEAMLESS });
    assert_eq!(log.delivered_millis(), [(11.0, 0), (12.0, 1), (33.5, 2), (34.5, 6)]);
    assert_eq!(log.dropped_ids(), [3, 4, 5]);
}

#[test]
fn the_packet_in_transmission_is_restarted_finished_or_dropped() {
    let dropped = log(Fates { in_service: InService::Drop, ..SEAMLESS });
    assert_eq!(dropped.ids(), [0, 1, 3, 4, 5, 6]);
    assert_eq!(dropped.dropped, [(ms(2.5), 2, DropCause::LinkDown)]);
    let finished = log(Fates { in_service: InService::Finish, ..SEAMLESS });
    assert_eq!(finished.delivered_millis()[..4], [(11.0, 0), (12.0, 1), (13.0, 2), (33.5, 3)]);
    let lost_in_flight = log(Fates { in_service: InService::Finish, in_flight: InFlight::Drop, ..SEAMLESS });
    let expected = [(ms(2.5), 0), (ms(2.5), 1), (ms(3.0), 2)].map(|(at, id)| (at, id, DropCause::LinkDown));
    assert_eq!(lost_in_flight.dropped, expected);
    // Finished only after the interruption: then it is in flight on a link that is up.
    let late =
        log_at(2.5, 0.25, Fates { in_service: InService::Finish, in_flight: InFlight::Drop, ..SEAMLESS });
    assert_eq!(late.delivered_millis()[0], (13.0, 2));
}

#[test]
fn packets_in_flight_can_be_dropped_alone() {
    let log = log(Fates { in_flight: InFlight::Drop, ..SEAMLESS });
    assert_eq!(log.ids(), [2, 3, 4, 5, 6]);
    assert_eq!(log.delivered[0].0, ms(33.5));
}

#[test]
fn packets_that_come_can_be_dropped_alone() {
    let log = log(Fates { arriving: Arriving::Drop, ..SEAMLESS });
    assert_eq!(log.ids(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(log.dropped, [(ms(5.0), 6, DropCause::LinkDown)]);
}

#[test]
fn the_queue_keeps_its_limit_while_the_link_is_down() {
    let handovers = Handovers::at([ms(1.0)], span(9.0), SEAMLESS).unwrap();
    let schedule = Schedule { handovers, ..Schedule::default() };
    let queue = QueueConfig::DropTail(Limit::Packets(2));
    let mut link = Link::new(scheduled(LinkConfig { queue, ..config(0.0) }, schedule));
    let log = run(&mut link, &burst(5.0, 0..4));
    assert_eq!(log.delivered_millis(), [(11.0, 0), (12.0, 1)]);
    assert_eq!(log.dropped, [(ms(5.0), 2, DropCause::QueueOverflow), (ms(5.0), 3, DropCause::QueueOverflow)]);
}

#[test]
fn the_start_belongs_to_the_interruption_and_the_end_does_not() {
    // At 2 ms packet 1 has just left; at 11 ms packet 0 would just arrive.
    let left = log_at(2.0, 20.0, Fates { in_service: InService::Drop, ..SEAMLESS });
    assert_eq!(left.dropped, [(ms(2.0), 2, DropCause::LinkDown)]);
    let arrives = log_at(11.0, 1.0, Fates { in_flight: InFlight::Drop, ..SEAMLESS });
    assert_eq!(arrives.dropped_ids(), [0, 1, 2, 3, 4, 5, 6]);
    let mut link = {
        let handovers = Handovers::at([ms(1.0)], span(4.0), Fates::HARD).unwrap();
        Link::new(scheduled(config(0.0), Schedule { handovers, ..Schedule::default() }))
    };
    let mut offers = burst(1.0, 0..1);
    offers.extend(burst(5.0, 1..2));
    let log = run(&mut link, &offers);
    assert_eq!((log.delivered_millis(), log.dropped_ids()), (vec![(6.0, 1)], vec![0]));
}

#[test]
fn a_handover_without_interruption_only_drops() {
    // As ns-2's outage that empties the queue: the packet in service survives.
    let fates = Fates { queued: Queued::Drop, in_service: InService::Finish, ..SEAMLESS };
    let log = log_at(2.5, 0.0, fates);
    assert_eq!(log.delivered_millis(), [(11.0, 0), (12.0, 1), (13.0, 2), (16.0, 6)]);
    assert_eq!(log.dropped_ids(), [3, 4, 5]);
}

#[test]
fn phases_are_reported_at_their_times_also_on_an_idle_link() {
    let list = [(5.0, 2.0), (7.0, 0.0), (100.0, 50.0)].map(|(at, long)| Handover {
        at: ms(at),
        interruption: span(long),
        fates: SEAMLESS,
    });
    let schedule = Schedule { handovers: Handovers::new(list.to_vec()).unwrap(), ..Schedule::default() };
    let log = run(&mut Link::new(scheduled(config(0.0), schedule)), &[]);
    let phases: Vec<_> = log.events.iter().filter(|(_, event)| matches!(event, Event::Handover(_))).collect();
    let started = |at| (ms(at), Event::Handover(HandoverPhase::Started));
    let completed = |at| (ms(at), Event::Handover(HandoverPhase::Completed));
    let expected =
        [started(5.0), completed(7.0), started(7.0), completed(7.0), started(100.0), completed(150.0)];
    assert_eq!(phases, expected.iter().collect::<Vec<_>>());
}

#[test]
fn opportunities_pass_unused_while_the_link_is_down() {
    let times: Vec<_> = (1..=100).map(Duration::from_millis).collect();
    let capacity = Capacity::Opportunities(DeliveryOpportunities::new(&times).unwrap());
    let log = |fates| {
        let handovers = Handovers::at([ms(2.5)], span(3.0), fates).unwrap();
        let schedule = Schedule { capacity: Some(capacity.clone()), handovers, ..Schedule::default() };
        let large = burst(0.0, 0..3).into_iter().map(|offer| support::Offer { size: 2000, ..offer });
        run(&mut Link::new(scheduled(config(0.0), schedule)), &large.collect::<Vec<_>>())
    };
    // 1500 bytes a millisecond; at 2.5 ms packet 1 has 1000 of its 2000 bytes left.
    assert_eq!(log(SEAMLESS).delivered_millis(), [(2.0, 0), (7.0, 1), (8.0, 2)]);
    let finish = Fates { in_service: InService::Finish, ..SEAMLESS };
    assert_eq!(log(finish).delivered_millis(), [(2.0, 0), (3.0, 1), (7.0, 2)]);
}

#[test]
fn overlapping_handovers_are_refused() {
    assert!(Handovers::at([ms(1.0), ms(2.0)], span(1.0), SEAMLESS).is_ok());
    let refused = Handovers::at([ms(1.0), ms(2.0)], span(1.1), SEAMLESS).unwrap_err();
    assert!(refused.to_string().contains("2.000") || refused.to_string().contains("0.002"), "{refused}");
    assert!(Handovers::at([ms(2.0), ms(1.0)], span(0.1), SEAMLESS).is_err());
}

#[test]
fn a_schedule_can_be_entered_later() {
    let handovers = Handovers::at([ms(10.0), ms(30.0)], span(5.0), SEAMLESS).unwrap().skip(span(12.0));
    let starts: Vec<_> = handovers.as_slice().iter().map(|handover| handover.at).collect();
    assert_eq!(starts, [ms(18.0)]);
}
