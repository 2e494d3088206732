//! What the bridge asks of Linux. The only place with unsafe code. Everything is held by descriptors, so that nothing is left behind however
//! the process ends; then nothing is forwarded, either, until it is begun again.

mod guard;
mod hand_over;
mod joining;
mod patience;
mod port;
mod publish;
mod split;
mod worker;

pub use hand_over::HandOver;
pub use port::{Batch, Port};
pub use publish::Metrics;
pub use seamline_host::control::ask;
pub use split::{Split, split};
pub use worker::{Manner, run};
