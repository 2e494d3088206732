//! Split TCP (I-TCP: Bakre and Badrinath, 1995) with the kernel's own TCP on both sides: connections through this host end here, and
//! others begin, from the same addresses and ports, so that neither end needs to know.

mod connection;
mod relay;
mod rules;
mod sockets;
mod watch;

use super::publish::{Metrics, Publisher};
use crate::split_counters::SplitCounters;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use relay::{Bounds, Relay};
use rules::{Entrance, Rules};
use seamline_agent::Side;
use seamline_daemon::clock;
use seamline_daemon::{Journal, Line, explained};
use seamline_wire::{Duration, Instant};
use sockets::Sizes;
use std::io::{self, Write};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::{fs, thread};
use watch::Shared;

/// How connections are split.
#[derive(Clone, Debug)]
pub struct Split {
    /// The interface on the wired side, and the one on the wireless side.
    pub interfaces: [String; 2],
    /// At most so many at a time; more pass.
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
        self.connections as u64 * (2 * 2 * 2 * u64::from(self.buffer) + 2 * connection::CHUNK as u64 + 8192)
    }
}

/// The loop comes round at least so often, in milliseconds.
const ROUND: u8 = 100;
const PUBLISH: Duration = Duration::from_secs(1);

/// Split until something can be read from `stop`, and until the connections there are have ended then, or their time is over, or `stop` is asked
/// again. The log goes to `out`.
///
/// # Errors
/// When this host does not forward packets, the rules cannot be made, or the process may not; then what mends it.
pub fn split(
    settings: &Split,
    stop: impl AsFd,
    out: impl Write + Send + 'static,
) -> io::Result<SplitCounters> {
    is_a_router()?;
    for interface in &settings.interfaces {
        nix::net::if_::if_nametoindex(interface.as_str())
            .map_err(|error| explained(error, format_args!("the interface {interface}")))?;
    }
    let sizes = Sizes { buffer: settings.buffer, congestion_control: settings.congestion_control.clone() };
    let (listeners, entrances) = entrances(settings, &sizes)?;
    if let Some(name) = &settings.congestion_control {
        sockets::control_congestion(&listeners[0].1, name)?;
    }
    let bounds = Bounds { connections: settings.connections, idle: settings.idle, sizes };
    let relay = Relay::new(listeners, bounds)?;
    let publisher = Publisher::open(settings.metrics.as_ref())?;
    let shared = Shared::new(Rules::new(&settings.interfaces, entrances, settings.is_dry)?);
    let journal = Journal::new(out, settings.json);
    Splitting { settings, relay, shared: &shared, publisher: &publisher, journal }.run(stop)
}

/// A host that is none would have nothing to split, and what passes would pass to nowhere.
fn is_a_router() -> io::Result<()> {
    let forwards = |path: &str| fs::read_to_string(path).is_ok_and(|it| it.trim() == "1");
    if forwards("/proc/sys/net/ipv4/ip_forward") || forwards("/proc/sys/net/ipv6/conf/all/forwarding") {
        return Ok(());
    }
    let why = "this host forwards no packets, so no connection goes through it: sysctl -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1";
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

type Listeners = Vec<(Side, TcpListener)>;

fn entrances(settings: &Split, sizes: &Sizes) -> io::Result<(Listeners, Vec<Entrance>)> {
    let mut made = Vec::new();
    let mut entrances = Vec::new();
    for (side, interface) in [Side::Wired, Side::Wireless].into_iter().zip(&settings.interfaces) {
        for listener in sockets::listeners(sizes)? {
            entrances.push(Entrance { interface: interface.clone(), listener: listener.local_addr()? });
            made.push((side, listener));
        }
    }
    Ok((made, entrances))
}

struct Splitting<'a> {
    settings: &'a Split,
    relay: Relay,
    shared: &'a Shared,
    publisher: &'a Publisher,
    journal: Journal,
}

impl Splitting<'_> {
    fn run(mut self, stop: impl AsFd) -> io::Result<SplitCounters> {
        let (said, lines) = mpsc::channel();
        self.say([self.start()]);
        let shared = self.shared;
        let publisher = self.publisher;
        let result = thread::scope(|scope| {
            let guard = said.clone();
            scope.spawn(move || shared.guard(|line| drop(guard.send(line))));
            scope.spawn(move || publisher.serve(&shared.stop, &said));
            let result = self.go_on(&stop, &lines);
            shared.stop.store(true, Ordering::SeqCst);
            result
        });
        shared.count();
        self.relay.reset_all();
        let counters = self.counters();
        self.say([counters.line("stop")]);
        result.map(|()| counters)
    }

    fn start(&self) -> Line {
        Line::new("start")
            .with("agent", "split")
            .with("in", self.settings.interfaces[0].as_str())
            .with("out", self.settings.interfaces[1].as_str())
            .with("dry_run", self.settings.is_dry)
            .with("connections", self.settings.connections as u64)
            .with("buffer", u64::from(self.settings.buffer))
    }

    fn go_on(&mut self, stop: &impl AsFd, lines: &mpsc::Receiver<Line>) -> io::Result<()> {
        let mut has_room = true;
        let mut published_at = clock::monotonic();
        while !asked(stop) {
            self.relay.turn(ROUND)?;
            self.shared.come_round();
            self.say(lines.try_iter());
            if self.shared.is_stalled.swap(false, Ordering::SeqCst) {
                self.shared.rules().take(has_room)?;
                self.say([Line::new("resume")]);
            }
            if self.relay.has_room(has_room) != has_room {
                has_room = !has_room;
                self.shared.rules().take(has_room)?;
                let event = if has_room { "room" } else { "full" };
                self.say([Line::new(event).with("open", self.relay.open() as u64)]);
            }
            let now = clock::monotonic();
            if now.saturating_since(published_at) >= PUBLISH {
                published_at = now;
                self.publisher.publish(self.counters().text());
            }
        }
        self.drain(stop)
    }

    /// Nothing new is taken; what is open may end.
    fn drain(&mut self, stop: &impl AsFd) -> io::Result<()> {
        self.shared.rules().take(false)?;
        self.say([Line::new("drain").with("open", self.relay.open() as u64)]);
        let begun: Instant = clock::monotonic();
        let _ = nix::unistd::read(stop, &mut [0; 16]);
        while self.relay.open() > 0
            && clock::monotonic().saturating_since(begun) < self.settings.drain
            && !asked(stop)
        {
            self.relay.turn(ROUND)?;
            self.shared.come_round();
        }
        Ok(())
    }

    fn say(&mut self, lines: impl IntoIterator<Item = Line>) {
        let now = clock::wall();
        self.journal.write(lines.into_iter().map(|line| line.at(now)));
    }

    fn counters(&self) -> SplitCounters {
        SplitCounters {
            taken: self.shared.taken.load(Ordering::Relaxed),
            passed: self.shared.passed.load(Ordering::Relaxed),
            stalls: self.shared.stalls.load(Ordering::Relaxed),
            is_stalled: self.shared.is_stalled.load(Ordering::Relaxed),
            ..self.relay.counters()
        }
    }
}

fn asked(stop: &impl AsFd) -> bool {
    let mut waited = [PollFd::new(stop.as_fd(), PollFlags::POLLIN)];
    poll(&mut waited, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}
