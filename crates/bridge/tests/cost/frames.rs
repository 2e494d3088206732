//! Frames of many connections, one after the other of another one, without hosts, whose TCP would take more time than an agent.

use crate::hosts::pause;
use crate::path::Path;
use crate::support::{End, ethernet, packet, segment};
use seamline_agent::Side;
use seamline_bridge::Outgoing;
use seamline_bridge::system::{Batch, Port};
use seamline_host::clock;
use seamline_wire::Flags;

const FIXED: End = (1, 80);
const LENGTH: usize = 1400;
const AT_ONCE: u64 = 64;

fn mobile(number: u64) -> End {
    (1000 + number as u32, 5000)
}

/// A port on each side: that of the fixed host, and that of the mobile hosts.
pub(crate) struct Generator {
    ports: [Port; 2],
    connections: u64,
}

impl Generator {
    /// Open all connections.
    pub(crate) fn begin(path: &Path, connections: u64) -> Self {
        let open = |(namespace, name)| {
            let open: &seamline_lab::system::Namespace = namespace;
            open.within(|| Port::open(name)).unwrap()
        };
        let mut it = Generator { ports: [(&path.fixed, "a0"), (&path.mobile, "m0")].map(open), connections };
        for first in (0..connections).step_by(AT_ONCE as usize) {
            let numbers = first..connections.min(first + AT_ONCE);
            let to = |flags, number| (Side::Wired, [FIXED, mobile(number)], flags, [0, 0]);
            it.send(numbers.clone().map(|number| to(Flags::SYN, number)), 0);
            let back = |number| (Side::Wireless, [mobile(number), FIXED], Flags::SYN | Flags::ACK, [6, 1]);
            it.send(numbers.clone().map(back), 0);
            it.send(numbers.map(|number| (Side::Wired, [FIXED, mobile(number)], Flags::ACK, [1, 7])), 0);
        }
        it
    }

    fn send(&mut self, all: impl Iterator<Item = (Side, [End; 2], Flags, [u32; 2])>, length: usize) {
        let (mut from, mut frames) = (Side::Wired, Outgoing::new());
        for (side, ends, flags, [sequence, acknowledgment]) in all {
            let packet = packet(4, ends, segment(flags, sequence, acknowledgment), &vec![7; length]);
            frames.push(side.other(), &[&ethernet(side, None, &packet)]);
            from = side;
        }
        self.ports[from.index()].send(from.other(), &frames, &Batch::default());
        // An agent sees what answers it after it.
        if length == 0 && !frames.is_empty() {
            pause(1);
        }
    }

    /// Data at so many bits per second for so long, each segment acknowledged about a millisecond later. Returns how many segments those were.
    pub(crate) fn run(&mut self, rate: f64, seconds: f64) -> u64 {
        let (begun, mut sent, mut acknowledged) = (clock::monotonic(), 0, 0);
        let at = |number: u64, connections: u64| 1 + (number / connections) as u32 * LENGTH as u32;
        let connections = self.connections;
        loop {
            let elapsed = clock::monotonic().saturating_since(begun).as_secs_f64();
            if elapsed > seconds {
                return sent;
            }
            let answers = (acknowledged..sent).map(|number| {
                let ends = [mobile(number % connections), FIXED];
                (Side::Wireless, ends, Flags::ACK, [7, at(number, connections) + LENGTH as u32])
            });
            self.send(answers, 0);
            acknowledged = sent;
            let due = (elapsed * rate / (8.0 * LENGTH as f64)) as u64;
            while sent < due {
                let data = (sent..due.min(sent + AT_ONCE)).map(|number| {
                    let ends = [FIXED, mobile(number % connections)];
                    (Side::Wired, ends, Flags::ACK, [at(number, connections), 7])
                });
                self.send(data, LENGTH);
                sent = due.min(sent + AT_ONCE);
            }
        }
    }
}
