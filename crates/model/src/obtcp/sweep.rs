//! One or two parameters varied.

use super::parameters::{PARAMETERS, Parameter, rounded};
use super::point::{Curve, Point};
use super::{OutOfDomain, Values};

/// The most points of a sweep: memory is bounded.
const MOST_POINTS: usize = 10_000;

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The parameter.
    pub parameter: &'static Parameter,
    /// Its values, delays in seconds.
    pub values: Vec<f64>,
}

impl Axis {
    /// Read `p1=0:0.2:0.02`, `d2=5 ms:50 ms:5 ms` or `n1=1,2,4`; `read` reads one value.
    ///
    /// # Errors
    /// What is wrong with it, and how to write it.
    pub fn read(
        words: &str,
        read: impl Fn(&'static Parameter, &str) -> Result<f64, String>,
    ) -> Result<Self, String> {
        let (name, values) = words
            .split_once('=')
            .ok_or("expected a key and its values, such as p1=0:0.2:0.02")
            .map(|(name, values)| (name.trim(), values))?;
        let parameter = PARAMETERS.iter().find(|known| known.name == name).ok_or_else(|| {
            let names: Vec<&str> = PARAMETERS.iter().map(|known| known.name).collect();
            format!("there is no `{name}`\ntip: keys are {}", names.join(", "))
        })?;
        let read = |words: &str| read(parameter, words.trim());
        let values = match values.split(':').collect::<Vec<_>>().as_slice() {
            [from, to, step] => range(read(from)?, read(to)?, read(step)?)?,
            [list] => list.split(',').map(read).collect::<Result<_, _>>()?,
            _ => return Err("expected from:to:step, such as p1=0:0.2:0.02, or values between commas".into()),
        };
        Ok(Axis { parameter, values })
    }
}

/// From one value to another, both included where the step leads there.
fn range(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    let steps = (to - from) / step;
    if !steps.is_finite() || step <= 0.0 || steps < 0.0 {
        return Err(
            "expected from:to:step with a step above zero that leads from the first to the last".into()
        );
    }
    if steps > MOST_POINTS as f64 {
        return Err(format!("too many values, {MOST_POINTS} at most"));
    }
    // A last step that rounding makes a little too long still counts.
    let last = (steps + 1e-9).floor() as u32;
    Ok((0..=last).map(|n| rounded(from + f64::from(n) * step)).collect())
}

/// The points over the first axis, a curve for each value of the second; a single point without axes.
pub(super) fn curves(values: Values, payload_bytes: u64, axes: &[Axis]) -> Result<Vec<Curve>, String> {
    let count: usize = axes.iter().map(|axis| axis.values.len()).product();
    match axes {
        [_, _, _, ..] => return Err("--sweep: two at most, an axis and a family of curves".into()),
        _ if count > MOST_POINTS => return Err(format!("--sweep: {count} points, {MOST_POINTS} at most")),
        _ => {}
    }
    let Some(x) = axes.first() else {
        let point = Point::new(values, payload_bytes).map_err(with_tip)?;
        return Ok(vec![Curve { label: None, points: vec![point] }]);
    };
    let along = |values: Values, label: Option<String>| -> Result<Curve, String> {
        let at = |value: &f64| {
            let mut values = values;
            x.parameter.set(&mut values, *value);
            Point::new(values, payload_bytes).map_err(with_tip)
        };
        Ok(Curve { label, points: x.values.iter().map(at).collect::<Result<_, _>>()? })
    };
    let Some(family) = axes.get(1) else { return Ok(vec![along(values, None)?]) };
    if let Some(both) = x.parameter.shares_with(family.parameter) {
        return Err(format!("--sweep: `{both}` is varied twice"));
    }
    let of_value = |value: &f64| {
        let mut values = values;
        family.parameter.set(&mut values, *value);
        along(values, Some(family.parameter.with_value(&values)))
    };
    family.values.iter().map(of_value).collect()
}

/// A share above 1 is most likely one in per cent.
fn with_tip(error: OutOfDomain) -> String {
    let is_per_cent = error.symbol.starts_with('p') && error.value > 1.0 && error.value < 100.0;
    let tip = format!("\ntip: write \"{} %\" or {}", error.value, error.value / 100.0);
    format!("{error}{}", if is_per_cent { tip } else { String::new() })
}
