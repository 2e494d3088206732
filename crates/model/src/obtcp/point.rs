//! What the equations give for one set of parameters.

use super::{OutOfDomain, Path, Values, Window, WirelessLink};

/// Parameters, and what they lead to.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The parameters.
    pub values: Values,
    payload_bytes: u64,
    path: Path,
    window: Window,
}

/// The points of one curve.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    /// The parameter of the family with its value, where there is a family.
    pub(super) label: Option<String>,
    /// Its points, in the order of the axis.
    pub(super) points: Vec<Point>,
}

/// A quantity that the equations give.
#[derive(Debug)]
pub struct Quantity {
    /// Its name with its unit, as a column of CSV.
    pub name: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
    /// The number of its equation in the paper.
    pub equation: &'static str,
    /// Its value; `None` where the equation has none.
    pub of: fn(&Point) -> Option<f64>,
}

const fn quantity(
    name: &'static str,
    meaning: &'static str,
    equation: &'static str,
    of: fn(&Point) -> Option<f64>,
) -> Quantity {
    Quantity { name, meaning, equation, of }
}

/// All quantities, in the order of tables.
pub static QUANTITIES: [Quantity; 13] = [
    quantity("loss_of_both_links", "share of packets lost on both links, p_s", "3", |it| {
        Some(it.path.loss_of_both_links())
    }),
    quantity("snoop_transmissions", "transmissions of a packet under Snoop, N", "4", |it| {
        Some(it.path.snoop_transmissions())
    }),
    quantity("snoop_recovery_ms", "recovery time of Snoop, R_s (ms)", "5", |it| {
        Some(it.path.snoop_recovery_seconds() * 1e3)
    }),
    quantity("obtcp_recovery_ms", "recovery time of obTCP, R_o (ms)", "6", |it| {
        Some(it.path.obtcp_recovery_seconds() * 1e3)
    }),
    quantity("recovery_gain_ms", "gain in recovery time, R_gain (ms)", "7", |it| {
        Some(it.path.recovery_gain_seconds() * 1e3)
    }),
    quantity("recovery_ratio", "ratio of recovery times, R_s / R_o", "10, 11", |it| it.path.recovery_ratio()),
    quantity("snoop_round_trip_ms", "round-trip time under Snoop (ms)", "14", |it| {
        Some(it.path.snoop_round_trip_seconds(it.window) * 1e3)
    }),
    quantity("obtcp_round_trip_ms", "round-trip time under obTCP (ms)", "18", |it| {
        Some(it.path.obtcp_round_trip_seconds(it.window) * 1e3)
    }),
    quantity("snoop_packets_per_s", "throughput of Snoop (packets/s)", "16", |it| Some(it.snoop())),
    quantity("obtcp_packets_per_s", "throughput of obTCP (packets/s)", "20", |it| Some(it.obtcp())),
    quantity("snoop_kbit_per_s", "throughput of Snoop (kbit/s)", "16", |it| Some(it.kilobits(it.snoop()))),
    quantity("obtcp_kbit_per_s", "throughput of obTCP (kbit/s)", "20", |it| Some(it.kilobits(it.obtcp()))),
    quantity("throughput_gain_percent", "gain in throughput over Snoop (%)", "16, 20", |it| {
        Some((it.obtcp() / it.snoop() - 1.0) * 100.0)
    }),
];

impl Point {
    /// The equations at these parameters, for packets with so much payload.
    ///
    /// # Errors
    /// When a parameter is outside of the equations' domain.
    pub fn new(values: Values, payload_bytes: u64) -> Result<Self, OutOfDomain> {
        let [p1, p2, d0, d1, d2, window, n1, n2] = values;
        let link = |loss, one_way_seconds| WirelessLink { loss, one_way_seconds };
        let path = Path::new(d0, link(p1, d1), link(p2, d2))?;
        Ok(Point { values, payload_bytes, path, window: Window::new(window, [n1, n2])? })
    }

    /// The value of a quantity by its name; `None` where the equation has none.
    pub fn value(&self, quantity: &str) -> Option<f64> {
        QUANTITIES.iter().find(|known| known.name == quantity).and_then(|known| (known.of)(self))
    }

    fn snoop(&self) -> f64 {
        self.path.snoop_packets_per_second(self.window)
    }

    fn obtcp(&self) -> f64 {
        self.path.obtcp_packets_per_second(self.window)
    }

    fn kilobits(&self, packets_per_second: f64) -> f64 {
        packets_per_second * self.payload_bytes as f64 * 8.0 / 1e3
    }
}
