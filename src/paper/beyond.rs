//! `seamline paper ID --beyond`: the paper's schemes on networks of today.

use super::Arguments;
use crate::Outcome;
use crate::terminal::{json, print};
use seamline_experiment::atomic;
use seamline_paper::PaperOptions;
pub(super) use seamline_paper::beyond::run;
use seamline_paper::beyond::{BeyondOutcome, text};

/// Print tables, maps and conclusions, and write all numbers; the pictures stand beside the page.
pub(super) fn show(found: &BeyondOutcome, arguments: &Arguments, options: &PaperOptions) -> Outcome {
    let json = json(found)?;
    let path = options.out.join("beyond.json");
    atomic::write(&path, json.as_bytes())?;
    if arguments.output.json {
        return Ok(());
    }
    print(&format!("\n{}Written:\n  {}\n", text::beyond(found), path.display()))
}
