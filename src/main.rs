//! The `seamline` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    seamline::Seamline::new().main()
}
