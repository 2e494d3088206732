//! A hop that forwards frames after 5 ms, with trouble.

use crate::hosts::{inside, pause};
use crate::net::{Net, now};
use crate::support::{fragments, with_unknown_option};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port};
use seamline_wire::random::Stream;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// What happens to the packets of a hop, in thousandths of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Troubles {
    /// Lost; as many are overtaken, and half as many doubled.
    pub(crate) lost: u64,
    /// Given an option that nobody knows; as many are cut into fragments, where IP has that.
    pub(crate) mangled: u64,
    /// Those of version 6 are in a VLAN at the bridge.
    pub(crate) has_vlan: bool,
}

/// Tag protocol identifier, and VLAN 5.
const TAG: [u8; 4] = [0x81, 0, 0, 5];
const ADDRESSES: usize = 12;
const LARGEST: usize = 1500;

pub(crate) struct Hop {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hop {
    /// Behind the bridge: so many packets in a thousand are lost.
    pub(crate) fn begin(net: &Net, per_mille: u64) -> Self {
        Hop::seeded(net, per_mille, 7)
    }
    /// With these dice.
    pub(crate) fn seeded(net: &Net, per_mille: u64, seed: u64) -> Self {
        Hop::behind(net, Troubles { lost: per_mille, ..Troubles::default() }, seed)
    }
    /// Behind the bridge.
    pub(crate) fn behind(net: &Net, troubles: Troubles, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let forwards = move || Forwarder::open(["c0", "c1"], Side::Wired, troubles, seed).run(&stopped);
        Hop { stop, thread: Some(inside(&net.hop, forwards)) }
    }
    /// Before the bridge, where there is one.
    pub(crate) fn before(net: &Net, troubles: Troubles, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let forwards = move || Forwarder::open(["w0", "w1"], Side::Wireless, troubles, seed).run(&stopped);
        Hop { stop, thread: Some(inside(net.wired.as_ref().expect("there is one"), forwards)) }
    }
    pub(crate) fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Also when a test fails: it would go on for ever.
impl Drop for Hop {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct Forwarder {
    /// Towards the fixed host, and towards the mobile host.
    ports: [Port; 2],
    /// Where the bridge is.
    bridge: Side,
    troubles: Troubles,
    random: Stream,
    waiting: BTreeMap<(u64, u64), (Side, Vec<u8>)>,
    count: u64,
}

impl Forwarder {
    fn open(interfaces: [&str; 2], bridge: Side, troubles: Troubles, seed: u64) -> Self {
        let ports = interfaces.map(|interface| Port::open(interface).unwrap());
        let random = Stream::new(seed, "hop");
        Forwarder { ports, bridge, troubles, random, waiting: BTreeMap::new(), count: 0 }
    }

    fn run(mut self, stop: &AtomicBool) {
        let (mut batch, mut outgoing) = (Batch::default(), Outgoing::new());
        while !stop.load(Ordering::Relaxed) {
            pause(1);
            for (place, towards) in [(0, Side::Wireless), (1, Side::Wired)] {
                self.ports[place].receive(&mut batch).unwrap();
                batch.iter().for_each(|(frame, _)| self.take(towards, frame));
            }
            outgoing.clear();
            let time = now();
            while let Some(first) = self.waiting.first_entry().filter(|first| first.key().0 <= time) {
                let (towards, frame) = first.remove();
                outgoing.push(towards, &[&frame]);
            }
            let [wired, wireless] = &mut self.ports;
            wired.send(Side::Wired, &outgoing, &batch);
            wireless.send(Side::Wireless, &outgoing, &batch);
        }
    }

    fn happens(&mut self, per_mille: u64) -> bool {
        per_mille > 0 && self.random.below(1000) < per_mille
    }

    fn take(&mut self, towards: Side, frame: &[u8]) {
        let frame = untagged(frame);
        // A host that asks for an address would wait a second.
        let is_ip = matches!(frame.get(12..14), Some([8, 0] | [0x86, 0xdd]));
        let has_trouble = is_ip && frame.len() > 120;
        let Troubles { lost, .. } = self.troubles;
        if has_trouble && self.happens(lost) {
            return;
        }
        let copies = if has_trouble && self.happens(lost / 2) { 2 } else { 1 };
        let late = if has_trouble && self.happens(lost) { 10 } else { 0 };
        let frames = if is_ip { self.mangled(frame) } else { vec![frame] };
        for frame in frames {
            let frame = if towards == self.bridge && self.troubles.has_vlan { tagged(frame) } else { frame };
            for _ in 0..copies {
                self.count += 1;
                self.waiting.insert((now() + 5 + late, self.count), (towards, frame.clone()));
            }
        }
    }

    /// What is to be sent in place of a frame.
    fn mangled(&mut self, frame: Vec<u8>) -> Vec<Vec<u8>> {
        let (header, packet) = frame.split_at(ADDRESSES + 2);
        let framed = |packet: &[u8]| [header, packet].concat();
        let is_tcp = is_tcp(packet);
        if is_tcp && self.happens(self.troubles.mangled) {
            let changed = with_unknown_option(packet).filter(|changed| changed.len() <= LARGEST);
            return changed.map_or_else(|| vec![frame.clone()], |changed| vec![framed(&changed)]);
        }
        if is_tcp && packet[0] >> 4 == 4 && self.happens(self.troubles.mangled) {
            self.count += 1;
            return fragments(packet, self.count as u16, 64).iter().map(|piece| framed(piece)).collect();
        }
        vec![frame]
    }
}

/// Whole, of more than its headers, without options of IP.
fn is_tcp(packet: &[u8]) -> bool {
    match packet.first() {
        Some(0x45) => packet.len() > 120 && packet[9] == 6 && packet[6] & 0x3f == 0 && packet[7] == 0,
        Some(first) => first >> 4 == 6 && packet.len() > 120 && packet[6] == 6,
        None => false,
    }
}

fn untagged(frame: &[u8]) -> Vec<u8> {
    match frame.get(ADDRESSES..ADDRESSES + TAG.len()) {
        Some(tag) if tag == TAG => [&frame[..ADDRESSES], &frame[ADDRESSES + TAG.len()..]].concat(),
        _ => frame.to_vec(),
    }
}

fn tagged(frame: Vec<u8>) -> Vec<u8> {
    match frame[ADDRESSES..] {
        [0x86, 0xdd, ..] => [&frame[..ADDRESSES], &TAG, &frame[ADDRESSES..]].concat(),
        _ => frame,
    }
}
