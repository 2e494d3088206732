//! `[[mobile]]`: a node that moves between cells, when it does, and how it stays reachable.

use super::cell::CellSpec;
use super::group::{End, Nodes};
use super::layer_2;
use super::movement::{self, MovementSpec};
use super::notice::{self, NoticeSpec};
use super::protocol::{self, ProtocolSpec};
use super::several::{self, Members, members};
use crate::codes::Code;
use crate::document::Node;
use crate::keys::{KeyShape, Section, Shape, table};
use crate::reader::{Reader, text};
use crate::units::Complaint;
use seamline_mobility::Layer2Config;
use seamline_net::notices::NoticeConfig;
use seamline_wire::Duration;
use std::collections::BTreeSet;

/// A mobile node.
#[derive(Clone, Debug)]
pub struct MobileSpec {
    /// The index of its node.
    pub node: usize,
    /// The index of its table in the file.
    pub table: usize,
    /// The indices of its radio cells.
    pub cells: Vec<usize>,
    /// Its movement.
    pub movement: MovementSpec,
    /// How packets are routed to it; without a protocol all routes follow it at once.
    pub protocol: Option<ProtocolSpec>,
    /// How its link layer notifies it of its handovers.
    pub notice: Option<NoticeSpec>,
}

#[derive(Clone, Default)]
struct Options {
    node: Option<End>,
    cells: Option<Vec<Members>>,
    layer_2: Option<Layer2Config>,
    movement: movement::Options,
    protocol: Option<Option<ProtocolSpec>>,
    notice: Option<(Option<usize>, NoticeConfig)>,
}

/// Read all tables; `None` when one of them is wrong, which has been noted.
pub(super) fn read_all(
    tables: Vec<Reader<'_>>,
    section: &Section<'_, Vec<MobileSpec>>,
) -> Option<Vec<MobileSpec>> {
    let found: Vec<Option<Vec<MobileSpec>>> = tables
        .into_iter()
        .enumerate()
        .map(|(place, table)| {
            let mobiles = section.read(table)?;
            Some(mobiles.into_iter().map(|mobile| MobileSpec { table: place, ..mobile }).collect())
        })
        .collect();
    Some(found.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The mobile nodes of one table: each node of a group.
pub(super) fn section<'a>(
    nodes: &'a Nodes,
    cells: &'a [CellSpec],
    duration: Duration,
) -> Section<'a, Vec<MobileSpec>> {
    let known: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let name = move |reader: &mut Reader<'_>, it: &mut Options| {
        it.node = reader.optional("name", |node: &Node| nodes.one_or_group().read(node));
        if let Some(name) = it.node.and_then(|_| text(reader.node("name")?).ok()) {
            reader.what = format!("mobile \"{name}\"");
        }
    };
    table! { Options;
        .definition("mobile");
        .custom("name", name, || KeyShape::new("name", "Node that moves, or a group whose nodes all move", Shape::Text));
        .needed();
        required cells: members("cell", cells).one_or_many(), "Its cells; it begins in the first. The name of a `[[cell]]` table for a group stands for all its cells; a node with waypoints then uses those along its way, and begins in the one at its start";
        section layer_2: layer_2::section(), "How long a handover takes below IP, instead of `interruption`";
        part movement: movement::keys(known), "When it changes its cell";
        .needed();
        section protocol: protocol::section(&nodes.names), "How packets are routed to it";
        .needed();
        section notice: notice::section(&nodes.names), "How its link layer notifies it of its handovers";
    }
    .build(Options::default(), move |it, reader| make(it, reader, cells, duration))
}

fn make(
    it: Options,
    reader: &mut Reader<'_>,
    cells: &[CellSpec],
    duration: Duration,
) -> Option<Vec<MobileSpec>> {
    let picks = it.cells.iter().flatten().any(|members| members.is_group);
    let own = it.cells.map(|all| all.into_iter().flat_map(|members| members.range).collect::<Vec<_>>());
    let own = own.filter(|own| are_cells_good(reader, own));
    let layer_2 = reader.has("layer_2").then(|| it.layer_2.unwrap_or_default());
    let nodes = it.node.map_or(0..0, End::nodes);
    let asked = movement::Asked {
        own: own.as_deref().unwrap_or_default(),
        picks,
        cells,
        duration,
        count: nodes.len().max(1),
    };
    let movements = reader.table("movement").and_then(|mut table| {
        several::refuse_spacing(&mut table, it.node, "name");
        movement::make(it.movement, &mut table, layer_2, &asked)
    });
    if let (Some((Some(to), _)), true) = (&it.notice, it.node.is_some())
        && nodes != (*to..*to + 1)
    {
        let complaint = Complaint::conflict("only the node itself is notified of its handovers");
        reader.refuse_value("notice", complaint.tip("leave out `to`"));
    }
    if reader.is_wrong("layer_2") || reader.is_wrong("notice") {
        return None;
    }
    it.node?;
    let (_, movements, protocol, notice) = (own?, movements?, it.protocol?, it.notice);
    let mobile = |(node, (movement, cells))| MobileSpec {
        node,
        table: 0,
        cells,
        movement,
        protocol: protocol.clone(),
        notice: notice.map(|(to, config)| NoticeSpec { to: to.unwrap_or(node), config }),
    };
    Some(nodes.zip(movements).map(mobile).collect())
}

fn are_cells_good(reader: &mut Reader<'_>, own: &[usize]) -> bool {
    let twice = own.iter().collect::<BTreeSet<_>>().len() < own.len();
    let (label, code) = match twice {
        true => ("a cell is named twice", Code::NameTaken),
        false if own.is_empty() => ("a mobile node needs a cell to begin in", Code::Missing),
        false => return true,
    };
    reader.refuse_value("cells", Complaint::new(label).code(code));
    false
}
