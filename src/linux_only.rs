//! Replaces a live command where there is no Linux.

use crate::Outcome;
use crate::terminal::Failure;
use std::ffi::OsString;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The arguments that it has on Linux
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

pub(crate) fn run(_: &Arguments) -> Outcome {
    Err(Failure::Runtime("live features are for Linux only; simulations run everywhere".to_owned()))
}
