//! A namespace with the kernel's TCP as the sender, a scripted peer behind its interface, and a cgroup for both.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

mod full;
pub(crate) mod peer;
pub(crate) mod socket;
pub(crate) mod wire;

use full::Full;
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::TcpCongestion;
use peer::Peer;
use seamline_lab::system::netlink::bring_up_loopback;
use seamline_lab::system::{Interface, Namespace, TcpInfo, settings};
use seamline_sender::{Attached, Counter, Counters, Error, Places, What};
use seamline_testing::cgroup::Cgroup;
pub(crate) use seamline_testing::skip;
use seamline_wire::codec::IpVersion;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wire::{Device, Wire};

pub(crate) const INTERFACE: &str = "world";
const PORT: u16 = 5001;
const ROUND_TRIP: seamline_wire::Duration = seamline_wire::Duration::from_millis(10);

/// One congestion control of that name per host.
static ALONE: Mutex<()> = Mutex::new(());

/// One test at a time holds what it returns.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection over which the kernel sends for ever, and the programs around it.
pub(crate) struct Rig {
    pub(crate) attached: Attached,
    pub(crate) peer: Peer,
    pub(crate) stream: TcpStream,
    _cgroup: Cgroup,
    _full: Option<Full>,
    namespace: Namespace,
    _alone: MutexGuard<'static, ()>,
}

/// What is set up.
#[derive(Clone, Copy)]
pub(crate) struct Setup {
    pub(crate) version: IpVersion,
    /// Whether marked acknowledgments become requests to send again.
    pub(crate) resend: bool,
    /// The kernel's way to the peer.
    pub(crate) device: Device,
    /// Whether the kernel takes no further program at the interface.
    pub(crate) is_full: bool,
    /// Whose connections are helped.
    pub(crate) destinations: &'static [&'static str],
    /// How long the peer waits before it acknowledges, from the handshake on.
    pub(crate) round_trip: seamline_wire::Duration,
}

impl Setup {
    /// All that is done about a mark, from any peer, on a TUN device.
    pub(crate) fn usual(version: IpVersion) -> Setup {
        Setup {
            version,
            resend: true,
            device: Device::Tun,
            is_full: false,
            destinations: &[],
            round_trip: ROUND_TRIP,
        }
    }
}

impl Rig {
    /// `None`, having printed why, where the programs cannot be loaded.
    pub(crate) fn or_skip(test: &str, setup: Setup) -> Option<Rig> {
        match Rig::new(setup, alone()) {
            Ok(rig) => Some(rig),
            Err(why) => {
                skip(test, &why);
                None
            }
        }
    }

    fn new(setup: Setup, alone: MutexGuard<'static, ()>) -> Result<Rig, String> {
        seamline_sender::check().map_err(|error| error.to_string())?;
        let cgroup = Cgroup::enter()?;
        let namespace = Namespace::new().map_err(|error| error.to_string())?;
        let host = address(2, setup.version);
        let everything = [(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)];
        let wire = interface(&namespace, INTERFACE, setup.device, everything.to_vec())?;
        // The rest of this test's thread is in the namespace.
        namespace.enter().unwrap();
        let full = setup.is_full.then(|| Full::make(INTERFACE));
        let interfaces = if setup.resend { vec![INTERFACE.to_owned()] } else { Vec::new() };
        let destinations = setup.destinations.iter().map(|prefix| prefix.parse().unwrap()).collect();
        let places =
            Places { cgroup: cgroup.path().to_owned(), interfaces, destinations, acts_on_losses: true };
        let attached = Attached::new(&places).unwrap_or_else(|error: Error| panic!("{error}"));
        assert_eq!(attached.off.is_empty(), full.is_none(), "{:?}", attached.off);
        let (peer, stream) = connect(wire, host, setup.round_trip);
        Ok(Rig { attached, peer, stream, _cgroup: cgroup, _full: full, namespace, _alone: alone })
    }

    pub(crate) fn counters(&self) -> Counters {
        self.attached.counters().unwrap()
    }
    pub(crate) fn count(&self, counter: Counter) -> u64 {
        self.counters().of(counter)
    }
    /// What the kernel says of the connection.
    pub(crate) fn info(&self) -> TcpInfo {
        TcpInfo::of(&self.stream).unwrap()
    }
    /// From now on segments are sent again by the timer or for an acknowledgment, from the first missing one on: without probes
    /// (RFC 8985), and without F-RTO (RFC 5682), which waits for duplicates that this peer does not send.
    pub(crate) fn with_plain_recovery(&self) {
        for setting in ["ipv4/tcp_early_retrans", "ipv4/tcp_frto"] {
            settings::write(&self.namespace, setting, "0").unwrap();
        }
    }
    /// From now on what is paced is sent a few segments at a time, however short the shortest round trip was.
    pub(crate) fn with_small_bursts(&self) {
        settings::write(&self.namespace, "ipv4/tcp_tso_rtt_log", "0").unwrap();
    }
    /// Another peer, behind an interface of its own, to which the kernel sends for ever, too.
    pub(crate) fn another(&self, host: u16, version: IpVersion) -> (Peer, TcpStream) {
        let host = address(host, version);
        let bits = if host.is_ipv4() { 32 } else { 128 };
        let wire = interface(&self.namespace, "other", Device::Tun, vec![(host, bits)]);
        connect(wire.unwrap(), host, ROUND_TRIP)
    }
    /// Nothing is received or sent for a little more than a second, and longer where the kernel's timer has not run out by then: what
    /// it measured on a busy host is longer.
    pub(crate) fn blackout(&mut self) {
        self.peer.watch(seamline_wire::Duration::from_millis(1100));
        for _ in 0..100 {
            if self.info().backoff > 0 {
                return;
            }
            self.peer.watch(seamline_wire::Duration::from_millis(50));
        }
        panic!("the kernel's timer does not run out: {:?}", self.info());
    }
    /// What has been reported so far.
    pub(crate) fn events(&self) -> Vec<What> {
        self.attached.wait(Duration::from_millis(1)).unwrap().iter().map(|event| event.what).collect()
    }
}

/// A failure that comes once in many runs is to say what both the kernel and the programs knew.
impl Drop for Rig {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let control = getsockopt(&self.stream, TcpCongestion);
            eprintln!("{control:?} {:?}\n{:?}\n{:?}", TcpInfo::of(&self.stream), self.events(), self.peer);
        }
    }
}

/// An interface with the namespace's own addresses, and the way to some others.
fn interface(
    namespace: &Namespace,
    name: &str,
    device: Device,
    routes: Vec<(IpAddr, u8)>,
) -> Result<Wire, String> {
    bring_up_loopback(namespace).unwrap();
    let wire = Wire::open(namespace, name, device)?;
    let interface = Interface {
        name: name.to_owned(),
        mtu: 1500,
        queue_packets: 10_000,
        addresses: vec![(address(1, IpVersion::V4), 32), (address(1, IpVersion::V6), 128)],
        routes,
        congestion_control: Some("cubic".to_owned()),
    };
    interface.bring_up(namespace).unwrap();
    settings::write(namespace, "ipv4/tcp_no_metrics_save", "1").unwrap();
    Ok(wire)
}

fn address(host: u16, version: IpVersion) -> IpAddr {
    match version {
        IpVersion::V4 => [10, 0, 0, host as u8].into(),
        IpVersion::V6 => [0xfd00, 0, 0, 0, 0, 0, 0, host].into(),
    }
}

/// A peer that has connected to the namespace this thread is in, and the kernel's end.
fn connect(wire: Wire, host: IpAddr, round_trip: seamline_wire::Duration) -> (Peer, TcpStream) {
    let version = if host.is_ipv4() { IpVersion::V4 } else { IpVersion::V6 };
    let local = SocketAddr::new(address(1, version), PORT);
    let listener = TcpListener::bind(local).unwrap();
    let mut peer = Peer::new(wire, local, SocketAddr::new(host, 40_000));
    peer.round_trip = round_trip;
    peer.connect();
    let stream = listener.accept().unwrap().0;
    send_for_ever(&stream);
    (peer, stream)
}

/// More than any test takes, as fast as the socket takes it.
fn send_for_ever(stream: &TcpStream) {
    let mut stream = stream.try_clone().unwrap();
    std::thread::spawn(move || while stream.write_all(&[0; 65_536]).is_ok() {});
}
