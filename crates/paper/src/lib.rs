//! Reproductions of papers.
//!
//! A paper is data: its figures are scenario files, its claims a table with what counts as reproducing them, fixed before
//! the first run, and its silent points a list of how each was read and why. [`run()`] sweeps the figures into a folder
//! that can be resumed, [`evaluate()`] turns the records into one number for each claim, and [`verdict()`] is the only
//! function that judges it.

pub mod beyond;
pub mod bundled;
pub mod claims;
pub mod closed_form;
pub mod documents;
pub mod evaluate;
pub mod features;
pub mod figures;
mod job;
pub mod measure;
pub mod page;
pub mod quantity;
pub mod readings;
pub mod records;
pub mod run;
pub mod systems;
pub mod text;
pub mod verdict;

pub use bundled::{ALL, Paper, find};
pub use evaluate::{ClaimResult, evaluate};
pub use run::{PaperOptions, PaperOutcome, run};
pub use verdict::{Verdict, verdict};
