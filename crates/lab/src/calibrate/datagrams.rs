//! Numbered datagrams from one host to another. Departures and arrivals are timestamps of the kernel at the hosts'
//! interfaces (`SO_TIMESTAMPING`, `SO_TIMESTAMPNS`), independent of the emulator.

use super::path::{Host, between, now, one_link, pause};
use crate::pool::join;
use crate::run::LabError;
use crate::system::StateDirectory;
use nix::errno::Errno;
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, TimestampingFlag, recvmsg, setsockopt, sockopt,
};
use nix::sys::time::TimeSpec;
use seamline_host::socket::set_receive_buffer;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const PORT: u16 = 9;
/// Of IPv4 and UDP.
pub(super) const HEADERS: usize = 28;
/// How long nothing must have arrived after all has been sent, in addition to the delay of the path.
const SILENCE: Duration = Duration::from_millis(300);
/// How often the receiver looks for what the kernel has noted: seldom, to leave the processor to the emulator.
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// How many departures the kernel notes before they are read: the notes share the receive buffer.
const NOTES: u32 = 128;
/// What a receiver can hold until it looks, in bytes; less where only root may have so much.
const BUFFER: usize = 16 << 20;

/// What is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// How many datagrams.
    pub(super) count: u32,
    /// Length of each as an IP packet, in bytes; at least 32.
    pub(super) packet_bytes: usize,
    /// From one to the next; zero for all at once. A late sender sends what is due.
    pub(super) every: Duration,
    /// The delay of the path.
    pub(super) delay: Duration,
}

/// The fate of a stream.
#[derive(Debug, Default)]
pub(super) struct Trip {
    /// By number: when the sender's interface got it, in nanoseconds, where the kernel noted it.
    pub(super) left: Vec<Option<i64>>,
    /// In the order of arrival: its number, and when it was at the receiver's interface.
    pub(super) arrived: Vec<(u32, i64)>,
    /// Datagrams that came through and were lost in the receiver's socket because it was full.
    pub(super) lost_in_socket: u32,
}

impl Trip {
    /// How long each that arrived was under way, in the order of arrival, in nanoseconds.
    pub(super) fn delays(&self) -> Vec<i64> {
        let delay = |&(number, at): &(u32, i64)| Some(at - (*self.left.get(number as usize)?)?);
        self.arrived.iter().filter_map(delay).collect()
    }
}

/// Keeps the kernel noting times. It begins to a while after the first socket has asked, and ends with the last one.
#[derive(Debug)]
pub(super) struct Noting(#[expect(dead_code, reason = "it is there to be open")] UdpSocket);

impl Noting {
    /// Begin.
    pub(super) fn begin() -> io::Result<Self> {
        let socket = UdpSocket::bind("127.0.0.1:0").or_else(|_| UdpSocket::bind("0.0.0.0:0"))?;
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
        pause(Duration::from_millis(100));
        Ok(Noting(socket))
    }
}

/// Send a stream, and wait for what arrives of it.
pub(super) fn travel(from: &Host, to: &Host, stream: Stream) -> io::Result<Trip> {
    let target = SocketAddr::new(to.address, PORT);
    let receiver = to.namespace.within(|| receiver(target))?;
    let sender = from.namespace.within(|| sender(SocketAddr::new(from.address, 0), target))?;
    let all_sent = AtomicBool::new(false);
    thread::scope(|scope| {
        let receiving = scope.spawn(|| receive(&receiver, stream, &all_sent));
        let left = send(&sender, stream);
        all_sent.store(true, Ordering::Release);
        let trip = join(receiving)?;
        Ok(Trip { left: left?, ..trip })
    })
}

/// Send a stream over a link with these keys, which nothing else uses.
pub(super) fn travel_over(link: String, stream: Stream, state: &StateDirectory) -> Result<Trip, LabError> {
    between(&one_link(link)?, state, |hosts, _, _| travel(&hosts[0], &hosts[1], stream))
}

fn receiver(local: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(local)?;
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
    setsockopt(&socket, sockopt::RxqOvfl, &1)?;
    set_receive_buffer(&socket, BUFFER)?;
    Ok(socket)
}

fn sender(local: SocketAddr, target: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(local)?;
    socket.connect(target)?;
    let flags = TimestampingFlag::SOF_TIMESTAMPING_TX_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_ID
        | TimestampingFlag::SOF_TIMESTAMPING_OPT_TSONLY;
    setsockopt(&socket, sockopt::Timestamping, &flags)?;
    Ok(socket)
}

fn send(socket: &UdpSocket, stream: Stream) -> io::Result<Vec<Option<i64>>> {
    let mut left = vec![None; stream.count as usize];
    let mut payload = vec![0; stream.packet_bytes - HEADERS];
    let begin = now();
    for number in 0..stream.count {
        let due = stream.every * number;
        let ahead = (begin + due).saturating_duration_since(now());
        if !ahead.is_zero() {
            pause(ahead);
        }
        payload[..4].copy_from_slice(&number.to_be_bytes());
        socket.send(&payload)?;
        // A burst is not interrupted for what the kernel can keep meanwhile.
        if !stream.every.is_zero() || number % NOTES == 0 {
            note_departures(socket, &mut left)?;
        }
    }
    note_departures(socket, &mut left)?;
    Ok(left)
}

/// Take what the kernel has noted of datagrams sent. It counts them as they are sent.
fn note_departures(socket: &UdpSocket, left: &mut [Option<i64>]) -> io::Result<()> {
    let mut control = nix::cmsg_space!([TimeSpec; 3], libc::sock_extended_err, libc::sockaddr_in);
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    loop {
        let message = match recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut [], Some(&mut control), flags)
        {
            Ok(message) => message,
            Err(Errno::EAGAIN) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let (mut number, mut at) = (None, None);
        for control in message.cmsgs()? {
            match control {
                ControlMessageOwned::ScmTimestampsns(times) => at = Some(nanos(times.system)),
                ControlMessageOwned::Ipv4RecvErr(error, _) => number = Some(error.ee_data),
                _ => {}
            }
        }
        if let Some(place) = number.and_then(|number| left.get_mut(number as usize)) {
            *place = at;
        }
    }
}

fn receive(socket: &UdpSocket, stream: Stream, all_sent: &AtomicBool) -> io::Result<Trip> {
    let mut trip = Trip::default();
    let mut quiet_since = None;
    loop {
        let before = trip.arrived.len();
        while take(socket, &mut trip)? {}
        let everything = trip.arrived.len() + trip.lost_in_socket as usize >= stream.count as usize;
        let now = now();
        if trip.arrived.len() > before || !all_sent.load(Ordering::Acquire) {
            quiet_since = None;
        }
        let quiet_since = *quiet_since.get_or_insert(now);
        if everything || now.duration_since(quiet_since) >= SILENCE + stream.delay {
            return Ok(trip);
        }
        pause(LOOK_EVERY);
    }
}

/// Take the next datagram, if one is there.
fn take(socket: &UdpSocket, trip: &mut Trip) -> io::Result<bool> {
    let mut number = [0; 4];
    let mut control = nix::cmsg_space!(TimeSpec, u32);
    let mut parts = [IoSliceMut::new(&mut number)];
    let message = recvmsg::<SockaddrStorage>(
        socket.as_raw_fd(),
        &mut parts,
        Some(&mut control),
        MsgFlags::MSG_DONTWAIT,
    );
    let mut at = None;
    match message {
        Ok(message) => {
            for control in message.cmsgs()? {
                match control {
                    ControlMessageOwned::ScmTimestampns(time) => at = Some(nanos(time)),
                    ControlMessageOwned::RxqOvfl(lost) => trip.lost_in_socket = lost,
                    _ => {}
                }
            }
        }
        Err(Errno::EAGAIN) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let at = at.ok_or_else(|| io::Error::other("the kernel noted no time of arrival"))?;
    trip.arrived.push((u32::from_be_bytes(number), at));
    Ok(true)
}

fn nanos(time: TimeSpec) -> i64 {
    time.tv_sec() * 1_000_000_000 + time.tv_nsec()
}
