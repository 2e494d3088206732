//! Hosts, a bridge and a hop in namespaces: `fixed a0 -- b0 bridge b1 -- c0 hop c1 -- d0 mobile`.

use crate::hosts::{inside, ip, pause, skip, veth};
use nix::sys::socket::{setsockopt, sockopt};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port};
use seamline_daemon::clock::monotonic;
use seamline_lab::system::Namespace;
use seamline_wire::random::Stream;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;

/// Milliseconds on a clock that nobody sets.
pub(crate) fn now() -> u64 {
    monotonic().as_nanos() / 1_000_000
}

/// Time counts here, so tests do not disturb each other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

pub(crate) struct Net {
    _turn: MutexGuard<'static, ()>,
    pub(crate) fixed: Namespace,
    pub(crate) bridge: Namespace,
    hop: Namespace,
    pub(crate) mobile: Namespace,
}

impl Net {
    /// `None`, having said why, where there can be none.
    ///
    /// # Panics
    /// As [`skip`].
    pub(crate) fn or_skip(test: &str) -> Option<Self> {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let made = || {
            let [fixed, bridge, hop, mobile] = [(); 4].map(|()| Namespace::new().ok());
            Some(Net { _turn: turn, fixed: fixed?, bridge: bridge?, hop: hop?, mobile: mobile? })
        };
        let has_ip = Command::new("ip").arg("-V").output().is_ok();
        let Some(net) = made().filter(|_| has_ip) else {
            skip(test, "it takes root, and ip");
            return None;
        };
        veth(&net.fixed, "a0", &net.bridge, "b0");
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

/// The air: both directions 5 ms, with trouble.
pub(crate) struct Hop {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hop {
    /// So many packets in a thousand are lost; half as many doubled, and as many overtaken.
    pub(crate) fn begin(net: &Net, per_mille: u64) -> Self {
        Hop::seeded(net, per_mille, 7)
    }
    /// With these dice.
    pub(crate) fn seeded(net: &Net, per_mille: u64, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = inside(&net.hop, move || forward(per_mille, seed, &stopped));
        Hop { stop, thread: Some(thread) }
    }
    pub(crate) fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

fn forward(per_mille: u64, seed: u64, stop: &AtomicBool) {
    let mut ports = [Port::open("c0").unwrap(), Port::open("c1").unwrap()];
    let mut batch = Batch::default();
    let mut random = Stream::new(seed, "hop");
    let mut waiting: BTreeMap<(u64, u64), (Side, Vec<u8>)> = BTreeMap::new();
    let (mut count, mut outgoing) = (0, Outgoing::new());
    while !stop.load(Ordering::Relaxed) {
        pause(1);
        for (place, towards) in [(0, Side::Wireless), (1, Side::Wired)] {
            ports[place].receive(&mut batch).unwrap();
            for (frame, _) in batch.iter() {
                // Whoever asks for an address would wait a second.
                let is_ip = matches!(frame.get(12..14), Some([8, 0] | [0x86, 0xdd]));
                let mut happens =
                    |per_mille: u64| is_ip && frame.len() > 120 && random.below(1000) < per_mille;
                if happens(per_mille) {
                    continue;
                }
                let copies = if happens(per_mille / 2) { 2 } else { 1 };
                let late = if happens(per_mille) { 10 } else { 0 };
                for _ in 0..copies {
                    count += 1;
                    waiting.insert((now() + 5 + late, count), (towards, frame.to_vec()));
                }
            }
        }
        outgoing.clear();
        let time = now();
        while let Some(first) = waiting.first_entry().filter(|first| first.key().0 <= time) {
            let (towards, frame) = first.remove();
            outgoing.push(towards, &[&frame]);
        }
        ports[0].send(Side::Wired, &outgoing);
        ports[1].send(Side::Wireless, &outgoing);
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
const PATIENCE: u64 = 60_000;

impl Transfer {
    pub(crate) fn begin(net: &Net, version: u8, bytes: u64) -> Self {
        Transfer::begin_by(net, version, bytes, None)
    }
    /// With the sender's congestion control, or the host's.
    pub(crate) fn begin_by(net: &Net, version: u8, bytes: u64, congestion_control: Option<&str>) -> Self {
        let address = if version == 4 { "10.77.0.1:4000" } else { "[fd77::1]:4000" };
        let received = Arc::new(AtomicU64::new(0));
        let listener = net.fixed.within(|| TcpListener::bind(address)).unwrap();
        if let Some(name) = congestion_control {
            setsockopt(&listener, sockopt::TcpCongestion, &name.into()).unwrap();
        }
        let server = inside(&net.fixed, move || {
            let (mut stream, _) = listener.accept().unwrap();
            let content: Vec<u8> = (0..bytes).map(byte).collect();
            stream.write_all(&content).unwrap();
        });
        let counter = Arc::clone(&received);
        let client = inside(&net.mobile, move || {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(std::time::Duration::from_millis(PATIENCE))).unwrap();
            let (mut offset, mut room) = (0, vec![0; 65_536]);
            loop {
                let length = stream.read(&mut room).unwrap();
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
            assert!(now() - begun < PATIENCE, "{} bytes came", self.received.load(Ordering::Relaxed));
            pause(2);
        }
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
