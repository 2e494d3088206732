//! A packet socket at one interface (packet(7)).
#![expect(unsafe_code, reason = "recvmmsg and sendmmsg with offloads have no safe wrapper")]

mod batch;
mod sending;

pub use batch::Batch;

use crate::frame::Medium;
use crate::metrics::PortCounters;
use batch::{AUXDATA, BATCH};
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use seamline_host::explained;
use seamline_host::interface::{self, Condition};
use seamline_host::socket::{
    attach_filter, bind_to_interface, dropped_packets, receive_all_frames, set_buffers, set_number,
    set_receive_buffer,
};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Of linux/if_packet.h.
const PACKET_VNET_HDR: libc::c_int = 15;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
/// `ARPHRD_ETHER`, and `ARPHRD_LOOPBACK`, whose frames look the same.
const ETHERNET: [u16; 2] = [1, 772];
/// Bytes of memory for frames that wait to be read, and to leave. Short frames take several times their length: the first is what comes in
/// at 1 Gbit/s while the agent's thread does not run for 50 ms.
const WAITING: usize = 32 << 20;
const LEAVING: usize = 4 << 20;

/// An interface, of which every incoming frame is received.
#[derive(Debug)]
pub struct Port {
    pub(super) interface: String,
    pub(super) index: u32,
    /// What its frames begin with.
    pub medium: Medium,
    socket: OwnedFd,
    /// It was seen running since it was opened: a new interface has no carrier for up to a second.
    has_run: bool,
    /// Its counters.
    pub counters: PortCounters,
    /// The bytes of the longest packet received since the caller reset this, with its link header.
    pub longest: usize,
}

impl Port {
    /// In the network namespace of the calling thread. Frames that this host sends are not seen.
    ///
    /// # Errors
    /// When there is no such interface, or the process may not (it takes `CAP_NET_RAW`).
    pub fn open(interface: &str) -> io::Result<Self> {
        let at = |error: io::Error| explained(error, format_args!("opening interface {interface}"));
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        // Of no protocol yet, so that nothing comes from other interfaces before it is bound.
        let made = socket(AddressFamily::Packet, SockType::Raw, flags, None::<SockProtocol>);
        let socket = made.map_err(|error| at(error.into()))?;
        let index = interface::index(&socket, interface).map_err(at)?;
        let mut port = Port {
            interface: interface.to_owned(),
            index,
            medium: Medium::Ethernet,
            socket,
            has_run: false,
            counters: PortCounters { is_there: true, is_running: true, ..PortCounters::default() },
            longest: 0,
        };
        port.prepare().map_err(at)?;
        Ok(port)
    }

    fn prepare(&mut self) -> io::Result<()> {
        set_number(&self.socket, libc::SOL_PACKET, AUXDATA, 1)?;
        set_number(&self.socket, libc::SOL_PACKET, PACKET_VNET_HDR, 1)?;
        set_number(&self.socket, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
        set_number(&self.socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        set_buffers(&self.socket, LEAVING)?;
        set_receive_buffer(&self.socket, WAITING)?;
        receive_all_frames(&self.socket, self.index)?;
        let kind = bind_to_interface(&self.socket, self.index)?;
        self.medium = if ETHERNET.contains(&kind) { Medium::Ethernet } else { Medium::Bare };
        Ok(())
    }

    /// Its MTU in bytes; `None` when it is gone.
    pub fn mtu(&self) -> Option<usize> {
        interface::mtu(&self.socket, &self.interface).ok()
    }
    /// Check whether it is up and has a carrier; returns its condition if that changed. A port just opened counts as running.
    pub(super) fn change(&mut self) -> Option<Condition> {
        let condition = interface::condition(&self.socket, &self.interface).ok()?;
        let is_running = condition == Condition::Running;
        let was_running = std::mem::replace(&mut self.counters.is_running, is_running);
        self.counters.stops += u64::from(self.has_run && was_running && !is_running);
        self.has_run |= is_running;
        (was_running != is_running).then_some(condition)
    }
    /// Whether the interface is no longer the one that was opened: removed, or removed and created again. That the kernel cannot be asked says
    /// nothing about the interface.
    pub fn is_gone(&self) -> bool {
        match interface::index(&self.socket, &self.interface) {
            Ok(index) => index != self.index,
            Err(error) => matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO)),
        }
    }

    /// Stop receiving frames, or start again.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn set_deaf(&self, deaf: bool) -> io::Result<()> {
        if !deaf {
            return set_number(&self.socket, libc::SOL_SOCKET, libc::SO_DETACH_FILTER, 0);
        }
        // BPF_RET | BPF_K: nothing of any frame.
        attach_filter(&self.socket, &[libc::sock_filter { code: 6, jt: 0, jf: 0, k: 0 }])
    }

    /// Receive waiting frames, at most a batch; none if none wait or the interface is down.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn receive(&mut self, batch: &mut Batch) -> io::Result<()> {
        batch.clear();
        let mut vectors = [const { [const { MaybeUninit::<libc::iovec>::uninit() }; 3] }; BATCH];
        // SAFETY: all zeros is a value of these plain structures.
        let mut headers: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
        batch.prepare(&mut vectors, &mut headers);
        let socket = self.socket.as_raw_fd();
        // SAFETY: every header points to a frame's room and to room for control messages, all of which live during the call.
        let count = unsafe {
            libc::recvmmsg(
                socket,
                headers.as_mut_ptr(),
                BATCH as _,
                libc::MSG_DONTWAIT as _,
                std::ptr::null_mut(),
            )
        };
        let Ok(count) = usize::try_from(count) else {
            return match Errno::last() {
                // A socket reports once that its interface is down; frames come again when it is up.
                Errno::EAGAIN | Errno::EINTR | Errno::ENETDOWN | Errno::ENXIO => Ok(()),
                error => Err(explained(error, format_args!("reading from interface {}", self.interface))),
            };
        };
        let received = batch.take(self.medium, &headers[..count]);
        batch.is_full = count == BATCH;
        self.counters.received += received.frames;
        self.counters.completed += received.completed;
        self.longest = self.longest.max(received.longest);
        Ok(())
    }

    /// Add to the counters what the kernel has counted since it was asked last.
    pub fn count_overruns(&mut self) {
        self.counters.overrun += u64::from(dropped_packets(&self.socket).unwrap_or(0));
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
