//! Writing to a connection.

use crate::errno::{Answer, Errno};
use crate::socket::Kind;
use crate::world::World;
use libc::c_int;
use seamline_tcp::{State, Write};

/// Flags of `send` that change nothing here.
const HARMLESS_FLAGS: c_int = libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL;
/// What the endpoint has.
const FLAGS: c_int = HARMLESS_FLAGS | libc::MSG_MORE | libc::MSG_EOR | libc::MSG_ZEROCOPY;
/// Parts of memory that one buffer of Linux holds without copying (MAX_SKB_FRAGS).
const MOST_PARTS: usize = 17;

/// How far a call is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// Bytes taken in.
    pub(crate) written: usize,
    /// The call waits for room.
    waits: bool,
    /// The call has begun to connect.
    pub(crate) has_connected: bool,
}

/// What a call writes.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Flags of `send`.
    pub(crate) flags: c_int,
    /// The sizes of the parts in memory.
    pub(crate) parts: Vec<usize>,
}

impl Call {
    pub(crate) fn length(&self) -> usize {
        self.parts.iter().sum()
    }
    fn is_without_copying(&self) -> bool {
        self.flags & libc::MSG_ZEROCOPY != 0
    }
    /// Where a buffer of Linux is full of parts, and a segment ends.
    fn next_end(&self, written: usize) -> usize {
        let full_parts = self.parts.iter().filter(|size| **size > 0).collect::<Vec<_>>();
        let ends = full_parts.chunks(MOST_PARTS).scan(0, |end, parts| {
            *end += parts.iter().copied().sum::<usize>();
            Some(*end)
        });
        let end = ends.into_iter().find(|end| *end > written);
        end.filter(|_| self.is_without_copying()).unwrap_or_else(|| self.length())
    }
}

impl World {
    /// Take in what there is room for; `progress` is that of the same call before.
    pub(crate) fn write(&mut self, descriptor: c_int, call: &Call, progress: &mut Progress) -> Answer {
        if call.flags & !FLAGS != 0 {
            return Err(Errno::UNSUPPORTED);
        }
        if let Kind::Deferred(to) = self.socket(descriptor)?.kind {
            return self.write_fast(descriptor, to, call, progress);
        }
        let id = match self.connection_of(descriptor) {
            Err(Errno::NOT_CONNECTED) => return Err(Errno(libc::EPIPE)),
            other => other?,
        };
        let answer = self.write_all(descriptor, id, call, progress);
        let blocks = !self.is_nonblocking(descriptor, call.flags);
        match answer {
            Err(Errno::AGAIN) if blocks || progress.written == 0 => {
                progress.waits = true;
                Err(Errno::AGAIN)
            }
            Err(error) if progress.written == 0 => Err(error),
            Ok(()) | Err(_) => {
                self.watch(descriptor, id, call);
                Ok(progress.written as i64)
            }
        }
    }

    fn write_all(
        &mut self,
        descriptor: c_int,
        id: usize,
        call: &Call,
        progress: &mut Progress,
    ) -> Result<(), Errno> {
        loop {
            self.check(id)?;
            if progress.written == call.length() {
                return Ok(());
            }
            if progress.waits && self.connections[id].endpoint.waits_for_room() {
                return Err(Errno::AGAIN);
            }
            progress.waits = false;
            let end = call.next_end(progress.written);
            let is_last = end == call.length();
            let write = Write {
                more: call.flags & libc::MSG_MORE != 0,
                ends_record: !is_last || call.flags & libc::MSG_EOR != 0,
            };
            let taken = self.write_some(descriptor, id, end - progress.written, write)?;
            progress.written += taken;
            if taken == 0 {
                return Err(Errno::AGAIN);
            }
        }
    }

    /// Whether the connection takes in anything.
    fn check(&mut self, id: usize) -> Result<(), Errno> {
        let connection = &mut self.connections[id];
        if let Some(error) = connection.take_error() {
            return Err(error);
        }
        if connection.shut_write || connection.endpoint.state() == State::Closed {
            return Err(Errno(libc::EPIPE));
        }
        if connection.is_opening() { Err(Errno::AGAIN) } else { Ok(()) }
    }

    fn write_some(
        &mut self,
        descriptor: c_int,
        id: usize,
        count: usize,
        write: Write,
    ) -> Result<usize, Errno> {
        let limit = self.socket(descriptor)?.options.send_buffer();
        let endpoint = &self.connections[id].endpoint;
        let room = match endpoint.send_buffer() {
            Some(_) => u64::MAX,
            None => limit.saturating_sub(endpoint.buffered()),
        };
        let count = room.min(count as u64);
        let taken = self.with(id, |endpoint, now, out| endpoint.write(now, count, write, out));
        self.connections[id].taken += taken;
        Ok(taken as usize)
    }

    /// Report what becomes of it.
    pub(crate) fn watch(&mut self, descriptor: c_int, id: usize, call: &Call) {
        let Some(socket) = self.sockets.get(&descriptor).filter(|_| call.length() > 0) else { return };
        let without_copying = call.is_without_copying() && socket.options.zero_copy;
        let times = socket.options.times;
        let connection = &mut self.connections[id];
        connection.errors.watch(connection.taken, without_copying, times);
        self.with(id, |_, _, _| {});
    }
}
