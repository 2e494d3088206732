//! `[[mobile]]`: a node that moves between cells, when it does, and how it stays reachable.

use super::cell::CellSpec;
use super::layer_2;
use super::movement::{self, MovementSpec};
use super::node_index;
use super::notice::{self, NoticeSpec};
use super::protocol::{self, ProtocolSpec};
use crate::codes::Code;
use crate::keys::{KeyShape, Section, Shape, index_of, table};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_mobility::Layer2Config;
use seamline_net::notices::NoticeConfig;
use seamline_wire::Duration;

/// A mobile node.
#[derive(Clone, Debug)]
pub struct MobileSpec {
    /// The index of its node.
    pub node: usize,
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
    node: Option<usize>,
    cells: Option<Vec<usize>>,
    layer_2: Option<Layer2Config>,
    movement: movement::Options,
    protocol: Option<Option<ProtocolSpec>>,
    notice: Option<(Option<usize>, NoticeConfig)>,
}

/// One mobile node.
pub(super) fn section<'a>(
    nodes: &'a [String],
    cells: &'a [CellSpec],
    duration: Duration,
) -> Section<'a, MobileSpec> {
    let known: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let name = move |reader: &mut Reader<'_>, it: &mut Options| {
        it.node = reader.optional("name", |node| node_index(nodes).read(node));
        if let Some(node) = it.node {
            reader.what = format!("mobile \"{}\"", nodes[node]);
        }
    };
    table! { Options;
        .definition("mobile");
        .custom("name", name, || KeyShape::new("name", "Node that moves", Shape::Text));
        .needed();
        required cells: index_of("cell", known.clone()).one_or_many(), "Its cells; it begins in the first";
        section layer_2: layer_2::section(), "How long a handover takes below IP, instead of `interruption`";
        part movement: movement::keys(known), "When it changes its cell";
        .needed();
        section protocol: protocol::section(nodes), "How packets are routed to it";
        .needed();
        section notice: notice::section(nodes), "How its link layer notifies it of its handovers";
    }
    .build(Options::default(), move |it, reader| make(it, reader, cells, duration))
}

fn make(it: Options, reader: &mut Reader<'_>, cells: &[CellSpec], duration: Duration) -> Option<MobileSpec> {
    let own = it.cells.filter(|own| are_cells_good(reader, own));
    let layer_2 = reader.has("layer_2").then(|| it.layer_2.unwrap_or_default());
    let movement = reader.table("movement").and_then(|mut table| {
        movement::make(it.movement, &mut table, layer_2, own.as_deref().unwrap_or_default(), cells, duration)
    });
    if let (Some((Some(to), _)), Some(node)) = (&it.notice, it.node)
        && *to != node
    {
        let complaint = Complaint::new("only the node itself is notified of its handovers");
        reader.refuse_value("notice", complaint.code(Code::Conflict).tip("leave out `to`"));
    }
    if reader.is_wrong("layer_2") || reader.is_wrong("notice") {
        return None;
    }
    let node = it.node?;
    Some(MobileSpec {
        node,
        cells: own?,
        movement: movement?,
        protocol: it.protocol?,
        notice: it.notice.map(|(to, config)| NoticeSpec { to: to.unwrap_or(node), config }),
    })
}

fn are_cells_good(reader: &mut Reader<'_>, own: &[usize]) -> bool {
    let twice = (1..own.len()).any(|index| own[..index].contains(&own[index]));
    let (label, code) = match twice {
        true => ("a cell is named twice", Code::NameTaken),
        false if own.is_empty() => ("a mobile node needs a cell to begin in", Code::Missing),
        false => return true,
    };
    reader.refuse_value("cells", Complaint::new(label).code(code));
    false
}
