//! What else is on its router: other interfaces, address translation, firewalls, narrower links, and who removes rules.

use super::{Router, accepted, child, routed, rules, settings, syn, wait_for_rules};
use crate::hop::Hop;
use crate::hosts::{ip, pause, run, veth};
use crate::net::{Transfer, now};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpgid};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port, Split};
use seamline_host::uninterrupted;
use seamline_lab::system::Namespace;
use seamline_lab::system::processes::processes_in;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What one host tells another by a connection of its own, and who it seemed to be.
fn receive(server: &Namespace, address: &str, client: &Namespace, bytes: usize) -> (usize, String) {
    let listener = server.within(|| TcpListener::bind(address)).unwrap();
    let mut client = client.within(|| TcpStream::connect(address)).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let (mut stream, peer) = accepted(&listener);
    let sender = std::thread::spawn(move || stream.write_all(&vec![7; bytes]));
    let mut heard = Vec::new();
    client.read_to_end(&mut heard).unwrap();
    sender.join().unwrap().unwrap();
    assert!(heard.iter().all(|byte| *byte == 7));
    (heard.len(), peer.ip().to_string())
}

/// It comes in by an interface of the agent, but goes on by none.
#[test]
fn what_goes_on_elsewhere_is_not_split() {
    let Some(net) = routed("what_goes_on_elsewhere_is_not_split") else { return };
    let third = Namespace::new().unwrap();
    veth(&net.bridge, "b2", &third, "e0");
    ip(&net.bridge, "addr add 10.77.2.1/24 dev b2");
    ip(&third, "addr add 10.77.2.2/24 dev e0");
    ip(&third, "route add default via 10.77.2.1");
    ip(&net.mobile, "route add 10.77.2.0/24 via 10.77.1.4 dev d0 onlink");
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    assert_eq!(receive(&third, "10.77.2.2:4000", &net.mobile, 100_000).0, 100_000);
    Transfer::begin(&net, 4, 100_000).finish();
    let it = router.end(false);
    hop.end();
    assert_eq!((it.taken, it.begun), (1, 1), "{it:?}");
}

/// The server has another way back than the one that the agent knows.
#[test]
fn what_comes_back_by_a_third_interface_reaches_its_half() {
    let Some(net) = routed("what_comes_back_by_a_third_interface_reaches_its_half") else { return };
    veth(&net.bridge, "b2", &net.fixed, "a1");
    ip(&net.bridge, "addr add 10.77.2.1/24 dev b2");
    assert!(run(&net.bridge, "sysctl -wq net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.b2.rp_filter=0"));
    ip(&net.fixed, "addr add 10.77.2.2/24 dev a1");
    ip(&net.fixed, "route add 10.77.0.2 via 10.77.2.1 dev a1 src 10.77.0.1");
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    assert_eq!(receive(&net.fixed, "10.77.0.1:4000", &net.mobile, 100_000).0, 100_000);
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended, it.bytes_to_wireless), (1, 1, 100_000), "{it:?}");
}

fn nft(namespace: &Namespace, rules: &str) {
    let mut command = Command::new("nft");
    command.args(["-f", "-"]).stdin(Stdio::piped());
    let mut nft = namespace.within(|| command.spawn()).unwrap();
    nft.stdin.take().unwrap().write_all(rules.as_bytes()).unwrap();
    assert!(nft.wait().unwrap().success(), "{rules}");
}

/// Nothing but split connections may reach this host, and nothing that connection tracking finds wrong may pass.
const FIREWALL: &str = "
table inet firewall {
    chain prerouting { type filter hook prerouting priority filter; policy accept; ct state invalid drop; }
    chain input {
        type filter hook input priority filter; policy drop;
        meta mark 0x5ea0001 accept
        meta l4proto ipv6-icmp accept
    }
    chain output { type filter hook output priority filter; policy accept; ct state invalid drop; }
    chain forward { type filter hook forward priority filter; policy drop; ct state established,related accept; }
}
table inet nat {
    chain out { type nat hook postrouting priority srcnat; policy accept; oifname \"b0\" masquerade; }
}
";

/// In both versions of IP.
#[test]
fn a_firewall_and_masquerading_may_stand_beside() {
    let Some(net) = routed("a_firewall_and_masquerading_may_stand_beside") else { return };
    nft(&net.bridge, FIREWALL);
    ip(&net.fixed, "route add 10.77.1.3/32 dev a0");
    ip(&net.bridge, "addr add fd77:1::3/128 dev b0 nodad");
    ip(&net.fixed, "-6 route add fd77:1::3/128 dev a0");
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    for (address, own) in [("10.77.0.1:4000", "10.77.1.3"), ("[fd77::1]:4000", "fd77:1::3")] {
        let expected = (300_000, own.to_owned());
        assert_eq!(receive(&net.fixed, address, &net.mobile, 300_000), expected, "{}", rules(&net));
    }
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended), (2, 2), "{it:?}");
}

/// A router behind the hop, which says how long packets may be: to the address of the server, for which this host has sent them.
#[test]
fn a_narrower_link_further_on_is_heard_of() {
    let Some(net) = routed("a_narrower_link_further_on_is_heard_of") else { return };
    let far = Namespace::new().unwrap();
    veth(&net.mobile, "m0", &far, "f0");
    ip(&net.mobile, "link set m0 mtu 1000");
    ip(&net.mobile, "addr add 10.77.3.1/24 dev m0");
    assert!(run(&net.mobile, "sysctl -wq net.ipv4.ip_forward=1"));
    ip(&far, "addr add 10.77.3.2/24 dev f0");
    ip(&far, "route add default via 10.77.3.1");
    ip(&net.bridge, "route add 10.77.3.0/24 via 10.77.0.2 dev b1 onlink");
    ip(&net.fixed, "route add 10.77.3.0/24 via 10.77.1.3 dev a0 onlink");
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    let (heard, peer) = receive(&net.fixed, "10.77.0.1:4000", &far, 300_000);
    let it = router.end(false);
    hop.end();
    assert_eq!((heard, peer.as_str(), it.begun), (300_000, "10.77.3.2", 1), "{it:?}");
}

/// The process of `nft` that holds the rules there.
fn holder(namespace: &Namespace) -> Pid {
    let command = |process: &u32| std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let mut processes = processes_in(namespace).unwrap().into_iter();
    let found = processes.find(|process| command(process) == b"nft\0-i\0");
    Pid::from_raw(found.expect("it runs").cast_signed())
}

/// As systemd does, and a shell for Ctrl-C.
#[test]
fn a_signal_for_all_its_processes_leaves_the_rules_until_the_end() {
    let Some(net) = routed("a_signal_for_all_its_processes_leaves_the_rules_until_the_end") else { return };
    let mut router = child(&net, Command::new("env"), Stdio::null());
    wait_for_rules(&net);
    let nft = holder(&net.bridge);
    assert_eq!(getpgid(Some(nft)).unwrap(), nft, "Ctrl-C is for the group of the agent only");
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        kill(nft, signal).unwrap();
    }
    pause(300);
    assert!(rules(&net).contains("tproxy"), "{}", rules(&net));
    drop(router.stdin.take());
    assert!(router.wait().unwrap().success());
    assert!(rules(&net).is_empty(), "{}", rules(&net));
}

/// What is open could not go on: it is reset, and who watches the agent begins another one.
#[test]
fn without_its_rules_it_ends_with_an_error() {
    let Some(net) = routed("without_its_rules_it_ends_with_an_error") else { return };
    let hop = Hop::begin(&net, 0);
    let mut router = Router::begin(&net, settings());
    let listener = net.fixed.within(|| TcpListener::bind("10.77.0.1:4001")).unwrap();
    let mut client = net.mobile.within(|| TcpStream::connect("10.77.0.1:4001")).unwrap();
    let (_server, _) = listener.accept().unwrap();
    kill(holder(&net.bridge), Signal::SIGKILL).unwrap();
    let (thread, begun) = (router.thread.take().unwrap(), now());
    while !thread.is_finished() {
        assert!(now() - begun < 5000, "{}", router.log());
        pause(10);
    }
    let why = thread.join().unwrap().unwrap_err().to_string();
    assert!(why.contains("nft, which held the rules, has ended"), "{why}");
    assert_eq!(uninterrupted(|| client.read(&mut [0])).unwrap_err().kind(), ErrorKind::ConnectionReset);
    hop.end();
    assert!(rules(&net).is_empty(), "{}", rules(&net));
}

/// Some programs remove what they do not know.
#[test]
fn the_rule_and_the_route_are_made_again() {
    let Some(net) = routed("the_rule_and_the_route_are_made_again") else { return };
    let hop = Hop::begin(&net, 0);
    let router = Router::begin(&net, settings());
    ip(&net.bridge, "rule del priority 10");
    ip(&net.bridge, "-6 route flush table 1514");
    router.wait_for("has been restored");
    for version in [4, 6] {
        Transfer::begin(&net, version, 100_000).finish();
    }
    let it = router.end(false);
    hop.end();
    assert_eq!((it.begun, it.ended), (2, 2), "{it:?}");
    assert!(rules(&net).is_empty(), "{}", rules(&net));
}

/// Nobody here has the key of a signed connection (TCP-MD5). As a control, SYNs with other options are handed over.
#[test]
fn signed_connections_pass() {
    let Some(net) = routed("signed_connections_pass") else { return };
    let router = Router::begin(&net, Split { is_dry: true, ..settings() });
    let hop = Hop::begin(&net, 0);
    // The hop may not be there yet, and nobody sends these again.
    Transfer::begin(&net, 4, 10_000).finish();
    let sent = net.mobile.within(|| {
        let mut port = Port::open("d0")?;
        let mut outgoing = Outgoing::new();
        for number in 0..10 {
            let mut frame = syn(number);
            outgoing.push(Side::Wired, &[&frame]);
            let option = 54 + frame[54..].windows(2).position(|it| it == [8, 10]).unwrap();
            frame[option] = 19;
            outgoing.push(Side::Wired, &[&frame]);
        }
        port.send(Side::Wired, &outgoing, &Batch::default());
        Ok(port.counters.sent)
    });
    pause(500);
    let it = router.end(false);
    hop.end();
    assert_eq!((sent.unwrap(), it.taken), (20, 11), "{it:?}");
}
