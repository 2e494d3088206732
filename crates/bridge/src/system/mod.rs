//! What the bridge asks of Linux. The only place with unsafe code. Everything is held by descriptors, so that nothing is left behind however
//! the process ends; then nothing is forwarded, either, until it is begun again.

mod clock;
mod guard;
mod offloads;
mod port;
mod publish;
mod worker;

pub use offloads::{Offload, offloads};
pub use port::{Batch, Port};
pub use publish::Metrics;
pub use worker::{Manner, run};

use std::fmt::Display;
use std::io;

/// The same kind of error, which also says what was tried.
fn explained(error: impl Into<io::Error>, tried: impl Display) -> io::Error {
    let error = error.into();
    io::Error::new(error.kind(), format!("{tried}: {error}"))
}
