//! A daemon for a host that moves: it helps every TCP connection of that host over a handover or an outage, while the other ends,
//! and the host's own kernel, stay as they are.
//!
//! What it knows of connections it has read off the headers of packets that the host has sent ([`connections`]); what it does about
//! an interruption is decided without a clock or a socket ([`agent`]). `system` is the one part that needs Linux.

pub mod agent;
pub mod command;
pub mod connections;
pub mod craft;
pub mod freeze;
pub mod kick;
pub mod links;
pub mod options;
pub mod schedule;
pub mod settings;
#[cfg(target_os = "linux")]
pub mod system;

pub use agent::Agent;
pub use settings::Settings;

/// Whether the eBPF program was built in with which other ends can be frozen.
pub const HAS_FREEZER: bool = cfg!(all(target_os = "linux", feature = "ebpf"));
