//! From values to shades: the larger the darker, so that a map survives without colour.

const LIGHT: [f64; 3] = [243.0, 247.0, 252.0];
const DARK: [f64; 3] = [8.0, 58.0, 110.0];

/// The shades between the least and the largest of some values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shade {
    least: f64,
    most: f64,
}

impl Shade {
    /// The scale of these values.
    pub(super) fn of(values: impl Iterator<Item = f64>) -> Shade {
        let none = Shade { least: f64::INFINITY, most: f64::NEG_INFINITY };
        values.fold(none, |Shade { least, most }, value| Shade {
            least: least.min(value),
            most: most.max(value),
        })
    }

    /// The colour, and whether text on it must be light.
    pub(super) fn colour(&self, value: f64) -> (String, bool) {
        let span = self.most - self.least;
        let share = if span > 0.0 { (value - self.least) / span } else { 0.0 };
        let part = |place: usize| (LIGHT[place] + share * (DARK[place] - LIGHT[place])).round() as u8;
        (format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2)), share > 0.5)
    }
}

/// The colour of text on a shade.
pub(super) fn ink(is_dark: bool) -> &'static str {
    if is_dark { "#ffffff" } else { "#10151d" }
}
