//! `seamline model NAME`: closed forms, without a simulation.

use crate::Outcome;
use crate::format::{Format, FormatOption};
use crate::terminal::{Failure, note, print_results};
use crate::words::quantity;
use clap::builder::{PossibleValue, PossibleValuesParser};
use seamline_config::units;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_model::obtcp::{Axis, FIGURES, Parameter, Results, Unit, VIEWS};
use seamline_report::picture::standalone;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    model: Model,
}

#[derive(Debug, clap::Subcommand)]
enum Model {
    /// Recovery time and throughput of Snoop and obTCP over two wireless links in series
    Obtcp(Obtcp),
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = FIGURES)]
struct Obtcp {
    /// Share of packets lost between base station and mobile router: 0.1 or "10 %"
    #[arg(long, value_name = "SHARE", default_value = "0.1")]
    p1: String,
    /// Share of packets lost between mobile router and mobile host
    #[arg(long, value_name = "SHARE", default_value = "0.0001")]
    p2: String,
    /// One-way delay between fixed host and base station [default: 0.5 ms]
    #[arg(long, value_name = "TIME", default_value = "0.5 ms", hide_default_value = true)]
    d0: String,
    /// One-way delay between base station and mobile router [default: 20 ms]
    #[arg(long, value_name = "TIME", default_value = "20 ms", hide_default_value = true)]
    d1: String,
    /// One-way delay between mobile router and mobile host [default: 20 ms]
    #[arg(long, value_name = "TIME", default_value = "20 ms", hide_default_value = true)]
    d2: String,
    /// Mean window W' in packets
    #[arg(long, value_name = "PACKETS", default_value = "16")]
    window: String,
    /// How many lost packets one SNACK of obTCP repairs between base station and mobile router
    #[arg(long, value_name = "PACKETS", default_value = "1")]
    n1: String,
    /// How many lost packets obTCP repairs at a time between mobile router and mobile host
    #[arg(long, value_name = "PACKETS", default_value = "1")]
    n2: String,
    /// Payload of a packet, for throughput in bit/s [default: 1000 B]
    #[arg(long, value_name = "SIZE", default_value = "1000 B", hide_default_value = true)]
    packet_size: String,
    /// Vary a parameter: from:to:step or a list, e.g. p1=0:0.2:0.02 or d2="5 ms,20 ms,50 ms". A second one gives a curve
    /// for each of its values
    #[arg(long, value_name = "KEY=VALUES")]
    sweep: Vec<String>,
    /// What the picture shows
    #[arg(long, value_name = "WHAT", default_value = VIEWS[0].name, value_parser = views())]
    show: String,
    /// Write a picture of the sweep (SVG) into this file
    #[arg(long, value_name = "FILE", requires = "sweep")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: FormatOption,
    /// The same as --format csv
    #[arg(long, conflicts_with_all = ["format", "json"])]
    csv: bool,
}

fn views() -> PossibleValuesParser {
    VIEWS.iter().map(|view| PossibleValue::new(view.name).help(view.help)).collect::<Vec<_>>().into()
}

pub(crate) fn run(Arguments { model: Model::Obtcp(arguments) }: &Arguments) -> Outcome {
    let results = arguments.compute().map_err(Failure::Input)?;
    if let Some(path) = &arguments.out {
        let view = VIEWS.iter().find(|view| view.name == arguments.show).unwrap_or(&VIEWS[0]);
        let picture = results.draw(view).map_err(Failure::Input)?;
        note("written", atomic::write(path, standalone(&picture).as_bytes())?.display());
    }
    print_results(&match (arguments.format.get(), arguments.csv) {
        (Format::Csv, _) | (_, true) => results.to_csv(&arguments.retyped()),
        (Format::Json, _) => results.to_json(),
        (Format::Table, _) => results.to_text(),
    })
}

impl Obtcp {
    fn parameters(&self) -> [&String; 8] {
        [&self.p1, &self.p2, &self.d0, &self.d1, &self.d2, &self.window, &self.n1, &self.n2]
    }

    fn compute(&self) -> Result<Results, String> {
        let mut values = [0.0; 8];
        for ((value, words), parameter) in values.iter_mut().zip(self.parameters()).zip(Parameter::singles())
        {
            *value = read(parameter, words).map_err(|why| format!("--{}: {why}", parameter.name))?;
        }
        let payload = crate::words::bytes(&self.packet_size);
        let payload = payload.map_err(|why| format!("--packet-size: `{}`: {why}", self.packet_size))?;
        let axis = |words: &String| Axis::read(words, read).map_err(|why| format!("--sweep {words}: {why}"));
        Results::new(values, payload, self.sweep.iter().map(axis).collect::<Result<_, _>>()?)
    }

    /// The command as it would be typed again.
    fn retyped(&self) -> String {
        let parameters = Parameter::singles().iter().map(|parameter| parameter.name).zip(self.parameters());
        let sweeps = self.sweep.iter().map(|sweep| ("sweep", sweep));
        let all = parameters.chain([("packet-size", &self.packet_size)]).chain(sweeps);
        all.fold("seamline model obtcp".to_owned(), |text, (name, value)| {
            text + &format!(" --{name} {}", quoted(value))
        })
    }
}

/// A value of a parameter; times in seconds.
fn read(parameter: &Parameter, words: &str) -> Result<f64, String> {
    let explained = |why: String| format!("`{words}`: {why}");
    match (parameter.unit, words.trim().parse::<f64>()) {
        (Unit::Seconds, _) => quantity(words, units::duration).map(|it| it.as_secs_f64()).map_err(explained),
        (_, Ok(number)) => Ok(number),
        (Unit::Share, Err(_)) => quantity(words, units::ratio).map_err(explained),
        (Unit::Packets, Err(_)) => Err(format!("`{words}` is not a number of packets such as 16")),
    }
}
