//! What mobility protocols send, and where packets go meanwhile.

mod agents;
mod coverage;
mod departed;
mod fast_handovers;
mod ipv6;
mod mobile_node;
mod movement;
mod post_registration;
mod pre_registration;
mod route_optimization;
mod simultaneous_bindings;
#[path = "../support/mod.rs"]
mod support;
mod waypoints;
