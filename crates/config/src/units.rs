//! Quantities with their units: "2 Mbit/s", "50 ms", "1 %", "100 kB", "50 packets".
//!
//! A number without its unit, a unit of another kind, and ambiguous spellings ("Mbps", "Mb", "KB") are refused, with a
//! suggestion.

use crate::codes::Code;
use crate::diagnostics::nearest;
use crate::document::{Node, Value};
use crate::source::{SourceId, Span};
use seamline_wire::{Duration, Rate};

/// Why a value was refused, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// What it is about.
    pub code: Code,
    /// What is wrong with the value.
    pub label: String,
    /// How to write it.
    pub tips: Vec<String>,
    /// Where exactly, when that is only a part of the value.
    pub span: Option<Span>,
}

impl Complaint {
    /// A complaint without a tip.
    pub fn new(label: impl Into<String>) -> Self {
        Complaint { code: Code::default(), label: label.into(), tips: Vec::new(), span: None }
    }
    /// A value that is valid alone, but not with another one.
    pub fn conflict(label: impl Into<String>) -> Self {
        Complaint::new(label).code(Code::Conflict)
    }
    /// A value that is too small or too large.
    pub fn out_of_bounds(label: impl Into<String>) -> Self {
        Complaint::new(label).code(Code::OutOfBounds)
    }
    /// Refuses a value without a message, because the reason has been noted elsewhere.
    pub fn noted_elsewhere() -> Self {
        Complaint::new("")
    }
    /// A value of the wrong kind; `kind` is the expected one: "a number".
    pub fn expected(kind: &str, found: &Value) -> Self {
        let label = format!("this is {}, expected {kind}", found.kind());
        Complaint::new(label).code(Code::WrongKind)
    }
    /// About something more precise than [`Code::MakesNoSense`].
    #[must_use]
    pub fn code(mut self, code: Code) -> Self {
        self.code = code;
        self
    }
    /// With a fix.
    #[must_use]
    pub fn tip(mut self, tip: impl Into<String>) -> Self {
        self.tips.push(tip.into());
        self
    }
    /// About this part of the value, unless a smaller one is named already.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }
}

/// Read a quantity outside of a document.
///
/// # Errors
/// The reader's complaint.
pub fn in_words<T>(words: &str, read: impl Fn(&Node) -> Result<T, Complaint>) -> Result<T, Complaint> {
    read(&Node { span: SourceId::FILE.span(0..words.len()), value: Value::Text(words.to_owned()) })
}

/// An amount of data: what a queue holds or a transfer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Packets, whatever their size.
    Packets(u64),
}

/// A kind of quantity: its units, each with its worth in the smallest one.
struct Kind {
    /// "a rate".
    name: &'static str,
    example: &'static str,
    units: &'static [(&'static str, f64)],
    /// Spellings that people use for different things, and what they may mean.
    ambiguous: &'static [(&'static [&'static str], &'static str)],
    /// The largest value, in the smallest unit and as text.
    most: (f64, &'static str),
    /// Whether there is nothing between zero and one of the smallest unit.
    is_counted: bool,
}

/// No time in a scenario is longer: a year.
pub const LONGEST_TIME: Duration = Duration::from_nanos(31_560_000_000_000_000);

/// No rate in a scenario is greater: 1000 Tbit/s.
pub const GREATEST_RATE: Rate = Rate::from_bits_per_second(1_000_000_000_000_000);

const TIME: Kind = Kind {
    name: "a time",
    example: "50 ms",
    units: &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)],
    ambiguous: &[
        (&["m"], "min or ms"),
        (&["sec", "secs", "second", "seconds", "S"], "s"),
        (&["msec", "millis", "milliseconds", "MS"], "ms"),
        (&["usec", "micros", "microseconds"], "us"),
        (&["minute", "minutes", "mins"], "min"),
        (&["hour", "hours"], "h"),
    ],
    most: (LONGEST_TIME.as_nanos() as f64, "1 year"),
    is_counted: true,
};

const RATE: Kind = Kind {
    name: "a rate",
    example: "2 Mbit/s",
    units: &[
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("Tbit/s", 1e12),
        ("B/s", 8.0),
        ("kB/s", 8e3),
        ("MB/s", 8e6),
        ("GB/s", 8e9),
    ],
    ambiguous: &[
        (&["bps", "b/s"], "bit/s or B/s"),
        (&["kbps", "Kbps", "kb/s", "Kb/s", "KBps", "kBps", "KB/s", "k"], "kbit/s or kB/s"),
        (&["Mbps", "mbps", "Mb/s", "mb/s", "MBps", "Mb", "mb", "M"], "Mbit/s or MB/s"),
        (&["Gbps", "gbps", "Gb/s", "gb/s", "GBps", "Gb", "gb", "G"], "Gbit/s or GB/s"),
        (&["Mbit", "mbit", "mbit/s"], "Mbit/s"),
        (&["kbit", "Kbit", "Kbit/s"], "kbit/s"),
        (&["Gbit", "gbit", "gbit/s"], "Gbit/s"),
    ],
    most: (GREATEST_RATE.bits_per_second() as f64, "1000 Tbit/s"),
    is_counted: true,
};

const RATIO: Kind = Kind {
    name: "a share",
    example: "1 %",
    units: &[("%", 0.01)],
    ambiguous: &[],
    most: (1.0, "100 %"),
    is_counted: false,
};

const BYTES: &[(&str, f64)] = &[
    ("B", 1.0),
    ("byte", 1.0),
    ("bytes", 1.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];
const PACKETS: &[(&str, f64)] = &[("packet", 1.0), ("packets", 1.0)];
const AMBIGUOUS_BYTES: &[(&[&str], &str)] = &[
    (&["b"], "bytes; bits are not counted here"),
    (&["k", "K", "KB", "kb", "Kb", "kib"], "kB (1000 bytes) or KiB (1024 bytes)"),
    (&["M", "Mb", "mb", "mB", "mib"], "MB (10^6 bytes) or MiB (2^20 bytes)"),
    (&["G", "Gb", "gb", "gB", "gib"], "GB (10^9 bytes) or GiB (2^30 bytes)"),
    (&["pkt", "pkts", "p"], "packets"),
];

const SIZE: Kind = Kind {
    name: "a number of bytes",
    example: "10 MB",
    units: BYTES,
    ambiguous: AMBIGUOUS_BYTES,
    most: (1.15e18, "1000 PB"),
    is_counted: true,
};

const COUNT_OF_PACKETS: Kind = Kind {
    name: "a number of packets",
    example: "50 packets",
    units: PACKETS,
    ambiguous: AMBIGUOUS_BYTES,
    most: (4.0e9, "4000000000 packets"),
    is_counted: true,
};

const SPEED: Kind = Kind {
    name: "a speed",
    example: "60 km/h",
    units: &[("m/s", 1.0), ("km/h", 1.0 / 3.6)],
    ambiguous: &[(&["kmh", "kph", "km"], "km/h"), (&["mps", "m"], "m/s"), (&["mph"], "km/h")],
    most: (3e8, "the speed of light"),
    is_counted: false,
};

const DISTANCE: Kind = Kind {
    name: "a distance",
    example: "500 m",
    units: &[("m", 1.0), ("km", 1000.0)],
    ambiguous: &[],
    most: (1e9, "1000000 km"),
    is_counted: false,
};

/// The kinds of quantities that a key can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A span of time.
    Time,
    /// A data rate.
    Rate,
    /// A share or a probability in per cent.
    Share,
    /// Bytes.
    Size,
    /// Bytes or packets.
    Amount,
    /// A speed.
    Speed,
    /// A distance.
    Distance,
}

impl Quantity {
    fn kinds(self) -> &'static [&'static Kind] {
        match self {
            Quantity::Time => &[&TIME],
            Quantity::Rate => &[&RATE],
            Quantity::Share => &[&RATIO],
            Quantity::Size => &[&SIZE],
            Quantity::Amount => &[&SIZE, &COUNT_OF_PACKETS],
            Quantity::Speed => &[&SPEED],
            Quantity::Distance => &[&DISTANCE],
        }
    }
    /// The value in the smallest unit, of a quantity with one kind of units.
    pub(crate) fn read(self, node: &Node) -> Result<f64, Complaint> {
        self.kinds()[0].read(node)
    }
    /// Its name in messages, without an article.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Amount => "bytes or packets",
            Quantity::Size => "bytes",
            other => other.kinds()[0].name.trim_start_matches("a "),
        }
    }
}

/// A regular expression for the spellings of a quantity.
pub fn pattern(quantity: Quantity) -> String {
    let kinds = quantity.kinds();
    let units: Vec<&str> = kinds.iter().flat_map(|kind| kind.names()).collect();
    format!(r"^\s*\+?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*({})\s*$", units.join("|"))
}

const ALL: [&Kind; 7] = [&TIME, &RATE, &RATIO, &SIZE, &COUNT_OF_PACKETS, &SPEED, &DISTANCE];

/// A span of time, zero included.
///
/// # Errors
/// When the value is anything else.
pub fn duration(node: &Node) -> Result<Duration, Complaint> {
    TIME.read(node).map(|nanos| Duration::from_nanos(nanos.round() as u64))
}

/// A span of time that is not zero.
///
/// # Errors
/// When the value is anything else.
pub fn positive_duration(node: &Node) -> Result<Duration, Complaint> {
    match duration(node)? {
        Duration::ZERO => Err(Complaint::out_of_bounds("must be longer than zero")),
        span => Ok(span),
    }
}

/// A data rate, zero included (nothing passes).
///
/// # Errors
/// When the value is anything else.
pub fn rate(node: &Node) -> Result<Rate, Complaint> {
    RATE.read(node).map(|bits| Rate::from_bits_per_second(bits.round() as u64))
}

/// A data rate that is not zero.
///
/// # Errors
/// When the value is anything else.
pub fn positive_rate(node: &Node) -> Result<Rate, Complaint> {
    match rate(node)? {
        Rate::ZERO => Err(Complaint::out_of_bounds("must be more than zero, or nothing ever passes")),
        rate => Ok(rate),
    }
}

/// A probability or a share between 0 and 1, written in per cent.
///
/// # Errors
/// When the value is anything else.
pub fn ratio(node: &Node) -> Result<f64, Complaint> {
    RATIO.read(node)
}

/// A number of bytes.
///
/// # Errors
/// When the value is anything else.
pub fn bytes(node: &Node) -> Result<u64, Complaint> {
    SIZE.read(node).map(|bytes| bytes.round() as u64)
}

/// Bytes or packets.
///
/// # Errors
/// When the value is anything else.
pub fn amount(node: &Node) -> Result<Amount, Complaint> {
    let (number, unit) = split(&SIZE, node)?;
    if PACKETS.iter().any(|(name, _)| *name == unit) {
        let packets = COUNT_OF_PACKETS.value(number, unit)?;
        if packets.fract() != 0.0 {
            return Err(Complaint::out_of_bounds("packets are whole numbers"));
        }
        return Ok(Amount::Packets(packets as u64));
    }
    if unit.is_empty() {
        return Err(Complaint::new("the unit is missing")
            .code(Code::UnitMissing)
            .tip(format!("write \"{number} packets\" or \"{number} kB\"")));
    }
    SIZE.value(number, unit).map(|bytes| Amount::Bytes(bytes.round() as u64))
}

impl Kind {
    /// The value in the smallest unit.
    fn read(&self, node: &Node) -> Result<f64, Complaint> {
        let (number, unit) = split(self, node)?;
        self.value(number, unit)
    }

    fn value(&self, number: &str, unit: &str) -> Result<f64, Complaint> {
        let worth = self.worth(number, unit)?;
        let number = parse_number(number)?;
        let value = number * worth;
        if value > self.most.0 * (1.0 + 1e-9) {
            return Err(Complaint::out_of_bounds(format!("too large: at most {}", self.most.1)));
        }
        if self.is_counted && value > 0.0 && value < 0.5 {
            return Err(Complaint::out_of_bounds(format!("too small: at least 1 {}", self.units[0].0)));
        }
        Ok(value)
    }

    fn worth(&self, number: &str, unit: &str) -> Result<f64, Complaint> {
        if let Some((_, worth)) = self.units.iter().find(|(name, _)| *name == unit) {
            return Ok(*worth);
        }
        if unit.is_empty() {
            return Err(self.missing_unit(number));
        }
        if let Some((_, meant)) = self.ambiguous.iter().find(|(names, _)| names.contains(&unit)) {
            return Err(Complaint::new(format!("`{unit}` is an ambiguous unit"))
                .code(Code::UnclearUnit)
                .tip(format!("did you mean {meant}?")));
        }
        if let Some(other) = ALL.iter().find(|kind| kind.units.iter().any(|(name, _)| *name == unit)) {
            return Err(self.expected(&format!("`{unit}` makes {}", other.name)).code(Code::WrongUnit));
        }
        let complaint =
            Complaint::new(format!("`{unit}` is not a unit of {}", self.name)).code(Code::WrongUnit);
        Err(match nearest(unit, self.names()) {
            Some(name) => complaint.tip(format!("a similar unit exists: `{name}`")),
            None => {
                complaint.tip(format!("units there are: {}", self.names().collect::<Vec<_>>().join(", ")))
            }
        })
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.units.iter().map(|(name, _)| *name)
    }

    fn expected(&self, found: &str) -> Complaint {
        Complaint::new(format!("{found}, expected {} such as \"{}\"", self.name, self.example))
    }

    fn missing_unit(&self, number: &str) -> Complaint {
        let complaint = Complaint::new("the unit is missing").code(Code::UnitMissing);
        match number.parse::<f64>() {
            Ok(share) if self.name == RATIO.name && (0.0..=1.0).contains(&share) => {
                complaint.tip(format!("write \"{} %\"", (share * 1e8).round() / 1e6))
            }
            _ => complaint.tip(format!("write {} such as \"{}\"", self.name, self.example)),
        }
    }
}

/// The number and the unit of a quantity.
fn split<'a>(kind: &Kind, node: &'a Node) -> Result<(&'a str, &'a str), Complaint> {
    match &node.value {
        Value::Text(text) => {
            let text = text.trim();
            let begins_unit = |(place, letter): &(usize, char)| {
                let exponent = matches!(letter, 'e' | 'E')
                    && text[..*place].ends_with(|before: char| before.is_ascii_digit())
                    && text[place + 1..]
                        .starts_with(|after: char| after.is_ascii_digit() || "+-".contains(after));
                !(letter.is_ascii_digit() || "+-._".contains(*letter) || exponent)
            };
            let end = text.char_indices().find(begins_unit).map_or(text.len(), |(place, _)| place);
            let word = text.split_whitespace().next().unwrap_or_default();
            if end == 0 && word.parse::<f64>().is_ok() {
                return Err(
                    Complaint::new(format!("`{word}` is not a number to compute with")).code(Code::WrongKind)
                );
            }
            if end == 0 {
                return Err(kind.expected("no number").code(Code::WrongKind));
            }
            Ok((&text[..end], text[end..].trim_start()))
        }
        Value::Integer(number) => Err(kind.missing_unit(&number.to_string())),
        Value::Float(number) if number.is_finite() => Err(kind.missing_unit(&number.to_string())),
        Value::Float(number) => {
            Err(Complaint::new(format!("`{number}` is not a number to compute with")).code(Code::WrongKind))
        }
        other => Err(kind.expected(&format!("this is {}", other.kind())).code(Code::WrongKind)),
    }
}

fn parse_number(text: &str) -> Result<f64, Complaint> {
    let number: f64 = text
        .parse()
        .map_err(|_| Complaint::new(format!("`{text}` is not a number")).code(Code::WrongKind))?;
    if !number.is_finite() {
        return Err(Complaint::out_of_bounds("too large a number"));
    }
    if number < 0.0 {
        return Err(Complaint::new("must not be negative").code(Code::Negative));
    }
    Ok(number)
}
