//! Schedules from generators, after published measurements: `schedule = { kind = "starlink" }`. Both
//! directions of a link draw from one stream, so that their handovers coincide.

use super::handover::read_fates;
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::{Reader, list, number};
use crate::units::{self, Complaint};
use seamline_net::Schedule;
use seamline_net::generate::{
    CellularParameters, Quantiles, Recovery, StarlinkParameters, Variation, cellular, starlink,
};
use seamline_net::schedule::ScheduleError;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Rate};

/// The generators a scenario may name, with a line about each.
pub const GENERATORS: &[(&str, &str)] = &[
    (
        "starlink",
        "a terminal whose satellite changes every 15 s (Tanveer et al., CoNEXT 2023; Hu et al., 2023)",
    ),
    ("lte", "a phone in a moving car, LTE (Hassan et al., ACM SIGCOMM 2022; Raca et al., MMSys 2018)"),
    ("5g-nsa-low", "5G non-standalone, low band (Hassan et al., ACM SIGCOMM 2022)"),
    ("5g-nsa-mmwave", "5G non-standalone, millimetre waves (Hassan et al., ACM SIGCOMM 2022)"),
    ("5g-nsa-mmwave-addition", "the same where each handover adds a secondary cell (Hassan et al., 2022)"),
];

/// Time between reconfigurations of Starlink: no interruption may be as long.
const STARLINK_INTERVAL: Duration = Duration::from_secs(15);
const CHECKED: &str = "the parameters were checked when the scenario was read";

/// Which direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `from` -> `to`.
    Down,
    /// `to` -> `from`.
    Up,
}

/// A generator with its parameters, still without a seed.
#[derive(Clone, Debug)]
pub(super) struct Generator {
    /// The random stream, named after the link.
    stream: String,
    model: Model,
}

#[derive(Clone, Debug)]
enum Model {
    Starlink { down: Box<StarlinkParameters>, up: Box<StarlinkParameters> },
    Cellular(Box<CellularParameters>),
}

impl Generator {
    /// The schedule of one direction in a run of this seed and length.
    pub(super) fn generate(&self, seed: u64, duration: Duration, direction: Direction) -> Schedule {
        let stream = Stream::new(seed, &self.stream);
        let schedule = match &self.model {
            Model::Starlink { down, up } => {
                let parameters = if direction == Direction::Down { down } else { up };
                starlink(&StarlinkParameters { duration, ..(**parameters).clone() }, stream)
            }
            Model::Cellular(parameters) => {
                cellular(&CellularParameters { duration, ..(**parameters).clone() }, stream)
            }
        };
        schedule.unwrap_or_else(|error: ScheduleError| unreachable!("{CHECKED}: {error}"))
    }
}

/// Read the keys of a generated schedule of this kind; `None` when something is wrong, which has been
/// noted.
pub(super) fn read(reader: &mut Reader<'_>, kind: &str, link: &str) -> Option<Generator> {
    let duration = Duration::from_secs(1);
    let model = match kind {
        "starlink" => read_starlink(reader)?,
        "lte" => read_cellular(reader, CellularParameters::lte(duration))?,
        "5g-nsa-low" => read_cellular(reader, CellularParameters::nsa_low_band(duration))?,
        "5g-nsa-mmwave" => read_cellular(reader, CellularParameters::nsa_millimetre_wave(duration))?,
        _ => read_cellular(reader, CellularParameters::nsa_secondary_cell_addition(duration))?,
    };
    Some(Generator { stream: format!("{link}/schedule"), model })
}

fn read_starlink(reader: &mut Reader<'_>) -> Option<Model> {
    let mut down = StarlinkParameters::downlink(Duration::from_secs(1));
    let mut up = StarlinkParameters::uplink(Duration::from_secs(1));
    let second = reader.or("second_of_minute", down.second_of_minute, units::duration)?;
    let ground = reader.or("ground_one_way_delay", down.ground_one_way_delay, units::duration)?;
    let variation = read_variation(reader, down.variation)?;
    let fates = read_fates(reader, down.fates);
    let capacity = quantiles(reader, "capacity", |node| units::positive_rate(node).map(megabits))?;
    let space = quantiles(reader, "space_one_way_delay", millis)?;
    let interruption = quantiles(reader, "interruption", |node| match units::duration(node)? {
        interruption if interruption >= STARLINK_INTERVAL => {
            Err(Complaint::new(format!("the next satellite follows after {STARLINK_INTERVAL}"))
                .code(Code::OutOfBounds))
        }
        interruption => Ok(interruption.as_millis_f64()),
    })?;
    for parameters in [&mut down, &mut up] {
        parameters.second_of_minute = second;
        parameters.ground_one_way_delay = ground;
        parameters.variation = variation;
        parameters.fates = fates;
        replace(&mut parameters.capacity, &capacity);
        replace(&mut parameters.space_one_way_delay, &space);
        replace(&mut parameters.interruption, &interruption);
    }
    Some(Model::Starlink { down: Box::new(down), up: Box::new(up) })
}

fn read_cellular(reader: &mut Reader<'_>, default: CellularParameters) -> Option<Model> {
    let mut parameters = default;
    parameters.speed = reader.or("speed", parameters.speed, units::positive_speed)?;
    let distance = reader.or("handover_distance", parameters.handover_distance, units::distance)?;
    parameters.handover_distance = distance;
    parameters.mean_rate = reader.or("mean_rate", parameters.mean_rate, units::positive_rate)?;
    parameters.one_way_delay = reader.or("one_way_delay", parameters.one_way_delay, units::duration)?;
    parameters.variation = read_variation(reader, parameters.variation)?;
    parameters.fates = read_fates(reader, parameters.fates);
    if reader.has("recovery") {
        parameters.recovery = Recovery(reader.optional("recovery", list(units::ratio))?);
    }
    let interruption = quantiles(reader, "interruption", millis)?;
    replace(&mut parameters.interruption, &interruption);
    Some(Model::Cellular(Box::new(parameters)))
}

/// `variation` is the standard deviation from second to second, as a share of the mean.
fn read_variation(reader: &mut Reader<'_>, default: Variation) -> Option<Variation> {
    let coefficient = reader.or("variation", default.coefficient, units::ratio);
    let correlation = reader.or("correlation", default.correlation, number(0.0, 0.999));
    Some(Variation { coefficient: coefficient?, correlation: correlation? })
}

/// A fixed value, or a list of the least and the greatest with everything between them equally likely.
/// `Some(None)` when the key is absent.
fn quantiles(
    reader: &mut Reader<'_>,
    key: &'static str,
    read: impl Fn(&Node) -> Result<f64, Complaint>,
) -> Option<Option<Quantiles>> {
    if reader.node(key).is_none() {
        return Some(None);
    }
    let quantiles = reader.optional(key, |node| {
        let (least, most) = match &node.value {
            Value::List(items) => match items.as_slice() {
                [least, most] => (read(least)?, read(most)?),
                _ => {
                    return Err(Complaint::new("a list here has two values: the least and the greatest")
                        .code(Code::WrongKind));
                }
            },
            _ => (read(node)?, read(node)?),
        };
        let points = vec![(0.0, least), (1.0, most)];
        Quantiles::new(points).map_err(|_| Complaint::new("the least value is above the greatest"))
    })?;
    Some(Some(quantiles))
}

fn replace(place: &mut Quantiles, with: &Option<Quantiles>) {
    if let Some(quantiles) = with {
        *place = quantiles.clone();
    }
}

fn millis(node: &Node) -> Result<f64, Complaint> {
    units::duration(node).map(Duration::as_millis_f64)
}

fn megabits(rate: Rate) -> f64 {
    rate.bits_per_second() as f64 / 1e6
}
