//! The parameters of the equations by name, for commands that read, vary and show them.

/// What a parameter counts. Delays are kept in seconds and shown in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A share of packets.
    Share,
    /// A time.
    Seconds,
    /// A number of packets.
    Packets,
}

/// One parameter, or two that are varied together.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the paper.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// Its name on an axis, with its unit.
    pub axis: &'static str,
    /// Its places in [`Values`].
    places: &'static [usize],
}

/// A value for each of p1, p2, d0, d1, d2, W', n1 and n2, in this order.
pub type Values = [f64; 8];

/// The parameters that are one value of [`Values`] each, in its order; then `p` and `d`, which set two.
pub static PARAMETERS: [Parameter; 10] = [
    parameter("p1", Unit::Share, &[0], "p1, share of packets lost between base station and mobile router"),
    parameter("p2", Unit::Share, &[1], "p2, share of packets lost between mobile router and mobile host"),
    parameter("d0", Unit::Seconds, &[2], "d0, one-way delay between fixed host and base station (ms)"),
    parameter("d1", Unit::Seconds, &[3], "d1, one-way delay between base station and mobile router (ms)"),
    parameter("d2", Unit::Seconds, &[4], "d2, one-way delay between mobile router and mobile host (ms)"),
    parameter("window", Unit::Packets, &[5], "W', mean window (packets)"),
    parameter("n1", Unit::Packets, &[6], "n1, packets repaired by one SNACK"),
    parameter("n2", Unit::Packets, &[7], "n2, packets repaired at a time by the mobile router"),
    parameter("p", Unit::Share, &[0, 1], "p1 = p2, share of packets lost on each wireless link"),
    parameter("d", Unit::Seconds, &[3, 4], "d1 = d2, one-way delay of each wireless link (ms)"),
];

const fn parameter(
    name: &'static str,
    unit: Unit,
    places: &'static [usize],
    axis: &'static str,
) -> Parameter {
    Parameter { name, unit, axis, places }
}

impl Parameter {
    /// The single parameters, in the order of [`Values`].
    pub fn singles() -> &'static [Parameter] {
        &PARAMETERS[..8]
    }

    /// Its value, delays in milliseconds.
    pub fn shown(&self, values: &Values) -> f64 {
        let value = values[self.places[0]];
        if self.unit == Unit::Seconds { rounded(value * 1e3) } else { value }
    }

    /// Its name with the unit in which it is shown, as a key: `d1_ms`.
    pub fn column(&self) -> String {
        if self.unit == Unit::Seconds { format!("{}_ms", self.name) } else { self.name.to_owned() }
    }

    /// Its name with its value: `d1 = 20 ms`.
    pub fn with_value(&self, values: &Values) -> String {
        let unit = if self.unit == Unit::Seconds { " ms" } else { "" };
        format!("{} = {}{unit}", self.name, self.shown(values))
    }

    /// Set it.
    pub fn set(&self, values: &mut Values, value: f64) {
        self.places.iter().for_each(|place| values[*place] = value);
    }

    /// The single parameter that both would set.
    pub fn shares_with(&self, other: &Parameter) -> Option<&'static str> {
        let shared = self.places.iter().find(|place| other.places.contains(place));
        shared.map(|place| PARAMETERS[*place].name)
    }
}

/// To twelve digits, so that steps of 0.02 lead to 0.06 and not to 0.060000000000000005.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
