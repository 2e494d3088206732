//! Congestion controls of other crates.

use super::Algorithm;
use crate::variant;
use seamline_wire::registry::{NameTaken, Registry};

static ADDED: Registry<Algorithm> = Registry::new(|algorithm| algorithm.name);

/// The congestion controls of other crates.
pub fn added() -> &'static [&'static Algorithm] {
    ADDED.all()
}

/// Add congestion controls of other crates, before any scenario that names them is read. They stay until the process ends.
///
/// # Errors
/// When a name is that of another congestion control or of a variant; then none is added.
pub fn add(algorithms: &[&'static Algorithm]) -> Result<(), NameTaken> {
    ADDED.add(algorithms, is_taken)
}

/// Whether a congestion control or a variant has this name.
pub fn is_taken(name: &str) -> bool {
    super::find(name).is_some() || variant::all().any(|variant| variant.name == name)
}
