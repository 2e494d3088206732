//! One body, two arms: what holds in the simulator holds over real TCP, our own endpoints' and the kernel's.
#![cfg(target_os = "linux")]

mod support;

use seamline_experiment::emulation::EmulationRecord;
use seamline_experiment::record::RunRecord;
use seamline_experiment::{CellResult, RunOptions};
use seamline_lab::Stacks;
use seamline_scenario::Plan;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use support::privileged_or_skip;

/// Where a plan is run.
trait Arm {
    /// What it is called in messages.
    fn name(&self) -> &'static str;
    fn run(&self, plan: &Plan) -> Vec<CellResult>;
}

/// Virtual time.
struct Simulator;

impl Arm for Simulator {
    fn name(&self) -> &'static str {
        "simulator"
    }
    fn run(&self, plan: &Plan) -> Vec<CellResult> {
        seamline_experiment::run(plan, &RunOptions::default(), &|| ()).unwrap()
    }
}

/// Real time; these nodes have our endpoints, the others the kernel's TCP.
struct Lab {
    name: &'static str,
    ours: &'static [&'static str],
}

impl Arm for Lab {
    fn name(&self) -> &'static str {
        self.name
    }
    fn run(&self, plan: &Plan) -> Vec<CellResult> {
        let seamline = self.ours.iter().map(|node| (*node).to_owned()).collect();
        let stacks = Stacks { seamline, ..Stacks::default() };
        let run = || seamline_lab::run(plan, &stacks, None, &RunOptions::default(), &|| ()).unwrap();
        let mut results = run();
        // A host that was too busy says nothing about the lab; one that always is has to be known.
        for _ in 0..5 {
            if !results.iter().flat_map(|cell| &cell.runs).any(was_late) {
                break;
            }
            println!("again, because the host was too busy");
            results = run();
        }
        for run in results.iter().flat_map(|cell| &cell.runs) {
            let emulation = run.emulation.as_ref().expect("a run in real time says how well it went");
            assert_eq!((emulation.lost_at_interfaces, emulation.payload_unknown), (0, 0), "{emulation:?}");
        }
        results
    }
}

fn was_late(run: &RunRecord) -> bool {
    run.emulation.as_ref().is_some_and(|emulation| {
        emulation.lateness_p99_us > EmulationRecord::LATE_US
            || emulation.lateness_max_us > EmulationRecord::STALL_US
    })
}

type Arms = &'static [&'static (dyn Arm + Sync)];

static ARMS: Arms = &[
    &Simulator,
    &Lab { name: "ours at both ends", ours: &["server", "phone"] },
    &Lab { name: "the kernel's at both ends", ours: &[] },
];
static MIXED_ARMS: Arms = &[
    &Lab { name: "ours at the server", ours: &["server"] },
    &Lab { name: "ours at the phone", ours: &["phone"] },
];
/// Each run in real time has the processors for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// Run a scenario in every arm that can be run here, and hold each record to the same.
fn in_every_arm(test: &str, arms: &[Arms], text: &str, check: fn(&RunRecord)) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let plan = Plan::new(Path::new("test.toml"), text.to_owned(), &[]);
    let plan = plan.unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)));
    let all: Vec<_> = arms.iter().copied().flatten().collect();
    let arms = if privileged_or_skip(test) { &all[..] } else { &all[..1] };
    for arm in arms {
        println!("arm: {}", arm.name());
        for run in arm.run(&plan).iter().flat_map(|cell| &cell.runs) {
            check(run);
        }
    }
}

/// A link of 20 Mbit/s with 10 ms each way, a queue of so many packets, and its other keys.
fn link(queue: u32, keys: &str) -> String {
    format!(
        "seeds = 1\nnodes = [\"server\", \"phone\"]\n[[link]]\nname = \"radio\"\nfrom = \"server\"\nto = \"phone\"\n\
         rate = \"20 Mbit/s\"\none_way_delay = \"10 ms\"\n\
         queue = {{ discipline = \"drop-tail\", limit = \"{queue} packets\" }}\n{keys}\n"
    )
}

/// A flow of CUBIC down to the phone or up from it.
fn flow(name: &str, down: bool, keys: &str) -> String {
    let (from, to) = if down { ("server", "phone") } else { ("phone", "server") };
    format!("[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nvariant = \"cubic\"\n{keys}\n")
}

/// Everything arrives, and nothing twice, in both directions at once; neither faster than the link is, nor much slower.
#[test]
fn finite_transfers_complete() {
    let size = "size = \"500 kB\"";
    let text = "duration = \"1.2 s\"\n".to_owned()
        + &link(400, "")
        + &flow("download", true, size)
        + &flow("upload", false, size);
    in_every_arm("finite_transfers_complete", &[ARMS, MIXED_ARMS], &text, |run| {
        for flow in &run.flows {
            assert_eq!(flow.delivered_bytes, 500_000, "{flow:?}");
            let completion = flow.completion_s.expect("it completes");
            // 346 packets of 1500 bytes take 0.208 s, the handshake and the way 30 ms; the window grows over some round trips.
            assert!((0.237..0.8).contains(&completion), "{flow:?}");
        }
    });
}

#[test]
fn endless_flows_fill_the_link() {
    let text = "duration = \"2.5 s\"\n".to_owned() + &link(100, "") + &flow("download", true, "");
    in_every_arm("endless_flows_fill_the_link", &[ARMS], &text, |run| {
        // Over the whole run: a hole that is repaired after a warm-up would deliver what came before it.
        let share = run.flows[0].delivered_bytes as f64 * 8.0 / 2.5 / (20e6 * 1448.0 / 1500.0);
        assert!((0.8..1.0).contains(&share), "{share} of what the link can carry: {:?}", run.flows[0]);
        let carried = run.links[0].delivered_bytes as f64 * 8.0 / 2.5 / 20e6;
        assert!((0.85..1.001).contains(&carried), "{carried} of what the link can carry: {:?}", run.links[0]);
    });
}

#[test]
fn data_comes_again_right_after_a_handover() {
    let text = "duration = \"2.5 s\"\n".to_owned()
        + &link(100, "handover = { at = [\"1 s\"], interruption = \"150 ms\" }")
        + &flow("download", true, "");
    in_every_arm("data_comes_again_right_after_a_handover", &[ARMS], &text, |run| {
        let handover = &run.flows[0].handovers[0];
        let interruption = handover.interruption_ms.expect("it ended");
        assert!((150.0..151.0).contains(&interruption), "{handover:?}");
        let first = handover.first_data_ms.expect("data came again");
        // What waited has to be sent and to travel 10 ms; a second is less than any timeout backed off.
        assert!((160.0..260.0).contains(&first), "{handover:?}");
    });
}

/// The packets listed are lost, no other, and each is repaired.
#[test]
fn listed_losses_are_what_is_lost() {
    let text = "duration = \"2 s\"\n".to_owned()
        + &link(100, "down = { loss = { model = \"list\", indices = [40, 60, 61, 62, 150] } }")
        + &flow("download", true, "size = \"700 kB\"\ntcp = { window_limit = 60 }");
    in_every_arm("listed_losses_are_what_is_lost", &[ARMS], &text, |run| {
        let (down, up) = (&run.links[0], &run.links[1]);
        assert_eq!((down.lost_to_errors, up.lost_to_errors), (5, 0));
        assert_eq!((down.lost_to_link_down, up.dropped_by_full_queue), (0, 0));
        let flow = &run.flows[0];
        assert_eq!(flow.delivered_bytes, 700_000);
        let lost = down.lost_to_errors + down.dropped_by_full_queue;
        // A probe for losses at the tail and a segment sent again for nothing are no fault.
        assert!((lost..=lost + 5).contains(&flow.retransmissions), "{flow:?}");
    });
}
