//! Everything that can be observed, kept in memory.

use seamline_sim::{ElementId, Observer};
use seamline_wire::{Event, Instant, Packet, SenderSample, TransportPort};

/// Lists by kind, each in the order of time: most events are of queues and small, those of senders are
/// large, and one list of all would make every event as large as the largest.
#[derive(Debug, Default)]
pub struct Log {
    pub queues: Vec<(Instant, ElementId, u32, u32)>,
    pub samples: Vec<(Instant, ElementId, TransportPort, SenderSample)>,
    pub others: Vec<(Instant, ElementId, Event)>,
    pub sent: Vec<(Instant, ElementId, Packet)>,
    pub arrived: Vec<(Instant, ElementId, Packet)>,
}

impl Log {
    /// An empty log that writes over the memory of this one.
    pub fn reuse(mut self) -> Log {
        self.queues.clear();
        self.samples.clear();
        self.others.clear();
        self.sent.clear();
        self.arrived.clear();
        self
    }
}

impl Observer for Log {
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        match *event {
            Event::Queue { packets, bytes } => self.queues.push((now, at, packets, bytes)),
            Event::Sender { port, sample } => self.samples.push((now, at, port, sample)),
            _ => self.others.push((now, at, *event)),
        }
    }
    fn sent(&mut self, now: Instant, from: ElementId, packet: &Packet) {
        self.sent.push((now, from, packet.clone()));
    }
    fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        self.arrived.push((now, at, packet.clone()));
    }
}
