//! Single runs over time: what papers ask for is there, and they are the runs of the sweep.

use seamline_paper::page::single_runs;
use seamline_paper::{ALL, PaperOptions};
use seamline_report::paper::RunsOfFigure;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn runs(paper: &seamline_paper::Paper, duration_s: f64) -> Vec<RunsOfFigure> {
    let options = PaperOptions {
        out: std::path::PathBuf::new(),
        set: vec![format!("duration={duration_s} s"), "seeds=2".to_owned()],
        most_seeds: None,
        readings: false,
        stack: None,
        command: String::new(),
    };
    let found = single_runs::runs(paper, &options, &Arc::default()).expect("files in order");
    found.expect("not stopped")
}

/// Every cell, flow and queue that is asked for is in the runs, in that order.
#[test]
fn what_is_asked_for_is_shown() {
    for paper in ALL {
        let figures =
            toml::from_str::<seamline_paper::figures::Figures>(paper.figures).expect("figures.toml");
        let asked: Vec<_> = figures.with_single_runs().collect();
        let shown = runs(paper, 30.0);
        assert_eq!(shown.len(), asked.len(), "{}", paper.id);
        for ((figure, wanted), shown) in asked.into_iter().zip(shown) {
            assert_eq!((shown.name.as_str(), &shown.look), (figure.picture(), &wanted.look));
            assert_eq!(shown.runs.len(), wanted.cells.len(), "{}", figure.scenario);
            for (run, cell) in shown.runs.iter().zip(&wanted.cells) {
                assert!(cell.values().all(|value| run.name.contains(value)), "{} is {cell:?}", run.name);
                assert_eq!((run.seed, run.duration_s), (1, 30.0));
                // No host changes cells in papers eln-ack and obtcp.
                let no_host_moves = ["L", "O"].contains(&paper.id);
                assert_eq!(run.handovers.is_empty(), no_host_moves, "{} {}", figure.scenario, run.name);
                let flows: Vec<&String> = run.flows.iter().map(|flow| &flow.flow).collect();
                let own = vec![figure.flow.clone()];
                assert_eq!(flows, wanted.flows.as_ref().unwrap_or(&own).iter().collect::<Vec<_>>());
                let queues: Vec<&String> = run.queues.iter().map(|queue| &queue.link).collect();
                if let Some(wanted) = &wanted.queues {
                    assert_eq!(queues, wanted.iter().collect::<Vec<_>>(), "{} {}", figure.scenario, run.name);
                }
            }
        }
    }
}

/// A shorter run is the beginning of a longer one, packet by packet: what is shown is what was averaged.
#[test]
fn a_part_of_a_run_is_its_beginning() {
    for paper in ALL {
        for (short, long) in runs(paper, 12.0).iter().zip(&runs(paper, 20.0)) {
            for (short, long) in short.runs.iter().zip(&long.runs) {
                for (short, long) in short.flows.iter().zip(&long.flows) {
                    let beginning: Vec<_> =
                        long.segments.iter().filter(|segment| segment.time_s <= 12.0).copied().collect();
                    assert!(beginning.len() > 100 && long.segments.len() > beginning.len());
                    assert_eq!(short.segments, beginning, "{}", long.flow);
                }
            }
        }
    }
}

#[test]
fn who_stops_gets_nothing() {
    let options = PaperOptions {
        out: std::path::PathBuf::new(),
        set: Vec::new(),
        most_seeds: None,
        readings: false,
        stack: None,
        command: String::new(),
    };
    let stopped =
        single_runs::runs(&ALL[0], &options, &Arc::new(AtomicBool::new(true))).expect("files in order");
    assert!(stopped.is_none());
}

/// Going back after a handoff leaves a window: what arrives of acknowledgments for packets that had arrived after all neither
/// opens it nor takes it away.
#[test]
fn no_handoff_leaves_vegas_without_a_window() {
    for shown in runs(&ALL[1], 60.0) {
        for run in &shown.runs {
            for flow in &run.flows {
                let windows = flow.sender.congestion_window_segments.iter().copied();
                let least = windows.fold(f64::INFINITY, f64::min);
                assert!(least >= 1.0, "{} {} {}: {least}", shown.name, run.name, flow.flow);
            }
        }
    }
}
