//! The kernel's state of one TCP connection: `getsockopt(TCP_INFO)`.
//!
//! The kernel copies as many bytes of its `struct tcp_info` (`include/uapi/linux/tcp.h`) as it has and the caller has
//! room for. Fields have only ever been added at its end, so each is read at its documented offset, and is `None` where the
//! kernel is too old to have it.
#![expect(unsafe_code, reason = "getsockopt with a buffer longer than any library's struct tcp_info")]

use seamline_wire::Duration;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

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
        let length = ask(socket.as_fd(), &mut room)?;
        TcpInfo::from_bytes(&room[..length.min(ROOM)]).ok_or_else(|| {
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
        let fields = Fields(bytes);
        Some(TcpInfo {
            congestion_avoidance_state: bytes[1],
            retransmits: bytes[2],
            backoff: bytes[4],
            retransmission_timeout: micros(fields.u32(8)?.into()),
            send_maximum_segment_bytes: fields.u32(16)?,
            data_segments_received: fields.u32(152)?,
            unacknowledged: fields.u32(24)?,
            lost: fields.u32(32)?,
            smoothed_round_trip_time: micros(fields.u32(68)?.into()),
            round_trip_time_variation: micros(fields.u32(72)?.into()),
            slow_start_threshold: fields.u32(76).filter(|threshold| *threshold < NO_THRESHOLD),
            congestion_window: fields.u32(80)?,
            total_retransmissions: fields.u32(100)?,
            pacing_bytes_per_second: fields.u64(104).filter(|rate| *rate != u64::MAX),
            acknowledged_bytes: fields.u64(120)?,
            total_timeouts: fields.u16(240),
        })
    }
}

/// `TCP_INFINITE_SSTHRESH`.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

fn micros(micros: u64) -> Duration {
    Duration::from_micros(micros)
}

/// Numbers in the host's byte order at byte offsets.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn at<const LENGTH: usize>(&self, offset: usize) -> Option<[u8; LENGTH]> {
        self.0.get(offset..offset + LENGTH)?.try_into().ok()
    }
    fn u16(&self, offset: usize) -> Option<u16> {
        self.at(offset).map(u16::from_ne_bytes)
    }
    fn u32(&self, offset: usize) -> Option<u32> {
        self.at(offset).map(u32::from_ne_bytes)
    }
    fn u64(&self, offset: usize) -> Option<u64> {
        self.at(offset).map(u64::from_ne_bytes)
    }
}

/// How many bytes of `room` the kernel has filled.
fn ask(socket: BorrowedFd<'_>, room: &mut [u8; ROOM]) -> io::Result<usize> {
    let mut length = ROOM as libc::socklen_t;
    // SAFETY: `room` is `length` bytes of writable memory, both live during the call; the kernel writes at most `length`
    // bytes there and their number into `length`. Any bytes are a valid `[u8; ROOM]`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            room.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result == 0 { Ok(length as usize) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
#[path = "tcp_info/tests.rs"]
mod tests;
