//! Between the agents of base stations: who has left is told at a socket of this host, and what is kept for him goes by TCP to the agent that has
//! him now. Both in threads of their own, which wait for others; the agent's thread is only asked, and asks nobody.

mod incoming;
mod jobs;
mod outgoing;

pub(super) use incoming::Incoming;
pub(super) use jobs::{Asker, Job, Jobs, What};
pub(super) use outgoing::HandingOut;

use seamline_wire::Duration;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// How connections are handed over; by default not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandOver {
    /// The Unix socket at which it is told who has left, and where to.
    pub control: Option<PathBuf>,
    /// Where agents of other base stations reach this one.
    pub at: Option<SocketAddr>,
    /// Their addresses; others are refused.
    pub from: Vec<IpAddr>,
}

/// For handing over all connections of those who are named together: what comes later is of no use. Less than who tells it waits for the answer.
const TIMEOUT: Duration = Duration::from_millis(1500);
/// How often, in milliseconds, a thread looks whether it is to stop.
const LOOK: u8 = 100;
