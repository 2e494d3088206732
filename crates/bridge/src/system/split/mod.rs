//! Split TCP (I-TCP: Bakre and Badrinath, 1995) with the kernel's own TCP on both sides: connections through this host end here, and
//! others begin, from the same addresses and ports, so that neither end needs to know.

mod buffers;
mod connection;
mod fair;
mod host;
mod memory;
mod owner;
mod relay;
mod routes;
mod rules;
mod sockets;
mod splitting;
mod taking_back;
mod watch;

use super::interfaces::Claim;
use crate::split_counters::SplitCounters;
use relay::Relay;
use rules::{Entrance, Rules, Terms};
use seamline_agent::Side;
use seamline_host::Journal;
use seamline_host::log::Format;
use seamline_host::metrics::{Metrics, Publisher};
use seamline_wire::Duration;
use splitting::Splitting;
use std::io::{self, Write};
use std::os::fd::AsFd;
use watch::Shared;

/// How connections are split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The interface on the wired side, and the one on the wireless side.
    pub interfaces: [String; 2],
    /// Connections that are split at a time; more pass unchanged. Up to 1000 whose clients have been answered by then are split, too.
    pub connections: u32,
    /// Bytes that each of a connection's two sockets keeps unread, and as many unacknowledged.
    pub buffer: u32,
    /// Bytes of memory for all connections together, most of it in the kernel; `None`: what the kernel has for TCP, and the control groups of this process may have. Who
    /// has more than is left gets smaller buffers; where that is not enough, connections end that move nothing.
    pub memory: Option<u64>,
    /// A connection that has carried nothing for this long is reset.
    pub idle: Duration,
    /// The same, once one end has closed and nothing is left to deliver.
    pub half_closed: Duration,
    /// The kernel's congestion control on the wireless side; `None`: the host's default.
    pub congestion_control: Option<String>,
    /// Only count what would be split.
    pub is_dry: bool,
    /// How long connections may take to end after a signal.
    pub drain: Duration,
    /// Where the counters go.
    pub metrics: Option<Metrics>,
    /// How the log is written.
    pub format: Format,
}

impl Default for Split {
    /// Between no interfaces yet. The buffer holds what is in flight at 40 Mbit/s over a round trip of 100 ms. Idle times: RFC 5382, REQ-5.
    fn default() -> Self {
        Split {
            interfaces: Default::default(),
            connections: 1024,
            buffer: 512_000,
            memory: None,
            idle: Duration::from_secs(7440),
            half_closed: Duration::from_secs(240),
            congestion_control: None,
            is_dry: false,
            drain: Duration::from_secs(10),
            metrics: None,
            format: Format::default(),
        }
    }
}

impl Split {
    /// What the connections take at most, in bytes: for each of both sockets both buffers, which the kernel counts twofold for what
    /// keeping packets takes, and what waits here.
    pub fn most_memory(&self) -> u64 {
        let connections = u64::from(self.connections) + u64::from(rules::BEGINNINGS);
        connections * (2 * 2 * 2 * u64::from(self.buffer) + 2 * connection::CHUNK as u64 + 8192)
    }
}

/// Split until `stop` becomes readable. Then wait until all connections have ended, the drain time is over, or `stop` becomes readable
/// again. The log goes to `out`.
///
/// # Errors
/// When this host does not forward packets, an interface has another agent or is a port of another device, the rules cannot be made, or the process may not, with the fix. When the rules are lost.
pub fn split(
    settings: &Split,
    stop: impl AsFd,
    out: impl Write + Send + 'static,
) -> io::Result<SplitCounters> {
    let forwarded = host::forwarded()?;
    let interfaces = host::interfaces(&settings.interfaces)?;
    let claim = Claim::new(&interfaces)?;
    let beginnings = host::beginnings()?;
    let room = host::room(settings.connections as usize, beginnings)?;
    if let Some(name) = &settings.congestion_control {
        sockets::try_congestion_control(name)?;
    }
    let (mut listeners, mut entrances) = (Vec::new(), Vec::new());
    for (side, interface) in Side::BOTH.into_iter().zip(&interfaces) {
        for listener in sockets::listeners(settings.buffer, &forwarded)? {
            entrances.push(Entrance { interface: interface.clone(), listener: listener.local_addr()? });
            listeners.push((side, listener));
        }
    }
    let relay = Relay::new(settings, room, listeners)?;
    let publisher = Publisher::open(settings.metrics.as_ref())?;
    let terms = Terms { interfaces, entrances, beginnings, is_dry: settings.is_dry };
    let shared = Shared::new(Rules::new(terms)?);
    let journal = Journal::new(out, settings.format);
    Splitting::new(settings, relay, &shared, publisher, journal).run(room, claim.warning(), stop)
}
