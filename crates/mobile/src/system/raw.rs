//! Sending whole IP packets, which routes, neighbours and tunnels of the host carry like its own (raw(7)).

use super::explained;
use crate::agent::Way;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, SockaddrIn6,
    sendmsg, socket,
};
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv6Addr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, OwnedFd};

/// A socket for each version of IP; that of IPv6 is missing where the host has none.
#[derive(Debug)]
pub struct Raw {
    v4: OwnedFd,
    v6: Option<OwnedFd>,
}

impl Raw {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the process may not (it takes `CAP_NET_RAW`).
    pub fn open() -> io::Result<Self> {
        // IPPROTO_RAW is for sending alone: the kernel takes packets with their headers and hands none in.
        let open = |family| {
            let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
            socket(family, SockType::Raw, flags, SockProtocol::Raw)
        };
        let v4 =
            open(AddressFamily::Inet).map_err(|error| explained(error, "sending packets (a raw socket)"))?;
        Ok(Raw { v4, v6: open(AddressFamily::Inet6).ok() })
    }

    /// Send a packet.
    ///
    /// # Errors
    /// When the host has no route, or no such address.
    pub fn send(&self, packet: &[u8], way: Way) -> io::Result<()> {
        match (way.from, way.to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                // The address that policy routing looks at; the kernel does not look into the packet.
                let information = libc::in_pktinfo {
                    ipi_ifindex: 0,
                    ipi_spec_dst: libc::in_addr { s_addr: u32::from_ne_bytes(from.octets()) },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                };
                let control = [ControlMessage::Ipv4PacketInfo(&information)];
                let to = SockaddrIn::from(SocketAddrV4::new(to, 0));
                let socket = self.v4.as_raw_fd();
                sendmsg(socket, &[IoSlice::new(packet)], &control, MsgFlags::empty(), Some(&to))?;
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let Some(socket) = &self.v6 else {
                    return Err(io::Error::new(io::ErrorKind::Unsupported, "this host has no IPv6"));
                };
                let scope = if is_link_local(to) { way.interface } else { 0 };
                let information = libc::in6_pktinfo {
                    ipi6_addr: libc::in6_addr { s6_addr: from.octets() },
                    ipi6_ifindex: scope as _,
                };
                let control = [ControlMessage::Ipv6PacketInfo(&information)];
                let to = SockaddrIn6::from(SocketAddrV6::new(to, 0, 0, scope));
                let socket = socket.as_raw_fd();
                sendmsg(socket, &[IoSlice::new(packet)], &control, MsgFlags::empty(), Some(&to))?;
            }
            _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "addresses of two versions of IP")),
        }
        Ok(())
    }
}

/// fe80::/10, which means nothing without an interface (RFC 4007).
fn is_link_local(address: Ipv6Addr) -> bool {
    address.segments()[0] & 0xffc0 == 0xfe80
}
