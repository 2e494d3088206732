//! A server and its clients, all with the kernel's TCP, and `seamline-host sender` at the server.

use crate::command::{Counted, Sender};
use crate::support::{folder, host, skip, stderr};
use crate::wire::{Device, Wire};
use seamline_host::uninterrupted;
use seamline_lab::system::netlink::bring_up_loopback;
use seamline_lab::system::{Interface, Namespace, TcpInfo, settings};
use seamline_testing::cgroup::Cgroup;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
/// The attacked one first.
pub(crate) const CLIENTS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 0, 0, 2), Ipv4Addr::new(10, 0, 0, 3)];
const PORT: u16 = 5001;
/// Of both ends.
const INTERFACE: &str = "world";

/// All of them use the time of this host.
static ALONE: Mutex<()> = Mutex::new(());

pub(crate) struct Downloads {
    /// Of the server, and of the clients.
    pub(crate) wires: [Wire; 2],
    sender: Sender,
    streams: Vec<(IpAddr, TcpStream)>,
    received: Vec<Arc<AtomicU64>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _cgroup: Cgroup,
    _alone: MutexGuard<'static, ()>,
}

impl Downloads {
    /// So many, the attacked one among them. `None`, having printed why, where the command cannot run.
    pub(crate) fn or_skip(test: &str, count: usize) -> Option<Self> {
        match Downloads::new(count) {
            Ok(downloads) => Some(downloads),
            Err(why) => {
                skip(test, &why);
                None
            }
        }
    }

    fn new(count: usize) -> Result<Self, String> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let checked = host(&["sender", "--check"], folder().path());
        if !checked.status.success() {
            return Err(stderr(&checked).to_owned());
        }
        let clients = &CLIENTS[..count];
        let cgroup = Cgroup::enter()?;
        let text = |error: std::io::Error| error.to_string();
        let [server, other] = [Namespace::new().map_err(text)?, Namespace::new().map_err(text)?];
        let wires = [link(&server, &[SERVER])?, link(&other, clients)?];
        let sender = Sender::begin(&server, cgroup.path(), INTERFACE)?;
        server.enter().map_err(text)?;
        let listener = TcpListener::bind((SERVER, PORT)).map_err(text)?;
        let stop = Arc::new(AtomicBool::new(false));
        let received: Vec<_> = clients.iter().map(|_| Arc::new(AtomicU64::new(0))).collect();
        let mut threads = Vec::new();
        for (&client, received) in clients.iter().zip(&received) {
            let (namespace, received, stop) =
                (other.try_clone().map_err(text)?, Arc::clone(received), Arc::clone(&stop));
            threads.push(std::thread::spawn(move || {
                namespace.enter().unwrap();
                download(client, &received, &stop);
            }));
        }
        let mut downloads = Downloads {
            wires,
            sender,
            streams: Vec::new(),
            received,
            stop,
            threads,
            _cgroup: cgroup,
            _alone: alone,
        };
        downloads.accept(&listener);
        Ok(downloads)
    }

    /// All, over a path that is not yet narrow.
    fn accept(&mut self, listener: &TcpListener) {
        listener.set_nonblocking(true).unwrap();
        let mut packet = vec![0; 65_536];
        while self.streams.len() < self.received.len() {
            for (from, to) in [(0, 1), (1, 0)] {
                while let Some(length) = self.wires[from].read(&mut packet) {
                    self.wires[to].write(&packet[..length]);
                }
            }
            let Ok((stream, peer)) = listener.accept() else { continue };
            stream.set_nonblocking(false).unwrap();
            let mut sending = stream.try_clone().unwrap();
            self.threads.push(std::thread::spawn(move || while sending.write_all(&[0; 65_536]).is_ok() {}));
            self.streams.push((peer.ip(), stream));
        }
    }

    /// Segments sent again to the attacked client.
    pub(crate) fn retransmissions(&self) -> u32 {
        let attacked = self.streams.iter().find(|(peer, _)| *peer == IpAddr::V4(CLIENTS[0]));
        TcpInfo::of(&attacked.unwrap().1).unwrap().total_retransmissions
    }
    /// Bytes that each client has received.
    pub(crate) fn received(&self) -> Vec<u64> {
        self.received.iter().map(|it| it.load(Ordering::Relaxed)).collect()
    }
    pub(crate) fn end(mut self) -> Counted {
        self.stop.store(true, Ordering::Relaxed);
        self.streams.drain(..).for_each(|(_, stream)| drop(stream.shutdown(std::net::Shutdown::Both)));
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
        self.sender.end()
    }
}

fn download(client: Ipv4Addr, received: &AtomicU64, stop: &AtomicBool) {
    let own = SocketAddr::new(client.into(), 0);
    let socket = rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None);
    let socket = socket.unwrap();
    rustix::net::bind(&socket, &own).unwrap();
    rustix::net::connect(&socket, &SocketAddr::new(SERVER.into(), PORT)).unwrap();
    let mut stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(std::time::Duration::from_millis(100))).unwrap();
    let mut room = vec![0; 65_536];
    while !stop.load(Ordering::Relaxed) {
        match uninterrupted(|| stream.read(&mut room)) {
            Ok(0) => return,
            Ok(length) => drop(received.fetch_add(length as u64, Ordering::Relaxed)),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}

/// An interface with these addresses, and the way to all others.
fn link(namespace: &Namespace, addresses: &[Ipv4Addr]) -> Result<Wire, String> {
    bring_up_loopback(namespace).map_err(|error| error.to_string())?;
    let wire = Wire::open(namespace, INTERFACE, Device::Tun)?;
    let interface = Interface {
        name: INTERFACE.to_owned(),
        mtu: 1500,
        queue_packets: 10_000,
        addresses: addresses.iter().map(|address| (IpAddr::V4(*address), 32)).collect(),
        routes: vec![(Ipv4Addr::UNSPECIFIED.into(), 0)],
        congestion_control: Some("cubic".to_owned()),
    };
    interface.bring_up(namespace).map_err(|error| error.to_string())?;
    settings::write(namespace, "ipv4/tcp_no_metrics_save", "1").map_err(|error| error.to_string())?;
    Ok(wire)
}
