//! An agent that is taken out in the middle of a download, by SIGTERM, and who carries on.

use crate::child;
use crate::hop::Hop;
use crate::hosts::{ip, pause};
use crate::net::{Net, Transfer, now};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use seamline_host::uninterrupted;
use std::io::Read;
use std::net::UdpSocket;
use std::process::{Child, Stdio};

/// Datagrams that come while nobody reads them; the hop loses none so short.
const WAITING: u8 = 20;
/// Longer than the agent's frames may wait (50 ms), so they are distinguished from others; not as long as the guard waits (500 ms).
const ASLEEP: u64 = 150;

/// An agent's end.
struct End {
    log: String,
    /// How many of the datagrams that waited have come to the mobile host.
    came: usize,
    /// Whether it slept for so short that the guard did not take over: on a busy host somebody else is awake later than he wanted.
    is_short: bool,
}

/// It is asked to end while it sleeps and frames wait for it.
fn terminate(net: &Net, mut agent: Child) -> End {
    let listener = net.mobile.within(|| UdpSocket::bind("10.77.0.2:7000")).unwrap();
    let sender = net.fixed.within(|| UdpSocket::bind("10.77.0.1:0")).unwrap();
    let pid = Pid::from_raw(agent.id() as i32);
    let asleep = now();
    kill(pid, Signal::SIGSTOP).unwrap();
    assert_eq!(waitpid(pid, Some(WaitPidFlag::WUNTRACED)), Ok(WaitStatus::Stopped(pid, Signal::SIGSTOP)));
    for number in 0..WAITING {
        sender.send_to(&[number], "10.77.0.2:7000").unwrap();
    }
    pause(ASLEEP);
    kill(pid, Signal::SIGTERM).unwrap();
    kill(pid, Signal::SIGCONT).unwrap();
    let is_short = now() - asleep < 2 * ASLEEP;
    let mut log = String::new();
    agent.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(agent.wait().unwrap().success(), "{log}");
    listener.set_read_timeout(Some(std::time::Duration::from_millis(500))).unwrap();
    let came = (0..WAITING).map_while(|_| uninterrupted(|| listener.recv(&mut [0])).ok()).count();
    End { log, came, is_short }
}

/// What it says of itself at its end.
fn counted(log: &str, name: &str) -> u64 {
    let last = log.lines().last().unwrap();
    assert!(last.contains("event=stop"), "{log}");
    let found = last.split(' ').filter_map(|word| word.split_once('=')).find(|(key, _)| *key == name);
    found.unwrap_or_else(|| panic!("no {name} in {log}")).1.parse().unwrap()
}

/// Nothing that came is held back: every frame has left, but for acknowledgments that were to be hidden while it ran.
fn check(end: &End) {
    let log = &end.log;
    let counted = |name| counted(log, name);
    assert_eq!(end.came, usize::from(WAITING), "what waits is forwarded: {log}");
    if !end.is_short {
        return println!("it slept for too long: whether the guard helped is left open");
    }
    assert!(counted("overload") >= u64::from(WAITING) && counted("bypasses") == 0, "{log}");
    let onwards = counted("received") - counted("suppressed_acknowledgments");
    assert_eq!(counted("sent"), onwards + counted("made"), "{log}");
    assert!(counted("shown") > 100 && counted("flows_known") == 1 && counted("failures") == 0, "{log}");
}

/// Until more comes than was received, in milliseconds.
fn silence(transfer: &Transfer) -> u64 {
    let (begun, received) = (now(), transfer.received());
    transfer.wait_for(received + 1);
    let silence = now() - begun;
    assert!(silence < 5000, "{silence} ms: it does not go on");
    silence
}

/// The kernel's bridge carries on at once, then a second agent, which has seen nothing of the connection's beginning.
#[test]
fn the_kernels_bridge_carries_on_after_sigterm_and_so_does_the_next_agent() {
    seamline_testing::punctual(30, || {
        const BYTES: u64 = 6_000_000;
        let name = "the_kernels_bridge_carries_on_after_sigterm_and_so_does_the_next_agent";
        let Some(net) = Net::or_skip(name) else { return };
        let hop = Hop::begin(&net, 20);
        let agent = child(&net, "guarded snoop", Stdio::piped());
        pause(400);
        let mut transfer = Transfer::begin_by(&net, 4, BYTES, Some("cubic"));
        transfer.wait_for(BYTES / 4);
        let end = terminate(&net, agent);
        check(&end);
        assert!(counted(&end.log, "made") > 0 && !transfer.is_finished(), "it has helped: {}", end.log);
        for words in ["add br0 type bridge", "set b0 master br0", "set b1 master br0", "set br0 up"] {
            ip(&net.bridge, &format!("link {words}"));
        }
        println!("the kernel's bridge: the next byte after {} ms", silence(&transfer));
        transfer.wait_for(BYTES / 2);
        assert!(!transfer.is_finished());
        ip(&net.bridge, "link del br0");
        let agent = child(&net, "guarded snoop", Stdio::piped());
        println!("the next agent: the next byte after {} ms", silence(&transfer));
        transfer.wait_for(BYTES * 3 / 4);
        check(&terminate(&net, agent));
        assert!(!transfer.is_finished());
        let agent = child(&net, "guarded snoop", Stdio::piped());
        transfer.finish();
        assert!(agent.wait_with_output().unwrap().status.success());
        hop.end();
    });
}
