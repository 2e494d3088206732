//! `[[link]]`: a wire between two nodes, with a direction down (`from` -> `to`) and a direction up. Keys of
//! the link hold for both; the tables `down` and `up` hold what differs in one direction.

use super::group::{Named, Nodes};
use super::loss::{self, LossSpec};
use super::notice::{self, NoticeSpec};
use super::schedule::{self, Part, ScheduleSpec};
use super::several::{self, Member, member};
use super::{handover, orbit, queue, repair};
use crate::keys::{Keys, Section, boolean, positive_rate, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_net::notices::NoticeConfig;
use seamline_net::schedule::Handovers;
use seamline_net::{ArqConfig, FecConfig, QueueConfig, RepairConfig};
use seamline_recordings::measured::Direction as Way;
use seamline_wire::{Duration, Rate};

/// A link.
#[derive(Clone, Debug)]
pub struct LinkSpec {
    /// Its name.
    pub name: String,
    /// The name of its table, where that stands for several links.
    pub group: Option<String>,
    /// The index of the node at one end.
    pub from: usize,
    /// The index of the node at the other end.
    pub to: usize,
    /// The direction `from` -> `to`.
    pub down: DirectionSpec,
    /// The direction `to` -> `from`.
    pub up: DirectionSpec,
    /// Interruptions of both directions; schedules have none then.
    pub handovers: Option<Handovers>,
    /// Whether its ends tell senders by ICMP that it is down.
    pub failure_notices: bool,
    /// Which node is notified of handovers, and how.
    pub notice: Option<NoticeSpec>,
}

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct DirectionSpec {
    /// Rate; ignored when the schedule has one.
    pub rate: Rate,
    /// Propagation delay; ignored when the schedule has one.
    pub one_way_delay: Duration,
    /// The queue.
    pub queue: QueueConfig,
    /// Error models, at most one per place.
    pub loss: Vec<LossSpec>,
    /// How the link layer repairs losses.
    pub repair: RepairConfig,
    /// Conditions over time.
    pub schedule: Option<ScheduleSpec>,
}

impl DirectionSpec {
    /// That of one of the links that the table `name` stands for, by its index.
    fn of_member(&self, name: &str, index: usize) -> Self {
        let schedule = self.schedule.as_ref().map(|schedule| schedule.of_member(name, index));
        DirectionSpec { schedule, ..self.clone() }
    }
}

/// Each takes a port of a router.
const MOST_LINKS: usize = 30_000;

impl Member for LinkSpec {
    fn names(&self) -> (&str, Option<&str>) {
        (&self.name, self.group.as_deref())
    }
}

/// Read all links; `None` when there is none, or something about one of them is wrong, which has been noted.
pub(super) fn read_all(reader: &mut Reader<'_>, nodes: &Nodes, duration: Duration) -> Option<Vec<LinkSpec>> {
    let tables = super::named_tables(reader, "link");
    let section = section(nodes, duration);
    let count = tables.len();
    let links = several::read_all("link", tables, |_, table| section.read(table));
    let links = links.filter(|links| !links.is_empty());
    if links.as_ref().map_or(0, Vec::len).max(count) > MOST_LINKS {
        let complaint = Complaint::out_of_bounds(format!("at most {MOST_LINKS} links fit"));
        reader.refuse("link", reader.span, complaint);
        return None;
    }
    links
}

#[derive(Clone, Default)]
struct Options {
    name: Option<String>,
    ends: Named,
    directions: Directions,
    handovers: Option<Handovers>,
    failure_notices: bool,
    notice: Option<(Option<usize>, NoticeConfig)>,
}

/// The links of one table. Where an end is a group of nodes there is one for each of them, called `name-1`, `name-2` and so on.
pub(super) fn section(nodes: &Nodes, duration: Duration) -> Section<'_, Vec<LinkSpec>> {
    table! { Options;
        .definition("link");
        .name("link", "Its name", |it: &mut Options| &mut it.name);
        .with(nodes.ends(
                "One end: a node, or a group (one link for each); down is from here",
                "The other end; up is from there",
            ),
            |it| &mut it.ends,);
        .with(direction_keys([
                "Where the direction from `from` to `to` differs",
                "Where the direction from `to` to `from` differs",
            ]),
            |it| &mut it.directions,);
        section handover (handovers): handover::section(duration), "When the link is interrupted, for how long, and what happens to packets";
        key failure_notices: boolean(), "While the link is down, its ends send an ICMP host unreachable message to the source of each segment for it, on which the scheme `elfn` acts";
        section notice: notice::section(&nodes.names), "Which node is notified of handovers in advance, and how reliably";
    }
    .build(Options::default(), make)
}

fn make(options: Options, reader: &mut Reader<'_>) -> Option<Vec<LinkSpec>> {
    let Options { name, ends, directions, handovers, failure_notices, notice } = options;
    let ends = ends.resolve(reader, "link");
    let [down, up] = directions.resolve(reader);
    if reader.has("handover") {
        refuse_two_kinds_of_handovers(reader, [&down, &up]);
    }
    if reader.is_wrong("handover") || reader.is_wrong("notice") {
        return None;
    }
    let (name, ends, down, up) = (name?, ends?, down?, up?);
    let link = |(place, [from, to]): (usize, [usize; 2])| LinkSpec {
        name: if ends.is_group() { member(&name, place) } else { name.clone() },
        group: ends.is_group().then(|| name.clone()),
        from,
        to,
        down: down.of_member(&name, place),
        up: up.of_member(&name, place),
        handovers: handovers.clone(),
        failure_notices,
        notice: notice.map(|(other, config)| NoticeSpec { to: other.unwrap_or(to), config }),
    };
    Some(ends.pairs().enumerate().map(link).collect())
}

fn refuse_two_kinds_of_handovers(reader: &mut Reader<'_>, directions: [&Option<DirectionSpec>; 2]) {
    let scheduled = |direction: &&Option<DirectionSpec>| {
        let schedule = direction.as_ref().and_then(|direction| direction.schedule.as_ref());
        schedule.is_some_and(ScheduleSpec::has_handovers)
    };
    if directions.iter().any(scheduled)
        && let Some((key, _)) = reader.entry("handover")
    {
        let complaint = Complaint::conflict("the schedule has its own handovers")
            .tip("their interruption and what happens to packets are keys of the schedule");
        reader.refuse("handover", key.span, complaint);
    }
}

/// The keys of one direction.
#[derive(Clone, Debug, Default)]
struct Direction {
    rate: Option<Rate>,
    one_way_delay: Option<Duration>,
    queue: Option<QueueConfig>,
    loss: Option<Vec<LossSpec>>,
    arq: Option<ArqConfig>,
    fec: Option<FecConfig>,
    schedule: Option<Vec<Part>>,
    orbit: Option<Part>,
    /// Whether a key of the table, or a table in it, is wrong; that has been noted.
    flawed: bool,
}

/// The keys for both directions, and those in the tables `down` and `up`.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions {
    shared: Direction,
    down: Direction,
    up: Direction,
}

/// The keys of both directions; `about` are the tables `down` and `up`.
pub(super) fn direction_keys<'a>(about: [&'static str; 2]) -> Keys<'a, Directions> {
    let side = || one_direction().definition("direction");
    table! { Directions;
        .with(one_direction(), |it: &mut Directions| &mut it.shared);
        part down: side(), about[0];
        part up: side(), about[1];
    }
}

fn one_direction<'a>() -> Keys<'a, Direction> {
    table! { Direction;
        optional rate: positive_rate(), "Transmission rate, unless a schedule sets it";
        optional one_way_delay: time(), "One-way propagation delay, unless a schedule sets it";
        section queue: queue::section(), "Queue of packets that wait for the transmitter [default: unlimited]";
        sections loss: loss::section(), "Error models, at most one at each place";
        section arq: repair::arq(), "Retransmission of lost frames by the link layer (AIRMAIL) [default: none]";
        section fec: repair::fec(), "Redundancy from which the link layer restores lost frames (AIRMAIL) [default: none]";
        sections schedule: schedule::section(), "Conditions over time, recorded or generated; several complete each other";
        section orbit: orbit::section(), "The same as schedule = { kind = \"orbit\", ... }: delay and handovers of a satellite path";
    }
    .check(|reader, it| {
            if let Some(orbit) = it.orbit.take() {
                it.schedule.get_or_insert_default().push(orbit);
            }
            loss::refuse_shared_places(reader, it.loss.as_deref().unwrap_or_default());
            schedule::refuse_overlap(reader, it.schedule.as_deref().unwrap_or_default());
            let keys = ["rate", "one_way_delay", "queue", "loss", "arq", "fec", "schedule", "orbit"];
            it.flawed = keys.iter().any(|key| reader.is_wrong(key));
        })
}

impl Directions {
    /// Down and up; `None` when something is missing or wrong, which has been noted.
    pub(super) fn resolve(self, reader: &mut Reader<'_>) -> [Option<DirectionSpec>; 2] {
        let Directions { shared, down, up } = self;
        [("down", down, Way::Down), ("up", up, Way::Up)].map(|(key, own, direction)| {
            let is_table = !reader.has(key) || reader.table(key).is_some();
            if is_table { own.over(&shared, direction, reader) } else { None }
        })
    }
}

impl Direction {
    /// The keys of this direction; those for both directions where it has none.
    fn over(self, shared: &Direction, direction: Way, reader: &Reader<'_>) -> Option<DirectionSpec> {
        if self.flawed || shared.flawed {
            return None;
        }
        let schedule = self.schedule.or_else(|| shared.schedule.clone());
        let schedule =
            schedule.filter(|parts| !parts.is_empty()).map(|parts| ScheduleSpec::new(parts, direction));
        let rate = self.rate.or(shared.rate);
        let one_way_delay = self.one_way_delay.or(shared.one_way_delay);
        let scheduled_rate = schedule.as_ref().is_some_and(ScheduleSpec::has_capacity);
        let scheduled_delay = schedule.as_ref().is_some_and(ScheduleSpec::has_delay);
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
            queue: self.queue.or(shared.queue).unwrap_or_default(),
            loss: self.loss.or_else(|| shared.loss.clone()).unwrap_or_default(),
            repair: RepairConfig { arq: self.arq.or(shared.arq), fec: self.fec.or(shared.fec) },
            schedule,
        })
    }
}
