//! The client.

use super::ENDLESS;
use super::socket::{LOOK_EVERY, connected};
use super::timeline::{Request, Sample, Timeline};
use nix::poll::PollFlags;
use seamline_host::socket::wait;
use seamline_lab::clock::monotonic;
use seamline_lab::system::TcpInfo;
use seamline_wire::{Duration, Instant};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes read at once.
const ROOM: usize = 1 << 18;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// One answer without end.
    Bulk,
    /// One answer of so many bytes after the other.
    Requests(u64),
}

/// How to fetch.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Where the server is.
    pub server: SocketAddr,
    /// Whether to use MPTCP (RFC 8684).
    pub is_mptcp: bool,
    /// What is asked for.
    pub what: What,
    /// For how long.
    pub duration: Duration,
    /// Time zero of the timeline, by `CLOCK_MONOTONIC`; without it when the client begins to connect.
    pub zero: Option<Instant>,
}

impl Fetch {
    /// Connect, fetch, and note what comes when; until the time is over, `stop` is set, or the connection ends, which the second
    /// value says.
    ///
    /// # Errors
    /// When the server cannot be reached, or not until then.
    pub fn run(&self, stop: &AtomicBool) -> io::Result<(Timeline, io::Result<()>)> {
        let began = monotonic();
        let is_over = || monotonic().saturating_since(began) >= self.duration || stop.load(Ordering::Relaxed);
        let stream = connected(self.server, self.is_mptcp, is_over)?;
        let mut client = Client {
            stream,
            zero: self.zero.unwrap_or(began),
            timeline: Timeline::default(),
            owed: 0,
            bytes: 0,
            segments: None,
            has_segments: !self.is_mptcp,
        };
        let ended = client.go_on(self.what, is_over);
        client.timeline.end_s = client.now_s();
        Ok((client.timeline, ended))
    }
}

#[derive(Debug)]
struct Client {
    stream: TcpStream,
    zero: Instant,
    timeline: Timeline,
    /// Bytes of the answer that have not come.
    owed: u64,
    bytes: u64,
    segments: Option<u64>,
    /// Of MPTCP the kernel counts the segments of the first path only.
    has_segments: bool,
}

impl Client {
    fn go_on(&mut self, what: What, is_over: impl Fn() -> bool) -> io::Result<()> {
        self.ask(what)?;
        let mut room = vec![0; ROOM];
        while !is_over() {
            wait(&self.stream, PollFlags::POLLIN, LOOK_EVERY);
            let read = self.read(what, &mut room);
            self.look();
            read?;
        }
        Ok(())
    }

    /// Seconds since time zero, which may be later than now.
    fn now_s(&self) -> f64 {
        let now = monotonic();
        now.saturating_since(self.zero).as_secs_f64() - self.zero.saturating_since(now).as_secs_f64()
    }

    fn ask(&mut self, what: What) -> io::Result<()> {
        self.owed = match what {
            What::Bulk => ENDLESS,
            What::Requests(bytes) => {
                let asked_s = self.now_s();
                self.timeline.requests.push(Request { asked_s, answered_s: None });
                bytes
            }
        };
        // Eight bytes always have room: the answer to the last ones has come.
        self.stream.write_all(&self.owed.to_be_bytes())
    }

    fn read(&mut self, what: What, room: &mut [u8]) -> io::Result<()> {
        match self.stream.read(room) {
            Ok(0) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the server has ended the connection")),
            Ok(bytes) => {
                self.bytes += bytes as u64;
                if self.owed != ENDLESS {
                    self.owed = self.owed.saturating_sub(bytes as u64);
                }
                if self.owed == 0 {
                    let now_s = self.now_s();
                    if let Some(request) = self.timeline.requests.last_mut() {
                        request.answered_s = Some(now_s);
                    }
                    self.ask(what)?;
                }
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Note what is new.
    fn look(&mut self) {
        if self.has_segments
            && let Ok(info) = TcpInfo::of(&self.stream)
        {
            self.segments = Some(info.data_segments_received.into());
        }
        let sample = Sample { at_s: self.now_s(), bytes: self.bytes, segments: self.segments };
        let last = self.timeline.samples.last();
        if last.is_none_or(|last| (last.bytes, last.segments) != (sample.bytes, sample.segments)) {
            self.timeline.samples.push(sample);
        }
    }
}
