//! `seamline` without arguments.

use crate::{Cli, Outcome, groups};
use clap::CommandFactory;
use seamline_cli::print;

pub(crate) fn show() -> Outcome {
    let groups = groups::text(&Cli::command());
    print(&format!(
        "\
How TCP behaves, and what helps it, when hosts move.

{groups}Start with:
  seamline demo                  TCP variants over Starlink's handovers (seconds)
  seamline init my.toml          your own scenario; then: seamline run my.toml
  seamline <command> --help      all options of a command
For real hosts there is seamline-host: agents and daemons that help TCP.
"
    ))
}
