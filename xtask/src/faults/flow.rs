//! TCP connections between both hosts, of which every byte is looked at.

use super::network::{Network, inside, now, pause};
use nix::poll::PollFlags;
use seamline_host::socket::wait;
use seamline_host::uninterrupted;
use seamline_wire::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// Longer than the kernel's retransmission timer can have become by the outages of an episode.
const TIMEOUT: Duration = Duration::from_secs(60);
/// For the other end of a connection that has ended.
const SOON_MS: u64 = 3000;
/// Bytes that are written at once.
const CHUNK: usize = 1000;

/// What a connection carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    /// Distinguishes it, and its bytes, from others.
    pub(super) number: u16,
    /// Of IP.
    pub(super) version: u8,
    /// From the mobile to the fixed host, rather than the other way.
    pub(super) is_upload: bool,
    pub(super) bytes: u64,
    /// So many milliseconds between one kilobyte and the next; as fast as TCP allows if zero.
    pub(super) interval: u64,
}

impl std::fmt::Display for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let direction = if self.is_upload { "upload" } else { "download" };
        write!(
            f,
            "connection {} (IPv{} {direction}, {} bytes, a kilobyte each {} ms)",
            self.number, self.version, self.bytes, self.interval
        )
    }
}

/// What went wrong with a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) content: Content,
    pub(super) why: Why,
    /// The step of the plan during which it happened, by its number.
    pub(super) step: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A byte is not the one that was sent, or the end came too early and looked like one.
    WrongData(String),
    /// It was reset or timed out.
    Ended(String),
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Why::WrongData(why) | Why::Ended(why)) = &self.why;
        write!(f, "{}: {why}", self.content)
    }
}

/// A connection that runs in threads.
pub(super) struct Flow {
    pub(super) content: Content,
    received: Arc<AtomicU64>,
    broken: Arc<Mutex<Option<Broken>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Flow {
    /// `step` is the number of the step that is going on.
    pub(super) fn begin(
        network: &Network,
        content: Content,
        step: &Arc<AtomicUsize>,
    ) -> Result<Self, String> {
        let port = 4000 + content.number;
        let address =
            if content.version == 4 { format!("10.77.0.1:{port}") } else { format!("[fd77::1]:{port}") };
        let listener =
            network.fixed.within(|| TcpListener::bind(&address)).map_err(|e| format!("{address}: {e}"))?;
        let flow = Flow { content, received: Arc::default(), broken: Arc::default(), threads: Vec::new() };
        let server = flow.end(!content.is_upload, step, move || accept(&listener));
        let client = flow.end(content.is_upload, step, move || TcpStream::connect(&*address));
        let threads = [inside(&network.fixed, server), inside(&network.mobile, client)];
        let threads: io::Result<Vec<_>> = threads.into_iter().collect();
        Ok(Flow { threads: threads.map_err(|error| format!("a thread: {error}"))?, ..flow })
    }

    /// What one of both ends does.
    fn end<Open: FnOnce() -> io::Result<TcpStream>>(
        &self,
        sends: bool,
        step: &Arc<AtomicUsize>,
        open: Open,
    ) -> impl FnOnce() + use<Open> {
        let (content, received) = (self.content, Arc::clone(&self.received));
        let (broken, step) = (Arc::clone(&self.broken), Arc::clone(step));
        move || {
            let done = open().and_then(prepared).map_err(ended).and_then(|stream| match sends {
                true => send(content, stream),
                false => receive(content, stream, &received),
            });
            if let Err(why) = done {
                let mut broken = broken.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                // A wrong byte counts, whatever comes of the other end.
                if broken.is_none() || matches!(why, Why::WrongData(_)) {
                    *broken = Some(Broken { content, why, step: step.load(Ordering::Relaxed) });
                }
            }
        }
    }

    fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// What has gone wrong by now.
    pub(super) fn broken(&self) -> Option<Broken> {
        self.broken.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    pub(super) fn is_over(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    /// Wait until both ends have closed, or a timeout of theirs is over. Returns how many bytes came as they were sent, and what went wrong.
    pub(super) fn finish(mut self) -> (u64, Option<Broken>) {
        let begun = now();
        // With one end gone, the other one may wait in vain.
        let patience = |it: &Flow| if it.broken().is_some() { SOON_MS } else { 2 * TIMEOUT.as_millis() };
        while !self.is_over() && now() - begun < patience(&self) {
            pause(5);
        }
        if !self.is_over() {
            let why = Why::Ended(format!("it does not end; {} bytes came", self.received()));
            let broken = Broken { content: self.content, why, step: usize::MAX };
            return (self.received(), self.broken().or(Some(broken)));
        }
        let panicked = self.threads.drain(..).any(|thread| thread.join().is_err());
        assert!(!panicked, "an end of a connection panicked");
        (self.received(), self.broken())
    }
}

fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    match wait(listener, PollFlags::POLLIN, TIMEOUT) {
        true => listener.accept().map(|(stream, _)| stream),
        false => Err(io::Error::new(ErrorKind::TimedOut, "no connection came")),
    }
}

fn prepared(stream: TcpStream) -> io::Result<TcpStream> {
    let timeout = Some(std::time::Duration::from_millis(TIMEOUT.as_millis()));
    stream.set_read_timeout(timeout)?;
    stream.set_write_timeout(timeout)?;
    Ok(stream)
}

fn ended(error: io::Error) -> Why {
    Why::Ended(match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("nothing passed for {} s", TIMEOUT.as_secs_f64())
        }
        _ => error.to_string(),
    })
}

/// All bytes, and the end; then the other end has to say how many came.
fn send(content: Content, mut stream: TcpStream) -> Result<(), Why> {
    let mut offset = 0;
    while offset < content.bytes {
        let length = (CHUNK as u64).min(content.bytes - offset);
        let chunk: Vec<u8> = (offset..offset + length).map(|offset| byte(content.number, offset)).collect();
        stream.write_all(&chunk).map_err(ended)?;
        offset += length;
        if content.interval > 0 {
            pause(content.interval);
        }
    }
    stream.shutdown(Shutdown::Write).map_err(ended)?;
    let mut said = Vec::new();
    stream.read_to_end(&mut said).map_err(ended)?;
    match said == content.bytes.to_be_bytes() {
        true => Ok(()),
        false => Err(Why::WrongData(format!("the other end has closed, and says {said:?} of what came"))),
    }
}

fn receive(content: Content, mut stream: TcpStream, received: &AtomicU64) -> Result<(), Why> {
    let (mut offset, mut room) = (0, vec![0; 65_536]);
    loop {
        let length = uninterrupted(|| stream.read(&mut room)).map_err(ended)?;
        if length == 0 {
            break;
        }
        for found in &room[..length] {
            if offset == content.bytes || *found != byte(content.number, offset) {
                return Err(Why::WrongData(format!("byte {offset} is {found:#04x}, and was sent otherwise")));
            }
            offset += 1;
        }
        received.store(offset, Ordering::Relaxed);
    }
    if offset < content.bytes {
        return Err(Why::WrongData(format!("it was closed in order after {offset} bytes, before its end")));
    }
    stream.write_all(&offset.to_be_bytes()).map_err(ended)
}

fn byte(number: u16, offset: u64) -> u8 {
    let mixed = (offset ^ u64::from(number) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as u8
}

#[cfg(test)]
mod tests {
    use super::byte;

    /// A segment in the place of another, or of another connection, is found.
    #[test]
    fn bytes_differ_by_place_and_connection() {
        let at = |number, offset: u64| {
            (offset..offset + 64).map(|offset| byte(number, offset)).collect::<Vec<_>>()
        };
        assert!(at(1, 0) != at(2, 0));
        for shift in [1, 255, 256, 1000, 1448, 65_536, 1 << 32] {
            let same = at(1, 0).iter().zip(at(1, shift)).filter(|(one, other)| **one == *other).count();
            assert!(same < 8, "{shift}: {same}");
        }
    }
}
