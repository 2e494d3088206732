//! Should a host hand over? Given two links, an interruption and a stay, this crate computes whether the handover
//! pays off, up to which interruption and from which stay, under every registered scheme, and which scheme gains
//! something.
//!
//! A [`Question`] becomes a scenario ([`scenario::text`]): two base stations behind a gateway, and a host that hands
//! over from one to the other and back. Nothing passes during either interruption. [`advise`] runs it for each scheme
//! and seed at the requested interruption and stay, and searches the bounds. All runs of a seed have the same losses
//! and the same handover time, so gains are paired differences. The answer also has the closed form
//! (`seamline_model::transfer`), and [`causes`] explains from the records why the two differ.
//!
//! [`on`] answers another question: what helps on a recorded path.

pub mod advice;
mod bounds;
pub mod causes;
mod closed_form;
mod error;
mod format;
pub mod kernel;
mod limit;
pub mod link;
pub mod on;
mod picture;
pub mod presets;
pub mod question;
pub mod recording;
mod runs;
pub mod scenario;
mod search;
mod significance;
mod solve;

pub use advice::Advice;
pub use bounds::{effort, most_runs};
pub use error::{AdviseError, InputError};
pub use format::{format_advice, to_table};
pub use link::AccessLink;
pub use picture::picture;
pub use question::{Question, QuestionInput, Traffic};
pub use runs::{Watch, first_run};
pub use solve::advise;
