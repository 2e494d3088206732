//! All events of a run as CSV (RFC 4180), one per row; columns that do not apply are empty. Rows are formatted in the
//! background.

use super::capture::{anchor_name, correspondent_name};
use super::rows::{Rows, TimedEvent};
use crate::atomic::WriteError;
use crate::background::Background;
use crate::block_file::BlockFile;
use seamline_scenario::build::Places;
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{Event, Instant};
use std::path::{Path, PathBuf};

/// An event list that is being written.
#[derive(Debug)]
pub(crate) struct EventList {
    path: PathBuf,
    rows: Background<Rows>,
}

impl EventList {
    /// Create an event list.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let rows = Rows::new(BlockFile::create(path)?);
        let rows = rows.map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(EventList { path: path.to_owned(), rows: Background::new(rows) })
    }

    /// Register the names of all elements and connections.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        if let Some(rows) = self.rows.ready() {
            for (element, name) in element_names(scenario, places) {
                rows.name_element(element, &name);
            }
            rows.name_connections(connection_names(scenario));
        }
    }

    /// Likewise in tests.
    #[cfg(test)]
    pub(super) fn name(&mut self, elements: &[(ElementId, String)], connections: &[String]) {
        let rows = self.rows.ready().expect("no batch is full");
        elements.iter().for_each(|(element, name)| rows.name_element(*element, name));
        rows.name_connections(connections.iter().cloned());
    }

    /// Record an event.
    #[inline]
    pub(crate) fn write(&mut self, now: Instant, at: ElementId, event: &Event) {
        self.rows.push(TimedEvent { now, at, event: *event });
    }

    /// Finish the file.
    pub(crate) fn finish(self) -> Result<PathBuf, WriteError> {
        let rows = self.rows.finish().map_err(|cause| WriteError { path: self.path, cause })?;
        rows.into_file().finish()
    }
}

/// The names of connections, in order.
pub(super) fn connection_names(scenario: &Scenario) -> impl Iterator<Item = String> {
    scenario.flows.iter().flat_map(|flow| {
        (0..flow.count).map(|copy| match flow.count {
            1 => flow.name.clone(),
            _ => format!("{}/{copy}", flow.name),
        })
    })
}

/// The names of elements. That of an element that appears twice is the last.
pub(super) fn element_names(scenario: &Scenario, places: &Places) -> Vec<(ElementId, String)> {
    let mut names = Vec::new();
    name_network(&mut names, scenario, places);
    name_mobility(&mut names, scenario, places);
    names
}

type Names = Vec<(ElementId, String)>;

fn name_network(names: &mut Names, scenario: &Scenario, places: &Places) {
    for (host, node) in places.hosts.iter().zip(&scenario.nodes) {
        name(names, *host, node.clone());
    }
    for (correspondent, node) in places.correspondents.iter().zip(&scenario.nodes) {
        name(names, *correspondent, correspondent_name(node));
    }
    for (link, notices) in scenario.links.iter().zip(&places.notices) {
        name(names, *notices, format!("{}/notice", link.name));
    }
    for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
        names.push((*down, format!("{}/down", link.name)));
        names.push((*up, format!("{}/up", link.name)));
    }
}

fn name_mobility(names: &mut Names, scenario: &Scenario, places: &Places) {
    for (cell, places) in scenario.cells.iter().zip(&places.cells) {
        names.push((places.down, format!("{}/down", cell.name)));
        names.push((places.up, format!("{}/up", cell.name)));
        names.push((places.coverage, cell.name.clone()));
        name(names, places.agent, format!("{}/agent", cell.name));
        name(names, places.departed, format!("{}/departed", cell.name));
    }
    for (node, element) in &places.anchors {
        names.push((*element, anchor_name(scenario, *node)));
    }
    for (mobile, places) in scenario.mobiles.iter().zip(&places.mobiles) {
        let node = &scenario.nodes[mobile.node];
        names.push((places.node, format!("{node}/radio")));
        name(names, places.notices, format!("{node}/notice"));
    }
}

fn name(names: &mut Names, element: Option<ElementId>, name: String) {
    names.extend(element.map(|element| (element, name)));
}
