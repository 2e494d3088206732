//! All trouble at once, for as long as is asked.

use crate::hop::{Hop, Troubles};
use crate::hosts::{inside, ip, pause};
use crate::net::{Net, Transfer, now};
use crate::support::{KINDS, ethernet, packet, segment};
use crate::{Bridge, options, settings};
use seamline_agent::Side;
use seamline_bridge::system::{Batch, Port};
use seamline_bridge::{EngineCounters, Outgoing};
use seamline_testing::punctual;
use seamline_wire::Flags;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;

/// SYNs with forged addresses from the wired side, some thousand a second until there were so many.
struct Flood {
    stop: Arc<AtomicBool>,
    sent: Arc<AtomicU32>,
    thread: Option<JoinHandle<()>>,
}

const FLOODED_AT_ONCE: u32 = 20;

impl Flood {
    fn begin(net: &Net, most: u32) -> Self {
        let (stop, sent) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&sent));
        let thread = inside(&net.fixed, move || {
            let mut port = Port::open("a0").unwrap();
            while !stopped.load(Ordering::Relaxed) && count.load(Ordering::Relaxed) < most {
                let mut outgoing = Outgoing::new();
                for _ in 0..FLOODED_AT_ONCE {
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    let ends = [(0x004f_0000 + number, 999), (0x0050_0000, 80)];
                    let syn = packet(4, ends, segment(Flags::SYN, number, 0), &[]);
                    outgoing.push(Side::Wired, &[&ethernet(Side::Wired, None, &syn)]);
                }
                port.send(Side::Wired, &outgoing, &Batch::default());
                pause(2);
            }
        });
        Flood { stop, sent, thread: Some(thread) }
    }
    /// How many there were.
    fn end(mut self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().expect("it is ended once").join().expect("it does not panic");
        self.sent.load(Ordering::Relaxed)
    }
}

/// How long it takes.
pub(crate) struct Stay {
    pub(crate) bytes: u64,
    /// Of one kind of agent.
    millis: u64,
    /// It is as long as somebody has asked for.
    pub(crate) is_asked: bool,
}

impl Stay {
    /// Four transfers for each kind of agent, or as many as its share of the seconds of `SEAMLINE_SOAK_SECONDS` has room for.
    pub(crate) fn asked() -> Self {
        let asked = std::env::var("SEAMLINE_SOAK_SECONDS").ok().map(|text| text.parse::<u64>().unwrap());
        let bytes = if asked.is_some() { 3_000_000 } else { 700_000 };
        Stay { bytes, millis: asked.unwrap_or(0) * 1000 / KINDS.len() as u64, is_asked: asked.is_some() }
    }

    /// One transfer after the other, in both versions of IP; in the middle of three of four something happens, and `outage` is one of it. How many there were.
    pub(crate) fn transfers(&self, net: &Net, outage: impl Fn()) -> u64 {
        let (begun, mut transfers) = (now(), 0);
        while transfers < 4 || now() - begun < self.millis {
            let mut transfer = Transfer::begin(net, if transfers % 2 == 0 { 4 } else { 6 }, self.bytes);
            transfer.wait_for(self.bytes / 3);
            let turn = transfers / 4;
            // Each of them in both versions of IP in turn.
            match (transfers + turn) % 4 {
                0 => ip(&net.fixed, &format!("link set a0 mtu {}", [1300, 1490][turn as usize % 2])),
                1 => outage(),
                2 => narrow(net, ["b1", "b0"][turn as usize % 2]),
                _ => {}
            }
            transfer.finish();
            transfers += 1;
        }
        transfers
    }
}

/// An interface between the two becomes too narrow for what comes, for a while. With less than 1280 bytes it would lose its IPv6 for ever.
fn narrow(net: &Net, interface: &str) {
    ip(&net.bridge, &format!("link set {interface} mtu 1280"));
    pause(300);
    ip(&net.bridge, &format!("link set {interface} mtu 1500"));
}

/// That of version 6 is in a VLAN; on both sides of the bridge packets are lost, doubled, overtaken, cut into fragments, and given an option that nobody
/// knows; meanwhile MTUs change, also of the bridge's own interfaces, one goes down, and SYNs with 100,000 forged addresses come.
#[test]
fn all_trouble_at_once_for_as_long_as_is_asked() {
    punctual(30, || {
        let stay = Stay::asked();
        let flood = if stay.is_asked { 100_000 } else { 10_000 };
        for kind in KINDS {
            let Some(net) = Net::with_wired_hop("all_trouble_at_once_for_as_long_as_is_asked") else {
                return;
            };
            let troubles = Troubles { lost: 20, mangled: 20, has_vlan: true };
            let hops =
                [Hop::before(&net, Troubles { lost: 2, ..troubles }, 5), Hop::behind(&net, troubles, 7)];
            let mut bridge = Bridge::begin(&net, settings(kind), options());
            let flood = Flood::begin(&net, flood);
            let transfers = stay.transfers(&net, || {
                ip(&net.bridge, "link set b1 down");
                // The agent looks every 250 ms.
                pause(800);
                ip(&net.bridge, "link set b1 up");
            });
            let flooded = flood.end();
            let it = bridge.end().unwrap();
            hops.into_iter().for_each(Hop::end);
            let EngineCounters { shown, opaque, failures, unsendable, .. } = it.engine;
            // A host that is busy with other things makes the agent hang, too.
            println!(
                "{kind}: {transfers} transfers of {} bytes, {shown} segments shown, {opaque} packets opaque, {} sent again, {flooded} SYNs, \
                 {} not believed, {} too long for the interface, bypassed {} times",
                stay.bytes,
                it.agent.local_retransmissions,
                it.agent.implausible,
                it.ports[1].too_long,
                it.bridge.bypasses
            );
            assert!(shown > 1000 && opaque > 50 && flooded > 1000, "{it:?}");
            assert_eq!((failures, unsendable), (0, 0), "{it:?}");
            assert!(it.agent.known >= transfers && it.agent.unknown == 0, "{it:?}");
            assert!(it.ports[1].too_long > 0 && it.ports[1].stops > 0, "{it:?}");
            if stay.is_asked {
                assert!(it.agent.displaced > 20_000, "{it:?}");
            }
        }
    });
}
