//! Packets that show whether a middlebox is ready.

use crate::edge;
use crate::system::{Running, Tun};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_host::clock;
use seamline_wire::codec::{IpVersion, MAX_HEADER_LENGTH, decode, encode};
use seamline_wire::{Duration, Flags, NodeId, Packet, Segment, SequenceNumber, TransportPort};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long a middlebox may take to begin.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer is waited for before it is asked again, in milliseconds.
const AGAIN: u8 = 20;
/// Discard (RFC 863): no program listens there or would answer.
const DISCARD: TransportPort = TransportPort(9);
const WIRED: usize = 0;
const WIRELESS: usize = 1;

/// What is sent: from a host on the wired side to one on the wireless side.
#[derive(Debug)]
pub(super) struct Probe {
    pub(super) ends: [NodeId; 2],
    pub(super) version: IpVersion,
    /// It splits connections: it answers a SYN itself. The others let a reset pass that belongs to no connection.
    pub(super) is_router: bool,
}

impl Probe {
    /// Ask until the answer comes. False after a request to stop. Others may come after it ([`forget_all`]).
    pub(super) fn await_passage(
        &self,
        interfaces: [&Tun; 2],
        running: &mut Running,
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        let (asked, answered_at) = if self.is_router { (Flags::SYN, WIRED) } else { (Flags::RST, WIRELESS) };
        let until = clock::monotonic() + TIMEOUT;
        while clock::monotonic() < until {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if let Some(code) = running.try_wait()? {
                let why = format!("it has ended with exit code {code} before any packet passed");
                return Err(io::Error::other(why));
            }
            interfaces[WIRED].write(&self.packet(asked)?)?;
            if self.is_answered(interfaces[answered_at])? {
                return self.take_leave(interfaces[WIRED]).map(|()| true);
            }
            drain(interfaces[WIRED + WIRELESS - answered_at])?;
        }
        Err(io::Error::new(ErrorKind::TimedOut, format!("nothing passes it within {TIMEOUT}")))
    }

    fn is_answered(&self, interface: &Tun) -> io::Result<bool> {
        let mut waited = [PollFd::new(interface.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut waited, PollTimeout::from(AGAIN));
        let mut buffer = vec![0; usize::from(u16::MAX)];
        while let Some(length) = interface.read(&mut buffer)? {
            if self.is_answer(&buffer[..length]) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_answer(&self, bytes: &[u8]) -> bool {
        let Ok(decoded) = decode(bytes) else { return false };
        let headers = decoded.headers;
        let expected = if self.is_router { Flags::SYN | Flags::ACK } else { Flags::RST };
        [headers.source_port, headers.destination_port] == [DISCARD; 2] && headers.segment.flags == expected
    }

    /// A connection that the probe has begun ends.
    fn take_leave(&self, wired: &Tun) -> io::Result<()> {
        if self.is_router {
            wired.write(&self.packet(Flags::RST)?)?;
        }
        Ok(())
    }

    fn packet(&self, flags: Flags) -> io::Result<Vec<u8>> {
        let sequence = SequenceNumber(u32::from(flags == Flags::RST));
        let packet = Packet {
            source: self.ends[WIRED],
            destination: self.ends[WIRELESS],
            source_port: DISCARD,
            destination_port: DISCARD,
            segment: Segment { sequence, flags, ..Segment::default() },
            ..Packet::default()
        };
        let mut bytes = vec![0; MAX_HEADER_LENGTH];
        let length =
            encode(&edge::headers(&packet, self.version), &[], &mut bytes).map_err(io::Error::other)?;
        bytes.truncate(length);
        Ok(bytes)
    }
}

/// Let what is still on its way come, and throw it away: it is not for the scenario.
pub(super) fn forget_all<'a>(interfaces: impl IntoIterator<Item = &'a Tun>) -> io::Result<()> {
    let _ = poll(&mut [], PollTimeout::from(2 * AGAIN));
    interfaces.into_iter().try_for_each(drain)
}

fn drain(interface: &Tun) -> io::Result<()> {
    let mut buffer = vec![0; usize::from(u16::MAX)];
    while interface.read(&mut buffer)?.is_some() {}
    Ok(())
}
