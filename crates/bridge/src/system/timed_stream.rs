//! A TCP stream with one deadline for all its operations.

use super::log::CHECK;
use nix::poll::PollFlags;
use seamline_host::clock;
use seamline_host::socket::wait;
use seamline_wire::Instant;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};

/// Wait until the stream can be read, or written; an error after the deadline, or when the process is to stop.
fn wait_until(stream: &TcpStream, events: PollFlags, until: Instant, stop: &AtomicBool) -> io::Result<()> {
    loop {
        let left = until.saturating_since(clock::monotonic());
        if left.as_millis() == 0 || stop.load(Ordering::Relaxed) {
            return Err(ErrorKind::TimedOut.into());
        }
        if wait(stream, events, left.min(CHECK)) {
            return Ok(());
        }
    }
}

/// A stream with one deadline for all its operations.
#[derive(Debug)]
pub(super) struct TimedStream<'a> {
    stream: TcpStream,
    pub(super) until: Instant,
    stop: &'a AtomicBool,
}

impl<'a> TimedStream<'a> {
    pub(super) fn new(stream: TcpStream, until: Instant, stop: &'a AtomicBool) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(TimedStream { stream, until, stop })
    }
    pub(super) fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            wait_until(&self.stream, PollFlags::POLLOUT, self.until, self.stop)?;
            let Some(written) = unless_it_would_wait(self.stream.write(bytes))? else { continue };
            bytes = &bytes[written..];
        }
        Ok(())
    }
    pub(super) fn read_exact(&mut self, mut room: &mut [u8]) -> io::Result<()> {
        while !room.is_empty() {
            wait_until(&self.stream, PollFlags::POLLIN, self.until, self.stop)?;
            match unless_it_would_wait(self.stream.read(room))? {
                Some(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Some(length) => room = &mut room[length..],
                None => {}
            }
        }
        Ok(())
    }
}

/// `None` if the operation would block.
pub(super) fn unless_it_would_wait(done: io::Result<usize>) -> io::Result<Option<usize>> {
    match done {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        done => done.map(Some),
    }
}
