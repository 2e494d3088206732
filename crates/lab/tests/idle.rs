//! The emulator waits for its work. It alone is measured here, so this is the only test of its process.
#![cfg(target_os = "linux")]

mod support;

use nix::time::{ClockId, clock_gettime};
use seamline_experiment::RunOptions;
use seamline_lab::Stacks;
use seamline_scenario::Plan;
use std::path::Path;
use support::privileged_or_skip;

const SCENARIO: &str = r#"
duration = "2 s"
seeds = 1
nodes = ["server", "client"]

[[link]]
name = "wire"
from = "server"
to = "client"
rate = "10 Mbit/s"
one_way_delay = "10 ms"

[[flow]]
name = "few"
from = "server"
to = "client"
variant = "cubic"
size = "20 kB"
"#;

fn processor_seconds() -> f64 {
    let used = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).unwrap();
    used.tv_sec() as f64 + used.tv_nsec() as f64 / 1e9
}

#[test]
fn a_network_without_packets_takes_no_processor_with_either_tcp() {
    if !privileged_or_skip("a_network_without_packets_takes_no_processor_with_either_tcp") {
        return;
    }
    let plan = Plan::new(Path::new("idle.toml"), SCENARIO.to_owned(), &[]).unwrap();
    let ours = ["server", "client"].map(str::to_owned);
    for seamline in [&ours[..0], &ours[..1], &ours[..]] {
        let stacks = Stacks { seamline: seamline.iter().cloned().collect(), ..Stacks::default() };
        let before = processor_seconds();
        let results = seamline_lab::run(&plan, &stacks, None, &RunOptions::default(), &|| {}).unwrap();
        let used = processor_seconds() - before;
        assert_eq!(results[0].runs[0].flows[0].delivered_bytes, 20_000);
        assert!(used < 0.6, "{used:.2} s of processor time in 2 s, with our endpoints at {seamline:?}");
    }
}
