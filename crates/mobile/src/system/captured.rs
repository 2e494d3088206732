//! The beginnings of the TCP packets that this host sends (packet(7)).

use crate::connections::CAPTURED;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, LinkAddr, SockFlag, SockProtocol, SockType, recvfrom, socket};
use seamline_host::explained;
use seamline_host::socket::{attach_filter, dropped_packets, set_receive_buffer};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// What becomes of a jump of no length, or of a comparison that fails, is the next instruction.
const NEXT: u8 = 0;
/// `SKF_AD_OFF`, and what is there: protocol, kind of packet, kind of device.
const ANCILLARY: u32 = 0xffff_f000;
const PROTOCOL: u32 = ANCILLARY;
const KIND_OF_PACKET: u32 = ANCILLARY + 4;
const KIND_OF_DEVICE: u32 = ANCILLARY + 28;
const OUTGOING: u32 = 4;
const LOOPBACK_DEVICE: u32 = 772;
const IPV4: u32 = 0x0800;
const IPV6: u32 = 0x86dd;
const TCP: u32 = 6;
/// Bytes of packets that may wait. A packet of 64 KB that the network card will cut counts in full, though only its headers are kept.
const BUFFER: usize = 4 << 20;
/// Where the filter's last two instructions are: take [`CAPTURED`] bytes, take none.
const TAKE: usize = 13;
const LEAVE: usize = 14;

/// `BPF_LD | BPF_ABS` with the size of what is loaded, `BPF_JMP | BPF_JEQ | BPF_K` and `BPF_JSET`, `BPF_RET | BPF_K`.
const LOAD_HALF: u16 = 0x28;
const LOAD_BYTE: u16 = 0x30;
const EQUAL: u16 = 0x15;
const HAS_BITS: u16 = 0x45;
const RETURN: u16 = 0x06;

/// One instruction. Jumps count from the next one.
const fn instruction(code: u16, k: u32, [jt, jf]: [u8; 2]) -> libc::sock_filter {
    libc::sock_filter { code, jt, jf, k }
}

/// How far it is from the instruction behind `place` to another.
const fn to(target: usize, place: usize) -> u8 {
    (target - place - 1) as u8
}

/// Outgoing TCP that is no later fragment. Offsets count from the IP header.
fn filter() -> [libc::sock_filter; 15] {
    let load = |code, k| instruction(code, k, [NEXT; 2]);
    let must_be = |k, place| instruction(EQUAL, k, [NEXT, to(LEAVE, place)]);
    [
        load(LOAD_HALF, KIND_OF_DEVICE),
        instruction(EQUAL, LOOPBACK_DEVICE, [to(LEAVE, 1), NEXT]),
        load(LOAD_BYTE, KIND_OF_PACKET),
        must_be(OUTGOING, 3),
        load(LOAD_HALF, PROTOCOL),
        instruction(EQUAL, IPV4, [NEXT, to(10, 5)]),
        load(LOAD_BYTE, 9),
        must_be(TCP, 7),
        load(LOAD_HALF, 6),
        instruction(HAS_BITS, 0x1fff, [to(LEAVE, 9), to(TAKE, 9)]),
        must_be(IPV6, 10),
        load(LOAD_BYTE, 6),
        must_be(TCP, 12),
        instruction(RETURN, CAPTURED as u32, [NEXT; 2]),
        instruction(RETURN, 0, [NEXT; 2]),
    ]
}

/// A socket at which the beginnings of the packets arrive that leave by any interface but loopback.
#[derive(Debug)]
pub struct Captured {
    socket: OwnedFd,
}

impl Captured {
    /// In the network namespace of the calling thread.
    ///
    /// # Errors
    /// When the process may not (it takes `CAP_NET_RAW`).
    pub fn open() -> io::Result<Self> {
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let made = socket(AddressFamily::Packet, SockType::Datagram, flags, SockProtocol::EthAll);
        let captured = made
            .map_err(io::Error::from)
            .and_then(|socket| {
                attach_filter(&socket, &filter())?;
                // The kernel may allow less: beyond that, packets go unseen until there is room again.
                set_receive_buffer(&socket, BUFFER)?;
                Ok(Captured { socket })
            })
            .map_err(|error| explained(error, "watching what this host sends (a packet socket)"))?;
        // What came before the filter did.
        while captured.receive(&mut [0; CAPTURED])?.is_some() {}
        Ok(captured)
    }

    /// The next packet's beginning, with its length and the interface by which it left; `None` when none waits.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn receive(&self, room: &mut [u8; CAPTURED]) -> io::Result<Option<(usize, u32)>> {
        loop {
            return match recvfrom::<LinkAddr>(self.socket.as_raw_fd(), room) {
                Ok((length, Some(address))) => Ok(Some((length, address.ifindex() as u32))),
                Ok((_, None)) | Err(Errno::EINTR) => continue,
                Err(Errno::EAGAIN) => Ok(None),
                // An interface went down: packet(7). It is still watched, as are the others.
                Err(Errno::ENETDOWN) => continue,
                Err(error) => Err(explained(error, "reading what this host has sent")),
            };
        }
    }

    /// How many packets there was no room for since the last time.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn missed(&self) -> io::Result<u32> {
        dropped_packets(&self.socket)
    }
}

impl AsFd for Captured {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
