//! A packet socket whose received frames are in memory shared with the kernel, each with the time of its arrival (packet(7),
//! `PACKET_RX_RING`). Reading one is no system call.
#![expect(unsafe_code, reason = "memory that the kernel writes to")]

use super::{Namespace, explained, netlink};
use nix::errno::Errno;
use seamline_host::socket::{bind_to_interface, dropped_packets, set_number, set_option};
use seamline_wire::Instant;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The most frames that may wait: more than any window.
const MOST_FRAMES: usize = 1 << 14;
/// Bytes that the kernel maps in one piece.
const BLOCK: usize = 1 << 16;
/// Bytes that may wait for their time of departure.
const SEND_BUFFER: libc::c_int = 1 << 30;
/// What the kernel puts before a frame, with room for alignment.
const BEFORE_FRAME: usize = 128;
/// Bytes of the Ethernet header.
pub const ETHERNET: usize = 14;

/// A frame that has come.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// When it came, by `CLOCK_REALTIME`.
    pub at: Instant,
    /// Its IP packet.
    pub packet: &'a [u8],
}

/// All frames that come in by one interface.
#[derive(Debug)]
pub struct PacketRing {
    /// The socket: frames sent by it leave by the interface.
    pub socket: Arc<OwnedFd>,
    memory: NonNull<u8>,
    frame_bytes: usize,
    frames: usize,
    next: usize,
}

// SAFETY: the memory belongs to this value alone, apart from the kernel.
unsafe impl Send for PacketRing {}

impl PacketRing {
    /// From now on, what comes in by the interface. It takes about `memory` bytes.
    ///
    /// # Errors
    /// When the process may not open packet sockets in the namespace, or there is not enough memory.
    pub fn open(namespace: &Namespace, interface: &str, mtu: u32, memory: usize) -> io::Result<Self> {
        let index = netlink::index(namespace, interface)?;
        let frame_bytes = (mtu as usize + BEFORE_FRAME).next_power_of_two();
        let in_a_block = BLOCK.max(frame_bytes) / frame_bytes;
        let frames = (memory / frame_bytes).clamp(in_a_block, MOST_FRAMES) / in_a_block * in_a_block;
        let opened = namespace.within(|| {
            // SAFETY: a call without memory.
            let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
            let socket = Errno::result(socket)?;
            // SAFETY: the kernel has just made it, so nobody else owns it.
            let socket = unsafe { OwnedFd::from_raw_fd(socket) };
            prepare(&socket, frame_bytes, frames)?;
            let memory = map(&socket, frames * frame_bytes)?;
            let ring = PacketRing { socket: Arc::new(socket), memory, frame_bytes, frames, next: 0 };
            // Only now frames come.
            bind_to_interface(&ring.socket, index)?;
            Ok(ring)
        });
        opened.map_err(|error| explained(error, format_args!("a packet socket at interface {interface}")))
    }

    /// The next frame; it stays the next one until it is released.
    pub fn peek(&self) -> Option<Frame<'_>> {
        if self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        // SAFETY: the kernel has completed its header and does not touch the frame until it is released. A header is at the start of
        // each frame, which is aligned to its size.
        let header = unsafe { self.frame().cast::<libc::tpacket2_hdr>().read() };
        let nanos = u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec);
        let length = (header.tp_snaplen as usize).saturating_sub(ETHERNET);
        let offset = usize::from(header.tp_mac) + ETHERNET;
        assert!(offset + length <= self.frame_bytes, "the kernel keeps frames within their room");
        // SAFETY: inside the frame by the assertion, and nobody writes there for as long as `self` is borrowed.
        let packet = unsafe { slice::from_raw_parts(self.frame().add(offset).as_ptr(), length) };
        Some(Frame { at: Instant::from_nanos(nanos), packet })
    }

    /// Give the next frame back to the kernel.
    pub fn release(&mut self) {
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % self.frames;
    }

    /// Frames that the kernel had no room for since this was last asked.
    ///
    /// # Errors
    /// None expected.
    pub fn lost(&self) -> io::Result<u64> {
        dropped_packets(&self.socket).map(u64::from)
    }

    fn frame(&self) -> NonNull<u8> {
        // SAFETY: `next` is less than the number of frames that are mapped.
        unsafe { self.memory.add(self.next * self.frame_bytes) }
    }

    fn status(&self) -> &AtomicU32 {
        // SAFETY: the status is the first field of the header, aligned, mapped for as long as `self`, and both sides use it atomically.
        unsafe { AtomicU32::from_ptr(self.frame().cast::<u32>().as_ptr()) }
    }
}

impl Drop for PacketRing {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing refers to it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.frames * self.frame_bytes) };
    }
}

impl AsFd for PacketRing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn prepare(socket: &OwnedFd, frame_bytes: usize, frames: usize) -> io::Result<()> {
    let number = |number: usize| number as libc::c_uint;
    let ring = libc::tpacket_req {
        tp_block_size: number(BLOCK.max(frame_bytes)),
        tp_block_nr: number(frames * frame_bytes / BLOCK.max(frame_bytes)),
        tp_frame_size: number(frame_bytes),
        tp_frame_nr: number(frames),
    };
    let departures = libc::sock_txtime { clockid: libc::CLOCK_MONOTONIC, flags: 0 };
    let version = libc::tpacket_versions::TPACKET_V2 as libc::c_int;
    set_number(socket, libc::SOL_PACKET, libc::PACKET_VERSION, version)?;
    set_number(socket, libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
    set_option(socket, libc::SOL_SOCKET, libc::SO_TXTIME, &departures)?;
    set_number(socket, libc::SOL_SOCKET, libc::SO_SNDBUFFORCE, SEND_BUFFER)?;
    set_option(socket, libc::SOL_PACKET, libc::PACKET_RX_RING, &ring)
}

fn map(socket: &OwnedFd, length: usize) -> io::Result<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let memory = unsafe {
        libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, socket.as_raw_fd(), 0)
    };
    match NonNull::new(memory.cast()) {
        Some(mapped) if memory != libc::MAP_FAILED => Ok(mapped),
        _ => Err(io::Error::last_os_error()),
    }
}
