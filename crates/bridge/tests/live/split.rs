//! Split connections through a router: kernel TCP at both ends, a hop behind the router that loses, doubles and overtakes.

mod ends;
mod host;
mod neighbours;
mod paths;
mod slow;
mod soak;

use crate::Shared;
use crate::hop::Hop;
use crate::hosts::{inside, ip, pause, run, skip};
use crate::net::{Net, Transfer, now};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_agent::Side;
use seamline_bridge::system::{Batch, Metrics, Port, Split, split};
use seamline_bridge::{Outgoing, SplitCounters};
use seamline_host::log::Format;
use seamline_lab::system::Namespace;
use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Duration, Flags, Segment, SequenceNumber, Timestamps, TransportPort};
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

fn settings() -> Split {
    Split {
        interfaces: ["b0".to_owned(), "b1".to_owned()],
        connections: 100,
        buffer: 256_000,
        memory: None,
        idle: Duration::from_secs(600),
        half_closed: Duration::from_secs(240),
        congestion_control: None,
        is_dry: false,
        drain: Duration::from_secs(20),
        metrics: None,
        format: Format::default(),
    }
}

/// The host between the two is a router here, which answers for each end to the other.
fn routed(test: &str) -> Option<Net> {
    made_a_router(Net::or_skip(test)?, test)
}

fn made_a_router(net: Net, test: &str) -> Option<Net> {
    if Command::new("nft").arg("-v").output().is_err() {
        skip(test, "it takes nft");
        return None;
    }
    let router = &net.bridge;
    ip(router, "link set lo up");
    // Known, so that packets can be written for it.
    ip(router, "link set b1 address 02:00:00:00:00:0b");
    let sysctls = "net.ipv4.ip_forward=1 net.ipv4.conf.b0.proxy_arp=1 net.ipv4.conf.b1.proxy_arp=1 \
                   net.ipv6.conf.all.forwarding=1 net.ipv6.conf.all.proxy_ndp=1 \
                   net.ipv4.neigh.b0.proxy_delay=0 net.ipv4.neigh.b1.proxy_delay=0 \
                   net.ipv6.neigh.b0.proxy_delay=0 net.ipv6.neigh.b1.proxy_delay=0";
    assert!(run(router, &format!("sysctl -wq {sysctls}")));
    for (interface, own, host) in [("b0", 3, 1), ("b1", 4, 2)] {
        ip(router, &format!("addr add 10.77.1.{own}/32 dev {interface}"));
        ip(router, &format!("route add 10.77.0.{host}/32 dev {interface}"));
        ip(router, &format!("-6 route add fd77::{host}/128 dev {interface}"));
    }
    answer_in_ipv6(router);
    Some(net)
}

/// For each end to the other.
fn answer_in_ipv6(router: &Namespace) {
    for (host, other) in [(1, "b1"), (2, "b0")] {
        ip(router, &format!("-6 neigh add proxy fd77::{host} dev {other}"));
    }
}

struct Router {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<std::io::Result<SplitCounters>>>,
    log: Arc<Mutex<Vec<u8>>>,
}

impl Router {
    fn begin(net: &Net, settings: Split) -> Self {
        let (stop, asked) = UnixStream::pair().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let out = Shared(Arc::clone(&log));
        let thread = inside(&net.bridge, move || split(&settings, &asked, out));
        let router = Router { stop: Some(stop), thread: Some(thread), log };
        router.wait_for("event=start");
        router
    }
    fn wait_for(&self, event: &str) {
        let begun = now();
        while !self.log().contains(event) {
            assert!(now() - begun < 10_000, "no {event} in {}", self.log());
            pause(10);
        }
    }
    fn log(&self) -> String {
        String::from_utf8(self.log.lock().unwrap().clone()).unwrap()
    }
    /// As soon as nothing is open, or at once where it `hurries`.
    fn end(mut self, hurries: bool) -> SplitCounters {
        let mut stop = self.stop.take().unwrap();
        stop.write_all(&[0]).unwrap();
        if !hurries {
            self.wait_for("event=drain");
            self.thread.as_ref().inspect(|thread| {
                let begun = now();
                while !thread.is_finished() && now() - begun < 30_000 {
                    pause(10);
                }
            });
        }
        drop(stop);
        self.thread.take().unwrap().join().unwrap().unwrap()
    }
}

/// Wait until nft has applied the rules that hand new connections over, or has removed them: the agent does not wait for that.
fn await_rules(net: &Net, are_wanted: bool) {
    let begun = now();
    let chain = || {
        let list = ["list", "chain", "inet", "seamline_split", "begin"];
        let listed = net.bridge.within(|| Command::new("nft").args(list).output());
        String::from_utf8(listed.unwrap().stdout).unwrap()
    };
    while chain().contains("counter name \"taken\"") != are_wanted {
        assert!(now() - begun < 10_000, "{}", chain());
        pause(20);
    }
}

/// Who comes within ten seconds.
fn accepted(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    listener.set_nonblocking(true).unwrap();
    let begun = now();
    loop {
        if let Ok((stream, peer)) = listener.accept() {
            stream.set_nonblocking(false).unwrap();
            return (stream, peer);
        }
        assert!(now() - begun < 10_000, "nobody has come");
        pause(2);
    }
}

/// In both versions of IP; nothing is left behind.
#[test]
fn split_connections_carry_what_was_sent() {
    let Some(net) = routed("split_connections_carry_what_was_sent") else { return };
    let hop = Hop::begin(&net, 20);
    let router = Router::begin(&net, settings());
    for version in [4, 6] {
        Transfer::begin(&net, version, 1_500_000).finish();
    }
    let it = router.end(false);
    hop.end();
    assert_eq!((it.taken >= 2, it.begun, it.ended, it.open), (true, 2, 2, 0), "{it:?}");
    assert_eq!((it.bytes_to_wireless, it.bytes_to_wired), (3_000_000, 0), "{it:?}");
    assert!(rules(&net).is_empty(), "{}", rules(&net));
}

fn rules(net: &Net) -> String {
    let output_of = |program: &str, words: &[&str]| {
        let output = net.bridge.within(|| Command::new(program).args(words).output()).unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let marked =
        output_of("ip", &["rule"]).lines().filter(|line| line.contains("fwmark")).collect::<String>();
    output_of("nft", &["list", "ruleset"]) + &marked
}

/// The server sees the client's own address and port; what one end closes or resets, the other sees closed or reset; each direction by itself.
#[test]
fn the_ends_see_each_other() {
    let Some(net) = routed("the_ends_see_each_other") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4000")).unwrap();
    let connect = |port: u16| net.mobile.within(|| TcpStream::connect(("10.77.0.1", port))).unwrap();

    let mut client = connect(4000);
    let (mut server, address) = listener.accept().unwrap();
    assert_eq!(address, client.local_addr().unwrap());
    client.write_all(b"question").unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut heard = String::new();
    server.read_to_string(&mut heard).unwrap();
    server.write_all(b"answer").unwrap();
    drop(server);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert_eq!((heard.as_str(), answer.as_str()), ("question", "answer"));

    let client = connect(4000);
    let (mut server, _) = listener.accept().unwrap();
    let linger = nix::libc::linger { l_onoff: 1, l_linger: 0 };
    nix::sys::socket::setsockopt(&client, nix::sys::socket::sockopt::Linger, &linger).unwrap();
    drop(client);
    assert_eq!(server.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);

    // Nobody listens there; the client has been answered by then.
    assert_eq!(connect(4001).read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    pause(1500);
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended, it.reset, it.refused), (3, 1, 1, 1), "{it:?}");
    assert_eq!((it.bytes_to_wired, it.bytes_to_wireless), (8, 6), "{it:?}");
}

/// What there is no room for passes, and is not split.
#[test]
fn more_connections_than_there_is_room_for_pass() {
    let Some(net) = routed("more_connections_than_there_is_room_for_pass") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, Split { connections: 1, ..settings() });
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4001")).unwrap();
    let held = net.mobile.within(|| TcpStream::connect("10.77.0.1:4001")).unwrap();
    let (server, _) = listener.accept().unwrap();
    router.wait_for("event=full");
    await_rules(&net, false);
    Transfer::begin(&net, 4, 500_000).finish();
    drop((held, server));
    router.wait_for("event=room");
    await_rules(&net, true);
    Transfer::begin(&net, 4, 300_000).finish();
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended, it.bytes_to_wireless), (2, 2, 300_000), "{it:?}");
}

/// Asked to end, it lets what is open end first.
#[test]
fn what_is_open_may_end_first() {
    let Some(net) = routed("what_is_open_may_end_first") else { return };
    let hop = Hop::begin(&net, 20);
    let router = Router::begin(&net, settings());
    let mut transfer = Transfer::begin(&net, 4, 1_500_000);
    transfer.wait_for(300_000);
    let it = router.end(false);
    assert_eq!((it.begun, it.ended, it.reset), (1, 1, 0), "{it:?}");
    transfer.finish();
    // And passes from then on.
    Transfer::begin(&net, 4, 100_000).finish();
    hop.end();
}

/// Not the test, but what the child below runs.
#[test]
fn the_router_itself() {
    if std::env::var_os("SEAMLINE_TEST_SPLIT").is_some() {
        split(&settings(), std::io::stdin(), std::io::stderr()).unwrap();
    }
}

/// Begun by a command that takes its command line. It ends with its input; its log goes to `log`.
fn child(net: &Net, mut command: Command, log: Stdio) -> Child {
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", "split::the_router_itself", "--nocapture"]).env("SEAMLINE_TEST_SPLIT", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
    net.bridge.within(|| command.spawn()).unwrap()
}

fn wait_until(net: &Net, holds: impl Fn(&str) -> bool) {
    let begun = now();
    while !holds(&rules(net)) {
        assert!(now() - begun < 10_000, "{}", rules(net));
        pause(20);
    }
}

/// The last of them are one for each interface and version of IP.
fn wait_for_rules(net: &Net) {
    wait_until(net, |rules| rules.matches("of process").count() >= 4);
}

/// `kill -9`: connections that were split are over, for nobody else has their bytes; new ones pass at once, and are split again by the next one.
#[test]
fn connections_pass_once_it_is_killed() {
    let Some(net) = routed("connections_pass_once_it_is_killed") else { return };
    let hop = Hop::begin(&net, 0);
    let mut router = child(&net, Command::new("env"), Stdio::null());
    wait_for_rules(&net);
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4001")).unwrap();
    let mut client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4001")).unwrap();
    let (_server, _) = listener.accept().unwrap();
    kill(Pid::from_raw(router.id() as i32), Signal::SIGKILL).unwrap();
    router.wait().unwrap();
    wait_until(&net, |rules| !rules.contains("table"));
    // Not an end in order, after which the client would believe to have all.
    assert_eq!(client.read(&mut [0]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    Transfer::begin(&net, 4, 300_000).finish();

    let again = Router::begin(&net, settings());
    Transfer::begin(&net, 4, 300_000).finish();
    let it = again.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended), (1, 1), "{it:?}");
    assert!(rules(&net).is_empty(), "{}", rules(&net));
}

/// From as many forged addresses: who comes meanwhile is split or passes, and is served either way.
#[test]
fn a_flood_of_syns_keeps_nobody_out() {
    const FLOOD: u32 = 100_000;
    let Some(net) = routed("a_flood_of_syns_keeps_nobody_out") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    ip(&net.fixed, "route add default via 10.77.1.3 dev a0 onlink");
    let flood = inside(&net.mobile, || {
        let mut port = Port::open("d0").unwrap();
        let mut outgoing = Outgoing::new();
        for number in 0..FLOOD {
            outgoing.push(Side::Wired, &[&syn(number)]);
            if number % 50 == 49 {
                port.send(Side::Wired, &outgoing, &Batch::default());
                outgoing.clear();
                pause(1);
            }
        }
        port.counters.sent
    });
    let mut transfers = 0;
    while !flood.is_finished() || transfers == 0 {
        Transfer::begin(&net, 4, 100_000).finish();
        transfers += 1;
    }
    assert_eq!(flood.join().unwrap(), u64::from(FLOOD));
    Transfer::begin(&net, 4, 100_000).finish();
    let it = router.end(true);
    hop.end();
    println!("{transfers} downloads during the flood; {it:?}");
    assert!(it.taken + it.passed > 50_000, "the hop drops some: {it:?}");
    assert!(it.taken >= 1000 && it.passed > it.taken, "{it:?}");
    assert!((1..=transfers + 1).contains(&it.begun), "forged ones never come so far: {it:?}");
}

/// An Ethernet frame to the router, whose other end is a host that nobody is.
fn syn(number: u32) -> Vec<u8> {
    let ip = IpHeader::v4(Ipv4Addr::from(0x0a4e_0000 + number), Ipv4Addr::new(10, 77, 0, 1));
    let timestamps = Some(Timestamps { value: 1, echo: 0 });
    let segment = Segment {
        sequence: SequenceNumber(number),
        flags: Flags::SYN,
        window: 500,
        timestamps,
        ..Segment::default()
    };
    let headers =
        Headers { ip, source_port: TransportPort(2000), destination_port: TransportPort(4000), segment };
    let mut frame = vec![2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 1, 8, 0];
    frame.extend(encode_to_vec(&headers, &[]).unwrap());
    frame
}

/// It counts what would be split, and touches nothing.
#[test]
fn a_dry_run_counts_only() {
    let Some(net) = routed("a_dry_run_counts_only") else { return };
    let hop = Hop::begin(&net, 0);
    let path = std::env::temp_dir().join(format!("seamline-split-{}.prom", std::process::id()));
    let metrics = Some(Metrics::File(path.clone()));
    let router = Router::begin(&net, Split { is_dry: true, metrics, ..settings() });
    assert!(!rules(&net).contains("socket"), "{}", rules(&net));
    Transfer::begin(&net, 4, 100_000).finish();
    pause(2500);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(text.contains("seamline_agent_split_handed_over_total 1\n"), "{text}{}", rules(&net));
    let it = router.end(false);
    hop.end();
    assert_eq!((it.taken, it.begun), (1, 0), "{it:?}");
}

/// Whichever side begins it: here the wired side.
#[test]
fn the_wireless_half_alone_has_the_congestion_control() {
    let Some(net) = routed("the_wireless_half_alone_has_the_congestion_control") else { return };
    let path = "/proc/sys/net/ipv4/tcp_congestion_control";
    let own = net.bridge.within(|| std::fs::read_to_string(path)).unwrap().trim().to_owned();
    let named = if own == "reno" { "cubic" } else { "reno" }.to_owned();
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, Split { congestion_control: Some(named.clone()), ..settings() });
    let listener = net.mobile.within(|| TcpListener::bind("10.77.0.2:4000")).unwrap();
    let client = net.fixed.within(|| TcpStream::connect("10.77.0.2:4000")).unwrap();
    let (server, _) = listener.accept().unwrap();
    let sockets = net.bridge.within(|| Command::new("ss").arg("-tin").output()).unwrap();
    let sockets = String::from_utf8(sockets.stdout).unwrap();
    let lines: Vec<&str> = sockets.lines().collect();
    // Each socket has a line, whose fifth word is its peer, and one with what its TCP does.
    for (peer, congestion_control) in [("10.77.0.1:", own), ("10.77.0.2:", named)] {
        let is_it = |words: &str| words.split_whitespace().nth(4).is_some_and(|it| it.starts_with(peer));
        let half = lines.windows(2).find(|pair| is_it(pair[0])).unwrap();
        assert!(half[1].split_whitespace().any(|word| word == congestion_control), "{peer} {sockets}");
    }
    drop((client, server));
    router.end(false);
    hop.end();
}
