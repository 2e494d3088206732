//! Whose connections are helped: peers within a destination, and no others.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use rustix::net::sockopt;
use seamline_sender::{Attached, Counter, Places};
use seamline_testing::cgroup::Cgroup;
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use support::{Rig, Setup, alone, skip};

const BYTES: u32 = 1_000_000;
const MILLISECOND: Duration = Duration::from_millis(1);

/// Both have lost what was under way, and mark their acknowledgments.
#[test]
fn of_two_peers_the_one_within_a_destination_gets_its_window_back() {
    let within: [(IpVersion, &[&str]); 2] =
        [(IpVersion::V4, &["192.0.2.0/24", "10.0.0.2"]), (IpVersion::V6, &["2001:db8::/32", "fd00::2/127"])];
    for (version, destinations) in within {
        let setup = Setup { destinations, ..Setup::usual(version) };
        let Some(mut rig) = Rig::or_skip("of_two_peers_the_one_within_a_destination", setup) else { return };
        rig.peer.acknowledge_until(BYTES);
        let (mut elsewhere, stream) = rig.another(5, version);
        assert_eq!(controls([&rig.stream, &stream]), ["seamline_cubic", "cubic"]);
        elsewhere.acknowledge_until(BYTES / 10);
        elsewhere.watch(MILLISECOND * 1000);
        let came = [&mut rig.peer, &mut elsewhere].map(|peer| {
            // What came while the other one was listened to.
            peer.watch(MILLISECOND * 10);
            peer.send(peer.marked());
            peer.watch(MILLISECOND * 60).len()
        });
        assert!(came[0] > 10 && came[1] <= 2, "{version:?}: {came:?}");
        let counted = [Counter::Connections, Counter::Elsewhere, Counter::Restored, Counter::Asked];
        assert_eq!(counted.map(|it| rig.count(it)), [1; 4], "{version:?}: {}", rig.counters());
        let judged = [Counter::NoTimeout, Counter::OutOfWindow, Counter::NothingToRestore];
        assert_eq!(judged.map(|it| rig.count(it)), [0; 3], "nobody listens to the other's marks");
    }
}

/// The names of their congestion controls, by the kernel.
fn controls(streams: [&TcpStream; 2]) -> [String; 2] {
    streams.map(|stream| sockopt::tcp_congestion(stream).unwrap())
}

/// Both ends of a connection over the loopback interface: the first one's peer has the first address.
fn both_ends(connect: &str, bind: &str) -> [TcpStream; 2] {
    let listener = TcpListener::bind(bind).unwrap();
    sockopt::set_tcp_congestion(listener.as_fd(), "cubic").unwrap();
    let address: SocketAddr = format!("{connect}:{}", listener.local_addr().unwrap().port()).parse().unwrap();
    let client = TcpStream::connect(address).unwrap();
    [client, listener.accept().unwrap().0]
}

#[test]
fn versions_are_apart_and_a_mapped_address_is_one_of_ipv4() {
    let _alone = alone();
    let test = "versions_are_apart_and_a_mapped_address_is_one_of_ipv4";
    let cgroup =
        match seamline_sender::check().map_err(|error| error.to_string()).and_then(|_| Cgroup::enter()) {
            Ok(cgroup) => cgroup,
            Err(why) => return skip(test, why),
        };
    // The other end's peer is 127.0.0.1 or ::1.
    for (destination, connect, bind, helped) in [
        ("127.0.0.2", "127.0.0.2", "127.0.0.2:0", 1),
        ("127.0.0.2", "[::ffff:127.0.0.2]", "127.0.0.2:0", 1),
        ("::ffff:127.0.0.2", "127.0.0.2", "[::]:0", 1),
        ("127.0.0.0/30", "[::ffff:127.0.0.2]", "[::]:0", 2),
        ("0.0.0.0/0", "[::ffff:127.0.0.2]", "[::]:0", 2),
        ("::/0", "[::ffff:127.0.0.2]", "[::]:0", 0),
        ("::/0", "[::1]", "[::1]:0", 2),
        ("0.0.0.0/0", "[::1]", "[::1]:0", 0),
        ("127.0.0.4/30", "127.0.0.2", "127.0.0.2:0", 0),
    ] {
        let destinations = vec![destination.parse().unwrap()];
        let places = Places { cgroup: cgroup.path().to_owned(), destinations, ..Places::default() };
        let attached = Attached::new(&places).unwrap();
        let _open = both_ends(connect, bind);
        let counters = attached.counters().unwrap();
        let counted = [Counter::Connections, Counter::Elsewhere].map(|it| counters.of(it));
        assert_eq!(counted, [helped, 2 - helped], "{connect} with {destination}");
    }
}
