//! What captures show: the packets at the sending hosts, as tcpdump would take them there, each packet once.

use super::by_element::ByElement;
use super::packet_table::PacketTable;
use super::pcapng::PcapngFile;
use super::selection::Every;
use crate::atomic::WriteError;
use seamline_scenario::build::{Places, addresses};
use seamline_scenario::schema::{MobileSpec, Scenario};
use seamline_sim::ElementId;
use seamline_wire::{Event, HandoverPhase, Instant, NodeId, Packet};
use std::path::PathBuf;

/// The captures of a run that are being written.
#[derive(Debug, Default)]
pub(crate) struct SenderCapture {
    pcapng: Option<PcapngFile>,
    table: Option<PacketTable>,
    /// By element: its number among the interfaces.
    interfaces: ByElement<u16>,
    /// By number of the interface: the sequence of its packets.
    sequences: Vec<Every>,
    /// Only every n-th packet is recorded.
    every: u32,
    /// By element: the description of the link or node whose handovers it reports or announces.
    links: ByElement<String>,
    /// By element: the filter, at mobile nodes and anchors.
    filters: ByElement<Filter>,
    /// The comment for the next packet.
    comment: Option<String>,
}

impl SenderCapture {
    /// Captures into these files.
    pub(crate) fn new(pcapng: Option<PcapngFile>, table: Option<PacketTable>) -> Option<Self> {
        let any = pcapng.is_some() || table.is_some();
        any.then(|| SenderCapture { pcapng, table, ..SenderCapture::default() })
    }

    /// Declare the interfaces of a scenario.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        self.every = scenario.output.every;
        for [from, _] in scenario.flows.iter().flat_map(|flow| flow.ends.pairs()) {
            let Some(host) = places.hosts[from] else { continue };
            if self.interfaces.get(host).is_none() {
                self.declare(host, &scenario.nodes[from]);
            }
        }
        for (link, ([down, _], notices)) in
            scenario.links.iter().zip(places.links.iter().zip(&places.notices))
        {
            for element in std::iter::once(down).chain(notices) {
                self.links.set(*element, format!("link {}", link.name));
            }
        }
        self.prepare_mobility(scenario, places);
    }

    /// Mobile nodes are captured at their radio; anchors with the packets they send and the messages they receive;
    /// correspondents with what they exchange with mobile nodes.
    fn prepare_mobility(&mut self, scenario: &Scenario, places: &Places) {
        for (index, (mobile, at)) in scenario.mobiles.iter().zip(&places.mobiles).enumerate() {
            let node = &scenario.nodes[mobile.node];
            for element in std::iter::once(at.node).chain(at.notices) {
                self.links.set(element, format!("node {node}"));
            }
            let own = addresses::own(scenario, &places.networks, index);
            self.observe(at.node, &format!("{node}/radio"), Filter::Radio(own));
        }
        for (node, element) in &places.anchors {
            self.observe(*element, &anchor_name(scenario, *node), Filter::Anchor);
        }
        for (element, node) in places.correspondents.iter().zip(&scenario.nodes) {
            if let Some(element) = element {
                self.observe(*element, &correspondent_name(node), Filter::Correspondent);
            }
        }
    }

    fn observe(&mut self, element: ElementId, name: &str, filter: Filter) {
        self.declare(element, name);
        self.filters.set(element, filter);
    }

    pub(super) fn declare(&mut self, element: ElementId, name: &str) {
        self.interfaces.set(element, self.sequences.len() as u16);
        self.sequences.push(Every::default());
        self.pcapng.iter_mut().for_each(|file| file.interface(name));
        self.table.iter_mut().for_each(|table| table.interface(name));
    }

    pub(crate) fn packet(
        &mut self,
        now: Instant,
        at: ElementId,
        packet: &Packet,
        direction: PacketDirection,
    ) {
        let Some(interface) = self.interfaces.get(at).copied() else { return };
        let filter = self.filters.get(at);
        if filter.is_some_and(|filter| !filter.takes(packet, direction)) {
            return;
        }
        if self.every > 1 && !self.sequences[usize::from(interface)].takes(self.every) {
            return;
        }
        let comment = self.comment.take();
        self.record(now, interface, packet, comment);
    }

    pub(super) fn record(&mut self, now: Instant, interface: u16, packet: &Packet, comment: Option<String>) {
        if let Some(table) = &mut self.table {
            table.packet(now, interface, packet, comment.as_deref());
        }
        if let Some(file) = &mut self.pcapng {
            file.packet(now, interface, packet, comment);
        }
    }

    /// Prepare a comment for the next packet.
    pub(crate) fn event(&mut self, at: ElementId, event: &Event) {
        let Event::Handover(phase) = event else { return };
        let Some(link) = self.links.get(at) else { return };
        let what = match phase {
            HandoverPhase::Predicted => "is expected",
            HandoverPhase::Started => "begins",
            HandoverPhase::Completed => "is over",
        };
        let earlier = self.comment.take().map(|comment| comment + "; ").unwrap_or_default();
        self.comment = Some(format!("{earlier}handover of {link} {what}"));
    }

    /// Finish the files.
    pub(crate) fn finish(self) -> impl Iterator<Item = Result<PathBuf, WriteError>> {
        let pcapng = self.pcapng.map(PcapngFile::finish);
        pcapng.into_iter().chain(self.table.map(PacketTable::finish))
    }
}

/// The name of the correspondent on a node.
pub(super) fn correspondent_name(node: &str) -> String {
    format!("{node}/correspondent")
}

/// The name of the anchor on a node.
pub(super) fn anchor_name(scenario: &Scenario, node: usize) -> String {
    let is_home = |mobile: &MobileSpec| {
        mobile.protocol.as_ref().is_some_and(|protocol| protocol.home_agent == Some(node))
    };
    let what = if scenario.mobiles.iter().any(is_home) { "home-agent" } else { "anchor-point" };
    format!("{}/{what}", scenario.nodes[node])
}

/// Whether a packet enters or leaves an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketDirection {
    In,
    Out,
}

/// Selects packets at an element that they pass through, so that each is captured once.
#[derive(Clone, Debug)]
enum Filter {
    /// Packets sent to or received from the air, at the radio of the node with these addresses.
    Radio(Vec<NodeId>),
    /// The packets an anchor sends, and the messages it receives.
    Anchor,
    /// What a correspondent exchanges with mobile nodes directly, and its messages.
    Correspondent,
}

impl Filter {
    fn takes(&self, packet: &Packet, direction: PacketDirection) -> bool {
        match self {
            Filter::Radio(own) => own.contains(&packet.source) == (direction == PacketDirection::Out),
            Filter::Correspondent => packet.control().is_some() || !packet.tunnels.is_empty(),
            Filter::Anchor => direction == PacketDirection::Out || packet.control().is_some(),
        }
    }
}
