//! A stable code for each kind of mistake in a scenario. Codes are printed with every error and never change
//! their meaning; [`Code::explanation`] says at length what an error is about.

mod files;
mod grid;
mod structure;
mod values;

use std::fmt;
use std::str::FromStr;

/// What an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Code {
    /// The text is not TOML.
    NotToml,
    /// A key that does not exist.
    UnknownKey,
    /// A key or a table that is needed is absent.
    Missing,
    /// A value of another kind: a number in place of a text.
    WrongKind,
    /// A name that is none of those there are to choose from.
    UnknownChoice,
    /// A name of something that the scenario does not have.
    UnknownName,
    /// A name that is taken.
    NameTaken,
    /// A name with characters that names cannot have.
    BadName,
    /// A quantity without its unit.
    UnitMissing,
    /// A unit that does not exist, or of another kind of quantity.
    WrongUnit,
    /// A unit that different people read differently.
    UnclearUnit,
    /// A quantity below zero.
    Negative,
    /// A value outside its bounds.
    OutOfBounds,
    /// A value that makes no sense where it stands; what every other code is more precise than.
    #[default]
    MakesNoSense,
    /// Two keys that say the same thing twice, or exclude each other.
    Conflict,
    /// A congestion control and a recovery that do not go together.
    RefusedPair,
    /// Nodes that no links connect: the ends of a flow, an anchor and a base station, or two anchors.
    Disconnected,
    /// Seeds that are no seeds.
    Seeds,
    /// A file that cannot be read.
    Unreadable,
    /// A file that is not in the format it should be in.
    NotARecording,
    /// A grid that is not made of lists of values.
    GridShape,
    /// A grid with too many cells.
    GridTooLarge,
    /// A `--set` that is not `key=value`.
    BadOverride,
    /// A dotted key that leads nowhere.
    BadPath,
}

/// At length: what an error is about.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// In a few words.
    pub title: &'static str,
    /// What it means and why it is refused.
    pub meaning: &'static str,
    /// Where the example belongs.
    pub place: Place,
    /// Lines that cause it.
    pub wrong: &'static str,
    /// The same lines without it.
    pub right: &'static str,
}

/// Where the lines of an example belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Outside of any table.
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

/// All codes with their numbers and explanations. Numbers are never given again.
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
    /// All codes, by number.
    pub fn all() -> impl Iterator<Item = Code> {
        ALL.iter().map(|(code, ..)| *code)
    }
    /// What it is about.
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

/// `SL007`, `sl007`, `SL7` and `7` are the same.
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
