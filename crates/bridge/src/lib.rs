//! The agents of `seamline-agent`, unchanged, on real interfaces: a bridge of two ports that every packet between them passes.
//!
//! [`Engine`] is all of it but Linux: a frame comes in at one side, and what is to leave by either side comes out. It has no clock and no
//! socket, so that what it does is tested without either. What it cannot take in, what belongs to no connection that it knows, and
//! everything while in doubt, passes byte for byte.

pub mod engine;
pub mod flows;
pub mod frame;
mod outgoing;

pub use engine::{Engine, EngineCounters, Settings};
pub use flows::FlowCounters;
pub use frame::Medium;
pub use outgoing::Outgoing;

/// What a connection takes in memory while nothing of it is kept, with its places in all tables, which have room for more: at most so many
/// bytes. Packets that are kept count by themselves ([`seamline_agent::Limits::bytes`], which includes [`engine::OVERHEAD`]), but for the list of them.
pub const BYTES_PER_FLOW: usize = 2048;
/// What a list of kept packets takes for each that it has room for, in bytes.
pub const BYTES_PER_KEPT_PLACE: usize = 48;
