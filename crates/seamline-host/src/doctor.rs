//! `seamline-host doctor [--json]`

use seamline_cli::{Failure, Outcome, print};
use seamline_ebpf::HOW_TO_BUILD;
use seamline_host::doctor::{Feature, Need, examine, json, missing, table};
use seamline_host::privileges;
use serde_json::json;

const AFTER_HELP: &str = "\
Exit codes:
  0  mobile can run here
  1  it cannot; agent and sender may need more (see the table)";

#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    // Checks in namespaces then also work for users other than root; without namespaces each says so.
    let _ = privileges::obtain();
    let mut features = examine();
    features.push(programs());
    let lacks = missing(&features, Need::Mobile);
    if arguments.json {
        let document = json!({ "mobile_can_run": lacks.is_empty(), "features": json(&features) });
        print(&format!("{document:#}\n"))?;
    } else {
        print(&table(&features))?;
    }
    match lacks.as_str() {
        "" => Ok(()),
        lacks => Err(Failure::Runtime(format!("mobile cannot run here: it lacks {lacks}"))),
    }
}

/// Whether this command was built with its eBPF programs.
fn programs() -> Feature {
    let built = if seamline_sender::HAS_PROGRAMS { Ok("built in") } else { Err("built without them") };
    let built = built.map(str::to_owned).map_err(str::to_owned);
    Feature::new(Need::Sender, "eBPF programs", "acting on marks, freezing", built)
        .fixed_by(&[("any host", HOW_TO_BUILD)])
}
