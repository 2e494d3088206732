//! What every discipline promises, under arbitrary traffic and over links that are interrupted.

use crate::drive::{Log, Offer, config, run, run_link};
use proptest::prelude::*;
use seamline_net::schedule::{Arriving, Fates, Handover, Handovers, InFlight, InService, Queued};
use seamline_net::{
    CakeConfig, CoDelConfig, DualPi2Config, FqCoDelConfig, FqConfig, Limit, LinkConfig, PieConfig,
    QueueConfig, Schedule, Scheduled, StepConfig,
};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Ecn, Instant};

/// Each discipline with limits that traffic reaches, and how many packets it may hold next to the one in service.
fn tight() -> Vec<(QueueConfig, u32)> {
    let [target, interval] = [2, 10].map(Duration::from_millis);
    let few = Limit::Packets(15);
    vec![
        (QueueConfig::DropTail(few), 15),
        (
            QueueConfig::CoDel(CoDelConfig {
                target,
                interval,
                ecn: true,
                limit: Some(few),
                ..CoDelConfig::default()
            }),
            15,
        ),
        (
            QueueConfig::FqCoDel(FqCoDelConfig {
                target,
                interval,
                flows: 4,
                limit: 15,
                ..FqCoDelConfig::default()
            }),
            15,
        ),
        (
            QueueConfig::FqCoDel(FqCoDelConfig {
                memory_limit: 9000,
                drop_batch: 2,
                ..FqCoDelConfig::default()
            }),
            300,
        ),
        (
            QueueConfig::Pie(PieConfig {
                target,
                update_interval: target,
                burst_allowance: target,
                alpha: 10.0,
                beta: 100.0,
                ecn: true,
                limit: few,
                ..PieConfig::default()
            }),
            15,
        ),
        (
            QueueConfig::DualPi2(DualPi2Config {
                target,
                update_interval: target,
                alpha: 10.0,
                beta: 100.0,
                limit: few,
                ..DualPi2Config::default()
            }),
            15,
        ),
        (QueueConfig::Fq(FqConfig { limit: 15, flow_limit: 6, ..FqConfig::default() }), 15),
        (
            QueueConfig::Cake(CakeConfig { target, interval, memory_limit: 9000, ..CakeConfig::default() }),
            300,
        ),
        (QueueConfig::Step(StepConfig { threshold: Limit::Bytes(3000), ecn: true, limit: Some(few) }), 15),
    ]
}

/// Packets of five flows, each with its own ECN field, at times that often coincide.
fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let gap = prop_oneof![Just(0u64), Just(500_000), Just(1_000_000), 0u64..3_000_000];
    let size = prop_oneof![Just(1000u32), Just(40), Just(500), 1u32..1500];
    prop::collection::vec((gap, size, 0u16..5), 1..250).prop_map(|list| {
        let mut at = Instant::ZERO;
        let offer = |(gap, size, flow): (u64, u32, u16)| {
            at += Duration::from_nanos(gap);
            let ecn = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce, Ecn::Ect0][usize::from(flow)];
            Offer { at, flow: 100 * (flow / 2) + flow, size, ecn }
        };
        list.into_iter().map(offer).collect()
    })
}

fn interruptions() -> impl Strategy<Value = Schedule> {
    let fate = (
        any::<bool>(),
        prop_oneof![Just(InService::Restart), Just(InService::Finish), Just(InService::Drop)],
    );
    prop::collection::vec((1u64..40, 0u64..20, fate), 1..4).prop_map(|list| {
        let mut at = 0;
        let mut handover = |(gap, long, (drops, in_service))| {
            let queued = if drops { Queued::Drop } else { Queued::Keep };
            let fates = Fates { queued, in_service, in_flight: InFlight::Drop, arriving: Arriving::Wait };
            let interruption = Duration::from_millis(long);
            let handover = Handover { at: Instant::from_millis(at + gap), interruption, fates };
            at += gap + long;
            handover
        };
        let handovers = Handovers::new(list.into_iter().map(&mut handover).collect()).unwrap();
        Schedule { handovers, ..Schedule::default() }
    })
}

fn over(queue: QueueConfig, schedule: &Schedule) -> LinkConfig {
    let loss_stream = Stream::new(1, "loss");
    LinkConfig { scheduled: Some(Scheduled { schedule: schedule.clone(), loss_stream }), ..config(queue) }
}

/// Each packet has one end, and marks go to ECN-capable packets only.
fn check_fates(offers: &[Offer], log: &Log) {
    let mut ends: Vec<usize> = log.delivered.iter().map(|it| it.id).chain(log.dropped_ids()).collect();
    ends.sort_unstable();
    assert_eq!(ends, (0..offers.len()).collect::<Vec<_>>());
    for it in &log.delivered {
        let before = offers[it.id].ecn;
        let is_marked = log.marked.iter().any(|(_, id)| *id == it.id);
        assert_eq!(it.ecn, if is_marked { Ecn::Ce } else { before });
    }
    assert!(log.marked.iter().all(|(_, id)| offers[*id].ecn.is_capable()));
}

fn check_order(offers: &[Offer], log: &Log) {
    for flow in [0, 1, 102, 103, 204] {
        let ids = log.delivered.iter().map(|it| it.id).filter(|id| offers[*id].flow == flow);
        assert!(ids.is_sorted(), "flow {flow}: {log:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn each_packet_passes_once_in_its_flow_or_is_dropped(offers in offers()) {
        for (queue, most) in tight() {
            let log = run(queue, &offers);
            check_fates(&offers, &log);
            check_order(&offers, &log);
            prop_assert!(log.most <= most + 1, "{queue:?} held {}", log.most);
            let ids: std::collections::BTreeSet<_> = log.marked.iter().map(|(_, id)| id).collect();
            prop_assert_eq!(ids.len(), log.marked.len(), "one mark a packet");
            prop_assert_eq!(run(queue, &offers), log, "the same again");
        }
    }

    #[test]
    fn interruptions_lose_and_double_nothing(offers in offers(), schedule in interruptions()) {
        for (queue, _) in tight() {
            let log = run_link(over(queue, &schedule), &offers);
            check_fates(&offers, &log);
            check_order(&offers, &log);
        }
    }
}

/// Without congestion nothing is dropped, marked or delayed.
#[test]
fn an_idle_link_passes_everything_at_once() {
    for (name, queue) in QueueConfig::all() {
        let offers = crate::drive::stream(1, 1000, Duration::from_millis(2), Instant::from_millis(5000));
        let log = run(queue, &crate::drive::with_ecn(Ecn::Ect0, offers.clone()));
        assert_eq!((log.delivered.len(), log.marked.len()), (2500, 0), "{name}");
        assert!(log.delays(&offers, 1).iter().all(|delay| *delay == Duration::from_millis(1)), "{name}");
    }
}
