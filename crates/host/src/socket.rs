//! Sockets: options that no library has, and waiting.
#![expect(unsafe_code, reason = "options that no library has")]

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_wire::Duration;
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Set an option to a number.
///
/// # Errors
/// If the kernel refuses it.
pub fn set_number(
    socket: &impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    number: libc::c_int,
) -> io::Result<()> {
    set_option(socket, level, name, &number)
}

/// Receive only the packets that a classic BPF program accepts (socket(7)).
///
/// # Errors
/// If the kernel refuses the program.
pub fn attach_filter(socket: &impl AsFd, filter: &[libc::sock_filter]) -> io::Result<()> {
    let program = libc::sock_fprog { len: filter.len() as _, filter: filter.as_ptr().cast_mut() };
    set_option(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

/// Have an interface receive the frames for other hosts too, as long as this packet socket is open (packet(7)).
///
/// # Errors
/// If there is no such interface, or the socket is of another kind.
pub fn receive_all_frames(socket: &impl AsFd, interface: u32) -> io::Result<()> {
    let membership = libc::packet_mreq {
        mr_ifindex: interface as i32,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    set_option(socket, libc::SOL_PACKET, libc::PACKET_ADD_MEMBERSHIP, &membership)
}

/// Receive the frames of an interface by a packet socket of no protocol yet (packet(7)). Returns the kind of the device.
///
/// # Errors
/// If there is no such interface, or the socket is of another kind.
pub fn bind_to_interface(socket: &impl AsFd, interface: u32) -> io::Result<u16> {
    // SAFETY: all zeros is a value of this plain structure.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = interface as i32;
    let mut length = size_of_val(&address) as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the address and its length live during both calls; the kernel writes no more than that length.
    let result = unsafe {
        match libc::bind(socket, (&raw const address).cast(), length) {
            0 => libc::getsockname(socket, (&raw mut address).cast(), &raw mut length),
            failed => failed,
        }
    };
    Errno::result(result)?;
    Ok(address.sll_hatype)
}

/// Set an option to a value as the kernel lays it out.
///
/// # Errors
/// If the kernel refuses it.
pub fn set_option<T>(socket: &impl AsFd, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the value, and what it points to, live during the call; the kernel only reads their bytes.
    let result = unsafe { libc::setsockopt(socket, level, name, (&raw const *value).cast(), length) };
    Ok(Errno::result(result).map(drop)?)
}

/// Read an option whose length depends on the kernel; returns how many bytes of the room it has filled.
///
/// # Errors
/// If the socket has no such option.
pub fn read_option(
    socket: &impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    room: &mut [u8],
) -> io::Result<usize> {
    get_option(socket, level, name, room)
}

/// `value` consists of numbers, for which all bits are valid.
fn get_option<T: ?Sized>(
    socket: &impl AsFd,
    level: libc::c_int,
    name: libc::c_int,
    value: &mut T,
) -> io::Result<usize> {
    let mut length = size_of_val(value) as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the kernel writes at most `length` bytes to `value`, and the new length to `length`.
    let result = unsafe { libc::getsockopt(socket, level, name, (&raw mut *value).cast(), &raw mut length) };
    Errno::result(result)?;
    Ok(length as usize)
}

/// Packets that a packet socket has dropped for lack of room since the last call.
///
/// # Errors
/// If the socket is of another kind.
pub fn dropped_packets(socket: &impl AsFd) -> io::Result<u32> {
    let mut statistics = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
    get_option(socket, libc::SOL_PACKET, libc::PACKET_STATISTICS, &mut statistics)?;
    Ok(statistics.tp_drops)
}

/// Bytes that a TCP connection has taken to send and that its other end has not acknowledged; a FIN counts as one (tcp(7), `SIOCOUTQ`).
///
/// # Errors
/// If the socket is of another kind, or listens.
pub fn unacknowledged(stream: &impl AsFd) -> io::Result<u32> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the kernel writes one number there.
    let result = unsafe { libc::ioctl(stream.as_fd().as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) };
    Errno::result(result)?;
    Ok(bytes.unsigned_abs())
}

/// What the kernel knows of the path from a TCP connection to its other end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpPath {
    /// The smoothed round-trip time; `None` before the first.
    pub round_trip: Option<Duration>,
    /// Data segments sent, those included that were sent again. It wraps.
    pub data_segments: u32,
    /// Of them, those that were sent again. It wraps.
    pub retransmitted: u32,
}

/// Ask the kernel (tcp(7), `TCP_INFO`).
///
/// # Errors
/// If the socket is of another kind.
pub fn tcp_path(stream: &impl AsFd) -> io::Result<TcpPath> {
    // SAFETY: it consists of numbers, for which all bits may be zero.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    get_option(stream, libc::IPPROTO_TCP, libc::TCP_INFO, &mut info)?;
    Ok(TcpPath {
        round_trip: (info.tcpi_rtt > 0).then(|| Duration::from_micros(info.tcpi_rtt.into())),
        data_segments: info.tcpi_data_segs_out,
        retransmitted: info.tcpi_total_retrans,
    })
}

/// Set the size of the receive buffer in bytes, beyond the system's limit if the process may.
///
/// # Errors
/// None expected.
pub fn set_receive_buffer(socket: &impl AsFd, bytes: usize) -> io::Result<()> {
    let forced = setsockopt(socket, sockopt::RcvBufForce, &bytes);
    Ok(forced.or_else(|_| setsockopt(socket, sockopt::RcvBuf, &bytes))?)
}

/// Set the size of the send buffer in bytes, beyond the system's limit if the process may.
///
/// # Errors
/// None expected.
pub fn set_send_buffer(socket: &impl AsFd, bytes: usize) -> io::Result<()> {
    let forced = setsockopt(socket, sockopt::SndBufForce, &bytes);
    Ok(forced.or_else(|_| setsockopt(socket, sockopt::SndBuf, &bytes))?)
}

/// Set the sizes of both buffers in bytes, beyond the system's limit if the process may.
///
/// # Errors
/// None expected.
pub fn set_buffers(socket: &impl AsFd, bytes: usize) -> io::Result<()> {
    set_receive_buffer(socket, bytes)?;
    set_send_buffer(socket, bytes)
}

/// Bytes of memory that the kernel has for a socket: of what was received and not read, of what was sent and not acknowledged, and in reserve
/// (`SO_MEMINFO`, Linux 4.12).
///
/// # Errors
/// None expected.
pub fn memory(socket: &impl AsFd) -> io::Result<u64> {
    let mut numbers = [0_i32; 9];
    get_option(socket, libc::SOL_SOCKET, libc::SO_MEMINFO, &mut numbers)?;
    let which = [libc::SK_MEMINFO_RMEM_ALLOC, libc::SK_MEMINFO_FWD_ALLOC, libc::SK_MEMINFO_WMEM_QUEUED];
    // What is in reserve is negative for moments.
    let bytes = which.into_iter().map(|which| i64::from(numbers[which as usize])).sum::<i64>();
    Ok(bytes.max(0).unsigned_abs())
}

/// Wait until a descriptor is ready for reading (`POLLIN`) or writing (`POLLOUT`), at most for so long. Whether it is.
pub fn wait(descriptor: &impl AsFd, events: PollFlags, at_most: Duration) -> bool {
    let mut waited = [PollFd::new(descriptor.as_fd(), events)];
    poll(&mut waited, timeout(at_most)).is_ok_and(|ready| ready > 0)
}

/// Pause the thread. A signal may end the pause early.
pub fn pause(time: Duration) {
    let _ = poll(&mut [], timeout(time));
}

/// A timeout of poll(2), rounded down to milliseconds.
pub fn timeout(time: Duration) -> PollTimeout {
    i32::try_from(time.as_millis()).ok().and_then(|it| it.try_into().ok()).unwrap_or(PollTimeout::MAX)
}
