//! What the daemon for hosts that move stands on, and the bridges of agents with it.

use super::lab::namespace_with_loopback;
use super::{Feature, Need};
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use std::io;

const AS_ROOT: &[(&str, &str)] = &[
    ("any host", "run the command as root (sudo), or give it CAP_NET_RAW"),
    ("docker, podman", "start the container with --cap-add NET_RAW"),
];

pub(super) fn features() -> Vec<Feature> {
    vec![packet_sockets(), raw_sockets(), connection_diagnosis()]
}

/// Whether a socket can be made in a namespace of our own; on the host itself it takes the right named in the cure.
fn tried(family: AddressFamily, kind: SockType, protocol: Option<SockProtocol>) -> Result<String, String> {
    let made = namespace_with_loopback().and_then(|namespace| {
        namespace.within(|| {
            socket(family, kind, SockFlag::SOCK_CLOEXEC, protocol).map(drop).map_err(io::Error::from)
        })
    });
    made.map(|()| "one was made in a namespace".to_owned()).map_err(|error| error.to_string())
}

fn packet_sockets() -> Feature {
    let tried = tried(AddressFamily::Packet, SockType::Datagram, None);
    let purpose = "knowing the last acknowledgment of each connection; the frames that seamline agent bridges (AF_PACKET)";
    let module: &[(&str, &str)] = &[("any host", "sudo modprobe af_packet")];
    Feature::new(Need::Mobile, "packet sockets", purpose, tried).mended_by(&[AS_ROOT, module].concat())
}

fn raw_sockets() -> Feature {
    let tried = tried(AddressFamily::Inet, SockType::Raw, Some(SockProtocol::Raw));
    let purpose = "repeating acknowledgments, and undoing the timer's doublings (SOCK_RAW)";
    Feature::new(Need::Mobile, "raw sockets", purpose, tried).mended_by(AS_ROOT)
}

fn connection_diagnosis() -> Feature {
    let tried = tried(AddressFamily::Netlink, SockType::Datagram, Some(SockProtocol::NetlinkSockDiag));
    let purpose = "which connections there still are, and what they wait for (sock_diag)";
    Feature::new(Need::Mobile, "connection diagnosis", purpose, tried)
        .mended_by(&[("any host", "sudo modprobe tcp_diag; a kernel with CONFIG_INET_DIAG")])
}
