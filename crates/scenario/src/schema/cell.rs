//! `[[cell]]`: the air around a base station, shared by all nodes in it. Down is from the base station to the
//! nodes, up the other way; keys and tables are those of a link.

use super::group::{End, Nodes};
use super::link::{DirectionSpec, Directions, direction_keys};
use super::several::{self, Member, member, spaced};
use crate::keys::{Section, Takes, amount, choice, coordinate, distance, positive_time, share, table};
use crate::reader::Reader;
use crate::units::{Amount, Complaint};
use seamline_mobility::{EdgeLoss, InFlightUpwards, KeptAtMost, Position};
use seamline_wire::Duration;

/// A radio cell.
#[derive(Clone, Debug)]
pub struct CellSpec {
    /// Its name.
    pub name: String,
    /// The name of its table, where that stands for several cells.
    pub group: Option<String>,
    /// The index of its table in the file.
    pub table: usize,
    /// The index of its base station among the nodes.
    pub base_station: usize,
    /// From the base station to the nodes.
    pub down: DirectionSpec,
    /// From the nodes to the base station.
    pub up: DirectionSpec,
    /// The indices of the nodes that are always in it.
    pub fixed: Vec<usize>,
    /// What happens to packets of a node that leaves.
    pub in_flight_upwards: InFlightUpwards,
    /// Where it reaches, for nodes that move by waypoints.
    pub area: Option<Area>,
    /// The round-trip time that link layers report when a link is up.
    pub known_round_trip_time: Option<Duration>,
    /// How many packets for departed nodes the base station keeps, to forward them. `None`: they are lost.
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

const IN_FLIGHT_UPWARDS: &[(&str, InFlightUpwards)] = &[
    ("transmitted", InFlightUpwards::Transmitted),
    ("drop", InFlightUpwards::Lost),
    ("deliver", InFlightUpwards::Kept),
];

#[derive(Clone, Default)]
struct Options {
    name: Option<String>,
    base_station: Option<End>,
    fixed: Vec<End>,
    directions: Directions,
    in_flight_upwards: InFlightUpwards,
    position: Option<Position>,
    spacing: Option<Position>,
    range: Option<f64>,
    known_round_trip_time: Option<Duration>,
    forward_departed: Option<KeptAtMost>,
    edge_loss: Option<EdgeLoss>,
}

impl Member for CellSpec {
    fn names(&self) -> (&str, Option<&str>) {
        (&self.name, self.group.as_deref())
    }
}

/// The cells of one table. Where the base station is a group of nodes there is one for each of them, called `name-1`, `name-2` and so
/// on.
pub(super) fn section(nodes: &Nodes) -> Section<'_, Vec<CellSpec>> {
    let edge_loss = table! { (_, _);
        required rises_to (0): share(), "Loss probability at the moment the node leaves";
        required within (1): positive_time(), "Time over which the probability rises linearly from zero";
    }
    .build((None, None), |(rises_to, within), _| Some(EdgeLoss { rises_to: rises_to?, within: within? }));
    table! { Options;
        .definition("cell");
        .name("cell", "Its name", |it: &mut Options| &mut it.name);
        required base_station: nodes.one_or_group(), "Node that is its base station, or a group: one cell for each of its nodes. A node has at most one cell";
        key fixed: nodes.one_or_group().one_or_many(), "Nodes that are always in the cell; where there are several cells, a group is distributed over them in turn, and a single node is in each";
        .with(direction_keys(["Where the direction from the base station differs", "Where the direction to the base station differs"]), |it| &mut it.directions);
        key in_flight_upwards: choice(IN_FLIGHT_UPWARDS), "What happens to packets of a node that leaves: `transmitted` delivers what has left its antenna";
        optional position: position(), "Position of the base station, to the east and to the north, for nodes with waypoints";
        optional spacing: position(), "Offset from each cell of a group to the next, to the east and to the north";
        optional range: distance(), "Radius of the cell";
        optional forward_departed: kept_at_most(), "How much the base station keeps for departed nodes, without a protocol or with fmipv6, to forward it, and with fmipv6-predictive for nodes that are about to come; nothing unless given";
        section edge_loss: edge_loss, "Losses before a mobile node leaves";
        optional known_round_trip_time: positive_time(), "Round-trip time of the path; link layers report it, with the rate, when a link is up";
    }
    .build(Options::default(), make)
}

fn make(it: Options, reader: &mut Reader<'_>) -> Option<Vec<CellSpec>> {
    let [down, up] = it.directions.clone().resolve(reader);
    if [&down, &up].iter().any(|side| side.as_ref().is_some_and(|it| it.schedule.is_some())) {
        let span = reader.span_of(&["schedule", "down", "up"]);
        let complaint = Complaint::conflict("the air of a cell has constant conditions")
            .tip("put the schedule on the link behind the base station");
        reader.refuse("schedule", span, complaint);
    }
    several::refuse_spacing(reader, it.base_station, "base_station");
    for (key, other) in [("position", "range"), ("range", "position"), ("spacing", "position")] {
        if reader.has(key) && !reader.has(other) {
            reader.missing(other);
        }
    }
    let fixed = fixed(&it, reader);
    if ["position", "range", "spacing", "edge_loss"].iter().any(|key| reader.is_wrong(key)) {
        return None;
    }
    let (name, base_stations, down, up, fixed) = (it.name?, it.base_station?, down?, up?, fixed?);
    let cell = |(place, base_station): (usize, usize)| CellSpec {
        name: if base_stations.is_group() { member(&name, place) } else { name.clone() },
        group: base_stations.is_group().then(|| name.clone()),
        table: 0,
        base_station,
        down: down.clone(),
        up: up.clone(),
        fixed: fixed[place].clone(),
        in_flight_upwards: it.in_flight_upwards,
        area: it.position.zip(it.range).map(|(first, range)| {
            let position = spaced(first, it.spacing, place as f64);
            Area { position, range }
        }),
        known_round_trip_time: it.known_round_trip_time,
        forward_departed: it.forward_departed,
        edge_loss: it.edge_loss,
    };
    Some(base_stations.nodes().enumerate().map(cell).collect())
}

/// The fixed nodes of each cell.
fn fixed(it: &Options, reader: &mut Reader<'_>) -> Option<Vec<Vec<usize>>> {
    let base_stations = it.base_station?.nodes();
    if it.fixed.iter().any(|end| end.nodes().any(|node| base_stations.contains(&node))) {
        reader.refuse_value("fixed", Complaint::new("the base station is on the other side of the air"));
    }
    let cells = base_stations.len();
    let mut fixed = vec![Vec::new(); cells];
    for end in &it.fixed {
        let nodes = end.nodes();
        if !end.is_group() {
            fixed.iter_mut().for_each(|all| all.extend(nodes.clone()));
        } else if nodes.len().is_multiple_of(cells) {
            nodes.enumerate().for_each(|(place, node)| fixed[place % cells].push(node));
        } else {
            let label = format!("{} nodes cannot be spread evenly over {cells} cells", nodes.len());
            let tip = format!("give the group a `count` that is a multiple of {cells}");
            reader.refuse_value("fixed", Complaint::conflict(label).tip(tip));
            return None;
        }
    }
    Some(fixed)
}

fn kept_at_most<'a>() -> Takes<'a, KeptAtMost> {
    let kept = |amount| match amount {
        Amount::Packets(packets) => Ok(KeptAtMost::Packets(packets)),
        Amount::Bytes(bytes) => Ok(KeptAtMost::Bytes(bytes)),
    };
    amount().map(kept, |_| None)
}

/// `["200 m", "300 m"]`: to the east and to the north.
pub(super) fn position<'a>() -> Takes<'a, Position> {
    let position = coordinate().pair("two distances, to the east and to the north", "[\"200 m\", \"300 m\"]");
    position.map(|(x, y)| Ok(Position { x, y }), |_| None)
}
