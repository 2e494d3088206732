//! What is shown of what was recorded.

use super::labels::packet_text;
use super::{Fate, MessageRecorder, Sent};
use seamline_report::messages::{HandoverMessages, Message, MessageKind, NodeNote};
use seamline_report::record::{HandoverRecord, RunRecord};
use seamline_wire::Instant;
use std::collections::BTreeMap;

/// What is shown before the first sign of the handover, and after the first data behind it.
const MARGIN_S: f64 = 0.03;
const AFTER_S: f64 = 0.15;
/// Without such data, so much is shown.
const WITHOUT_DATA_S: f64 = 2.0;

impl MessageRecorder {
    /// What was recorded. `passing` has, by link and then by mobile node, the flows that pass it.
    pub(crate) fn finish(self, record: &RunRecord, passing: &[Vec<usize>]) -> Option<HandoverMessages> {
        let (moved, start) = self.start?;
        let flow = *passing.get(moved)?.first()?;
        let start_s = start.as_secs_f64();
        let met = record.flows.get(flow)?.handovers.iter().find(|met| met.start_s == start_s);
        let first_sign = self.predicted.filter(|(of, _)| *of == moved).map_or(start, |(_, at)| at.min(start));
        let shown = (first_sign.as_secs_f64() - MARGIN_S)..=end(start_s, met);
        let place: BTreeMap<usize, usize> = self.columns(flow, &shown);
        let node = |node: usize| place.get(&node).copied();
        let packets = self.packets.iter().filter(|sent| shown.contains(&sent.at.as_secs_f64()));
        let messages = packets.filter_map(|sent| self.message(sent, flow, &node)).collect();
        let notes = self
            .notes
            .iter()
            .filter(|(at, _, (of, _))| shown.contains(&at.as_secs_f64()) && of.is_none_or(|of| of == flow));
        let notes = notes.filter_map(|(at, of, (_, text))| {
            Some(NodeNote { at_s: at.as_secs_f64(), node: node(*of)?, text: text.clone() })
        });
        let mut nodes: Vec<(usize, String)> =
            place.iter().map(|(node, place)| (*place, self.names[*node].clone())).collect();
        nodes.sort();
        let interruption_s = met.and_then(|met| met.interruption_ms).map(|millis| millis / 1e3);
        Some(HandoverMessages {
            link: met?.link.clone(),
            flow: self.flows[flow].clone(),
            start_s,
            end_s: interruption_s.map(|seconds| start_s + seconds),
            nodes: nodes.into_iter().map(|(_, name)| name).collect(),
            messages,
            notes: notes.collect(),
        })
    }

    /// The nodes that send or receive something of this, each with its column.
    fn columns(&self, flow: usize, shown: &std::ops::RangeInclusive<f64>) -> BTreeMap<usize, usize> {
        let everywhere = |node: usize| Some(node);
        let packets = self.packets.iter().filter(|sent| shown.contains(&sent.at.as_secs_f64()));
        let used: Vec<usize> = packets
            .filter_map(|sent| self.message(sent, flow, &everywhere))
            .flat_map(|message| [message.from, message.to])
            .collect();
        let in_order = self.order[flow].iter().filter(|node| used.contains(node));
        in_order.enumerate().map(|(place, node)| (*node, place)).collect()
    }

    fn message(&self, sent: &Sent, flow: usize, place: &dyn Fn(usize) -> Option<usize>) -> Option<Message> {
        if sent.flow.is_some_and(|of| of != flow) {
            return None;
        }
        let (kind, text) = packet_text(&sent.packet, sent.repeated);
        let owner = || self.owners.get(&sent.packet.next_destination()).copied();
        let (to, arrived) = match sent.fate {
            Fate::Arrived(to, at) => (to, Some(at)),
            Fate::Lost => (owner()?, None),
            Fate::UnderWay | Fate::Inside => return None,
        };
        if kind == MessageKind::Advertisement && arrived.is_none() || to == sent.from {
            return None;
        }
        Some(Message {
            kind,
            text,
            number: sent.number,
            tunnelled: !sent.packet.tunnels.is_empty(),
            from: place(sent.from)?,
            sent_s: sent.at.as_secs_f64(),
            to: place(to)?,
            arrived_s: arrived.map(Instant::as_secs_f64),
        })
    }
}

/// Until when the messages of a handover are shown.
fn end(start_s: f64, met: Option<&HandoverRecord>) -> f64 {
    let first_data_s = met.and_then(|met| met.first_data_ms).map(|millis| millis / 1e3 + AFTER_S);
    start_s + first_data_s.unwrap_or(WITHOUT_DATA_S)
}
