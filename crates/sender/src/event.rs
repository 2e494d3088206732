//! What the programs report, as `struct event` in `bpf/connection.h` has it.

use crate::counters::Counter;
use seamline_host::Line;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// The kernel's numbers of address families.
const IPV6: u16 = 10;
const LENGTH: usize = 48;

/// Something that happened to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, by the kernel's clock since the host was started (`CLOCK_MONOTONIC`).
    pub at: Duration,
    /// The port of this host.
    pub local_port: u16,
    /// The other end.
    pub peer: SocketAddr,
    /// What.
    pub what: What,
}

/// What happened. Windows and thresholds are in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The retransmission timer has run out.
    Timeout {
        /// The window that a mark would bring back.
        window: u32,
        /// The slow-start threshold that it would bring back.
        threshold: u32,
        /// The threshold to which the kernel has reduced.
        reduced: u32,
    },
    /// A mark has brought a window back.
    Restored {
        /// The window before.
        from: u32,
        /// The window now.
        window: u32,
        /// The threshold now.
        threshold: u32,
    },
    /// The window restored has been acknowledged.
    Kept {
        /// The window now.
        window: u32,
    },
    /// Data was lost before that: back to what the kernel had reduced to.
    Undone {
        /// The window now.
        window: u32,
        /// Segments lost.
        lost: u32,
    },
    /// The kernel was asked to send again at once.
    Asked {
        /// Doublings of its timer that it was asked to take back.
        doublings: u32,
    },
    /// With the mark came news of segments that had arrived, and the kernel itself took the timeout back.
    TakenBackByKernel,
    /// A mark was ignored. Of marks in a row only one a second is reported.
    Ignored(Counter),
}

impl Event {
    /// Read what the programs have written. `None` when it is nothing they write.
    pub(crate) fn read(bytes: &[u8]) -> Option<Event> {
        let bytes: &[u8; LENGTH] = bytes.first_chunk()?;
        let word = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let half = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let nanoseconds = u64::from_ne_bytes(*bytes.first_chunk()?);
        let address: [u8; 16] = *bytes[16..].first_chunk()?;
        let [a, b, c, d, ..] = address;
        let peer = match half(12) {
            IPV6 => IpAddr::V6(Ipv6Addr::from(address)).to_canonical(),
            _ => IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        };
        Some(Event {
            at: Duration::from_nanos(nanoseconds),
            local_port: half(14),
            peer: SocketAddr::new(peer, half(32)),
            what: What::read(word(8), [word(36), word(40), word(44)])?,
        })
    }
}

impl What {
    fn read(kind: u32, [first, second, third]: [u32; 3]) -> Option<What> {
        Some(match kind {
            0 => What::Timeout { window: first, threshold: second, reduced: third },
            1 => What::Restored { from: first, window: second, threshold: third },
            2 => What::Kept { window: first },
            3 => What::Undone { window: first, lost: third },
            4 => What::Asked { doublings: first },
            5 => What::Ignored(*Counter::ALL.get(first as usize)?),
            6 => What::TakenBackByKernel,
            _ => return None,
        })
    }
}

impl Event {
    /// As a line of the log, without its time.
    pub fn line(&self) -> Line {
        let line = match self.what {
            What::Timeout { window, threshold, reduced } => Line::new("timeout")
                .with("window", window)
                .with("threshold", threshold)
                .with("reduced_to", reduced),
            What::Restored { from, window, threshold } => {
                Line::new("restored").with("from", from).with("window", window).with("threshold", threshold)
            }
            What::Kept { window } => Line::new("kept").with("window", window),
            What::Undone { window, lost } => Line::new("undone").with("window", window).with("lost", lost),
            What::Asked { doublings } => Line::new("asked").with("doublings", doublings),
            What::TakenBackByKernel => Line::new("taken-back-by-kernel"),
            What::Ignored(why) => Line::new("ignored").shown("why", why),
        };
        line.with("local_port", self.local_port).shown("peer", self.peer)
    }
}

#[cfg(test)]
mod tests;
