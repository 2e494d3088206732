//! The numbers of runs, by hand.
#![cfg(target_os = "linux")]

use seamline_benchmark::case::{Case, Job, Traffic};
use seamline_benchmark::load::{Request, Sample, Timeline};
use seamline_benchmark::matrix::Matrix;
use seamline_benchmark::measure::{DEFINITION, Measured, measure};
use seamline_benchmark::remedy;
use seamline_benchmark::store::{Kept, Run, Store};
use seamline_benchmark::summary::{FIRST_DATA, FULL_RATE, summarise};
use seamline_report::statistics::Median;
use seamline_wire::Duration;
use std::collections::BTreeSet;
use std::fs;

fn job(traffic: Traffic, run: u32) -> Job {
    let remedy = remedy::find("cubic").unwrap();
    let case = Case { remedy, outage_ms: 1000, loses_acknowledgment: true, has_loss: false, traffic };
    Job { case, run }
}

/// One segment of 1000 bytes each millisecond; none from the outage until `back_s` after it.
fn stream(job: &Job, back_s: f64) -> Timeline {
    let (down, up) = (job.link_down().as_secs_f64(), job.link_up().as_secs_f64());
    let times = (0..20_000).map(|ms| f64::from(ms) / 1e3).filter(|at| *at < down || *at >= up + back_s);
    let sample = |(n, at_s): (usize, f64)| {
        let n = n as u64 + 1;
        Sample { at_s, bytes: n * 1000, segments: Some(n) }
    };
    Timeline { samples: times.enumerate().map(sample).collect(), end_s: 20.0, ..Timeline::default() }
}

#[test]
fn a_stream_that_is_back_later_is_measured_to_the_millisecond() {
    let job = job(Traffic::Bulk, 1);
    let up = job.link_up().as_secs_f64();
    let drops = [up - 0.1, up + 0.1, up + 4.9, up + 5.1];
    let it = measure(&job, &stream(&job, 0.25), &drops);
    for (name, ms) in
        [("first", it.first_data_ms), ("progress", it.progress_ms), ("full rate", it.full_rate_ms)]
    {
        assert!((249.0..252.0).contains(&ms.unwrap()), "{name}: {it:?}");
    }
    assert!((it.rate_before_bps - 8e6).abs() < 1e4, "{it:?}");
    assert!((it.missed_bytes - 250e3).abs() < 5e3, "{it:?}");
    let stall = job.outage().as_secs_f64() * 1e3 + 250.0;
    assert!((it.stall_ms - stall).abs() < 2.0, "{it:?} {stall}");
    assert_eq!(it.dropped, 2);
}

#[test]
fn what_never_comes_has_no_time_and_a_stall_to_the_end() {
    let job = job(Traffic::Bulk, 2);
    let it = measure(&job, &stream(&job, 100.0), &[]);
    assert_eq!((it.first_data_ms, it.progress_ms, it.full_rate_ms), (None, None, None));
    assert!((it.missed_bytes - 5e6).abs() < 5e3, "{it:?}");
    assert!(it.stall_ms > 5000.0 + job.outage().as_secs_f64() * 1e3 - 2.0, "{it:?}");
}

#[test]
fn half_of_the_rate_is_not_full() {
    let job = job(Traffic::Bulk, 1);
    let up = job.link_up().as_secs_f64();
    let mut timeline = stream(&job, 0.0);
    // For a second every other segment comes.
    let is_thin = |at: f64| at >= up && at < up + 1.0;
    let mut counted = 0;
    timeline.samples.retain(|sample| {
        counted += usize::from(is_thin(sample.at_s));
        !is_thin(sample.at_s) || counted % 2 == 0
    });
    for (n, sample) in timeline.samples.iter_mut().enumerate() {
        *sample = Sample { at_s: sample.at_s, bytes: n as u64 * 1000, segments: Some(n as u64) };
    }
    let it = measure(&job, &timeline, &[]);
    // Ninety of a hundred milliseconds have every segment, the others half: from 80 ms before its end on.
    assert!((900.0..1001.0).contains(&it.full_rate_ms.unwrap()), "{it:?}");
    assert!(it.first_data_ms.unwrap() < 3.0, "{it:?}");
}

#[test]
fn of_requests_the_next_whole_answer_counts() {
    let job = job(Traffic::Requests, 1);
    let up = job.link_up().as_secs_f64();
    let mut timeline = stream(&job, 0.1);
    timeline.requests = vec![
        Request { asked_s: 0.5, answered_s: Some(1.0) },
        Request { asked_s: 1.0, answered_s: Some(up + 0.7) },
        Request { asked_s: up + 0.7, answered_s: None },
    ];
    let it = measure(&job, &timeline, &[]);
    assert!((699.0..701.0).contains(&it.progress_ms.unwrap()), "{it:?}");
    assert_eq!(it.full_rate_ms, None);
}

#[test]
fn outages_of_one_length_differ_from_run_to_run_by_a_fifth_at_most() {
    let outages: BTreeSet<u64> = (1..=20).map(|run| job(Traffic::Bulk, run).outage().as_millis()).collect();
    assert_eq!(outages.len(), 20);
    assert!(outages.iter().all(|ms| (800..=1200).contains(ms)), "{outages:?}");
    assert!(*outages.iter().min().unwrap() < 840 && *outages.iter().max().unwrap() > 1160, "{outages:?}");
}

fn run(job: Job, first_data_ms: f64, warnings: &[&str]) -> Run {
    let measured = Measured {
        first_data_ms: Some(first_data_ms),
        progress_ms: Some(first_data_ms),
        full_rate_ms: None,
        stall_ms: 0.0,
        rate_before_bps: 0.0,
        missed_bytes: 0.0,
        dropped: 0,
    };
    let warnings = warnings.iter().map(|warning| (*warning).to_owned()).collect();
    Run { job, definition: DEFINITION, measured, repeated: 0, warnings, kernel: "6.18".to_owned() }
}

#[test]
fn runs_are_kept_and_a_torn_line_is_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let runs: Vec<Run> = (1..=3).map(|number| run(job(Traffic::Requests, number), 1.5, &[])).collect();
    let (mut store, before) = Store::<Run>::open(folder.path()).unwrap();
    assert!(before.is_empty());
    runs.iter().for_each(|run| store.keep(run).unwrap());
    let file = folder.path().join(Run::FILE);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() - 10]).unwrap();
    // Nobody else may write there meanwhile.
    assert!(Store::<Run>::open(folder.path()).unwrap_err().to_string().contains("another process"));
    drop(store);
    let (mut store, before) = Store::<Run>::open(folder.path()).unwrap();
    assert_eq!(before, runs[..2]);
    store.keep(&runs[2]).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    fs::write(&file, format!("{text}{{}}\n")).unwrap();
    drop(store);
    let error = Store::<Run>::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("runs.jsonl:4: ") && error.contains("tip: "), "{error}");
}

#[test]
fn runs_with_warnings_do_not_count() {
    let doubted = "the host was too busy";
    let runs = [
        run(job(Traffic::Bulk, 1), 10.0, &[]),
        run(job(Traffic::Bulk, 2), 1000.0, &[doubted]),
        run(job(Traffic::Bulk, 3), 30.0, &[]),
    ];
    let cell = &summarise(&[runs[0].job.case], &runs)[0];
    assert_eq!(cell.runs, 2);
    assert_eq!(cell.medians[FIRST_DATA], Some(Median { median: 20.0, low: 10.0, high: 30.0 }));
    // A bulk download whose rate never came back.
    assert_eq!(cell.medians[FULL_RATE].map(|it| it.median), Some(f64::INFINITY));
}

#[test]
fn the_whole_matrix_has_every_case_once() {
    let matrix = Matrix::whole(6);
    let jobs = matrix.jobs();
    assert_eq!(jobs.len(), matrix.remedies.len() * 5 * 2 * 2 * 2 * 6);
    let distinct: BTreeSet<String> = jobs.iter().map(|job| serde_json::to_string(job).unwrap()).collect();
    assert_eq!(distinct.len(), jobs.len());
    assert!(jobs.iter().all(|job| job.traffic_time() > job.link_up() + Duration::from_secs(5)));
}
