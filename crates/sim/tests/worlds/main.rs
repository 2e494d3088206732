//! What happens in a world, and in which order.

#[path = "../common/mod.rs"]
mod common;
mod conservation;
mod determinism;
mod guards;
mod horizon;
mod parts;
mod world;
