//! Hand-over between the agents of base stations: a Unix socket takes reports of hosts that have left, and the packets cached for them go by TCP
//! to the agent that serves them now. Both run in threads of their own, which may wait; they give the agent's thread jobs, and it never waits for them.

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
    /// The Unix socket for commands: reports of which hosts have left, and for which base station; and to switch help off and on.
    pub control: Option<PathBuf>,
    /// The address at which this agent accepts hand-overs from other base stations.
    pub at: Option<SocketAddr>,
    /// Their addresses; others are refused.
    pub from: Vec<IpAddr>,
}

/// For handing over all connections of the hosts of one report: later packets are of no use. Shorter than the reporter waits for the answer.
const TIMEOUT: Duration = Duration::from_millis(1500);
