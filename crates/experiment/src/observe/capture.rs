//! A capture at the hosts that send data, as tcpdump would take it there: each packet once.

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
    /// By element: the interface it is captured at.
    interfaces: ByElement<Interface>,
    /// By element: what has handovers there or is given notice of them, in words.
    links: ByElement<String>,
    /// By element: what is captured there, at mobile nodes and agents.
    filters: ByElement<Filter>,
    /// What happened since the last packet.
    remark: Option<String>,
    /// Why an interface could not be named, if so; nothing is written then.
    failed: Option<io::Error>,
}

/// A packet as it is captured.
#[derive(Debug)]
pub(crate) struct Captured {
    at: Instant,
    interface: Interface,
    packet: Packet,
    remark: Option<String>,
}

impl Work for Capture<BlockFile> {
    type Item = Captured;
    const NAME: &'static str = "capture";

    fn take(&mut self, Captured { at, interface, packet, remark }: &Captured) -> io::Result<()> {
        self.packet(*interface, *at, packet, remark.as_deref())
    }
}

impl SenderCapture {
    /// Begin a capture.
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
            remark: None,
            failed: None,
        })
    }

    /// Learn what is where.
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

    /// Mobile nodes are captured at their radio, anchors at what they send and are told.
    fn prepare_mobility(&mut self, scenario: &Scenario, places: &Places) {
        for (place, (mobile, places)) in scenario.mobiles.iter().zip(&places.mobiles).enumerate() {
            let node = &scenario.nodes[mobile.node];
            for element in std::iter::once(places.node).chain(places.notices) {
                self.links.set(element, format!("node {node}"));
            }
            self.observe(
                places.node,
                &format!("{node}/radio"),
                Filter::Radio(addresses::own(scenario, place)),
            );
        }
        for (node, element) in &places.anchors {
            self.observe(*element, &anchor_name(scenario, *node), Filter::Anchor);
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

    pub(crate) fn packet(&mut self, now: Instant, at: ElementId, packet: &Packet, way: WayOfPacket) {
        let Some(interface) = self.interfaces.get(at) else { return };
        let filter = self.filters.get(at);
        if self.failed.is_some() || filter.is_some_and(|filter| !filter.takes(packet, way)) {
            return;
        }
        let (interface, remark) = (*interface, self.remark.take());
        self.packets.push(Captured { at: now, interface, packet: packet.clone(), remark });
    }

    /// Note what the next packet shall carry as a remark.
    pub(crate) fn event(&mut self, at: ElementId, event: &Event) {
        let Event::Handover(phase) = event else { return };
        let Some(link) = self.links.get(at) else { return };
        let what = match phase {
            HandoverPhase::Predicted => "is expected",
            HandoverPhase::Started => "begins",
            HandoverPhase::Completed => "is over",
        };
        let earlier = self.remark.take().map(|remark| remark + "; ").unwrap_or_default();
        self.remark = Some(format!("{earlier}handover of {link} {what}"));
    }

    /// Put the file in its place.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let capture = self.failed.map_or_else(|| self.packets.finish(), Err);
        let capture = capture.map_err(|cause| WriteError { path: self.path, cause })?;
        capture.finish().finish()
    }
}

/// What the anchor on a node is called.
pub(super) fn anchor_name(scenario: &Scenario, node: usize) -> String {
    let is_home = |mobile: &MobileSpec| {
        mobile.protocol.as_ref().is_some_and(|protocol| protocol.home_agent == Some(node))
    };
    let what = if scenario.mobiles.iter().any(is_home) { "home-agent" } else { "anchor-point" };
    format!("{}/{what}", scenario.nodes[node])
}

/// Whether a packet comes to an element or leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayOfPacket {
    In,
    Out,
}

/// What is captured at an element that packets pass through, so that each is there once.
#[derive(Clone, Debug)]
enum Filter {
    /// What goes to the air and comes from it, at the radio of the node with these addresses.
    Radio(Vec<NodeId>),
    /// What an anchor sends, and the messages it gets.
    Anchor,
}

impl Filter {
    fn takes(&self, packet: &Packet, way: WayOfPacket) -> bool {
        match self {
            Filter::Radio(own) => own.contains(&packet.source) == (way == WayOfPacket::Out),
            Filter::Anchor => way == WayOfPacket::Out || packet.control().is_some(),
        }
    }
}
