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
    use seamline_lab::doctor;
    let mut features = doctor::examine();
    features.push(linux::programs());
    features.sort_by_key(|feature| feature.need);
    let text = if arguments.json { linux::json(&features) } else { doctor::table(&features) };
    print(&text)?;
    if doctor::can_run(&features) {
        return Ok(());
    }
    Err(Failure::Runtime("the lab cannot run on this host; what mends it is said above".to_owned()))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.json {
        print("{\n  \"lab_can_run\": false,\n  \"features\": []\n}\n")?;
    }
    Err(Failure::Runtime("live features are for Linux only; simulations run everywhere".to_owned()))
}

#[cfg(target_os = "linux")]
mod linux {
    use seamline_lab::doctor::{Feature, Need, can_run};
    use serde_json::{Value, json};

    /// Whether this command can be `seamline sender`, and freeze as `seamline mobile`.
    pub(super) fn programs() -> Feature {
        let there = seamline_sender::HAS_PROGRAMS;
        let tried = if there { Ok("built in") } else { Err("this seamline was built without them") };
        let tried = tried.map(str::to_owned).map_err(str::to_owned);
        Feature::new(Need::Sender, "eBPF programs", "heeding marks, freezing", tried).mended_by(&[(
            "any host",
            "cargo build --release --features ebpf, with clang and libelf (see there)",
        )])
    }

    pub(super) fn json(features: &[Feature]) -> String {
        let entries: Vec<Value> = features.iter().map(entry).collect();
        format!("{:#}\n", json!({ "lab_can_run": can_run(features), "features": entries }))
    }

    fn entry(feature: &Feature) -> Value {
        let need = match feature.need {
            Need::Required => "required",
            Need::Recommended => "recommended",
            Need::Mobile => "mobile",
            Need::Sender => "sender",
            Need::Split => "split",
            Need::Optional => "optional",
        };
        let remedy = |(host, remedy): &(&str, String)| json!({ "host": host, "remedy": remedy });
        json!({
            "name": feature.name,
            "need": need,
            "purpose": feature.purpose,
            "available": feature.available,
            "found": feature.found,
            "remedies": feature.remedies.iter().map(remedy).collect::<Vec<Value>>(),
        })
    }
}
