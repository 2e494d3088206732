//! Losses, and when what was lost has arrived after all.

use super::{Begun, Fate, MessageRecorder};
use seamline_report::messages::Occasion;
use seamline_wire::{Instant, NodeId, TransportPort};
use std::collections::BTreeSet;

impl MessageRecorder {
    /// A packet under way is lost. The occasion begins when the first data packet that is lost was sent.
    pub(super) fn lost(&mut self, source: NodeId, port: TransportPort, segment: (u32, u32)) {
        let found = self.under_way.iter().position(|number| {
            let packet = &self.packets[number - self.trimmed].packet;
            (packet.source, packet.source_port) == (source, port)
                && (packet.segment.sequence.0, packet.segment.length) == segment
        });
        let Some(number) = found.and_then(|place| self.under_way.remove(place)) else { return };
        let sent = &mut self.packets[number - self.trimmed];
        sent.fate = Fate::Lost;
        let (at, flow) = (sent.at, sent.flow.filter(|_| sent.packet.has_payload()));
        if let Some(flow) = flow.filter(|_| self.occasion == Occasion::Loss) {
            self.begin(Begun::Loss(flow), at);
        }
    }

    /// When all data of a flow that had been lost since a time had arrived at its receiver.
    pub(super) fn repaired(&self, flow: usize, since: Instant, receiver: usize) -> Option<Instant> {
        let data = self.packets.iter().filter(|sent| sent.flow == Some(flow) && sent.packet.has_payload());
        let mut fates: Vec<(Instant, bool, u64)> = data
            .filter_map(|sent| match sent.fate {
                Fate::Lost => Some((sent.at, false, sent.number?)),
                Fate::Arrived(to, at) if to == receiver => Some((at, true, sent.number?)),
                _ => None,
            })
            .filter(|(at, ..)| *at >= since)
            .collect();
        fates.sort_unstable();
        let mut missing = BTreeSet::new();
        fates.into_iter().find_map(|(at, arrived, number)| {
            if arrived {
                return (missing.remove(&number) && missing.is_empty()).then_some(at);
            }
            missing.insert(number);
            None
        })
    }
}
