//! Configuration files: how they are loaded, and how errors in them are reported.

use seamline_cli::{Failure, wants_colour};
use seamline_config::Diagnostics;
use std::io;
use std::path::Path;

pub(crate) fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))
}

pub(crate) fn invalid(errors: &Diagnostics) -> Failure {
    Failure::Explained(errors.list(wants_colour(&io::stderr())))
}
