//! Hosts in namespaces: `fixed a0 -- b0 middle b1 -- c0 hop c1 -- d0 mobile`.

use super::hop::Hop;
use super::subject::Middle;
use seamline_host::clock::monotonic;
use seamline_host::namespace::Namespace;
use seamline_host::socket;
use seamline_wire::Duration;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::process::Command;
use std::thread::{self, JoinHandle};

/// Milliseconds on a clock that nobody sets.
pub(super) fn now() -> u64 {
    monotonic().as_nanos() / 1_000_000
}

pub(super) fn pause(millis: u64) {
    socket::pause(Duration::from_millis(millis));
}

/// The output of a command inside; an error with its message if it fails.
pub(super) fn run(namespace: &Namespace, words: &str) -> Result<String, String> {
    let mut split = words.split(' ');
    let mut command = Command::new(split.next().unwrap_or_default());
    let output = namespace.within(|| command.args(split).output()).map_err(|e| format!("{words}: {e}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{words}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

pub(super) fn ip(namespace: &Namespace, words: &str) -> Result<(), String> {
    run(namespace, &format!("ip {words}")).map(drop)
}

/// A thread inside.
pub(super) fn inside<T: Send + 'static>(
    namespace: &Namespace,
    task: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let namespace = namespace.try_clone()?;
    Ok(thread::spawn(move || {
        namespace.enter().expect("its namespace is there");
        task()
    }))
}

pub(super) struct Network {
    pub(super) fixed: Namespace,
    pub(super) middle: Namespace,
    pub(super) hop: Namespace,
    pub(super) mobile: Namespace,
    _forwarder: Hop,
}

impl Network {
    /// With a hop that delays, and loses so many packets in a thousand, by the dice of this seed. The kernel `joins` packets, as its offloads
    /// do, or none is longer than the MTU.
    pub(super) fn new(middle: Middle, lost: u64, joins: bool, seed: u64) -> Result<Self, String> {
        let made = || -> io::Result<[Namespace; 4]> {
            Ok([Namespace::new()?, Namespace::new()?, Namespace::new()?, Namespace::new()?])
        };
        let [fixed, between, hop, mobile] = made().map_err(|error| format!("making namespaces: {error}"))?;
        veth(&fixed, "a0", &between, "b0", joins)?;
        veth(&between, "b1", &hop, "c0", joins)?;
        veth(&hop, "c1", &mobile, "d0", joins)?;
        for (host, name, last) in [(&fixed, "a0", 1), (&mobile, "d0", 2)] {
            ip(host, &format!("addr add 10.77.0.{last}/24 dev {name}"))?;
            // Duplicate address detection would take a second.
            ip(host, &format!("addr add fd77::{last}/64 dev {name} nodad"))?;
            ip(host, "link set lo up")?;
            ask_long(host, name)?;
        }
        match middle {
            Middle::Agent => {}
            Middle::Bridge => bridge(&between)?,
            Middle::Router => router(&between)?,
        }
        let forwarder = Hop::begin(&hop, lost, seed).map_err(|error| format!("the hop: {error}"))?;
        Ok(Network { fixed, middle: between, hop, mobile, _forwarder: forwarder })
    }
}

fn veth(near: &Namespace, name: &str, far: &Namespace, other: &str, joins: bool) -> Result<(), String> {
    let place = format!("/proc/{}/fd/{}", std::process::id(), far.as_fd().as_raw_fd());
    ip(near, &format!("link add {name} type veth peer name {other} netns {place}"))?;
    for (host, name) in [(near, name), (far, other)] {
        if !joins {
            ip(host, &format!("link set {name} gso_max_segs 1"))?;
        }
        ip(host, &format!("link set {name} up"))?;
    }
    Ok(())
}

/// A host that asks for the other's address at the beginning of three outages has no route to it (`EHOSTUNREACH`), though a connection survives
/// longer ones. So hosts ask for longer.
fn ask_long(host: &Namespace, interface: &str) -> Result<(), String> {
    let settings = ["ipv4", "ipv6"].map(|family| format!("net.{family}.neigh.{interface}.mcast_solicit=60"));
    run(host, &format!("sysctl -wq {}", settings.join(" "))).map(drop)
}

fn bridge(middle: &Namespace) -> Result<(), String> {
    let commands = ["add br0 type bridge", "set b0 master br0", "set b1 master br0", "set br0 up"];
    commands.iter().try_for_each(|words| ip(middle, &format!("link {words}")))
}

/// It answers for each host to the other, so that the hosts need no routes.
fn router(middle: &Namespace) -> Result<(), String> {
    ip(middle, "link set lo up")?;
    let sysctls = "net.ipv4.ip_forward=1 net.ipv4.conf.b0.proxy_arp=1 net.ipv4.conf.b1.proxy_arp=1 \
                   net.ipv6.conf.all.forwarding=1 net.ipv6.conf.all.proxy_ndp=1 \
                   net.ipv4.neigh.b0.proxy_delay=0 net.ipv4.neigh.b1.proxy_delay=0 \
                   net.ipv6.neigh.b0.proxy_delay=0 net.ipv6.neigh.b1.proxy_delay=0";
    run(middle, &format!("sysctl -wq {sysctls}"))?;
    for (interface, own, host, other) in [("b0", 3, 1, "b1"), ("b1", 4, 2, "b0")] {
        ip(middle, &format!("addr add 10.77.1.{own}/32 dev {interface}"))?;
        ip(middle, &format!("route add 10.77.0.{host}/32 dev {interface}"))?;
        ip(middle, &format!("-6 route add fd77::{host}/128 dev {interface}"))?;
        ip(middle, &format!("-6 neigh add proxy fd77::{host} dev {other}"))?;
    }
    Ok(())
}
