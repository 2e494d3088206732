//! The command `seamline-host`: what it does, and what it refuses.
#![cfg(target_os = "linux")]

mod agent;
mod lab_agent;
mod losses;
mod mobile;
mod pages;
mod size;
mod status;
#[path = "../support/mod.rs"]
mod support;
