//! A report with everything in it, made up but in the right proportions.

pub(crate) mod made_up;

use seamline_report::Provenance;
use seamline_report::model::{Cell, Outcome, Report};
use seamline_report::picture::topology::Topology;
use seamline_report::record::{FlowRecord, HandoverRecord, LinkRecord, RunRecord};
use seamline_report::series::{
    Acknowledgment, Drop, FlowSeries, HandoverBand, QueueSeries, RunSeries, SegmentSent, SelectiveBlock,
    SenderColumns,
};
use seamline_report::statistics::Estimate;
use seamline_report::summary::{Comparison, FlowSummary};

/// A title that would break out of every kind of quotes.
pub(crate) const NASTY: &str =
    "</script><script>alert(1)</script> \"quoted\" 'single' <b>&amp; ünïcödé \u{1f6f0} \u{1} $x$";

/// So long is a run.
pub(crate) const DURATION_S: f64 = 20.0;

pub(crate) fn estimate(mean: f64, half: f64) -> Estimate {
    Estimate { mean, low: Some(mean - half), high: Some(mean + half), samples: 5 }
}

pub(crate) fn provenance() -> Provenance {
    Provenance {
        version: "0.1.0".into(),
        engine: "0.1.0+fedcba".into(),
        revision: "0123456789ab".into(),
        scenario: "my \"scenario\".toml".into(),
        scenario_blake3: "00ff".repeat(16),
        overrides: vec!["duration=20 s".into(), "title=</script>".into()],
        seeds: vec![1, 2, 3, 4, 5],
        reproduce: "seamline run 'my \"scenario\".toml' --set 'duration=20 s'".into(),
        scenario_text: "title = \"</pre></script>\"\n# <!-- -->\n".into(),
    }
}

/// The page that stands next to its files.
pub(crate) fn page(report: &Report) -> String {
    let page = seamline_report::files::of_report(report, false).unwrap().pop().unwrap();
    assert_eq!(page.name, "report.html");
    String::from_utf8(page.bytes).unwrap()
}

/// Two cells, five seeds, two handovers each.
pub(crate) fn report() -> Report {
    let names = ["newreno", "cubic"];
    Report {
        title: NASTY.to_owned(),
        provenance: provenance(),
        verdict: vec![format!("cubic was faster than {NASTY}."), "That is all.".into()],
        warnings: vec!["the interval is wide: use --seeds 40".into()],
        duration_s: DURATION_S,
        warm_up_s: 2.0,
        network: Topology::default(),
        cells: names
            .iter()
            .enumerate()
            .map(|(cell, name)| Cell {
                name: (*name).to_owned(),
                runs: (1..=5).map(|seed| run(cell, seed)).collect(),
                values: vec![("flow.main.variant".into(), (*name).to_owned())],
            })
            .collect(),
        outcomes: (0..2).map(outcome).collect(),
        series: (0..2).map(series).collect(),
    }
}

fn outcome(cell: usize) -> Outcome {
    let is_baseline = cell == 0;
    let variant = ["newreno", "cubic"][cell].to_owned();
    let against = || Comparison {
        cell: 0,
        flow: "main".into(),
        name: "newreno".into(),
        goodput_factor: Some(estimate(1.2, 0.1)),
    };
    Outcome {
        name: variant.clone(),
        judgement: if is_baseline { String::new() } else { "faster".into() },
        summary: FlowSummary {
            cell,
            flow: "main".into(),
            variant,
            goodput_bits_per_second: estimate(10e6 + 2e6 * cell as f64, 1e6),
            retransmissions_mean: 12.4,
            timeouts_mean: 0.2,
            completion_s: None,
            recovery_median_ms: is_baseline.then_some(310.0),
            handovers: 10,
            shares: None,
            against: (!is_baseline).then(against),
            along: Vec::new(),
        },
    }
}

fn run(cell: usize, seed: u64) -> RunRecord {
    let flow = FlowRecord {
        name: "main".into(),
        variant: ["newreno", "cubic"][cell].to_owned(),
        delivered_bytes: 25_000_000 + seed,
        goodput_bits_per_second: 10e6 + seed as f64,
        measured_from_s: 2.0,
        measured_to_s: DURATION_S,
        retransmissions: 12,
        timeouts: 0,
        fast_recoveries: 2,
        undone_cuts: 0,
        round_trip_mean_ms: Some(45.5),
        round_trip_min_ms: None,
        loss_repair_mean_ms: None,
        completion_s: None,
        copies_bits_per_second: Vec::new(),
        handovers: handovers(cell, seed),
        intervals: Vec::new(),
    };
    RunRecord {
        seed,
        flows: vec![flow],
        links: Vec::from_iter((seed == 1).then(link)),
        agents: Vec::new(),
        emulation: None,
    }
}

fn handovers(cell: usize, seed: u64) -> Vec<HandoverRecord> {
    let row = |start_s: f64, recovery_ms| HandoverRecord {
        link: "radio".into(),
        start_s,
        interruption_ms: Some(80.0),
        movement_detected_ms: Some(90.0),
        registered_ms: None,
        first_data_ms: Some(120.0),
        recovery_ms,
        following_second_bytes: 900_000,
        stalled_bytes: 0,
        lost_packets: 0,
    };
    vec![row(5.0, Some(200.0 + 30.0 * seed as f64)), row(15.0, (cell == 0).then_some(400.0))]
}

fn link() -> LinkRecord {
    LinkRecord {
        name: "radio/down".into(),
        delivered_packets: 17_000,
        delivered_bytes: 25_500_000,
        dropped_by_full_queue: 9,
        dropped_by_queue_management: 0,
        marked_by_queue: 2,
        lost_to_errors: 3,
        lost_to_link_down: 4,
        lost_to_departure: Some(17),
        rate_bits_per_second: None,
    }
}

/// A segment a millisecond, one in a thousand sent again, acknowledgments 40 ms later.
pub(crate) fn series(cell: usize) -> RunSeries {
    RunSeries {
        cell,
        name: ["newreno", "cubic"][cell].to_owned(),
        seed: 1,
        duration_s: DURATION_S,
        flows: vec![flow()],
        queues: vec![queue("radio/down"), queue("radio/up")],
        handovers: vec![band(5.0), band(15.0)],
        messages: None,
        notes: vec![NASTY.to_owned()],
    }
}

fn band(start_s: f64) -> HandoverBand {
    HandoverBand {
        link: NASTY.to_owned(),
        predicted_s: Some(start_s - 0.1),
        start_s,
        end_s: Some(start_s + 0.08),
        movement_detected_s: Some(start_s + 0.1),
        registered_s: Some(start_s + 0.15),
    }
}

fn queue(link: &str) -> QueueSeries {
    let time_s: Vec<f64> = (0..2000).map(|n| f64::from(n) * 0.01).collect();
    QueueSeries { link: link.into(), packets: (0..2000).map(|n| f64::from(n % 40)).collect(), time_s }
}

fn flow() -> FlowSeries {
    const LENGTH: u32 = 1448;
    let count = (DURATION_S * 1000.0) as u64;
    // Beyond 2^32, as after a wrap.
    let first = (1u64 << 32) - 5_000_000;
    let start = |n: u64| first + n * u64::from(LENGTH);
    let time = |n: u64| n as f64 * 1e-3;
    let mut segments = Vec::new();
    for n in 0..count {
        segments.push(SegmentSent {
            time_s: time(n),
            start: start(n),
            length: LENGTH,
            retransmission: false,
        });
        if n % 1000 == 500 {
            let again =
                SegmentSent { time_s: time(n), start: start(n - 50), length: LENGTH, retransmission: true };
            segments.push(again);
        }
    }
    let acknowledgments = (40..count).map(|n| Acknowledgment {
        time_s: time(n),
        position: start(n - 40),
        window_edge: start(n - 40) + 300_000,
    });
    let lost = || (0..count).filter(|n| n % 1000 == 450);
    let samples: Vec<f64> = (0..4000).map(|n| f64::from(n) * 0.005).collect();
    let column = |value: &dyn Fn(f64) -> f64| samples.iter().map(|time| value(*time)).collect::<Vec<f64>>();
    let sender = SenderColumns {
        congestion_window_segments: column(&|time| 20.0 + (time * 7.0) % 30.0),
        slow_start_threshold_segments: column(&|time| if time < 1.0 { f64::INFINITY } else { 25.0 }),
        smoothed_round_trip_ms: column(&|time| if time < 0.1 { 0.0 } else { 40.0 + time }),
        retransmission_timeout_ms: column(&|_| 1000.0),
        bytes_in_flight: column(&|_| 57_920.0),
        time_s: samples,
    };
    FlowSeries {
        flow: "main".into(),
        variant: "newreno".into(),
        sender,
        segments,
        acknowledgments: acknowledgments.collect(),
        selective: lost()
            .map(|n| SelectiveBlock { time_s: time(n + 45), start: start(n + 1), end: start(n + 5) })
            .collect(),
        drops: lost()
            .map(|n| Drop { time_s: time(n) + 0.01, start: start(n), cause: "error model".into() })
            .collect(),
        delivered_bytes: vec![14_480; (DURATION_S * 100.0) as usize],
        delivered_bin_s: 0.01,
        timeouts_s: vec![7.5],
        recoveries_s: lost().map(|n| time(n + 46)).collect(),
    }
}
