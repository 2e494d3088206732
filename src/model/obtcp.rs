//! `seamline model obtcp`

use super::picture::{self, Shown};
use super::point::{self, Given};
use super::sweep::{Key, Sweep};
use super::table;
use crate::Outcome;
use crate::terminal::{Failure, note, print_results};
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Share of packets lost between base station and mobile router: 0.1 or "10 %"
    #[arg(long, value_name = "SHARE", default_value = "0.1")]
    p1: String,
    /// Share of packets lost between mobile router and mobile host
    #[arg(long, value_name = "SHARE", default_value = "0.0001")]
    p2: String,
    /// One-way delay between fixed host and base station
    #[arg(long, value_name = "TIME", default_value = "0.5 ms")]
    d0: String,
    /// One-way delay between base station and mobile router
    #[arg(long, value_name = "TIME", default_value = "20 ms")]
    d1: String,
    /// One-way delay between mobile router and mobile host
    #[arg(long, value_name = "TIME", default_value = "20 ms")]
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
    /// Payload of a packet, for throughput in bit/s
    #[arg(long, value_name = "SIZE", default_value = "1000 B")]
    packet_size: String,
    /// Vary a parameter: from:to:step or a list, e.g. p1=0:0.2:0.02 or d2="5 ms,20 ms,50 ms". A second one gives a curve
    /// for each of its values
    #[arg(long, value_name = "KEY=VALUES")]
    sweep: Vec<String>,
    /// What the picture shows
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Shown::Gain)]
    show: Shown,
    /// Write a picture of the sweep (SVG) into this file
    #[arg(long, value_name = "FILE", requires = "sweep")]
    out: Option<PathBuf>,
    /// Print one JSON document instead of a table
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values instead of a table
    #[arg(long)]
    csv: bool,
}

const AFTER_HELP: &str = "\
Keys that can be swept: p1, p2, p (both), d0, d1, d2, d (d1 and d2), window, n1, n2.

The figures of the paper (Sardar, Saha and Hassan, IIM Calcutta working paper 649, 2010), section V.B; what a figure keeps fixed is
partly lost in the copy at hand:
  7   --sweep d2=\"5 ms:50 ms:5 ms\" --sweep d1=\"10 ms,20 ms,40 ms\" --p1 0.15 --p2 0.05
  8   --sweep p1=0:0.3:0.02 --sweep p2=0.01,0.05,0.1
  9   --sweep p1=0:0.3:0.02 --p2 0
  10  --sweep p2=0:0.3:0.02 --p1 0
  11  --sweep p1=0:0.3:0.02 --show ratio
  12  --sweep d1=\"5 ms:50 ms:5 ms\" --show ratio
  13  --sweep d2=\"5 ms:50 ms:5 ms\" --show ratio";

/// No more points than this: nobody looks at them, and memory is bounded.
const MOST_POINTS: usize = 10_000;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let given = arguments.given()?;
    let sweeps: Vec<Sweep> =
        arguments.sweep.iter().map(|words| Sweep::read(words)).collect::<Result<_, Failure>>()?;
    let [x, family] = match sweeps.as_slice() {
        [] => return single(arguments, &given),
        [x] => [Some(x), None],
        [x, family] => [Some(x), Some(family)],
        _ => return Err(Failure::Input("--sweep: two at most, an axis and a family of curves".to_owned())),
    };
    let (Some(x), count) = (x, sweeps.iter().map(|sweep| sweep.values.len()).product::<usize>()) else {
        unreachable!("an axis is there")
    };
    if count > MOST_POINTS {
        return Err(Failure::Input(format!("--sweep: {count} points, {MOST_POINTS} at most")));
    }
    if let Some(both) = family.and_then(|family| x.key.shares_with(family.key)) {
        return Err(Failure::Input(format!("--sweep: `{both}` is varied twice")));
    }
    let curves = point::curves(&given, x, family)?;
    if let Some(path) = &arguments.out {
        let picture = picture::draw(&given, x, family, &curves, arguments.show)?;
        atomic::write(path, picture.as_bytes())?;
        note("written", path.display());
    }
    let varied: Vec<Key> = sweeps.iter().map(|sweep| sweep.key).collect();
    let points: Vec<_> = curves.iter().flat_map(|curve| &curve.points).collect();
    print_results(&match (arguments.json, arguments.csv) {
        (true, _) => table::json(&given, &points)?,
        (_, true) => table::csv(&varied, &points, &arguments.retyped()),
        _ => table::of_sweep(&given, &varied, &points),
    })
}

fn single(arguments: &Arguments, given: &Given) -> Outcome {
    let point = point::at(*given)?;
    print_results(&match (arguments.json, arguments.csv) {
        (true, _) => table::json(given, &[&point])?,
        (_, true) => table::csv(&[], &[&point], &arguments.retyped()),
        _ => table::of_point(&point),
    })
}

impl Arguments {
    fn given(&self) -> Result<Given, Failure> {
        let read = |key: Key, option: &str, words: &str| key.read(words, option);
        Ok(Given {
            loss: [read(Key::P1, "--p1", &self.p1)?, read(Key::P2, "--p2", &self.p2)?],
            one_way_seconds: [
                read(Key::D0, "--d0", &self.d0)?,
                read(Key::D1, "--d1", &self.d1)?,
                read(Key::D2, "--d2", &self.d2)?,
            ],
            window: read(Key::Window, "--window", &self.window)?,
            repaired_per_request: [read(Key::N1, "--n1", &self.n1)?, read(Key::N2, "--n2", &self.n2)?],
            payload_bytes: super::sweep::bytes("--packet-size", &self.packet_size)?,
        })
    }

    /// The command as it would be typed again.
    fn retyped(&self) -> String {
        let options = [
            ("p1", &self.p1),
            ("p2", &self.p2),
            ("d0", &self.d0),
            ("d1", &self.d1),
            ("d2", &self.d2),
            ("window", &self.window),
            ("n1", &self.n1),
            ("n2", &self.n2),
            ("packet-size", &self.packet_size),
        ];
        let sweeps = self.sweep.iter().map(|sweep| ("sweep", sweep));
        let typed =
            options.into_iter().chain(sweeps).map(|(name, value)| format!(" --{name} {}", quoted(value)));
        format!("seamline model obtcp{}", typed.collect::<String>())
    }
}
