//! What the bridge asks of Linux. All but the fallback is held by descriptors, so that nothing else is left behind however the process
//! ends.

mod coalescing;
mod fallback;
mod files;
mod guard;
mod hand_over;
mod interfaces;
mod log;
mod port;
mod shortage;
mod split;
mod timed_stream;
mod worker;

pub use fallback::FallbackBy;
pub use hand_over::HandOver;
pub use port::{Batch, Port};
pub use seamline_host::control::ask;
pub use seamline_host::metrics::Metrics;
pub use split::{Split, split};
pub use worker::{Options, run};
