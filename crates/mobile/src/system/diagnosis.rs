//! What the kernel says of one connection (sock_diag(7)).
//!
//! Offsets are those of `include/uapi/linux/inet_diag.h` and `tcp.h`, which only ever grow at their ends.

use super::explained;
use crate::connections::Key;
use crate::kick::KernelView;
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_SOCK_DIAG};
use seamline_wire::Duration;
use std::io;
use std::net::IpAddr;

/// `SOCK_DIAG_BY_FAMILY`, and `NLMSG_ERROR`.
const BY_FAMILY: u16 = 20;
const ERROR: u16 = 2;
/// Bytes of `struct nlmsghdr`, `struct inet_diag_req_v2`, `struct inet_diag_msg`.
const HEADER: usize = 16;
const REQUEST: usize = 56;
const ANSWER: usize = 72;
/// `INET_DIAG_INFO`: the attribute that holds `struct tcp_info`.
const INFORMATION: u16 = 2;
/// Shift of `INET_DIAG_INFO` among the extensions asked for.
const ASK_INFORMATION: u8 = 1 << (INFORMATION - 1);
/// All of `struct tcp_info` that is read, up to and with `tcpi_notsent_bytes` (Linux 4.6).
const LEAST_INFORMATION: usize = 148;
const ROOM: usize = 8 * 1024;

/// A socket to ask the kernel by.
#[derive(Debug)]
pub struct Diagnosis {
    socket: Socket,
}

impl Diagnosis {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the kernel cannot be asked (`CONFIG_INET_DIAG`).
    pub fn open() -> io::Result<Self> {
        let made = Socket::new(NETLINK_SOCK_DIAG).and_then(|mut socket| {
            socket.bind_auto()?;
            socket.connect(&SocketAddr::new(0, 0))?;
            Ok(Diagnosis { socket })
        });
        made.map_err(|error| explained(error, "asking for TCP connections (sock_diag; CONFIG_INET_DIAG)"))
    }

    /// Ask about a connection; `None` when this host has none like that.
    ///
    /// # Errors
    /// When the kernel cannot be asked, or has no TCP to ask about (`CONFIG_INET_TCP_DIAG`).
    pub fn view(&self, key: &Key, interface: u32) -> io::Result<Option<KernelView>> {
        self.socket.send(&request(key, interface), 0)?;
        let mut room = Vec::with_capacity(ROOM);
        self.socket.recv(&mut room, 0)?;
        answer(&room).map_err(|error| explained(error, "asking for a TCP connection"))
    }
}

fn request(key: &Key, interface: u32) -> [u8; HEADER + REQUEST] {
    const NLM_F_REQUEST: u16 = 1;
    let mut bytes = [0; HEADER + REQUEST];
    bytes[0..4].copy_from_slice(&((HEADER + REQUEST) as u32).to_ne_bytes());
    bytes[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
    bytes[6..8].copy_from_slice(&NLM_F_REQUEST.to_ne_bytes());
    let request = &mut bytes[HEADER..];
    let family = if key.local.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    request[0..3].copy_from_slice(&[family as u8, libc::IPPROTO_TCP as u8, ASK_INFORMATION]);
    // Of every state.
    request[4..8].fill(0xff);
    request[8..10].copy_from_slice(&key.local.port().to_be_bytes());
    request[10..12].copy_from_slice(&key.remote.port().to_be_bytes());
    put_address(&mut request[12..28], key.local.ip());
    put_address(&mut request[28..44], key.remote.ip());
    request[44..48].copy_from_slice(&interface.to_ne_bytes());
    // Whatever its cookie.
    request[48..56].fill(0xff);
    bytes
}

fn put_address(place: &mut [u8], address: IpAddr) {
    match address {
        IpAddr::V4(address) => place[..4].copy_from_slice(&address.octets()),
        IpAddr::V6(address) => place.copy_from_slice(&address.octets()),
    }
}

fn answer(bytes: &[u8]) -> io::Result<Option<KernelView>> {
    let short = || io::Error::new(io::ErrorKind::InvalidData, "the kernel's answer is cut short");
    let kind = u16::from_ne_bytes(number(bytes, 4).ok_or_else(short)?);
    if kind == ERROR {
        let code = i32::from_ne_bytes(number(bytes, HEADER).ok_or_else(short)?);
        return match -code {
            libc::ENOENT => Ok(None),
            code => Err(io::Error::from_raw_os_error(code)),
        };
    }
    let message = bytes.get(HEADER..).ok_or_else(short)?;
    let state = *message.get(1).ok_or_else(short)?;
    let waiting = u32::from_ne_bytes(number(message, 60).ok_or_else(short)?);
    let Some(information) = attribute(message.get(ANSWER..).ok_or_else(short)?, INFORMATION) else {
        // A connection in TIME-WAIT has none.
        return Ok(None);
    };
    if information.len() < LEAST_INFORMATION {
        return Err(io::Error::other("the kernel's TCP_INFO is older than Linux 4.6"));
    }
    let field = |at| number(information, at).map_or(0, u32::from_ne_bytes);
    let time = |at| Some(Duration::from_micros(field(at).into())).filter(|time| !time.is_zero());
    Ok(Some(KernelView {
        state,
        // write_seq - SND.UNA, less write_seq - SND.NXT.
        unacknowledged: waiting.saturating_sub(field(144)),
        backoff: information[4],
        timeouts: information[2],
        retransmissions: field(100),
        round_trip: time(68),
        receiver_round_trip: time(92),
    }))
}

/// The body of an attribute among those in `bytes` (netlink(7)).
fn attribute(mut bytes: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16::from_ne_bytes(number(bytes, 0)?));
        let kind = u16::from_ne_bytes(number(bytes, 2)?);
        let body = bytes.get(4..length)?;
        if kind == wanted {
            return Some(body);
        }
        bytes = bytes.get(length.next_multiple_of(4)..)?;
    }
}

fn number<const LENGTH: usize>(bytes: &[u8], at: usize) -> Option<[u8; LENGTH]> {
    bytes.get(at..at + LENGTH)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_answers_are_errors_and_no_panics() {
        for length in 0..HEADER + ANSWER {
            let mut bytes = vec![0; length];
            if length > 5 {
                bytes[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
            }
            assert!(answer(&bytes).is_err(), "{length}");
        }
        assert_eq!(attribute(&[0; 32], INFORMATION), None, "a length of zero must not be gone by for ever");
    }
}
