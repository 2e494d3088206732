//! The kernel's state of one TCP connection: `getsockopt(TCP_INFO)`.
//!
//! The kernel copies as many bytes of its `struct tcp_info` (`include/uapi/linux/tcp.h`) as it has and the caller has
//! room for. Fields have only ever been added at its end, so each is read at its documented offset, and is `None` where the
//! kernel is too old to have it.

use seamline_host::netlink::{number, word};
use seamline_host::socket::read_option;
use seamline_wire::Duration;
use std::io;
use std::os::fd::AsFd;

/// More than any kernel has today (6.18: 280 bytes), so that nothing is cut off.
const ROOM: usize = 512;
/// All that Linux 4.9 and newer have: up to and with `tcpi_sndbuf_limited`.
const LEAST: usize = 192;

/// The state of a connection as the kernel's sender sees it. Lengths are in segments unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpInfo {
    /// State of loss recovery by the kernel's number; see [`recovery_state_name`](Self::recovery_state_name).
    pub congestion_avoidance_state: u8,
    /// Timeouts in a row without progress.
    pub retransmits: u8,
    /// How many times the retransmission timeout is doubled (RFC 6298 §5.5).
    pub backoff: u8,
    /// The retransmission timeout, including the doublings of [`backoff`](Self::backoff).
    pub retransmission_timeout: Duration,
    /// Payload of a full segment, in bytes.
    pub send_maximum_segment_bytes: u32,
    /// Segments with payload received over the whole connection, those among them that came again or out of order.
    pub data_segments_received: u32,
    /// Sent and not acknowledged cumulatively.
    pub unacknowledged: u32,
    /// Segments among these that count as lost.
    pub lost: u32,
    /// Smoothed round-trip time (RFC 6298).
    pub smoothed_round_trip_time: Duration,
    /// Its mean deviation (RFC 6298).
    pub round_trip_time_variation: Duration,
    /// Slow-start threshold; `None` as long as there was no loss.
    pub slow_start_threshold: Option<u32>,
    /// Congestion window.
    pub congestion_window: u32,
    /// Retransmissions of the whole connection.
    pub total_retransmissions: u32,
    /// Bytes per second at which segments are paced; `None` when they are not.
    pub pacing_bytes_per_second: Option<u64>,
    /// Acknowledged cumulatively over the whole connection, in bytes: with one each for SYN and FIN.
    pub acknowledged_bytes: u64,
    /// Timeouts of the retransmission timer over the whole connection (Linux 6.7).
    pub total_timeouts: Option<u16>,
}

impl TcpInfo {
    /// Ask the kernel about a TCP socket.
    ///
    /// # Errors
    /// When this is no TCP socket, or the kernel is older than Linux 4.10 and reports too little.
    pub fn of(socket: impl AsFd) -> io::Result<Self> {
        let mut room = [0; ROOM];
        let length = read_option(&socket, libc::IPPROTO_TCP, libc::TCP_INFO, &mut room)?;
        TcpInfo::from_bytes(&room[..length]).ok_or_else(|| {
            io::Error::other(format!(
                "TCP_INFO has {length} bytes; the lab needs {LEAST} (Linux 4.10 or newer)"
            ))
        })
    }

    /// The name of the state of loss recovery, as Linux calls it.
    pub fn recovery_state_name(&self) -> &'static str {
        const NAMES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];
        NAMES.get(usize::from(self.congestion_avoidance_state)).copied().unwrap_or("unknown")
    }

    /// Read `struct tcp_info`; `None` when it is shorter than any kernel's of the last years.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < LEAST {
            return None;
        }
        Some(TcpInfo {
            congestion_avoidance_state: bytes[1],
            retransmits: bytes[2],
            backoff: bytes[4],
            retransmission_timeout: micros(word(bytes, 8)?),
            send_maximum_segment_bytes: word(bytes, 16)?,
            data_segments_received: word(bytes, 152)?,
            unacknowledged: word(bytes, 24)?,
            lost: word(bytes, 32)?,
            smoothed_round_trip_time: micros(word(bytes, 68)?),
            round_trip_time_variation: micros(word(bytes, 72)?),
            slow_start_threshold: word(bytes, 76).filter(|threshold| *threshold < NO_THRESHOLD),
            congestion_window: word(bytes, 80)?,
            total_retransmissions: word(bytes, 100)?,
            pacing_bytes_per_second: number(bytes, 104)
                .map(u64::from_ne_bytes)
                .filter(|rate| *rate != u64::MAX),
            acknowledged_bytes: u64::from_ne_bytes(number(bytes, 120)?),
            total_timeouts: number(bytes, 240).map(u16::from_ne_bytes),
        })
    }
}

/// `TCP_INFINITE_SSTHRESH`.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

fn micros(micros: u32) -> Duration {
    Duration::from_micros(micros.into())
}

#[cfg(test)]
#[path = "tcp_info/tests.rs"]
mod tests;
