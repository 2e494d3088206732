//! Interfaces that an agent cannot have: another agent is there, or they are used otherwise.

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

#[test]
fn a_port_and_an_interface_with_addresses_are_refused_with_the_command() {
    let name = "a_port_and_an_interface_with_addresses_are_refused_with_the_command";
    let Some(net) = Net::or_skip(name) else { return };
    let refused = |parts: &[&str], command: &str| {
        let error = Bridge::begin(&net, settings("snoop"), options()).end().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        let text = error.to_string();
        assert!(parts.iter().all(|part| text.contains(part)) && text.ends_with(command), "{text}");
        assert!(run(&net.bridge, command), "{command}");
    };
    ip(&net.bridge, "link add br0 type bridge");
    ip(&net.bridge, "link set b1 master br0");
    refused(&["interface b1 is a port of the bridge br0"], "ip link set b1 nomaster");
    for address in ["10.1.1.1/24", "fd01::1/64"] {
        let nodad = if address.contains(':') { " nodad" } else { "" };
        ip(&net.bridge, &format!("addr add {address} dev b0{nodad}"));
        let parts = ["interface b0 has the address", address, "agent split"];
        refused(&parts, &format!("ip address delete {address} dev b0"));
    }
    // As a DHCP client and a router's advertisement leave them. The interfaces' own link-local ones are nobody's business.
    ip(&net.bridge, "addr add 10.1.1.2/24 dev b0 valid_lft 1000 preferred_lft 1000");
    ip(&net.bridge, "addr add fd01::2/64 dev b1 nodad valid_lft 1000 preferred_lft 1000");
    let mut bridge = Bridge::begin(&net, settings("snoop"), options());
    bridge.wait_for("event=start");
    bridge.end().unwrap();
    let log = bridge.log();
    let warnings: Vec<&str> = log.lines().filter(|line| line.contains("event=warning")).collect();
    assert_eq!(warnings.len(), 2, "{log}");
    for (warning, parts) in warnings.iter().zip([
        ["interface=b0", "address=10.1.1.2/24", "ip address delete 10.1.1.2/24 dev b0"],
        ["interface=b1", "address=fd01::2/64", "sysctl -w net/ipv6/conf/b1/disable_ipv6=1"],
    ]) {
        assert!(parts.iter().all(|part| warning.contains(part)), "{log}");
    }
}

/// It can open nothing any more. Its interfaces are still there, and it goes on.
#[test]
fn without_a_free_file_descriptor_the_interfaces_stay() {
    seamline_testing::punctual(30, || {
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
    });
}
