//! The options of satellites, gateways and time.

use crate::terminal::Failure;
use crate::words;
use clap::builder::{PossibleValue, PossibleValuesParser};
use seamline_orbit::{
    Constellation, Horizon, OrbitError, Place, Policy, Relay, SHELLS, Setup, Shell, Station, Utc,
    read_elements, read_places, shell_named,
};
use seamline_scenario::recordings::open_regular;
use seamline_wire::Duration;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(super) struct NetworkOptions {
    /// A shell by name
    #[arg(long, value_name = "NAME", value_parser = shells(), default_value = "starlink-1", conflicts_with_all = ["walker", "tle"])]
    shell: String,
    /// A shell by numbers: altitude in km, inclination in degrees, planes, satellites per plane, phasing (Walker's F), such as
    /// 550,53,72,22,39
    #[arg(long, value_name = "NUMBERS", conflicts_with = "tle")]
    walker: Option<String>,
    /// Satellites from a file of element sets (TLE, or OMM in JSON, XML, KVN or CSV), propagated with SGP4
    #[arg(long, value_name = "FILE")]
    tle: Option<PathBuf>,
    /// A gateway, or the far end of a path over inter-satellite links: latitude and longitude in degrees. May be repeated
    #[arg(long, value_name = "PLACE", allow_hyphen_values = true, required_unless_present = "gateways")]
    gateway: Vec<String>,
    /// Gateways from a file: name,latitude,longitude in each line
    #[arg(long, value_name = "FILE")]
    gateways: Option<PathBuf>,
    /// Over inter-satellite links, by the shortest way, instead of one satellite as a bent pipe
    #[arg(long)]
    isl: bool,
    /// Which satellite a terminal takes, and when it takes another one
    #[arg(long, value_name = "POLICY", value_parser = policies(), default_value = "slots")]
    policy: String,
    /// The lowest elevation in degrees at which a satellite is used [default: that of the shell's filing; 25 without one]
    #[arg(long, value_name = "DEGREES")]
    minimum_elevation: Option<f64>,
    /// When to begin, in UTC [default: 2026-01-01T00:00:00Z; with --tle, the time of the newest element set]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// For how long
    #[arg(long, value_name = "TIME", default_value = "10 min")]
    duration: String,
    /// The time between two looks at the sky
    #[arg(long, value_name = "TIME", default_value = "1 s")]
    step: String,
    /// One-way delay in terminal, satellites and gateway together
    #[arg(long, value_name = "TIME", default_value = "0 s")]
    processing_delay: String,
    /// One-way delay from the gateway to the far end
    #[arg(long, value_name = "TIME", default_value = "0 s")]
    ground_delay: String,
}

/// What the options say.
pub(super) struct Network {
    /// What the satellites are called.
    pub(super) name: String,
    pub(super) setup: Setup,
    pub(super) horizon: Horizon,
}

/// When a run begins unless it is said.
const USUAL_START: &str = "2026-01-01T00:00:00Z";
const USUAL_ELEVATION: f64 = 25.0;

fn shells() -> PossibleValuesParser {
    SHELLS.iter().map(|it| PossibleValue::new(it.name).help(it.summary)).collect::<Vec<_>>().into()
}

fn policies() -> PossibleValuesParser {
    let help = |name: &str| match name {
        "slots" => {
            "every 15 s (at seconds 12, 27, 42, 57) and when it is lost: the highest; with --isl, the one with the shortest path"
        }
        "highest" => "always the highest",
        "longest" => "when it is lost, the one that stays longest",
        _ => "always the one with the shortest path",
    };
    Policy::NAMES.iter().map(|name| PossibleValue::new(name).help(help(name))).collect::<Vec<_>>().into()
}

/// A failure of an option.
pub(super) fn refused(option: &str, error: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("{option}: {error}"))
}

/// The text of a file that an option names.
pub(super) fn text(option: &str, path: &Path) -> Result<String, Failure> {
    open_regular(path)
        .and_then(io::read_to_string)
        .map_err(|error| refused(option, format!("{}: {error}", path.display())))
}

/// What a file says; errors name it.
pub(super) fn parsed<T>(
    option: &str,
    path: &Path,
    read: impl FnOnce(&str) -> Result<T, OrbitError>,
) -> Result<T, Failure> {
    read(&text(option, path)?).map_err(|error| refused(option, format!("{}: {error}", path.display())))
}

impl NetworkOptions {
    pub(super) fn read(&self) -> Result<Network, Failure> {
        let (name, constellation, elevation) = self.satellites()?;
        let horizon = Horizon::Elevation(self.minimum_elevation.unwrap_or(elevation));
        let gateways = self.gateways()?.into_iter().map(|place| Station { place, horizon }).collect();
        let start = self.start(&constellation)?;
        let duration = positive("--duration", &self.duration)?;
        let relay = if self.isl { Relay::InterSatelliteLinks } else { Relay::BentPipe };
        let policy = Policy::named(&self.policy, relay)
            .ok_or_else(|| refused("--policy", "there is no such policy"))?;
        let setup = Setup {
            relay,
            policy,
            step: positive("--step", &self.step)?,
            processing_delay: span("--processing-delay", &self.processing_delay)?,
            ground_delay: span("--ground-delay", &self.ground_delay)?,
            ..Setup::new(constellation, gateways, start, duration)
        };
        Ok(Network { name, setup, horizon })
    }

    /// The satellites with their name and the lowest elevation of their users.
    fn satellites(&self) -> Result<(String, Constellation, f64), Failure> {
        if let Some(path) = &self.tle {
            let satellites = parsed("--tle", path, read_elements)?;
            let constellation =
                Constellation::of_elements(satellites).map_err(|error| refused("--tle", error))?;
            let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            return Ok((name, constellation, USUAL_ELEVATION));
        }
        if let Some(numbers) = &self.walker {
            let shell = walker(numbers).and_then(Constellation::of_shell);
            return Ok((
                format!("walker {numbers}"),
                shell.map_err(|error| refused("--walker", error))?,
                USUAL_ELEVATION,
            ));
        }
        let source = shell_named(&self.shell).ok_or_else(|| refused("--shell", "there is no such shell"))?;
        let constellation =
            Constellation::of_shell(source.shell()).map_err(|error| refused("--shell", error))?;
        Ok((source.name.to_owned(), constellation, source.minimum_elevation))
    }

    fn gateways(&self) -> Result<Vec<Place>, Failure> {
        let single = |text: &String| Place::parse(text).map_err(|error| refused("--gateway", error));
        let mut places = self.gateway.iter().map(single).collect::<Result<Vec<_>, _>>()?;
        if let Some(path) = &self.gateways {
            places.extend(parsed("--gateways", path, read_places)?.into_iter().map(|(_, place)| place));
        }
        Ok(places)
    }

    fn start(&self, constellation: &Constellation) -> Result<Utc, Failure> {
        match (&self.at, constellation.epochs()) {
            (Some(text), _) => Utc::parse(text).map_err(|error| refused("--at", error)),
            (None, Some((_, newest))) => Ok(newest),
            (None, None) => Utc::parse(USUAL_START).map_err(|error| refused("--at", error)),
        }
    }
}

/// `altitude,inclination,planes,satellites per plane,phasing`.
fn walker(text: &str) -> Result<Shell, OrbitError> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let wrong = || {
        let what = "expected altitude (km), inclination (degrees), planes, satellites per plane and phasing, such as 550,53,72,22,39";
        OrbitError { line: None, what: format!("`{text}`: {what}") }
    };
    let [altitude, inclination, numbers @ ..] = &parts[..] else { return Err(wrong()) };
    let real = |part: &str| part.parse::<f64>().map_err(|_| wrong());
    let whole = |part: &&str| part.parse::<u32>().map_err(|_| wrong());
    let numbers: Vec<u32> = numbers.iter().map(whole).collect::<Result<_, _>>()?;
    Shell::delta(real(altitude)?, real(inclination)?, numbers.try_into().map_err(|_| wrong())?)
}

fn positive(option: &str, text: &str) -> Result<Duration, Failure> {
    words::time(text).map_err(|why| refused(option, format!("`{text}`: {why}")))
}

fn span(option: &str, text: &str) -> Result<Duration, Failure> {
    words::quantity(text, seamline_config::units::duration)
        .map_err(|why| refused(option, format!("`{text}`: {why}")))
}
