//! Controllers against a load that does not respond: they have to drop what is too much, and hold the delay at their target.

use crate::drive::{Log, Offer, ms, run, stream, together, with_ecn};
use seamline_net::{DualPi2Config, PieConfig, QueueConfig};
use seamline_wire::{Duration, Ecn};

/// 25 % more than the link carries: a share of 0.2 has to be dropped.
fn overload() -> Vec<Offer> {
    stream(1, 1000, Duration::from_micros(800), ms(60_000))
}

/// Of the last 20 s: the share that was lost, and the mean delay in milliseconds without the packet's own transmission.
fn result(log: &Log, offers: &[Offer]) -> (f64, f64) {
    let counted = |id: usize| offers[id].at >= ms(40_000);
    let lost = log.dropped_ids().into_iter().filter(|id| counted(*id)).count();
    let passed: Vec<f64> = log
        .delivered
        .iter()
        .filter(|it| counted(it.id))
        .map(|it| it.at.saturating_since(offers[it.id].at).as_millis_f64() - 1.0)
        .collect();
    let mean = passed.iter().sum::<f64>() / passed.len() as f64;
    (lost as f64 / (lost + passed.len()) as f64, mean)
}

#[test]
fn pie_holds_its_target() {
    let offers = overload();
    let (lost, delay) = result(&run(QueueConfig::Pie(PieConfig::default()), &offers), &offers);
    assert!((0.195..0.205).contains(&lost), "{lost}");
    assert!((12.0..18.0).contains(&delay), "{delay} ms");
}

/// The classic queue: p'^2 = 20 %.
#[test]
fn dual_pi2_holds_its_target() {
    let offers = overload();
    let (lost, delay) = result(&run(QueueConfig::DualPi2(DualPi2Config::default()), &offers), &offers);
    assert!((0.195..0.205).contains(&lost), "{lost}");
    assert!((12.0..18.0).contains(&delay), "{delay} ms");
}

/// A sparse low-latency flow next to it waits for the packet in service, and gets marks with k p' = 2 sqrt(0.2) = 89 %: of its packets as many
/// as the coupling says, though its own queue is short.
#[test]
fn dual_pi2_marks_low_latency_packets_by_the_classic_queue() {
    let sparse = with_ecn(Ecn::Ect1, stream(2, 100, Duration::from_millis(20), ms(60_000)));
    let offers = together([overload(), sparse]);
    let log = run(QueueConfig::DualPi2(DualPi2Config::default()), &offers);
    let late: Vec<_> =
        log.delivered.iter().filter(|it| offers[it.id].flow == 2 && offers[it.id].at >= ms(40_000)).collect();
    let marked = late.iter().filter(|it| it.ecn == Ecn::Ce).count() as f64 / late.len() as f64;
    assert!((0.84..0.96).contains(&marked), "{marked}");
    let longest = log.delays(&offers, 2).into_iter().max().unwrap();
    assert!(longest <= Duration::from_micros(2100), "{longest:?}");
}
