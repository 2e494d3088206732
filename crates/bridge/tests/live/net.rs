//! Hosts, a bridge and a hop in namespaces: `fixed a0 -- b0 bridge b1 -- c0 hop c1 -- d0 mobile`, or with another hop before the bridge:
//! `fixed a0 -- w0 wired w1 -- b0 bridge`.

use crate::hosts::{inside, ip, pause, skip, veth};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_host::clock::monotonic;
use seamline_host::uninterrupted;
use seamline_lab::system::Namespace;
use seamline_testing::turn;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::JoinHandle;

/// Milliseconds on a clock that nobody sets.
pub(crate) fn now() -> u64 {
    monotonic().as_nanos() / 1_000_000
}

static RUNNING: RwLock<()> = RwLock::new(());

/// The right to run now.
pub(crate) enum Turn {
    /// While others run: what is asserted does not depend on some milliseconds.
    Shared(#[expect(dead_code, reason = "held until the test ends")] RwLockReadGuard<'static, ()>),
    /// Alone: milliseconds count, or something that the kernel or the process has only once.
    Alone(#[expect(dead_code, reason = "held until the test ends")] RwLockWriteGuard<'static, ()>),
}

impl Turn {
    pub(crate) fn shared() -> Self {
        Turn::Shared(turn(RUNNING.read()))
    }
    pub(crate) fn alone() -> Self {
        Turn::Alone(turn(RUNNING.write()))
    }
}

pub(crate) struct Net {
    _turn: Turn,
    pub(crate) fixed: Namespace,
    /// The hop before the bridge, if there is one.
    pub(crate) wired: Option<Namespace>,
    pub(crate) bridge: Namespace,
    pub(crate) hop: Namespace,
    pub(crate) mobile: Namespace,
}

impl Net {
    /// `None`, having printed why, where there can be none.
    ///
    /// # Panics
    /// As [`skip`].
    pub(crate) fn or_skip(test: &str) -> Option<Self> {
        Net::made_or_skip(test, false, Turn::shared())
    }
    /// With a hop before the bridge, too, while no other test runs. `None` and panics as [`Net::or_skip`].
    pub(crate) fn with_wired_hop(test: &str) -> Option<Self> {
        Net::made_or_skip(test, true, Turn::alone())
    }
    /// While no other test runs. `None` and panics as [`Net::or_skip`].
    pub(crate) fn alone_or_skip(test: &str) -> Option<Self> {
        Net::made_or_skip(test, false, Turn::alone())
    }
    fn made_or_skip(test: &str, has_wired_hop: bool, turn: Turn) -> Option<Self> {
        let made = || {
            let [fixed, bridge, hop, mobile] = [(); 4].map(|()| Namespace::new().ok());
            let wired = if has_wired_hop { Some(Namespace::new().ok()?) } else { None };
            Some(Net { _turn: turn, fixed: fixed?, wired, bridge: bridge?, hop: hop?, mobile: mobile? })
        };
        let has_ip = Command::new("ip").arg("-V").output().is_ok();
        let Some(net) = made().filter(|_| has_ip) else {
            skip(test, "it takes root, and ip");
            return None;
        };
        match &net.wired {
            None => veth(&net.fixed, "a0", &net.bridge, "b0"),
            Some(wired) => {
                veth(&net.fixed, "a0", wired, "w0");
                veth(wired, "w1", &net.bridge, "b0");
            }
        }
        veth(&net.bridge, "b1", &net.hop, "c0");
        veth(&net.hop, "c1", &net.mobile, "d0");
        for (it, name, last) in [(&net.fixed, "a0", 1), (&net.mobile, "d0", 2)] {
            ip(it, &format!("addr add 10.77.0.{last}/24 dev {name}"));
            // Duplicate address detection would take a second.
            ip(it, &format!("addr add fd77::{last}/64 dev {name} nodad"));
        }
        Some(net)
    }
}

fn byte(offset: u64) -> u8 {
    (offset.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
}

/// Bytes from the fixed to the mobile host, each of which is looked at.
pub(crate) struct Transfer {
    bytes: u64,
    received: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

/// Nothing here takes longer.
const TIMEOUT_MS: u64 = 60_000;

impl Transfer {
    pub(crate) fn begin(net: &Net, version: u8, bytes: u64) -> Self {
        Transfer::begin_by(net, version, bytes, None)
    }
    /// With the sender's congestion control, or the host's.
    pub(crate) fn begin_by(net: &Net, version: u8, bytes: u64, congestion_control: Option<&str>) -> Self {
        Transfer::between([&net.fixed, &net.mobile], version, bytes, congestion_control)
    }
    /// Between two hosts with the addresses of those of a [`Net`].
    pub(crate) fn between(
        [fixed, mobile]: [&Namespace; 2],
        version: u8,
        bytes: u64,
        congestion_control: Option<&str>,
    ) -> Self {
        let address = if version == 4 { "10.77.0.1:4000" } else { "[fd77::1]:4000" };
        let received = Arc::new(AtomicU64::new(0));
        let listener = fixed.within(|| TcpListener::bind(address)).unwrap();
        if let Some(name) = congestion_control {
            setsockopt(&listener, sockopt::TcpCongestion, &name.into()).unwrap();
        }
        let server = inside(fixed, move || {
            let (mut stream, _) = listener.accept().unwrap();
            let content: Vec<u8> = (0..bytes).map(byte).collect();
            stream.write_all(&content).unwrap();
        });
        let counter = Arc::clone(&received);
        let client = inside(mobile, move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(std::time::Duration::from_millis(TIMEOUT_MS))).unwrap();
            let (mut offset, mut room) = (0, vec![0; 65_536]);
            loop {
                let length = uninterrupted(|| stream.read(&mut room)).unwrap();
                if length == 0 {
                    return;
                }
                for found in &room[..length] {
                    assert_eq!(*found, byte(offset), "byte {offset}");
                    offset += 1;
                }
                counter.store(offset, Ordering::Relaxed);
            }
        });
        Transfer { bytes, received, threads: vec![server, client] }
    }
    pub(crate) fn wait_for(&self, bytes: u64) {
        let begun = now();
        while self.received.load(Ordering::Relaxed) < bytes {
            assert!(now() - begun < TIMEOUT_MS, "{} bytes came", self.received.load(Ordering::Relaxed));
            pause(2);
        }
    }
    /// So many bytes have come.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }
    pub(crate) fn is_finished(&self) -> bool {
        self.received.load(Ordering::Relaxed) == self.bytes
    }
    pub(crate) fn finish(&mut self) {
        self.wait_for(self.bytes);
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
        assert!(self.is_finished());
    }
}
