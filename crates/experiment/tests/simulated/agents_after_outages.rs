//! Whether an agent slows down the sender that it helps, whatever is lost. One does: Snoop, in front of the TCP of Linux.

use crate::support::{flow, link, plan};
use seamline_experiment::{RunOptions, run};

/// A download of at most a second, over an air with two total outages: some of the data in flight is lost, and some
/// of its retransmissions.
fn two_outages() -> String {
    let queue = "queue = { discipline = \"drop-tail\", limit = \"500 packets\" }\n";
    let keys = |more: &str| format!("rate = \"100 Mbit/s\"\none_way_delay = \"5 ms\"\n{queue}{more}");
    let outages = "handover = { at = [\"80 ms\", \"100 ms\"], interruption = \"3 ms\", queued = \"drop\", in_service = \"drop\", \
                   in_flight = \"drop\", arriving = \"drop\" }";
    let head = "duration = \"60 s\"\nseeds = 1\nnodes = [\"fixed\", \"bs\", \"mobile\"]\n";
    let links = link("wire", ["fixed", "bs"], &keys("")) + &link("air", ["bs", "mobile"], &keys(outages));
    let download = flow("download", ["fixed", "mobile"], "variant = \"cubic\"\nsize = \"700 kB\"");
    let agent = "\n[[agent]]\nname = \"agent\"\nkind = \"none\"\nlink = \"air\"\nobtcp = { role = \"base station\" }\n";
    let seconds: Vec<String> = (96..136).step_by(2).map(|at| format!("[\"80 ms\", \"{at} ms\"]")).collect();
    let grid = "flow.download.profile = [\"linux\", \"rfc\"]\n\
                link.air.handover.interruption = [\"3 ms\", \"5 ms\", \"7 ms\", \"9 ms\"]\n";
    format!("{head}{links}{download}{agent}\n[grid]\n{grid}link.air.handover.at = [{}]\n", seconds.join(", "))
}

/// The completion time of the download in seconds, for each case of losses.
fn completions(kind: &str) -> Vec<f64> {
    let plan = plan(&two_outages(), &[&format!("agent.agent.kind={kind}")]);
    let results = run(&plan, &RunOptions::default(), &|| ()).unwrap();
    results.iter().map(|cell| cell.runs[0].flows[0].completion_s.unwrap_or(f64::INFINITY)).collect()
}

/// The times with an agent as shares of those without: the mean, and the worst.
fn ratios(helped: &[f64], alone: &[f64]) -> (f64, f64) {
    let ratios: Vec<f64> = helped.iter().zip(alone).map(|(helped, alone)| helped / alone).collect();
    (ratios.iter().sum::<f64>() / ratios.len() as f64, ratios.iter().copied().fold(0.0, f64::max))
}

/// Each acknowledgment of a repair restarts the sender's timer, so an agent that repairs slowly keeps the sender from
/// recovering itself. With one repair per timeout of the agent some of these downloads took a minute. A sender that finds losses by
/// time, as Linux does, needs no help after such outages: Snoop hides the duplicates by which it would find them at once. A single
/// download may take somewhat longer with an agent.
#[test]
fn only_snoop_slows_down_only_a_sender_that_follows_linux() {
    let alone = completions("none");
    assert_eq!(alone.len(), 160);
    assert!(alone.iter().all(|seconds| (0.1..2.0).contains(seconds)), "{alone:?}");
    let half = alone.len() / 2;
    for (kind, linux, rfc) in
        [("snoop", (1.2..1.9, 8.0), (0.4..1.0, 2.0)), ("obtcp", (0.8..1.0, 1.05), (0.4..1.0, 1.3))]
    {
        let helped = completions(kind);
        for (name, rows, (mean_within, most)) in [("linux", 0..half, linux), ("rfc", half..2 * half, rfc)] {
            let (mean, worst) = ratios(&helped[rows.clone()], &alone[rows]);
            println!("{kind}, {name}: {mean} of the time without it, at worst {worst}");
            assert!(mean_within.contains(&mean), "{kind}, {name}: {mean}");
            assert!(worst < most, "{kind}, {name}: {worst}");
        }
    }
}
