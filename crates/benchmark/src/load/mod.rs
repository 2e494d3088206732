//! A load of TCP that times its stalls: a server that sends as many bytes as it is asked for, and a client that notes when they come. For
//! the lab and for real networks alike.
//!
//! A request is the number of bytes wanted, eight bytes in network order; the answer is as many bytes, all zero. [`ENDLESS`] asks for bytes
//! until the connection ends.

mod fetch;
mod serve;
mod socket;
mod summary;
pub mod timeline;

pub use fetch::{Fetch, What};
pub use serve::Serve;
pub use summary::{Distribution, Summary};
pub use timeline::{Request, Sample, Timeline};

/// The request for bytes without end.
pub const ENDLESS: u64 = u64::MAX;
/// The default port of the server.
pub const PORT: u16 = 5471;
