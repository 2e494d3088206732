//! What `seamline-host mobile` needs, and partly `seamline-host agent`.

use super::{Feature, Need, in_a_namespace};
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};

const AS_ROOT: &[(&str, &str)] = &[
    ("any host", "run the command as root (sudo), or give it CAP_NET_RAW"),
    ("docker, podman", "start the container with --cap-add NET_RAW"),
];

pub(super) fn features() -> Vec<Feature> {
    vec![packet_sockets(), raw_sockets(), connection_diagnosis()]
}

/// Try to create a socket in a namespace; on the host itself that takes the capability named in the remedy.
fn create(family: AddressFamily, kind: SockType, protocol: Option<SockProtocol>) -> Result<String, String> {
    let create = || Ok(socket(family, kind, SockFlag::SOCK_CLOEXEC, protocol).map(drop)?);
    in_a_namespace(create, "a socket was created in a namespace")
}

fn packet_sockets() -> Feature {
    let created = create(AddressFamily::Packet, SockType::Datagram, None);
    let purpose =
        "observing the last acknowledgment of each connection; forwarding frames in agents (AF_PACKET)";
    let module: &[(&str, &str)] = &[("any host", "sudo modprobe af_packet")];
    Feature::new(Need::Mobile, "packet sockets", purpose, created).fixed_by(&[AS_ROOT, module].concat())
}

fn raw_sockets() -> Feature {
    let created = create(AddressFamily::Inet, SockType::Raw, Some(SockProtocol::Raw));
    let purpose = "repeating acknowledgments, and undoing the backoff of timers (SOCK_RAW)";
    Feature::new(Need::Mobile, "raw sockets", purpose, created).fixed_by(AS_ROOT)
}

fn connection_diagnosis() -> Feature {
    let created = create(AddressFamily::Netlink, SockType::Datagram, Some(SockProtocol::NetlinkSockDiag));
    let purpose = "the state of each connection (sock_diag)";
    Feature::new(Need::Mobile, "connection diagnosis", purpose, created)
        .fixed_by(&[("any host", "sudo modprobe tcp_diag; a kernel with CONFIG_INET_DIAG")])
}
