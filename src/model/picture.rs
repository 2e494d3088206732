//! Curves of the equations.

use super::point::{Curve, Given, Point};
use super::sweep::{Key, Sweep};
use super::table::{fixed, milliseconds};
use crate::terminal::Failure;
use clap::ValueEnum;
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_report::statistics::Estimate;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shown {
    /// R_gain, in ms (equation 7)
    Gain,
    /// R_s and R_o, in ms (equations 5 and 6)
    Recovery,
    /// R_s / R_o, which section V takes for the ratio of throughputs (equations 10 and 11)
    Ratio,
    /// Of both, in kbit/s (equations 16 and 20)
    Throughput,
}

/// More curves than this cannot be told apart.
const MOST_CURVES: usize = 12;

/// The name of a curve in the legend, and its value at a point.
type Drawn = (&'static str, fn(&Point) -> Option<f64>);

impl Shown {
    /// Title, equations, axis.
    fn words(self) -> [&'static str; 3] {
        match self {
            Shown::Gain => ["Recovery time: gain of obTCP over Snoop", "equation 7", "R_gain (ms)"],
            Shown::Recovery => {
                ["Recovery time of Snoop and obTCP", "equations 5 and 6", "recovery time (ms)"]
            }
            Shown::Ratio => ["Recovery time of Snoop over that of obTCP", "equations 10 and 11", "R_s / R_o"],
            Shown::Throughput => {
                ["Throughput of Snoop and obTCP", "equations 16 and 20", "throughput (kbit/s)"]
            }
        }
    }
    fn drawn(self) -> Vec<Drawn> {
        match self {
            Shown::Gain => {
                vec![("R_gain", |it: &Point| Some(milliseconds(it.path.recovery_gain_seconds())))]
            }
            Shown::Recovery => vec![
                ("Snoop", |it: &Point| Some(milliseconds(it.path.snoop_recovery_seconds()))),
                ("obTCP", |it: &Point| Some(milliseconds(it.path.obtcp_recovery_seconds()))),
            ],
            Shown::Ratio => vec![("R_s / R_o", |it: &Point| it.path.recovery_ratio())],
            Shown::Throughput => vec![
                ("Snoop", |it: &Point| {
                    Some(it.kilobits_per_second(it.path.snoop_packets_per_second(it.window)))
                }),
                ("obTCP", |it: &Point| {
                    Some(it.kilobits_per_second(it.path.obtcp_packets_per_second(it.window)))
                }),
            ],
        }
    }
    /// The parameters that it depends on.
    fn parameters(self) -> &'static [Key] {
        const OF_RECOVERY: &[Key] = &[Key::P1, Key::P2, Key::D1, Key::D2];
        match self {
            Shown::Gain | Shown::Recovery | Shown::Ratio => OF_RECOVERY,
            Shown::Throughput => {
                &[Key::P1, Key::P2, Key::D0, Key::D1, Key::D2, Key::Window, Key::N1, Key::N2]
            }
        }
    }
}

pub(crate) fn draw(
    given: &Given,
    x: &Sweep,
    family: Option<&Sweep>,
    curves: &[Curve],
    shown: Shown,
) -> Result<String, Failure> {
    let drawn = shown.drawn();
    if curves.len() * drawn.len() > MOST_CURVES {
        let most = MOST_CURVES / drawn.len();
        let message = format!("--sweep: {} curves are too many for a picture, {most} at most", curves.len());
        return Err(Failure::Input(message));
    }
    let all: Vec<Line> = curves
        .iter()
        .flat_map(|curve| drawn.iter().map(move |drawn| line(x, family, curve, *drawn)))
        .collect();
    let [title, equations, axis] = shown.words();
    let varied: Vec<Key> = std::iter::once(x.key).chain(family.map(|family| family.key)).collect();
    let remark = match fixed(given, &varied, shown.parameters()) {
        fixed if fixed.is_empty() => format!("closed form, {equations}"),
        fixed => format!("closed form, {equations}; {fixed}"),
    };
    Ok(lines(
        Names { picture: "model", title, remark: &remark, axis },
        Parameter { name: &axis_of(x.key), logarithmic: false },
        &all,
    ))
}

fn line(x: &Sweep, family: Option<&Sweep>, curve: &Curve, (name, value): Drawn) -> Line {
    let name = match (family, curve.value) {
        (Some(family), Some(value)) => format!("{name}, {}", family.key.in_words(value)),
        _ => name.to_owned(),
    };
    let point = |point: &Point| Some((x.key.shown(x.key.get(&point.given)), Estimate::single(value(point)?)));
    Line { name, points: curve.points.iter().filter_map(point).collect() }
}

fn axis_of(key: Key) -> String {
    let words = match key {
        Key::P1 => "p1, share of packets lost between base station and mobile router",
        Key::P2 => "p2, share of packets lost between mobile router and mobile host",
        Key::P => "p1 = p2, share of packets lost on each wireless link",
        Key::D0 => "d0, one-way delay between fixed host and base station (ms)",
        Key::D1 => "d1, one-way delay between base station and mobile router (ms)",
        Key::D2 => "d2, one-way delay between mobile router and mobile host (ms)",
        Key::D => "d1 = d2, one-way delay of each wireless link (ms)",
        Key::Window => "W', mean window (packets)",
        Key::N1 => "n1, packets repaired by one SNACK",
        Key::N2 => "n2, packets repaired at a time by the mobile router",
    };
    words.to_owned()
}
