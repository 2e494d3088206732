//! What the equations give for a set of parameters.

use super::sweep::Sweep;
use crate::terminal::Failure;
use seamline_model::obtcp::{OutOfDomain, Path, Window, WirelessLink};

/// The parameters, as given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Given {
    /// p1 and p2.
    pub(crate) loss: [f64; 2],
    /// d0, d1 and d2.
    pub(crate) one_way_seconds: [f64; 3],
    /// W' in packets.
    pub(crate) window: f64,
    /// n1 and n2.
    pub(crate) repaired_per_request: [f64; 2],
    /// Payload of a packet.
    pub(crate) payload_bytes: u64,
}

/// The parameters, and what they lead to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) given: Given,
    pub(crate) path: Path,
    pub(crate) window: Window,
}

/// The points of one value of the family.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// The value, if there is a family.
    pub(crate) value: Option<f64>,
    pub(crate) points: Vec<Point>,
}

pub(crate) fn at(given: Given) -> Result<Point, Failure> {
    let link = |n: usize| WirelessLink { loss: given.loss[n], one_way_seconds: given.one_way_seconds[n + 1] };
    let path = Path::new(given.one_way_seconds[0], link(0), link(1)).map_err(outside)?;
    let window = Window::new(given.window, given.repaired_per_request).map_err(outside)?;
    Ok(Point { given, path, window })
}

/// The fix is in the message; a loss above 1 is most likely one in per cent.
fn outside(error: OutOfDomain) -> Failure {
    let tip = match error.symbol {
        "p1" | "p2" if error.value > 1.0 && error.value < 100.0 => {
            format!("\ntip: write \"{} %\" or {}", error.value, error.value / 100.0)
        }
        _ => String::new(),
    };
    Failure::Input(format!("{error}{tip}"))
}

pub(crate) fn curves(given: &Given, x: &Sweep, family: Option<&Sweep>) -> Result<Vec<Curve>, Failure> {
    let along = |mut given: Given, value: Option<f64>| {
        let points = x.values.iter().map(|place| {
            x.key.set(&mut given, *place);
            at(given)
        });
        Ok(Curve { value, points: points.collect::<Result<_, Failure>>()? })
    };
    let Some(family) = family else { return Ok(vec![along(*given, None)?]) };
    let of_value = |value: &f64| {
        let mut given = *given;
        family.key.set(&mut given, *value);
        along(given, Some(*value))
    };
    family.values.iter().map(of_value).collect()
}

impl Point {
    pub(crate) fn kilobits_per_second(&self, packets_per_second: f64) -> f64 {
        packets_per_second * self.given.payload_bytes as f64 * 8.0 / 1e3
    }
    /// By how many percent the throughput of obTCP exceeds that of Snoop.
    pub(crate) fn throughput_gain_percent(&self) -> f64 {
        let snoop = self.path.snoop_packets_per_second(self.window);
        (self.path.obtcp_packets_per_second(self.window) / snoop - 1.0) * 100.0
    }
}
