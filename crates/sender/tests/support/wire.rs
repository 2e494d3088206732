//! The peer's end of the interface: of a TUN device, or of virtual Ethernet.

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, LinkAddr, SockFlag, SockProtocol, SockType, bind, setsockopt, socket, sockopt,
};
use seamline_lab::system::{Interface, Namespace, Tun};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;

/// The other end of the cable.
const FAR_END: &str = "far";
const HEADER: usize = 14;
/// More than a window.
const BUFFER: usize = 8_000_000;

/// What kind of interface the kernel has.
#[derive(Clone, Copy)]
pub(crate) enum Device {
    Tun,
    Ethernet,
}

/// Packets begin with their IP headers.
pub(crate) enum Wire {
    Tun(Tun),
    Ethernet(Ethernet),
}

impl Wire {
    /// With an interface of that name, still down. One of Ethernet takes the commands ip(8) and ethtool(8).
    pub(crate) fn open(namespace: &Namespace, name: &str, device: Device) -> Result<Wire, String> {
        Ok(match device {
            Device::Tun => Wire::Tun(Tun::open(namespace, name).map_err(|error| error.to_string())?),
            Device::Ethernet => Wire::Ethernet(Ethernet::lay(namespace, name)?),
        })
    }

    /// `None` when nothing waits.
    pub(crate) fn read(&self, packet: &mut [u8]) -> Option<usize> {
        match self {
            Wire::Tun(tun) => tun.read(packet).unwrap(),
            Wire::Ethernet(ethernet) => ethernet.read(packet).unwrap(),
        }
    }

    pub(crate) fn write(&self, packet: &[u8]) {
        match self {
            Wire::Tun(tun) => assert!(tun.write(packet).unwrap()),
            Wire::Ethernet(ethernet) => ethernet.write(packet).unwrap(),
        }
    }
}

/// The far end of a cable, at which nobody but this process takes packets.
pub(crate) struct Ethernet {
    socket: File,
    own: [u8; 6],
    near: [u8; 6],
}

impl Ethernet {
    fn lay(namespace: &Namespace, name: &str) -> Result<Ethernet, String> {
        run(namespace, &format!("ip link add {name} type veth peer name {FAR_END}"))?;
        // There are no neighbours to ask for: all packets go by the cable.
        run(namespace, &format!("ip link set {name} arp off"))?;
        // What arrives is whole, with checksums.
        run(namespace, &format!("ethtool -K {name} tx off"))?;
        let far_end = Interface {
            name: FAR_END.to_owned(),
            mtu: 1500,
            queue_packets: 10_000,
            addresses: Vec::new(),
            routes: Vec::new(),
            congestion_control: None,
        };
        far_end.bring_up(namespace).map_err(|error| error.to_string())?;
        let opened = namespace.within(|| {
            let (own, near) = (address(FAR_END)?, address(name)?);
            let bytes = |address: LinkAddr| address.addr().ok_or(io::ErrorKind::InvalidData);
            let socket = packet_socket(&own)?;
            Ok(Ethernet { socket: File::from(socket), own: bytes(own)?, near: bytes(near)? })
        });
        opened.map_err(|error| error.to_string())
    }

    fn read(&self, packet: &mut [u8]) -> io::Result<Option<usize>> {
        let mut frame = [0; 2048];
        let length = match (&self.socket).read(&mut frame) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            length => length?,
        };
        let content = &frame[HEADER..length];
        packet[..content.len()].copy_from_slice(content);
        Ok(Some(content.len()))
    }

    fn write(&self, packet: &[u8]) -> io::Result<()> {
        let kind: u16 = if packet[0] >> 4 == 4 { 0x0800 } else { 0x86dd };
        let frame = [&self.near[..], &self.own, &kind.to_be_bytes(), packet].concat();
        (&self.socket).write_all(&frame)
    }
}

fn run(namespace: &Namespace, command: &str) -> Result<(), String> {
    let mut words = command.split(' ');
    let program = words.next().unwrap();
    let output = namespace.within(|| Command::new(program).args(words).output());
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let message = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { Ok(()) } else { Err(format!("{command}: {message}")) }
}

/// Of an interface of the thread's namespace.
fn address(name: &str) -> io::Result<LinkAddr> {
    let of_name = getifaddrs()?.filter(|found| found.interface_name == name);
    let mut addresses = of_name.filter_map(|found| found.address?.as_link_addr().copied());
    addresses.next().ok_or_else(|| io::Error::other(format!("{name} has no address")))
}

fn packet_socket(at: &LinkAddr) -> io::Result<OwnedFd> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Packet, SockType::Raw, flags, SockProtocol::EthAll)?;
    bind(socket.as_raw_fd(), at)?;
    setsockopt(&socket, sockopt::RcvBufForce, &BUFFER)?;
    Ok(socket)
}
