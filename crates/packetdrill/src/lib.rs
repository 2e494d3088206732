//! The shared object that packetdrill tests in place of a kernel (`--so_filename`): sockets over [`seamline_tcp::Endpoint`],
//! in virtual time.
//!
//! packetdrill calls the functions that [`packetdrill_interface_init`] puts into its table. Time is a number: it passes
//! only when packetdrill sleeps or waits for a packet, so a run gives the same result on every machine, however loaded.
//! System settings are read where scripts write them, in `/proc/sys/net`; `cargo xtask packetdrill` puts files there (`settings.rs`).
//!
//! What Linux has and the endpoint does not is refused with the error number of an unsupported call, so that a script that needs it
//! fails at that line. MSG_ZEROCOPY is accepted, and its completions say that the data was copied, as on a device without the means.

#![allow(unsafe_code, reason = "packetdrill calls through pointers of C")]

mod blocking;
mod calls;
mod connection;
mod cookies;
mod covers;
mod epoll;
mod errno;
mod errors;
mod fast_open;
mod information;
mod interface;
mod network;
mod options;
mod readiness;
mod settings;
mod socket;
mod world;
mod writes;

#[cfg(test)]
mod tests;

pub use interface::packetdrill_interface_init;
