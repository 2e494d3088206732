//! `seamline doctor`

use crate::Outcome;
use crate::format::FormatOption;
use crate::terminal::Failure;
#[cfg(target_os = "linux")]
use seamline_host::doctor::{Feature, Need, json, table};
use seamline_report::export::table::Table;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    format: FormatOption,
}

#[cfg(target_os = "linux")]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
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
    let document = || serde_json::json!({ "lab_can_run": can_run, "features": json(&features) });
    let text = || table(&features) + &verdict(&features);
    arguments.format.print(text, || columns(&features), || Ok(format!("{:#}\n", document())))?;
    if can_run {
        return Ok(());
    }
    Err(Failure::Runtime("the lab cannot run on this host; see above how to get what is missing".to_owned()))
}

/// A row for each feature.
#[cfg(target_os = "linux")]
fn columns(features: &[Feature]) -> Table {
    let remedies = |feature: &Feature| {
        let all = feature.remedies.iter().map(|(host, remedy)| format!("{host}: {remedy}"));
        all.collect::<Vec<_>>().join("; ")
    };
    Table::new("features")
        .text("feature", features.iter().map(|it| it.name.to_owned()))
        .text("need", features.iter().map(|it| it.need.name().to_owned()))
        .text("purpose", features.iter().map(|it| it.purpose.to_owned()))
        .truth("available", features.iter().map(|it| it.available))
        .text("found", features.iter().map(|it| it.found.clone()))
        .text("remedies", features.iter().map(remedies))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let json = || Ok("{\n  \"lab_can_run\": false,\n  \"features\": []\n}\n".to_owned());
    arguments.format.print(String::new, || Table::new("features"), json)?;
    Err(Failure::Runtime("live features are for Linux only; simulations run everywhere".to_owned()))
}
