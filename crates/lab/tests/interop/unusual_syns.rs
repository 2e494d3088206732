//! SYNs of the kernel that ask for more than is usual.

use crate::host::{Setup, Way};
use crate::pair::{BOTH, KERNEL_PORT, OUR_CLIENT_PORT, OUR_PORT, Opener, Pair, exchange, prepared};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_wire::Flags;
use seamline_wire::codec::IpVersion;
use std::io::Write;
use std::net::{TcpListener, TcpStream};

const BYTES: u64 = 200_000;

#[test]
fn explicit_congestion_notification_is_agreed_on_when_asked_for() {
    let Some(_) = Pair::or_skip("explicit_congestion_notification_is_agreed_on_when_asked_for") else {
        return;
    };
    for opener in BOTH {
        let pair = Pair::new(IpVersion::V4);
        pair.set("ipv4/tcp_ecn", "1");
        let (ours, stream) = pair.connected(opener, Setup::default());
        exchange(&ours, stream, BYTES, BYTES);
        let echo =
            |way| pair.ours.seen(way, |segment| segment.flags.intersects(Flags::ECE | Flags::CWR)).len();
        let asked = usize::from(opener == Opener::Kernel);
        assert_eq!(echo(Way::ToOurs), asked, "the kernel asks in its SYN alone");
        assert_eq!(echo(Way::ToKernel), asked, "we agree, and do not ask by ourselves");
    }
}

#[test]
fn a_request_for_fast_open_is_skipped() {
    let Some(pair) = Pair::or_skip("a_request_for_fast_open_is_skipped") else { return };
    pair.set("ipv4/tcp_fastopen", "1");
    pair.ours.listen(OUR_PORT, Setup::default());
    let lazily =
        |socket: &std::os::fd::OwnedFd| setsockopt(socket, sockopt::TcpFastOpenConnect, &true).unwrap();
    let mut stream = pair.kernel_connects_from(33_000, lazily).unwrap();
    // The SYN leaves with the first byte only.
    let mut first = [0];
    crate::host::FROM_KERNEL.fill(0, &mut first);
    stream.write_all(&first).unwrap();
    let ours = pair.ours.accept();
    ours.wait_delivered(1);
    assert_eq!(pair.ours.seen(Way::ToOurs, |segment| segment.flags.contains(Flags::SYN)).len(), 1);
}

fn multipath(pair: &Pair) -> rustix::io::Result<rustix::fd::OwnedFd> {
    use rustix::net::{AddressFamily, SocketType, ipproto, socket};
    let make = || Ok(socket(AddressFamily::INET, SocketType::STREAM, Some(ipproto::MPTCP)));
    pair.namespace.within(make).unwrap()
}

#[test]
fn a_connection_without_multipath_is_what_comes_of_one_with_it() {
    const NAME: &str = "a_connection_without_multipath_is_what_comes_of_one_with_it";
    let Some(pair) = Pair::or_skip(NAME) else { return };
    let socket = match multipath(&pair) {
        Ok(socket) => socket,
        Err(error) => {
            return crate::support::skip(NAME, format!("this kernel has no Multipath TCP: {error}"));
        }
    };
    pair.ours.listen(OUR_PORT, Setup::default());
    rustix::net::connect(&socket, &pair.our_address()).unwrap();
    let stream = prepared(TcpStream::from(socket));
    exchange(&pair.ours.accept(), stream, BYTES, BYTES);
    assert_eq!(pair.ours.seen(Way::ToOurs, |segment| segment.flags.contains(Flags::SYN)).len(), 1);

    let socket = multipath(&pair).unwrap();
    rustix::net::bind(&socket, &pair.address_of_kernel()).unwrap();
    rustix::net::listen(&socket, 1).unwrap();
    let listener = TcpListener::from(socket);
    let ours = pair.ours.connect((OUR_CLIENT_PORT, KERNEL_PORT), &Setup::default());
    // `accept` of such a listener gives an ordinary socket.
    let stream = prepared(listener.accept().unwrap().0);
    exchange(&ours, stream, BYTES, BYTES);
}
