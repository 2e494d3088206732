//! Parameters of the model in words, and their values in a sweep.

use super::point::Given;
use crate::terminal::Failure;
use crate::words::said;
use seamline_config::document::Node;
use seamline_config::units::{self, Complaint};

/// A parameter by the name that the paper gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    P1,
    P2,
    /// Both losses.
    P,
    D0,
    D1,
    D2,
    /// Both wireless delays.
    D,
    Window,
    N1,
    N2,
}

const KEYS: [(&str, Key); 10] = [
    ("p1", Key::P1),
    ("p2", Key::P2),
    ("p", Key::P),
    ("d0", Key::D0),
    ("d1", Key::D1),
    ("d2", Key::D2),
    ("d", Key::D),
    ("window", Key::Window),
    ("n1", Key::N1),
    ("n2", Key::N2),
];

/// The values that a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep {
    pub(crate) key: Key,
    /// Delays in seconds.
    pub(crate) values: Vec<f64>,
}

impl Key {
    pub(crate) fn name(self) -> &'static str {
        KEYS.iter().find(|(_, key)| *key == self).map_or("", |(name, _)| *name)
    }

    pub(crate) fn is_delay(self) -> bool {
        matches!(self, Key::D0 | Key::D1 | Key::D2 | Key::D)
    }

    /// The value as it is shown: delays in milliseconds.
    pub(crate) fn shown(self, value: f64) -> f64 {
        if self.is_delay() { rounded(value * 1e3) } else { value }
    }

    /// As it heads a column of CSV.
    pub(crate) fn column(self) -> String {
        if self.is_delay() { format!("{}_ms", self.name()) } else { self.name().to_owned() }
    }

    /// With its value, as in a legend.
    pub(crate) fn in_words(self, value: f64) -> String {
        let unit = if self.is_delay() { " ms" } else { "" };
        format!("{} = {}{unit}", self.name(), self.shown(value))
    }

    /// The name of the parameter that both would set, if there is one.
    pub(crate) fn shares_with(self, other: Key) -> Option<&'static str> {
        let parts = |key| match key {
            Key::P => vec![Key::P1, Key::P2],
            Key::D => vec![Key::D1, Key::D2],
            key => vec![key],
        };
        parts(self).into_iter().find(|part| parts(other).contains(part)).map(Key::name)
    }

    /// The value in the words of `place`; delays come in seconds.
    pub(crate) fn read(self, words: &str, place: &str) -> Result<f64, Failure> {
        let words = words.trim();
        if self.is_delay() {
            return quantity(place, words, units::duration).map(|span| span.as_secs_f64());
        }
        match words.parse::<f64>() {
            Ok(number) => Ok(number),
            Err(_) if matches!(self, Key::P1 | Key::P2 | Key::P) => quantity(place, words, units::ratio),
            Err(_) => {
                Err(Failure::Input(format!("{place}: `{words}` is not a number of packets such as 16")))
            }
        }
    }

    pub(crate) fn set(self, given: &mut Given, value: f64) {
        match self {
            Key::P1 => given.loss[0] = value,
            Key::P2 => given.loss[1] = value,
            Key::P => given.loss = [value; 2],
            Key::D0 => given.one_way_seconds[0] = value,
            Key::D1 => given.one_way_seconds[1] = value,
            Key::D2 => given.one_way_seconds[2] = value,
            Key::D => given.one_way_seconds[1..].fill(value),
            Key::Window => given.window = value,
            Key::N1 => given.repaired_per_request[0] = value,
            Key::N2 => given.repaired_per_request[1] = value,
        }
    }

    pub(crate) fn get(self, given: &Given) -> f64 {
        match self {
            Key::P1 | Key::P => given.loss[0],
            Key::P2 => given.loss[1],
            Key::D0 => given.one_way_seconds[0],
            Key::D1 | Key::D => given.one_way_seconds[1],
            Key::D2 => given.one_way_seconds[2],
            Key::Window => given.window,
            Key::N1 => given.repaired_per_request[0],
            Key::N2 => given.repaired_per_request[1],
        }
    }
}

impl Sweep {
    /// `p1=0:0.2:0.02`, `d2=5 ms:50 ms:5 ms`, `n1=1,2,4`.
    pub(crate) fn read(words: &str) -> Result<Self, Failure> {
        let place = format!("--sweep {words}");
        let refuse = |message: &str| Err(Failure::Input(format!("{place}: {message}")));
        let Some((name, values)) = words.split_once('=') else {
            return refuse("expected a key and its values, such as p1=0:0.2:0.02");
        };
        let Some((_, key)) = KEYS.iter().find(|(known, _)| *known == name.trim()) else {
            let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
            return refuse(&format!("there is no `{}`\ntip: keys are {}", name.trim(), names.join(", ")));
        };
        let read = |words: &str| key.read(words, &place);
        let values = match values.split(':').collect::<Vec<_>>().as_slice() {
            [from, to, step] => match range(read(from)?, read(to)?, read(step)?) {
                Ok(values) => values,
                Err(message) => return refuse(&message),
            },
            [list] => list.split(',').map(read).collect::<Result<_, Failure>>()?,
            _ => return refuse("expected from:to:step, such as p1=0:0.2:0.02, or values between commas"),
        };
        Ok(Sweep { key: *key, values })
    }
}

/// From one value to another, both included where the step leads there.
fn range(from: f64, to: f64, step: f64) -> Result<Vec<f64>, String> {
    const MOST: f64 = 10_000.0;
    let steps = (to - from) / step;
    if !steps.is_finite() || step <= 0.0 || steps < 0.0 {
        return Err(
            "expected from:to:step with a step above zero that leads from the first to the last".to_owned()
        );
    }
    if steps > MOST {
        return Err(format!("too many values, {MOST} at most"));
    }
    // A last step that rounding makes a little too long still counts.
    let last = (steps + 1e-9).floor() as u32;
    Ok((0..=last).map(|n| rounded(from + f64::from(n) * step)).collect())
}

/// To twelve digits, so that steps of 0.02 lead to 0.06 and not to 0.060000000000000005.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// A number of bytes above zero.
pub(crate) fn bytes(place: &str, words: &str) -> Result<u64, Failure> {
    match quantity(place, words, units::bytes)? {
        0 => Err(Failure::Input(format!("{place}: `{words}`: a packet without payload carries nothing"))),
        bytes => Ok(bytes),
    }
}

fn quantity<T>(place: &str, words: &str, read: impl Fn(&Node) -> Result<T, Complaint>) -> Result<T, Failure> {
    units::in_words(words, read)
        .map_err(|complaint| Failure::Input(format!("{place}: `{words}`: {}", said(&complaint))))
}
