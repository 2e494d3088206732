//! The command `seamline` with the congestion control NAME.

use seamline::Seamline;
use std::process::ExitCode;

fn main() -> ExitCode {
    Seamline::new().congestion_control(&MODULE::ALGORITHM, MODULE::keys).main()
}
