//! What scenario files mean, and what is said about mistakes in them.

mod codes;
mod diagnostics;
mod fleets;
mod grid;
mod groups;
mod mutations;
mod orbit;
mod schema_document;
#[path = "../support/mod.rs"]
mod support;
