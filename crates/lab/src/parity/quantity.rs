//! What is compared of a run.

use seamline_experiment::record::{FlowRecord, HandoverRecord};
use serde::{Deserialize, Serialize};

/// A quantity of a flow in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Payload delivered per second, in Mbit/s.
    Goodput,
    /// Mean round-trip time in milliseconds.
    RoundTrip,
    /// Retransmitted segments.
    Retransmissions,
    /// Expiries of the retransmission timer.
    Timeouts,
    /// From the start of a handover until data arrives again, in milliseconds.
    FirstData,
    /// From the start of a handover until the flow has recovered, in milliseconds.
    Recovery,
}

/// A quantity, and after which handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// What is measured.
    pub quantity: Quantity,
    /// The index of the handover, for quantities of one handover.
    pub handover: Option<usize>,
}

impl Quantity {
    /// Its name, with its unit.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Goodput => "goodput (Mbit/s)",
            Quantity::RoundTrip => "mean round trip (ms)",
            Quantity::Retransmissions => "retransmissions",
            Quantity::Timeouts => "timeouts",
            Quantity::FirstData => "first data (ms)",
            Quantity::Recovery => "recovery (ms)",
        }
    }

    /// Whether it counts events.
    pub fn is_count(self) -> bool {
        matches!(self, Quantity::Retransmissions | Quantity::Timeouts)
    }
}

impl Measured {
    /// Everything that is measured of a flow with so many handovers on its way.
    pub fn all(handovers: usize) -> Vec<Measured> {
        let whole = [Quantity::Goodput, Quantity::RoundTrip, Quantity::Retransmissions, Quantity::Timeouts];
        let after = |handover| {
            [Quantity::FirstData, Quantity::Recovery]
                .map(|quantity| Measured { quantity, handover: Some(handover) })
        };
        let whole = whole.map(|quantity| Measured { quantity, handover: None });
        whole.into_iter().chain((0..handovers).flat_map(after)).collect()
    }

    /// What it is called: `recovery (ms), handover 2`.
    pub fn name(self) -> String {
        let name = self.quantity.name();
        self.handover.map_or(name.to_owned(), |place| format!("{name}, handover {}", place + 1))
    }

    /// Its value in a run; `None` where it never came to it.
    pub fn of(self, flow: &FlowRecord) -> Option<f64> {
        let handover = |of: fn(&HandoverRecord) -> Option<f64>| of(flow.handovers.get(self.handover?)?);
        match self.quantity {
            Quantity::Goodput => Some(flow.goodput_bits_per_second / 1e6),
            Quantity::RoundTrip => flow.round_trip_mean_ms,
            Quantity::Retransmissions => Some(flow.retransmissions as f64),
            Quantity::Timeouts => Some(flow.timeouts as f64),
            Quantity::FirstData => handover(|handover| handover.first_data_ms),
            Quantity::Recovery => handover(|handover| handover.recovery_ms),
        }
    }
}
