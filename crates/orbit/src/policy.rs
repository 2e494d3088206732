//! Who picks which satellite when.

use crate::Utc;

/// The time between two reconfigurations of Starlink, in seconds.
pub const SLOT: i64 = 15;
/// The second of the minute of the first one: they come at 12, 27, 42 and 57 s (Tanveer et al., Making Sense of
/// Constellations, CoNEXT 2023).
pub const SLOT_OFFSET: i64 = 12;
const NANOS: i64 = 1_000_000_000;

/// A handover policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// At seconds 12, 27, 42 and 57 of every minute, and when the satellite is lost, the highest one.
    Slots,
    /// At all times the highest one.
    Highest,
    /// When the satellite is lost, the one that stays longest.
    Longest,
    /// At all times the one with the shortest path, both ends together.
    Shortest,
}

impl Policy {
    /// All policies, with the names that commands and scenarios use.
    pub const ALL: [(&'static str, Policy); 4] = [
        ("slots", Policy::Slots),
        ("highest", Policy::Highest),
        ("longest", Policy::Longest),
        ("shortest", Policy::Shortest),
    ];

    /// Whether a satellite is picked anew now although the old one could be kept. `before` is the look before this one.
    pub(crate) fn reconsiders(self, before: Utc, now: Utc) -> bool {
        match self {
            Policy::Slots => slot(before) != slot(now),
            Policy::Highest | Policy::Shortest => true,
            Policy::Longest => false,
        }
    }
}

/// The number of the slot that a time is in.
fn slot(at: Utc) -> i64 {
    (at.as_unix_nanos() - SLOT_OFFSET * NANOS).div_euclid(SLOT * NANOS)
}
