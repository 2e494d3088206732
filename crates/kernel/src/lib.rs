//! Linux kernels that run as User-Mode Linux in virtual time: how they are built, and where they are kept.
//!
//! Empty elsewhere than on Linux.
#![cfg(target_os = "linux")]

pub mod build;
pub mod check;
mod configuration;
pub mod doctor;
mod edits;
mod error;
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
