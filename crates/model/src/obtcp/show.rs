//! Points as a table, CSV, JSON and a picture.

use super::parameters::{Parameter, Values};
use super::point::{Curve, Point, QUANTITIES, Quantity};
use super::sweep::{Axis, curves};
use seamline_report::export::csv_rows;
use seamline_report::export::table::Table;
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{self, Line};
use seamline_report::statistics::Estimate;
use seamline_report::text_table::TextTable;
use serde_json::{Value, json};

const SOURCE: &str = "Sardar, Saha and Hassan, Indian Institute of Management Calcutta, working paper 649, 2010, sections V and VII";

/// The columns of a sweep as text, with their heads; all others are in CSV and JSON.
const COLUMNS: [(&str, &str); 7] = [
    ("snoop_recovery_ms", "R_s (ms)"),
    ("obtcp_recovery_ms", "R_o (ms)"),
    ("recovery_gain_ms", "R_gain (ms)"),
    ("recovery_ratio", "R_s/R_o"),
    ("snoop_packets_per_s", "snoop (packets/s)"),
    ("obtcp_packets_per_s", "obTCP (packets/s)"),
    ("throughput_gain_percent", "gain (%)"),
];

/// How to draw the figures of the paper, below the help of a command.
pub const FIGURES: &str = "\
Keys that can be swept: p1, p2, p (both), d0, d1, d2, d (d1 and d2), window, n1, n2.

The figures of the paper (Sardar, Saha and Hassan, IIM Calcutta working paper 649, 2010), section V.B; the available
copy of the paper does not show all parameters of its figures:
  7   --sweep d2=\"5 ms:50 ms:5 ms\" --sweep d1=\"10 ms,20 ms,40 ms\" --p1 0.15 --p2 0.05
  8   --sweep p1=0:0.3:0.02 --sweep p2=0.01,0.05,0.1
  9   --sweep p1=0:0.3:0.02 --p2 0
  10  --sweep p2=0:0.3:0.02 --p1 0
  11  --sweep p1=0:0.3:0.02 --show ratio
  12  --sweep d1=\"5 ms:50 ms:5 ms\" --show ratio
  13  --sweep d2=\"5 ms:50 ms:5 ms\" --show ratio";

/// More curves than this cannot be distinguished.
const MOST_CURVES: usize = 12;

/// Points over up to two axes.
#[derive(Debug)]
pub struct Results {
    values: Values,
    payload_bytes: u64,
    axes: Vec<Axis>,
    curves: Vec<Curve>,
}

/// What a picture can show.
#[derive(Debug)]
pub struct View {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub help: &'static str,
    title: &'static str,
    equations: &'static str,
    axis: &'static str,
    /// The names of curves, and the quantities they show.
    curves: &'static [(&'static str, &'static str)],
    /// Places in [`Parameter::singles`] of the parameters that matter.
    parameters: &'static [usize],
}

/// All views; the first is the usual one.
pub static VIEWS: [View; 4] = [
    View {
        name: "gain",
        help: "R_gain, in ms (equation 7)",
        title: "Recovery time: gain of obTCP over Snoop",
        equations: "equation 7",
        axis: "R_gain (ms)",
        curves: &[("R_gain", "recovery_gain_ms")],
        parameters: &[0, 1, 3, 4],
    },
    View {
        name: "recovery",
        help: "R_s and R_o, in ms (equations 5 and 6)",
        title: "Recovery time of Snoop and obTCP",
        equations: "equations 5 and 6",
        axis: "recovery time (ms)",
        curves: &[("Snoop", "snoop_recovery_ms"), ("obTCP", "obtcp_recovery_ms")],
        parameters: &[0, 1, 3, 4],
    },
    View {
        name: "ratio",
        help: "R_s / R_o, which section V uses as the ratio of throughputs (equations 10 and 11)",
        title: "Recovery time of Snoop over that of obTCP",
        equations: "equations 10 and 11",
        axis: "R_s / R_o",
        curves: &[("R_s / R_o", "recovery_ratio")],
        parameters: &[0, 1, 3, 4],
    },
    View {
        name: "throughput",
        help: "Throughput of both, in kbit/s (equations 16 and 20)",
        title: "Throughput of Snoop and obTCP",
        equations: "equations 16 and 20",
        axis: "throughput (kbit/s)",
        curves: &[("Snoop", "snoop_kbit_per_s"), ("obTCP", "obtcp_kbit_per_s")],
        parameters: &[0, 1, 2, 3, 4, 5, 6, 7],
    },
];

impl Results {
    /// The equations at these parameters, for packets with so much payload: at one point without axes, over the values of the first
    /// one, or also for each value of the second.
    ///
    /// # Errors
    /// With more than two axes or too many points, when both axes set the same parameter, or outside of the equations' domain.
    pub fn new(values: Values, payload_bytes: u64, axes: Vec<Axis>) -> Result<Self, String> {
        let curves = curves(values, payload_bytes, &axes)?;
        Ok(Results { values, payload_bytes, axes, curves })
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.curves.iter().flat_map(|curve| &curve.points)
    }

    /// The parameters of these places that are not varied, with their values.
    fn fixed(&self, places: &[usize]) -> String {
        let is_fixed = |parameter: &&Parameter| {
            self.axes.iter().all(|axis| parameter.shares_with(axis.parameter).is_none())
        };
        let fixed = places.iter().map(|place| &Parameter::singles()[*place]).filter(is_fixed);
        fixed.map(|parameter| parameter.with_value(&self.values)).collect::<Vec<_>>().join(", ")
    }

    /// As a table for a terminal: the quantities of a single point, or a line for each point.
    pub fn to_text(&self) -> String {
        let fixed = self.fixed(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let head = format!(
            "Closed form of Snoop and obTCP [{SOURCE}]\n{fixed}, {} B of payload\n\n",
            self.payload_bytes
        );
        let table = if self.axes.is_empty() { self.quantities() } else { self.lines() };
        head + &table.lines().join("\n") + "\n"
    }

    fn quantities(&self) -> TextTable {
        let row = |point: &Point, it: &Quantity| {
            vec![it.meaning.to_owned(), six_digits((it.of)(point)), it.equation.to_owned()]
        };
        let rows = self.points().flat_map(|point| QUANTITIES.iter().map(move |it| row(point, it)));
        TextTable::new("lrl", ["quantity", "value", "equation"]).with(rows)
    }

    fn lines(&self) -> TextTable {
        let varied = self.axes.iter().map(|axis| axis.parameter.column().replace("_ms", " (ms)"));
        let row = |point: &Point| {
            let places = self.axes.iter().map(|axis| axis.parameter.shown(&point.values).to_string());
            places.chain(COLUMNS.iter().map(|(name, _)| six_digits(point.value(name)))).collect()
        };
        let heads = varied.chain(COLUMNS.iter().map(|(_, head)| (*head).to_owned()));
        TextTable::new("r", heads).with(self.points().map(row))
    }

    /// As CSV, below comments with the source and the command that gives it again.
    pub fn to_csv(&self, command: &str) -> String {
        let varied = self.axes.iter().fold(Table::new("obtcp"), |table, axis| {
            let values = self.points().map(|point| Some(axis.parameter.shown(&point.values)));
            table.real(axis.parameter.column(), values)
        });
        let table = QUANTITIES.iter().fold(varied, |table, it| table.real(it.name, self.points().map(it.of)));
        format!("# source: {SOURCE}\n# reproduce: {command}\n{}", csv_rows(&table))
    }

    /// As a JSON document with all parameters and quantities of each point.
    pub fn to_json(&self) -> String {
        let of_point = |point: &Point| {
            let parameters =
                Parameter::singles().iter().map(|it| (it.column(), json!(it.shown(&point.values))));
            let quantities = QUANTITIES.iter().map(|it| (it.name.to_owned(), json!((it.of)(point))));
            Value::Object(parameters.chain(quantities).collect())
        };
        let points: Vec<Value> = self.points().map(of_point).collect();
        let payload = self.payload_bytes;
        let document =
            json!({ "model": "obtcp", "source": SOURCE, "payload_bytes": payload, "points": points });
        format!("{document:#}\n")
    }

    /// As a picture (SVG) over the first axis; empty without axes.
    ///
    /// # Errors
    /// When there are more curves than can be distinguished.
    pub fn draw(&self, view: &View) -> Result<String, String> {
        let Some(x) = self.axes.first().map(|axis| axis.parameter) else { return Ok(String::new()) };
        if self.curves.len() * view.curves.len() > MOST_CURVES {
            let most = MOST_CURVES / view.curves.len();
            let count = self.curves.len();
            return Err(format!("--sweep: {count} curves are too many for a picture, {most} at most"));
        }
        let line = |curve: &Curve, (name, quantity): &(&str, &str)| {
            let point = |it: &Point| Some((x.shown(&it.values), Estimate::single(it.value(quantity)?)));
            let label = curve.label.iter().map(|label| format!(", {label}"));
            Line {
                name: (*name).to_owned() + &label.collect::<String>(),
                points: curve.points.iter().filter_map(point).collect(),
            }
        };
        let lines: Vec<Line> =
            self.curves.iter().flat_map(|curve| view.curves.iter().map(move |it| line(curve, it))).collect();
        let fixed = Some(self.fixed(view.parameters)).filter(|fixed| !fixed.is_empty());
        let fixed = fixed.map(|fixed| format!("; {fixed}")).unwrap_or_default();
        let remark = format!("closed form, {}{fixed}", view.equations);
        let names = Names { picture: "model", title: view.title, remark: &remark, axis: view.axis };
        Ok(lines::lines(names, lines::Parameter { name: x.axis, logarithmic: false }, &lines))
    }
}

/// Six digits, or as many as there are.
fn six_digits(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    format!("{}", format!("{value:.5e}").parse().unwrap_or(value))
}
