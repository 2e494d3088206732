//! `seamline calibrate [--quick] [--json]`: the accuracy of the emulated links on this host.

use crate::Outcome;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Measure for a quarter of a minute instead of a full minute
    #[arg(long)]
    quick: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,
}

#[cfg(target_os = "linux")]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    use crate::lab::{failure, prepare};
    use crate::terminal::{note, print_results};
    use seamline_lab::calibrate::{Effort, calibrate, table};

    let state = prepare(arguments.quiet)?;
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let begins = |part: &str| {
        if !arguments.quiet {
            note("measuring", part);
        }
    };
    let calibration = calibrate(effort, &state, &begins).map_err(failure)?;
    print_results(&if arguments.json { linux::json(&calibration)? } else { table(&calibration) })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Arguments) -> Outcome {
    Err(crate::terminal::Failure::Runtime("the lab and its calibration need Linux".to_owned()))
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::terminal::Failure;
    use seamline_lab::calibrate::{Calibration, PUBLISHED};

    pub(super) fn json(calibration: &Calibration) -> Result<String, Failure> {
        let wrong = |error: serde_json::Error| Failure::Runtime(error.to_string());
        let mut value = serde_json::to_value(calibration).map_err(wrong)?;
        value["others"] = serde_json::to_value(PUBLISHED).map_err(wrong)?;
        Ok(format!("{value:#}\n"))
    }
}
