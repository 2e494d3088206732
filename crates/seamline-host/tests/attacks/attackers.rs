//! Who attacks, and how often.

use seamline_wire::Duration;
use std::fmt;

/// Handovers, in milliseconds after the beginning.
const OUTAGES: [[u64; 2]; 2] = [[1500, 2700], [4500, 5700]];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attack {
    None,
    /// No attack: the client's host marks an acknowledgment after each handover.
    Genuine,
    /// The same mark, held back for half a second by who is on the path.
    DelayedHalfSecond,
    /// The same for 5 s.
    DelayedFiveSeconds,
    /// The mark of each handover comes after the next one.
    DelayedPastNext,
    /// The first genuine mark, again and again, by who once got it and sees nothing of the connection.
    ReplayedOffPath,
    /// Marks with guessed numbers, by who knows addresses and ports.
    ForgedOffPath,
    /// Marks with the newest numbers, by who sees everything and can add to it.
    ForgedOnPath,
    /// Marks with numbers of a second ago.
    RecordedOnPath,
    /// Plain duplicates, for comparison.
    DuplicatesOnPath,
    /// The receiver says nothing for 600 ms of each 2 s.
    SilentReceiver,
    /// The same, and it marks all that it says.
    LyingReceiver,
}

impl Attack {
    pub(crate) const ALL: [Attack; 12] = [
        Attack::None,
        Attack::Genuine,
        Attack::DelayedHalfSecond,
        Attack::DelayedFiveSeconds,
        Attack::DelayedPastNext,
        Attack::ReplayedOffPath,
        Attack::ForgedOffPath,
        Attack::ForgedOnPath,
        Attack::RecordedOnPath,
        Attack::DuplicatesOnPath,
        Attack::SilentReceiver,
        Attack::LyingReceiver,
    ];

    /// What it is compared with: the same without the attacker.
    pub(crate) fn without(self) -> Attack {
        match self {
            Attack::ReplayedOffPath => Attack::Genuine,
            Attack::LyingReceiver => Attack::SilentReceiver,
            _ => Attack::None,
        }
    }

    /// Between two forged segments.
    pub(crate) fn interval(self) -> Option<Duration> {
        match self {
            Attack::ReplayedOffPath
            | Attack::ForgedOffPath
            | Attack::ForgedOnPath
            | Attack::RecordedOnPath
            | Attack::DuplicatesOnPath => Some(Duration::from_millis(1)),
            _ => None,
        }
    }
    /// When the genuine mark of a handover comes that has just ended.
    pub(crate) fn genuine(self) -> Arrival {
        match self {
            Attack::Genuine | Attack::ReplayedOffPath => Arrival::After(Duration::ZERO),
            Attack::DelayedHalfSecond => Arrival::After(Duration::from_millis(500)),
            Attack::DelayedFiveSeconds => Arrival::After(Duration::from_secs(5)),
            Attack::DelayedPastNext => Arrival::AfterNext,
            _ => Arrival::Never,
        }
    }
    /// Whether the attacked client says nothing of what it gets, so long after the beginning.
    pub(crate) fn is_silent(self, since: Duration) -> bool {
        self.is_of_receiver() && since.as_nanos() / 1_000_000 % 2000 >= 1400
    }
    /// Whether the attacked client is cut off then, for long enough that the server's timer is doubled.
    pub(crate) fn is_out(self, since: Duration) -> bool {
        let now = since.as_nanos() / 1_000_000;
        !self.is_of_receiver() && OUTAGES.iter().any(|[from, to]| (*from..*to).contains(&now))
    }
    /// A receiver that falls silent instead of being cut off.
    pub(crate) fn is_of_receiver(self) -> bool {
        matches!(self, Attack::SilentReceiver | Attack::LyingReceiver)
    }
    pub(crate) fn marks_all(self) -> bool {
        self == Attack::LyingReceiver
    }
}

/// Of a genuine mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// There is none.
    Never,
    /// Held back for so long.
    After(Duration),
    /// When the next handover has ended.
    AfterNext,
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Attack::None => "none",
            Attack::Genuine => "none; genuine marks",
            Attack::DelayedHalfSecond => "genuine marks, 0.5 s late",
            Attack::DelayedFiveSeconds => "genuine marks, 5 s late",
            Attack::DelayedPastNext => "genuine marks, after the next handover",
            Attack::ReplayedOffPath => "genuine marks, and the first of them replayed off path",
            Attack::ForgedOffPath => "forged marks, off path",
            Attack::ForgedOnPath => "forged marks, on path",
            Attack::RecordedOnPath => "marks with numbers of a second ago, on path",
            Attack::DuplicatesOnPath => "plain duplicates, on path",
            Attack::SilentReceiver => "a silent receiver, no marks",
            Attack::LyingReceiver => "a silent receiver that marks",
        })
    }
}
