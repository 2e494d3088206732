//! The configuration language: how text becomes values, and how errors in it are reported. It knows nothing about
//! networks.
//!
//! - [`document`]: TOML as a tree of values with their positions in a [`source`].
//! - [`reader`]: reads tables key by key; unknown keys are rejected with the nearest known one.
//! - [`units`]: quantities such as "2 Mbit/s" and "50 ms".
//! - [`grid`], [`path`], [`overrides`]: dotted keys that vary, and `--set key=value`.
//! - [`keys`]: what each key of a table is called, takes, means and sets, written down once.
//! - [`settings`]: the configuration file of a program, read with such a table.
//! - [`files`]: input files, each read once.
//! - [`diagnostics`], [`codes`]: all errors at once, with carets, codes and fixes.

pub mod codes;
pub mod diagnostics;
pub mod document;
pub mod files;
pub mod grid;
pub mod keys;
pub mod overrides;
pub mod path;
pub mod reader;
pub mod settings;
pub mod source;
pub mod units;

pub use codes::Code;
pub use diagnostics::{Diagnostic, Diagnostics};
