//! The daemon's decisions, on a host that is made up.

use seamline_host::Line;
use seamline_mobile::agent::{Agent, Host, Way};
use seamline_mobile::command::Command;
use seamline_mobile::connections::Key;
use seamline_mobile::kick::KernelView;
use seamline_mobile::links::Described;
use seamline_mobile::settings::Settings;
use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
use seamline_wire::{Duration, Flags, Instant, Mark, Segment, SequenceNumber, Timestamps, TransportPort};
use std::io;
use std::net::{IpAddr, Ipv4Addr};

const HOST: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 51, 100, 7);
const WWAN: u32 = 3;
const TUNNEL: u32 = 4;

/// Has the connections that it is given, and a route or none.
struct FakeHost {
    view: Option<KernelView>,
    has_route: bool,
    /// Packets for which there is room.
    room: usize,
    /// The interface whose queue is full.
    full: Option<u32>,
    sent: Vec<(Vec<u8>, Way)>,
}

impl FakeHost {
    fn new() -> Self {
        FakeHost {
            view: Some(established()),
            has_route: true,
            room: usize::MAX,
            full: None,
            sent: Vec::new(),
        }
    }
    /// What was sent to the server since the last time.
    fn acknowledgments(&mut self) -> Vec<Segment> {
        let sent = std::mem::take(&mut self.sent);
        sent.iter()
            .filter(|(_, way)| way.to == SERVER)
            .filter_map(|(packet, _)| Some(decode(packet).ok()?.headers.segment))
            .collect()
    }
}

impl Host for FakeHost {
    fn view(&mut self, _: &Key, _: u32) -> io::Result<Option<KernelView>> {
        Ok(self.view)
    }
    fn send(&mut self, packet: &[u8], way: Way) -> io::Result<()> {
        if !self.has_route {
            return Err(io::Error::from(io::ErrorKind::NetworkUnreachable));
        }
        if way.to != HOST && self.full == Some(way.interface) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.room = self.room.checked_sub(1).ok_or(io::ErrorKind::WouldBlock)?;
        self.sent.push((packet.to_vec(), way));
        // A kernel by RFC 6069.
        if let (true, Some(view)) = (way.to == HOST, &mut self.view) {
            view.backoff -= 1;
            if view.backoff == 2 {
                (view.backoff, view.retransmissions) = (3, view.retransmissions + 1);
            }
        }
        Ok(())
    }
}

fn established() -> KernelView {
    KernelView {
        state: 1,
        has_timestamps: true,
        has_sack: true,
        round_trip: Some(Duration::from_millis(50)),
        round_trip_deviation: Some(Duration::from_millis(5)),
        receiver_round_trip: Some(Duration::from_millis(100)),
        ..KernelView::default()
    }
}

fn packet(port: u16) -> Vec<u8> {
    let headers = Headers {
        ip: IpHeader::v4(HOST, SERVER),
        source_port: TransportPort(port),
        destination_port: TransportPort(443),
        segment: Segment {
            flags: Flags::ACK,
            sequence: SequenceNumber(1000),
            acknowledgment: SequenceNumber(u32::from(port)),
            ..Segment::default()
        },
    };
    encode_to_vec(&headers, &[]).unwrap()
}

fn wwan(is_running: bool) -> Described {
    link(WWAN, "wwan0", is_running)
}

fn link(index: u32, name: &str, is_running: bool) -> Described {
    Described { index, name: name.to_owned(), is_running, is_loopback: false, below: None, above: None }
}

/// An agent that knows two connections: one over wwan0, one over the tunnel wg0.
fn agent(settings: &str) -> Agent {
    let mut agent = Agent::new(Settings::read("mobile.toml".as_ref(), settings).unwrap(), false);
    agent.described(Instant::ZERO, wwan(true));
    agent.described(Instant::ZERO, link(TUNNEL, "wg0", true));
    agent.address(WWAN, HOST.into(), true);
    agent.sent(Instant::ZERO, WWAN, &packet(40_001));
    agent.sent(Instant::ZERO, TUNNEL, &packet(40_002));
    assert_eq!(agent.connections().len(), 2);
    agent
}

fn seconds(seconds: u64) -> Instant {
    Instant::from_secs(seconds)
}

fn tell(agent: &mut Agent, now: Instant, words: &str, host: &mut FakeHost) -> Vec<Line> {
    let command: Command = words.parse().unwrap();
    agent.command(now, &command, host).unwrap();
    agent.help(now, host);
    std::mem::take(&mut agent.log)
}

#[test]
fn only_connections_over_the_link_that_is_back_are_helped_and_once() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    tell(&mut agent, seconds(1), "down wwan0", &mut host);
    assert_eq!(host.acknowledgments(), [], "nothing is sent into an outage");
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    let sent = host.acknowledgments();
    assert_eq!(sent.len(), 3);
    assert!(sent.iter().all(|segment| segment.acknowledgment == SequenceNumber(40_001)), "{sent:?}");
    agent.help(seconds(3), &mut host);
    assert_eq!(host.acknowledgments(), []);
    assert_eq!((agent.counters().repeated, agent.counters().acknowledgments), (1, 3));
}

#[test]
fn policies_say_how_often_and_how() {
    for (policy, count, mark) in [
        ("repeat = \"none\"", 0, None),
        ("repeat = \"once\"", 1, None),
        ("repeat = \"marked\"", 1, Some(Mark::Handover)),
    ] {
        let mut agent = agent(&format!("[link.wwan0]\n{policy}"));
        let mut host = FakeHost::new();
        tell(&mut agent, seconds(1), "down", &mut host);
        tell(&mut agent, seconds(2), "up", &mut host);
        let (own, other): (Vec<Segment>, Vec<Segment>) =
            host.acknowledgments().into_iter().partition(|segment| segment.acknowledgment.0 == 40_001);
        assert_eq!(own.iter().map(|segment| segment.mark).collect::<Vec<_>>(), vec![mark; count]);
        assert_eq!(other.len(), 3, "the other link has the default policy");
    }
}

#[test]
fn without_an_echo_what_is_repeated_after_an_outage_says_that_there_is_none() {
    let stamped = Timestamps { value: 900, echo: 700 };
    let bare = Timestamps { echo: 0, ..stamped };
    for (policy, words, logged) in [
        ("echo = true", &["down", "up"][..], stamped),
        ("echo = false", &["down", "up"], bare),
        ("echo = false", &["up"], stamped),
    ] {
        let (mut agent, mut host) = (agent(&format!("[default]\n{policy}")), FakeHost::new());
        let mut headers = decode(&packet(40_001)).unwrap().headers;
        headers.segment.timestamps = Some(stamped);
        agent.sent(Instant::ZERO, WWAN, &encode_to_vec(&headers, &[]).unwrap());
        for (at, words) in (1..).zip(words) {
            tell(&mut agent, seconds(at), &format!("{words} wwan0"), &mut host);
        }
        let echoes: Vec<_> = host.acknowledgments().iter().map(|segment| segment.timestamps).collect();
        assert_eq!(echoes, [Some(logged); 3], "{policy}, {words:?}");
    }
}

#[test]
fn a_link_that_was_never_lost_marks_nothing() {
    let (mut agent, mut host) = (agent("[default]\nrepeat = \"marked\""), FakeHost::new());
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    let marks: Vec<Option<Mark>> = host.acknowledgments().iter().map(|segment| segment.mark).collect();
    assert_eq!(marks, [None]);
}

#[test]
fn an_end_that_has_been_silent_for_long_is_not_notified_of_a_disruption_that_no_packet_showed() {
    let (mut agent, mut host) = (agent("[default]\ndisruption = true"), FakeHost::new());
    tell(&mut agent, seconds(16), "up wwan0", &mut host);
    assert_eq!((host.acknowledgments().len(), agent.counters().disruptions), (3, 0));
}

#[test]
fn a_full_queue_of_one_link_does_not_hold_up_another() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    host.full = Some(WWAN);
    tell(&mut agent, seconds(2), "up", &mut host);
    let sent: Vec<u32> = host.acknowledgments().iter().map(|segment| segment.acknowledgment.0).collect();
    assert_eq!(sent, [40_002; 3]);
    assert!(agent.resume_in(seconds(2)).is_some(), "the rest comes later");
}

#[test]
fn a_full_queue_does_not_hold_up_the_kicks_of_other_connections() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    host.view = Some(KernelView { unacknowledged: 500, backoff: 5, timeouts: 5, ..established() });
    host.full = Some(WWAN);
    tell(&mut agent, seconds(2), "up", &mut host);
    assert!(host.sent.iter().any(|(_, way)| way.to == HOST && way.interface == TUNNEL), "{:?}", host.sent);
}

#[test]
fn other_ends_are_notified_of_the_disruption_only_where_the_policy_says_so_and_last() {
    for (settings, messages) in [("", 0), ("[default]\ndisruption = true", 3)] {
        let (mut agent, mut host) = (agent(settings), FakeHost::new());
        tell(&mut agent, seconds(2), "up wwan0", &mut host);
        let protocols: Vec<u8> = host.sent.iter().map(|(packet, _)| packet[9]).collect();
        assert_eq!(protocols, [vec![6; 3], vec![1; messages]].concat(), "2 s of silence");
        assert_eq!(agent.counters().disruptions, messages as u64);
    }
}

#[test]
fn an_end_that_had_nothing_to_say_before_the_disruption_is_not_notified_of_it() {
    let (mut agent, mut host) = (agent("[default]\ndisruption = true"), FakeHost::new());
    tell(&mut agent, seconds(11), "down", &mut host);
    tell(&mut agent, seconds(16), "up wwan0", &mut host);
    assert_eq!(host.acknowledgments().len(), 3);
    assert_eq!(agent.counters().disruptions, 0);
}

#[test]
fn a_tunnel_goes_with_the_link_that_carries_it() {
    let (mut agent, mut host) = (agent("[tunnels]\nwg0 = \"wwan0\""), FakeHost::new());
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    assert_eq!(host.acknowledgments().len(), 6);
    tell(&mut agent, seconds(3), "up wg0", &mut host);
    assert_eq!(host.acknowledgments().len(), 3, "but not the other way round");
}

#[test]
fn the_kernels_word_counts_unless_the_policy_says_otherwise() {
    for (settings, count) in [("", 3), ("[link.wwan0]\nwatch = false", 0)] {
        let (mut agent, mut host) = (agent(settings), FakeHost::new());
        agent.described(seconds(1), wwan(false));
        agent.help(seconds(1), &mut host);
        assert_eq!(host.acknowledgments(), []);
        agent.described(seconds(2), wwan(true));
        agent.help(seconds(2), &mut host);
        assert_eq!(host.acknowledgments().len(), count, "{settings}");
    }
}

/// Of what is stacked on a link the kernel says the same as of the link.
#[test]
fn where_the_kernels_word_does_not_count_it_does_not_for_what_is_stacked_there_either() {
    let unwatched = "[link.wwan0]\nwatch = false\n";
    let vlan = Described { below: Some(WWAN), ..link(5, "wwan0.7", true) };
    let tunnel = link(TUNNEL, "wg0", true);
    for (stacked, more, count) in [
        (&vlan, "", 0),
        (&vlan, "[link.\"wwan0.7\"]\nwatch = true", 3),
        (&tunnel, "", 3),
        (&tunnel, "[tunnels]\nwg0 = \"wwan0\"", 0),
    ] {
        let settings = format!("{unwatched}{more}");
        let (mut agent, mut host) = (agent(&settings), FakeHost::new());
        agent.described(Instant::ZERO, stacked.clone());
        agent.sent(Instant::ZERO, stacked.index, &packet(40_002));
        for (second, is_running) in [(1, false), (2, true)] {
            agent.described(seconds(second), Described { is_running, ..stacked.clone() });
            agent.help(seconds(second), &mut host);
        }
        assert_eq!(host.acknowledgments().len(), count, "{settings}");
    }
}

#[test]
fn what_the_host_only_forwards_takes_the_room_of_none_of_its_own() {
    let mut agent = agent("connections = 2");
    let mut forwarded = packet(40_003);
    // Of another host of its network: the last byte of the source address.
    forwarded[15] += 1;
    agent.sent(seconds(1), WWAN, &forwarded);
    let ports: Vec<u16> = agent.connections().keys().map(|key| key.local.port()).collect();
    assert_eq!((ports, agent.counters().unreadable), (vec![40_001, 40_002], 0));
}

#[test]
fn a_connection_waits_for_its_address_and_for_a_route() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    agent.address(WWAN, HOST.into(), false);
    host.has_route = false;
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    agent.address(WWAN, HOST.into(), true);
    agent.help(seconds(3), &mut host);
    agent.help(seconds(3), &mut host);
    assert_eq!(agent.counters().failures, 1, "one attempt after one piece of news");
    host.has_route = true;
    agent.help(seconds(4), &mut host);
    assert_eq!(host.acknowledgments(), [], "no notice has said that there is a route now");
    agent.routes_changed();
    agent.help(seconds(4), &mut host);
    assert_eq!(host.acknowledgments().len(), 3);
}

#[test]
fn where_the_hosts_queue_is_full_the_rest_comes_later_and_nothing_twice() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    for port in 0..600 {
        agent.sent(Instant::ZERO, WWAN, &packet(10_000 + port));
    }
    host.view = Some(KernelView { unacknowledged: 500, backoff: 200, timeouts: 5, ..established() });
    host.room = 100;
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    let mut sent = host.acknowledgments();
    assert_eq!(sent.len(), 100, "a third of the last one's is missing");
    let mut now = seconds(2);
    while let Some(rest) = agent.resume_in(now) {
        assert!(rest > Duration::ZERO && rest < Duration::from_millis(20), "{rest}");
        agent.help(now, &mut host);
        assert_eq!(host.acknowledgments(), [], "not before");
        now += rest;
        host.room = 100;
        agent.help(now, &mut host);
        sent.extend(host.acknowledgments());
    }
    let count = |port: u32| sent.iter().filter(|segment| segment.acknowledgment.0 == port).count();
    assert!((0..600).all(|port| count(10_000 + port) == 3), "each three times");
    assert_eq!((sent.len(), agent.counters().failures), (601 * 3, 0));
    assert_eq!((agent.counters().repeated, agent.counters().acknowledgments), (601, 601 * 3));
    assert!((18..80).contains(&agent.counters().pauses), "{}", agent.counters().pauses);
    assert!(now < seconds(3), "{now}");
}

#[test]
fn a_sender_that_takes_a_second_copy_for_a_duplicate_gets_one() {
    for (has_sack, has_timestamps, count) in
        [(true, false, 1), (true, true, 3), (false, false, 3), (false, true, 3)]
    {
        let (mut agent, mut host) = (agent(""), FakeHost::new());
        host.view = Some(KernelView { has_sack, has_timestamps, ..established() });
        tell(&mut agent, seconds(2), "up wwan0", &mut host);
        assert_eq!(host.acknowledgments().len(), count, "SACK {has_sack}, timestamps {has_timestamps}");
    }
}

#[test]
fn repetitions_leave_as_the_sockets_own_packets_do() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    host.view = Some(KernelView { bound_to: WWAN, mark: 0x51, ..established() });
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    assert!(host.sent.iter().all(|(_, way)| (way.bound_to, way.mark) == (WWAN, 0x51)), "{:?}", host.sent);
}

#[test]
fn connections_with_options_that_only_the_kernel_can_compute_are_skipped() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    let mut multipath = packet(40_001);
    // Four more bytes of header: an option of MPTCP without anything in it.
    multipath[20 + 12] += 0x10;
    multipath[3] += 4;
    multipath.extend([30, 4, 0, 0]);
    agent.sent(Instant::ZERO, WWAN, &multipath);
    agent.sent(Instant::ZERO, WWAN, &packet(40_001));
    let log = tell(&mut agent, seconds(2), "up wwan0", &mut host);
    assert_eq!((host.acknowledgments(), agent.counters().skipped), (vec![], 1));
    assert!(log.iter().any(|line| line.to_string().ends_with("reason=MPTCP")), "{log:?}");
    assert_eq!(agent.connections().len(), 2, "it is known, and may be helped when it is another one");
}

/// What is sent into an interface without a carrier is thrown away before it is seen.
#[test]
fn data_sent_unseen_while_the_link_was_gone_is_kicked_where_it_begins() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    agent.described(seconds(1), wwan(false));
    agent.help(seconds(1), &mut host);
    host.view = Some(KernelView { unacknowledged: 700, backoff: 5, timeouts: 5, ..established() });
    agent.described(seconds(2), wwan(true));
    agent.help(seconds(2), &mut host);
    let kick = host.sent.iter().find(|(_, way)| way.to == HOST).expect("a kick");
    assert_eq!(decode(&kick.0[28..]).unwrap().headers.segment.sequence, SequenceNumber(1000));
}

/// A modem that is plugged in again: the same name, or only the same address.
#[test]
fn connections_follow_an_interface_that_is_removed_and_made_again() {
    for (name, is_up_at_once) in [("wwan0", true), ("wwan0", false), ("wwan1", true)] {
        let (mut agent, mut host) = (agent(""), FakeHost::new());
        agent.gone(seconds(1), WWAN);
        agent.help(seconds(1), &mut host);
        agent.described(seconds(2), link(9, name, is_up_at_once));
        agent.help(seconds(2), &mut host);
        assert_eq!(host.acknowledgments(), [], "its address is missing");
        agent.address(9, HOST.into(), true);
        agent.described(seconds(3), link(9, name, true));
        agent.help(seconds(3), &mut host);
        assert_eq!(host.acknowledgments().len(), 3, "{name} {is_up_at_once}");
        assert!(agent.log.iter().any(|line| line.event == "link-remade"), "{:?}", agent.log);
        tell(&mut agent, seconds(4), &format!("up {name}"), &mut host);
        assert_eq!(host.acknowledgments().len(), 3, "it is known by its new number");
    }
}

#[test]
fn what_is_on_the_link_that_is_back_is_helped_once() {
    let vlan = |is_running| Described { below: Some(WWAN), ..link(5, "wwan0.7", is_running) };
    // Whichever of the two the kernel tells first, and where only somebody else tells.
    for order in [[true, false], [false, true]] {
        let (mut agent, mut host) = (agent(""), FakeHost::new());
        agent.described(Instant::ZERO, vlan(true));
        agent.sent(Instant::ZERO, 5, &packet(40_003));
        let ours = |host: &mut FakeHost| {
            host.acknowledgments().iter().filter(|segment| segment.acknowledgment.0 == 40_003).count()
        };
        tell(&mut agent, seconds(1), "up wwan0", &mut host);
        assert_eq!(ours(&mut host), 3);
        for is_running in [false, true] {
            for is_vlan in order {
                let described = if is_vlan { vlan(is_running) } else { wwan(is_running) };
                agent.described(seconds(2), described);
                agent.help(seconds(2), &mut host);
            }
        }
        assert_eq!(ours(&mut host), 3, "{order:?}");
    }
}

#[test]
fn what_is_on_a_link_is_back_with_it_though_all_were_reported_lost() {
    let vlan = Described { below: Some(WWAN), ..link(5, "wwan0.7", true) };
    for (before, after, count) in [
        ("down", "up wwan0", 3),
        ("down wwan0", "up wwan0", 3),
        ("down wwan0.7", "up wwan0", 0),
        ("down wwan0.7", "up", 3),
    ] {
        let (mut agent, mut host) = (agent(""), FakeHost::new());
        agent.described(Instant::ZERO, vlan.clone());
        agent.sent(Instant::ZERO, 5, &packet(40_003));
        tell(&mut agent, seconds(1), before, &mut host);
        assert_eq!(host.acknowledgments(), [], "{before}");
        tell(&mut agent, seconds(2), after, &mut host);
        let ours = host.acknowledgments().iter().filter(|it| it.acknowledgment.0 == 40_003).count();
        assert_eq!(ours, count, "{before}, {after}");
    }
}

/// The two ends of a veth are each on the other.
#[test]
fn what_is_on_each_other_is_lost_with_all() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    for (index, below, name) in [(5, 6, "left"), (6, 5, "right")] {
        let end = Described { below: Some(below), ..link(index, name, true) };
        agent.described(Instant::ZERO, end);
    }
    tell(&mut agent, seconds(1), "down", &mut host);
    let status = agent.status().to_string();
    assert!(status.contains("links=wwan0:down,wg0:down,left:down,right:down"), "{status}");
}

#[test]
fn a_bridge_is_helped_when_its_port_is_back() {
    let (mut agent, mut host) = (agent("[link.wwan0]\nrepeat = \"once\""), FakeHost::new());
    agent.described(Instant::ZERO, link(7, "br0", true));
    agent.sent(Instant::ZERO, 7, &packet(40_003));
    for is_running in [true, false, true] {
        let port = Described { above: Some(7), ..wwan(is_running) };
        agent.described(seconds(2), port);
        agent.help(seconds(2), &mut host);
    }
    assert_eq!(host.acknowledgments().len(), 2, "two connections, by the policy of the port");
}

/// The packet socket sees a packet at the bridge and at its port.
#[test]
fn a_packet_that_is_seen_at_each_layer_is_one_over_the_uppermost() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    agent.described(Instant::ZERO, link(7, "br0", true));
    agent.described(Instant::ZERO, Described { above: Some(7), ..wwan(true) });
    for layer in [7, WWAN, 7, WWAN] {
        agent.sent(Instant::ZERO, layer, &packet(40_003));
    }
    let over = |agent: &Agent| {
        let found = agent.connections().iter().find(|(key, _)| key.local.port() == 40_003);
        found.map(|(_, connection)| connection.interface)
    };
    assert_eq!(over(&agent), Some(7));
    tell(&mut agent, seconds(1), "up br0", &mut host);
    assert_eq!(host.acknowledgments().len(), 3);
    let mut ahead = packet(40_003);
    // The acknowledgment's last byte: one that the bridge has never seen.
    ahead[20 + 11] = ahead[20 + 11].wrapping_add(1);
    agent.sent(Instant::ZERO, WWAN, &ahead);
    assert_eq!(over(&agent), Some(WWAN), "it has left the bridge");
}

#[test]
fn the_route_timeout_ends_help() {
    let (mut agent, mut host) = (agent("route_timeout = \"5 s\""), FakeHost::new());
    agent.address(WWAN, HOST.into(), false);
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    agent.help(seconds(8), &mut host);
    agent.address(WWAN, HOST.into(), true);
    agent.help(seconds(8), &mut host);
    assert_eq!((host.acknowledgments(), agent.counters().given_up), (vec![], 1));
}

#[test]
fn what_the_kernel_no_longer_has_is_left_alone() {
    for view in [None, Some(KernelView { state: 6, ..established() })] {
        let (mut agent, mut host) = (agent(""), FakeHost::new());
        host.view = view;
        tell(&mut agent, seconds(2), "up", &mut host);
        assert_eq!((host.acknowledgments(), agent.connections().len()), (vec![], 0));
        assert_eq!(agent.counters().ended, 2);
    }
}

#[test]
fn packets_that_are_only_forwarded_are_nobodys_here() {
    let mut agent = Agent::new(Settings::default(), false);
    agent.sent(Instant::ZERO, WWAN, &packet(40_001));
    assert!(agent.connections().is_empty());
}

#[test]
fn the_hosts_own_data_is_kicked_after_all_acknowledgments() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    host.view = Some(KernelView { unacknowledged: 500, backoff: 5, timeouts: 5, ..established() });
    let log = tell(&mut agent, seconds(2), "up wwan0", &mut host);
    let to: Vec<IpAddr> = host.sent.iter().map(|(_, way)| way.to).collect();
    assert_eq!(to, [[IpAddr::from(SERVER); 3], [IpAddr::from(HOST); 3]].concat());
    let quoted = decode(&host.sent[3].0[28..]).unwrap().headers;
    assert_eq!(quoted.segment.sequence, SequenceNumber(500), "1000 sent, 500 not acknowledged");
    assert_eq!((agent.counters().kicked, agent.counters().messages), (1, 3));
    assert!(log.iter().any(|line| line.to_string().contains("outcome=retransmitted")), "{log:?}");
}

#[test]
fn a_policy_can_do_without_kicks() {
    let (mut agent, mut host) = (agent("[default]\nkick = false"), FakeHost::new());
    host.view = Some(KernelView { unacknowledged: 500, backoff: 5, timeouts: 5, ..established() });
    tell(&mut agent, seconds(2), "up wwan0", &mut host);
    assert!(host.sent.iter().all(|(_, way)| way.to == SERVER));
}

#[test]
fn dry_it_says_everything_and_sends_nothing() {
    let mut host = FakeHost::new();
    host.view = Some(KernelView { unacknowledged: 500, backoff: 5, timeouts: 5, ..established() });
    let mut agent = Agent::new(Settings::default(), true);
    agent.described(Instant::ZERO, wwan(true));
    agent.address(WWAN, HOST.into(), true);
    agent.sent(Instant::ZERO, WWAN, &packet(40_001));
    let logged: Vec<&str> =
        tell(&mut agent, seconds(1), "up", &mut host).iter().map(|line| line.event).collect();
    assert_eq!(logged, ["link-up", "would-repeat", "would-kick"]);
    assert_eq!((host.sent.len(), agent.counters().acknowledgments), (0, 0));
}

#[test]
fn a_freeze_is_weighed_by_the_larger_round_trip_time() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    let mut decided = |words: &str| {
        let log = tell(&mut agent, seconds(1), words, &mut host);
        let field = log[0].fields.iter().find(|(name, _)| *name == "freeze").unwrap();
        field.1.as_str().unwrap().to_owned()
    };
    // 100 ms and a margin of 50 ms.
    assert_eq!(decided("going-down wwan0 in 151 ms"), "would help");
    assert_eq!(decided("going-down wwan0 in 150 ms"), "too late");
    assert_eq!(decided("going-down wwan0 in 149 ms"), "too late");
    assert_eq!(decided("going-down wwan0"), "lead unknown");
    host.view = None;
    let log = tell(&mut agent, seconds(1), "going-down wwan0 in 1 s", &mut host);
    assert!(log[0].to_string().contains("\"round trip unknown\""), "{log:?}");
}

#[test]
fn an_interface_that_is_not_there_is_an_error_that_names_those_that_are() {
    let (mut agent, mut host) = (agent(""), FakeHost::new());
    let command = Command::Up(Some("wwan7".to_owned()));
    let why = agent.command(seconds(1), &command, &mut host).unwrap_err();
    assert!(why.contains("wwan7") && why.contains("wwan0, wg0"), "{why}");
}

#[test]
fn the_schedule_repeats_at_the_end_of_each_outage() {
    let settings =
        "[[reconfiguration]]\nlink = \"wwan0\"\nevery = \"15 s\"\noffset = \"12 s\"\noutage = \"150 ms\"";
    let (mut agent, mut host) = (agent(settings), FakeHost::new());
    let begin = Instant::from_secs(1_763_816_400);
    assert_eq!(begin.as_nanos() % 60_000_000_000, 0, "a full minute");
    let mut wall = begin;
    agent.wake(seconds(1), wall);
    let mut sent = Vec::new();
    for _ in 0..4 {
        wall += agent.wake_in(wall).unwrap();
        agent.wake(seconds(1) + wall.saturating_since(begin), wall);
        agent.help(seconds(1) + wall.saturating_since(begin), &mut host);
        sent.push((wall.saturating_since(begin).as_millis(), host.acknowledgments().len()));
    }
    assert_eq!(sent, [(12_000, 0), (12_150, 3), (27_000, 0), (27_150, 3)]);
    assert!(
        agent
            .log
            .iter()
            .all(|line| !line.event.starts_with("link") || line.to_string().contains("by=schedule")),
        "{:?}",
        agent.log
    );
    // The host has slept through a minute: the newest end counts.
    wall += Duration::from_secs(60);
    agent.wake(seconds(100), wall);
    agent.help(seconds(100), &mut host);
    assert_eq!(host.acknowledgments().len(), 3);
}
