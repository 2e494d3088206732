//! `seamline doctor [--json]`

use crate::Outcome;
use crate::terminal::{Failure, print};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

#[cfg(target_os = "linux")]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    use seamline_host::doctor::{Feature, Need, json, table};
    use seamline_lab::doctor::{can_run, examine, verdict};
    let mut features = examine();
    let found = seamline_host::executable::find();
    let found = found.map(|path| path.display().to_string()).map_err(|error| error.to_string());
    let purpose = "the remedies of seamline benchmark; agents in the lab";
    features.push(
        Feature::new(Need::Recommended, "seamline-host", purpose, found)
            .fixed_by(&[("any host", "cargo build --release -p seamline-host")]),
    );
    features.push(seamline_kernel::doctor::feature());
    let can_run = can_run(&features);
    if arguments.json {
        let document = serde_json::json!({ "lab_can_run": can_run, "features": json(&features) });
        print(&format!("{document:#}\n"))?;
    } else {
        print(&(table(&features) + &verdict(&features)))?;
    }
    if can_run {
        return Ok(());
    }
    Err(Failure::Runtime("the lab cannot run on this host; see above how to get what is missing".to_owned()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.json {
        print("{\n  \"lab_can_run\": false,\n  \"features\": []\n}\n")?;
    }
    Err(Failure::Runtime("live features are for Linux only; simulations run everywhere".to_owned()))
}
