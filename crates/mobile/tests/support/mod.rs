//! A phone in a namespace of its own, and the server at the other end of its link: the test itself.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

use seamline_host::log::Format;
use seamline_lab::system::{Interface, Namespace, Tun};
use seamline_mobile::Settings;
use seamline_mobile::system::{Daemon, Options};
pub(crate) use seamline_testing::skip;
use seamline_wire::codec::{Headers, IpHeader, IpVersion, decode, encode_to_vec};
use seamline_wire::{Flags, Segment, SequenceNumber, Timestamps, TransportPort};
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) const VERSIONS: [IpVersion; 2] = [IpVersion::V4, IpVersion::V6];
const PORT: u16 = 443;
/// What a server agrees to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) has_sack: bool,
    pub(crate) has_timestamps: bool,
}

impl Offer {
    pub(crate) const USUAL: Offer = Offer { has_sack: true, has_timestamps: true };
}

/// The server's first number.
const FIRST: SequenceNumber = SequenceNumber(5000);

/// The phone's address and the server's.
pub(crate) fn addresses(version: IpVersion) -> [IpAddr; 2] {
    match version {
        IpVersion::V4 => [[10, 9, 0, 1], [10, 9, 0, 2]].map(|bytes| Ipv4Addr::from(bytes).into()),
        IpVersion::V6 => [1, 2].map(|last| Ipv6Addr::new(0xfd09, 0, 0, 0, 0, 0, 0, last).into()),
    }
}

pub(crate) fn pause(time: Duration) {
    #[expect(clippy::disallowed_methods, reason = "the kernel's timers go by real time")]
    std::thread::sleep(time);
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "the kernel's timers go by real time")]
    Instant::now()
}

/// A namespace with an interface wwan0, still down, if this host lets us make them.
pub(crate) fn interface_or_skip(name: &str) -> Option<(Namespace, Interface, Tun)> {
    let made = Namespace::new().and_then(|namespace| {
        let tun = Tun::open(&namespace, "wwan0")?;
        Ok((namespace, tun))
    });
    let (namespace, tun) = match made {
        Ok(made) => made,
        Err(error) => {
            skip(name, error);
            return None;
        }
    };
    Some((namespace, interface(), tun))
}

fn interface() -> Interface {
    let anywhere = [(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)];
    let own = VERSIONS.map(|version| addresses(version)[0]);
    Interface {
        name: "wwan0".to_owned(),
        mtu: 1500,
        queue_packets: 1000,
        addresses: own.map(|address| (address, if address.is_ipv4() { 32 } else { 128 })).to_vec(),
        routes: anywhere.to_vec(),
        congestion_control: None,
    }
}

/// Run a command in a namespace. Whether there is one.
pub(crate) fn run(namespace: &Namespace, command: &str) -> bool {
    let mut words = command.split(' ');
    let program = words.next().unwrap();
    match namespace.within(|| std::process::Command::new(program).args(words).status()) {
        Ok(status) => {
            assert!(status.success(), "{command}");
            true
        }
        Err(error) => {
            skip(command, error);
            false
        }
    }
}

/// A phone with a daemon.
pub(crate) struct Phone {
    pub(crate) namespace: Namespace,
    tun: Arc<Tun>,
    version: IpVersion,
    pub(crate) daemon: Running,
}

/// A daemon, until it is dropped.
pub(crate) struct Running {
    pub(crate) socket: PathBuf,
    log: Log,
    stop: Option<UnixStream>,
    daemon: Option<JoinHandle<io::Result<()>>>,
    _folder: tempfile::TempDir,
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Phone {
    /// One whose daemon runs, if this host lets us.
    pub(crate) fn or_skip(name: &str, settings: Settings, version: IpVersion) -> Option<Self> {
        let (namespace, interface, tun) = interface_or_skip(name)?;
        seamline_lab::system::netlink::bring_up_loopback(&namespace).unwrap();
        interface.bring_up(&namespace).unwrap();
        let daemon = Running::start(&namespace, settings);
        Some(Phone { namespace, tun: Arc::new(tun), version, daemon })
    }

    /// Run a command in the phone's namespace. Whether there is one.
    pub(crate) fn run(&self, command: &str) -> bool {
        run(&self.namespace, command)
    }

    /// Take the interface away, and after a while make one of the same name and addresses, at which the server is from then on. Whether
    /// it could be taken away.
    pub(crate) fn remake(&mut self, server: &mut Server) -> bool {
        if !self.run("ip link del wwan0") {
            return false;
        }
        pause(Duration::from_millis(1900));
        self.tun = Arc::new(Tun::open(&self.namespace, "wwan0").unwrap());
        interface().bring_up(&self.namespace).unwrap();
        server.tun = self.tun.clone();
        true
    }

    /// What the daemon has printed.
    pub(crate) fn log(&self) -> String {
        self.daemon.log()
    }

    /// A connection of the phone's, as an application has it, and the server's end.
    pub(crate) fn connect(&self) -> (TcpStream, Server) {
        self.connect_to(addresses(self.version)[1])
    }

    /// The same by another form of the server's address.
    pub(crate) fn connect_to(&self, server: IpAddr) -> (TcpStream, Server) {
        let to = SocketAddr::new(server, PORT);
        self.connect_by(Offer::USUAL, move || TcpStream::connect_timeout(&to, Duration::from_secs(10)))
    }

    /// The server's address and port.
    pub(crate) fn server(&self) -> SocketAddr {
        SocketAddr::new(addresses(self.version)[1], PORT)
    }

    /// The same with a socket that somebody else makes, in the phone's namespace, to a server that agrees to this.
    pub(crate) fn connect_by(
        &self,
        offer: Offer,
        connect: impl FnOnce() -> io::Result<TcpStream> + Send + 'static,
    ) -> (TcpStream, Server) {
        let namespace = self.namespace.try_clone().unwrap();
        let connecting = std::thread::spawn(move || namespace.within(connect).unwrap());
        let (tun, version) = (self.tun.clone(), self.version);
        let mut server = Server { tun, version, offer, begun: now(), phone: None, next: FIRST };
        // The kernel takes its time before it hears by an address of IPv6 that it uses already: a SYN may come again.
        loop {
            let headers = server.next(Duration::from_secs(3)).expect("a SYN, and the end of the handshake");
            if !headers.segment.flags.intersects(Flags::SYN) {
                break;
            }
            let answer = Segment {
                flags: Flags::SYN | Flags::ACK,
                acknowledgment: headers.segment.end(),
                maximum_segment_size: Some(1400),
                window_scale: Some(7),
                sack_permitted: offer.has_sack,
                ..Segment::default()
            };
            server.next = FIRST;
            server.answer(answer, &[]);
        }
        let stream = connecting.join().unwrap();
        (stream, server)
    }
}

impl Running {
    /// In a namespace.
    pub(crate) fn start(namespace: &Namespace, settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("mobile.sock");
        let options =
            Options { socket: socket.clone(), is_dry: false, format: Format::default(), metrics: None };
        let mut daemon = namespace.within(|| Daemon::open(settings, &options)).unwrap();
        let (stop, stopped) = UnixStream::pair().unwrap();
        let log = Log::default();
        let out = log.clone();
        let inside = namespace.try_clone().unwrap();
        let daemon = std::thread::spawn(move || inside.within(|| daemon.run(&stopped, out)));
        Running { socket, log, stop: Some(stop), daemon: Some(daemon), _folder: folder }
    }

    /// What it has printed.
    pub(crate) fn log(&self) -> String {
        String::from_utf8(self.log.0.lock().unwrap().clone()).unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The daemon reads the end of the stream.
        drop(self.stop.take());
        let ended = self.daemon.take().unwrap().join().unwrap();
        assert!(std::thread::panicking() || ended.is_ok(), "{ended:?}");
        assert!(std::thread::panicking() || self.log().contains("event=stop"), "{}", self.log());
    }
}

/// The other end of the phone's connection.
pub(crate) struct Server {
    tun: Arc<Tun>,
    version: IpVersion,
    offer: Offer,
    begun: Instant,
    /// What came last.
    phone: Option<Headers>,
    next: SequenceNumber,
}

impl Server {
    /// The next TCP packet from the phone.
    pub(crate) fn next(&mut self, within: Duration) -> Option<Headers> {
        let until = now() + within;
        let mut room = [0; 2000];
        loop {
            if let Some(length) = self.tun.read(&mut room).unwrap() {
                if let Ok(decoded) = decode(&room[..length]) {
                    self.phone = Some(decoded.headers);
                    return self.phone;
                }
            } else if now() >= until {
                return None;
            } else {
                pause(Duration::from_millis(1));
            }
        }
    }

    /// The next with payload.
    pub(crate) fn next_data(&mut self, within: Duration) -> Option<Headers> {
        let until = now() + within;
        loop {
            let headers = self.next(until.saturating_duration_since(now()))?;
            if headers.segment.length > 0 {
                return Some(headers);
            }
        }
    }

    /// Let pass what comes for so long.
    pub(crate) fn drain(&mut self, time: Duration) {
        let until = now() + time;
        while self.next(until.saturating_duration_since(now())).is_some() {}
    }

    /// Send the phone so many bytes. What acknowledges them all.
    pub(crate) fn send(&mut self, length: u32) -> SequenceNumber {
        let last = self.phone.expect("somebody to send to").segment;
        let segment = Segment {
            flags: Flags::ACK | Flags::PSH,
            acknowledgment: last.end(),
            length,
            ..Segment::default()
        };
        self.answer(segment, &vec![2; length as usize]);
        self.next
    }

    fn answer(&mut self, segment: Segment, payload: &[u8]) {
        let phone = self.phone.expect("somebody to send to");
        let ip = match (self.version, addresses(self.version)) {
            (IpVersion::V4, [IpAddr::V4(to), IpAddr::V4(from)]) => IpHeader::v4(from, to),
            (IpVersion::V6, [IpAddr::V6(to), IpAddr::V6(from)]) => IpHeader::v6(from, to),
            _ => unreachable!("addresses of that version"),
        };
        let value = 1 + now().duration_since(self.begun).as_millis() as u32;
        let echo = phone.segment.timestamps.map_or(0, |timestamps| timestamps.value);
        let timestamps = self.offer.has_timestamps.then_some(Timestamps { value, echo });
        let segment = Segment { sequence: self.next, window: 60_000, timestamps, ..segment };
        let headers =
            Headers { ip, source_port: TransportPort(PORT), destination_port: phone.source_port, segment };
        assert!(self.tun.write(&encode_to_vec(&headers, payload).unwrap()).unwrap());
        self.next = segment.end();
    }
}
