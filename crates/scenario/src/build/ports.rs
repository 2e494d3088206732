//! The ports of routers, numbered at each node by itself: what a node has to keep does not grow with the network around it.

use crate::routes::Way;
use crate::schema::Scenario;
use seamline_recordings::measured::Direction;
use seamline_wire::Port;
use std::collections::BTreeMap;

/// Port 0 is the host's. Then come the anchor and the radio of a node, and one port for each way out, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    /// By link: at its beginning, and at its end.
    links: Vec<[Port; 2]>,
    /// By radio cell: at its base station.
    cells: Vec<Port>,
    /// By radio cell and fixed node: at that node.
    fixed: BTreeMap<(usize, usize), Port>,
}

impl Ports {
    /// The port to the anchor on a node.
    pub(super) const ANCHOR: Port = Port(1);
    /// The port to the radio of a mobile node.
    pub(super) const RADIO: Port = Port(2);
    const FIRST: u16 = 3;

    pub(super) fn new(scenario: &Scenario) -> Self {
        let mut next = vec![Self::FIRST; scenario.nodes.len()];
        let mut port = |node: usize| {
            next[node] += 1;
            Port(next[node] - 1)
        };
        let links = scenario.links.iter().map(|link| [port(link.from), port(link.to)]).collect();
        let cells = scenario.cells.iter().map(|cell| port(cell.base_station)).collect();
        let fixed = scenario
            .cells
            .iter()
            .enumerate()
            .flat_map(|(index, cell)| cell.fixed.iter().map(move |node| (index, *node)));
        let fixed = fixed.map(|(index, node)| ((index, node), port(node))).collect();
        Ports { links, cells, fixed }
    }

    /// At the end of a link where packets of this direction enter it.
    pub(super) fn link(&self, index: usize, side: Direction) -> Port {
        self.links[index][usize::from(side == Direction::Up)]
    }
    /// At the base station of a radio cell.
    pub(super) fn cell(&self, index: usize) -> Port {
        self.cells[index]
    }
    /// At a fixed node of a radio cell.
    pub(super) fn fixed(&self, index: usize, node: usize) -> Port {
        self.fixed[&(index, node)]
    }
    /// At a node that takes this way.
    pub(super) fn way(&self, node: usize, way: Way) -> Port {
        match way {
            Way::Link(index, side) => self.link(index, side),
            Way::Cell(index, Direction::Down) => self.cell(index),
            Way::Cell(index, Direction::Up) => self.fixed(index, node),
            Way::Radio(_) => Self::RADIO,
            Way::Anchor(_) => Self::ANCHOR,
        }
    }
}
