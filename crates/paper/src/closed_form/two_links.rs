//! Throughput and recovery time over two wireless links, in series.

use seamline_experiment::statistics::Estimate;
use seamline_model::obtcp::{OutOfDomain, Path, Window, WirelessLink};
use seamline_report::picture::lines::Line;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The path of a packet, in the symbols of paper obtcp: shares of packets lost, and one-way delays in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TwoLinks {
    /// Lost between base station and mobile router.
    p1: f64,
    /// Lost between mobile router and mobile host.
    p2: f64,
    /// Between fixed host and base station.
    d0: f64,
    /// Between base station and mobile router.
    d1: f64,
    /// Between mobile router and mobile host.
    d2: f64,
}

impl TwoLinks {
    /// With another value of a symbol; `p` and `d` set both links. `None` for an unknown symbol.
    #[must_use]
    pub fn with(self, symbol: &str, value: f64) -> Option<Self> {
        let mut changed = self;
        let places: &mut [&mut f64] = match symbol {
            "p1" => &mut [&mut changed.p1],
            "p2" => &mut [&mut changed.p2],
            "p" => &mut [&mut changed.p1, &mut changed.p2],
            "d0" => &mut [&mut changed.d0],
            "d1" => &mut [&mut changed.d1],
            "d2" => &mut [&mut changed.d2],
            "d" => &mut [&mut changed.d1, &mut changed.d2],
            _ => return None,
        };
        places.iter_mut().for_each(|place| **place = value);
        Some(changed)
    }

    /// The same as a path of the model.
    ///
    /// # Errors
    /// When a value is outside the domain of the equations.
    pub fn path(self) -> Result<Path, OutOfDomain> {
        let link = |loss, milliseconds: f64| WirelessLink { loss, one_way_seconds: milliseconds / 1000.0 };
        Path::new(self.d0 / 1000.0, link(self.p1, self.d1), link(self.p2, self.d2))
    }
}

/// The throughput of Snoop and obTCP: [`seamline_model::obtcp`], equations 16 and 20.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TwoLinksThroughput {
    /// Payload of a segment in bytes.
    segment_size: u32,
    /// The mean window W' in packets.
    window: f64,
    /// The path; a cell replaces the symbols that the grid sets.
    path: TwoLinks,
    /// How many packets a request of obTCP repairs at most on each link, n1 and n2; the mean of what a window loses is the other bound.
    #[serde(default = "one_by_one")]
    repaired_per_request: [f64; 2],
}

fn one_by_one() -> [f64; 2] {
    [1.0; 2]
}

impl TwoLinksThroughput {
    /// With other values of symbols: those of the path, `n1` and `n2`.
    pub(super) fn with(self, symbols: &BTreeMap<String, f64>) -> Self {
        symbols.iter().fold(self, |form, (symbol, value)| form.with_symbol(symbol, *value))
    }

    /// A symbol that it does not have changes nothing.
    fn with_symbol(mut self, symbol: &str, value: f64) -> Self {
        match symbol {
            "n1" => self.repaired_per_request[0] = value,
            "n2" => self.repaired_per_request[1] = value,
            _ => self.path = self.path.with(symbol, value).unwrap_or(self.path),
        }
        self
    }

    /// In kb/s, for the cell of these values: equation 16 where its `scheme` is snoop, otherwise equation 20. `None` outside the domain
    /// of the equations.
    pub(super) fn expected(self, cell: &BTreeMap<String, String>) -> Option<f64> {
        let given = |form: Self, (symbol, value): (&String, &String)| {
            value.parse().map_or(form, |value| form.with_symbol(symbol, value))
        };
        let form = cell.iter().fold(self, given);
        if cell.get("scheme").is_some_and(|scheme| scheme == "snoop") { form.snoop() } else { form.obtcp() }
    }

    /// Its lines over a symbol.
    pub(super) fn lines(self, axis: &str, at: &[f64]) -> Vec<Line> {
        let line = |name: &str, kilobits: &dyn Fn(Self) -> Option<f64>| {
            let point = |at: &f64| {
                let form = TwoLinksThroughput { path: self.path.with(axis, *at)?, ..self };
                Some((*at, Estimate::single(kilobits(form)?)))
            };
            Line { name: name.to_owned(), points: at.iter().filter_map(point).collect() }
        };
        let repairing =
            |most: f64| move |form: Self| Self { repaired_per_request: [most; 2], ..form }.obtcp();
        vec![
            line("equation 20: one packet repaired by each request", &repairing(1.0)),
            line("equation 20: all of a window repaired by one", &repairing(f64::INFINITY)),
            line("equation 16: Snoop", &Self::snoop),
        ]
    }

    fn snoop(self) -> Option<f64> {
        let path = self.path.path().ok()?;
        let window = Window::new(self.window, [1.0; 2]).ok()?;
        Some(self.kilobits(path.snoop_packets_per_second(window)))
    }

    fn obtcp(self) -> Option<f64> {
        let path = self.path.path().ok()?;
        let window = Window::repaired_at_once(self.window, &path).ok()?.at_most(self.repaired_per_request);
        Some(self.kilobits(path.obtcp_packets_per_second(window)))
    }

    fn kilobits(self, packets_per_second: f64) -> f64 {
        packets_per_second * f64::from(self.segment_size) * 8.0 / 1000.0
    }
}
