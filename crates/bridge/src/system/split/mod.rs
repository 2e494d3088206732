//! Split TCP (I-TCP: Bakre and Badrinath, 1995) with the kernel's own TCP on both sides: connections through this host end here, and
//! others begin, from the same addresses and ports, so that neither end needs to know.

mod connection;
mod host;
mod owner;
mod relay;
mod routes;
mod rules;
mod sockets;
mod splitting;
mod watch;

use super::publish::{Metrics, Publisher};
use crate::split_counters::SplitCounters;
use host::Forwards;
use relay::Relay;
use rules::{Entrance, Rules, Terms};
use seamline_agent::Side;
use seamline_host::Journal;
use seamline_wire::Duration;
use splitting::Splitting;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::AsFd;
use watch::Shared;

/// How connections are split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The interface on the wired side, and the one on the wireless side.
    pub interfaces: [String; 2],
    /// With so many at a time, new ones pass. Up to 1000 whose clients have been answered by then are split, too.
    pub connections: usize,
    /// Bytes that each of a connection's two sockets keeps unread, and as many unacknowledged.
    pub buffer: u32,
    /// One that has carried nothing for so long is reset.
    pub idle: Duration,
    /// The congestion control of the halves on the wireless side; the host's own, if none.
    pub congestion_control: Option<String>,
    /// Only count what would be split.
    pub is_dry: bool,
    /// When it is to stop, connections have so long to end.
    pub drain: Duration,
    /// Where the counters go.
    pub metrics: Option<Metrics>,
    /// Whether the log is JSON.
    pub json: bool,
}

impl Split {
    /// What the connections take at most, in bytes: for each of both sockets both buffers, which the kernel counts twofold for what
    /// keeping packets takes, and what waits here.
    pub fn most_memory(&self) -> u64 {
        let connections = self.connections as u64 + u64::from(rules::BEGINNINGS);
        connections * (2 * 2 * 2 * u64::from(self.buffer) + 2 * connection::CHUNK as u64 + 8192)
    }
}

/// Split until something can be read from `stop`, and until the connections there are have ended then, or their time is over, or `stop` is asked
/// again. The log goes to `out`.
///
/// # Errors
/// When this host does not forward packets, the rules cannot be made, or the process may not; then what mends it. When the rules are lost.
pub fn split(
    settings: &Split,
    stop: impl AsFd,
    out: impl Write + Send + 'static,
) -> io::Result<SplitCounters> {
    let forwards = host::forwards()?;
    let interfaces = host::interfaces(&settings.interfaces)?;
    let beginnings = host::beginnings()?;
    let room = host::room(settings.connections, beginnings)?;
    if let Some(name) = &settings.congestion_control {
        sockets::try_congestion_control(name)?;
    }
    let (listeners, entrances) = entrances(&interfaces, forwards, settings.buffer)?;
    let relay = Relay::new(settings, room, listeners)?;
    let publisher = Publisher::open(settings.metrics.as_ref())?;
    let terms = Terms { interfaces, entrances, beginnings, is_dry: settings.is_dry };
    let shared = Shared::new(Rules::new(terms)?);
    let journal = Journal::new(out, settings.json);
    Splitting::new(settings, relay, &shared, &publisher, journal).run(room, stop)
}

type Listeners = Vec<(Side, TcpListener)>;

/// Where connections come in, with a listener for each version of IP that is forwarded.
fn entrances(
    interfaces: &[String; 2],
    forwards: Forwards,
    buffer: u32,
) -> io::Result<(Listeners, Vec<Entrance>)> {
    let mut made = Vec::new();
    let mut entrances = Vec::new();
    for (side, interface) in [Side::Wired, Side::Wireless].into_iter().zip(interfaces) {
        for listener in sockets::listeners(buffer, forwards)? {
            entrances.push(Entrance { interface: interface.clone(), listener: listener.local_addr()? });
            made.push((side, listener));
        }
    }
    Ok((made, entrances))
}
