//! Operations on sockets that the kernel carries out while this process waits for all of them at once (`io_uring(7)`): one system call for
//! whatever is to be done and the time until something is.
#![expect(unsafe_code, reason = "the kernel uses memory of operations that are under way")]

use io_uring::types::{Fd, TimeoutFlags, Timespec};
use io_uring::{EnterFlags, IoUring, opcode, squeue};
use nix::errno::Errno;
use nix::sys::socket::{SockaddrLike, SockaddrStorage};
use seamline_wire::Instant;
use std::io;
use std::mem::ManuallyDrop;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Operations that can be handed over at once; more are handed over in several calls.
const ENTRIES: u32 = 1024;

/// What an operation that is under way uses.
#[expect(dead_code, reason = "the kernel uses it")]
enum Held {
    Nothing,
    Bytes(Vec<u8>),
    Repeated(Box<RepeatedMessage>),
    Address(Box<SockaddrStorage>),
    Time(Box<Timespec>),
    Timed(Box<TimedMessage>),
}

/// The header of a message of these parts, which stay where they are as long as it is used.
fn header_of(parts: &mut [libc::iovec]) -> libc::msghdr {
    // SAFETY: zeros are a valid value of this structure of numbers and pointers.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = parts.as_mut_ptr();
    header.msg_iovlen = parts.len() as _;
    header
}

/// A message with the time at which it is to leave. Its parts point to each other.
#[repr(C)]
struct TimedMessage {
    /// `struct cmsghdr` and the time, aligned.
    control: [u64; CONTROL_WORDS],
    part: libc::iovec,
    header: libc::msghdr,
    bytes: Vec<u8>,
}

const CONTROL_WORDS: usize = 3;

// SAFETY: what it points to is its own.
unsafe impl Send for TimedMessage {}

impl TimedMessage {
    fn new(bytes: Vec<u8>, at: Instant) -> Box<Self> {
        let length = size_of::<libc::cmsghdr>() + size_of::<u64>();
        let kind =
            u64::from(libc::SOL_SOCKET.cast_unsigned()) | u64::from(libc::SCM_TXTIME.cast_unsigned()) << 32;
        let part = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: bytes.len() };
        let header = header_of(&mut []);
        // Little-endian: the length, then level and kind.
        let control = [length as u64, kind, before(at).as_nanos()];
        let mut message = Box::new(TimedMessage { control, part, header, bytes });
        message.part.iov_base = message.bytes.as_mut_ptr().cast();
        message.header = header_of(std::slice::from_mut(&mut message.part));
        message.header.msg_control = (&raw mut message.control).cast();
        message.header.msg_controllen = length as _;
        message
    }

    fn header(&self) -> *const libc::msghdr {
        &raw const self.header
    }
}

/// A message of the same bytes again and again.
struct RepeatedMessage {
    header: libc::msghdr,
    _parts: Vec<libc::iovec>,
    _bytes: Arc<[u8]>,
}

/// Parts that a message may have (`UIO_MAXIOV`).
const MOST_PARTS: usize = 1024;

// SAFETY: what it points to is its own, or shared and never written.
unsafe impl Send for RepeatedMessage {}

impl RepeatedMessage {
    /// At most so many bytes: as many as one message may have.
    fn new(bytes: Arc<[u8]>, length: u64) -> Box<Self> {
        let mut parts = Vec::new();
        let mut left = length;
        while left > 0 && parts.len() < MOST_PARTS {
            let part = left.min(bytes.len() as u64);
            // The kernel only reads.
            parts.push(libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: part as usize });
            left -= part;
        }
        Box::new(RepeatedMessage { header: header_of(&mut parts), _parts: parts, _bytes: bytes })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<T> {
    /// It ends as soon as the kernel has it.
    Immediate(T),
    Lasting(T),
    /// It ends at this time.
    Timer(Instant),
}

struct Operation<T> {
    kind: Kind<T>,
    _socket: Option<Arc<OwnedFd>>,
    _held: Held,
}

/// An operation that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<T> {
    /// What its owner calls it.
    pub token: T,
    /// What it returned: the same as the system call of its name.
    pub result: Result<u32, Errno>,
}

/// Operations under way, each with a name of its owner's.
pub struct Operations<T> {
    /// Never closed: in virtual time the kernel's worker that cancels operations waits for a tick that never comes.
    ring: ManuallyDrop<IoUring>,
    under_way: Vec<Option<Operation<T>>>,
    free: Vec<usize>,
    /// Of those that the kernel does not have yet: how many end at once.
    immediate: usize,
    /// When timers will expire.
    timers: Vec<Instant>,
}

impl<T> std::fmt::Debug for Operations<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operations").field("under_way", &self.under_way.len()).finish_non_exhaustive()
    }
}

impl<T: Copy> Operations<T> {
    /// None yet. Only the thread that waits may have been the one that called this.
    ///
    /// # Errors
    /// When the kernel has no `io_uring`, or is older than Linux 6.1.
    pub fn new() -> io::Result<Self> {
        let ring = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(ENTRIES)?;
        Ok(Operations {
            ring: ManuallyDrop::new(ring),
            under_way: Vec::new(),
            free: Vec::new(),
            immediate: 0,
            timers: Vec::new(),
        })
    }

    /// Send bytes that are sent or refused at once.
    ///
    /// # Errors
    /// When the kernel takes no more operations.
    pub fn send(&mut self, socket: &Arc<OwnedFd>, bytes: Vec<u8>, token: T) -> io::Result<()> {
        let (start, length) = (bytes.as_ptr(), bytes.len() as u32);
        let entry =
            opcode::Send::new(Fd(socket.as_raw_fd()), start, length).flags(libc::MSG_DONTWAIT).build();
        self.immediate += 1;
        self.begin(entry, Kind::Immediate(token), Some(socket), Held::Bytes(bytes))
    }

    /// Hand over bytes that leave by a packet socket at a time of `CLOCK_MONOTONIC` (`SO_TXTIME`).
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn send_at(
        &mut self,
        socket: &Arc<OwnedFd>,
        bytes: Vec<u8>,
        at: Instant,
        token: T,
    ) -> io::Result<()> {
        let message = TimedMessage::new(bytes, at);
        let entry = opcode::SendMsg::new(Fd(socket.as_raw_fd()), message.header())
            .flags(libc::MSG_DONTWAIT.cast_unsigned())
            .build();
        self.immediate += 1;
        self.begin(entry, Kind::Immediate(token), Some(socket), Held::Timed(message))
    }

    /// Send these bytes again and again, however long it takes, until so many are sent or as many as one call may send.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn send_repeated(
        &mut self,
        socket: &Arc<OwnedFd>,
        bytes: &Arc<[u8]>,
        length: u64,
        token: T,
    ) -> io::Result<()> {
        let message = RepeatedMessage::new(bytes.clone(), length);
        let entry = opcode::SendMsg::new(Fd(socket.as_raw_fd()), &raw const message.header)
            .flags((libc::MSG_WAITALL | libc::MSG_NOSIGNAL).cast_unsigned())
            .build();
        self.begin(entry, Kind::Lasting(token), Some(socket), Held::Repeated(message))
    }

    /// Receive into all of a buffer, or up to the end of the stream. The bytes of a TCP stream are dropped.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn skip(&mut self, socket: &Arc<OwnedFd>, mut buffer: Vec<u8>, token: T) -> io::Result<()> {
        let (start, length) = (buffer.as_mut_ptr(), buffer.len() as u32);
        let entry = opcode::Recv::new(Fd(socket.as_raw_fd()), start, length)
            .flags(libc::MSG_WAITALL | libc::MSG_TRUNC)
            .build();
        self.begin(entry, Kind::Lasting(token), Some(socket), Held::Bytes(buffer))
    }

    /// Connect.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn connect(&mut self, socket: &Arc<OwnedFd>, to: SocketAddr, token: T) -> io::Result<()> {
        let address = Box::new(SockaddrStorage::from(to));
        let entry = opcode::Connect::new(Fd(socket.as_raw_fd()), address.as_ptr(), address.len()).build();
        self.begin(entry, Kind::Lasting(token), Some(socket), Held::Address(address))
    }

    /// Become done once the socket can be read.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn watch(&mut self, socket: &Arc<OwnedFd>, token: T) -> io::Result<()> {
        let entry = opcode::PollAdd::new(Fd(socket.as_raw_fd()), libc::POLLIN as u32).build();
        self.begin(entry, Kind::Lasting(token), Some(socket), Held::Nothing)
    }

    fn begin(
        &mut self,
        entry: squeue::Entry,
        kind: Kind<T>,
        socket: Option<&Arc<OwnedFd>>,
        held: Held,
    ) -> io::Result<()> {
        let place = self.keep(Operation { kind, _socket: socket.cloned(), _held: held });
        let entry = entry.user_data(place as u64);
        // SAFETY: what the entry points to is held until the operation is done, and is not touched until then.
        while unsafe { self.ring.submission().push(&entry) }.is_err() {
            self.ring.submit()?;
        }
        Ok(())
    }

    fn keep(&mut self, operation: Operation<T>) -> usize {
        match self.free.pop() {
            Some(place) => {
                self.under_way[place] = Some(operation);
                place
            }
            None => {
                self.under_way.push(Some(operation));
                self.under_way.len() - 1
            }
        }
    }

    /// Hand over what has begun, and let operations that wait for what it has caused go on, whether they are of this thread or have moved to
    /// one of the kernel's.
    ///
    /// # Errors
    /// When the kernel takes no more operations.
    pub fn go_on(&mut self) -> io::Result<()> {
        let count = self.ring.submission().len() as u32;
        // Even where nothing is to be waited for, what waits for this thread goes on.
        let flags = EnterFlags::GETEVENTS.bits();
        // SAFETY: there is no signal mask.
        unsafe { self.ring.submitter().enter::<libc::sigset_t>(count, 0, flags, None) }?;
        nix::sched::sched_yield()?;
        Ok(())
    }

    /// Hand over what has begun, and wait until an operation is done that is not over at once, but at most until this time of
    /// `CLOCK_MONOTONIC`. What is done is appended to `done`. Returns the time if it has come without any being done. It may be one of an
    /// earlier wait.
    ///
    /// # Errors
    /// When the kernel refuses to wait.
    pub fn wait(&mut self, until: Instant, done: &mut Vec<Done<T>>) -> io::Result<Option<Instant>> {
        self.set_timer(until)?;
        let least = std::mem::take(&mut self.immediate) + 1;
        match self.ring.submit_and_wait(least) {
            Ok(_) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
            Err(error) => return Err(error),
        }
        let (mut passed, mut is_alone) = (None, true);
        for entry in self.ring.completion() {
            let place = entry.user_data() as usize;
            let Some(operation) = self.under_way.get_mut(place).and_then(Option::take) else { continue };
            self.free.push(place);
            let token = match operation.kind {
                Kind::Timer(at) => {
                    self.timers.retain(|timer| *timer != at);
                    passed = passed.max(Some(at));
                    continue;
                }
                Kind::Immediate(token) => token,
                Kind::Lasting(token) => {
                    is_alone = false;
                    token
                }
            };
            let result = u32::try_from(entry.result()).map_err(|_| Errno::from_raw(-entry.result()));
            done.push(Done { token, result });
        }
        Ok(passed.filter(|_| is_alone))
    }

    fn set_timer(&mut self, at: Instant) -> io::Result<()> {
        if self.timers.contains(&at) {
            return Ok(());
        }
        self.timers.push(at);
        let time = Box::new(timespec(at));
        let entry = opcode::Timeout::new(&raw const *time).flags(TimeoutFlags::ABS).build();
        self.begin(entry, Kind::Timer(at), None, Held::Time(time))
    }
}

/// What a timer is set to that is to expire at this time: a kernel in virtual time lets it expire a nanosecond late, which decides whether
/// times in microseconds are the same.
fn before(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos().saturating_sub(1))
}

fn timespec(at: Instant) -> Timespec {
    let nanos = before(at).as_nanos();
    Timespec::new().sec(nanos / 1_000_000_000).nsec((nanos % 1_000_000_000) as u32)
}

impl<T> Drop for Operations<T> {
    fn drop(&mut self) {
        // The kernel goes on using it.
        std::mem::forget(std::mem::take(&mut self.under_way));
    }
}
