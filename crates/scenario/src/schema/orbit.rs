//! `schedule = { kind = "orbit", shell = "starlink-1", terminal = [47.6, -122.3], gateway = [47.5, -121.8] }`, or
//! `orbit = { shell = ... }`: delay and handovers of a satellite path, computed from orbits.

use super::generated::Generator;
use super::handover::fates;
use super::schedule::Part;
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::keys::{
    Choice, Keys, Section, Shape, Takes, choice, distance, named, number, positive_time, table, text, time,
    unread, whole,
};
use crate::reader::Reader;
use crate::recordings;
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_net::schedule::{Fates, Handovers, Steps};
use seamline_orbit::{
    Constellation, Horizon, OrbitError, Place, Policy, Relay, SHELLS, Setup, Shell, Station, Switch,
    Terminal, Track, Utc, follow, shell_named,
};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};

const RELAYS: &[(&str, Relay)] =
    &[("bent-pipe", Relay::BentPipe), ("inter-satellite", Relay::InterSatelliteLinks)];
const MAKE_BEFORE_BREAK: &str = "make-before-break";
const SWITCHES: &[(&str, bool)] = &[("break-before-make", false), (MAKE_BEFORE_BREAK, true)];
/// The median of what was measured of Starlink, as in the generator `starlink`.
const USUAL_INTERRUPTION: Duration = Duration::from_millis(75);
/// A sidereal day, in whole minutes: then Earth has turned once below the planes of the orbits.
const USUAL_SPAN: Duration = Duration::from_secs(1436 * 60);
const USUAL_ELEVATION: f64 = 25.0;
const MINUTE: Duration = Duration::from_secs(60);
/// Longer runs look at the sky less often.
const MOST_STEPS: u64 = 1_000_000;

/// A satellite path, still without a seed.
#[derive(Clone, Debug)]
pub(super) struct OrbitPath {
    setup: Setup,
    /// The links of a group have these in turn.
    terminals: Vec<Terminal>,
    start_within: Duration,
    switch: Switch,
    fates: Fates,
    /// What was computed last.
    last: Arc<Mutex<Option<Computed>>>,
}

/// The conditions at all terminals: when they begin, how long they last, and by terminal.
type Computed = (Utc, Duration, Arc<[Schedule]>);

impl OrbitPath {
    /// The conditions of a run of this length at one of the places of terminals; the seed's stream decides when it begins.
    pub(super) fn generate(&self, mut stream: Stream, duration: Duration, place: usize) -> Schedule {
        let minutes = (self.start_within.as_nanos() / MINUTE.as_nanos()).max(1);
        let step = self.setup.step.max(Duration::from_nanos(duration.as_nanos().div_ceil(MOST_STEPS)));
        let setup = Setup {
            start: self.setup.start.after(MINUTE * stream.below(minutes)),
            duration: duration.max(step),
            step,
            ..self.setup.clone()
        };
        // Not locked meanwhile: other runs of this path need not wait.
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last().clone().filter(|known| (known.0, known.1) == (setup.start, duration));
        let (_, _, all) =
            known.unwrap_or_else(|| (setup.start, duration, self.follow(&setup, duration).into()));
        let schedule = all[place % all.len()].clone();
        *last() = Some((setup.start, duration, all));
        schedule
    }

    /// The conditions at all places.
    fn follow(&self, setup: &Setup, duration: Duration) -> Vec<Schedule> {
        let passages = follow(setup, &self.terminals).unwrap_or_default();
        let schedule = |place: usize| {
            let schedule = passages.get(place)?.schedule(self.switch, self.fates);
            schedule.ok()
        };
        // No satellite at any time: the link is down.
        let down = || Schedule {
            one_way_delay: Some(Steps::constant(Duration::ZERO)),
            handovers: Handovers::at([Instant::ZERO], duration, self.fates).unwrap_or_default(),
            ..Schedule::default()
        };
        (0..self.terminals.len()).map(|place| schedule(place).unwrap_or_else(down)).collect()
    }
}

#[derive(Clone)]
struct Options {
    shell: Option<&'static str>,
    walker: Option<Shell>,
    elements: Option<Node>,
    terminal: Option<Vec<Place>>,
    track: Option<Vec<(Duration, Place)>>,
    gateway: Option<Vec<Place>>,
    relay: Relay,
    policy: &'static str,
    is_soft: bool,
    interruption: Option<Duration>,
    minimum_elevation: Option<f64>,
    at: Option<Utc>,
    start_within: Duration,
    step: Duration,
    processing_delay: Duration,
    ground_one_way_delay: Duration,
    fates: Fates,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            shell: None,
            walker: None,
            elements: None,
            terminal: None,
            track: None,
            gateway: None,
            relay: Relay::BentPipe,
            policy: Policy::NAMES[0],
            is_soft: false,
            interruption: None,
            minimum_elevation: None,
            at: None,
            start_within: USUAL_SPAN,
            step: Duration::from_secs(1),
            processing_delay: Duration::ZERO,
            ground_one_way_delay: Duration::ZERO,
            fates: Fates::SEAMLESS,
        }
    }
}

/// The table of a path.
pub(super) fn section<'a>() -> Section<'a, Part> {
    table! { Options;
        .definition("orbit");
        .with(satellites(), |it| it);
        .with(ends(), |it| it);
        .with(rules(), |it| it);
        .with(fates(), |it| &mut it.fates);
    }
    .build(Options::default(), |options, reader| {
        let path = make(options, reader)?;
        Some(Part::Generated(Generator::Orbit(Box::new(path))))
    })
}

fn satellites<'a>() -> Keys<'a, Options> {
    let shells = SHELLS.iter().map(|it| Choice::from((it.name, it.summary, it.source))).collect();
    table! { Options;
        optional shell: named(shells), "The shell that the satellites form; starlink-1 unless `walker` or `elements` is given";
        section walker: walker(), "A shell by numbers, instead of `shell`";
        optional elements: unread(Shape::Text), "A file of element sets (TLE, or OMM in JSON) relative to the scenario, instead of `shell`";
    }
}

fn ends<'a>() -> Keys<'a, Options> {
    table! { Options;
        optional terminal: places(), "Latitude and longitude of the terminal, in degrees, or a list of terminals, which the links of a group use in turn";
        sections track: waypoint(), "The way of a terminal that moves, along great circles, instead of `terminal`";
        required gateway: places(), "Latitude and longitude of the gateway, or a list of gateways, of which the nearest one serves";
        key ground_one_way_delay: time(), "One-way delay from the gateway on";
        key processing_delay: time(), "One-way delay in terminal, satellites and gateway together";
    }
}

fn rules<'a>() -> Keys<'a, Options> {
    let policies = Policy::NAMES.iter().map(|name| Choice::bare(name)).collect();
    table! { Options;
        key relay: choice(RELAYS), "How packets get from the terminal's satellite to a gateway: it sends them down itself, or passes them on over links between satellites";
        key policy: named(policies), "Which satellite serves: the highest every 15 s (over links, that with the shortest path), always the highest, the one that stays longest, or always that with the shortest path";
        key switch (is_soft): choice(SWITCHES), "Whether the old link goes before the new one is there";
        optional interruption: time(), "How long a handover interrupts with break-before-make; 75 ms unless given";
        optional minimum_elevation: number(0.0, 89.0), "The lowest elevation in degrees at which a satellite is used; that of the shell unless given";
        optional at: utc(), "When the path begins; 2026-01-01T00:00:00Z unless given, with `elements` the time of the newest one";
        key start_within: time(), "Each seed begins at another whole minute of this span from `at` on; `0 s` for the same satellites in all runs";
        key step: positive_time(), "Time between two looks at the sky; runs of more than 1,000,000 steps take longer ones";
    }
}

fn walker<'a>() -> Section<'a, Shell> {
    type Numbers = (Option<f64>, Option<f64>, Option<u32>, Option<u32>, u32);
    let most = i64::from(Shell::MOST_SATELLITES);
    table! { Numbers;
        required altitude (0): distance(), "Above the equator's radius of Earth";
        required inclination (1): number(0.0, 180.0), "Angle between planes and equator, in degrees";
        required planes (2): whole(1, most), "Number of planes";
        required per_plane (3): whole(1, most), "Satellites in each plane";
        key phasing (4): whole(0, most), "How far each plane is ahead of the one before, in parts of 360 degrees over all satellites (Walker's F)";
    }
    .build(Numbers::default(), |(altitude, inclination, planes, per_plane, phasing), reader| {
        let shell = Shell::delta(altitude? / 1e3, inclination?, [planes?, per_plane?, phasing]);
        reader.accept("altitude", shell.map_err(|error| complaint(&error)))
    })
}

fn waypoint<'a>() -> Section<'a, (Duration, Place)> {
    type Row = (Option<Duration>, Option<Place>, f64);
    table! { Row;
        required at (0): time(), "When it is there";
        required place (1): place(), "Latitude and longitude, in degrees";
        key altitude (2): number(-1.0, 100.0), "Altitude in km";
    }
    .build(Row::default(), |(at, place, altitude), _| Some((at?, place?.at_altitude(altitude).ok()?)))
}

const PLACE: &str = "latitude and longitude in degrees";
const EXAMPLE: &str = "[47.6, -122.3]";

fn place<'a>() -> Takes<'a, Place> {
    let into = |(latitude, longitude)| Place::new(latitude, longitude).map_err(|error| complaint(&error));
    number(-180.0, 180.0).pair(PLACE, EXAMPLE).map(into, |_| None)
}

/// A place, or a list of places.
fn places<'a>() -> Takes<'a, Vec<Place>> {
    let read = |node: &Node| match &node.value {
        Value::List(items)
            if items.iter().all(|item| matches!(item.value, Value::List(_))) && !items.is_empty() =>
        {
            let read = |item: &Node| place().read(item).map_err(|complaint| complaint.at(item.span));
            items.iter().map(read).collect()
        }
        _ => place().read(node).map(|place| vec![place]),
    };
    let degrees = json!({ "type": "number", "minimum": -180, "maximum": 180 });
    let pair = json!({ "type": "array", "items": degrees, "minItems": 2, "maxItems": 2 });
    let schema = json!({ "type": "array", "minItems": 1, "items": { "anyOf": [degrees, pair] } });
    Takes::new(Shape::Other(schema, "place or list of places"), read, |_| None)
}

fn utc<'a>() -> Takes<'a, Utc> {
    text().map(|text| Utc::parse(&text).map_err(|error| complaint(&error)), |at| Some(at.to_string()))
}

fn complaint(error: &OrbitError) -> Complaint {
    Complaint::out_of_bounds(error.to_string())
}

fn make(options: Options, reader: &mut Reader<'_>) -> Option<OrbitPath> {
    let switch = switch(&options, reader)?;
    let (constellation, elevation) = constellation(&options, reader)?;
    let horizon = Horizon::Elevation(options.minimum_elevation.unwrap_or(elevation));
    let terminal = |track| Terminal { name: "the terminal".to_owned(), track, horizon };
    let terminals: Vec<Terminal> = tracks(&options, reader)?.into_iter().map(terminal).collect();
    let start = options.at.or_else(|| constellation.epochs().map(|(_, newest)| newest));
    let start = start.or_else(|| Utc::parse("2026-01-01").ok())?;
    let gateways = options.gateway.as_ref()?.iter().map(|place| Station { place: *place, horizon }).collect();
    let setup = Setup {
        relay: options.relay,
        policy: Policy::named(options.policy, options.relay)?,
        step: options.step,
        processing_delay: options.processing_delay,
        ground_delay: options.ground_one_way_delay,
        ..Setup::new(constellation, gateways, start, options.step)
    };
    let is_possible = setup.check(&terminals).map_err(|error| complaint(&error).code(Code::Conflict));
    reader.accept("relay", is_possible)?;
    let Options { start_within, fates, .. } = options;
    Some(OrbitPath { setup, terminals, start_within, switch, fates, last: Arc::default() })
}

fn switch(options: &Options, reader: &mut Reader<'_>) -> Option<Switch> {
    match (options.is_soft, options.interruption) {
        (true, None) => Some(Switch::MakeBeforeBreak),
        (true, Some(_)) => {
            let complaint = Complaint::conflict(format!("with {MAKE_BEFORE_BREAK} nothing is interrupted"));
            reader.refuse_value("interruption", complaint.tip("leave it out"));
            None
        }
        (false, given) => Some(Switch::BreakBeforeMake { interruption: given.unwrap_or(USUAL_INTERRUPTION) }),
    }
}

/// The satellites, and the lowest elevation at which they are used.
fn constellation(options: &Options, reader: &mut Reader<'_>) -> Option<(Constellation, f64)> {
    let given: Vec<&'static str> =
        ["shell", "walker", "elements"].into_iter().filter(|key| reader.has(key)).collect();
    if let [first, second, ..] = given[..] {
        let what = format!("`{first}` says which satellites there are, too");
        reader.refuse_value(second, Complaint::conflict(what).tip("leave one of them out"));
        return None;
    }
    let (constellation, elevation) = match given.first().copied() {
        Some("elements") => {
            let read = recordings::elements(reader.context, options.elements.as_ref()?);
            return Some((reader.accept("elements", read)?, USUAL_ELEVATION));
        }
        Some("walker") => (Constellation::of_shell(options.walker.clone()?), USUAL_ELEVATION),
        Some(_) => of_name(options.shell?)?,
        None => of_name(SHELLS[0].name)?,
    };
    Some((reader.accept("shell", constellation.map_err(|error| complaint(&error)))?, elevation))
}

fn of_name(name: &str) -> Option<(Result<Constellation, OrbitError>, f64)> {
    let source = shell_named(name)?;
    Some((Constellation::of_shell(source.shell()), source.minimum_elevation))
}

/// The ways of the terminals.
fn tracks(options: &Options, reader: &mut Reader<'_>) -> Option<Vec<Track>> {
    if !reader.has("track") {
        reader.need("terminal");
        return Some(options.terminal.as_ref()?.iter().copied().map(Track::still).collect());
    }
    if reader.has("terminal") {
        let complaint = Complaint::conflict("`track` says where the terminal is, too");
        reader.refuse_value("terminal", complaint.tip("leave one of them out"));
        return None;
    }
    let waypoints = options.track.as_ref()?.iter().map(|(at, place)| (at.as_secs_f64(), *place)).collect();
    reader.accept("track", Track::new(waypoints).map(|track| vec![track]).map_err(|error| complaint(&error)))
}
