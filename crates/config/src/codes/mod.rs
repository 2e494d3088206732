//! A stable code for each kind of error in a scenario. Codes are printed with every error and never change their
//! meaning; [`Code::explanation`] describes an error in detail.

mod files;
mod grid;
mod structure;
mod values;

use std::fmt;
use std::str::FromStr;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Code {
    /// The text is not TOML.
    NotToml,
    /// A key that does not exist.
    UnknownKey,
    /// A required key or table is missing.
    Missing,
    /// A value of the wrong kind: a number instead of text.
    WrongKind,
    /// A name that is not one of the available choices.
    UnknownChoice,
    /// A reference to a name that the scenario does not define.
    UnknownName,
    /// A duplicate name.
    NameTaken,
    /// A name with invalid characters.
    BadName,
    /// A quantity without its unit.
    UnitMissing,
    /// A unit that does not exist, or that belongs to another kind of quantity.
    WrongUnit,
    /// An ambiguous unit.
    UnclearUnit,
    /// A quantity below zero.
    Negative,
    /// A value outside its range.
    OutOfBounds,
    /// A value that makes no sense in its context; used when no other code is more precise.
    #[default]
    MakesNoSense,
    /// Two keys that duplicate or exclude each other.
    Conflict,
    /// An invalid combination of congestion control and recovery.
    RefusedPair,
    /// Unconnected nodes: the ends of a flow, an anchor and a base station, or two anchors.
    Disconnected,
    /// Invalid seeds.
    Seeds,
    /// A file that cannot be read.
    Unreadable,
    /// A file in an unexpected format.
    NotARecording,
    /// A grid that is not made of lists of values.
    GridShape,
    /// A grid with too many grid cells.
    GridTooLarge,
    /// A `--set` that is not `key=value`.
    BadOverride,
    /// A dotted key that does not address anything.
    BadPath,
}

/// A detailed description of a kind of error.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// A short title.
    pub title: &'static str,
    /// What it means and why it is rejected.
    pub meaning: &'static str,
    /// Where the lines of the example belong.
    pub place: Place,
    /// Lines that cause it.
    pub wrong: &'static str,
    /// The corrected lines.
    pub right: &'static str,
}

/// Where the lines of an example belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Outside any table.
    Top,
    /// In a `[[link]]`.
    Link,
    /// In a `[[flow]]`.
    Flow,
    /// At the end of a file.
    End,
    /// After `--set` on the command line.
    Override,
}

/// All codes with their numbers and explanations. Numbers are never reused.
static ALL: &[(Code, u16, &Explanation)] = &[
    (Code::NotToml, 1, &structure::NOT_TOML),
    (Code::UnknownKey, 2, &structure::UNKNOWN_KEY),
    (Code::Missing, 3, &structure::MISSING),
    (Code::WrongKind, 4, &structure::WRONG_KIND),
    (Code::UnknownChoice, 5, &structure::UNKNOWN_CHOICE),
    (Code::UnknownName, 6, &structure::UNKNOWN_NAME),
    (Code::NameTaken, 7, &structure::NAME_TAKEN),
    (Code::BadName, 8, &structure::BAD_NAME),
    (Code::UnitMissing, 9, &values::UNIT_MISSING),
    (Code::WrongUnit, 10, &values::WRONG_UNIT),
    (Code::UnclearUnit, 11, &values::UNCLEAR_UNIT),
    (Code::Negative, 12, &values::NEGATIVE),
    (Code::OutOfBounds, 13, &values::OUT_OF_BOUNDS),
    (Code::MakesNoSense, 14, &values::MAKES_NO_SENSE),
    (Code::Conflict, 15, &values::CONFLICT),
    (Code::RefusedPair, 16, &values::REFUSED_PAIR),
    (Code::Disconnected, 17, &structure::DISCONNECTED),
    (Code::Seeds, 18, &values::SEEDS),
    (Code::Unreadable, 19, &files::UNREADABLE),
    (Code::NotARecording, 20, &files::NOT_A_RECORDING),
    (Code::GridShape, 21, &grid::SHAPE),
    (Code::GridTooLarge, 22, &grid::TOO_LARGE),
    (Code::BadOverride, 23, &grid::BAD_OVERRIDE),
    (Code::BadPath, 24, &grid::BAD_PATH),
];

impl Code {
    /// All codes in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Code> {
        ALL.iter().map(|(code, ..)| *code)
    }
    /// The explanation of this code.
    pub fn explanation(self) -> &'static Explanation {
        self.entry().2
    }
    fn entry(self) -> &'static (Code, u16, &'static Explanation) {
        ALL.iter().find(|(code, ..)| *code == self).unwrap_or_else(|| unreachable!("{self:?} has no number"))
    }
}

/// `SL007`.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SL{:03}", self.entry().1)
    }
}

/// Accepts `SL007`, `sl007`, `SL7` and `7`.
impl FromStr for Code {
    type Err = UnknownCode;

    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let unknown = || UnknownCode(text.to_owned());
        let upper = text.to_ascii_uppercase();
        let number: u16 = upper.strip_prefix("SL").unwrap_or(&upper).parse().map_err(|_| unknown())?;
        let found = ALL.iter().find(|(_, known, _)| *known == number);
        found.map(|(code, ..)| *code).ok_or_else(unknown)
    }
}

/// There is no such code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode(String);

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = ALL.last().map_or(0, |(_, number, _)| *number);
        write!(f, "there is no error code `{}`; codes are SL001 to SL{last:03}", self.0)
    }
}

impl std::error::Error for UnknownCode {}
