//! What passing through an agent costs: throughput and added delay, compared with plain forwarding by the kernel, between kernel TCP ends in namespaces.
//! Needs root; says so and passes where it is missing. In earnest:
//!
//! ```sh
//! SEAMLINE_COST_SECONDS=5 cargo test --release -p seamline-bridge --test cost -- --nocapture --test-threads=1
//! SEAMLINE_COST_SECONDS=5 SEAMLINE_COST_CONNECTIONS=10000 SEAMLINE_COST_MBITS=1000 \
//!     cargo test --release -p seamline-bridge --test cost -- many_connections --nocapture --test-threads=1
//! ```
#![cfg(target_os = "linux")]

mod flows;
mod frames;
#[path = "../support/hosts.rs"]
mod hosts;
mod path;
#[path = "../support/mod.rs"]
mod support;

use flows::{Asking, Load, may_open};
use frames::Generator;
use hosts::{inside, ip, pause, run as run_in, skip};
use nix::sys::socket::{setsockopt, sockopt};
use path::{Middle, Path, SERVER};
use seamline_agent::{ObtcpParameters, Parameters, SnoopParameters};
use seamline_bridge::metrics::Snapshot;
use seamline_bridge::system::{FallbackBy, HandOver, Options, Split, run, split};
use seamline_host::clock;
use seamline_host::log::Format;
use seamline_lab::system::Namespace;
use seamline_wire::Duration;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use support::kinds;
use tempfile::TempDir;

/// Who forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    KernelBridge,
    KernelRouter,
    Agent(&'static str),
    Split,
    /// A proxy in user space that clients need not know of, as a peer of splitting: where it is installed.
    Haproxy,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Who::KernelBridge => "the kernel's bridge",
            Who::KernelRouter => "the kernel's router",
            Who::Agent(kind) => kind,
            Who::Split => "split",
            Who::Haproxy => "HAProxy",
        }
    }
    fn middle(self) -> Middle {
        match self {
            Who::KernelBridge | Who::Agent(_) => Middle::Bridge,
            Who::KernelRouter | Who::Split | Who::Haproxy => Middle::Router,
        }
    }
}

/// Who forwards, until it is dropped.
enum Forwarder {
    Kernel,
    Thread(Option<UnixStream>, Option<JoinHandle<Option<Snapshot>>>),
    Process { child: Child, _settings: TempDir },
}

impl Forwarder {
    /// End it. Returns what an agent has counted.
    fn end(&mut self) -> Option<Snapshot> {
        let Forwarder::Thread(stop, thread) = self else { return None };
        drop(stop.take());
        thread.take().and_then(|it| it.join().unwrap())
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        match self {
            Forwarder::Kernel => {}
            Forwarder::Thread(..) => drop(self.end()),
            Forwarder::Process { child, .. } => {
                child.kill().unwrap();
                child.wait().unwrap();
            }
        }
    }
}

fn begin(who: Who, path: &Path) -> Forwarder {
    let forwarder = match who {
        Who::KernelBridge => {
            ip(&path.middle, "link add br0 type bridge");
            for words in ["link set b0 master br0", "link set b1 master br0", "link set br0 up"] {
                ip(&path.middle, words);
            }
            Forwarder::Kernel
        }
        Who::KernelRouter => Forwarder::Kernel,
        Who::Agent(kind) => {
            let obtcp = ObtcpParameters { cache: 2000, ..ObtcpParameters::default() };
            let snoop = SnoopParameters { cache: 2000, ..SnoopParameters::default() };
            let settings = kinds::settings(kind, Parameters { obtcp, snoop, ..Parameters::default() });
            let options = Options {
                interfaces: interfaces(),
                metrics: None,
                format: Format::default(),
                fallback: FallbackBy::Kernel,
                runs_first: true,
                confines: true,
                hand_over: HandOver::default(),
            };
            in_thread(&path.middle, move |stop| run(settings, &options, &stop, std::io::sink()).map(Some))
        }
        Who::Split => {
            in_thread(&path.middle, |stop| split(&settings(), &stop, std::io::sink()).map(|_| None))
        }
        Who::Haproxy => haproxy(&path.middle),
    };
    // A bridge of the kernel learns, and agents begin.
    pause(500);
    forwarder
}

fn interfaces() -> [String; 2] {
    ["b0".to_owned(), "b1".to_owned()]
}

fn settings() -> Split {
    Split {
        interfaces: interfaces(),
        connections: 100,
        buffer: 1 << 20,
        memory: None,
        idle: Duration::from_secs(600),
        half_closed: Duration::from_secs(240),
        congestion_control: Some("cubic".to_owned()),
        is_dry: false,
        drain: Duration::from_secs(1),
        metrics: None,
        format: Format::default(),
    }
}

fn in_thread(
    namespace: &Namespace,
    task: impl FnOnce(UnixStream) -> std::io::Result<Option<Snapshot>> + Send + 'static,
) -> Forwarder {
    let (stop, asked) = UnixStream::pair().unwrap();
    let thread = inside(namespace, move || task(asked).unwrap());
    Forwarder::Thread(Some(stop), Some(thread))
}

/// All connections that come in at `b1` end at it, and others begin from the clients' addresses.
fn haproxy(namespace: &Namespace) -> Forwarder {
    let rules = "table ip peer { chain pre { type filter hook prerouting priority mangle; \
                 meta l4proto tcp socket transparent 1 meta mark set 1 accept; \
                 iifname b1 meta l4proto tcp tproxy to 127.0.0.1:7777 meta mark set 1 accept; }; }";
    let shell = format!(
        "ip rule add fwmark 1 lookup 100 && ip route add local default dev lo table 100 && echo '{rules}' | nft -f - && \
         printf 'defaults\\n mode tcp\\n timeout connect 5s\\n timeout client 60s\\n timeout server 60s\\nlisten all\\n \
         bind 127.0.0.1:7777 transparent\\n source 0.0.0.0 usesrc clientip\\n server any 0.0.0.0\\n' > $0/haproxy.cfg && \
         exec haproxy -db -f $0/haproxy.cfg"
    );
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &shell]).arg(folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
    let child = namespace.within(|| command.spawn()).unwrap();
    Forwarder::Process { child, _settings: folder }
}

/// Of one forwarder: the median of three downloads, and of small questions with their answers.
struct Found {
    megabits_per_second: f64,
    round_trip_us: f64,
}

fn connected(path: &Path, serve: impl FnOnce(TcpStream) + Send + 'static) -> (TcpStream, JoinHandle<()>) {
    let listener = path.fixed.within(|| TcpListener::bind((SERVER, 0))).unwrap();
    // Whatever the host's connections use; a sender that paces would measure its own caution.
    setsockopt(&listener, sockopt::TcpCongestion, &"cubic".into()).unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || serve(listener.accept().unwrap().0));
    let client = path.mobile.within(|| TcpStream::connect(address)).unwrap();
    client.set_nodelay(true).unwrap();
    (client, server)
}

/// A download for so long, of which the first fifth does not count.
fn throughput(path: &Path, seconds: f64) -> f64 {
    let (mut client, server) = connected(path, |mut stream| {
        let piece = vec![7; 1 << 17];
        while stream.write_all(&piece).is_ok() {}
    });
    let mut room = vec![0; 1 << 17];
    let begun = clock::monotonic();
    let elapsed = || clock::monotonic().saturating_since(begun).as_secs_f64();
    let (mut bytes, mut counted_from) = (0, None);
    while counted_from.is_none_or(|from| elapsed() < from + 0.8 * seconds) {
        let length = client.read(&mut room).unwrap();
        if elapsed() > seconds / 5.0 {
            counted_from.get_or_insert_with(elapsed);
            bytes += length;
        }
    }
    let took = elapsed() - counted_from.unwrap();
    drop(client);
    server.join().unwrap();
    bytes as f64 * 8.0 / took / 1e6
}

/// Of a connection of its own, one question after the other.
fn round_trip(path: &Path, times: usize) -> f64 {
    let (mut client, server) = connected(path, |mut stream| {
        stream.set_nodelay(true).unwrap();
        let mut room = [0; 64];
        while stream.read_exact(&mut room).is_ok() {
            stream.write_all(&room).unwrap();
        }
    });
    let mut took: Vec<u64> = (0..times)
        .map(|_| {
            let begun = clock::monotonic();
            client.write_all(&[7; 64]).unwrap();
            client.read_exact(&mut [0; 64]).unwrap();
            clock::monotonic().saturating_since(begun).as_nanos()
        })
        .collect();
    drop(client);
    server.join().unwrap();
    took.sort_unstable();
    took[took.len() / 2] as f64 / 1000.0
}

fn path_to(who: Who, has_gro: bool) -> Option<Path> {
    let path = Path::new(who.middle())?;
    if has_gro {
        for name in ["b0", "b1"] {
            assert!(run_in(&path.middle, &format!("ethtool -K {name} gro on")));
        }
    }
    Some(path)
}

fn measure(who: Who, has_gro: bool, seconds: f64) -> Option<Found> {
    let path = path_to(who, has_gro)?;
    let _forwarder = begin(who, &path);
    let mut found = [(); 3].map(|()| throughput(&path, seconds));
    found.sort_by(f64::total_cmp);
    let megabits_per_second = found[1];
    Some(Found { megabits_per_second, round_trip_us: round_trip(&path, (seconds * 1000.0) as usize) })
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// No agent halves what an access link of 100 Mbit/s carries, or adds a millisecond: a busy host is given room for that.
#[test]
fn what_passing_through_costs() {
    seamline_testing::punctual(30, || {
        let seconds = std::env::var("SEAMLINE_COST_SECONDS").map_or(0.2, |text| text.parse().unwrap());
        if Namespace::new().is_err() || !is_there("ip") || !is_there("nft") {
            return skip("what_passing_through_costs", "it takes root, ip, and nft");
        }
        let bridges = || [Who::KernelBridge].into_iter().chain(kinds::KINDS.map(Who::Agent));
        let mut all: Vec<(Who, bool)> = bridges().map(|who| (who, false)).collect();
        if is_there("ethtool") {
            all.extend(bridges().map(|who| (who, true)));
        }
        all.extend([(Who::KernelRouter, false), (Who::Split, false)]);
        if is_there("haproxy") && seconds >= 1.0 {
            all.push((Who::Haproxy, false));
        }
        println!("| forwarded by | throughput (Mbit/s) | round trip (us) |\n|---|--:|--:|");
        for (who, has_gro) in all {
            let Some(found) = measure(who, has_gro, seconds) else {
                return skip("what_passing_through_costs", "no namespaces can be made");
            };
            let name = format!("{}{}", who.name(), if has_gro { ", with GRO" } else { "" });
            println!("| {name} | {:.0} | {:.0} |", found.megabits_per_second, found.round_trip_us);
            assert!(
                found.megabits_per_second > 100.0,
                "{}: {} Mbit/s",
                who.name(),
                found.megabits_per_second
            );
            assert!(
                (5.0..2000.0).contains(&found.round_trip_us),
                "{}: {} us",
                who.name(),
                found.round_trip_us
            );
        }
    });
}

/// At a rate that all connections have together, which the kernel's bridge can carry: what an agent is too slow for passes it by.
#[test]
fn many_connections_at_once() {
    seamline_testing::punctual(30, || {
        let name = "many_connections_at_once";
        let load = Load::of_environment();
        if Namespace::new().is_err() || !is_there("ip") || !is_there("ethtool") {
            return skip(name, "it takes root, ip, and ethtool");
        }
        if !may_open(load.connections) {
            return skip(name, "it takes more open files: ulimit -n");
        }
        println!(
            "| forwarded by | Mbit/s | answer, median (ms) | 99 % (ms) | waited too long |\n|---|--:|--:|--:|--:|"
        );
        for (who, has_gro) in
            [(Who::KernelBridge, false), (Who::Agent("snoop"), false), (Who::Agent("snoop"), true)]
        {
            let Some(path) = path_to(who, has_gro) else { return skip(name, "no namespaces can be made") };
            let mut forwarder = begin(who, &path);
            let mut asking = Asking::begin(&path, load.connections);
            let found = asking.run(load);
            // All connections end at once then, which is another matter.
            let counted = forwarder.end();
            asking.end();
            let frames = |it: &Snapshot| it.ports.iter().map(|port| port.received).sum::<u64>();
            let waited = counted
                .as_ref()
                .map_or_else(String::new, |it| format!("{} of {}", it.bridge.overload, frames(it)));
            let name = format!("{}{}", who.name(), if has_gro { ", with GRO" } else { "" });
            let [median, most] = found.took_ms;
            println!("| {name} | {:.0} | {median:.1} | {most:.1} | {waited} |", found.megabits_per_second);
            let share = found.megabits_per_second * 1e6 / load.rate;
            assert!((0.25..1.2).contains(&share), "{name}: {found:?} of {load:?}");
            let known = counted.map(|it| it.agent.known as usize);
            assert!(known.is_none_or(|known| 10 * known >= 9 * load.connections), "{name}: {known:?} known");
        }
    });
}

/// Each segment is of another connection than the one before, so that nothing can leave joined, and what is known of a connection is in no cache.
#[test]
fn frames_of_many_connections() {
    seamline_testing::punctual(30, || {
        let name = "frames_of_many_connections";
        let Load { connections, rate, seconds } = Load::of_environment();
        if Namespace::new().is_err() || !is_there("ip") {
            return skip(name, "it takes root, and ip");
        }
        let Some(path) = Path::new(Middle::Bridge) else { return skip(name, "no namespaces can be made") };
        let mut agent = begin(Who::Agent("snoop"), &path);
        let mut generator = Generator::begin(&path, connections as u64);
        let segments = generator.run(rate, seconds);
        pause(100);
        let it = agent.end().expect("an agent counts");
        let received: u64 = it.ports.iter().map(|port| port.received).sum();
        println!(
            "{segments} segments of {connections} connections at {:.0} Mbit/s: {received} frames received, {} kept, {} sent again, {} waited too long, {} dropped",
            segments as f64 * 8.0 * 1400.0 / seconds / 1e6,
            it.agent.cached,
            it.agent.local_retransmissions,
            it.bridge.overload,
            it.ports[0].overrun + it.ports[1].overrun
        );
        assert!(10 * it.agent.known as usize >= 9 * connections, "{it:?}");
        assert!(received <= 2 * segments + 3 * connections as u64 + 100, "{it:?}");
        assert!(10 * it.ports[1].sent >= 9 * segments, "{it:?}");
    });
}
