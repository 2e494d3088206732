//! What each function of packetdrill's table does: take C's arguments apart, call a safe function, set `errno`.

use crate::blocking::Shared;
use crate::errno::{Answer, Errno, to_c};
use crate::errors;
use crate::options::Value;
use crate::world::World;
use crate::writes::{Call, Progress};
use libc::{
    c_int, c_longlong, c_uint, c_ulong, c_void, epoll_event, iovec, msghdr, nfds_t, pollfd, size_t, sockaddr,
    sockaddr_in, socklen_t, ssize_t, timeval,
};
use std::net::{Ipv4Addr, SocketAddrV4};

/// TCP_CM_INQ.
const TCP_CM_INQ: c_int = 36;
/// How long a packet is waited for when packetdrill sets no limit, in seconds.
const LONGEST_WAIT: i64 = 300;

/// The socket address that a script passes.
///
/// # Safety
/// `address` points to `length` bytes.
unsafe fn address(address: *const sockaddr, length: socklen_t) -> Result<SocketAddrV4, Errno> {
    if (length as usize) < size_of::<sockaddr_in>() {
        return Err(Errno::INVALID);
    }
    // SAFETY: the bytes are there, and any are valid.
    let address = unsafe { address.cast::<sockaddr_in>().read_unaligned() };
    let ip = Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr));
    Ok(SocketAddrV4::new(ip, u16::from_be(address.sin_port)))
}

/// Bytes of each.
///
/// # Safety
/// `vectors` points to `count` of them.
unsafe fn lengths(vectors: *const iovec, count: usize) -> Vec<size_t> {
    // SAFETY: by this function's contract.
    (0..count).map(|place| unsafe { (*vectors.add(place)).iov_len }).collect()
}

/// Bytes in all.
///
/// # Safety
/// `vectors` points to `count` of them.
unsafe fn length(vectors: *const iovec, count: usize) -> size_t {
    // SAFETY: by this function's contract.
    unsafe { lengths(vectors, count) }.iter().sum()
}

fn read_into(
    shared: &Shared,
    descriptor: c_int,
    place: *const c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    match place.is_null() && count > 0 {
        true => to_c(Err(Errno(libc::EFAULT))) as ssize_t,
        false => read_from(shared, descriptor, count, flags),
    }
}

fn read_from(shared: &Shared, descriptor: c_int, count: size_t, flags: c_int) -> ssize_t {
    let nonblocking = is_nonblocking(shared, descriptor, flags);
    to_c(shared.wait(nonblocking, |world| world.read(descriptor, count, flags))) as ssize_t
}

fn write_to(shared: &Shared, descriptor: c_int, data: *const c_void, count: size_t, flags: c_int) -> ssize_t {
    match data.is_null() && count > 0 {
        true => to_c(Err(Errno(libc::EFAULT))) as ssize_t,
        false => write_parts(shared, descriptor, Call { flags, parts: vec![count] }),
    }
}

fn write_parts(shared: &Shared, descriptor: c_int, call: Call) -> ssize_t {
    let nonblocking = is_nonblocking(shared, descriptor, call.flags);
    let mut progress = Progress::default();
    let answer = shared.wait(nonblocking, |world| match progress.has_connected {
        true => world.write_fast(descriptor, UNUSED, &call, &mut progress),
        false => world.write(descriptor, &call, &mut progress),
    });
    to_c(answer) as ssize_t
}

/// The address of a connection that has begun.
const UNUSED: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);

/// With MSG_FASTOPEN, to a socket that is not connected.
///
/// # Safety
/// `at` points to `size` bytes, or is null.
unsafe fn write_to_address(
    shared: &Shared,
    descriptor: c_int,
    call: Call,
    at: *const sockaddr,
    size: socklen_t,
) -> ssize_t {
    if call.flags & libc::MSG_FASTOPEN == 0 || at.is_null() {
        return write_parts(shared, descriptor, call);
    }
    // SAFETY: by this function's contract.
    let unspecified = c_int::from(unsafe { (*at).sa_family }) == libc::AF_UNSPEC;
    // SAFETY: by this function's contract.
    let to = match unsafe { address(at, size) } {
        Ok(_) if unspecified => return to_c(Err(Errno::UNSUPPORTED)) as ssize_t,
        Ok(to) => to,
        Err(error) => return to_c(Err(error)) as ssize_t,
    };
    let nonblocking = is_nonblocking(shared, descriptor, call.flags);
    let mut progress = Progress::default();
    to_c(shared.wait(nonblocking, |world| world.write_fast(descriptor, to, &call, &mut progress))) as ssize_t
}

fn is_nonblocking(shared: &Shared, descriptor: c_int, flags: c_int) -> bool {
    shared.look(|world| world.is_nonblocking(descriptor, flags))
}

fn unsupported() -> c_int {
    to_c(Err(Errno::UNSUPPORTED)) as c_int
}

pub(crate) extern "C" fn free(_: &Shared) {}
pub(crate) extern "C" fn socket(shared: &Shared, domain: c_int, kind: c_int, _: c_int) -> c_int {
    to_c(shared.call(|world| world.make_socket(domain, kind))) as c_int
}
pub(crate) unsafe extern "C" fn bind(
    shared: &Shared,
    descriptor: c_int,
    at: *const sockaddr,
    size: socklen_t,
) -> c_int {
    // SAFETY: packetdrill passes an address of this length.
    let address = unsafe { address(at, size) };
    to_c(address.and_then(|address| shared.call(|world| world.bind(descriptor, address)))) as c_int
}
pub(crate) extern "C" fn listen(shared: &Shared, descriptor: c_int, _: c_int) -> c_int {
    to_c(shared.call(|world| world.listen(descriptor))) as c_int
}
pub(crate) unsafe extern "C" fn accept(
    shared: &Shared,
    descriptor: c_int,
    at: *mut sockaddr,
    size: *mut socklen_t,
) -> c_int {
    let mut peer = None;
    let nonblocking = is_nonblocking(shared, descriptor, 0);
    let answer = shared.wait(nonblocking, |world| world.accept(descriptor, &mut peer));
    if let Some(peer) = peer.filter(|_| !at.is_null()) {
        let length = size_of::<sockaddr_in>() as socklen_t;
        // SAFETY: packetdrill passes room for the address of any family, and a place for its length.
        unsafe {
            let place = at.cast::<sockaddr_in>();
            (*place).sin_family = libc::AF_INET as libc::sa_family_t;
            (*place).sin_port = peer.port().to_be();
            (*place).sin_addr.s_addr = u32::from(*peer.ip()).to_be();
            *size = length;
        }
    }
    to_c(answer) as c_int
}
pub(crate) unsafe extern "C" fn connect(
    shared: &Shared,
    descriptor: c_int,
    at: *const sockaddr,
    size: socklen_t,
) -> c_int {
    // SAFETY: packetdrill passes an address of this length.
    let address = match unsafe { address(at, size) } {
        Ok(address) => address,
        Err(error) => return to_c(Err(error)) as c_int,
    };
    let nonblocking = is_nonblocking(shared, descriptor, 0);
    let mut started = false;
    let answer = shared.wait(nonblocking, |world| world.connect(descriptor, address, &mut started));
    let in_progress = |error| if error == Errno::AGAIN { Errno(libc::EINPROGRESS) } else { error };
    to_c(answer.map_err(in_progress)) as c_int
}
pub(crate) extern "C" fn read(
    shared: &Shared,
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
) -> ssize_t {
    read_into(shared, descriptor, place, count, 0)
}
pub(crate) unsafe extern "C" fn readv(
    shared: &Shared,
    descriptor: c_int,
    at: *const iovec,
    count: c_int,
) -> ssize_t {
    // SAFETY: packetdrill passes so many vectors.
    read_from(shared, descriptor, unsafe { length(at, count as usize) }, 0)
}
pub(crate) extern "C" fn recv(
    shared: &Shared,
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    read_into(shared, descriptor, place, count, flags)
}
pub(crate) extern "C" fn recvfrom(
    shared: &Shared,
    descriptor: c_int,
    place: *mut c_void,
    count: size_t,
    flags: c_int,
    _: *mut sockaddr,
    _: *mut socklen_t,
) -> ssize_t {
    read_into(shared, descriptor, place, count, flags)
}
pub(crate) unsafe extern "C" fn recvmsg(
    shared: &Shared,
    descriptor: c_int,
    message: *mut msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: packetdrill passes a message with its vectors.
    let message = unsafe { &mut *message };
    if flags & libc::MSG_ERRQUEUE != 0 {
        let read = shared.look(|world| world.read_errors(descriptor));
        let answer = read.map(|(flags, control)| {
            // SAFETY: as above.
            unsafe { answer_with(message, flags, &control) };
            0
        });
        return to_c(answer) as ssize_t;
    }
    // SAFETY: as above.
    let count = unsafe { length(message.msg_iov, message.msg_iovlen) };
    let result = read_from(shared, descriptor, count, flags);
    let mut control = Vec::new();
    if result >= 0
        && let Some(left) = shared.look(|world| world.bytes_left(descriptor))
    {
        errors::put(&mut control, libc::SOL_TCP, TCP_CM_INQ, &left.to_ne_bytes());
    }
    // SAFETY: as above.
    unsafe { answer_with(message, 0, &control) };
    result
}

/// Put flags and control messages into a message.
///
/// # Safety
/// The message has room for as many bytes of control messages as it says.
unsafe fn answer_with(message: &mut msghdr, flags: c_int, control: &[u8]) {
    message.msg_flags = flags;
    let length = control.len().min(message.msg_controllen);
    message.msg_controllen = length;
    if length > 0 {
        // SAFETY: by this function's contract.
        unsafe { std::ptr::copy_nonoverlapping(control.as_ptr(), message.msg_control.cast::<u8>(), length) };
    }
}

pub(crate) extern "C" fn write(
    shared: &Shared,
    descriptor: c_int,
    data: *const c_void,
    count: size_t,
) -> ssize_t {
    write_to(shared, descriptor, data, count, 0)
}
pub(crate) unsafe extern "C" fn writev(
    shared: &Shared,
    descriptor: c_int,
    at: *const iovec,
    count: c_int,
) -> ssize_t {
    // SAFETY: packetdrill passes so many vectors.
    let parts = unsafe { lengths(at, count as usize) };
    write_parts(shared, descriptor, Call { flags: 0, parts })
}
pub(crate) extern "C" fn send(
    shared: &Shared,
    descriptor: c_int,
    data: *const c_void,
    count: size_t,
    flags: c_int,
) -> ssize_t {
    write_to(shared, descriptor, data, count, flags)
}
pub(crate) unsafe extern "C" fn sendto(
    shared: &Shared,
    descriptor: c_int,
    data: *const c_void,
    count: size_t,
    flags: c_int,
    at: *const sockaddr,
    size: socklen_t,
) -> ssize_t {
    if data.is_null() && count > 0 {
        return to_c(Err(Errno(libc::EFAULT))) as ssize_t;
    }
    // SAFETY: packetdrill passes an address of this length.
    unsafe { write_to_address(shared, descriptor, Call { flags, parts: vec![count] }, at, size) }
}
pub(crate) unsafe extern "C" fn sendmsg(
    shared: &Shared,
    descriptor: c_int,
    message: *const msghdr,
    flags: c_int,
) -> ssize_t {
    // SAFETY: packetdrill passes a message with its vectors.
    unsafe {
        let parts = lengths((*message).msg_iov, (*message).msg_iovlen);
        let call = Call { flags, parts };
        write_to_address(shared, descriptor, call, (*message).msg_name.cast(), (*message).msg_namelen)
    }
}
pub(crate) extern "C" fn fcntl(shared: &Shared, descriptor: c_int, command: c_int, argument: c_int) -> c_int {
    to_c(shared.call(|world| world.fcntl(descriptor, command, argument))) as c_int
}
pub(crate) unsafe extern "C" fn ioctl(
    shared: &Shared,
    descriptor: c_int,
    request: c_ulong,
    place: *mut c_int,
) -> c_int {
    let answer: Answer = shared.call(|world| world.ioctl(descriptor, request));
    if let Ok(value) = answer {
        // SAFETY: both requests that are answered have room for an integer.
        unsafe { *place = value as c_int };
    }
    to_c(answer.map(|_| 0)) as c_int
}
pub(crate) extern "C" fn close(shared: &Shared, descriptor: c_int) -> c_int {
    to_c(shared.call(|world| world.close(descriptor))) as c_int
}
pub(crate) extern "C" fn shutdown(shared: &Shared, descriptor: c_int, how: c_int) -> c_int {
    to_c(shared.call(|world| world.shutdown(descriptor, how))) as c_int
}
pub(crate) unsafe extern "C" fn getsockopt(
    shared: &Shared,
    descriptor: c_int,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    size: *mut socklen_t,
) -> c_int {
    // SAFETY: packetdrill passes a value of this size.
    let place = unsafe { std::slice::from_raw_parts_mut(value.cast::<u8>(), *size as usize) };
    let answer = shared.call(|world| world.option(descriptor, (level, name), place));
    if let Ok(length) = answer {
        // SAFETY: as above.
        unsafe { *size = length as socklen_t };
    }
    to_c(answer.map(|_| 0)) as c_int
}
pub(crate) unsafe extern "C" fn setsockopt(
    shared: &Shared,
    descriptor: c_int,
    level: c_int,
    name: c_int,
    value: *const c_void,
    size: socklen_t,
) -> c_int {
    let bytes = match value.is_null() {
        true => &[],
        // SAFETY: packetdrill passes a value of this size.
        false => unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size as usize) },
    };
    to_c(shared.call(|world| world.set_option(descriptor, (level, name), Value(bytes)))) as c_int
}
pub(crate) unsafe extern "C" fn poll(
    shared: &Shared,
    at: *mut pollfd,
    count: nfds_t,
    timeout: c_int,
) -> c_int {
    // SAFETY: packetdrill passes so many descriptors.
    let descriptors = unsafe { std::slice::from_raw_parts_mut(at, count as usize) };
    let deadline = shared.look(|world| world.deadline(timeout));
    to_c(shared.wait(timeout == 0, |world| world.poll(descriptors, deadline))) as c_int
}
pub(crate) unsafe extern "C" fn netdev_send(shared: &Shared, bytes: *const c_void, count: size_t) -> c_int {
    // SAFETY: packetdrill passes a packet of this length.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), count) };
    to_c(shared.call(|world| world.receive(bytes))) as c_int
}
/// With our change of packetdrill, `time` holds the seconds to wait at most, or less than zero for no limit.
pub(crate) unsafe extern "C" fn netdev_receive(
    shared: &Shared,
    place: *mut c_void,
    count: *mut size_t,
    time: *mut c_longlong,
) -> c_int {
    // SAFETY: packetdrill passes a buffer, its length and a place for the time.
    let (place, time) = unsafe { (std::slice::from_raw_parts_mut(place.cast::<u8>(), *count), &mut *time) };
    let seconds = if *time < 0 { LONGEST_WAIT } else { *time };
    let mut length = 0;
    let answer = shared.receive(seconds as u64 * 1_000_000, |sent| {
        length = sent.bytes.len().min(place.len());
        place[..length].copy_from_slice(&sent.bytes[..length]);
        *time = (sent.at.as_nanos() / 1000) as c_longlong;
    });
    // SAFETY: as above.
    unsafe { *count = length };
    to_c(answer) as c_int
}
pub(crate) extern "C" fn usleep(shared: &Shared, micros: c_uint) -> c_int {
    shared.sleep(u64::from(micros));
    0
}
pub(crate) unsafe extern "C" fn gettimeofday(shared: &Shared, place: *mut timeval, _: *mut c_void) -> c_int {
    let micros = shared.micros();
    // SAFETY: packetdrill passes a place for the time.
    unsafe {
        (*place).tv_sec = (micros / 1_000_000) as libc::time_t;
        (*place).tv_usec = (micros % 1_000_000) as libc::suseconds_t;
    }
    0
}
pub(crate) extern "C" fn epoll_create(shared: &Shared, _: c_int) -> c_int {
    to_c(shared.call(World::epoll_create)) as c_int
}
pub(crate) unsafe extern "C" fn epoll_ctl(
    shared: &Shared,
    poller: c_int,
    operation: c_int,
    descriptor: c_int,
    event: *mut c_void,
) -> c_int {
    // SAFETY: packetdrill passes an event.
    let event = unsafe { event.cast::<epoll_event>().read_unaligned() };
    to_c(shared.call(|world| world.epoll_control(poller, operation, descriptor, event))) as c_int
}
pub(crate) unsafe extern "C" fn epoll_wait(
    shared: &Shared,
    poller: c_int,
    at: *mut c_void,
    count: c_int,
    timeout: c_int,
) -> c_int {
    // SAFETY: packetdrill passes room for so many events.
    let places = unsafe { std::slice::from_raw_parts_mut(at.cast::<epoll_event>(), count as usize) };
    let deadline = shared.look(|world| world.deadline(timeout));
    to_c(shared.wait(timeout == 0, |world| world.epoll_wait(poller, places, deadline))) as c_int
}
pub(crate) extern "C" fn pipe(_: &Shared, _: *mut c_int) -> c_int {
    unsupported()
}
pub(crate) extern "C" fn splice(
    _: &Shared,
    _: c_int,
    _: *mut i64,
    _: c_int,
    _: *mut i64,
    _: size_t,
    _: c_uint,
) -> ssize_t {
    unsupported() as ssize_t
}
