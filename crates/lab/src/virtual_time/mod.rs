//! The lab in virtual time: each run in a guest of its own, whose kernel runs as a program of this host.
//!
//! The host's side ([`run`], [`shell`]) boots a guest for every run, hands it a job, and takes its answer. The guest's side
//! ([`serve`]) is the lab itself. A guest has no past and gets nothing but the job, so a run gives the same bytes alone, in a sweep, and on a
//! busy host.

mod guest;
mod host;
mod job;
mod output;
mod processor;

pub use guest::serve;
pub use host::{WORD, run, run_job, run_nodes, serve_by, shell};
