//! What the equations give, as text, CSV and JSON.

use super::point::{Given, Point};
use super::sweep::{Key, rounded};
use crate::terminal::Failure;
use serde_json::{Value, json};
use std::fmt::Write;

const SOURCE: &str = "Sardar, Saha and Hassan, Indian Institute of Management Calcutta, working paper 649, 2010, sections V and VII";

/// A quantity: its name with its unit, as a column is called; what it is; its equation; its value, `None` where it has none.
type Quantity = (&'static str, &'static str, &'static str, fn(&Point) -> Option<f64>);

const QUANTITIES: [Quantity; 12] = [
    ("loss_of_both_links", "share of packets lost on both links, p_s", "3", |it| {
        Some(it.path.loss_of_both_links())
    }),
    ("snoop_transmissions", "transmissions of a packet under Snoop, N", "4", |it| {
        Some(it.path.snoop_transmissions())
    }),
    ("snoop_recovery_ms", "recovery time of Snoop, R_s (ms)", "5", |it| {
        Some(it.path.snoop_recovery_seconds() * 1e3)
    }),
    ("obtcp_recovery_ms", "recovery time of obTCP, R_o (ms)", "6", |it| {
        Some(it.path.obtcp_recovery_seconds() * 1e3)
    }),
    ("recovery_gain_ms", "gain in recovery time, R_gain (ms)", "7", |it| {
        Some(it.path.recovery_gain_seconds() * 1e3)
    }),
    ("recovery_ratio", "ratio of recovery times, R_s / R_o", "10, 11", |it| it.path.recovery_ratio()),
    ("snoop_round_trip_ms", "round-trip time under Snoop (ms)", "14", |it| {
        Some(it.path.snoop_round_trip_seconds(it.window) * 1e3)
    }),
    ("obtcp_round_trip_ms", "round-trip time under obTCP (ms)", "18", |it| {
        Some(it.path.obtcp_round_trip_seconds(it.window) * 1e3)
    }),
    ("snoop_packets_per_s", "throughput of Snoop (packets/s)", "16", |it| {
        Some(it.path.snoop_packets_per_second(it.window))
    }),
    ("obtcp_packets_per_s", "throughput of obTCP (packets/s)", "20", |it| {
        Some(it.path.obtcp_packets_per_second(it.window))
    }),
    ("obtcp_kbit_per_s", "throughput of obTCP (kbit/s)", "20", |it| {
        Some(it.kilobits_per_second(it.path.obtcp_packets_per_second(it.window)))
    }),
    ("throughput_gain_percent", "gain in throughput over Snoop (%)", "16, 20", |it| {
        Some(it.throughput_gain_percent())
    }),
];

/// The columns of a sweep as a table; all others are in its CSV and JSON.
const OF_SWEEP: [(&str, &str); 7] = [
    ("snoop_recovery_ms", "R_s (ms)"),
    ("obtcp_recovery_ms", "R_o (ms)"),
    ("recovery_gain_ms", "R_gain (ms)"),
    ("recovery_ratio", "R_s/R_o"),
    ("snoop_packets_per_s", "snoop (packets/s)"),
    ("obtcp_packets_per_s", "obTCP (packets/s)"),
    ("throughput_gain_percent", "gain (%)"),
];

const PARAMETERS: [Key; 8] = [Key::P1, Key::P2, Key::D0, Key::D1, Key::D2, Key::Window, Key::N1, Key::N2];

/// Six digits, or as many as there are.
fn in_digits(value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_owned() };
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    format!("{rounded}")
}

/// The parameters that are not varied.
pub(crate) fn fixed(given: &Given, varied: &[Key], of: &[Key]) -> String {
    let fixed = of.iter().filter(|key| !varied.iter().any(|varied| key.shares_with(*varied).is_some()));
    let words: Vec<String> = fixed.map(|key| key.in_words(key.get(given))).collect();
    words.join(", ")
}

fn headline(given: &Given, varied: &[Key]) -> String {
    let size = given.payload_bytes;
    format!(
        "Closed form of Snoop and obTCP [{SOURCE}]\n{}, {size} B of payload\n\n",
        fixed(given, varied, &PARAMETERS)
    )
}

/// One point, a line for each quantity.
pub(crate) fn of_point(point: &Point) -> String {
    let mut text = headline(&point.given, &[]);
    let width = QUANTITIES.iter().map(|(_, what, ..)| what.len()).max().unwrap_or(0);
    let _ = writeln!(text, "{:<width$}  {:>12}  equation", "quantity", "value");
    for (_, what, equation, value) in QUANTITIES {
        let _ = writeln!(text, "{what:<width$}  {:>12}  {equation}", in_digits(value(point)));
    }
    text
}

/// Many points, a line for each.
pub(crate) fn of_sweep(given: &Given, varied: &[Key], points: &[&Point]) -> String {
    let head =
        |key: &Key| if key.is_delay() { format!("{} (ms)", key.name()) } else { key.name().to_owned() };
    let heads: Vec<String> =
        varied.iter().map(head).chain(OF_SWEEP.iter().map(|(_, head)| (*head).to_owned())).collect();
    let row = |point: &&Point| -> Vec<String> {
        let places = varied.iter().map(|key| key.shown(key.get(&point.given)).to_string());
        let value =
            |name: &str| QUANTITIES.iter().find(|(known, ..)| *known == name).and_then(|it| it.3(point));
        places.chain(OF_SWEEP.iter().map(|(name, _)| in_digits(value(name)))).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(heads).chain(points.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = headline(given, varied);
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        text += &(cells.join("  ") + "\n");
    }
    text
}

/// All parameters that vary, and all quantities. A comment says how to make it again.
pub(crate) fn csv(varied: &[Key], points: &[&Point], command: &str) -> String {
    let heads = varied.iter().map(|key| key.column());
    let heads: Vec<String> = heads.chain(QUANTITIES.iter().map(|(name, ..)| (*name).to_owned())).collect();
    let mut text = format!("# source: {SOURCE}\n# reproduce: {command}\n{}\n", heads.join(","));
    for point in points {
        let places = varied.iter().map(|key| key.shown(key.get(&point.given)).to_string());
        let values =
            QUANTITIES.iter().map(|it| (it.3)(point).map_or(String::new(), |value| value.to_string()));
        text += &(places.chain(values).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

/// A document with everything.
pub(crate) fn json(given: &Given, points: &[&Point]) -> Result<String, Failure> {
    let of_point = |point: &&Point| {
        let mut object: serde_json::Map<String, Value> =
            PARAMETERS.iter().map(|key| (key.column(), json!(key.shown(key.get(&point.given))))).collect();
        object.extend(QUANTITIES.iter().map(|(name, _, _, value)| ((*name).to_owned(), json!(value(point)))));
        Value::Object(object)
    };
    let points: Vec<Value> = points.iter().map(of_point).collect();
    let document = json!({
        "model": "obtcp",
        "source": SOURCE,
        "payload_bytes": given.payload_bytes,
        "points": points,
    });
    let text = serde_json::to_string_pretty(&document);
    text.map(|text| text + "\n").map_err(|error| Failure::Runtime(error.to_string()))
}

/// A number of milliseconds without the dust of its arithmetic.
pub(crate) fn milliseconds(seconds: f64) -> f64 {
    rounded(seconds * 1e3)
}
