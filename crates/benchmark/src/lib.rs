//! What a handover costs the TCP of real hosts, and what helps: every remedy over the same outages, run many times in the lab.
//!
//! - [`load`]: a client and a server that time the stalls of their connections, for real networks too.
//! - [`case`], [`remedy`], [`matrix`]: what is compared; [`run`]: one run of it, by the commands that a user would type; [`jobs`]: many.
//! - [`measure`]: the numbers of a run; [`store`]: where they are kept, so that an interrupted benchmark can continue; [`summary`]: those of
//!   many runs, with intervals; [`text`], [`markdown`], [`picture`]: what is shown of them.
//! - [`trial`]: help on and off in turn on a path of one's own.
//!
//! Linux only; elsewhere the crate is empty.
#![cfg(target_os = "linux")]

pub mod case;
pub mod jobs;

pub mod load;
pub mod markdown;
pub mod matrix;
pub mod measure;
pub mod picture;
mod process;
pub mod remedy;
pub mod run;
pub mod store;
pub mod summary;
pub mod text;
pub mod trial;
