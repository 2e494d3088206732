//! A split connection: its two halves, and the bytes between them.

use super::Split;
use super::buffers::Buffers;
use super::sockets::{end_in_order, failed, is_closed, reset_at_the_end};
use crate::split_counters::SplitPaths;
use crate::system::timed_stream::unless_it_would_wait;
use nix::sys::epoll::{Epoll, EpollFlags};
use seamline_agent::{Numbers, Side};
use seamline_host::socket::{TcpPath, memory, tcp_path, unacknowledged};
use seamline_wire::{Duration, Instant};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};

/// Bytes read at once; so many may wait for the other half.
pub(super) const CHUNK: usize = 64 << 10;
/// How long a server may take to answer.
const HANDSHAKE: Duration = Duration::from_secs(30);
/// Chunks relayed for one connection before the next one's turn.
const TURN: usize = 8;

#[derive(Debug)]
pub(super) struct Half {
    pub(super) stream: TcpStream,
    pub(super) watch: Watch,
    /// Data that could not be written to it yet.
    waiting: Vec<u8>,
    /// Its end has closed its direction.
    is_read: bool,
    /// The other end's close was passed on to it.
    is_shut: bool,
    /// What was counted of its path.
    counted: TcpPath,
}

/// Whether epoll watches a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    NotYet,
    For(EpollFlags),
    /// It was removed: no more events will come.
    Over,
}

impl Half {
    pub(super) fn new(stream: TcpStream) -> Self {
        let counted = TcpPath::default();
        Half { stream, watch: Watch::NotYet, waiting: Vec::new(), is_read: false, is_shut: false, counted }
    }

    /// Count what the kernel has learned of the path since the last time.
    fn measure(&mut self, side: Side, paths: &mut SplitPaths) {
        let Ok(now) = tcp_path(&self.stream) else { return };
        let before = std::mem::replace(&mut self.counted, now);
        let side = side.index();
        now.round_trip.into_iter().for_each(|it| paths.round_trips[side].observe(it));
        paths.segments[side] += u64::from(now.data_segments.wrapping_sub(before.data_segments));
        paths.retransmitted[side] += u64::from(now.retransmitted.wrapping_sub(before.retransmitted));
    }

    pub(super) fn unwatch(&mut self, epoll: &Epoll) {
        if let Watch::For(_) = self.watch {
            // It is in it.
            let _ = epoll.delete(&self.stream);
            self.watch = Watch::Over;
        }
    }
}

/// A connection in two halves.
#[derive(Debug)]
pub(super) struct Connection {
    /// The client's, and the server's.
    pub(super) halves: [Half; 2],
    /// The client's side.
    pub(super) side: Side,
    /// The handshake with the server is not complete.
    pub(super) is_beginning: bool,
    /// All data has been relayed, but not all acknowledged.
    pub(super) is_ending: bool,
    pub(super) heard_at: Instant,
    /// The host on the wireless side.
    pub(super) host: IpAddr,
    /// Its numbers, and those of its network.
    pub(super) owners: Numbers,
    /// What is set aside for it: what it may need, or has, in bytes.
    pub(super) reserved: u64,
    /// What it had when this was looked at last, in bytes.
    pub(super) kept: u64,
    buffers: Buffers,
    /// What the ends had not acknowledged when this was looked at last, in bytes.
    unacknowledged: u32,
    /// When that was seen to change.
    acknowledged_at: Instant,
}

/// The state of a connection after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It stays open; the bytes relayed to the first half and to the second.
    Open([u64; 2]),
    /// Both ends have closed, and all data was relayed.
    Ended([u64; 2]),
    /// One half has failed: the other is reset.
    Failed,
}

impl Connection {
    /// Of a host, between sockets with so large buffers.
    pub(super) fn new(
        halves: [TcpStream; 2],
        side: Side,
        (host, owners): (IpAddr, Numbers),
        buffer: u32,
        now: Instant,
    ) -> Self {
        let halves = halves.map(Half::new);
        let mut buffers = Buffers::new(buffer);
        buffers.allow(None, &halves);
        Connection {
            halves,
            side,
            host,
            owners,
            reserved: 0,
            kept: 0,
            buffers,
            is_beginning: true,
            is_ending: false,
            heard_at: now,
            unacknowledged: 0,
            acknowledged_at: now,
        }
    }

    /// Relay the data that has arrived.
    pub(super) fn go_on(&mut self, now: Instant, chunk: &mut [u8; CHUNK]) -> Progress {
        let mut handed = [0; 2];
        for to in [1, 0] {
            match self.hand_on(to, chunk) {
                Ok(bytes) => handed[to] = bytes,
                Err(_) => return Progress::Failed,
            }
        }
        if handed != [0; 2] {
            self.heard_at = now;
            self.buffers.grow(handed, &self.halves);
        }
        let is_over = self.halves.iter().all(|half| half.is_read && half.is_shut);
        if is_over { Progress::Ended(handed) } else { Progress::Open(handed) }
    }

    /// Relay data from the other half to this one.
    fn hand_on(&mut self, to: usize, chunk: &mut [u8; CHUNK]) -> io::Result<u64> {
        let [first, second] = &mut self.halves;
        let (from, to) = if to == 1 { (first, second) } else { (second, first) };
        let mut handed = 0;
        for _ in 0..TURN {
            handed += to.write_waiting()?;
            if !to.waiting.is_empty() || from.is_read {
                break;
            }
            let Some(length) = unless_it_would_wait(from.stream.read(chunk))? else { break };
            from.is_read = length == 0;
            let written = unless_it_would_wait(to.stream.write(&chunk[..length]))?.unwrap_or(0);
            handed += written as u64;
            to.waiting.extend_from_slice(&chunk[written..length]);
        }
        if from.is_read && to.waiting.is_empty() && !to.is_shut {
            to.stream.shutdown(Shutdown::Write)?;
            to.is_shut = true;
        }
        Ok(handed)
    }

    /// The events to watch a half for.
    pub(super) fn interest(&self, half: usize) -> EpollFlags {
        if self.is_beginning {
            return if half == 1 { EpollFlags::EPOLLOUT } else { EpollFlags::empty() };
        }
        let (this, other) = (&self.halves[half], &self.halves[1 - half]);
        let mut flags = EpollFlags::empty();
        flags.set(EpollFlags::EPOLLIN, !this.is_read && other.waiting.is_empty());
        // A half that has hung up is not watched. Its unread data is read when there is room for it in this one.
        let is_left = other.watch == Watch::Over && !other.is_read;
        flags.set(EpollFlags::EPOLLOUT, is_left || !this.waiting.is_empty());
        flags
    }

    /// How long it may carry nothing. Where one end has closed, acknowledgments of what the kernel still delivers are news too, and while
    /// something is left to deliver, a connection is as any other.
    pub(super) fn patience(&mut self, settings: &Split) -> Duration {
        if self.is_beginning {
            return HANDSHAKE;
        }
        if !self.halves.iter().any(|half| half.is_read) {
            return settings.idle;
        }
        self.heard_at = self.moved_at();
        if self.unacknowledged == 0 { settings.half_closed.min(settings.idle) } else { settings.idle }
    }

    /// See what memory it has, in the kernel and here, and what of it is not acknowledged.
    pub(super) fn measure(&mut self, now: Instant) {
        let of_half = |half: &Half| memory(&half.stream).unwrap_or(0) + half.waiting.capacity() as u64;
        self.kept = self.halves.iter().map(of_half).sum();
        let left = self.halves.iter().map(|half| unacknowledged(&half.stream).unwrap_or(0)).sum();
        if std::mem::replace(&mut self.unacknowledged, left) != left {
            self.acknowledged_at = now;
        }
    }
    /// When data was relayed last, or acknowledged.
    pub(super) fn moved_at(&self) -> Instant {
        self.heard_at.max(self.acknowledged_at)
    }
    /// Bytes that it may need, or has.
    pub(super) fn needs(&self) -> u64 {
        self.kept.max(self.buffers.memory())
    }
    /// There is so much for it, or enough. Whether its buffers are smaller now.
    pub(super) fn allow(&mut self, memory: Option<u64>) -> bool {
        self.buffers.allow(memory, &self.halves)
    }

    /// All data has been relayed: from now on closing lets the kernel deliver what is not acknowledged yet.
    pub(super) fn end_in_order(&mut self) {
        self.is_ending = true;
        self.halves.iter().for_each(|half| end_in_order(&half.stream));
    }
    /// Closing resets both ends, and frees what the kernel keeps, even if all data has been relayed.
    pub(super) fn end_at_once(&self) {
        self.halves.iter().for_each(|half| reset_at_the_end(&half.stream));
    }
    /// Count what the kernel knows of both paths; nothing if no data was relayed since `then`.
    pub(super) fn measure_paths(&mut self, then: Option<Instant>, paths: &mut SplitPaths) {
        if self.is_beginning || then.is_some_and(|then| self.heard_at < then) {
            return;
        }
        let [client, server] = &mut self.halves;
        client.measure(self.side, paths);
        server.measure(self.side.other(), paths);
    }
    /// Whether both halves are closed.
    pub(super) fn is_closed(&self) -> bool {
        self.halves.iter().all(|half| is_closed(&half.stream))
    }
    /// Whether one of them has failed. Reading the error clears it.
    pub(super) fn has_failed(&self) -> bool {
        self.halves.iter().any(|half| failed(&half.stream))
    }
}

impl Half {
    fn write_waiting(&mut self) -> io::Result<u64> {
        let mut all = 0;
        while !self.waiting.is_empty() {
            let Some(written) = unless_it_would_wait(self.stream.write(&self.waiting))? else { break };
            self.waiting.drain(..written);
            all += written as u64;
        }
        if self.waiting.is_empty() {
            self.waiting = Vec::new();
        }
        Ok(all)
    }
}
