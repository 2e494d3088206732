//! Numbers of all flows together, and of curves over time, against numbers worked by hand.

use crate::support::run;
use seamline_experiment::record::{IntervalRecord, LinkRecord, RunRecord};
use seamline_paper::claims::Claims;
use seamline_paper::evaluate::{ClaimResult, evaluate};
use seamline_paper::figures::Figures;
use seamline_paper::quantity::Quantity;
use seamline_paper::records::{CellRecords, Number};

fn link(name: &str, delivered_bytes: u64, rate: Option<u64>) -> LinkRecord {
    LinkRecord {
        name: name.to_owned(),
        delivered_packets: 1,
        delivered_bytes,
        dropped_by_full_queue: 0,
        dropped_by_queue_management: 0,
        marked_by_queue: 0,
        lost_to_errors: 0,
        lost_to_link_down: 0,
        lost_to_departure: None,
        rate_bits_per_second: rate,
    }
}

fn of(run: &RunRecord, quantity: Quantity) -> Option<f64> {
    let cell = CellRecords { figure: "any".to_owned(), values: [].into(), runs: vec![run.clone()] };
    cell.numbers(Number { quantity, flow: Some("one"), between: None }).map(|found| found[0])
}

/// (3 + 1)^2 / (2 (9 + 1)); with the second flow in two copies of a half each, 16 / (3 (9 + 1/4 + 1/4)).
#[test]
fn fairness_counts_every_copy() {
    let mut run = run(1, &[("one", 3.0), ("two", 1.0)]);
    assert!((of(&run, Quantity::Fairness).unwrap() - 0.8).abs() < 1e-12);
    run.flows[1].copies_bits_per_second = vec![500.0, 500.0];
    assert!((of(&run, Quantity::Fairness).unwrap() - 16.0 / 28.5).abs() < 1e-12);
    run.flows.iter_mut().for_each(|flow| flow.goodput_bits_per_second = 0.0);
    run.flows[1].copies_bits_per_second.clear();
    assert_eq!(of(&run, Quantity::Fairness), None, "nothing is shared");
}

/// The bottleneck is what is used the most of what it carries: 2 Mbit/s, not the faster link that carries more bytes.
#[test]
fn utilisation_is_of_the_bottleneck() {
    let mut run = run(1, &[("one", 1000.0), ("two", 600.0)]);
    run.links = vec![
        link("fast/down", 70_000_000, Some(100_000_000)),
        link("bottleneck/down", 65_000_000, Some(2_000_000)),
    ];
    assert!((of(&run, Quantity::Utilisation).unwrap() - 80.0).abs() < 1e-12);
    run.links[0].rate_bits_per_second = None;
    assert_eq!(of(&run, Quantity::Utilisation), None, "a rate that changes could be the bottleneck");
}

/// A run whose smoothed round-trip time is this at the end of each second.
fn with_round_trips(seed: u64, times: &[f64]) -> RunRecord {
    let mut run = run(seed, &[("one", 1.0)]);
    run.flows[0].intervals = times
        .iter()
        .enumerate()
        .map(|(second, time)| IntervalRecord {
            from_s: second as f64,
            to_s: second as f64 + 1.0,
            bytes: 0,
            retransmissions: 0,
            timeouts: 0,
            congestion_window_segments: 1.0,
            smoothed_round_trip_ms: *time,
        })
        .collect();
    run
}

fn share_below(own: [&[f64]; 2], other: [&[f64]; 2]) -> ClaimResult {
    let cell = |scheme: &str, times: [&[f64]; 2]| CellRecords {
        figure: "srtt".to_owned(),
        values: [("scheme".to_owned(), scheme.to_owned())].into(),
        runs: vec![with_round_trips(1, times[0]), with_round_trips(2, times[1])],
    };
    let claims = "paper = \"T\"\ntitle = \"A test\"\ncite = \"nobody\"\n[[claim]]\nid = \"T1\"\nstatement = \"so\"\nwhere = \"here\"\n\
                  aggregate = \"all\"\npaper = \"above\"\nfigures = [\"srtt\"]\nstatistic = \"share-below\"\n\
                  quantity = \"smoothed-round-trip\"\nbetween = [1.0, 5.0]\nof = { scheme = \"new\" }\n\
                  over = { scheme = \"old\" }\naccept = [50.0, inf]";
    let claims = toml::from_str::<Claims>(claims).unwrap_or_else(|error| panic!("{error}"));
    let records = [cell("new", own), cell("old", other)];
    evaluate(&claims, &Figures::default(), &records, &|_| String::new()).remove(0)
}

/// Of the four intervals from 1 to 5 s three are below with the first seed, one with the second; equal is not below, and what lies outside does
/// not count.
#[test]
fn intervals_are_compared_one_by_one() {
    let found = share_below(
        [&[9.0, 1.0, 1.0, 1.0, 7.0, 9.0], &[1.0, 1.0, 5.0, 9.0, 9.0, 1.0]],
        [&[1.0, 5.0, 5.0, 5.0, 5.0, 1.0], &[5.0; 6]],
    );
    assert_eq!((found.measured, found.unit), (Some(50.0), "%"));
    let [low, high] = found.ci95.unwrap();
    assert!((high - low - 2.0 * 12.706 * 25.0).abs() < 0.1, "75 and 25 %, t(1) = 12.706: {low} {high}");
}

/// A run that is too short, or in which there was no sample yet, cannot tell.
#[test]
fn without_samples_there_is_no_share() {
    let full: &[f64] = &[5.0; 6];
    assert_eq!(share_below([full, &[5.0; 4]], [full, full]).measured, None);
    assert_eq!(share_below([full, &[5.0, 0.0, 5.0, 5.0, 5.0, 5.0]], [full, full]).measured, None);
    assert_eq!(share_below([full, full], [full, full]).measured, Some(0.0));
}
