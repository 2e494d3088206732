//! What connections split by the kernel's TCP stand on: transparent sockets, and who hands connections over to them.

use super::host::{find, program};
use super::lab::namespace_with_loopback;
use super::{Feature, Need};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket, sockopt};
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// What the rules of split connections ask of the kernel: a table that goes with its owner, the way that a packet would take, the socket
/// that it is for, and TPROXY.
const RULES: &str = "\
add table inet probe { flags owner; }
add chain inet probe arrive { type filter hook prerouting priority raw; policy accept; }
add rule inet probe arrive fib daddr oifname \"lo\" tcp option 19 exists limit rate over 1000/second return
add rule inet probe arrive socket transparent 1 socket mark 1 notrack accept
add rule inet probe arrive meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:1 notrack accept
";

pub(super) fn features() -> Vec<Feature> {
    let nft = program(Need::Split, "nft", "handing connections over (TPROXY)", "nftables", "nftables");
    let purpose = "leading their packets to this host; looking at namespaces by hand";
    let ip = program(Need::Split, "ip", purpose, "iproute2", "iproute");
    vec![transparent_sockets(), nft, rules(), ip]
}

fn in_a_namespace(task: impl FnOnce() -> io::Result<()> + Send, done: &str) -> Result<String, String> {
    let tried = namespace_with_loopback().and_then(|namespace| namespace.within(task));
    tried.map(|()| done.to_owned()).map_err(|error| error.to_string())
}

fn transparent_sockets() -> Feature {
    let make = || {
        let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
        setsockopt(&socket, sockopt::IpTransparent, &true).map_err(io::Error::from)
    };
    let tried = in_a_namespace(make, "one was made in a namespace");
    let purpose = "keeping the addresses of both ends (IP_TRANSPARENT)";
    Feature::new(Need::Split, "transparent sockets", purpose, tried).mended_by(&[
        ("any host", "run the command as root (sudo)"),
        ("docker, podman", "start the container with --cap-add NET_ADMIN"),
    ])
}

fn rules() -> Feature {
    let tried = in_a_namespace(|| try_rules(RULES), "the kernel took some in a namespace");
    let purpose = "which connections are handed over (nf_tables)";
    Feature::new(Need::Split, "rules of nft", purpose, tried).mended_by(&[
        ("first", "nft (see there), and Linux 5.12 or newer: both of 2021, for tables with an owner"),
        ("any host", "sudo modprobe -a nf_tables nft_tproxy nft_socket nft_fib_inet nft_limit nft_ct"),
        ("docker, podman", "the same on the host of the container"),
    ])
}

/// Have `nft` make them where the calling thread is.
///
/// # Errors
/// When there is no `nft`, or it refuses; then what it said.
pub(super) fn try_rules(rules: &str) -> io::Result<()> {
    let nft = find("nft").ok_or_else(|| io::Error::other("nft was not found"))?;
    let mut nft = Command::new(nft)
        .args(["-f", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = nft.stdin.take() {
        // One that has ended already says itself why.
        let _ = stdin.write_all(rules.as_bytes());
    }
    let said = nft.wait_with_output()?;
    if said.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&said.stderr);
    Err(io::Error::other(why.lines().next().unwrap_or("nft refused them").to_owned()))
}
