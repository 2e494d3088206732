//! A packet capture at the sending hosts, as tcpdump would take it there: each packet once.

use super::by_element::ByElement;
use crate::atomic::WriteError;
use crate::background::{Background, Work};
use crate::block_file::BlockFile;
use seamline_capture::{Capture, CaptureOptions, Interface};
use seamline_scenario::build::{Places, addresses};
use seamline_scenario::schema::{MobileSpec, Scenario};
use seamline_sim::ElementId;
use seamline_wire::{Event, HandoverPhase, Instant, NodeId, Packet};
use std::io;
use std::path::{Path, PathBuf};

/// A capture being written.
#[derive(Debug)]
pub(crate) struct SenderCapture {
    path: PathBuf,
    /// Packets are encoded in the background.
    packets: Background<Capture<BlockFile>>,
    /// By element: its capture interface.
    interfaces: ByElement<Interface>,
    /// By element: the description of the link or node whose handovers it reports or announces.
    links: ByElement<String>,
    /// By element: the filter, at mobile nodes and anchors.
    filters: ByElement<Filter>,
    /// The comment for the next packet.
    comment: Option<String>,
    /// The error if an interface could not be declared; nothing is written then.
    failed: Option<io::Error>,
}

/// A packet as it is captured.
#[derive(Debug)]
pub(crate) struct Captured {
    at: Instant,
    interface: Interface,
    packet: Packet,
    comment: Option<String>,
}

impl Work for Capture<BlockFile> {
    type Item = Captured;
    const NAME: &'static str = "capture";

    fn process(&mut self, Captured { at, interface, packet, comment }: &Captured) -> io::Result<()> {
        self.packet(*interface, *at, packet, comment.as_deref())
    }
}

impl SenderCapture {
    /// Create a capture file.
    pub(crate) fn create(path: &Path, provenance: String) -> Result<Self, WriteError> {
        let file = BlockFile::create(path)?;
        let options = CaptureOptions { provenance, ..CaptureOptions::default() };
        let capture =
            Capture::new(file, &options).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(SenderCapture {
            path: path.to_owned(),
            packets: Background::new(capture),
            interfaces: ByElement::default(),
            links: ByElement::default(),
            filters: ByElement::default(),
            comment: None,
            failed: None,
        })
    }

    /// Declare the interfaces of a scenario.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        for [from, _] in scenario.flows.iter().flat_map(|flow| flow.ends.pairs()) {
            let Some(host) = places.hosts[from] else { continue };
            if self.interfaces.get(host).is_none()
                && let Some(interface) = self.interface(&scenario.nodes[from])
            {
                self.interfaces.set(host, interface);
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
        for (index, (mobile, places)) in scenario.mobiles.iter().zip(&places.mobiles).enumerate() {
            let node = &scenario.nodes[mobile.node];
            for element in std::iter::once(places.node).chain(places.notices) {
                self.links.set(element, format!("node {node}"));
            }
            self.observe(
                places.node,
                &format!("{node}/radio"),
                Filter::Radio(addresses::own(scenario, index)),
            );
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
        if let Some(interface) = self.interface(name) {
            self.interfaces.set(element, interface);
            self.filters.set(element, filter);
        }
    }

    fn interface(&mut self, name: &str) -> Option<Interface> {
        self.packets.ready()?.interface(name).map_err(|error| self.failed = Some(error)).ok()
    }

    pub(crate) fn packet(
        &mut self,
        now: Instant,
        at: ElementId,
        packet: &Packet,
        direction: PacketDirection,
    ) {
        let Some(interface) = self.interfaces.get(at) else { return };
        let filter = self.filters.get(at);
        if self.failed.is_some() || filter.is_some_and(|filter| !filter.takes(packet, direction)) {
            return;
        }
        let (interface, comment) = (*interface, self.comment.take());
        self.packets.push(Captured { at: now, interface, packet: packet.clone(), comment });
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

    /// Finish the file.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let capture = self.failed.map_or_else(|| self.packets.finish(), Err);
        let capture = capture.map_err(|cause| WriteError { path: self.path, cause })?;
        capture.finish().finish()
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
