//! All connections, and the loop that hands their bytes on.

use super::connection::{CHUNK, Connection, Progress};
use super::sockets::{self, Sizes};
use crate::split_counters::SplitCounters;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use seamline_agent::Side;
use seamline_daemon::clock;
use seamline_wire::{Duration, Instant};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

/// Tokens of listeners begin here; those of halves are twice their connection's place, and one more.
const LISTENERS: u64 = 1 << 40;
/// How often idle connections are looked for.
const LOOK: Duration = Duration::from_secs(1);
/// So long a server may take to answer.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// What bounds the connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) connections: usize,
    pub(super) idle: Duration,
    pub(super) sizes: Sizes,
}

pub(super) struct Relay {
    bounds: Bounds,
    /// Each with the side that its connections come from.
    listeners: Vec<(Side, TcpListener)>,
    epoll: Epoll,
    connections: Vec<Option<Connection>>,
    free: Vec<usize>,
    chunk: Box<[u8; CHUNK]>,
    counters: SplitCounters,
    looked_at: Instant,
}

impl Relay {
    pub(super) fn new(listeners: Vec<(Side, TcpListener)>, bounds: Bounds) -> io::Result<Self> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        for (token, (_, listener)) in (LISTENERS..).zip(&listeners) {
            epoll.add(listener, EpollEvent::new(EpollFlags::EPOLLIN, token))?;
        }
        Ok(Relay {
            bounds,
            listeners,
            epoll,
            connections: Vec::new(),
            free: Vec::new(),
            chunk: vec![0; CHUNK]
                .into_boxed_slice()
                .try_into()
                .unwrap_or_else(|_| unreachable!("it has that length")),
            counters: SplitCounters::default(),
            looked_at: clock::monotonic(),
        })
    }

    pub(super) fn counters(&self) -> SplitCounters {
        SplitCounters { open: self.open() as u64, ..self.counters }
    }
    pub(super) fn open(&self) -> usize {
        self.connections.len() - self.free.len()
    }
    /// Whether there is room for more; where there was none, only once a tenth is free again.
    pub(super) fn has_room(&self, had_room: bool) -> bool {
        let most = self.bounds.connections;
        self.open() < if had_room { most } else { most - most / 10 }
    }

    /// Wait for what happens, at most so long, and do it.
    ///
    /// # Errors
    /// When the kernel cannot be asked.
    pub(super) fn turn(&mut self, timeout: u8) -> io::Result<()> {
        let mut events = [EpollEvent::empty(); 256];
        let count = match self.epoll.wait(&mut events, EpollTimeout::from(timeout)) {
            Ok(count) => count,
            Err(nix::errno::Errno::EINTR) => 0,
            Err(error) => return Err(error.into()),
        };
        let now = clock::monotonic();
        for event in &events[..count] {
            match event.data() {
                token if token >= LISTENERS => self.take_in(now, (token - LISTENERS) as usize),
                token => self.go_on(now, (token / 2) as usize, (token % 2) as usize, event.events()),
            }
        }
        if now.saturating_since(self.looked_at) >= LOOK {
            self.looked_at = now;
            self.expire(now);
        }
        Ok(())
    }

    /// All who wait at a listener, as far as there is room; others wait with the kernel.
    fn take_in(&mut self, now: Instant, listener: usize) {
        while self.open() < self.bounds.connections {
            let (side, listener) = &self.listeners[listener];
            let Ok((client, address)) = listener.accept() else { return };
            if self.begin(now, *side, client, address).is_err() {
                self.counters.refused += 1;
            }
        }
    }

    fn begin(&mut self, now: Instant, side: Side, client: TcpStream, address: SocketAddr) -> io::Result<()> {
        sockets::prepare(&client)?;
        let server = sockets::begin(address, client.local_addr()?, &self.bounds.sizes)?;
        sockets::prepare(&server)?;
        if let Some(name) = &self.bounds.sizes.congestion_control {
            sockets::control_congestion(if side == Side::Wireless { &client } else { &server }, name)?;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.connections.push(None);
            self.connections.len() - 1
        });
        self.connections[place] = Some(Connection::new([client, server], side, now));
        self.counters.begun += 1;
        self.watch(place)
    }

    fn go_on(&mut self, now: Instant, place: usize, half: usize, events: EpollFlags) {
        let Some(connection) = self.connections[place].as_mut() else { return };
        let is_hung_up = events.intersects(EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR);
        if is_hung_up && sockets::failed(&connection.halves[half].stream) {
            return self.fail(place, half);
        }
        if connection.is_beginning {
            if half == 0 {
                return;
            }
            connection.is_beginning = false;
        }
        // Nothing more will happen there, but what it has received may wait for the other half: that one's turn brings it.
        if is_hung_up && connection.halves[half].watched.take().is_some() {
            let _ = self.epoll.delete(&connection.halves[half].stream);
        }
        let side = connection.side;
        match connection.go_on(now, &mut self.chunk) {
            Progress::Open(handed) => {
                self.count(side, handed);
                if self.watch(place).is_err() {
                    self.fail(place, half);
                }
            }
            Progress::Ended(handed) => {
                self.count(side, handed);
                self.counters.ended += 1;
                if let Some(connection) = self.forget(place) {
                    connection.end_in_order();
                }
            }
            Progress::Failed => self.fail(place, half),
        }
    }

    /// What was handed on to the end at `side`, which has begun the connection, and to the other.
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
            let is_first = it.watched.is_none();
            if is_first && it.was_watched {
                continue;
            }
            if is_first {
                self.epoll.add(&it.stream, EpollEvent::new(interest, token))?;
                it.was_watched = true;
            } else if it.watched != Some(interest) {
                self.epoll.modify(&it.stream, &mut EpollEvent::new(interest, token))?;
            }
            it.watched = Some(interest);
        }
        Ok(())
    }

    /// One half has failed: the other end hears of it as of any reset.
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

    /// Dropping what is returned closes its sockets, which resets both ends and takes them out of the epoll instance.
    fn forget(&mut self, place: usize) -> Option<Connection> {
        let connection = self.connections[place].take()?;
        self.free.push(place);
        Some(connection)
    }

    fn expire(&mut self, now: Instant) {
        for place in 0..self.connections.len() {
            let Some(connection) = &self.connections[place] else { continue };
            let silent = now.saturating_since(connection.heard_at);
            if silent > if connection.is_beginning { HANDSHAKE } else { self.bounds.idle } {
                self.counters.expired += 1;
                self.forget(place);
            }
        }
    }

    /// End all that is left.
    pub(super) fn reset_all(&mut self) {
        self.counters.reset += self.open() as u64;
        self.connections.clear();
        self.free.clear();
    }
}
