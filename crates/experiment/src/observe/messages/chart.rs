//! What is shown of what was recorded.

use super::super::passing::{Passing, names};
use super::hops::by_distance;
use super::labels::packet_text;
use super::{Begun, Fate, MessageRecorder, Sent};
use seamline_report::messages::{HandoverMessages, Message, MessageKind, NodeNote};
use seamline_report::record::{HandoverRecord, RunRecord};
use seamline_scenario::schema::Scenario;
use seamline_wire::Instant;
use std::collections::BTreeSet;

/// What is shown before the first sign of the handover or the first loss, and after the first data behind it or its repair.
const MARGIN_S: f64 = 0.03;
const AFTER_S: f64 = 0.15;
/// Without such data, so much is shown.
const WITHOUT_DATA_S: f64 = 2.0;

/// Which part of what was recorded is shown.
#[derive(Debug)]
struct Shown {
    flow: usize,
    /// What handed over.
    link: Option<String>,
    first_sign: Instant,
    /// The end of the handover, or of the repair.
    end_s: Option<f64>,
    until_s: f64,
}

impl MessageRecorder {
    /// What was recorded. `passing` has, by link and then by mobile node, the flows that pass it.
    pub(crate) fn finish(
        self,
        scenario: &Scenario,
        record: &RunRecord,
        passing: &[Vec<Passing>],
    ) -> Option<HandoverMessages> {
        let (begun, start) = self.start?;
        let Shown { flow, link, first_sign, end_s, until_s } = match begun {
            Begun::Handover(moved) => {
                let link = names(scenario).nth(moved)?;
                self.around_handover((moved, link), start, record, passing)?
            }
            Begun::Loss(flow) => self.around_loss(flow, start, scenario),
        };
        let shown = (first_sign.as_secs_f64() - MARGIN_S)..=until_s;
        let packets = self.packets.iter().filter(|sent| shown.contains(&sent.at.as_secs_f64()));
        let by_node: Vec<Message> = packets.filter_map(|sent| self.message(sent, flow)).collect();
        // The nodes that send or receive something of this, in the order of the columns.
        let ends = |message: &Message| [Some(message.from), Some(message.to), message.lost_behind];
        let used: BTreeSet<usize> = by_node.iter().flat_map(ends).flatten().collect();
        let nodes = by_distance(scenario, scenario.flows[flow].ends.pair(0)[0]);
        let nodes: Vec<usize> = nodes.into_iter().filter(|node| used.contains(node)).collect();
        let node = |node: usize| nodes.iter().position(|known| *known == node);
        let in_columns = |message: Message| {
            let lost_behind = message.lost_behind.and_then(node);
            Some(Message { from: node(message.from)?, to: node(message.to)?, lost_behind, ..message })
        };
        let messages = by_node.into_iter().filter_map(in_columns).collect();
        let notes = self
            .notes
            .iter()
            .filter(|(at, _, (of, _))| shown.contains(&at.as_secs_f64()) && of.is_none_or(|of| of == flow));
        let notes = notes.filter_map(|(at, of, (_, text))| {
            Some(NodeNote { at_s: at.as_secs_f64(), node: node(*of)?, text: text.clone() })
        });
        Some(HandoverMessages {
            link,
            flow: self.flows[flow].clone(),
            start_s: start.as_secs_f64(),
            end_s,
            nodes: nodes.iter().map(|node| self.names[*node].clone()).collect(),
            messages,
            notes: notes.collect(),
        })
    }

    fn around_handover(
        &self,
        (moved, link): (usize, &str),
        start: Instant,
        record: &RunRecord,
        passing: &[Vec<Passing>],
    ) -> Option<Shown> {
        let flow = passing.get(moved)?.first()?.flow;
        let start_s = start.as_secs_f64();
        let mut handovers = record.flows.get(flow)?.handovers.iter();
        let met = handovers.find(|met| met.link == link && met.start_s == start_s)?;
        Some(Shown {
            flow,
            link: Some(link.to_owned()),
            first_sign: self.predicted.filter(|(of, _)| *of == moved).map_or(start, |(_, at)| at.min(start)),
            end_s: met.interruption_ms.map(|millis| start_s + millis / 1e3),
            until_s: end(start_s, met),
        })
    }

    fn around_loss(&self, flow: usize, start: Instant, scenario: &Scenario) -> Shown {
        let receiver = scenario.flows[flow].ends.pair(0)[1];
        let end_s = self.repaired(flow, start, receiver).map(Instant::as_secs_f64);
        let until_s = end_s.map_or(start.as_secs_f64() + WITHOUT_DATA_S, |end_s| end_s + AFTER_S);
        Shown { flow, link: None, first_sign: start, end_s, until_s }
    }

    /// The message of a packet, from and to nodes.
    fn message(&self, sent: &Sent, flow: usize) -> Option<Message> {
        if sent.flow.is_some_and(|of| of != flow) {
            return None;
        }
        let (kind, text) =
            packet_text(&sent.packet, sent.repeated, |sequence| self.number_of(flow, sequence));
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
            from: sent.from,
            sent_s: sent.at.as_secs_f64(),
            to,
            arrived_s: arrived.map(Instant::as_secs_f64),
            lost_behind: sent.passed.last().copied().filter(|_| arrived.is_none()),
        })
    }
}

/// Until when the messages of a handover are shown.
fn end(start_s: f64, met: &HandoverRecord) -> f64 {
    let first_data_s = met.first_data_ms.map(|millis| millis / 1e3 + AFTER_S);
    start_s + first_data_s.unwrap_or(WITHOUT_DATA_S)
}
