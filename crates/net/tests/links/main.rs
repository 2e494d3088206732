//! What links, queues and error models do to packets.

mod codel;
mod error_models;
mod failure_notices;
mod generate;
mod handover;
mod link_closed_forms;
mod notices;
mod properties;
mod repair;
#[path = "../support/mod.rs"]
mod support;
mod withdraw;
