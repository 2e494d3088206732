//! The wires, as machines: used by the simulator and the lab alike.

pub mod error;
pub mod generate;
pub mod import;
pub mod link;
pub mod notices;
pub mod queue;
pub mod schedule;

pub use link::{Count, Counters, Drops, Link, LinkConfig, Scheduled};
pub use queue::{CoDelConfig, Limit, LimitMeaning, QueueConfig};
pub use schedule::Schedule;
