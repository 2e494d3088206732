//! What helps on a recorded path? Given a recording, this module computes which TCP, which setting and which help of this
//! project bring how much over what most hosts do today.
//!
//! A [`PathQuestion`] becomes a scenario for each [`candidates::Candidate`]: a server, a gateway, and a host behind the
//! recorded conditions. Each seed begins at another place in the recording, the same for all candidates, so gains are
//! paired differences. Those that win are run again with seeds that had no part in choosing them, together with the
//! combination of the best of each group: what is reported as gained comes from these runs.

mod answer;
pub mod candidates;
mod format;
mod format_table;
mod judge;
mod means;
mod path;
mod pick;
mod picture;
mod question;
mod runs;
mod scenario;
mod solve;

pub use answer::{CandidateAdvice, Combination, PathAdvice, PathVerdict};
pub use format::format_path_advice;
pub use format_table::to_table;
pub(crate) use means::{Means, means_of};
pub use path::{Given, RecordedFile, RecordedPath};
pub use picture::forest_of;
pub use question::{PathInput, PathQuestion};
pub use scenario::{advised_scenario, todays_scenario};
pub use solve::{advise_on, seeds_for};
