//! `[[cell]]`: the air around a base station, shared by all nodes in it. Down is from the base station to the
//! nodes, up the other way; keys and tables are those of a link.

use super::link::{self, DirectionSpec};
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::Reader;
use crate::units::{self, Amount, Complaint};
use seamline_mobility::{EdgeLoss, InFlightUpwards, KeptAtMost, Position};
use seamline_wire::Duration;

/// A radio cell.
#[derive(Clone, Debug)]
pub struct CellSpec {
    /// Its name.
    pub name: String,
    /// Place of its base station in the list of nodes.
    pub base_station: usize,
    /// From the base station to the nodes.
    pub down: DirectionSpec,
    /// From the nodes to the base station.
    pub up: DirectionSpec,
    /// Places of the nodes that are always in it.
    pub fixed: Vec<usize>,
    /// What becomes of what a node has sent when it leaves.
    pub in_flight_upwards: InFlightUpwards,
    /// Where it reaches, for nodes that move by waypoints.
    pub area: Option<Area>,
    /// What link layers know of the path over it, for whoever hears that a link is up.
    pub known_round_trip_time: Option<Duration>,
    /// How much of what is for departed nodes the base station keeps, to send it after them. `None`: it is lost.
    pub forward_departed: Option<KeptAtMost>,
    /// Losses before a node leaves.
    pub edge_loss: Option<EdgeLoss>,
}

/// The disc that a cell reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Where its base station is.
    pub position: Position,
    /// Its radius in metres.
    pub range: f64,
}

pub(crate) const IN_FLIGHT_UPWARDS: &[(&str, InFlightUpwards)] = &[
    ("transmitted", InFlightUpwards::Transmitted),
    ("drop", InFlightUpwards::Lost),
    ("deliver", InFlightUpwards::Kept),
];

/// Read one cell; `None` when something about it is wrong, which has been noted.
pub(super) fn read(mut reader: Reader<'_>, nodes: &[String]) -> Option<CellSpec> {
    let name = reader.required("name", super::name);
    if let Some(name) = &name {
        reader.what = format!("cell \"{name}\"");
    }
    let base_station = super::read_node(&mut reader, "base_station", nodes);
    let stream = format!("cell/{}", name.as_deref().unwrap_or_default());
    let [down, up] = link::read_directions(&mut reader, &stream);
    let scheduled = [&down, &up].iter().any(|side| side.as_ref().is_some_and(|it| it.schedule.is_some()));
    if scheduled {
        let span = reader.span_of(&["schedule", "down", "up"]);
        let complaint = Complaint::new("the air of a cell has constant conditions")
            .code(Code::Conflict)
            .tip("put the schedule on the link behind the base station");
        reader.refuse("schedule", span, complaint);
    }
    let fixed = match reader.has("fixed") {
        true => super::read_node_list(&mut reader, "fixed", nodes),
        false => Some(Vec::new()),
    };
    if let (Some(fixed), Some(base_station)) = (&fixed, base_station)
        && fixed.contains(&base_station)
    {
        reader.refuse_value("fixed", Complaint::new("the base station is on the other side of the air"));
    }
    let rule = reader.choice("in_flight_upwards", IN_FLIGHT_UPWARDS);
    let area = read_area(&mut reader);
    let known_round_trip_time = reader.optional("known_round_trip_time", units::positive_duration);
    let forward_departed = reader.optional("forward_departed", |node| {
        Ok(match units::amount(node)? {
            Amount::Packets(packets) => KeptAtMost::Packets(packets),
            Amount::Bytes(bytes) => KeptAtMost::Bytes(bytes),
        })
    });
    let is_forward_good = forward_departed.is_some() || !reader.has("forward_departed");
    let edge_loss = reader.table("edge_loss").map(read_edge_loss);
    let is_edge_good = !matches!(edge_loss, Some(None)) && (edge_loss.is_some() || !reader.has("edge_loss"));
    let is_known = known_round_trip_time.is_some() || !reader.has("known_round_trip_time");
    reader.finish();
    Some(CellSpec {
        name: name?,
        base_station: base_station?,
        down: down?,
        up: up?,
        fixed: fixed?,
        in_flight_upwards: rule.unwrap_or_default(),
        area: area?,
        known_round_trip_time: is_known.then_some(known_round_trip_time)?,
        forward_departed: is_forward_good.then_some(forward_departed)?,
        edge_loss: is_edge_good.then_some(edge_loss.flatten())?,
    })
}

fn read_edge_loss(mut reader: Reader<'_>) -> Option<EdgeLoss> {
    let rises_to = reader.required("rises_to", units::ratio);
    let within = reader.required("within", units::positive_duration);
    reader.finish();
    Some(EdgeLoss { rises_to: rises_to?, within: within? })
}

/// `None` only when it is there and wrong.
fn read_area(reader: &mut Reader<'_>) -> Option<Option<Area>> {
    let is_there = ["position", "range"].map(|key| reader.node(key).is_some());
    if is_there == [false; 2] {
        return Some(None);
    }
    let position = reader.required("position", position);
    let range = reader.required("range", units::distance);
    Some(Some(Area { position: position?, range: range? }))
}

/// `["200 m", "300 m"]`: to the east and to the north.
pub(super) fn position(node: &Node) -> Result<Position, Complaint> {
    match &node.value {
        Value::List(items) if items.len() == 2 => {
            let read = |item: &Node| units::coordinate(item).map_err(|complaint| complaint.at(item.span));
            Ok(Position { x: read(&items[0])?, y: read(&items[1])? })
        }
        _ => Err(Complaint::new("expected two distances, to the east and to the north")
            .code(Code::WrongKind)
            .tip("such as [\"200 m\", \"300 m\"]")),
    }
}
