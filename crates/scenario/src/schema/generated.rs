//! Schedules from generators, after published measurements or from orbits: `schedule = { kind = "starlink" }`. Both
//! directions of a link draw from one stream, so that their handovers coincide.

use super::handover::fates;
use super::orbit::{self, OrbitPath};
use super::schedule::Part;
use crate::keys::{
    Keys, Kinds, Section, Takes, distance, kinds, number, positive_rate, positive_speed, share, table, time,
};
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_net::generate::{
    CellularParameters, Quantiles, StarlinkParameters, Variation, cellular, starlink,
};
use seamline_net::schedule::ScheduleError;
use seamline_recordings::measured::Direction;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Rate};

/// Time between reconfigurations of Starlink: no interruption may be as long.
const STARLINK_INTERVAL: Duration = Duration::from_secs(15);
const CHECKED: &str = "the parameters were checked when the scenario was read";

/// A generator with its parameters, still without a seed.
#[derive(Clone, Debug)]
pub(super) enum Generator {
    Starlink { down: Box<StarlinkParameters>, up: Box<StarlinkParameters> },
    Cellular(Box<CellularParameters>),
    Orbit(Box<OrbitPath>),
}

impl Generator {
    /// Whether it says what a link can carry, in addition to delay and handovers.
    pub(super) fn has_capacity(&self) -> bool {
        !matches!(self, Generator::Orbit(_))
    }

    /// The schedule of one direction in a run of this length, drawn from a stream.
    pub(super) fn generate(&self, stream: Stream, duration: Duration, direction: Direction) -> Schedule {
        let schedule = match self {
            Generator::Starlink { down, up } => {
                let parameters = if direction == Direction::Down { down } else { up };
                starlink(&StarlinkParameters { duration, ..(**parameters).clone() }, stream)
            }
            Generator::Orbit(path) => return path.generate(stream, duration, 0),
            Generator::Cellular(parameters) => {
                cellular(&CellularParameters { duration, ..(**parameters).clone() }, stream)
            }
        };
        schedule.unwrap_or_else(|error: ScheduleError| unreachable!("{CHECKED}: {error}"))
    }
}

/// The generators, each a kind of schedule.
pub(super) fn kinds<'a>(kinds: Kinds<'a, Part>) -> Kinds<'a, Part> {
    let cellular = |make: fn(Duration) -> CellularParameters| cellular_keys(make(Duration::from_secs(1)));
    kinds! { kinds;
        "starlink" => starlink_keys(), "a terminal whose satellite changes every 15 s", "Tanveer et al., CoNEXT 2023; Hu et al., 2023";
        "lte" => cellular(CellularParameters::lte), "a phone in a moving car, LTE", "Hassan et al., ACM SIGCOMM 2022; Raca et al., MMSys 2018";
        "5g-nsa-low" => cellular(CellularParameters::nsa_low_band), "5G non-standalone, low band", "Hassan et al., ACM SIGCOMM 2022";
        "5g-nsa-mmwave" => cellular(CellularParameters::nsa_millimetre_wave), "5G non-standalone, millimeter waves", "Hassan et al., ACM SIGCOMM 2022";
        "5g-nsa-mmwave-addition" => cellular(CellularParameters::nsa_secondary_cell_addition), "5G non-standalone, millimeter waves, where each handover adds a secondary cell", "Hassan et al., ACM SIGCOMM 2022";
        "orbit" => orbit::section(), "delay and handovers of a satellite path, computed from orbits", "Vallado et al., AIAA 2006-6753";
    }
}

#[derive(Clone)]
struct StarlinkOptions {
    /// Those of the downlink.
    common: StarlinkParameters,
    capacity: Option<Quantiles>,
    space: Option<Quantiles>,
    interruption: Option<Quantiles>,
}

fn starlink_keys<'a>() -> Section<'a, Part> {
    let common = StarlinkParameters::downlink(Duration::from_secs(1));
    let start = StarlinkOptions { common, capacity: None, space: None, interruption: None };
    let interruption = time().checked(|interruption| match *interruption >= STARLINK_INTERVAL {
        true => {
            Err(Complaint::out_of_bounds(format!("the next satellite follows after {STARLINK_INTERVAL}")))
        }
        false => Ok(()),
    });
    table! { StarlinkOptions;
        key second_of_minute (common.second_of_minute): time(), "Second of the minute at which the run begins; satellites change at 12, 27, 42 and 57 s";
        key ground_one_way_delay (common.ground_one_way_delay): time(), "One-way delay from the ground station on";
        optional capacity: quantiles(positive_rate(), megabits), "Rate through a satellite; measured values unless given";
        optional space_one_way_delay (space): quantiles(time(), Duration::as_millis_f64), "One-way delay through a satellite; measured values unless given";
        optional interruption: quantiles(interruption, Duration::as_millis_f64), "Length of each interruption; measured values unless given";
        .with(variation(), |it| &mut it.common.variation);
        .with(fates(), |it| &mut it.common.fates);
    }
    .build(start, |it, _| {
            let mut down = it.common;
            let mut up = StarlinkParameters {
                second_of_minute: down.second_of_minute,
                ground_one_way_delay: down.ground_one_way_delay,
                variation: down.variation,
                fates: down.fates,
                ..StarlinkParameters::uplink(Duration::from_secs(1))
            };
            for parameters in [&mut down, &mut up] {
                replace(&mut parameters.capacity, &it.capacity);
                replace(&mut parameters.space_one_way_delay, &it.space);
                replace(&mut parameters.interruption, &it.interruption);
            }
            Some(Part::Generated(Generator::Starlink { down: Box::new(down), up: Box::new(up) }))
        })
}

fn cellular_keys<'a>(start: CellularParameters) -> Section<'a, Part> {
    table! { CellularParameters;
        key speed: positive_speed(), "Speed of the car";
        key handover_distance: distance(), "Mean distance from one handover to the next";
        key mean_rate: positive_rate(), "Mean rate away from handovers";
        key one_way_delay: time(), "One-way delay of the link";
        key recovery (recovery.0): share().one_or_many(), "Rates in the seconds after a handover, as shares of the mean; measured values unless given";
        key interruption: quantiles(time(), Duration::as_millis_f64), "Length of each interruption; measured values unless given";
        .with(variation(), |it| &mut it.variation);
        .with(fates(), |it| &mut it.fates);
    }
    .build(start, |parameters, _| Some(Part::Generated(Generator::Cellular(Box::new(parameters)))))
}

fn variation<'a>() -> Keys<'a, Variation> {
    table! { Variation;
        key variation (coefficient): share(), "Standard deviation of the rate from second to second, as a share of the mean";
        key correlation: number(0.0, 0.999), "Correlation of one second with the next";
    }
}

/// A fixed value, or a list of the lowest and the highest with everything between them equally likely.
fn quantiles<'a, V: Clone + 'a>(takes: Takes<'a, V>, number: fn(V) -> f64) -> Takes<'a, Quantiles> {
    takes.range().map(
        move |(lowest, highest)| {
            let points = vec![(0.0, number(lowest)), (1.0, number(highest))];
            Quantiles::new(points).map_err(|_| Complaint::new("the lowest value is above the highest"))
        },
        |_| None,
    )
}

fn replace(place: &mut Quantiles, with: &Option<Quantiles>) {
    if let Some(quantiles) = with {
        *place = quantiles.clone();
    }
}

fn megabits(rate: Rate) -> f64 {
    rate.bits_per_second() as f64 / 1e6
}
