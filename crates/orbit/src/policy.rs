//! Who picks which satellite when.

use crate::{Relay, Utc};

/// The time between two reconfigurations of Starlink, in seconds.
pub const SLOT: i64 = 15;
/// The second of the minute of the first one: they come at 12, 27, 42 and 57 s (Tanveer et al., Making Sense of
/// Constellations, CoNEXT 2023).
pub const SLOT_OFFSET: i64 = 12;
const NANOS: i64 = 1_000_000_000;

/// A handover policy: which satellite is picked, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Which one of those that can be used.
    pub pick: Pick,
    /// When a satellite is picked, apart from when there is none or it is lost.
    pub when: When,
}

/// Which satellite a terminal picks. Gateways follow all that they see: over inter-satellite links, the shortest path decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The highest one.
    Highest,
    /// The one that can be used for the longest time from now on.
    Longest,
    /// The one with the shortest path to a gateway.
    Shortest,
}

/// When a satellite is picked although the old one could be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At seconds 12, 27, 42 and 57 of every minute.
    Slots,
    /// At every look at the sky.
    Always,
    /// Never.
    Lost,
}

impl Policy {
    /// The names of the usual policies.
    pub const NAMES: [&'static str; 4] = ["slots", "highest", "longest", "shortest"];

    /// A usual policy by its name. `slots` picks the highest satellite of a bent pipe, and over links between satellites that with
    /// the shortest path: the highest one may fly where the way to the gateway is long.
    pub fn named(name: &str, relay: Relay) -> Option<Policy> {
        let policy = |pick, when| Some(Policy { pick, when });
        match (name, relay) {
            ("slots", Relay::BentPipe) => policy(Pick::Highest, When::Slots),
            ("slots", Relay::InterSatelliteLinks) => policy(Pick::Shortest, When::Slots),
            ("highest", _) => policy(Pick::Highest, When::Always),
            ("longest", _) => policy(Pick::Longest, When::Lost),
            ("shortest", _) => policy(Pick::Shortest, When::Always),
            _ => None,
        }
    }

    /// Whether a satellite is picked again now although the old one could be kept. `before` is the look before this one.
    pub(crate) fn reconsiders(self, before: Utc, now: Utc) -> bool {
        match self.when {
            When::Slots => slot(before) != slot(now),
            When::Always => true,
            When::Lost => false,
        }
    }
}

/// The number of the slot that a time is in.
fn slot(at: Utc) -> i64 {
    (at.as_unix_nanos() - SLOT_OFFSET * NANOS).div_euclid(SLOT * NANOS)
}
