//! Should a host hand over? From two links, an interruption and a stay to an answer: whether the handover is worth it, up to which
//! interruption and from which stay on, under every registered scheme, and which scheme brings something.
//!
//! A [`Question`] becomes a scenario ([`scenario::text`]): two base stations behind a gateway and a host that goes from the
//! one to the other and back, each time through the interruption, in which nothing passes. [`advise`] runs it for each scheme and seed at
//! the interruption and stay asked for, and searches the bounds. All runs of a seed meet the same losses and the same time of the
//! handover, so gains are differences of pairs. The closed form (`seamline_model::transfer`) stands beside it, and [`causes`] says from the
//! records why the two differ.

pub mod advice;
mod bounds;
pub mod causes;
mod closed_form;
mod error;
mod limit;
pub mod link;
mod picture;
pub mod presets;
pub mod question;
pub mod recording;
mod runs;
pub mod scenario;
mod search;
mod significance;
mod solve;
mod text;

pub use advice::Advice;
pub use bounds::effort;
pub use error::{AdviseError, InputError};
pub use link::AccessLink;
pub use picture::picture;
pub use question::{Question, QuestionWords, Traffic};
pub use runs::Watch;
pub use solve::advise;
pub use text::to_text;
