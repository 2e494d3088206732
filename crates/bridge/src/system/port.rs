//! A packet socket at one interface (packet(7)).
#![expect(
    unsafe_code,
    reason = "recvmmsg with control messages, and the addresses of packet sockets, have no safe wrapper"
)]

use crate::checksums;
use crate::frame::{self, Medium};
use crate::metrics::PortCounters;
use crate::outgoing::Outgoing;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use seamline_agent::Side;
use seamline_host::interface::{self, Condition};
use seamline_host::socket::{attach_filter, dropped_packets, receive_all_frames, set_buffers, set_number};
use seamline_host::{clock, explained};
use seamline_wire::{Duration, Instant};
use std::io;
use std::mem::{MaybeUninit, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// Of linux/if_packet.h.
const PACKET_AUXDATA: libc::c_int = 8;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
const CHECKSUM_NOT_READY: u32 = 1 << 3;
const VLAN_VALID: u32 = 1 << 4;
const VLAN_TYPE_VALID: u32 = 1 << 6;
/// `ARPHRD_ETHER`, and `ARPHRD_LOOPBACK`, whose frames look the same.
const ETHERNET: [u16; 2] = [1, 772];

/// Frames taken at once.
const BATCH: usize = 64;
/// The longest packet of IP, its header before it, and a tag that the kernel took off.
const ROOM: usize = 65_536 + frame::MAX_LINK_HEADER + TAG;
const TAG: usize = 4;
const ADDRESSES: usize = 12;
const CONTROL: usize = 256;
/// Bytes of frames that may wait: to be read, and to leave.
const WAITING: usize = 4 << 20;

/// An interface, of which every incoming frame is received.
#[derive(Debug)]
pub struct Port {
    interface: String,
    index: u32,
    medium: Medium,
    socket: OwnedFd,
    /// It was seen running since it was opened: a new interface has no carrier for up to a second.
    has_run: bool,
    /// Its counters.
    pub counters: PortCounters,
    /// The longest frame received since the caller reset this.
    pub longest: usize,
}

/// Frames that came in together. Reused.
pub struct Batch {
    frames: Box<[u8]>,
    control: Box<[[u64; CONTROL / 8]]>,
    /// Where each frame is, and when it arrived (wall clock).
    places: Vec<(std::ops::Range<usize>, Option<Instant>)>,
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch({})", self.places.len())
    }
}

impl Default for Batch {
    fn default() -> Self {
        Batch {
            frames: vec![0; ROOM * BATCH].into_boxed_slice(),
            control: vec![[0; CONTROL / 8]; BATCH].into_boxed_slice(),
            places: Vec::with_capacity(BATCH),
        }
    }
}

impl Batch {
    /// The frames, each with how long it has waited.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], Duration)> {
        let now = clock::wall();
        self.places.iter().map(move |(place, at)| {
            (&self.frames[place.clone()], at.map_or(Duration::ZERO, |at| now.saturating_since(at)))
        })
    }
    /// Whether there may be more.
    pub fn is_full(&self) -> bool {
        self.places.len() == BATCH
    }
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Auxiliary {
    status: u32,
    length: u32,
    captured: u32,
    link: u16,
    network: u16,
    vlan: u16,
    vlan_type: u16,
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
        set_number(&self.socket, libc::SOL_PACKET, PACKET_AUXDATA, 1)?;
        set_number(&self.socket, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
        set_number(&self.socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        set_buffers(&self.socket, WAITING)?;
        receive_all_frames(&self.socket, self.index)?;
        let kind = self.bind()?;
        self.medium = if ETHERNET.contains(&kind) { Medium::Ethernet } else { Medium::Bare };
        Ok(())
    }

    /// Returns the kind of the device.
    fn bind(&self) -> io::Result<u16> {
        // SAFETY: all zeros is a value of this plain structure.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = self.index as i32;
        let mut length = size_of_val(&address) as libc::socklen_t;
        let socket = self.socket.as_raw_fd();
        // SAFETY: the address and its length live during both calls; the kernel writes no more than that length.
        let result = unsafe {
            match libc::bind(socket, (&raw const address).cast(), length) {
                0 => libc::getsockname(socket, (&raw mut address).cast(), &raw mut length),
                failed => failed,
            }
        };
        if result == 0 { Ok(address.sll_hatype) } else { Err(io::Error::last_os_error()) }
    }

    /// The name of its interface.
    pub(super) fn interface(&self) -> &str {
        &self.interface
    }
    /// The number of its interface.
    pub(super) fn index(&self) -> u32 {
        self.index
    }
    /// What its frames begin with.
    pub fn medium(&self) -> Medium {
        self.medium
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
        batch.places.clear();
        let mut vectors = [const { MaybeUninit::<libc::iovec>::uninit() }; BATCH];
        // SAFETY: all zeros is a value of these plain structures.
        let mut headers: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
        let frames = batch.frames.chunks_exact_mut(ROOM);
        let parts = frames.zip(batch.control.iter_mut()).zip(&mut vectors).zip(&mut headers);
        for (((frame, control), vector), header) in parts {
            let room = &mut frame[TAG..];
            let vector =
                vector.write(libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() });
            header.msg_hdr.msg_iov = vector;
            header.msg_hdr.msg_iovlen = 1;
            header.msg_hdr.msg_control = control.as_mut_ptr().cast();
            header.msg_hdr.msg_controllen = CONTROL as _;
        }
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
        for (number, header) in headers[..count].iter().enumerate() {
            let (auxiliary, at) = control_messages(&header.msg_hdr);
            let begin = number * ROOM + TAG;
            let length = header.msg_len as usize;
            let frame = &mut batch.frames[begin - TAG..begin + length];
            let tagged = put_tag_back(frame, &auxiliary, self.medium);
            let begin = if tagged { begin - TAG } else { begin };
            let end = number * ROOM + TAG + length;
            if auxiliary.status & CHECKSUM_NOT_READY != 0 {
                self.complete(&mut batch.frames[begin..end]);
            }
            self.longest = self.longest.max(length);
            batch.places.push((begin..end, at));
        }
        self.counters.received += count as u64;
        Ok(())
    }

    fn complete(&mut self, frame: &mut [u8]) {
        let Some((header, _)) = frame::split(self.medium, frame) else { return };
        let begin = header.as_slice().len();
        self.counters.completed += u64::from(checksums::complete(&mut frame[begin..]));
    }

    /// Send all frames that leave by this side. Frames that cannot leave are counted and lost, as at any interface.
    pub fn send(&mut self, side: Side, frames: &Outgoing<'_>) {
        let leaving = frames.iter().filter(|(towards, _)| *towards == side);
        let mut parts = leaving.map(|(_, frame)| libc::iovec {
            iov_base: frame.as_ptr().cast_mut().cast(),
            iov_len: frame.len(),
        });
        loop {
            let mut vectors = [const { MaybeUninit::<libc::iovec>::uninit() }; BATCH];
            // SAFETY: all zeros is a value of these plain structures.
            let mut headers: [libc::mmsghdr; BATCH] = unsafe { zeroed() };
            let mut count = 0;
            for ((vector, header), part) in vectors.iter_mut().zip(&mut headers).zip(&mut parts) {
                header.msg_hdr.msg_iov = vector.write(part);
                header.msg_hdr.msg_iovlen = 1;
                count += 1;
            }
            if count == 0 {
                return;
            }
            self.send_messages(&mut headers[..count]);
        }
    }

    fn send_messages(&mut self, mut rest: &mut [libc::mmsghdr]) {
        while !rest.is_empty() {
            let (messages, count) = (rest.as_mut_ptr(), rest.len() as _);
            // SAFETY: the caller's headers each point to one part, which points to bytes of a frame; all live during the call, and are only read.
            let sent =
                unsafe { libc::sendmmsg(self.socket.as_raw_fd(), messages, count, libc::MSG_DONTWAIT as _) };
            let done = match (usize::try_from(sent), Errno::last()) {
                (Ok(sent), _) => {
                    self.counters.sent += sent as u64;
                    sent
                }
                (Err(_), Errno::EINTR) => 0,
                (Err(_), Errno::EMSGSIZE) => {
                    self.counters.too_long += 1;
                    1
                }
                (Err(_), _) => {
                    self.counters.unsent += 1;
                    1
                }
            };
            rest = &mut rest[done..];
        }
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

/// The kernel's notes on a frame, and when the frame arrived.
fn control_messages(header: &libc::msghdr) -> (Auxiliary, Option<Instant>) {
    let (mut auxiliary, mut at) = (Auxiliary::default(), None);
    // SAFETY: the header is one that the kernel has filled in, and its control messages still live. The bodies are read as the kernel wrote them.
    unsafe {
        let mut next = libc::CMSG_FIRSTHDR(header);
        while let Some(message) = next.as_ref() {
            let body = libc::CMSG_DATA(message);
            match (message.cmsg_level, message.cmsg_type) {
                (libc::SOL_PACKET, PACKET_AUXDATA) => auxiliary = body.cast::<Auxiliary>().read_unaligned(),
                (libc::SOL_SOCKET, libc::SO_TIMESTAMPNS) => {
                    let time = body.cast::<libc::timespec>().read_unaligned();
                    let nanos = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
                    at = Some(Instant::from_nanos(nanos));
                }
                _ => {}
            }
            next = libc::CMSG_NXTHDR(header, message);
        }
    }
    (auxiliary, at)
}

/// Put a tag back that the kernel took off; `frame` has room for it in front.
fn put_tag_back(frame: &mut [u8], auxiliary: &Auxiliary, medium: Medium) -> bool {
    let has_tag = auxiliary.status & VLAN_VALID != 0 && medium == Medium::Ethernet;
    if !has_tag || frame.len() < TAG + ADDRESSES {
        return false;
    }
    let kind = if auxiliary.status & VLAN_TYPE_VALID != 0 { auxiliary.vlan_type } else { 0x8100 };
    frame.copy_within(TAG..TAG + ADDRESSES, 0);
    frame[ADDRESSES..ADDRESSES + 2].copy_from_slice(&kind.to_be_bytes());
    frame[ADDRESSES + 2..ADDRESSES + TAG].copy_from_slice(&auxiliary.vlan.to_be_bytes());
    true
}
