//! What `seamline-host agent split` needs: transparent sockets, and nftables rules that redirect connections to them.

use super::program::{find, program};
use super::{Feature, Need, in_a_namespace};
use crate::process::run;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket, sockopt};
use std::io;

/// Uses everything that the rules of split connections need: a table that ends with its owner, route and socket look-ups, and TPROXY.
const RULES: &str = "\
add table inet probe { flags owner; }
add chain inet probe arrive { type filter hook prerouting priority raw; policy accept; }
add rule inet probe arrive fib daddr oifname \"lo\" tcp option 19 exists limit rate over 1000/second return
add rule inet probe arrive socket transparent 1 socket mark 1 notrack accept
add rule inet probe arrive meta nfproto ipv4 meta l4proto tcp tproxy ip to 127.0.0.1:1 notrack accept
";

pub(super) fn features() -> Vec<Feature> {
    let nft = program(Need::Split, "nft", "redirecting connections (TPROXY)", "nftables", "nftables");
    let purpose = "routing their packets to this host; inspecting namespaces by hand";
    let ip = program(Need::Split, "ip", purpose, "iproute2", "iproute");
    vec![transparent_sockets(), nft, rules(), ip]
}

fn transparent_sockets() -> Feature {
    let make = || {
        let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
        setsockopt(&socket, sockopt::IpTransparent, &true).map_err(io::Error::from)
    };
    let tried = in_a_namespace(make, "a transparent socket was created in a namespace");
    let purpose = "keeping the addresses of both ends (IP_TRANSPARENT)";
    Feature::new(Need::Split, "transparent sockets", purpose, tried).fixed_by(&[
        ("any host", "run the command as root (sudo)"),
        ("docker, podman", "start the container with --cap-add NET_ADMIN"),
    ])
}

fn rules() -> Feature {
    let tried = in_a_namespace(|| try_rules(RULES), "the kernel accepted some in a namespace");
    let purpose = "selecting connections (nf_tables)";
    Feature::new(Need::Split, "nft rules", purpose, tried).fixed_by(&[
        ("first", "nft (see there), and Linux 5.12 or newer: both of 2021, for tables with an owner"),
        ("any host", "sudo modprobe -a nf_tables nft_tproxy nft_socket nft_fib_inet nft_limit nft_ct"),
        ("docker, podman", "the same on the host of the container"),
    ])
}

/// Apply rules by `nft` in the network namespace of the calling thread.
///
/// # Errors
/// When there is no `nft`, or it refuses them: with its message.
pub(super) fn try_rules(rules: &str) -> io::Result<()> {
    let nft = find("nft").ok_or_else(|| io::Error::other("nft was not found"))?;
    run(nft, "nftables", &["-f", "-"], rules)?
        .map(drop)
        .map_err(|why| io::Error::other(why.lines().next().unwrap_or("nft rejected them").to_owned()))
}
