//! The daemon on a real kernel: a namespace whose only way out is an interface with the test at its other end.
#![cfg(target_os = "linux")]

#[path = "linux/links.rs"]
mod links;
mod support;

use seamline_host::log::Format;
use seamline_mobile::Settings;
use seamline_mobile::agent::Way;
use seamline_mobile::connections::CAPTURED;
use seamline_mobile::system::{Captured, Daemon, News, Options, Raw, Watch, ask};
use seamline_wire::codec::{Headers, IpHeader, IpVersion, encode_to_vec};
use seamline_wire::{Flags, Segment, TransportPort};
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, TcpStream};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;
use support::{Offer, Phone, VERSIONS, pause};

#[test]
fn the_last_acknowledgment_is_repeated_three_times_when_the_link_is_back() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let Some(phone) =
                Phone::or_skip("the_last_acknowledgment_is_repeated", Settings::default(), version)
            else {
                return;
            };
            let (_stream, mut server) = phone.connect();
            let received = server.send(1000);
            let last = server.next(Duration::from_secs(1)).expect("an acknowledgment of the data");
            assert_eq!(last.segment.acknowledgment, received);
            server.drain(Duration::from_millis(100));
            assert_eq!(ask(&phone.daemon.socket, "up wwan0").unwrap(), "ok");
            for _ in 0..3 {
                let repeated = server.next(Duration::from_millis(500)).expect("it is repeated");
                assert_eq!(repeated.segment, last.segment, "with all its fields");
                assert_eq!(
                    (repeated.ip.source(), repeated.ip.destination()),
                    (last.ip.source(), last.ip.destination())
                );
            }
            assert_eq!(server.next(Duration::from_millis(100)), None);
            let status = ask(&phone.daemon.socket, "status").unwrap();
            assert!(status.contains("connections=1 ") && status.contains("acknowledgments=3 "), "{status}");
        }
    });
}

#[test]
fn without_timestamps_a_sender_with_sack_gets_one_acknowledgment() {
    seamline_testing::punctual(20, || {
        for (has_sack, has_timestamps, times) in [(true, false, 1), (false, false, 3)] {
            let name = "without_timestamps_a_sender_with_sack";
            let Some(phone) = Phone::or_skip(name, Settings::default(), IpVersion::V4) else { return };
            let to = phone.server();
            let offer = Offer { has_sack, has_timestamps };
            let (_stream, mut server) = phone.connect_by(offer, move || TcpStream::connect(to));
            server.send(1000);
            server.drain(Duration::from_millis(100));
            ask(&phone.daemon.socket, "up wwan0").unwrap();
            for _ in 0..times {
                assert!(server.next(Duration::from_millis(500)).is_some(), "{}", phone.log());
            }
            assert_eq!(server.next(Duration::from_millis(100)), None, "{}", phone.log());
        }
    });
}

/// What RFC 6069 promises, on the kernel that runs this: the retransmission comes at once, where the timer would have taken seconds.
#[test]
fn unacknowledged_data_is_sent_again_at_once_when_the_link_is_back() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            for (settings, is_kicked) in [("", true), ("[default]\nkick = false", false)] {
                let settings = Settings::read("mobile.toml".as_ref(), settings).unwrap();
                let Some(phone) = Phone::or_skip("unacknowledged_data_is_sent_again", settings, version)
                else {
                    return;
                };
                let (mut stream, mut server) = phone.connect();
                stream.write_all(&[1; 3000]).unwrap();
                let first = server.next_data(Duration::from_secs(1)).expect("the data").segment.sequence;
                // The link is gone: nothing is answered. The timer goes off after 0.2, 0.6 and 1.4 s, and next after 3.
                server.drain(Duration::from_millis(1900));
                ask(&phone.daemon.socket, "up wwan0").unwrap();
                let again =
                    server.next_data(Duration::from_millis(300)).map(|headers| headers.segment.sequence);
                assert_eq!(again, is_kicked.then_some(first), "{version:?}: {}", phone.log());
                let status = ask(&phone.daemon.socket, "status").unwrap();
                let kicked = format!("kicked={} ", u8::from(is_kicked));
                assert!(status.contains(&kicked), "{version:?}: {status}{}", phone.log());
            }
        }
    });
}

/// As every connection of a Java program has: a socket of IPv6 that speaks IPv4.
#[test]
fn a_socket_of_ipv6_that_speaks_ipv4_is_helped_too() {
    seamline_testing::punctual(20, || {
        let Some(phone) =
            Phone::or_skip("a_socket_of_ipv6_that_speaks_ipv4", Settings::default(), IpVersion::V4)
        else {
            return;
        };
        let IpAddr::V4(server) = support::addresses(IpVersion::V4)[1] else {
            unreachable!("an IPv4 address")
        };
        let (mut stream, mut server) = phone.connect_to(server.to_ipv6_mapped().into());
        stream.write_all(&[1; 3000]).unwrap();
        let first = server.next_data(Duration::from_secs(1)).expect("the data").segment.sequence;
        server.drain(Duration::from_millis(1900));
        ask(&phone.daemon.socket, "up").unwrap();
        let again = server.next_data(Duration::from_millis(200)).map(|headers| headers.segment.sequence);
        assert_eq!(again, Some(first), "{}", phone.log());
        support::pause(Duration::from_millis(50));
        assert!(phone.log().contains("times=3"), "{}", phone.log());
    });
}

/// The kernel takes routes, and addresses of IPv6, from an interface that goes down; its configuration brings them back later.
#[test]
fn an_interface_that_goes_down_and_up_is_waited_for_until_it_has_its_address_and_route() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let name = "an_interface_that_goes_down_and_up";
            let Some(phone) = Phone::or_skip(name, Settings::default(), version) else { return };
            let (_stream, mut server) = phone.connect();
            server.send(1000);
            server.drain(Duration::from_millis(100));
            if !phone.run("ip link set wwan0 down") {
                return;
            }
            server.drain(Duration::from_millis(100));
            phone.run("ip link set wwan0 up");
            assert_eq!(server.next(Duration::from_millis(200)), None, "there is no route: {}", phone.log());
            if version == IpVersion::V6 {
                phone.run("ip address add fd09::1/128 dev wwan0 nodad");
                phone.run("ip -6 route add default dev wwan0");
            } else {
                phone.run("ip route add default dev wwan0");
            }
            for _ in 0..3 {
                let repeated =
                    server.next(Duration::from_millis(500)).unwrap_or_else(|| panic!("{}", phone.log()));
                assert_eq!((repeated.segment.flags, repeated.segment.length), (Flags::ACK, 0));
            }
            let log = phone.log();
            assert!(log.contains("event=link-down") && log.contains("by=kernel"), "{log}");
        }
    });
}

#[test]
fn a_reset_connection_is_forgotten() {
    seamline_testing::punctual(20, || {
        for version in VERSIONS {
            let Some(phone) = Phone::or_skip("a_reset_connection_is_forgotten", Settings::default(), version)
            else {
                return;
            };
            let (stream, mut server) = phone.connect();
            server.drain(Duration::from_millis(50));
            // Bytes that nobody has read make close() reset the connection (RFC 2525 section 2.17).
            server.send(100);
            server.drain(Duration::from_millis(100));
            drop(stream);
            let last = server.next(Duration::from_millis(500)).expect("a reset");
            assert!(last.segment.flags.intersects(Flags::RST), "{last:?}");
            ask(&phone.daemon.socket, "up").unwrap();
            assert_eq!(server.next(Duration::from_millis(100)), None);
            assert!(ask(&phone.daemon.socket, "status").unwrap().contains("connections=0 "));
        }
    });
}

#[test]
fn an_answer_gets_no_answer() {
    seamline_testing::punctual(20, || {
        let name = "an_answer_gets_no_answer";
        let Some(phone) = Phone::or_skip(name, Settings::default(), VERSIONS[0]) else { return };
        let folder = tempfile::tempdir().unwrap();
        let other = UnixDatagram::bind(folder.path().join("other")).unwrap();
        let notices = ["error: no such thing", "ok", "upp wwan0"];
        for text in notices {
            other.send_to(text.as_bytes(), &phone.daemon.socket).unwrap();
        }
        let mut room = [0; 1000];
        let length = other.recv(&mut room).unwrap();
        let heard = String::from_utf8_lossy(&room[..length]);
        assert!(heard.starts_with("error: ") && heard.contains("upp wwan0"), "{heard}");
        assert!(ask(&phone.daemon.socket, "status").unwrap().contains(" refused=3 "));
    });
}

#[test]
fn a_second_daemon_of_a_namespace_is_refused_unless_it_is_dry() {
    let name = "a_second_daemon_of_a_namespace_is_refused";
    let Some(phone) = Phone::or_skip(name, Settings::default(), VERSIONS[0]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let open = |is_dry| {
        let options = Options {
            socket: folder.path().join("other.sock"),
            is_dry,
            format: Format::default(),
            metrics: None,
        };
        phone.namespace.within(|| Daemon::open(Settings::default(), &options))
    };
    let refused = open(false).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ResourceBusy);
    let who = format!("this network namespace already: process {}", std::process::id());
    assert!(refused.to_string().contains(&who), "{refused}");
    assert!(open(true).is_ok());
    // In another namespace nothing is in its way.
    assert!(Phone::or_skip(name, Settings::default(), VERSIONS[0]).is_some());
}

/// Anybody in the namespace can have an address of this kind, and keep it for ever.
#[test]
fn a_name_that_another_user_has_taken_does_not_keep_the_daemon_out() {
    let name = "a_name_that_another_user_has_taken";
    let Some((namespace, ..)) = support::interface_or_skip(name) else { return };
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        socket: folder.path().join("sock"),
        is_dry: false,
        format: Format::default(),
        metrics: None,
    };
    let address = SocketAddr::from_abstract_name("seamline-mobile").unwrap();
    let opened = namespace.within(|| {
        let _taken = UnixDatagram::bind_addr(&address)?;
        Daemon::open(Settings::default(), &options)
    });
    assert!(opened.is_ok(), "{opened:?}");
}

#[test]
fn interfaces_addresses_and_routes_are_news() {
    let Some((namespace, interface, tun)) =
        support::interface_or_skip("interfaces_addresses_and_routes_are_news")
    else {
        return;
    };
    let watch = namespace.within(Watch::open).unwrap();
    interface.bring_up(&namespace).unwrap();
    let mut news = Vec::new();
    let mut await_news = |has_come: &dyn Fn(&[News]) -> bool| {
        for _ in 0..1000 {
            news.extend(watch.receive().unwrap());
            if has_come(&news) {
                return;
            }
            pause(Duration::from_millis(10));
        }
        panic!("{news:?}");
    };
    let running = |news: &News| matches!(news, News::Link(link) if link.name == "wwan0" && link.is_running && !link.is_loopback);
    await_news(&|news| news.iter().any(running));
    for version in VERSIONS {
        let own = support::addresses(version)[0];
        await_news(&|news| {
            news.iter().any(|it| matches!(it, News::Address(_, address, true) if *address == own))
        });
    }
    await_news(&|news| news.contains(&News::Routes));
    let all = namespace.within(Watch::everything).unwrap();
    assert!(all.iter().any(running), "{all:?}");
    drop(tun);
    await_news(&|news| news.iter().any(|it| matches!(it, News::Gone(_))));
}

/// A bridge tells of what happens to its ports as of links.
#[test]
fn devices_on_others_are_known_and_a_port_that_leaves_its_bridge_is_not_gone() {
    let name = "a_port_that_leaves_its_bridge_is_not_gone";
    let Some((namespace, ..)) = support::interface_or_skip(name) else { return };
    let run = |command: &str| support::run(&namespace, command);
    if !run("ip link add br0 type bridge") {
        return;
    }
    run("ip link add left type veth peer name right");
    run("ip link set left master br0");
    let watch = namespace.within(Watch::open).unwrap();
    run("ip link set left nomaster");
    run("ip link add link left name upper type macvlan");
    let news = watch.receive().unwrap();
    let links = || {
        news.iter().filter_map(|news| if let News::Link(described) = news { Some(described) } else { None })
    };
    let left = links().find(|link| link.name == "left").expect("news of the port");
    assert_eq!(
        links().find(|link| link.name == "upper").expect("news of a device on it").below,
        Some(left.index)
    );
    let everything = namespace.within(Watch::everything).unwrap();
    let bridge = everything.iter().find_map(|news| match news {
        News::Link(described) if described.name == "br0" => Some(described.index),
        _ => None,
    });
    assert!(bridge.is_some() && links().any(|link| link.above == bridge), "{news:?}");
    assert_eq!(links().rfind(|link| link.name == "left").unwrap().above, None);
    assert!(!news.iter().any(|news| matches!(news, News::Gone(_))), "{news:?}");
}

#[test]
fn where_news_was_missed_that_comes_last_and_once() {
    let name = "where_news_was_missed_that_comes_last";
    let Some((namespace, ..)) = support::interface_or_skip(name) else { return };
    let watch = namespace.within(Watch::open).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let batch = folder.path().join("batch");
    let add = |number: u32| format!("route add blackhole 10.{}.{}.0/24\n", number / 256, number % 256);
    std::fs::write(&batch, (0..4000).map(add).collect::<String>()).unwrap();
    for _ in 0..2 {
        if !support::run(&namespace, &format!("ip -batch {}", batch.display())) {
            return;
        }
        let news = watch.receive().unwrap();
        let missed = news.iter().filter(|news| **news == News::Missed).count();
        assert_eq!((missed, news.last()), (1, Some(&News::Missed)), "of {}", news.len());
        assert!(news.len() > 100, "what there was room for is not lost: {}", news.len());
        support::run(&namespace, "ip route flush type blackhole");
        while !watch.receive().unwrap().is_empty() {}
    }
}

#[test]
fn packets_that_there_was_no_room_for_are_counted() {
    let name = "packets_that_there_was_no_room_for_are_counted";
    let Some((namespace, interface, _tun)) = support::interface_or_skip(name) else { return };
    interface.bring_up(&namespace).unwrap();
    let [IpAddr::V4(from), IpAddr::V4(to)] = support::addresses(IpVersion::V4) else { unreachable!() };
    let packet = encode_to_vec(
        &Headers {
            ip: IpHeader::v4(from, to),
            source_port: TransportPort(1),
            destination_port: TransportPort(2),
            segment: Segment { flags: Flags::ACK, ..Segment::default() },
        },
        &[],
    )
    .unwrap();
    let way = Way { from: from.into(), to: to.into(), interface: 0, bound_to: 0, mark: 0 };
    namespace
        .within(|| {
            let (captured, raw) = (Captured::open()?, Raw::open()?);
            assert_eq!(captured.missed()?, 0);
            // Nobody reads at the other end either, so that the interface may refuse them after they were seen.
            (0..50_000).for_each(|_| drop(raw.send(&packet, way)));
            let mut room = [0; CAPTURED];
            let mut seen = 0;
            while captured.receive(&mut room)?.is_some() {
                seen += 1;
            }
            let missed = captured.missed()?;
            assert!(seen > 1000 && missed > 1000 && seen + missed <= 50_000, "{seen} seen, {missed} missed");
            assert_eq!(captured.missed()?, 0, "once");
            Ok(())
        })
        .unwrap();
}
