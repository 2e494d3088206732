//! Interfaces that an agent cannot have, and what it needs of its host.

use crate::hosts::{ip, pause, run, skip};
use crate::net::{Net, Transfer};
use crate::{Bridge, child, hop::Hop, options, settings};
use seamline_bridge::system::{Options, Split, split};
use std::io::{ErrorKind, Read};
use std::process::{Command, Stdio};

fn between(wired: &str, wireless: &str) -> Options {
    Options { interfaces: [wired.to_owned(), wireless.to_owned()], ..options() }
}

/// Both would forward each frame. One shared interface is enough, and the kind does not matter.
#[test]
fn a_second_agent_at_an_interface_is_refused_with_the_process_of_the_first() {
    let name = "a_second_agent_at_an_interface_is_refused_with_the_process_of_the_first";
    let Some(net) = Net::or_skip(name) else { return };
    ip(&net.bridge, "link add x0 type veth peer name y0");
    ["x0", "y0"].iter().for_each(|name| ip(&net.bridge, &format!("link set {name} gso_max_segs 1 up")));
    assert!(run(&net.bridge, "sysctl -wq net.ipv4.ip_forward=1"));
    let mut first = Bridge::begin(&net, settings("snoop"), options());
    let expected = format!("process {}", std::process::id());
    let check = |error: std::io::Error, interface: &str| {
        assert_eq!(error.kind(), ErrorKind::ResourceBusy, "{error}");
        let text = error.to_string();
        assert!(text.contains(interface) && text.ends_with(&expected), "{text}");
    };
    for (with, shared) in [(options(), "b0"), (between("x0", "b1"), "b1"), (between("b0", "x0"), "b0")] {
        check(Bridge::begin(&net, settings("eln-ack"), with).end().unwrap_err(), shared);
    }
    let [wired, wireless] = options().interfaces;
    let split_settings = Split { interfaces: [wired, wireless], ..Split::default() };
    let (_never, stop) = std::os::unix::net::UnixStream::pair().unwrap();
    check(net.bridge.within(|| split(&split_settings, &stop, std::io::sink())).unwrap_err(), "b0");
    assert!(Bridge::begin(&net, settings("snoop"), between("x0", "y0")).end().is_ok());
    first.end().unwrap();
    assert!(Bridge::begin(&net, settings("snoop"), options()).end().is_ok(), "it has let go of them");
}

/// It can open nothing any more. Its interfaces are still there, and it goes on.
#[test]
fn without_a_free_file_descriptor_the_interfaces_stay() {
    let name = "without_a_free_file_descriptor_the_interfaces_stay";
    let Some(net) = Net::or_skip(name) else { return };
    let hop = Hop::begin(&net, 20);
    let mut agent = child(&net, "snoop", Stdio::piped());
    pause(500);
    let limit = ["--nofile=8:8", "--pid", &agent.id().to_string()].map(str::to_owned);
    if !Command::new("prlimit").args(limit).status().is_ok_and(|status| status.success()) {
        drop(agent.stdin.take());
        agent.wait().unwrap();
        return skip(name, "it takes prlimit");
    }
    pause(1000);
    Transfer::begin(&net, 4, 500_000).finish();
    drop(agent.stdin.take());
    let mut log = String::new();
    agent.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(agent.wait().unwrap().success(), "{log}");
    hop.end();
    assert!(!log.contains("interface-removed") && log.contains(" bypasses=0 "), "{log}");
}
