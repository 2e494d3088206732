//! Two namespaces, joined by a pair of virtual Ethernet interfaces.

use crate::support::privileged_or_skip;
use seamline_lab::system::Namespace;
use seamline_lab::traffic::{Content, SinkPlan, SourcePlan};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) const LEFT: Ipv4Addr = Ipv4Addr::new(10, 87, 0, 1);
pub(crate) const RIGHT: Ipv4Addr = Ipv4Addr::new(10, 87, 0, 2);

pub(crate) struct Network {
    pub(crate) left: Arc<Namespace>,
    pub(crate) right: Arc<Namespace>,
    _alone: MutexGuard<'static, ()>,
}

/// Each test has the processors for itself, because most look at times.
static ALONE: Mutex<()> = Mutex::new(());

impl Network {
    /// `None` where the tests cannot make namespaces.
    pub(crate) fn or_skip(test: &str) -> Option<Self> {
        if !privileged_or_skip(test) {
            return None;
        }
        let network = Network {
            left: Arc::new(Namespace::new().unwrap()),
            right: Arc::new(Namespace::new().unwrap()),
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let other = format!("/proc/{}/fd/{}", std::process::id(), network.right.as_fd().as_raw_fd());
        run(&network.left, &format!("ip link add right type veth peer name left netns {other}"));
        for (namespace, interface, address) in
            [(&network.left, "right", LEFT), (&network.right, "left", RIGHT)]
        {
            run(namespace, "ip link set lo up");
            run(namespace, &format!("ip address add {address}/24 dev {interface}"));
            run(namespace, &format!("ip link set {interface} up"));
        }
        network.wait_until_open();
        Some(network)
    }

    /// A new interface drops what it should send until the kernel has noticed in the background that its other end is up.
    fn wait_until_open(&self) {
        let absent = SocketAddr::from((RIGHT, 1));
        let answered = || {
            let attempt = || TcpStream::connect_timeout(&absent, Duration::from_millis(50));
            self.left.within(attempt).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused)
        };
        assert!((0..200).any(|_| answered()), "nothing passes between the namespaces");
    }

    /// From now on every packet from the left vanishes without a word: its neighbour has an address that nobody has.
    pub(crate) fn drop_everything(&self) {
        run(
            &self.left,
            &format!("ip neighbour replace {RIGHT} lladdr 02:00:00:00:00:99 dev right nud permanent"),
        );
        run(
            &self.right,
            &format!("ip neighbour replace {LEFT} lladdr 02:00:00:00:00:98 dev left nud permanent"),
        );
    }

    /// The TCP sockets of the left side.
    pub(crate) fn sockets_of_left(&self, which: &str) -> String {
        run(&self.left, &format!("ss --no-header --tcp --numeric {which}"))
    }
}

/// Run a command inside; its output.
fn run(namespace: &Namespace, line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let output = namespace
        .within(|| Command::new(words[0]).args(&words[1..]).output())
        .unwrap_or_else(|error: io::Error| panic!("{line}: {error}"));
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Connections from left to right, endless and from the beginning.
pub(crate) fn plans(network: &Network, count: u32) -> (Vec<SourcePlan>, Vec<SinkPlan>) {
    let sink = |connection| SinkPlan {
        connection,
        namespace: network.right.clone(),
        local: (RIGHT, 10_000 + connection as u16).into(),
        content: Content::new(1, connection.into()),
    };
    let source = |sink: &SinkPlan| SourcePlan {
        connection: sink.connection,
        namespace: network.left.clone(),
        local: (LEFT, 0).into(),
        remote: sink.local,
        content: sink.content,
        bytes: None,
        start: seamline_wire::Duration::ZERO,
        stop: None,
        congestion_control: None,
    };
    let sinks: Vec<SinkPlan> = (0..count).map(sink).collect();
    (sinks.iter().map(source).collect(), sinks)
}
