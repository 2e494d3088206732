//! All split connections, and the loop that relays their bytes.

mod sharing;

use super::connection::{CHUNK, Connection, Progress, Watch};
use super::fair::{Fair, Who};
use super::host::Room;
use super::{Split, sockets};
use crate::split_counters::{SplitCounters, SplitPaths};
use crate::system::log::CHECK;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};
use seamline_agent::Side;
use seamline_host::cgroup::own_groups;
use seamline_host::socket::timeout;
use seamline_host::{Every, clock};
use seamline_wire::{Duration, Instant};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;

/// Tokens of listeners begin here; those of halves are twice their connection's place, plus the number of the half.
const LISTENERS: u64 = 1 << 40;
/// How often paths are measured and idle connections looked for, and how long no connections are accepted after the kernel ran out of resources.
const LOOK: Duration = Duration::from_secs(1);
/// How often ended connections are looked for.
const LET_GO: Duration = Duration::from_millis(20);
/// Connections accepted in a row before other work.
const AT_ONCE: usize = 64;

/// A client that the kernel has answered.
struct Answered {
    side: Side,
    stream: TcpStream,
    address: SocketAddr,
}

pub(super) struct Relay<'a> {
    settings: &'a Split,
    room: Room,
    /// Each with the side that its connections come from.
    listeners: Vec<(Side, TcpListener)>,
    epoll: Epoll,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    /// Places that are free after this turn: events for them may still be waiting in it.
    freed: Vec<usize>,
    /// Places of connections whose data has all been relayed.
    ending: Vec<usize>,
    chunk: Box<[u8; CHUNK]>,
    counters: SplitCounters,
    fair: Fair,
    /// The control groups of this process, which may limit its memory.
    groups: Vec<PathBuf>,
    pub(super) paths: SplitPaths,
    /// When the paths were last measured.
    measured_at: Option<Instant>,
    look: Every,
    let_go: Every,
    /// When the kernel ran out of resources.
    exhausted_at: Option<Instant>,
    /// Accepted with the last resources that there were: their other halves have to wait.
    answered: Vec<Answered>,
    /// Why the last connection that failed could not be opened.
    trouble: Option<String>,
}

impl<'a> Relay<'a> {
    pub(super) fn new(
        settings: &'a Split,
        room: Room,
        listeners: Vec<(Side, TcpListener)>,
    ) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        for (token, (_, listener)) in (LISTENERS..).zip(&listeners) {
            epoll.add(listener, EpollEvent::new(EpollFlags::EPOLLIN, token))?;
        }
        let mut relay = Relay {
            settings,
            room,
            listeners,
            epoll,
            connections: Vec::new(),
            free: Vec::new(),
            freed: Vec::new(),
            ending: Vec::new(),
            chunk: vec![0; CHUNK]
                .into_boxed_slice()
                .try_into()
                .unwrap_or_else(|_| unreachable!("it has that length")),
            counters: SplitCounters::default(),
            fair: Fair::default(),
            groups: own_groups().unwrap_or_default(),
            paths: SplitPaths::default(),
            measured_at: None,
            look: Every::new(LOOK),
            let_go: Every::new(LET_GO),
            exhausted_at: None,
            answered: Vec::new(),
            trouble: None,
        };
        relay.share_memory(clock::monotonic());
        Ok(relay)
    }

    pub(super) fn counters(&self) -> SplitCounters {
        SplitCounters { open: self.open() as u64, limited: self.fair.limited() as u64, ..self.counters }
    }
    pub(super) fn open(&self) -> usize {
        self.connections.len() - self.free.len() - self.freed.len()
    }
    /// Whether there is room for more; after there was none, only once a tenth is free.
    pub(super) fn has_room(&self, had_room: bool) -> bool {
        let most = self.room.connections;
        self.exhausted_at.is_none() && self.open() < if had_room { most } else { most - most / 10 }
    }
    /// Since the last call: whose new connections are to pass from now on, and whose are to be split again.
    pub(super) fn take_news(&mut self) -> Vec<(Who, bool)> {
        self.fair.take_news()
    }
    /// Places that are not taken.
    fn places(&self) -> u64 {
        self.room.connections.saturating_sub(self.open()) as u64
    }
    /// Why a connection could not be opened, if one failed since the last call.
    pub(super) fn take_trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Wait for events, at most [`CHECK`], and handle them; call `come_round` before each.
    ///
    /// # Errors
    /// If epoll fails.
    pub(super) fn turn(&mut self, come_round: impl Fn()) -> io::Result<()> {
        let mut events = [EpollEvent::empty(); 256];
        let count = match self.epoll.wait(&mut events, timeout(CHECK)) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        let now = clock::monotonic();
        for event in &events[..count] {
            come_round();
            match event.data() {
                token if token >= LISTENERS => self.take_in(now, (token - LISTENERS) as usize),
                token => self.go_on(now, (token / 2) as usize, (token % 2) as usize, event.events()),
            }
        }
        self.free.append(&mut self.freed);
        if self.let_go.is_due(now) {
            self.forget_closed();
        }
        if self.look.is_due(now) {
            self.expire(now);
            self.share_memory(now);
        }
        if self.exhausted_at.is_some_and(|at| now.saturating_since(at) >= LOOK) {
            self.exhausted_at = None;
            std::mem::take(&mut self.answered).into_iter().for_each(|client| self.begin(now, client));
            if self.exhausted_at.is_none() {
                self.listen(EpollFlags::EPOLLIN);
            }
        }
        Ok(())
    }

    /// Accept some of the connections that wait at a listener, even if new ones are forwarded unsplit: the kernel has answered these.
    fn take_in(&mut self, now: Instant, listener: usize) {
        for _ in 0..AT_ONCE {
            let (side, listener) = &self.listeners[listener];
            let side = *side;
            match listener.accept() {
                Ok((stream, address)) => self.begin(now, Answered { side, stream, address }),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if sockets::is_exhausted(&error) => self.exhausted(now, &error),
                Err(_) => {}
            }
            if self.exhausted_at.is_some() {
                return;
            }
        }
    }

    /// Accept nothing for a while.
    fn exhausted(&mut self, now: Instant, error: &io::Error) {
        self.trouble = Some(error.to_string());
        self.exhausted_at = Some(now);
        self.listen(EpollFlags::empty());
    }

    /// Set the events to watch the listeners for.
    fn listen(&self, interest: EpollFlags) {
        for (token, (_, listener)) in (LISTENERS..).zip(&self.listeners) {
            // They are in it.
            let _ = self.epoll.modify(listener, &mut EpollEvent::new(interest, token));
        }
    }

    /// Begin the half towards the server. Without the resources for it, the client waits: it would not have been refused without us.
    fn begin(&mut self, now: Instant, client: Answered) {
        match self.server_half(&client) {
            Ok(server) => {
                if let Err(error) = self.enter(now, client, server) {
                    self.refuse(&error);
                }
            }
            Err(error) if sockets::is_exhausted(&error) => {
                self.answered.push(client);
                self.exhausted(now, &error);
            }
            Err(error) => self.refuse(&error),
        }
    }

    fn refuse(&mut self, error: &io::Error) {
        self.counters.refused += 1;
        self.trouble = Some(error.to_string());
    }

    fn server_half(&self, client: &Answered) -> io::Result<TcpStream> {
        sockets::prepare(&client.stream)?;
        if self.open() >= self.room.places {
            return Err(io::Error::other(
                "no place is left, not even for clients that were already answered",
            ));
        }
        let server = sockets::begin(client.address, client.stream.local_addr()?, self.settings.buffer)?;
        sockets::prepare(&server)?;
        if let Some(name) = &self.settings.congestion_control {
            let wireless = if client.side == Side::Wireless { &client.stream } else { &server };
            sockets::control_congestion(wireless, name)?;
        }
        Ok(server)
    }

    fn enter(&mut self, now: Instant, client: Answered, server: TcpStream) -> io::Result<()> {
        let other = client.stream.local_addr()?;
        let host = if client.side == Side::Wireless { client.address.ip() } else { other.ip() };
        let place = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        let owners = self.fair.enter(host, self.places());
        let (halves, buffer) = ([client.stream, server], self.settings.buffer);
        self.connections[place] = Some(Connection::new(halves, client.side, (host, owners), buffer, now));
        self.reserve(place);
        self.watch(place).inspect_err(|_| self.forget(place))?;
        self.counters.begun += 1;
        Ok(())
    }

    fn go_on(&mut self, now: Instant, place: usize, half: usize, events: EpollFlags) {
        let Some(connection) = self.connections[place].as_mut().filter(|it| !it.is_ending) else { return };
        let is_hung_up = events.intersects(EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR);
        if is_hung_up && sockets::failed(&connection.halves[half].stream) {
            return self.fail(place, half);
        }
        if connection.is_beginning {
            if half == 0 {
                return;
            }
            connection.is_beginning = false;
            connection.heard_at = now;
        }
        // No more events will come from this half. Data that it has received may wait for the other half, whose events relay it.
        if is_hung_up {
            connection.halves[half].unwatch(&self.epoll);
        }
        let side = connection.side;
        match connection.go_on(now, &mut self.chunk) {
            Progress::Open(handed) => {
                self.count(side, handed);
                if self.connections[place].as_ref().is_some_and(|it| it.needs() > it.reserved) {
                    self.reserve(place);
                }
                if self.watch(place).is_err() {
                    self.fail(place, half);
                }
            }
            Progress::Ended(handed) => {
                self.count(side, handed);
                self.end(place);
            }
            Progress::Failed => self.fail(place, half),
        }
    }

    /// Count bytes relayed to the client, at `side`, and to the server.
    fn count(&mut self, side: Side, [back, forth]: [u64; 2]) {
        let (wired, wireless) = if side == Side::Wired { (back, forth) } else { (forth, back) };
        self.counters.bytes_to_wired += wired;
        self.counters.bytes_to_wireless += wireless;
    }

    /// Watch both halves for what they can do now.
    fn watch(&mut self, place: usize) -> io::Result<()> {
        let Some(connection) = self.connections[place].as_mut() else { return Ok(()) };
        for half in 0..2 {
            let interest = connection.interest(half);
            let token = 2 * place as u64 + half as u64;
            let it = &mut connection.halves[half];
            match it.watch {
                Watch::NotYet => self.epoll.add(&it.stream, EpollEvent::new(interest, token))?,
                Watch::For(flags) if flags != interest => {
                    self.epoll.modify(&it.stream, &mut EpollEvent::new(interest, token))?;
                }
                Watch::For(_) | Watch::Over => continue,
            }
            it.watch = Watch::For(interest);
        }
        Ok(())
    }

    /// All data has been relayed. The connection keeps its place until the data is acknowledged: without the rules the acknowledgments
    /// would go to the other end, which would answer with a reset.
    fn end(&mut self, place: usize) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        connection.end_in_order();
        connection.halves.iter_mut().for_each(|half| half.unwatch(&self.epoll));
        self.ending.push(place);
    }

    fn forget_closed(&mut self) {
        for place in std::mem::take(&mut self.ending) {
            // It may have expired, and its place may belong to another connection.
            let Some(connection) = self.connections[place].as_ref().filter(|it| it.is_ending) else {
                continue;
            };
            if !connection.is_closed() {
                self.ending.push(place);
                continue;
            }
            let counter =
                if connection.has_failed() { &mut self.counters.reset } else { &mut self.counters.ended };
            *counter += 1;
            self.forget(place);
        }
    }

    /// One half has failed: the other end is reset.
    fn fail(&mut self, place: usize, half: usize) {
        if let Some(connection) = &self.connections[place] {
            let counter = match (connection.is_beginning, half) {
                (true, 1) => &mut self.counters.refused,
                _ => &mut self.counters.reset,
            };
            *counter += 1;
        }
        self.forget(place);
    }

    /// Close the sockets, which resets both ends unless they closed in order, and removes them from epoll.
    fn forget(&mut self, place: usize) {
        if let Some(mut connection) = self.connections[place].take() {
            connection.measure_paths(self.measured_at, &mut self.paths);
            self.fair.leave(connection.owners, connection.reserved);
            self.freed.push(place);
            self.fair.review(self.places());
        }
    }

    /// Measure connections and their paths, and forget what is idle.
    fn expire(&mut self, now: Instant) {
        for place in 0..self.connections.len() {
            let Some(connection) = &mut self.connections[place] else { continue };
            connection.measure(now);
            connection.measure_paths(self.measured_at, &mut self.paths);
            let patience = connection.patience(self.settings);
            if now.saturating_since(connection.heard_at) > patience {
                self.counters.expired += 1;
                self.forget(place);
            }
        }
        self.measured_at = Some(now);
    }

    /// Reset all that are left.
    pub(super) fn reset_all(&mut self) {
        self.counters.reset += self.open() as u64;
        self.fair = Fair::default();
        self.connections.clear();
        self.answered.clear();
        self.free.clear();
        self.freed.clear();
        self.ending.clear();
    }
}

#[cfg(test)]
mod tests;
