//! Properties of links under arbitrary traffic.

use crate::support::{self, Log, Offer, RATE, config, ms, run, run_until, scheduled};
use proptest::prelude::*;
use seamline_net::error::Bernoulli;
use seamline_net::schedule::{
    Arriving, Capacity, DeliveryOpportunities, Fates, Handover, Handovers, InFlight, InService, Queued,
    Reordering, Steps,
};
use seamline_net::{ArqConfig, CoDelConfig, Delivery, FecConfig, Limit, Link, LinkConfig, QueueConfig};
use seamline_net::{RepairConfig, Schedule};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, Input, Instant, Machine, Outbox, Port, Rate};
use std::collections::VecDeque;

/// Packets at times that often coincide with each other and with departures.
fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let gap = prop_oneof![Just(0u64), Just(500_000), Just(1_000_000), 0u64..3_000_000];
    let size = prop_oneof![Just(1000u32), Just(40), Just(500), 1u32..1500];
    prop::collection::vec((gap, size), 1..120).prop_map(|list| {
        let mut at = Instant::ZERO;
        let offer = |(id, (gap, size))| {
            at += Duration::from_nanos(gap);
            Offer { at, id: id as u32, size }
        };
        list.into_iter().enumerate().map(offer).collect()
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![(0u32..12).prop_map(Limit::Packets), (0u64..9000).prop_map(Limit::Bytes)]
}

/// A link as one would first write it: a transmitter with a departure event of its own, and a queue.
struct Reference {
    queue: VecDeque<Offer>,
    in_service: Option<(Instant, Offer)>,
    delivered: Vec<(Instant, u32)>,
    dropped: Vec<u32>,
}

impl Reference {
    fn run(offers: &[Offer], limit: Limit, one_way_delay: Duration) -> Self {
        let mut link =
            Reference { queue: VecDeque::new(), in_service: None, delivered: vec![], dropped: vec![] };
        for offer in offers {
            link.depart_until(offer.at, one_way_delay);
            link.arrive(*offer, limit);
        }
        link.depart_until(Instant::MAX, one_way_delay);
        link
    }

    fn depart_until(&mut self, now: Instant, one_way_delay: Duration) {
        while let Some((departure, sent)) = self.in_service.take_if(|(departure, _)| *departure <= now) {
            self.delivered.push((departure + one_way_delay, sent.id));
            self.in_service = self.queue.pop_front().map(|next| (departure + Self::airtime(&next), next));
        }
    }

    fn arrive(&mut self, offer: Offer, limit: Limit) {
        let (length, bytes) =
            (self.queue.len() as u64, self.queue.iter().map(|o| u64::from(o.size)).sum::<u64>());
        let size = u64::from(offer.size);
        let refused = match limit {
            _ if self.in_service.is_none() => false,
            Limit::Packets(limit) => length >= u64::from(limit),
            Limit::Bytes(limit) => bytes + size > limit,
        };
        if refused {
            self.dropped.push(offer.id);
        } else if self.in_service.is_none() {
            self.in_service = Some((offer.at + Self::airtime(&offer), offer));
        } else {
            self.queue.push_back(offer);
        }
    }

    /// 8 Mbit/s: a byte takes a microsecond.
    fn airtime(offer: &Offer) -> Duration {
        Duration::from_micros(u64::from(offer.size))
    }
}

fn one_step_schedule() -> Schedule {
    Schedule { capacity: Some(Steps::constant(RATE).into()), ..Schedule::default() }
}

fn fates() -> impl Strategy<Value = Fates> {
    let queued = prop_oneof![Just(Queued::Keep), Just(Queued::Drop)];
    let in_service = prop_oneof![Just(InService::Restart), Just(InService::Finish), Just(InService::Drop)];
    let in_flight = prop_oneof![Just(InFlight::Deliver), Just(InFlight::Drop)];
    let arriving = prop_oneof![Just(Arriving::Wait), Just(Arriving::Drop)];
    (queued, in_service, in_flight, arriving).prop_map(|(queued, in_service, in_flight, arriving)| Fates {
        queued,
        in_service,
        in_flight,
        arriving,
    })
}

fn capacity() -> impl Strategy<Value = Capacity> {
    let rates = prop::collection::vec((1u64..20, 0u64..12_000_000), 1..8).prop_map(|list| {
        let mut at = 0;
        let mut point = |(gap, bits)| {
            at += gap;
            (Instant::from_millis(at), Rate::from_bits_per_second(bits))
        };
        let mut points: Vec<_> = list.into_iter().map(&mut point).collect();
        points.push(point((5, 4_000_000)));
        Capacity::from(Steps::new(points).unwrap())
    });
    let chances = prop::collection::vec(0u64..6, 1..30).prop_map(|gaps| {
        let mut at = 1;
        let times: Vec<_> = gaps
            .into_iter()
            .map(|gap| {
                at += gap;
                Duration::from_millis(at)
            })
            .collect();
        Capacity::from(DeliveryOpportunities::new(&times).unwrap())
    });
    prop_oneof![rates, chances]
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let handovers = prop::collection::vec((1u64..40, 0u64..20, fates()), 0..4).prop_map(|list| {
        let mut at = 0;
        let mut handover = |(gap, long, fates)| {
            let handover = Handover {
                at: Instant::from_millis(at + gap),
                interruption: Duration::from_millis(long),
                fates,
            };
            at += gap + long;
            handover
        };
        Handovers::new(list.into_iter().map(&mut handover).collect()).unwrap()
    });
    let delays = prop::collection::vec((1u64..20, 1u64..30), 1..6).prop_map(|list| {
        let mut at = 0;
        let mut point = |(gap, delay)| {
            at += gap;
            (Instant::from_millis(at), Duration::from_millis(delay))
        };
        Steps::new(list.into_iter().map(&mut point).collect()).unwrap()
    });
    let reordering = prop_oneof![Just(Reordering::Prevented), Just(Reordering::Allowed)];
    (capacity(), delays, handovers, reordering).prop_map(|(capacity, delay, handovers, reordering)| {
        Schedule { capacity: Some(capacity), one_way_delay: Some(delay), loss: None, handovers, reordering }
    })
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    prop_oneof![
        Just(QueueConfig::Unlimited),
        limit().prop_map(QueueConfig::DropTail),
        Just(QueueConfig::CoDel(CoDelConfig {
            interval: Duration::from_millis(10),
            target: Duration::from_millis(2),
            ..CoDelConfig::default()
        })),
    ]
}

fn repair() -> impl Strategy<Value = RepairConfig> {
    let delivery = prop_oneof![Just(Delivery::InOrder), Just(Delivery::OutOfOrder)];
    let reports = (0u64..3, prop::option::of(0u64..20));
    let arq =
        (0u32..4, delivery, reports).prop_map(|(retransmissions, delivery, (every, delay))| ArqConfig {
            retransmissions,
            delivery,
            report_interval: Duration::from_millis(7 * every),
            report_delay: delay.map(Duration::from_millis),
        });
    let fec = (1u32..5, 1u32..4, 1u64..30).prop_map(|(data, redundancy, timeout)| FecConfig {
        data,
        redundancy,
        timeout: Duration::from_millis(timeout),
    });
    (prop::option::of(arq), prop::option::of(fec)).prop_map(|(arq, fec)| RepairConfig { arq, fec })
}

fn most_in_queue(log: &Log) -> u32 {
    let packets = log.events.iter().filter_map(|(_, event)| match event {
        Event::Queue { packets, .. } => Some(*packets),
        _ => None,
    });
    packets.max().unwrap_or(0)
}

/// A link that is woken as the simulator does it.
#[derive(Debug)]
struct ByFastPath(Link);

impl Machine for ByFastPath {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        let ByFastPath(link) = self;
        let is_wake = matches!(input, Input::Wake);
        let Some((parcel, next)) = is_wake.then(|| link.reach_far_end(now)).flatten() else {
            return link.step(now, input, out);
        };
        assert_eq!(link.wake_at().unwrap_or(Instant::MAX), next);
        if let Some(parcel) = link.leave(now, parcel, out) {
            out.queue_event(|| link.queue_event(now));
            out.send(Port(0), parcel.into_packet());
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.0.wake_at()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_fast_path_has_the_same_effects(
        offers in offers(), limit in limit(), loss in 0.0..0.5, delay in 0u64..5_000_000
    ) {
        let make = || Link::new(LinkConfig {
            queue: QueueConfig::DropTail(limit),
            end_error: Some(Bernoulli::new(loss, Stream::new(1, "air")).into()),
            ..LinkConfig::new(RATE, Duration::from_nanos(delay))
        });
        let (mut link, mut fast) = (make(), ByFastPath(make()));
        let log = run(&mut link, &offers);
        prop_assert_eq!(run_until(&mut fast, &offers, Instant::MAX), log);
        prop_assert_eq!(fast.0.counters(), link.counters());
    }

    #[test]
    fn both_paths_are_the_straightforward_link(
        offers in offers(), limit in limit(), delay in 0u64..5_000_000
    ) {
        let one_way_delay = Duration::from_nanos(delay);
        let reference = Reference::run(&offers, limit, one_way_delay);
        let config = || LinkConfig { queue: QueueConfig::DropTail(limit), ..LinkConfig::new(RATE, one_way_delay) };
        let constant = run(&mut Link::new(config()), &offers);
        prop_assert_eq!(&constant.delivered, &reference.delivered);
        prop_assert_eq!(constant.dropped_ids(), reference.dropped.clone());
        let varying = run(&mut Link::new(scheduled(config(), one_step_schedule())), &offers);
        prop_assert_eq!(&varying.delivered, &reference.delivered);
        prop_assert_eq!(varying.dropped_ids(), reference.dropped);
    }

    #[test]
    fn occupancy_stays_within_the_limit(offers in offers(), limit in 0u32..12) {
        let queue = QueueConfig::DropTail(Limit::Packets(limit));
        let log = run(&mut Link::new(LinkConfig { queue, ..config(1.0) }), &offers);
        let most = limit + 1; // One is in service.
        prop_assert!(most_in_queue(&log) <= most);
        if !log.dropped.is_empty() {
            prop_assert_eq!(most_in_queue(&log), most);
        }
    }

    #[test]
    fn nothing_is_lost_without_a_cause_or_out_of_order(
        offers in offers(), schedule in schedule(), queue in queue()
    ) {
        let prevented = schedule.reordering == Reordering::Prevented;
        let least_delay = Duration::from_millis(1);
        let make = || Link::new(scheduled(LinkConfig { queue, ..config(0.0) }, schedule.clone()));
        let mut link = make();
        let log = run(&mut link, &offers);
        prop_assert_eq!(link.packets_inside(), 0, "every link comes back and every rate ends above zero");
        let mut seen: Vec<u32> = log.ids().into_iter().chain(log.dropped_ids()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..offers.len() as u32).collect::<Vec<_>>());
        prop_assert!(log.delivered.is_sorted_by_key(|(at, _)| *at));
        if prevented {
            prop_assert!(log.ids().is_sorted());
        }
        for (at, id) in &log.delivered {
            prop_assert!(*at >= offers[*id as usize].at + least_delay);
        }
        prop_assert_eq!(run(&mut make(), &offers), log, "the same again");
    }

    #[test]
    fn repair_loses_and_repeats_nothing(
        offers in offers(), schedule in schedule(), queue in queue(), repair in repair()
    ) {
        let end_error = || Some(Bernoulli::new(0.3, Stream::new(3, "loss")).into());
        let config = LinkConfig { queue, repair, end_error: end_error(), ..config(2.0) };
        let is_in_order = repair.arq.is_none_or(|arq| arq.delivery == Delivery::InOrder)
            && repair != RepairConfig::default();
        let mut link = Link::new(scheduled(config, schedule));
        let log = run(&mut link, &offers);
        prop_assert_eq!(link.packets_inside(), 0);
        let mut seen: Vec<u32> = log.ids().into_iter().chain(log.dropped_ids()).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..offers.len() as u32).collect::<Vec<_>>());
        prop_assert!(!is_in_order || log.ids().is_sorted());
    }

    #[test]
    fn waking_early_and_often_changes_nothing(
        offers in offers(), schedule in schedule(), queue in queue(), repair in repair()
    ) {
        for schedule in [None, Some(schedule)] {
            let make = || {
                let end_error = Some(Bernoulli::new(0.2, Stream::new(3, "loss")).into());
                let config = LinkConfig { queue, end_error, repair, ..config(2.0) };
                Link::new(match &schedule {
                    Some(schedule) => scheduled(config, schedule.clone()),
                    None => config,
                })
            };
            let calm = run(&mut make(), &offers);
            let mut nervous = Nervous { link: make(), last: Instant::ZERO };
            let log = support::run_until(&mut nervous, &offers, ms(1e6));
            prop_assert_eq!(calm.delivered, log.delivered);
            prop_assert_eq!(calm.dropped, log.dropped);
        }
    }
}

/// A link that is also woken before and after every step.
#[derive(Debug)]
struct Nervous {
    link: Link,
    last: Instant,
}

impl Machine for Nervous {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        let between = Instant::from_nanos(self.last.as_nanos().midpoint(now.as_nanos()));
        self.link.step(between, Input::Wake, out);
        self.link.step(now, input, out);
        self.link.step(now, Input::Wake, out);
        self.last = now;
    }
    fn wake_at(&self) -> Option<Instant> {
        self.link.wake_at()
    }
}
