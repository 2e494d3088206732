//! Congestion controls of other crates, and their parameters.

use super::Algorithm;
use crate::variant;
use seamline_wire::registry::Registry;
use std::fmt;

static ADDED: Registry<Algorithm> = Registry::new();

/// The congestion controls of other crates.
pub fn added() -> &'static [&'static Algorithm] {
    ADDED.all()
}

/// Add congestion controls of other crates, before any scenario that names them is read. They stay until the process ends.
///
/// # Errors
/// When a name is that of another congestion control or of a variant; then none is added.
pub fn add(algorithms: Vec<&'static Algorithm>) -> Result<(), NameTaken> {
    for (place, Algorithm { name, .. }) in algorithms.iter().enumerate() {
        let is_earlier = algorithms[..place].iter().any(|other| other.name == *name);
        if is_earlier || is_taken(name) {
            return Err(NameTaken(name));
        }
    }
    ADDED.add(&algorithms);
    Ok(())
}

/// Whether a congestion control or a variant has this name.
pub fn is_taken(name: &str) -> bool {
    super::find(name).is_some() || variant::all().any(|variant| variant.name == name)
}

/// Something was not added, because something else has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken(pub &'static str);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name \"{}\" is taken\ntip: choose another name", self.0)
    }
}

impl std::error::Error for NameTaken {}
