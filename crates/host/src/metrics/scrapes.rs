//! The counters over HTTP: several clients at a time in one thread, so that silent ones delay nobody.

use super::publish::CHECK;
use crate::clock;
use crate::socket::{pause, timeout};
use crate::uninterrupted;
use nix::poll::{PollFd, PollFlags, poll};
use seamline_wire::{Duration, Instant};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// Clients at a time: one more takes the place of the one that came first.
pub const CLIENTS: usize = 32;
/// For a request and its answer together.
const TIMEOUT: Duration = Duration::from_millis(500);
/// The longest request in bytes.
const LONGEST: usize = 4096;

/// Answer clients with the counters until stopped.
pub(super) fn serve(listener: &TcpListener, stop: &AtomicBool, counters: impl Fn() -> String) {
    let mut clients = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        wait(listener, &clients);
        let now = clock::monotonic();
        clients.retain_mut(|client: &mut Client| {
            now < client.until && client.go_on(&counters).is_ok_and(|goes_on| goes_on)
        });
        if let Err(error) = take_in(listener, &mut clients, now, &counters)
            && error.kind() != ErrorKind::WouldBlock
        {
            // Without a file for the client, the listener would end every wait at once.
            pause(CHECK);
        }
    }
}

fn wait(listener: &TcpListener, clients: &VecDeque<Client>) {
    let listener = PollFd::new(listener.as_fd(), PollFlags::POLLIN);
    let clients = clients.iter().map(|client| PollFd::new(client.stream.as_fd(), client.interest()));
    let mut waited: Vec<PollFd<'_>> = [listener].into_iter().chain(clients).collect();
    let _ = poll(&mut waited, timeout(CHECK));
}

/// Accept new clients, as many as there can be; each often has its request ready.
fn take_in(
    listener: &TcpListener,
    clients: &mut VecDeque<Client>,
    now: Instant,
    counters: &impl Fn() -> String,
) -> io::Result<()> {
    for _ in 0..CLIENTS {
        let mut client = Client::new(listener.accept()?.0, now)?;
        if client.go_on(counters).is_ok_and(|goes_on| goes_on) {
            if clients.len() == CLIENTS {
                clients.pop_front();
            }
            clients.push_back(client);
        }
    }
    Ok(())
}

/// The answer to what a client has sent so far, with these counters; `None` if more has to come first. The client `is_at_end` when it sends no more.
pub fn answer(request: &[u8], is_at_end: bool, counters: impl Fn() -> String) -> Option<Vec<u8>> {
    Status::of(request, is_at_end).map(|status| status.answer(&counters))
}

/// A client, from its first byte to its end.
#[derive(Debug)]
struct Client {
    stream: TcpStream,
    until: Instant,
    request: Vec<u8>,
    /// What is left to write; empty until the request is complete.
    answer: VecDeque<u8>,
    /// Everything is written. It is not closed yet: closing with bytes unread resets the connection, and the answer could be lost.
    is_answered: bool,
}

impl Client {
    fn new(stream: TcpStream, now: Instant) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        let until = now + TIMEOUT;
        Ok(Client { stream, until, request: Vec::new(), answer: VecDeque::new(), is_answered: false })
    }

    fn interest(&self) -> PollFlags {
        if self.answer.is_empty() { PollFlags::POLLIN } else { PollFlags::POLLOUT }
    }

    /// Read and write what can be; returns whether it goes on.
    fn go_on(&mut self, counters: &impl Fn() -> String) -> io::Result<bool> {
        let is_at_end = self.read()?;
        if self.is_answered {
            return Ok(!is_at_end);
        }
        if self.answer.is_empty() {
            let Some(answer) = answer(&self.request, is_at_end, counters) else { return Ok(true) };
            self.answer = answer.into();
        }
        self.write()
    }

    /// Returns whether the client has sent everything. What follows a request is dropped.
    fn read(&mut self) -> io::Result<bool> {
        let mut room = [0; LONGEST];
        loop {
            match uninterrupted(|| self.stream.read(&mut room)) {
                Ok(0) => return Ok(true),
                Ok(length) => {
                    let left = LONGEST.saturating_sub(self.request.len());
                    self.request.extend(&room[..length.min(left)]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    fn write(&mut self) -> io::Result<bool> {
        while !self.answer.is_empty() {
            match uninterrupted(|| self.stream.write(self.answer.as_slices().0)) {
                Ok(length) => drop(self.answer.drain(..length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) => return Err(error),
            }
        }
        self.is_answered = true;
        self.stream.shutdown(Shutdown::Write)?;
        Ok(true)
    }
}

/// What a request gets (RFC 9110).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Counters,
    CountersHead,
    NotHttp,
    NoSuchPage,
    OtherMethod,
}

impl Status {
    /// `None` if more of the request has to come first.
    fn of(request: &[u8], is_at_end: bool) -> Option<Self> {
        let end = request.iter().position(|byte| *byte == b'\n');
        let line = &request[..end.unwrap_or(request.len())];
        let status = Status::of_line(line.strip_suffix(b"\r").unwrap_or(line));
        let is_text = line.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\r'));
        if !is_text || end.is_some() && status == Status::NotHttp {
            return Some(Status::NotHttp);
        }
        let is_whole =
            request.windows(4).any(|end| end == b"\r\n\r\n") || request.windows(2).any(|end| end == b"\n\n");
        match is_whole {
            true => Some(status),
            false => (is_at_end || request.len() == LONGEST).then_some(Status::NotHttp),
        }
    }

    /// By the first line: method, target, version.
    fn of_line(line: &[u8]) -> Self {
        let mut words = line.split(|byte| *byte == b' ');
        let words = [words.next(), words.next(), words.next(), words.next()];
        let [Some(method), Some(target), Some(version), None] = words else { return Status::NotHttp };
        if method.is_empty() || !method.iter().all(u8::is_ascii_uppercase) || !version.starts_with(b"HTTP/1.")
        {
            return Status::NotHttp;
        }
        let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
        match (method, path) {
            (b"GET", b"/" | b"/metrics") => Status::Counters,
            (b"HEAD", b"/" | b"/metrics") => Status::CountersHead,
            (b"GET" | b"HEAD", _) => Status::NoSuchPage,
            _ => Status::OtherMethod,
        }
    }

    fn answer(self, counters: &impl Fn() -> String) -> Vec<u8> {
        let (line, more, body) = match self {
            Status::Counters | Status::CountersHead => ("200 OK", "", counters()),
            Status::NotHttp => ("400 Bad Request", "", "this is no HTTP request\n".to_owned()),
            Status::NoSuchPage => ("404 Not Found", "", "the counters are at /metrics\n".to_owned()),
            Status::OtherMethod => {
                ("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "only GET and HEAD\n".to_owned())
            }
        };
        let length = body.len();
        let body = if self == Status::CountersHead { "" } else { &body };
        format!(
            "HTTP/1.1 {line}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\n{more}Connection: close\r\n\r\n{body}"
        )
        .into_bytes()
    }
}

#[cfg(test)]
#[path = "scrapes/tests.rs"]
mod tests;
