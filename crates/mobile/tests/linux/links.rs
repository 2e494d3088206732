//! What links do to connections on a real kernel: few queues, carriers, marks. The other end is the test.

use crate::support::{Offer, Phone, VERSIONS};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, connect, setsockopt, socket, sockopt,
};
use seamline_mobile::Settings;
use seamline_mobile::system::ask;
use seamline_wire::codec::IpVersion;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::Duration;

/// As many as a phone with a browser has. The link takes 4 Mbit/s; its queue holds more than a socket may have waiting there, or less.
#[test]
fn six_hundred_connections_are_helped_through_a_queue_that_holds_few_packets() {
    seamline_testing::punctual(20, || {
        const CONNECTIONS: usize = 600;
        for (version, limit) in
            [(IpVersion::V4, "10000000"), (IpVersion::V4, "10000"), (IpVersion::V6, "10000")]
        {
            let name = "six_hundred_connections_are_helped";
            let Some(phone) = Phone::or_skip(name, Settings::default(), version) else { return };
            let mut all: Vec<_> = (0..CONNECTIONS).map(|_| phone.connect()).collect();
            if !phone.run(&format!("tc qdisc replace dev wwan0 root tbf rate 4mbit burst 1600 limit {limit}"))
            {
                return;
            }
            ask(&phone.daemon.socket, "up wwan0").unwrap();
            let server = &mut all[0].1;
            let mut heard: BTreeMap<u16, usize> = BTreeMap::new();
            while let Some(headers) = server.next(Duration::from_millis(300)) {
                *heard.entry(headers.source_port.0).or_default() += 1;
            }
            let status = ask(&phone.daemon.socket, "status").unwrap();
            assert_eq!(heard.len(), CONNECTIONS, "{limit}: {status}");
            assert!(heard.values().all(|count| *count == 3), "{limit}: {heard:?}");
            assert!(status.contains("failures=0 "), "{status}");
            assert!(!status.contains("pauses=0 "), "the queue was never full: {status}");
        }
    });
}

/// Without a carrier the kernel throws packets away before anybody sees them.
#[test]
fn data_written_while_there_is_no_carrier_is_sent_as_soon_as_there_is_one() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let name = "data_written_while_there_is_no_carrier";
            let Some(phone) = Phone::or_skip(name, Settings::default(), version) else { return };
            let (mut stream, mut server) = phone.connect();
            server.send(1000);
            server.drain(Duration::from_millis(50));
            if !phone.run("ip link set wwan0 carrier off") {
                return;
            }
            // The kernel looks once a second whether carriers have gone.
            server.drain(Duration::from_millis(1200));
            assert!(phone.log().contains("event=link-down"), "{}", phone.log());
            stream.write_all(&[1; 3000]).unwrap();
            // The timer goes off after 0.2, 0.6 and 1.4 s, and next after 3.
            assert_eq!(server.next_data(Duration::from_millis(1900)), None, "there is no link");
            phone.run("ip link set wwan0 carrier on");
            // That the kernel is late to tell of it says nothing of the daemon; what made it send, the kernel itself says.
            assert!(server.next_data(Duration::from_secs(3)).is_some(), "{version:?}: {}", phone.log());
            // It says so after it has done it.
            server.drain(Duration::from_millis(100));
            assert!(phone.log().contains("outcome=retransmitted"), "{version:?}: {}", phone.log());
        }
    });
}

/// A modem that is plugged in again.
#[test]
fn connections_outlive_their_interface() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let name = "connections_outlive_their_interface";
            let Some(mut phone) = Phone::or_skip(name, Settings::default(), version) else { return };
            let (mut stream, mut server) = phone.connect();
            let received = server.send(1000);
            server.drain(Duration::from_millis(50));
            stream.write_all(&[1; 3000]).unwrap();
            server.drain(Duration::from_millis(50));
            if !phone.remake(&mut server) {
                return;
            }
            // The kernel's own timer would take 3 s.
            let mut acknowledgments = 0;
            let mut has_data = false;
            while let Some(headers) = server.next(Duration::from_millis(200)) {
                assert_eq!(headers.segment.acknowledgment, received);
                acknowledgments += usize::from(headers.segment.length == 0);
                has_data |= headers.segment.length > 0;
            }
            assert_eq!((acknowledgments, has_data), (3, true), "{version:?}: {}", phone.log());
            assert!(phone.log().contains("event=link-remade "), "{}", phone.log());
        }
    });
}

fn marked(to: SocketAddr, mark: u32) -> io::Result<TcpStream> {
    let family = if to.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&socket, sockopt::Mark, &mark)?;
    connect(socket.as_raw_fd(), &SockaddrStorage::from(to))?;
    Ok(socket.into())
}

/// A table that only marked packets see has the only route.
#[test]
fn acknowledgments_of_marked_sockets_are_repeated_by_the_same_rules() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let name = "acknowledgments_of_marked_sockets";
            let Some(phone) = Phone::or_skip(name, Settings::default(), version) else { return };
            let family = if version == IpVersion::V4 { "-4" } else { "-6" };
            if !phone.run(&format!("ip {family} rule add fwmark 0x51 table 51")) {
                return;
            }
            phone.run(&format!("ip {family} route add default dev wwan0 table 51"));
            phone.run(&format!("ip {family} route del default dev wwan0"));
            let to = phone.server();
            let (_stream, mut server) = phone.connect_by(Offer::USUAL, move || marked(to, 0x51));
            server.send(1000);
            server.drain(Duration::from_millis(100));
            ask(&phone.daemon.socket, "up wwan0").unwrap();
            for _ in 0..3 {
                assert!(server.next(Duration::from_millis(500)).is_some(), "{version:?}: {}", phone.log());
            }
        }
    });
}
