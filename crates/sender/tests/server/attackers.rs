//! Who attacks, and how often.

use seamline_wire::{Duration, Instant};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    None,
    /// Marks with guessed numbers, by who knows addresses and ports.
    ForgedOffPath,
    /// Marks with the newest numbers, by who sees everything and can add to it.
    ForgedOnPath,
    /// Marks with numbers of a second ago.
    ReplayedOnPath,
    /// Plain duplicates, for comparison.
    DuplicatesOnPath,
    /// The receiver says nothing for 600 ms of each 2 s.
    SilentReceiver,
    /// The same, and it marks all that it says.
    LyingReceiver,
}

impl Attack {
    pub(crate) const ALL: [Attack; 7] = [
        Attack::None,
        Attack::ForgedOffPath,
        Attack::ForgedOnPath,
        Attack::ReplayedOnPath,
        Attack::DuplicatesOnPath,
        Attack::SilentReceiver,
        Attack::LyingReceiver,
    ];

    /// Between two forged segments.
    pub(crate) fn interval(self) -> Option<Duration> {
        match self {
            Attack::ForgedOffPath
            | Attack::ForgedOnPath
            | Attack::ReplayedOnPath
            | Attack::DuplicatesOnPath => Some(Duration::from_millis(1)),
            _ => None,
        }
    }
    /// Whether the attacked client says nothing at that time.
    pub(crate) fn is_silent(self, now: Instant) -> bool {
        let is_that = matches!(self, Attack::SilentReceiver | Attack::LyingReceiver);
        is_that && now.as_nanos() / 1_000_000 % 2000 < 600
    }
    pub(crate) fn marks_all(self) -> bool {
        self == Attack::LyingReceiver
    }
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attack::None => "none",
            Attack::ForgedOffPath => "forged marks, off path",
            Attack::ForgedOnPath => "forged marks, on path",
            Attack::ReplayedOnPath => "replayed marks, on path",
            Attack::DuplicatesOnPath => "plain duplicates, on path",
            Attack::SilentReceiver => "a silent receiver, no marks",
            Attack::LyingReceiver => "a silent receiver that marks",
        })
    }
}
