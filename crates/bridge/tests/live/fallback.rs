//! What the kernel forwards while the agent's process is killed, stopped or without memory.

use crate::hosts::{inside, ip, pause, skip};
use crate::net::Net;
use crate::{Bridge, child, options, settings};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_bridge::system::{FallbackBy, Options};
use seamline_host::bpf::SharedWords;
use seamline_host::cgroup::unified_hierarchy;
use seamline_host::clock::monotonic;
use seamline_wire::codec::recovery::RECOVERY_PORT;
use std::collections::BTreeMap;
use std::fs;
use std::net::UdpSocket;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Datagrams that were sent one each millisecond, and those of them that came. Their ports are those of messages between agents: others pass
/// in the kernel, whatever becomes of the agent.
struct Stream {
    /// When each was sent, in microseconds.
    sent: Vec<u64>,
    /// When each came, as often as it did.
    came: BTreeMap<usize, Vec<u64>>,
}

impl Stream {
    /// While something happens.
    fn during(net: &Net, something: impl FnOnce()) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let socket = net.mobile.within(|| UdpSocket::bind(("10.77.0.2", RECOVERY_PORT.0))).unwrap();
        let listener = inside(&net.mobile, move || {
            socket.set_read_timeout(Some(std::time::Duration::from_millis(200))).unwrap();
            let (mut came, mut room) = (BTreeMap::new(), [0; 8]);
            // A busy host may not have read all that has come when nothing is sent any more.
            loop {
                match socket.recv(&mut room) {
                    Ok(_) => {
                        let number = u64::from_ne_bytes(room) as usize;
                        came.entry(number).or_insert_with(Vec::new).push(micros());
                    }
                    Err(_) if stopped.load(Ordering::Relaxed) => return came,
                    Err(_) => {}
                }
            }
        });
        let stopped = Arc::clone(&stop);
        let sender = inside(&net.fixed, move || {
            let socket = UdpSocket::bind(("10.77.0.1", RECOVERY_PORT.0)).unwrap();
            let mut sent = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let _ = socket.send_to(&sent.len().to_ne_bytes(), ("10.77.0.2", RECOVERY_PORT.0));
                sent.push(micros());
                pause(1);
            }
            sent
        });
        pause(200);
        something();
        pause(300);
        stop.store(true, Ordering::Relaxed);
        let sent = sender.join().unwrap();
        Stream { sent, came: listener.join().unwrap() }
    }

    /// The longest time between two that came soon with one between them that came late or never, in milliseconds.
    fn longest_gap(&self) -> u64 {
        const SOON: u64 = 30_000;
        let soon = self.came.iter().filter(|(number, came)| came[0] < self.sent[**number] + SOON);
        let numbers: Vec<usize> = soon.map(|(number, _)| *number).collect();
        let gaps = numbers.windows(2).filter(|pair| pair[1] > pair[0] + 1);
        gaps.map(|pair| (self.sent[pair[1]] - self.sent[pair[0]]) / 1000).max().unwrap_or(0)
    }
    fn came_twice(&self) -> usize {
        self.came.values().filter(|times| times.len() > 1).count()
    }
}

fn micros() -> u64 {
    monotonic().as_nanos() / 1000
}

/// Memory of its own for some processes.
struct Group {
    path: PathBuf,
    limit: &'static str,
}

impl Group {
    fn or_skip(test: &str) -> Option<Self> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let name = format!("seamline-test-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let unified = unified_hierarchy().ok().flatten().unwrap_or_default();
        let places =
            [(PathBuf::from("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (unified, "memory.max")];
        let made = places.into_iter().find_map(|(place, limit)| {
            let path = place.join(&name);
            fs::create_dir(&path).ok()?;
            let group = Group { path, limit };
            fs::write(group.path.join(limit), "96M").ok().map(|()| group)
        });
        if made.is_none() {
            skip(test, "no memory cgroup can be made");
        }
        made
    }
    /// Of all in the group it is killed first.
    fn take_in(&self, process: &Child) {
        fs::write(self.path.join("cgroup.procs"), process.id().to_string()).unwrap();
        fs::write(format!("/proc/{}/oom_score_adj", process.id()), "1000").unwrap();
    }
    /// Another process takes all memory of the group, until nobody is left.
    fn take_all(&self) -> Child {
        let command = format!("echo $$ > {}/cgroup.procs; exec tail /dev/zero", self.path.display());
        Command::new("sh").args(["-c", &command]).spawn().unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A process that has just ended may still be counted.
        for _ in 0..20 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            pause(50);
        }
        eprintln!("{} ({}) is left", self.path.display(), self.limit);
    }
}

fn signal(process: &Child, signal: Signal) {
    kill(Pid::from_raw(process.id() as i32), signal).unwrap();
}

/// The filters of an interface.
fn classifiers(net: &Net, interface: &str) -> String {
    let mut tc = Command::new("tc");
    let shown =
        net.bridge.within(|| tc.args(["filter", "show", "dev", interface, "ingress"]).output()).unwrap();
    String::from_utf8(shown.stdout).unwrap()
}

/// With a hop that is a bridge, and a kernel that lets this process use eBPF.
fn joined_net(test: &str) -> Option<Net> {
    if let Err(error) = SharedWords::new(1) {
        skip(test, format_args!("no eBPF: {error}"));
        return None;
    }
    let net = Net::alone_or_skip(test)?;
    for words in
        ["link add h0 type bridge", "link set c0 master h0", "link set c1 master h0", "link set h0 up"]
    {
        ip(&net.hop, words);
    }
    Some(net)
}

/// The kernel begins 40 ms after the last sign of life.
fn at_most_50_ms(what: &str, gap: u64) {
    println!("{what}: nothing passed for {gap} ms");
    assert!((10..=50).contains(&gap), "{what}: {gap} ms");
}

/// `kill -9`; then plain bridging, until the next agent begins, and then each frame once.
#[test]
fn the_kernel_forwards_within_50_ms_of_kill_9() {
    seamline_testing::punctual(3, || {
        let Some(net) = joined_net("the_kernel_forwards_within_50_ms_of_kill_9") else { return };
        at_most_50_ms("kill -9", {
            let mut agent = child(&net, "snoop", Stdio::null());
            pause(400);
            let stream = Stream::during(&net, || {
                signal(&agent, Signal::SIGKILL);
                agent.wait().unwrap();
            });
            assert_eq!(stream.came_twice(), 0, "before and after");
            stream.longest_gap()
        });
        let mut bridge = Bridge::begin(&net, settings("snoop"), options());
        let stream = Stream::during(&net, || pause(500));
        assert_eq!(
            (stream.longest_gap(), stream.came_twice()),
            (0, 0),
            "the next agent forwards, and nobody else"
        );
        assert!(classifiers(&net, "b0").contains("seamline-fallback"));
        bridge.end().unwrap();
        assert_eq!([classifiers(&net, "b0"), classifiers(&net, "b1")], [String::new(), String::new()]);
    });
}

#[test]
fn the_kernel_forwards_while_the_agent_is_stopped() {
    seamline_testing::punctual(3, || {
        let Some(net) = joined_net("the_kernel_forwards_while_the_agent_is_stopped") else { return };
        let mut agent = child(&net, "snoop", Stdio::null());
        pause(400);
        // What comes before the kernel forwards waits for the agent, which forwards it when it goes on.
        at_most_50_ms("SIGSTOP", {
            let stream = Stream::during(&net, || {
                signal(&agent, Signal::SIGSTOP);
                pause(1000);
                signal(&agent, Signal::SIGCONT);
            });
            let lost = stream.sent.len() - stream.came.len();
            println!("SIGSTOP: {lost} lost, {} twice", stream.came_twice());
            if lost <= 1 && stream.came_twice() <= 1 { stream.longest_gap() } else { u64::MAX }
        });
        signal(&agent, Signal::SIGTERM);
        assert!(agent.wait().unwrap().success());
    });
}

/// Without memory the kernel kills it.
#[test]
fn the_kernel_forwards_when_the_agent_is_killed_for_memory() {
    seamline_testing::punctual(3, || {
        let name = "the_kernel_forwards_when_the_agent_is_killed_for_memory";
        let Some(net) = joined_net(name) else { return };
        let Some(group) = Group::or_skip(name) else { return };
        at_most_50_ms("killed for memory", {
            let mut agent = child(&net, "snoop", Stdio::null());
            group.take_in(&agent);
            // Waiting for a child closes its input otherwise, and it would end by that.
            let _input = agent.stdin.take();
            pause(400);
            let stream = Stream::during(&net, || {
                let mut other = group.take_all();
                let ended = agent.wait().unwrap();
                assert_eq!(ended.signal(), Some(9), "{ended}");
                let _ = (other.kill(), other.wait());
            });
            stream.longest_gap()
        });
    });
}

/// With that option it stays; the next agent without takes it away.
#[test]
fn the_kernel_goes_on_after_an_ordinary_end_on_demand() {
    seamline_testing::punctual(20, || {
        let Some(net) = joined_net("the_kernel_goes_on_after_an_ordinary_end_on_demand") else { return };
        let kept = Options { fallback: FallbackBy::KernelForGood, ..options() };
        let mut bridge = Bridge::begin(&net, settings("snoop"), kept);
        let stream = Stream::during(&net, || {
            bridge.end().unwrap();
        });
        assert!(stream.longest_gap() <= 60, "{} ms", stream.longest_gap());
        assert!(stream.sent.len() - stream.came.len() < 60, "it goes on: {}", stream.came.len());
        Bridge::begin(&net, settings("snoop"), options()).end().unwrap();
        assert!(Stream::during(&net, || pause(200)).came.is_empty());
    });
}
