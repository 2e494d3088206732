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

    /// Register the names of all elements.
    pub(crate) fn prepare(&mut self, scenario: &Scenario, places: &Places) {
        if let Some(rows) = self.rows.ready() {
            name_network(rows, scenario, places);
            name_mobility(rows, scenario, places);
            let connections = scenario.flows.iter().flat_map(|flow| {
                (0..flow.count).map(|copy| match flow.count {
                    1 => flow.name.clone(),
                    _ => format!("{}/{copy}", flow.name),
                })
            });
            rows.name_connections(connections);
        }
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

fn name_network(rows: &mut Rows, scenario: &Scenario, places: &Places) {
    for (host, node) in places.hosts.iter().zip(&scenario.nodes) {
        name(rows, *host, node);
    }
    for (correspondent, node) in places.correspondents.iter().zip(&scenario.nodes) {
        name(rows, *correspondent, &correspondent_name(node));
    }
    for (link, notices) in scenario.links.iter().zip(&places.notices) {
        name(rows, *notices, &format!("{}/notice", link.name));
    }
    for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
        rows.name_element(*down, &format!("{}/down", link.name));
        rows.name_element(*up, &format!("{}/up", link.name));
    }
}

fn name_mobility(rows: &mut Rows, scenario: &Scenario, places: &Places) {
    for (cell, places) in scenario.cells.iter().zip(&places.cells) {
        rows.name_element(places.down, &format!("{}/down", cell.name));
        rows.name_element(places.up, &format!("{}/up", cell.name));
        rows.name_element(places.coverage, &cell.name);
        name(rows, places.agent, &format!("{}/agent", cell.name));
        name(rows, places.departed, &format!("{}/departed", cell.name));
    }
    for (node, element) in &places.anchors {
        rows.name_element(*element, &anchor_name(scenario, *node));
    }
    for (mobile, places) in scenario.mobiles.iter().zip(&places.mobiles) {
        let node = &scenario.nodes[mobile.node];
        rows.name_element(places.node, &format!("{node}/radio"));
        name(rows, places.notices, &format!("{node}/notice"));
    }
}

fn name(rows: &mut Rows, element: Option<ElementId>, name: &str) {
    if let Some(element) = element {
        rows.name_element(element, name);
    }
}
