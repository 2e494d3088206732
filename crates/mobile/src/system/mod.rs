//! What the daemon asks of Linux. Everything is held by descriptors, so that nothing is left behind however
//! the process ends; but for the path of the socket and the file of the lock, which the next one replaces.

mod captured;
mod daemon;
mod diagnosis;
#[cfg(feature = "ebpf")]
mod freezer;
mod host;
mod raw;
mod watch;

pub use captured::Captured;
pub use daemon::{Daemon, Options};
pub use diagnosis::answer as connection_answer;
#[cfg(feature = "ebpf")]
pub use freezer::Freezer;
pub use raw::Raw;
pub use seamline_host::control::ask;
pub use seamline_host::metrics::Metrics;
pub use watch::{News, Watch};
