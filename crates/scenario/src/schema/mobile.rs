//! `[[mobile]]`: a node that moves between cells, when it does, and how it stays reachable.

use super::cell::CellSpec;
use super::layer_2;
use super::link::all_or_none;
use super::movement::{self, MovementSpec};
use super::named_place;
use super::notice::{self, NoticeSpec};
use super::protocol::{self, ProtocolSpec};
use crate::codes::Code;
use crate::reader::{Reader, list};
use crate::units::Complaint;
use seamline_wire::Duration;

/// A mobile node.
#[derive(Clone, Debug)]
pub struct MobileSpec {
    /// Its place in the list of nodes.
    pub node: usize,
    /// Places of its cells in the list of cells.
    pub cells: Vec<usize>,
    /// When it is where.
    pub movement: MovementSpec,
    /// How its packets find it; with no protocol all routes follow it at once.
    pub protocol: Option<ProtocolSpec>,
    /// What its link layer tells it of its handovers.
    pub notice: Option<NoticeSpec>,
}

/// Read one mobile node; `None` when something about it is wrong, which has been noted.
pub(super) fn read(
    mut reader: Reader<'_>,
    nodes: &[String],
    cells: &[CellSpec],
    duration: Duration,
) -> Option<MobileSpec> {
    let node = super::read_node(&mut reader, "name", nodes);
    if let Some(node) = node {
        reader.what = format!("mobile \"{}\"", nodes[node]);
    }
    let own = read_cells(&mut reader, cells);
    if !reader.has("movement") {
        reader.missing("movement");
    }
    let layer_2 = reader.table("layer_2").map(layer_2::read);
    let movement = reader.table("movement").and_then(|table| {
        let layer_2 = layer_2.map(Option::unwrap_or_default);
        movement::read(table, layer_2, own.as_deref().unwrap_or_default(), cells, duration)
    });
    if !reader.has("protocol") {
        reader.missing("protocol");
    }
    let protocol = reader.table("protocol").and_then(|table| protocol::read(table, nodes));
    let notice = reader.table("notice").map(|table| notice::read(table, nodes, node));
    if let (Some(Some(notice)), Some(node)) = (&notice, node)
        && notice.to != node
    {
        let complaint = Complaint::new("only the node itself hears of its handovers");
        reader.refuse_value("notice", complaint.code(Code::Conflict).tip("leave out `to`"));
    }
    reader.finish();
    all_or_none(layer_2)?;
    Some(MobileSpec {
        node: node?,
        cells: own?,
        movement: movement?,
        protocol: protocol?,
        notice: all_or_none(notice)?,
    })
}

fn read_cells(reader: &mut Reader<'_>, cells: &[CellSpec]) -> Option<Vec<usize>> {
    let known: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let found = reader.required("cells", list(|node| named_place(node, "cell", &known)))?;
    let twice = (1..found.len()).any(|place| found[..place].contains(&found[place]));
    if found.is_empty() || twice {
        let (label, code) = match twice {
            true => ("a cell is named twice", Code::NameTaken),
            false => ("a mobile node needs a cell to begin in", Code::Missing),
        };
        reader.refuse_value("cells", Complaint::new(label).code(code));
        return None;
    }
    Some(found)
}
