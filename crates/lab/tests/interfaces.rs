//! TUN devices and what is given to them: addresses, routes, queues, counters.
#![cfg(target_os = "linux")]

mod support;

use etherparse::{NetSlice, PacketBuilder, SlicedPacket, TransportSlice};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use seamline_host::uninterrupted;
use seamline_lab::system::netlink::{Dropped, bring_up_loopback, dropped};
use seamline_lab::system::{Interface, Namespace, Tun};
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::time::Duration;
use support::privileged_or_skip;

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Whether there is something to read within the time.
fn readable(tun: &Tun, milliseconds: u16) -> bool {
    poll(&mut [PollFd::new(tun.as_fd(), PollFlags::POLLIN)], PollTimeout::from(milliseconds)).unwrap() > 0
}

/// The next packet, which must come within a second.
fn next_packet(tun: &Tun) -> Vec<u8> {
    assert!(readable(tun, 1000), "no packet within a second");
    let mut packet = vec![0; 2000];
    let length = tun.read(&mut packet).unwrap().expect("poll says that there is a packet");
    packet.truncate(length);
    packet
}

/// A namespace with one interface of both families.
fn connected(queue_packets: u32) -> (Namespace, Tun) {
    let namespace = Namespace::new().unwrap();
    let tun = Tun::open(&namespace, "world").unwrap();
    let interface = Interface {
        name: "world".to_owned(),
        mtu: 1400,
        queue_packets,
        addresses: vec![(address("10.7.0.2"), 24), (address("fd00:7::2"), 64)],
        routes: vec![(address("10.9.0.0"), 16), (address("0.0.0.0"), 0), (address("::"), 0)],
        congestion_control: None,
    };
    interface.bring_up(&namespace).unwrap();
    (namespace, tun)
}

fn socket(namespace: &Namespace, local: &str) -> UdpSocket {
    namespace.within(|| UdpSocket::bind((address(local), 0))).unwrap()
}

#[test]
fn packets_leave_by_the_interface_at_once_in_both_families() {
    if !privileged_or_skip("packets_leave_by_the_interface_at_once_in_both_families") {
        return;
    }
    let (namespace, tun) = connected(100);
    // On the link, by the route to a prefix, and by the default route.
    let ways = [
        ("10.7.0.2", "10.7.0.9"),
        ("10.7.0.2", "10.9.1.1"),
        ("10.7.0.2", "198.51.100.1"),
        ("fd00:7::2", "2001:db8::1"),
    ];
    for (from, to) in ways {
        // An IPv6 address that is still being checked for duplicates could not be bound to.
        let socket = socket(&namespace, from);
        socket.send_to(b"across", (address(to), 4000)).unwrap();
        let packet = next_packet(&tun);
        let sliced = SlicedPacket::from_ip(&packet).unwrap();
        let (source, destination) = match &sliced.net {
            Some(NetSlice::Ipv4(ip)) => {
                (IpAddr::V4(ip.header().source_addr()), IpAddr::V4(ip.header().destination_addr()))
            }
            Some(NetSlice::Ipv6(ip)) => {
                (IpAddr::V6(ip.header().source_addr()), IpAddr::V6(ip.header().destination_addr()))
            }
            other => panic!("{other:?}"),
        };
        assert_eq!((source, destination), (address(from), address(to)));
        let Some(TransportSlice::Udp(datagram)) = sliced.transport else { panic!("no UDP to {to}") };
        assert_eq!(datagram.payload(), b"across");
    }
    assert_eq!(tun.read(&mut [0; 2000]).unwrap(), None, "nothing else was sent");
}

#[test]
fn packets_that_are_written_arrive() {
    if !privileged_or_skip("packets_that_are_written_arrive") {
        return;
    }
    let (namespace, tun) = connected(100);
    let socket = socket(&namespace, "10.7.0.2");
    socket.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let port = socket.local_addr().unwrap().port();
    let mut packet = Vec::new();
    let builder = PacketBuilder::ipv4([10, 9, 0, 1], [10, 7, 0, 2], 64).udp(4000, port);
    builder.write(&mut packet, b"back").unwrap();
    assert!(tun.write(&packet).unwrap());
    let mut got = [0; 100];
    let (length, from) = uninterrupted(|| socket.recv_from(&mut got)).unwrap();
    assert_eq!((&got[..length], from), (&b"back"[..], SocketAddr::from(([10, 9, 0, 1], 4000))));
    let refused = tun.write(&[0; 40]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{refused}");
}

#[test]
fn a_new_interface_is_silent() {
    if !privileged_or_skip("a_new_interface_is_silent") {
        return;
    }
    let (_namespace, tun) = connected(100);
    // Router solicitations and multicast reports would come within a second.
    let mut packet = [0; 2000];
    if readable(&tun, 1500) {
        let length = tun.read(&mut packet).unwrap().unwrap();
        panic!("it sent {:02x?}", &packet[..length]);
    }
}

#[test]
fn a_full_queue_drops_and_counts() {
    if !privileged_or_skip("a_full_queue_drops_and_counts") {
        return;
    }
    let (namespace, tun) = connected(8);
    let socket = socket(&namespace, "10.7.0.2");
    assert_eq!(dropped(&namespace, "world").unwrap(), Dropped::default());
    for number in 0..20_u8 {
        let _ = socket.send_to(&[number], (address("10.7.0.9"), 4000));
    }
    let mut kept = 0;
    while tun.read(&mut [0; 2000]).unwrap().is_some() {
        kept += 1;
    }
    let lost = dropped(&namespace, "world").unwrap();
    assert_eq!((kept, lost), (8, Dropped { received: 0, sent: 12 }));
}

#[test]
fn an_interface_has_the_mtu_and_ends_with_its_device() {
    if !privileged_or_skip("an_interface_has_the_mtu_and_ends_with_its_device") {
        return;
    }
    let (namespace, tun) = connected(100);
    let socket = socket(&namespace, "10.7.0.2");
    socket.send_to(&[1; 1372], (address("10.7.0.9"), 4000)).unwrap();
    assert_eq!(next_packet(&tun).len(), 1400);
    socket.send_to(&[1; 1373], (address("10.7.0.9"), 4000)).unwrap();
    assert!(next_packet(&tun).len() < 1400, "a longer datagram goes in fragments");
    drop(tun);
    let gone = namespace.within(|| nix::net::if_::if_nametoindex("world").map_err(std::io::Error::from));
    assert_eq!(gone.unwrap_err().raw_os_error(), Some(nix::libc::ENODEV));
    // Somebody inside may have taken it away: that is no error of the count.
    assert_eq!(dropped(&namespace, "world").unwrap(), Dropped::default());
    let again = Tun::open(&namespace, "world").unwrap();
    assert_eq!(again.name, "world");
}

#[test]
fn loopback_can_be_brought_up() {
    if !privileged_or_skip("loopback_can_be_brought_up") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    let reach = || {
        namespace.within(|| {
            let socket = UdpSocket::bind("127.0.0.1:0")?;
            socket.send_to(b"me", socket.local_addr()?)?;
            socket.set_read_timeout(Some(Duration::from_secs(1)))?;
            socket.recv(&mut [0; 10])
        })
    };
    reach().expect_err("a new namespace's loopback interface is down");
    bring_up_loopback(&namespace).unwrap();
    assert_eq!(reach().unwrap(), 2);
}

#[test]
fn refusals_say_what_was_tried() {
    if !privileged_or_skip("refusals_say_what_was_tried") {
        return;
    }
    let namespace = Namespace::new().unwrap();
    for name in ["", "sixteen-bytes-xx", "a/b", "tun%d", ".."] {
        let refused = Tun::open(&namespace, name).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidInput, "{name}: {refused}");
    }
    let tun = Tun::open(&namespace, "world").unwrap();
    let refused = Tun::open(&namespace, "world").unwrap_err().to_string();
    assert!(refused.contains("world") && refused.contains("has the name"), "{refused}");
    let down = tun.write(&[0x45; 40]).unwrap_err().to_string();
    assert!(down.contains("world, which is down"), "{down}");
    let interface = |name: &str, routes| Interface {
        name: name.to_owned(),
        mtu: 1500,
        queue_packets: 10,
        addresses: vec![],
        routes,
        congestion_control: None,
    };
    let refused = interface("nowhere", vec![]).bring_up(&namespace).unwrap_err().to_string();
    assert!(refused.starts_with("interface nowhere: cannot find it"), "{refused}");
    let routes = vec![(address("10.0.0.1"), 8)];
    let refused = interface("world", routes).bring_up(&namespace).unwrap_err().to_string();
    assert!(refused.starts_with("interface world: cannot add the route to 10.0.0.1/8"), "{refused}");
}
