//! Linux kernels that run as ordinary programs in virtual time (User-Mode Linux with time travel), and guests in them.
//!
//! Linux only; elsewhere the crate is empty.
#![cfg(target_os = "linux")]

pub mod guest;
