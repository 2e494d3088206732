//! A namespace with the kernel's TCP, and our host behind its only interface.

use crate::host::{FROM_KERNEL, FROM_OURS, KERNEL, OURS, Setup};
use crate::ours::{OurEnd, Ours};
use crate::support::privileged_or_skip;
use crate::until;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, connect, listen, setsockopt, socket,
    sockopt,
};
use seamline_host::uninterrupted;
use seamline_lab::edge;
use seamline_lab::system::netlink::bring_up_loopback;
use seamline_lab::system::{Interface, Namespace, Tun, settings};
use seamline_wire::codec::IpVersion;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread::JoinHandle;
use std::time::Duration;

/// Where the kernel listens, where we listen, and the port that we connect from.
pub(crate) const KERNEL_PORT: u16 = 5001;
pub(crate) const OUR_PORT: u16 = 5002;
pub(crate) const OUR_CLIENT_PORT: u16 = 40_000;
const MTU: u32 = 1500;

pub(crate) struct Pair {
    pub(crate) ours: Ours,
    pub(crate) namespace: Namespace,
    version: IpVersion,
    thread: Option<JoinHandle<()>>,
}

/// Who opens a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opener {
    We,
    Kernel,
}

pub(crate) const BOTH: [Opener; 2] = [Opener::We, Opener::Kernel];

impl Pair {
    /// `None` where no namespace can be made.
    pub(crate) fn or_skip(test: &str) -> Option<Self> {
        privileged_or_skip(test).then(|| Pair::new(IpVersion::V4))
    }

    pub(crate) fn new(version: IpVersion) -> Self {
        let namespace = Namespace::new().unwrap();
        bring_up_loopback(&namespace).unwrap();
        let tun = Tun::open(&namespace, "world").unwrap();
        let interface = Interface {
            name: "world".to_owned(),
            mtu: MTU,
            queue_packets: 100_000,
            addresses: vec![(address(KERNEL, IpVersion::V4), 8), (address(KERNEL, IpVersion::V6), 64)],
            routes: Vec::new(),
            congestion_control: None,
        };
        interface.bring_up(&namespace).unwrap();
        let pair = |ours, thread| Pair { ours, namespace, version, thread };
        let (ours, thread) = Ours::begin(tun, version);
        let pair = pair(ours, Some(thread));
        pair.set("ipv4/tcp_no_metrics_save", "1");
        until("the kernel hears by its address of IPv6", || pair.hears_by_ipv6().then_some(()));
        pair
    }

    /// Whether there is a route to the address itself, which the kernel adds some time after the address (`addrconf_dad_work`).
    fn hears_by_ipv6(&self) -> bool {
        let IpAddr::V6(address) = address(KERNEL, IpVersion::V6) else { unreachable!("it is asked for") };
        let own = format!("{:032x} 80 ", address.to_bits());
        let read = || std::fs::read_to_string("/proc/thread-self/net/ipv6_route");
        let routes = self.namespace.within(read).unwrap();
        routes.lines().any(|route| route.starts_with(&own))
    }

    pub(crate) fn set(&self, setting: &str, value: &str) {
        settings::write(&self.namespace, setting, value).unwrap();
    }
    pub(crate) fn address_of_kernel(&self) -> SocketAddr {
        SocketAddr::new(address(KERNEL, self.version), KERNEL_PORT)
    }
    pub(crate) fn our_address(&self) -> SocketAddr {
        SocketAddr::new(address(OURS, self.version), OUR_PORT)
    }

    pub(crate) fn kernel_listens(&self) -> TcpListener {
        self.namespace.within(|| TcpListener::bind(self.address_of_kernel())).unwrap()
    }
    pub(crate) fn kernel_connects(&self) -> io::Result<TcpStream> {
        self.namespace.within(|| TcpStream::connect(self.our_address())).map(prepared)
    }
    /// From a certain port, and with a choice of what is set on the socket before.
    pub(crate) fn kernel_connects_from(
        &self,
        port: u16,
        set: impl FnOnce(&OwnedFd) + Send,
    ) -> io::Result<TcpStream> {
        let local = SocketAddr::new(address(KERNEL, self.version), port);
        self.namespace.within(|| {
            let family =
                if self.version == IpVersion::V4 { AddressFamily::Inet } else { AddressFamily::Inet6 };
            let socket = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
            setsockopt(&socket, sockopt::ReuseAddr, &true)?;
            bind(socket.as_raw_fd(), &SockaddrStorage::from(local))?;
            set(&socket);
            connect(socket.as_raw_fd(), &SockaddrStorage::from(self.our_address()))?;
            Ok(prepared(TcpStream::from(socket)))
        })
    }
    /// A listener whose sockets have a small receive buffer.
    pub(crate) fn kernel_listens_with_buffer(&self, bytes: usize) -> TcpListener {
        let address = self.address_of_kernel();
        let listener = self.namespace.within(|| {
            let family =
                if self.version == IpVersion::V4 { AddressFamily::Inet } else { AddressFamily::Inet6 };
            let socket = socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?;
            setsockopt(&socket, sockopt::RcvBuf, &bytes)?;
            bind(socket.as_raw_fd(), &SockaddrStorage::from(address))?;
            listen(&socket, Backlog::MAXCONN)?;
            Ok(TcpListener::from(socket))
        });
        listener.unwrap()
    }

    /// The kernel's TCP sockets, as lines of `/proc/net/tcp`, without those that listen or are in TIME-WAIT.
    pub(crate) fn kernel_sockets(&self) -> Vec<String> {
        let file = if self.version == IpVersion::V4 { "tcp" } else { "tcp6" };
        let read = || std::fs::read_to_string(format!("/proc/thread-self/net/{file}"));
        let text = self.namespace.within(read).unwrap();
        let is_live = |line: &&str| !matches!(line.split_whitespace().nth(3), Some("0A" | "06"));
        text.lines().skip(1).filter(is_live).map(str::to_owned).collect()
    }

    /// One open connection: our end, and the kernel's.
    pub(crate) fn connected(&self, opener: Opener, setup: Setup) -> (OurEnd, TcpStream) {
        match opener {
            Opener::We => {
                let listener = self.kernel_listens();
                let ours = self.ours.connect((OUR_CLIENT_PORT, KERNEL_PORT), &setup);
                let (stream, _) = listener.accept().unwrap();
                (ours, prepared(stream))
            }
            Opener::Kernel => {
                self.ours.listen(OUR_PORT, setup);
                let stream = self.kernel_connects().unwrap();
                (self.ours.accept(), stream)
            }
        }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let not_understood = self.ours.stop();
        let result = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            result.unwrap().expect("the thread of our TCP has panicked");
            assert_eq!(not_understood, 0, "packets of the kernel were no segments to our endpoints");
        }
    }
}

fn address(node: seamline_wire::NodeId, version: IpVersion) -> IpAddr {
    let [v4, v6] = edge::addresses(node);
    if version == IpVersion::V4 { v4 } else { v6 }
}

/// No call waits longer than a minute.
pub(crate) fn prepared(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// The kernel sends these bytes of its content.
pub(crate) fn kernel_sends(stream: &mut TcpStream, from: u64, bytes: u64) {
    let mut block = vec![0; 64 << 10];
    let mut at = from;
    while at < from + bytes {
        let length = (from + bytes - at).min(block.len() as u64) as usize;
        FROM_KERNEL.fill(at, &mut block[..length]);
        stream.write_all(&block[..length]).unwrap();
        at += length as u64;
    }
}

/// The kernel reads so many bytes, which must be ours.
pub(crate) fn kernel_reads(stream: &mut TcpStream, from: u64, bytes: u64) {
    let mut block = vec![0; 64 << 10];
    let mut at = from;
    while at < from + bytes {
        let most = (from + bytes - at).min(block.len() as u64) as usize;
        let length = uninterrupted(|| stream.read(&mut block[..most])).unwrap();
        assert!(length > 0, "our end closed after {at} of {} bytes", from + bytes);
        FROM_OURS.check(at, &block[..length]).unwrap();
        at += length as u64;
    }
}

/// The kernel reads to the end: how much there was, all of it ours.
pub(crate) fn kernel_reads_to_end(stream: &mut TcpStream, from: u64) -> u64 {
    let mut block = vec![0; 64 << 10];
    let mut at = from;
    loop {
        match uninterrupted(|| stream.read(&mut block)).unwrap() {
            0 => return at,
            length => {
                FROM_OURS.check(at, &block[..length]).unwrap();
                at += length as u64;
            }
        }
    }
}

/// Data both ways at once, and a close by both; every byte right.
pub(crate) fn exchange(ours: &OurEnd, stream: TcpStream, to_kernel: u64, to_ours: u64) {
    ours.supply(to_kernel);
    let mut reading = stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || kernel_reads(&mut reading, 0, to_kernel));
        let mut writing = stream.try_clone().unwrap();
        scope.spawn(move || kernel_sends(&mut writing, 0, to_ours));
    });
    ours.wait_delivered(to_ours);
    ours.wait("all is acknowledged", |endpoint| endpoint.statistics().bytes_acknowledged == to_kernel);
}
