//! A capture at the hosts that send data, as tcpdump would take it there: each packet once.

use crate::atomic::{AtomicFile, WriteError};
use crate::build::Places;
use crate::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::capture::{Capture, CaptureOptions, Interface};
use seamline_wire::{Event, HandoverPhase, Instant, Packet};
use std::io;
use std::path::{Path, PathBuf};

/// A capture being written.
#[derive(Debug)]
pub(crate) struct SenderCapture {
    path: PathBuf,
    capture: Capture<AtomicFile>,
    /// By element: the interface it is captured at.
    interfaces: Vec<Option<Interface>>,
    /// By element: the name of the link it belongs to.
    links: Vec<Option<String>>,
    /// What happened since the last packet.
    remark: Option<String>,
    /// The first failure; nothing is written after it.
    failed: Option<io::Error>,
}

impl SenderCapture {
    /// Begin a capture.
    pub(crate) fn create(path: &Path, provenance: String) -> Result<Self, WriteError> {
        let file = AtomicFile::create(path)?;
        let options = CaptureOptions { provenance, ..CaptureOptions::default() };
        let capture =
            Capture::new(file, &options).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(SenderCapture {
            path: path.to_owned(),
            capture,
            interfaces: Vec::new(),
            links: Vec::new(),
            remark: None,
            failed: None,
        })
    }

    /// Learn what is where.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        for flow in &scenario.flows {
            let Some(host) = places.hosts[flow.from] else { continue };
            let slot = slot(&mut self.interfaces, host);
            if slot.is_none() {
                match self.capture.interface(&scenario.nodes[flow.from]) {
                    Ok(interface) => *slot = Some(interface),
                    Err(error) => self.failed = Some(error),
                }
            }
        }
        for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
            *slot(&mut self.links, *down) = Some(link.name.clone());
            *slot(&mut self.links, *up) = None;
        }
    }

    pub(crate) fn packet(&mut self, now: Instant, at: ElementId, packet: &Packet) {
        let Some(Some(interface)) = self.interfaces.get(at.0 as usize) else { return };
        if self.failed.is_some() {
            return;
        }
        let remark = self.remark.take();
        if let Err(error) = self.capture.packet(*interface, now, packet, remark.as_deref()) {
            self.failed = Some(error);
        }
    }

    /// Note what the next packet shall carry as a remark.
    pub(crate) fn event(&mut self, at: ElementId, event: &Event) {
        let Event::Handover(phase) = event else { return };
        let Some(Some(link)) = self.links.get(at.0 as usize) else { return };
        let what = match phase {
            HandoverPhase::Predicted => "is expected",
            HandoverPhase::Started => "begins",
            HandoverPhase::Completed => "is over",
        };
        let earlier = self.remark.take().map(|remark| remark + "; ").unwrap_or_default();
        self.remark = Some(format!("{earlier}handover of link {link} {what}"));
    }

    /// Put the file in its place.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let fail = |cause| WriteError { path: self.path.clone(), cause };
        match self.failed {
            Some(error) => Err(fail(error)),
            None => self.capture.finish().map_err(fail)?.finish(),
        }
    }
}

fn slot<T>(list: &mut Vec<Option<T>>, element: ElementId) -> &mut Option<T> {
    let place = element.0 as usize;
    if list.len() <= place {
        list.resize_with(place + 1, || None);
    }
    &mut list[place]
}
