//! What comes out of scenarios. One program: every test program is linked with the whole simulator.

mod agents;
mod agents_after_outages;
mod congestion_controls;
mod ends;
mod handovers;
mod inside_the_network;
mod low_latency;
mod message_charts;
mod mobile_ipv4;
mod mobility;
mod mobility_protocols;
mod movement;
mod post_registration;
mod pre_registration;
mod predictive_handovers;
mod protocols;
mod registrations;
mod route_optimization;
mod runs;
mod sentences;
mod simultaneous_bindings;
#[path = "../../../scenario/tests/support/mod.rs"]
mod support;
mod train;
