//! Reconfigurations that come at known times: Starlink's are 15 s apart, at the same seconds of every minute everywhere.

use seamline_wire::{Duration, Instant};

/// Outages of a link that come again and again, by the clock of the world (UTC).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reconfigurations {
    /// The interface.
    pub interface: String,
    /// From one to the next. Not zero.
    pub every: Duration,
    /// How long after a full multiple of `every` since 1970 it begins. Less than `every`.
    pub offset: Duration,
    /// How long it takes until the link carries packets again. Less than `every`.
    pub outage: Duration,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// When, on the clock of the world.
    pub at: Instant,
    /// Whether it is the end of an outage, and not its beginning.
    pub is_up: bool,
}

impl Reconfigurations {
    /// The first beginning or end later than `after`, times being since 1970.
    pub fn next(&self, after: Instant) -> Next {
        let down = self.next_outage(after);
        let up = self.later(after, self.offset.as_nanos().saturating_add(self.outage.as_nanos()));
        match up < down {
            true => Next { at: up, is_up: true },
            false => Next { at: down, is_up: false },
        }
    }

    /// The first beginning later than `after`.
    pub fn next_outage(&self, after: Instant) -> Instant {
        self.later(after, self.offset.as_nanos())
    }

    /// The first time later than `after` that is so long before a beginning, or where the link is back later than that, the end before it.
    pub fn next_announcement(&self, after: Instant, lead: Duration) -> Instant {
        let lead = lead.min(self.every - self.outage).as_nanos();
        self.later(after, self.offset.as_nanos().saturating_add(self.every.as_nanos()).saturating_sub(lead))
    }

    /// The first time later than `after` that is so many nanoseconds after a full multiple of `every`.
    fn later(&self, after: Instant, phase: u64) -> Instant {
        let every = self.every.as_nanos().max(1);
        let phase = phase % every;
        let periods = match after.as_nanos().checked_sub(phase) {
            Some(since) => since / every + 1,
            None => 0,
        };
        Instant::from_nanos(phase.saturating_add(periods.saturating_mul(every)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_and_ends_alternate() {
        let starlink = Reconfigurations {
            interface: "wan0".to_owned(),
            every: Duration::from_secs(15),
            offset: Duration::from_secs(12),
            outage: Duration::from_millis(150),
        };
        let mut at = Instant::from_secs(60 * 1000);
        let mut seen = Vec::new();
        for _ in 0..4 {
            let next = starlink.next(at);
            seen.push((next.at.as_nanos() / 1_000_000 - 60_000_000, next.is_up));
            at = next.at;
        }
        assert_eq!(seen, [(12_000, false), (12_150, true), (27_000, false), (27_150, true)]);
        assert_eq!(starlink.next(Instant::ZERO).at, Instant::from_secs(12));
        let announced =
            |lead| starlink.next_announcement(Instant::from_secs(60), lead).as_nanos() / 1_000_000;
        assert_eq!(announced(Duration::from_secs(1)), 71_000);
        assert_eq!(announced(Duration::from_secs(60)), 72_150, "as soon as the link is back");
    }

    #[test]
    fn an_outage_may_end_in_the_next_period() {
        let late = Reconfigurations {
            interface: "wan0".to_owned(),
            every: Duration::from_secs(10),
            offset: Duration::from_secs(9),
            outage: Duration::from_secs(2),
        };
        let next = late.next(Instant::from_secs(20));
        assert_eq!((next.at, next.is_up), (Instant::from_secs(21), true));
        let next = late.next(next.at);
        assert_eq!((next.at, next.is_up), (Instant::from_secs(29), false));
    }
}
