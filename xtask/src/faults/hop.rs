//! A hop that forwards frames after 5 ms, and loses some.

use super::network::{inside, now, pause};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port};
use seamline_host::namespace::Namespace;
use seamline_wire::random::Stream;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

const DELAY_MS: u64 = 5;
/// Shorter frames ask for addresses, or acknowledge: one that asks and is lost costs a second.
const LONGEST_SPARED: usize = 120;

/// It ends with this value.
pub(super) struct Hop {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hop {
    /// Between the interfaces `c0` and `c1`.
    pub(super) fn begin(namespace: &Namespace, lost: u64, seed: u64) -> io::Result<Self> {
        let ports = namespace.within(|| Ok([Port::open("c0")?, Port::open("c1")?]))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let forwarder = Forwarder { ports, random: Stream::new(seed, "hop"), lost, waiting: VecDeque::new() };
        let thread = inside(namespace, move || forwarder.run(&stopped))?;
        Ok(Hop { stop, thread: Some(thread) })
    }
}

impl Drop for Hop {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Forwarder {
    ports: [Port; 2],
    random: Stream,
    /// In a thousand.
    lost: u64,
    waiting: VecDeque<(u64, Side, Vec<u8>)>,
}

impl Forwarder {
    fn run(mut self, stop: &AtomicBool) {
        let (mut batch, mut outgoing) = (Batch::default(), Outgoing::new());
        while !stop.load(Ordering::Relaxed) {
            pause(1);
            for (place, towards) in [(0, Side::Wireless), (1, Side::Wired)] {
                // An interface that is down has nothing.
                if self.ports[place].receive(&mut batch).is_ok() {
                    batch.iter().for_each(|(frame, _)| self.take(towards, frame));
                }
            }
            outgoing.clear();
            let time = now();
            while let Some((_, towards, frame)) = self.waiting.pop_front_if(|(at, ..)| *at <= time) {
                outgoing.push(towards, &[&frame]);
            }
            let [wired, wireless] = &mut self.ports;
            wired.send(Side::Wired, &outgoing, &batch);
            wireless.send(Side::Wireless, &outgoing, &batch);
        }
    }

    fn take(&mut self, towards: Side, frame: &[u8]) {
        if frame.len() > LONGEST_SPARED && self.random.below(1000) < self.lost {
            return;
        }
        self.waiting.push_back((now() + DELAY_MS, towards, frame.to_vec()));
    }
}
