//! The bridge between real interfaces: kernel TCP at both ends, a hop behind the bridge that loses, doubles and overtakes, everything in
//! namespaces of its own. Needs root; says so and passes where it is missing.
#![cfg(target_os = "linux")]

mod claims;
mod fallback;
mod hand_over;
mod hop;
#[path = "../support/hosts.rs"]
mod hosts;
mod interfaces;
mod joined;
mod net;
mod not_shown;
mod sender;
mod soak;
mod split;
#[path = "../support/mod.rs"]
mod support;
mod take_over;
mod trouble;

use hop::Hop;
use hosts::{inside, ip, pause, run as run_in, skip};
use net::{Net, Transfer, now};
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{getsockopt, sockopt};
use nix::unistd::Pid;
use seamline_agent::{ObtcpParameters, Parameters, SnoopParameters};
use seamline_bridge::Settings;
use seamline_bridge::metrics::Snapshot;
use seamline_bridge::system::{FallbackBy, HandOver, Metrics, Options, Port, run};
use seamline_host::log::Format;
use seamline_testing::punctual;
use std::io::{Read, Write};
use std::net::{Shutdown, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use support::{KINDS, kinds};
use trouble::Trouble;

fn settings(kind: &str) -> Settings {
    // Room for all that the kernel has under way here.
    let obtcp = ObtcpParameters { cache: 2000, ..ObtcpParameters::default() };
    let snoop = SnoopParameters { cache: 2000, ..SnoopParameters::default() };
    kinds::settings(kind, Parameters { obtcp, snoop, ..Parameters::default() })
}

fn options() -> Options {
    let interfaces = ["b0".to_owned(), "b1".to_owned()];
    let fallback = FallbackBy::Kernel;
    Options {
        interfaces,
        metrics: None,
        format: Format::default(),
        fallback,
        runs_first: true,
        confines: true,
        hand_over: HandOver::default(),
    }
}

fn guarded() -> Options {
    Options { fallback: FallbackBy::Guard, ..options() }
}

/// A bridge in a thread of this process.
struct Bridge {
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<std::io::Result<Snapshot>>>,
    log: Arc<Mutex<Vec<u8>>>,
}

struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Bridge {
    fn begin(net: &Net, settings: Settings, options: Options) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let out = Shared(Arc::clone(&log));
        let bridge = Bridge { log, ..Bridge::begin_with(net, settings, options, out) };
        let (begun, has_ended) = (now(), || bridge.thread.as_ref().is_none_or(JoinHandle::is_finished));
        while !bridge.log().contains("event=start") && !has_ended() && now() - begun < 10_000 {
            pause(10);
        }
        bridge
    }
    fn begin_with(net: &Net, settings: Settings, options: Options, out: impl Write + Send + 'static) -> Self {
        let (stop, asked) = UnixStream::pair().unwrap();
        let thread = inside(&net.bridge, move || run(settings, &options, &asked, out));
        pause(200);
        Bridge { stop: Some(stop), thread: Some(thread), log: Arc::default() }
    }
    fn log(&self) -> String {
        String::from_utf8(self.log.lock().unwrap().clone()).unwrap()
    }
    fn wait_for(&self, message: &str) {
        self.wait_for_times(message, 1);
    }
    fn wait_for_times(&self, message: &str, times: usize) {
        let begun = now();
        while self.log().matches(message).count() < times {
            assert!(now() - begun < 60_000, "{}", self.log());
            pause(10);
        }
    }
    /// Nothing that waits takes so long to forward.
    fn end(&mut self) -> std::io::Result<Snapshot> {
        drop(self.stop.take());
        let (begun, thread) = (now(), self.thread.as_ref().expect("it is ended once"));
        while !thread.is_finished() {
            assert!(now() - begun < 5000, "it does not end");
            pause(5);
        }
        self.thread.take().expect("it is ended once").join().expect("it does not panic")
    }
}

#[test]
fn every_agent_carries_what_was_sent() {
    punctual(30, || {
        for kind in KINDS {
            for version in [4, 6] {
                let Some(net) = Net::or_skip("every_agent_carries_what_was_sent") else { return };
                let hop = Hop::begin(&net, 20);
                let mut bridge = Bridge::begin(&net, settings(kind), options());
                let mut transfer = Transfer::begin(&net, version, 1_500_000);
                transfer.finish();
                let it = bridge.end().unwrap();
                hop.end();
                let agent = it.agent;
                println!(
                    "{kind}, IPv{version}: {} shown, {} sent again",
                    it.engine.shown, agent.local_retransmissions
                );
                assert!(it.engine.shown > 1000 && it.agent.known == 1, "{it:?}");
                assert_eq!((it.engine.failures, it.engine.unsendable), (0, 0), "{it:?}");
                assert_eq!(it.ports.map(|port| port.too_long), [0; 2]);
                assert!(
                    it.ports[0].completed > 0,
                    "the kernel leaves checksums to hardware that is not there"
                );
                if kind == "snoop" {
                    // Most losses are repaired by SACK first: the first duplicate that passes lists them to the sender.
                    assert!(
                        agent.local_retransmissions > 0 && agent.suppressed_acknowledgments > 0,
                        "{it:?}"
                    );
                }
                assert!(bridge.log().contains("event=stop"));
            }
        }
    });
}

/// Not the agent, but what the child below runs.
#[test]
fn the_bridge_itself() {
    let Ok(kind) = std::env::var("SEAMLINE_TEST_BRIDGE") else { return };
    let (stop, asked) = UnixStream::pair().unwrap();
    let end = asked.try_clone().unwrap();
    std::thread::spawn(move || std::io::stdin().read(&mut [0]).map(|_| end.shutdown(Shutdown::Both)));
    signal_hook::low_level::pipe::register(Signal::SIGTERM as i32, asked).unwrap();
    let (kind, options) = kind.strip_prefix("guarded ").map_or((&*kind, options()), |kind| (kind, guarded()));
    run(settings(kind), &options, stop, std::io::stderr()).unwrap();
}

/// It ends with its input, or by SIGTERM. Its log goes to `log`.
fn child(net: &Net, kind: &str, log: Stdio) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_bridge_itself", "--nocapture"]).env("SEAMLINE_TEST_BRIDGE", kind);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
    net.bridge.within(|| command.spawn()).unwrap()
}

/// Twice: `kill -9`, half a second in which nothing is forwarded, and another one that knows nothing.
#[test]
fn a_connection_outlives_bridges_that_are_killed() {
    for kind in KINDS {
        let Some(net) = Net::or_skip("a_connection_outlives_bridges_that_are_killed") else { return };
        let hop = Hop::begin(&net, 20);
        let guarded = format!("guarded {kind}");
        let mut bridge = child(&net, &guarded, Stdio::null());
        pause(400);
        let mut transfer = Transfer::begin(&net, 4, 3_000_000);
        // Most of it is left, so that it does not end before the signal comes.
        for part in [300_000, 900_000] {
            transfer.wait_for(part);
            kill(Pid::from_raw(bridge.id() as i32), Signal::SIGKILL).unwrap();
            bridge.wait().unwrap();
            pause(500);
            assert!(!transfer.is_finished());
            bridge = child(&net, &guarded, Stdio::null());
        }
        transfer.finish();
        drop(bridge.stdin.take());
        assert!(bridge.wait().unwrap().success());
        hop.end();
    }
}

/// Numbered datagrams, one each 20 ms; returns the longest time in milliseconds in which none came.
fn longest_silence(net: &Net, for_millis: u64, meanwhile: impl FnOnce()) -> u64 {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let listener = inside(&net.mobile, move || {
        let socket = UdpSocket::bind(("10.77.0.2", 7000)).unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(100))).unwrap();
        let (mut last, mut longest, mut count) = (now(), 0, 0);
        while !stopped.load(Ordering::Relaxed) {
            if socket.recv(&mut [0; 16]).is_ok() {
                count += 1;
                last = now();
            }
            longest = longest.max(now() - last);
        }
        assert!(count > 20, "{count}");
        longest
    });
    let stopped = Arc::clone(&stop);
    let sender = inside(&net.fixed, move || {
        let socket = UdpSocket::bind(("10.77.0.1", 0)).unwrap();
        while !stopped.load(Ordering::Relaxed) {
            let _ = socket.send_to(b"ping", ("10.77.0.2", 7000));
            pause(20);
        }
    });
    pause(300);
    meanwhile();
    pause(for_millis);
    stop.store(true, Ordering::Relaxed);
    sender.join().unwrap();
    listener.join().unwrap()
}

/// With an agent that has no trouble yet, whatever a test before it has left.
fn without_trouble(net: &Net) -> Bridge {
    Trouble::None.begin();
    Bridge::begin(net, Settings { kind: trouble::kind(), ..settings("snoop") }, guarded())
}

/// It hangs, or it panics again and again.
#[test]
fn the_guard_forwards_within_a_second_and_steps_back() {
    seamline_testing::punctual(30, || {
        for trouble in [Trouble::Hangs, Trouble::Panics] {
            let Some(net) = Net::alone_or_skip("the_guard_forwards_within_a_second_and_steps_back") else {
                return;
            };
            let hop = Hop::begin(&net, 0);
            let mut bridge = without_trouble(&net);
            Transfer::begin(&net, 4, 300_000).finish();
            let mut meanwhile = None;
            let silence = longest_silence(&net, 1500, || {
                trouble.begin();
                meanwhile = Some(Transfer::begin(&net, 4, 100_000));
            });
            println!("silence when the agent is in trouble: {silence} ms");
            assert!((300..1000).contains(&silence), "{silence} ms");
            let silence = longest_silence(&net, 2500, || Trouble::None.begin());
            println!("silence when it comes back: {silence} ms");
            assert!(silence < 1000, "{silence} ms");
            meanwhile.expect("it was begun").finish();
            Transfer::begin(&net, 4, 100_000).finish();
            let it = bridge.end().unwrap();
            let log = bridge.log();
            assert!(log.contains("event=bypass") && log.contains("event=resume"), "{log}");
            assert!(it.bridge.bypasses > 0 && it.bridge.bypassed > 20 && !it.bridge.is_bypassed, "{it:?}");
            assert!(
                (3..=12).contains(&it.agent.known),
                "after that the agent helps again, and what it did before still counts: {it:?}"
            );
            assert!(it.engine.shown > 200 && it.agent.cached > 200, "{it:?}");
            assert_eq!(it.engine.failures > 0, trouble == Trouble::Panics, "{it:?}");
            hop.end();
        }
    });
}

#[test]
fn it_ends_when_it_is_asked_to_though_it_goes_on_failing() {
    punctual(30, || {
        let Some(net) = Net::alone_or_skip("it_ends_when_it_is_asked_to_though_it_goes_on_failing") else {
            return;
        };
        let hop = Hop::begin(&net, 0);
        let mut bridge = without_trouble(&net);
        Trouble::Panics.begin();
        let _meanwhile = Transfer::begin(&net, 4, 100_000);
        pause(300);
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bridge.end()));
        Trouble::None.begin();
        assert_eq!(
            ended.expect("it ends").unwrap().engine.failures,
            2,
            "of the agent, and of what is around it"
        );
        assert!(bridge.log().contains("event=failure") && bridge.log().contains("event=stop"));
        hop.end();
    });
}

/// Nobody reads it.
struct Full;

impl Write for Full {
    fn write(&mut self, _bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            pause(1000);
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_that_nobody_reads_holds_up_neither_frames_nor_the_end() {
    seamline_testing::punctual(30, || {
        let name = "a_log_that_nobody_reads_holds_up_neither_frames_nor_the_end";
        let Some(net) = Net::or_skip(name) else { return };
        let hop = Hop::begin(&net, 0);
        let mut bridge = Bridge::begin_with(&net, settings("snoop"), guarded(), Full);
        Transfer::begin(&net, 4, 100_000).finish();
        let it = bridge.end().unwrap();
        assert!(it.engine.shown > 50 && it.bridge.bypasses == 0, "{it:?}");
        hop.end();
    });
}

/// For a while that is too short for the guard.
#[test]
fn what_has_waited_for_the_agent_too_long_passes_it_by() {
    seamline_testing::punctual(30, || {
        let Some(net) = Net::alone_or_skip("what_has_waited_for_the_agent_too_long_passes_it_by") else {
            return;
        };
        let hop = Hop::begin(&net, 0);
        let mut bridge = without_trouble(&net);
        let mut through = None;
        let silence = longest_silence(&net, 300, || {
            Trouble::Hangs.begin();
            let meanwhile = Transfer::begin(&net, 4, 100_000);
            pause(250);
            Trouble::None.begin();
            through = Some(meanwhile);
        });
        through.expect("it was begun").finish();
        let it = bridge.end().unwrap();
        hop.end();
        // One datagram each 20 ms, and the beginning of a transfer; what came in the last 50 ms has not waited too long.
        assert!((200..450).contains(&silence), "{silence} ms");
        assert!((4..=40).contains(&it.bridge.overload) && it.bridge.bypasses == 0, "{it:?}");
    });
}

/// The kernel doubles what it is asked for (socket(7)).
#[test]
fn a_burst_may_wait_to_be_read_and_to_leave() {
    let Some(net) = Net::or_skip("a_burst_may_wait_to_be_read_and_to_leave") else { return };
    let port = net.bridge.within(|| Port::open("b0")).unwrap();
    let room = [getsockopt(&port, sockopt::RcvBuf), getsockopt(&port, sockopt::SndBuf)].map(Result::unwrap);
    assert_eq!(room, [2 * (32 << 20), 2 * (4 << 20)]);
}

/// Down and up, and gone and there again.
#[test]
fn interfaces_come_back() {
    let Some(net) = Net::or_skip("interfaces_come_back") else { return };
    let hop = Hop::begin(&net, 0);
    let mut bridge = Bridge::begin(&net, settings("snoop"), options());
    let mut transfer = Transfer::begin(&net, 4, 2_000_000);
    transfer.wait_for(300_000);
    ip(&net.bridge, "link set b1 down");
    pause(400);
    ip(&net.bridge, "link set b1 up");
    transfer.wait_for(900_000);
    ip(&net.bridge, "link set b0 down");
    ip(&net.bridge, "link set b0 name away");
    pause(800);
    ip(&net.bridge, "link set away name b0");
    ip(&net.bridge, "link set b0 up");
    transfer.finish();
    // On a busy host everything may have come before the second interface went.
    bridge.wait_for("event=interface-returned");
    assert!(bridge.log().contains("event=interface-removed"), "{}", bridge.log());
    let it = bridge.end().unwrap();
    assert_eq!(it.ports.map(|port| port.flaps), [1, 0]);
    hop.end();
}

/// The path becomes narrower and wider again while data is on its way.
#[test]
fn the_mtu_changes() {
    let Some(net) = Net::or_skip("the_mtu_changes") else { return };
    let hop = Hop::begin(&net, 20);
    let mut bridge = Bridge::begin(&net, settings("snoop"), options());
    let mut transfer = Transfer::begin(&net, 4, 1_500_000);
    for (share, mtu) in [(2, 1000), (4, 1500), (6, 600), (8, 1500)] {
        transfer.wait_for(1_500_000 * share / 10);
        ip(&net.fixed, &format!("link set a0 mtu {mtu}"));
    }
    transfer.finish();
    let it = bridge.end().unwrap();
    assert!(it.engine.shown > 1000 && it.engine.failures == 0, "{it:?}");
    hop.end();
}

#[test]
fn packets_that_would_be_joined_for_good_are_refused_with_the_command() {
    let Some(net) = Net::or_skip("packets_that_would_be_joined_for_good_are_refused_with_the_command") else {
        return;
    };
    if !run_in(&net.bridge, "ethtool -K b1 rx-gro-list on") {
        return skip(
            "packets_that_would_be_joined_for_good_are_refused_with_the_command",
            "ethtool is missing",
        );
    }
    let mut bridge = Bridge::begin(&net, settings("snoop"), options());
    let why = bridge.end().unwrap_err().to_string();
    assert!(why.contains("ethtool -K b1 rx-gro-list off") && !why.contains("b0"), "{why}");
    assert!(run_in(&net.bridge, "ethtool -K b1 rx-gro-list off"));
    assert!(Bridge::begin(&net, settings("snoop"), options()).end().is_ok());
    let missing = Options { interfaces: ["b0".to_owned(), "b7".to_owned()], ..options() };
    let why = Bridge::begin(&net, settings("snoop"), missing).end().unwrap_err().to_string();
    assert!(why.contains("b7"), "{why}");
}

/// By HTTP, and as a file.
#[test]
fn the_counters_can_be_read() {
    punctual(30, || {
        let Some(net) = Net::or_skip("the_counters_can_be_read") else { return };
        ip(&net.bridge, "link set lo up");
        let hop = Hop::begin(&net, 0);
        let address = "127.0.0.1:9477".parse().unwrap();
        let with = Options { metrics: Some(Metrics::Http(address)), ..options() };
        let mut bridge = Bridge::begin(&net, settings("snoop"), with);
        Transfer::begin(&net, 4, 100_000).finish();
        pause(1300);
        let asked = net.bridge.within(|| {
            let mut asked = std::net::TcpStream::connect(address)?;
            asked.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")?;
            let mut text = String::new();
            asked.read_to_string(&mut text).map(|_| text)
        });
        let text = asked.unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text}");
        let shown = text.lines().find_map(|line| line.strip_prefix("seamline_agent_shown_total "));
        assert!(shown.unwrap().parse::<u64>().unwrap() > 50, "{text}");
        let (_, body) = text.split_once("\r\n\r\n").unwrap();
        let samples = seamline_host::metrics::samples(body).unwrap();
        let of_side = |name: &str, side: &str| {
            let found = samples.iter().find(|it| it.name == name && it.label("side") == Some(side));
            found.map_or(0.0, |it| it.value)
        };
        for side in ["wired", "wireless"] {
            let [count, sum] = ["seamline_agent_rtt_seconds_count", "seamline_agent_rtt_seconds_sum"]
                .map(|it| of_side(it, side));
            // Within a host; a busy one may take some milliseconds.
            assert!(count >= 1.0 && (1e-6..0.1).contains(&(sum / count)), "{side}: {count}, {sum} s");
        }
        let start = samples.iter().find(|it| it.name == "seamline_agent_start_time_seconds").unwrap().value;
        let now = seamline_host::clock::wall().as_secs_f64();
        assert!((now - 60.0..now).contains(&start), "{start}, {now}");
        let build = samples.iter().find(|it| it.name == "seamline_agent_build_info").unwrap();
        let expected = [("agent", "snoop"), ("mode", "active"), ("in", "b0"), ("out", "b1")];
        assert!(expected.iter().all(|(name, value)| build.label(name) == Some(value)), "{build:?}");
        bridge.end().unwrap();

        let path = std::env::temp_dir().join(format!("seamline-bridge-{}.prom", std::process::id()));
        let with = Options { metrics: Some(Metrics::File(path.clone())), ..options() };
        let mut bridge = Bridge::begin(&net, settings("snoop"), with);
        pause(1300);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("seamline_agent_bypass 0\n"), "{text}");
        bridge.end().unwrap();
        hop.end();
    });
}
