//! The kernel's state of one connection (sock_diag(7)).
//!
//! Offsets follow `include/uapi/linux/inet_diag.h` and `tcp.h`, whose structures only ever grow at the end.

use crate::connections::Key;
use crate::kick::KernelView;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;
use seamline_host::explained;
use seamline_host::netlink::{self, Message, Requests, attribute, number, word};
use seamline_wire::Duration;
use std::io;
use std::net::IpAddr;

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;
/// Bytes of `struct inet_diag_req_v2`, `struct inet_diag_msg`.
const REQUEST: usize = 56;
const ANSWER: usize = 72;
/// `INET_DIAG_INFO`: the attribute that holds `struct tcp_info`; and `INET_DIAG_MARK`, reported only to processes that may set a mark.
const INFORMATION: u16 = 2;
const MARK: u16 = 15;
/// Shift of `INET_DIAG_INFO` among the extensions asked for.
const ASK_INFORMATION: u8 = 1 << (INFORMATION - 1);
/// All of `struct tcp_info` that is read, up to and with `tcpi_notsent_bytes` (Linux 4.6).
const LEAST_INFORMATION: usize = 148;
/// Bits of `tcpi_options`.
const TIMESTAMPS: u8 = 1;
const SACK: u8 = 2;

/// A socket for requests to sock_diag.
#[derive(Debug)]
pub(super) struct Diagnosis {
    requests: Requests,
}

impl Diagnosis {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the kernel cannot be asked (`CONFIG_INET_DIAG`), or has no TCP to ask about (`CONFIG_INET_TCP_DIAG`).
    pub(super) fn open() -> io::Result<Self> {
        let made = Requests::open(NETLINK_SOCK_DIAG).and_then(|requests| {
            let diagnosis = Diagnosis { requests };
            diagnosis.try_out()?;
            Ok(diagnosis)
        });
        made.map_err(|error| explained(error, "asking for TCP connections (sock_diag; CONFIG_INET_DIAG)"))
    }

    /// A request about one connection has the same answer whether the connection or the kernel module is missing. A dump of connections in
    /// no state distinguishes the two.
    fn try_out(&self) -> io::Result<()> {
        let mut request = [0; REQUEST];
        request[0..2].copy_from_slice(&[libc::AF_INET as u8, libc::IPPROTO_TCP as u8]);
        self.requests.ask(BY_FAMILY, netlink::DUMP, &request, |end| has_handler(end).map(Some))
    }

    /// The state of a connection; `None` when this host has no such connection.
    ///
    /// # Errors
    /// When the kernel cannot be asked.
    pub(super) fn view(&self, key: &Key, interface: u32) -> io::Result<Option<KernelView>> {
        let request = request(key, interface);
        let answered = self.requests.ask(BY_FAMILY, 0, &request, |message| answer(message).map(Some));
        answered.map_err(|error| explained(error, "asking for a TCP connection"))
    }
}

/// An error if the kernel has no module for TCP connections.
fn has_handler(message: &Message<'_>) -> io::Result<()> {
    match message.error() {
        None => Ok(()),
        Some(libc::ENOENT) => {
            let text = "this kernel cannot look up TCP connections: modprobe tcp_diag (CONFIG_INET_TCP_DIAG)";
            Err(io::Error::new(io::ErrorKind::Unsupported, text))
        }
        Some(code) => Err(io::Error::from_raw_os_error(code)),
    }
}

fn request(key: &Key, interface: u32) -> [u8; REQUEST] {
    let mut request = [0; REQUEST];
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
    request
}

fn put_address(place: &mut [u8], address: IpAddr) {
    match address {
        IpAddr::V4(address) => place[..4].copy_from_slice(&address.octets()),
        IpAddr::V6(address) => place.copy_from_slice(&address.octets()),
    }
}

/// The state of a connection in an answer of sock_diag; `None` if it is over.
///
/// # Errors
/// The kernel's own, or when the answer is cut short.
pub fn answer(message: &Message<'_>) -> io::Result<Option<KernelView>> {
    let short = || io::Error::new(io::ErrorKind::InvalidData, "the kernel's answer is cut short");
    match (message.kind, message.error()) {
        (_, Some(libc::ENOENT)) => return Ok(None),
        (_, Some(code)) => return Err(io::Error::from_raw_os_error(code)),
        (BY_FAMILY, None) => {}
        _ => return Err(short()),
    }
    let (fixed, rest) = message.body.split_at_checked(ANSWER).ok_or_else(short)?;
    let fixed_field = |at| word(fixed, at).unwrap_or(0);
    let Some(information) = attribute(rest, INFORMATION) else {
        // A connection in TIME-WAIT has none.
        return Ok(None);
    };
    if information.len() < LEAST_INFORMATION {
        return Err(io::Error::other("the kernel's TCP_INFO is older than Linux 4.6"));
    }
    let field = |at| word(information, at).unwrap_or(0);
    let time = |at| Some(Duration::from_micros(field(at).into())).filter(|time| !time.is_zero());
    Ok(Some(KernelView {
        state: fixed[1],
        // write_seq - SND.UNA, less write_seq - SND.NXT.
        unacknowledged: fixed_field(60).saturating_sub(field(144)),
        acknowledged: number(information, 120).map_or(0, u64::from_ne_bytes),
        received: number(information, 128).map_or(0, u64::from_ne_bytes),
        backoff: information[4],
        timeouts: information[2],
        retransmissions: field(100),
        has_timestamps: information[5] & TIMESTAMPS != 0,
        has_sack: information[5] & SACK != 0,
        bound_to: fixed_field(40),
        mark: attribute(rest, MARK).and_then(|mark| word(mark, 0)).unwrap_or(0),
        round_trip: time(68),
        round_trip_deviation: time(72),
        receiver_round_trip: time(92),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use netlink::{DONE, ERROR};

    /// A message as the kernel sends it.
    fn answer_of(kind: u16, body: &[u8]) -> io::Result<Option<KernelView>> {
        let bytes = netlink::request(kind, 0, 1, body);
        answer(&netlink::messages(&bytes).next().unwrap())
    }

    #[test]
    fn malformed_answers_are_errors() {
        for length in 0..ANSWER {
            assert!(answer_of(BY_FAMILY, &vec![0; length]).is_err(), "{length}");
        }
        let short = [vec![0; ANSWER], vec![8, 0, 2, 0, 0, 0, 0, 0]].concat();
        assert!(answer_of(BY_FAMILY, &short).unwrap_err().to_string().contains("older than Linux 4.6"));
    }

    #[test]
    fn only_enoent_means_that_a_connection_is_over() {
        assert_eq!(answer_of(ERROR, &(-libc::ENOENT).to_ne_bytes()).unwrap(), None);
        assert!(answer_of(ERROR, &(-libc::EPERM).to_ne_bytes()).is_err());
        assert!(answer_of(DONE, &[0; 4]).is_err());
    }

    /// The end of the dump of no states, where the module is missing.
    #[test]
    fn a_missing_module_is_distinguished_from_no_connections() {
        let end = |code: i32| {
            let bytes = netlink::request(DONE, 0, 1, &code.to_ne_bytes());
            has_handler(&netlink::messages(&bytes).next().unwrap()).map_err(|error| error.to_string())
        };
        assert_eq!(end(0), Ok(()));
        assert!(end(-libc::ENOENT).unwrap_err().contains("modprobe tcp_diag"));
    }
}
