//! Linux kernels that run as programs in virtual time (User-Mode Linux with time travel): how they are built, where they
//! are kept, and guests that run in them.
//!
//! Empty elsewhere than on Linux.
#![cfg(target_os = "linux")]

pub mod build;
pub mod check;
mod configuration;
pub mod doctor;
mod edits;
mod error;
pub mod guest;
mod lock;
mod name;
mod process;
mod record;
mod sources;
mod store;
mod tools;

pub use error::Error;
pub use record::{Kernel, Origin};
pub use store::{Missing, Store};
