//! Takes commands: to switch help off and on, and reports of hosts that have left, whose cached packets it sends to the agent that serves
//! them now.

use super::{Asker, HandOver, TIMEOUT};
use crate::handed::{ANSWER, BEGINNING, Handed, TakenIn};
use crate::system::log::{CHECK, LogSender};
use crate::system::timed_stream::TimedStream;
use crate::system::worker::Shared;
use nix::poll::PollFlags;
use seamline_host::control::Control;
use seamline_host::socket::wait;
use seamline_host::{Line, clock, explained};
use seamline_wire::Instant;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The thread that takes the commands.
#[derive(Debug)]
pub(in crate::system) struct HandingOut {
    control: Option<Control>,
    asker: Asker,
    is_dry: bool,
}

/// A reachable neighbour answers sooner.
const CONNECTING: Duration = Duration::from_millis(500);

impl HandingOut {
    /// # Errors
    /// If the socket cannot be created.
    pub(in crate::system) fn open(settings: &HandOver, is_dry: bool, asker: Asker) -> io::Result<Self> {
        let control = settings.control.as_deref().map(Control::open).transpose()?;
        Ok(HandingOut { control, asker, is_dry })
    }

    /// Run until stopped, one command after another.
    pub(in crate::system) fn run(&self, shared: &Shared, log: &LogSender) {
        let Some(control) = &self.control else { return };
        while !shared.stop.load(Ordering::Relaxed) {
            wait(control, PollFlags::POLLIN, CHECK);
            while let Ok(Some((text, from))) = control.receive() {
                let answer = match self.apply(&text, shared, log) {
                    Ok(done) => format!("ok {done}"),
                    Err(error) => format!("error: {error}"),
                };
                control.answer(&from, &text, &answer);
            }
        }
    }

    fn apply(&self, text: &str, shared: &Shared, log: &LogSender) -> io::Result<String> {
        match text.trim() {
            "pause" => return self.pause(true, log),
            "resume" => return self.pause(false, log),
            _ => {}
        }
        let Some((to, hosts)) = read(text) else {
            let expected = "pause; resume; hand-over ADDRESS:PORT HOST...";
            return Err(io::Error::other(format!("unknown command; expected: {expected}")));
        };
        let begun = clock::monotonic();
        let named = text.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
        let done = self.hand_over(to, hosts, begun + TIMEOUT, &shared.stop);
        let took = clock::monotonic().saturating_since(begun).as_millis();
        let line = match &done {
            Ok(Done { connections, packets, taken_in }) => {
                let line = Line::new("hand-over").with("connections", *connections).with("packets", *packets);
                match taken_in {
                    Some(taken) => line
                        .with("connections_taken_in", taken.connections)
                        .with("packets_taken_in", taken.packets),
                    None => line,
                }
            }
            Err(error) => {
                shared.hand_over_failures.fetch_add(1, Ordering::Relaxed);
                Line::warning("hand-over-failed").with("why", error.to_string())
            }
        };
        log.send(line.shown("to", to).with("hosts", named).with("took_ms", took));
        done.map(|done| done.to_string())
    }

    fn pause(&self, is_paused: bool, log: &LogSender) -> io::Result<String> {
        let has_changed = self.asker.pause(is_paused, clock::monotonic() + TIMEOUT)?;
        let state = if is_paused { "paused" } else { "resumed" };
        if has_changed {
            log.send(Line::new(state));
        }
        Ok(format!("{}{state}", if has_changed { "" } else { "already " }))
    }

    fn hand_over(
        &self,
        to: SocketAddr,
        hosts: Vec<IpAddr>,
        until: Instant,
        stop: &AtomicBool,
    ) -> io::Result<Done> {
        let all = self.asker.hand_out(hosts, until)?;
        let (connections, packets) = (all.len(), all.iter().map(Handed::packets).sum());
        let taken_in = match self.is_dry || all.is_empty() {
            true => None,
            false => {
                let sent = send(to, &all, until, stop);
                Some(sent.map_err(|error| {
                    explained(error, format_args!("handing {connections} connections over to {to}"))
                })?)
            }
        };
        Ok(Done { connections, packets, taken_in })
    }
}

/// The outcome of a hand-over.
struct Done {
    connections: usize,
    packets: usize,
    /// What the other agent accepted; `None` in a dry run, and if nothing was cached.
    taken_in: Option<TakenIn>,
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Done { connections, packets, taken_in } = self;
        write!(f, "handed out: {connections} connections, {packets} packets")?;
        let Some(TakenIn { connections, packets }) = taken_in else { return Ok(()) };
        write!(f, "; taken in: {connections} connections, {packets} packets")
    }
}

fn read(text: &str) -> Option<(SocketAddr, Vec<IpAddr>)> {
    let mut words = text.split_whitespace();
    let to = words.next().filter(|word| *word == "hand-over").and(words.next())?.parse().ok()?;
    let hosts = words.map(|word| word.parse().ok()).collect::<Option<Vec<IpAddr>>>()?;
    (!hosts.is_empty()).then_some((to, hosts))
}

fn send(to: SocketAddr, all: &[Handed], until: Instant, stop: &AtomicBool) -> io::Result<TakenIn> {
    let mut stream = TimedStream::new(TcpStream::connect_timeout(&to, CONNECTING)?, until, stop)?;
    stream.write_all(&BEGINNING)?;
    let mut record = Vec::new();
    for handed in all {
        record.clear();
        handed.encode(&mut record);
        stream.write_all(&record)?;
    }
    stream.write_all(&0_u32.to_be_bytes())?;
    let mut answer = [0; ANSWER];
    stream.read_exact(&mut answer)?;
    TakenIn::decode(&answer)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the peer is no agent of this version"))
}
