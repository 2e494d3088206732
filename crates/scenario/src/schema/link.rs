//! `[[link]]`: a wire between two nodes, with a direction down (`from` -> `to`) and a direction up. Keys of
//! the link hold for both; the tables `down` and `up` say where a direction differs.

use super::group::{Ends, Nodes};
use super::loss::{self, LossSpec};
use super::notice::{self, NoticeSpec};
use super::schedule::{self, ScheduleSpec};
use super::{handover, queue};
use crate::codes::Code;
use crate::reader::{Reader, text};
use crate::units::{self, Complaint};
use seamline_net::QueueConfig;
use seamline_net::schedule::Handovers;
use seamline_wire::{Duration, Rate};
use std::collections::BTreeMap;

/// A link.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// Its name.
    pub name: String,
    /// Place of one end in the list of nodes.
    pub from: usize,
    /// Place of the other end.
    pub to: usize,
    /// The direction `from` -> `to`.
    pub down: DirectionSpec,
    /// The direction `to` -> `from`.
    pub up: DirectionSpec,
    /// Interruptions of both directions, besides which no schedule has any.
    pub handovers: Option<Handovers>,
    /// Who hears of handovers.
    pub notice: Option<NoticeSpec>,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct DirectionSpec {
    /// Rate; does not count when the schedule has one.
    pub rate: Rate,
    /// Propagation delay; does not count when the schedule has one.
    pub one_way_delay: Duration,
    /// What may wait.
    pub queue: QueueConfig,
    /// Error models, at most one per place.
    pub loss: Vec<LossSpec>,
    /// Conditions over time.
    pub schedule: Option<ScheduleSpec>,
}

/// What a table says of a direction.
#[derive(Clone, Debug, Default)]
struct Keys {
    rate: Option<Rate>,
    one_way_delay: Option<Duration>,
    queue: Option<QueueConfig>,
    loss: Option<Vec<LossSpec>>,
    schedule: Option<ScheduleSpec>,
    /// Whether a key of the table, or a table in it, is wrong; that has been noted.
    flawed: bool,
}

/// Links take two ports of a router each.
const MOST_LINKS: usize = 30_000;

/// Read all links; `None` when there is none, or something about one of them is wrong, which has been noted.
pub(super) fn read_all(reader: &mut Reader<'_>, nodes: &Nodes, duration: Duration) -> Option<Vec<LinkSpec>> {
    let tables = super::named_tables(reader, "link");
    let read: Vec<Option<Vec<LinkSpec>>> =
        tables.iter().map(|table| read(table.clone(), nodes, duration)).collect();
    refuse_shared_names(&tables, &read);
    let is_whole = !read.is_empty() && read.iter().all(Option::is_some);
    let links: Vec<LinkSpec> = read.into_iter().flatten().flatten().collect();
    if links.len().max(tables.len()) > MOST_LINKS {
        let complaint = Complaint::new(format!("at most {MOST_LINKS} links fit")).code(Code::OutOfBounds);
        reader.refuse("link", reader.span, complaint);
        return None;
    }
    is_whole.then_some(links)
}

/// What the links of a table are called may be what another table is called, or its links: their records and random streams
/// would be the same.
fn refuse_shared_names(tables: &[Reader<'_>], read: &[Option<Vec<LinkSpec>>]) {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, (table, links)) in tables.iter().zip(read).enumerate() {
        let mut table = table.clone();
        let written = |table: &mut Reader<'_>| table.node("name").and_then(|name| text(name).ok());
        let own = written(&mut table);
        for link in links.iter().flatten() {
            let earlier = *places.entry(&link.name).or_insert(place);
            let other = written(&mut tables[earlier].clone());
            // Of two tables with one name that has been noted.
            if earlier != place && other != own {
                table.what = format!("link \"{}\"", own.unwrap_or_default());
                table.refuse_value("name", shared_name(&link.name, other.as_deref()));
                break;
            }
        }
    }
}

fn shared_name(name: &str, other: Option<&str>) -> Complaint {
    let label = match other {
        Some(other) if other != name => format!("a link of \"{other}\" is called \"{name}\""),
        _ => format!("another link is called \"{name}\""),
    };
    let tip = "links to a group have a number behind their name: choose a name that no other link gets";
    Complaint::new(label).code(Code::NameTaken).tip(tip)
}

/// Read one link; `None` when something about it is wrong, which has been noted.
/// Where an end is a group of nodes it is one for each of them, called `name-1`, `name-2` and so on.
fn read(reader: Reader<'_>, nodes: &Nodes, duration: Duration) -> Option<Vec<LinkSpec>> {
    let (ends, first) = read_member(reader.clone(), nodes, duration, 0)?;
    // What is good once is good again; random parts of each draw from streams of its own name.
    let others = (1..ends.count()).filter_map(|place| read_member(reader.clone(), nodes, duration, place));
    Some(std::iter::once(first).chain(others.map(|(_, link)| link)).collect())
}

fn read_member(
    mut reader: Reader<'_>,
    nodes: &Nodes,
    duration: Duration,
    place: usize,
) -> Option<(Ends, LinkSpec)> {
    let mut name = reader.required("name", super::name);
    if let Some(name) = &name {
        reader.what = format!("link \"{name}\"");
    }
    let ends = nodes.read_ends(&mut reader, "link");
    let pair = ends.map(|ends| ends.pair(place));
    if let (Some(ends), Some(name)) = (ends, &mut name)
        && let Some(member) = ends.member(name, place)
    {
        *name = member;
    }
    let stream = format!("link/{}", name.as_deref().unwrap_or_default());
    let [down, up] = read_directions(&mut reader, &stream);
    let handovers = reader.table("handover").map(|table| handover::read(table, duration));
    let notice = reader.table("notice");
    let notice = notice.map(|table| notice::read(table, &nodes.names, pair.map(|[_, to]| to)));
    if handovers.is_some() {
        refuse_two_kinds_of_handovers(&mut reader, [&down, &up]);
    }
    reader.finish();
    let [from, to] = pair?;
    let link = LinkSpec {
        name: name?,
        from,
        to,
        down: down?,
        up: up?,
        handovers: all_or_none(handovers)?,
        notice: all_or_none(notice)?,
    };
    Some((ends?, link))
}

/// `None` only for what is there and wrong.
pub(super) fn all_or_none<T>(read: Option<Option<T>>) -> Option<Option<T>> {
    match read {
        Some(value) => value.map(Some),
        None => Some(None),
    }
}

fn refuse_two_kinds_of_handovers(reader: &mut Reader<'_>, directions: [&Option<DirectionSpec>; 2]) {
    let scheduled = |direction: &&Option<DirectionSpec>| {
        let schedule = direction.as_ref().and_then(|direction| direction.schedule.as_ref());
        schedule.is_some_and(ScheduleSpec::has_handovers)
    };
    if directions.iter().any(scheduled)
        && let Some((key, _)) = reader.entry("handover")
    {
        let complaint = Complaint::new("the schedule brings its own handovers")
            .code(Code::Conflict)
            .tip("their interruption and what becomes of packets are keys of the schedule");
        reader.refuse("handover", key.span, complaint);
    }
}

/// Both directions, down and up; random parts of a schedule draw from streams below `stream`.
pub(super) fn read_directions(reader: &mut Reader<'_>, stream: &str) -> [Option<DirectionSpec>; 2] {
    let shared = Keys::read(reader, stream);
    ["down", "up"].map(|side| direction(reader, side, &shared, stream))
}

/// One direction: what its own table says, and otherwise what the link says.
fn direction(
    reader: &mut Reader<'_>,
    key: &'static str,
    shared: &Keys,
    stream: &str,
) -> Option<DirectionSpec> {
    let own = match reader.table(key) {
        Some(mut table) => {
            let keys = Keys::read(&mut table, stream);
            table.finish();
            keys
        }
        None => Keys { flawed: reader.has(key), ..Keys::default() },
    };
    let flawed = own.flawed || shared.flawed;
    let schedule = own.schedule.or_else(|| shared.schedule.clone());
    let rate = own.rate.or(shared.rate);
    let one_way_delay = own.one_way_delay.or(shared.one_way_delay);
    let scheduled_rate = schedule.as_ref().is_some_and(ScheduleSpec::has_capacity);
    let scheduled_delay = schedule.as_ref().is_some_and(ScheduleSpec::has_delay);
    if flawed {
        return None;
    }
    for (name, present) in [
        ("rate", rate.is_some() || scheduled_rate),
        ("one_way_delay", one_way_delay.is_some() || scheduled_delay),
    ] {
        if !present {
            reader.missing(name);
            return None;
        }
    }
    Some(DirectionSpec {
        rate: rate.unwrap_or(Rate::ZERO),
        one_way_delay: one_way_delay.unwrap_or(Duration::ZERO),
        queue: own.queue.or(shared.queue).unwrap_or_default(),
        loss: own.loss.or_else(|| shared.loss.clone()).unwrap_or_default(),
        schedule,
    })
}

impl Keys {
    /// Read the keys; random parts of a schedule draw from streams below `stream`.
    fn read(reader: &mut Reader<'_>, stream: &str) -> Keys {
        let mut keys = Keys {
            rate: reader.optional("rate", units::positive_rate),
            one_way_delay: reader.optional("one_way_delay", units::duration),
            queue: reader.table("queue").and_then(queue::read),
            loss: loss::read_all(reader),
            schedule: schedule::read_all(reader, stream),
            flawed: false,
        };
        keys.flawed = [
            ("rate", keys.rate.is_none()),
            ("one_way_delay", keys.one_way_delay.is_none()),
            ("queue", keys.queue.is_none()),
            ("loss", keys.loss.is_none()),
            ("schedule", keys.schedule.is_none()),
        ]
        .into_iter()
        .any(|(key, absent)| absent && reader.has(key));
        keys
    }
}
