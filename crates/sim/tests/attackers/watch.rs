//! What a sender does, seen from outside.

use crate::path::{SENDER_PORT, THE_AIR, THE_SENDER};
use seamline_sim::{ElementId, Observer};
use seamline_wire::{DropCause, Duration, Event, Instant, Packet, TransportPort};

/// Listens to the flow under attack.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Payload bytes between sender and receiver, whatever the sender believes.
    in_flight: i64,
    /// The most of it, of all times.
    pub(crate) most_in_flight: i64,
    /// The largest window, in segments.
    pub(crate) largest_window: f64,
    /// Between two segments sent, at most.
    pub(crate) longest_pause: Duration,
    last_sent: Option<Instant>,
    /// When each segment was sent again.
    pub(crate) sent_again: Vec<Instant>,
    /// Packets that found the queue full.
    pub(crate) overflows: u64,
}

impl Watch {
    fn left(&mut self, port: TransportPort, bytes: i64) {
        if port == SENDER_PORT {
            self.in_flight += bytes;
            self.most_in_flight = self.most_in_flight.max(self.in_flight);
        }
    }
    /// The run ends.
    pub(crate) fn end(&mut self, now: Instant) {
        let pause = self.last_sent.map_or(Duration::ZERO, |last| now - last);
        self.longest_pause = self.longest_pause.max(pause);
    }
    /// The most segments sent again within one second.
    pub(crate) fn worst_second(&self) -> usize {
        let second = Duration::from_secs(1);
        let within = |begin: usize| {
            let end = self.sent_again[begin] + second;
            self.sent_again[begin..].iter().take_while(|at| **at < end).count()
        };
        (0..self.sent_again.len()).map(within).max().unwrap_or(0)
    }
}

impl Observer for Watch {
    fn event(&mut self, now: Instant, _at: ElementId, event: &Event) {
        match *event {
            Event::Sender { port, sample } if port == SENDER_PORT => {
                self.largest_window = self.largest_window.max(sample.congestion_window);
            }
            Event::SegmentSent { port, retransmission, .. } if port == SENDER_PORT => {
                let pause = self.last_sent.replace(now).map_or(Duration::ZERO, |last| now - last);
                self.longest_pause = self.longest_pause.max(pause);
                if retransmission {
                    self.sent_again.push(now);
                }
            }
            Event::Dropped { cause, source_port, length, .. } => {
                self.overflows += u64::from(cause == DropCause::QueueOverflow);
                self.left(source_port, -i64::from(length));
            }
            _ => {}
        }
    }
    fn sent(&mut self, _now: Instant, from: ElementId, packet: &Packet) {
        if from == THE_SENDER {
            self.left(packet.source_port, packet.segment.length.into());
        }
    }
    fn arrived(&mut self, _now: Instant, at: ElementId, packet: &Packet) {
        if at == THE_AIR {
            self.left(packet.source_port, -i64::from(packet.segment.length));
        }
    }
}
