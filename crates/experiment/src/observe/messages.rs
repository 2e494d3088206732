//! The packets around the first handover of a run, or around its first loss, from node to node. A packet that an element of a node passes on unchanged
//! goes through; one that it changes, keeps or makes ends or begins there.

mod chart;
mod hops;
mod labels;
mod losses;
mod numbers;

use super::by_element::ByElement;
use super::positions::Positions;
use hops::distances;
use labels::mobility;
use seamline_report::messages::Occasion;
use seamline_scenario::build::{Places, RECEIVER_PORTS, SENDER_PORTS, addresses, node_id};
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{Duration, Event, HandoverPhase, Instant, NodeId, Packet, TransportPort};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Until the occasion comes, so much is kept.
const KEPT: Duration = Duration::from_secs(1);
/// Before it no more is kept, and from then on no more is recorded.
const MOST: usize = 20_000;
/// In larger networks copies of a packet are told apart by their age alone.
const MOST_NODES: usize = 100;
/// A node that repeats a packet has had it among so many.
const RECENT: usize = 2000;

/// Records the first handover of a run, or its first loss.
#[derive(Debug, Default)]
pub(crate) struct MessageRecorder {
    occasion: Occasion,
    names: Vec<String>,
    flows: Vec<String>,
    /// By element: its node.
    nodes: ByElement<usize>,
    /// By element: the place of what it hands over, or announces: a link, or behind the links a mobile node.
    handing_over: ByElement<usize>,
    /// By address: its node.
    owners: BTreeMap<NodeId, usize>,
    /// By connection: its flow, if it is the first of the flow.
    by_connection: Vec<Option<usize>>,
    /// By flow: the positions of what its sender has sent, and its largest segment.
    positions: Vec<(Positions, u32)>,
    /// By node, from each node: how many links and cells are between; empty in large networks.
    hops: Vec<Vec<Option<usize>>>,
    /// What was sent, oldest first. The first has the number `trimmed`.
    packets: VecDeque<Sent>,
    trimmed: usize,
    /// The numbers of those that are under way.
    under_way: VecDeque<usize>,
    /// By node: the last packet that arrived.
    last: Vec<Option<(Instant, usize)>>,
    /// Which of the next segments are sent again.
    repeated: Vec<(TransportPort, u32)>,
    /// By flow: the numbers of the segments that its sender has sent again.
    again: BTreeSet<(usize, u64)>,
    notes: Vec<(Instant, usize, NoteText)>,
    predicted: Option<(usize, Instant)>,
    /// What is shown, and when that began.
    start: Option<(Begun, Instant)>,
    /// How many packets had been kept by then.
    kept: usize,
}

/// What has begun.
#[derive(Clone, Copy, Debug)]
enum Begun {
    /// The handover of a link, or behind the links of a mobile node: its place.
    Handover(usize),
    /// A loss of this flow.
    Loss(usize),
}

type NoteText = (Option<usize>, std::borrow::Cow<'static, str>);

#[derive(Debug)]
struct Sent {
    packet: Packet,
    from: usize,
    at: Instant,
    repeated: bool,
    /// The nodes that it passed unchanged.
    passed: Vec<usize>,
    /// The number of its segment, or of what it acknowledges.
    number: Option<u64>,
    flow: Option<usize>,
    fate: Fate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    UnderWay,
    Arrived(usize, Instant),
    Lost,
    /// From one element of a node to another.
    Inside,
}

impl MessageRecorder {
    /// A recorder for a scenario.
    pub(crate) fn new(scenario: &Scenario, places: &Places, occasion: Occasion) -> Self {
        let mut recorder = MessageRecorder {
            occasion,
            names: scenario.nodes.clone(),
            flows: scenario.flows.iter().map(|flow| flow.name.clone()).collect(),
            positions: vec![(Positions::default(), 1); scenario.flows.len()],
            hops: match scenario.nodes.len() {
                count @ ..=MOST_NODES => (0..count).map(|node| distances(scenario, node)).collect(),
                _ => Vec::new(),
            },
            last: vec![None; scenario.nodes.len()],
            ..MessageRecorder::default()
        };
        for (index, flow) in scenario.flows.iter().enumerate() {
            recorder.by_connection.extend((0..flow.count).map(|copy| (copy == 0).then_some(index)));
        }
        recorder.place(scenario, places);
        recorder
    }

    fn place(&mut self, scenario: &Scenario, places: &Places) {
        for (node, host) in places.hosts.iter().enumerate() {
            self.owners.insert(node_id(node), node);
            self.set(*host, node);
        }
        for (node, correspondent) in places.correspondents.iter().enumerate() {
            self.set(*correspondent, node);
        }
        for (node, anchor) in &places.anchors {
            self.set(Some(*anchor), *node);
        }
        for (cell, at) in scenario.cells.iter().zip(&places.cells) {
            self.set(at.agent, cell.base_station);
            self.set(at.departed, cell.base_station);
        }
        for (agent, element) in scenario.agents.iter().zip(&places.agents) {
            self.set(*element, scenario.node_of(agent.at));
        }
        for (index, (mobile, at)) in scenario.mobiles.iter().zip(&places.mobiles).enumerate() {
            self.set(Some(at.node), mobile.node);
            self.set(at.notices, mobile.node);
            let place = scenario.links.len() + index;
            for element in std::iter::once(at.node).chain(at.notices) {
                self.handing_over.set(element, place);
            }
            for address in addresses::own(scenario, &places.networks, index) {
                self.owners.entry(address).or_insert(mobile.node);
            }
        }
        let elements = places.notices.iter().zip(&places.links);
        for (index, (link, (notices, [down, _]))) in scenario.links.iter().zip(elements).enumerate() {
            for element in std::iter::once(*down).chain(*notices) {
                self.set(Some(element), link.to);
                self.handing_over.set(element, index);
            }
        }
    }

    fn set(&mut self, element: Option<ElementId>, node: usize) {
        if let Some(element) = element {
            self.nodes.set(element, node);
        }
    }

    /// Record an event.
    pub(crate) fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        match *event {
            Event::SegmentSent { port, sequence, retransmission: true, .. } => {
                self.repeated.push((port, sequence.0));
            }
            Event::Dropped { source, source_port, sequence, length, .. } => {
                self.lost(source, source_port, (sequence.0, length));
            }
            _ => self.note(now, at, event),
        }
    }

    fn note(&mut self, now: Instant, at: ElementId, event: &Event) {
        let Some(node) = self.nodes.get(at).copied() else { return };
        let (port, text): (Option<TransportPort>, std::borrow::Cow<'static, str>) = match *event {
            Event::Handover(phase) => {
                let Some(moved) = self.handing_over.get(at).copied() else { return };
                (None, self.phase(now, moved, phase).into())
            }
            Event::HandoverAction { port, action } => (Some(port), action.into()),
            Event::RetransmissionTimeout { port } => (Some(port), "retransmission timeout".into()),
            Event::RecoveryStarted { port } => (Some(port), "fast recovery".into()),
            Event::Mobility(what) => match mobility(what, |address| self.name_of(address)) {
                Some(text) => (None, text),
                None => return,
            },
            _ => return,
        };
        let flow = match port.map(|port| self.flow(port)) {
            Some(None) => return,
            flow => flow.flatten(),
        };
        self.trim(now);
        let note = (now, node, (flow, text));
        if self.notes.len() < MOST && self.notes.last() != Some(&note) {
            self.notes.push(note);
        }
    }

    fn phase(&mut self, now: Instant, moved: usize, phase: HandoverPhase) -> &'static str {
        match phase {
            HandoverPhase::Predicted => {
                if self.start.is_none() {
                    self.predicted = Some((moved, now));
                }
                "handover announced"
            }
            HandoverPhase::Started => {
                if self.occasion == Occasion::Handover {
                    self.begin(Begun::Handover(moved), now);
                }
                "handover begins"
            }
            HandoverPhase::Completed => "link is up",
        }
    }

    fn begin(&mut self, what: Begun, now: Instant) {
        if self.start.is_none() {
            self.start = Some((what, now));
            self.kept = self.packets.len();
        }
    }

    fn name_of(&self, address: NodeId) -> String {
        self.owners.get(&address).map_or_else(String::new, |node| self.names[*node].clone())
    }

    fn flow(&self, port: TransportPort) -> Option<usize> {
        let number =
            [SENDER_PORTS, RECEIVER_PORTS].into_iter().find_map(|first| port.0.checked_sub(first))?;
        self.by_connection.get(usize::from(number)).copied().flatten()
    }

    /// What was long before the occasion is forgotten, and of too much the oldest.
    fn trim(&mut self, now: Instant) {
        if self.start.is_some() {
            return;
        }
        let is_old = |at: Instant| at + KEPT < now;
        while self.packets.front().is_some_and(|sent| is_old(sent.at) || self.packets.len() >= MOST) {
            self.packets.pop_front();
            self.trimmed += 1;
        }
        self.under_way.retain(|number| *number >= self.trimmed);
        let kept = self.notes.iter().position(|note| !is_old(note.0)).unwrap_or(self.notes.len());
        self.notes.drain(..kept);
    }

    fn is_full(&self) -> bool {
        self.start.is_some() && self.packets.len() >= self.kept + MOST
    }

    /// A packet leaves an element.
    pub(crate) fn sent(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        let Some(from) = self.nodes.get(at).copied() else { return };
        let flow = self.flow(packet.source_port).filter(|_| packet.is_segment());
        if (packet.is_segment() && flow.is_none()) || self.is_full() {
            return;
        }
        if let Some((time, number)) = self.last[from]
            && time == now
            && let Some(sent) = number.checked_sub(self.trimmed).and_then(|place| self.packets.get_mut(place))
            && same(&sent.packet, packet)
        {
            sent.fate = Fate::UnderWay;
            sent.passed.push(from);
            self.last[from] = None;
            // Older than any copy of it that has been sent since.
            self.under_way.push_front(number);
            return;
        }
        self.trim(now);
        let number = flow.and_then(|flow| self.number(flow, packet));
        let own = (packet.source_port, packet.segment.sequence.0);
        let announced = self.repeated.iter().position(|it| *it == own);
        let mut repeated = announced.map(|place| self.repeated.swap_remove(place)).is_some();
        if let (Some(flow), Some(number)) = (flow, number.filter(|_| packet.has_payload())) {
            if repeated {
                self.again.insert((flow, number));
            }
            repeated |= self.was_here(from, packet) || self.again.contains(&(flow, number));
        }
        self.under_way.push_back(self.trimmed + self.packets.len());
        let sent = Sent {
            packet: packet.clone(),
            from,
            at: now,
            repeated,
            passed: Vec::new(),
            number,
            flow,
            fate: Fate::UnderWay,
        };
        self.packets.push_back(sent);
    }

    /// Whether a node that is not its sender has had this segment before: then it repeats it from its own store.
    fn was_here(&self, from: usize, packet: &Packet) -> bool {
        let had = |sent: &Sent| {
            let arrived = matches!(sent.fate, Fate::Arrived(at, _) if at == from);
            sent.from == from || arrived || sent.passed.contains(&from)
        };
        self.owners.get(&packet.source) != Some(&from)
            && self.packets.iter().rev().take(RECENT).any(|sent| same(&sent.packet, packet) && had(sent))
    }

    /// Which packet under way arrives at a node. Of several copies it is the one that was last seen nearest, and of those the oldest.
    fn copy_for(&self, to: usize, packet: &Packet) -> Option<usize> {
        let hops = |sent: &Sent| {
            let at = sent.passed.last().copied().unwrap_or(sent.from);
            self.hops.get(to).and_then(|hops| hops[at])
        };
        let copies = self.under_way.iter().enumerate().filter_map(|(place, number)| {
            let sent = self.packets.get(number - self.trimmed)?;
            same(&sent.packet, packet).then(|| (hops(sent), place))
        });
        copies.min().map(|(_, place)| place)
    }

    /// A packet arrives at an element.
    pub(crate) fn arrived(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        let Some(to) = self.nodes.get(at).copied() else { return };
        let Some(place) = self.copy_for(to, packet) else { return };
        let number = self.under_way[place];
        let sent = &mut self.packets[number - self.trimmed];
        if sent.from == to {
            sent.fate = Fate::Inside;
        } else {
            sent.fate = Fate::Arrived(to, now);
            self.last[to] = Some((now, number));
        }
        self.under_way.remove(place);
    }
}

/// Whether both are the same packet, on whatever link: a queue may have marked it.
fn same(one: &Packet, other: &Packet) -> bool {
    let ends = |it: &Packet| (it.source, it.destination, it.source_port, it.destination_port);
    ends(one) == ends(other)
        && one.segment == other.segment
        && one.tunnels == other.tunnels
        && one.extra == other.extra
}
