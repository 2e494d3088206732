//! What other programs measured is what their recordings say, and ours is close to it.

use seamline_experiment::run::{RunOptions, run};
use seamline_paper::claims::Claims;
use seamline_scenario::Plan;
use std::path::Path;

const SCRIPT: &str = include_str!("../../papers/mobility-vegas-2020/ns2/vegas.tcl");
const RECORDED: &str = include_str!("../../papers/mobility-vegas-2020/ns2/vegas.csv");

/// A row of the recording.
struct Row {
    seed: u64,
    bits_per_second: f64,
    timeouts: u64,
}

fn rows() -> Vec<Row> {
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Row {
            seed: fields[2].parse().expect("a seed"),
            bits_per_second: fields[5].parse().expect("a rate"),
            timeouts: fields[6].parse().expect("a count"),
        }
    };
    RECORDED.lines().skip(1).map(row).collect()
}

/// How long the handoffs of a seed last in the script, in seconds.
fn away(seed: u64) -> Vec<f64> {
    let beginning = format!("    {seed} {{");
    let line = SCRIPT.lines().find_map(|line| line.strip_prefix(beginning.as_str())).expect("the seed");
    line.trim_end_matches('}').split(' ').map(|seconds| seconds.parse().expect("seconds")).collect()
}

/// The claim has the ends of the recording, in the paper's unit.
#[test]
fn the_claim_has_the_numbers_of_the_recording() {
    let paper = seamline_paper::find("V").expect("bundled");
    let claims = toml::from_str::<Claims>(paper.claims).expect("claims.toml");
    let other = &claims.claim.iter().find(|claim| claim.id == "V1").expect("V1").other_programs[0];
    let megabits: Vec<f64> = rows().iter().map(|row| row.bits_per_second / 1e6).collect();
    let (least, most) =
        (megabits.iter().copied().fold(f64::MAX, f64::min), megabits.iter().copied().fold(0.0, f64::max));
    assert!(other.measured.starts_with(&format!("{least:.2} to {most:.2} Mb/s")), "{}", other.measured);
}

/// Seed by seed, over the same handoffs: as many timeouts, and a throughput that is smaller by what headers take.
#[test]
fn plain_vegas_is_that_of_ns_2_on_the_papers_path() {
    let paper = seamline_paper::find("V").expect("bundled");
    let text = paper.scenario("fig4").expect("bundled").to_owned();
    let mut plan = Plan::new(Path::new("fig4.toml"), text, &["seeds=5".to_owned()]).expect("valid");
    plan.cells.truncate(1);
    let found = run(&plan, &RunOptions::default(), &|| {}).expect("runs");
    let rows = rows();
    assert_eq!(found[0].runs.len(), rows.len());
    for (run, row) in found[0].runs.iter().zip(rows) {
        let flow = &run.flows[0];
        assert_eq!((run.seed, flow.timeouts), (row.seed, row.timeouts));
        let ratio = flow.goodput_bits_per_second / row.bits_per_second;
        assert!((0.97..1.0).contains(&ratio), "seed {}: {ratio}", row.seed);
        let lasted = flow.handovers.iter().map(|it| it.interruption_ms.expect("it ended") / 1000.0);
        for (ours, theirs) in lasted.zip(away(row.seed)) {
            assert!((ours - theirs).abs() < 1e-8, "seed {}: {ours} {theirs}", row.seed);
        }
    }
}
