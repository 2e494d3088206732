//! Sending whole IP packets, which routes, neighbours and tunnels of the host carry like its own (raw(7)).

use crate::agent::Way;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, SockaddrIn6,
    sendmsg, setsockopt, socket, sockopt,
};
use seamline_host::explained;
use std::cell::Cell;
use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv6Addr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, OwnedFd};

/// A socket for each version of IP; that of IPv6 is missing where the host has none.
#[derive(Debug)]
pub struct Raw {
    v4: Marked,
    v6: Option<Marked>,
}

/// A socket, and the mark that it has.
#[derive(Debug)]
struct Marked {
    socket: OwnedFd,
    mark: Cell<u32>,
}

impl Marked {
    /// Give packets this mark from now on.
    fn mark(&self, mark: u32) -> nix::Result<()> {
        if self.mark.get() != mark {
            setsockopt(&self.socket, sockopt::Mark, &mark)?;
            self.mark.set(mark);
        }
        Ok(())
    }
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
                .map(|socket| Marked { socket, mark: Cell::new(0) })
        };
        let tried = "sending packets (a raw socket)";
        let v4 = open(AddressFamily::Inet).map_err(|error| explained(error, tried))?;
        let v6 = open(AddressFamily::Inet6).ok();
        // Without these the kernel says of a packet that a full queue has thrown away that it was sent.
        setsockopt(&v4.socket, sockopt::Ipv4RecvErr, &true).map_err(|error| explained(error, tried))?;
        if let Some(v6) = &v6 {
            setsockopt(&v6.socket, sockopt::Ipv6RecvErr, &true).map_err(|error| explained(error, tried))?;
        }
        Ok(Raw { v4, v6 })
    }

    /// Send a packet.
    ///
    /// # Errors
    /// When the host has no route, or no such address; `WouldBlock` where a queue is full.
    pub fn send(&self, packet: &[u8], way: Way) -> io::Result<()> {
        self.try_send(packet, way).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOBUFS) => io::ErrorKind::WouldBlock.into(),
            _ => error,
        })
    }

    fn try_send(&self, packet: &[u8], way: Way) -> io::Result<()> {
        match (way.from, way.to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                // The address that policy routing looks at; the kernel does not look into the packet.
                let information = libc::in_pktinfo {
                    ipi_ifindex: way.bound_to as _,
                    ipi_spec_dst: libc::in_addr { s_addr: u32::from_ne_bytes(from.octets()) },
                    ipi_addr: libc::in_addr { s_addr: 0 },
                };
                let control = [ControlMessage::Ipv4PacketInfo(&information)];
                let to = SockaddrIn::from(SocketAddrV4::new(to, 0));
                self.v4.mark(way.mark)?;
                let socket = self.v4.socket.as_raw_fd();
                sendmsg(socket, &[IoSlice::new(packet)], &control, MsgFlags::empty(), Some(&to))?;
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                let Some(socket) = &self.v6 else {
                    return Err(io::Error::new(io::ErrorKind::Unsupported, "this host has no IPv6"));
                };
                let scope = if is_link_local(to) { way.interface } else { way.bound_to };
                let information = libc::in6_pktinfo {
                    ipi6_addr: libc::in6_addr { s6_addr: from.octets() },
                    ipi6_ifindex: scope as _,
                };
                let control = [ControlMessage::Ipv6PacketInfo(&information)];
                let to = SockaddrIn6::from(SocketAddrV6::new(to, 0, 0, scope));
                socket.mark(way.mark)?;
                let socket = socket.socket.as_raw_fd();
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
