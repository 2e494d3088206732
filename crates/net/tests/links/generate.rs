//! Synthetic schedules against the published figures they follow.

use seamline_net::Schedule;
use seamline_net::generate::{
    CellularParameters, Quantiles, StarlinkParameters, Variation, cellular, starlink,
};
use seamline_net::schedule::{Capacity, RateSteps};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};

fn stream() -> Stream {
    Stream::new(5, "air/schedule")
}

fn rate(schedule: &Schedule) -> &RateSteps {
    match &schedule.capacity {
        Some(Capacity::Rate(rate)) => rate,
        other => panic!("no rate: {other:?}"),
    }
}

fn quantile(sorted: &[f64], probability: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * probability).round() as usize]
}

fn interruptions(schedule: &Schedule) -> Vec<f64> {
    let mut sorted: Vec<f64> =
        schedule.handovers.as_slice().iter().map(|handover| handover.interruption.as_millis_f64()).collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn between(value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{value} is not in {low}..={high}");
}

#[test]
fn interruptions_have_the_published_quantiles() {
    let long = Duration::from_secs(200_000);
    let published = [
        (CellularParameters::lte(long), [32.0, 43.0, 84.0]),
        (CellularParameters::nsa_low_band(long), [50.0, 64.0, 78.0]),
        (CellularParameters::nsa_millimetre_wave(long), [60.0, 95.0, 113.0]),
        (CellularParameters::nsa_secondary_cell_addition(long), [159.0, 255.0, 453.0]),
    ];
    for (parameters, expected) in published {
        let sorted = interruptions(&cellular(&parameters, stream()).unwrap());
        assert!(sorted.len() > 5_000, "{}", sorted.len());
        for (probability, expected) in [0.5, 0.9, 0.99].into_iter().zip(expected) {
            let tolerance = if probability > 0.95 { 0.12 } else { 0.03 };
            let value = quantile(&sorted, probability);
            between(value, expected * (1.0 - tolerance), expected * (1.0 + tolerance));
        }
    }
}

#[test]
fn handovers_come_at_their_mean_distance() {
    let parameters = CellularParameters::lte(Duration::from_secs(100_000));
    let count = cellular(&parameters, stream()).unwrap().handovers.as_slice().len() as f64;
    // 60 km/h for 100,000 s over 559 m; waiting a second after each stretches it by at most 3 %.
    let expected = 100_000.0 * (60.0 / 3.6) / 559.0;
    between(count, expected * 0.94, expected * 1.03);
}

#[test]
fn the_rate_dips_at_a_handover_and_recovers() {
    let steady = Variation { coefficient: 0.0, correlation: 0.0 };
    let parameters = CellularParameters {
        variation: steady,
        ..CellularParameters::nsa_low_band(Duration::from_secs(5_000))
    };
    let schedule = cellular(&parameters, stream()).unwrap();
    let second =
        |second: u64| rate(&schedule).steps().at(Instant::from_secs(second)).bits_per_second() as f64 / 67e6;
    let run: f64 = (0..5_000).map(second).sum::<f64>() / 5_000.0;
    between(run, 0.999, 1.001);
    let handovers = schedule.handovers.as_slice();
    let at = |index: usize| handovers[index].at.as_nanos() / 1_000_000_000;
    let apart = (0..handovers.len() - 1).filter(|index| at(index + 1) > at(*index) + 2);
    for index in apart.clone() {
        between(second(at(index)), 0.6699, 0.6701);
        between(second(at(index) + 2), 0.7999, 0.8001);
    }
    assert!(apart.count() > 100);
}

#[test]
fn variation_has_its_mean_and_deviation() {
    let mut parameters = CellularParameters::lte(Duration::from_secs(100_000));
    parameters.recovery.0.clear();
    let schedule = cellular(&parameters, stream()).unwrap();
    let rates: Vec<f64> = (0..100_000)
        .map(|second| {
            rate(&schedule).steps().at(Instant::from_secs(second)).bits_per_second() as f64 / 16.7e6
        })
        .collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    between(mean, 0.98, 1.02);
    let variance = rates.iter().map(|rate| (rate - mean) * (rate - mean)).sum::<f64>() / rates.len() as f64;
    between(variance.sqrt(), 0.60, 0.68);
    let logs: Vec<f64> = rates.iter().map(|rate| libm::log(*rate)).collect();
    let centre = logs.iter().sum::<f64>() / logs.len() as f64;
    let product =
        |lag: usize| -> f64 { logs.windows(lag + 1).map(|w| (w[0] - centre) * (w[lag] - centre)).sum() };
    between(product(1) / product(0), 0.68, 0.72);
}

#[test]
fn starlink_reconfigures_at_12_27_42_57() {
    let minute = |parameters: &StarlinkParameters| -> Vec<f64> {
        let schedule = starlink(parameters, stream()).unwrap();
        schedule.handovers.as_slice().iter().map(|handover| handover.at.as_secs_f64()).collect()
    };
    let mut parameters = StarlinkParameters::downlink(Duration::from_secs(75));
    assert_eq!(minute(&parameters), [12.0, 27.0, 42.0, 57.0, 72.0]);
    parameters.second_of_minute = Duration::from_millis(50_500);
    assert_eq!(minute(&parameters), [6.5, 21.5, 36.5, 51.5, 66.5]);
    parameters.second_of_minute = Duration::from_secs(57);
    assert_eq!(minute(&parameters), [15.0, 30.0, 45.0, 60.0]);
}

#[test]
fn starlink_follows_its_quantiles() {
    let parameters = StarlinkParameters::downlink(Duration::from_secs(15 * 10_000));
    let schedule = starlink(&parameters, stream()).unwrap();
    let sorted = interruptions(&schedule);
    between(sorted[0], 59.0, 60.0);
    between(quantile(&sorted, 0.5), 74.0, 77.0);
    between(sorted[sorted.len() - 1], 132.0, 135.0);
    let sampled = |value: &dyn Fn(Instant) -> f64| -> Vec<f64> {
        let mut values: Vec<f64> =
            (0..9_999).map(|index| value(Instant::from_secs(index * 15 + 12))).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let capacity = sampled(&|at| rate(&schedule).steps().at(at).bits_per_second() as f64 / 1e6);
    between(quantile(&capacity, 0.25), 48.0, 54.0);
    between(quantile(&capacity, 0.5), 128.0, 140.0);
    between(quantile(&capacity, 0.75), 190.0, 204.0);
    between(quantile(&capacity, 0.9), 234.0, 252.0);
    let delay = sampled(&|at| schedule.one_way_delay.as_ref().unwrap().at(at).as_millis_f64());
    between(delay[0], 14.6, 14.65);
    between(2.0 * quantile(&delay, 0.5), 32.8, 33.2);
    between(delay[delay.len() - 1], 18.35, 18.4);
}

#[test]
fn the_same_stream_gives_the_same_schedule() {
    let drive = CellularParameters::nsa_low_band(Duration::from_secs(600));
    assert_eq!(cellular(&drive, stream()), cellular(&drive, stream()));
    assert_ne!(cellular(&drive, stream()), cellular(&drive, Stream::new(6, "air/schedule")));
    let sky = StarlinkParameters::uplink(Duration::from_secs(600));
    assert_eq!(starlink(&sky, stream()), starlink(&sky, stream()));
    assert_ne!(starlink(&sky, stream()), starlink(&sky, Stream::new(6, "air/schedule")));
}

#[test]
fn quantiles_interpolate_and_refuse_nonsense() {
    let quantiles = Quantiles::new(vec![(0.0, 10.0), (0.5, 20.0), (1.0, 60.0)]).unwrap();
    let values = [0.0, 0.25, 0.5, 0.75, 1.0].map(|probability| quantiles.quantile(probability));
    assert_eq!(values, [10.0, 15.0, 20.0, 40.0, 60.0]);
    for nonsense in [
        vec![],
        vec![(0.0, 1.0)],
        vec![(0.0, 1.0), (0.9, 2.0)],
        vec![(0.0, 2.0), (1.0, 1.0)],
        vec![(0.0, -1.0), (1.0, 1.0)],
        vec![(0.0, 1.0), (0.5, 1.0), (0.5, 2.0), (1.0, 3.0)],
        vec![(0.0, 1.0), (1.0, f64::INFINITY)],
    ] {
        assert!(Quantiles::new(nonsense.clone()).is_err(), "{nonsense:?}");
    }
}
