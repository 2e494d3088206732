//! How late things happened in real time.

use crate::clock;
use crate::system::priority;
use hdrhistogram::Histogram;
use seamline_wire::Duration;

const NAP: Duration = Duration::from_millis(1);

/// How much later than they were due packets were put on an interface, and how long the emulator stood still.
#[derive(Clone, Debug)]
pub(crate) struct Lateness {
    packets: Histogram<u64>,
    stall: Duration,
}

impl Lateness {
    const MOST: Duration = Duration::from_secs(60);

    /// Nothing yet. Values are kept with three significant digits.
    pub(crate) fn new() -> Self {
        let histogram = Histogram::new_with_max(Self::MOST.as_nanos(), 3);
        let packets =
            histogram.unwrap_or_else(|_| unreachable!("three digits and a positive maximum are valid"));
        Lateness { packets, stall: Duration::ZERO }
    }
    /// How late naps of 1 ms end on this thread, as long as it `goes_on`, with the priority that the emulator has.
    pub(crate) fn of_naps(goes_on: impl FnMut() -> bool) -> Self {
        let _ = priority::raise();
        #[expect(clippy::disallowed_methods, reason = "the lateness of the host is what is measured")]
        let nap = || std::thread::sleep(std::time::Duration::from_nanos(NAP.as_nanos()));
        Self::of_naps_by(goes_on, nap)
    }
    fn of_naps_by(mut goes_on: impl FnMut() -> bool, mut nap: impl FnMut()) -> Self {
        let mut late = Lateness::new();
        while goes_on() {
            let due = clock::monotonic() + NAP;
            nap();
            late.note(clock::monotonic().saturating_since(due));
        }
        late
    }
    /// Something happened so much late.
    pub(crate) fn note(&mut self, late: Duration) {
        self.packets.saturating_record(late.as_nanos());
    }
    /// The emulator came so much later than it wanted to look at its interfaces: packets that arrived meanwhile waited as long, although
    /// nothing that was due shows it.
    pub(crate) fn note_stall(&mut self, late: Duration) {
        self.stall = self.stall.max(late);
    }
    /// How many happened.
    pub(crate) fn count(&self) -> u64 {
        self.packets.len()
    }
    /// This share of all were no later, from 0 to 1.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.packets.value_at_quantile(share))
    }
    /// The median, the 99th percentile and the maximum in microseconds, as records have them.
    pub(crate) fn in_micros(&self) -> [f64; 3] {
        [self.quantile(0.5), self.quantile(0.99), self.maximum()].map(|late| late.as_nanos() as f64 / 1000.0)
    }
    /// The latest packet, or the longest time that the emulator stood still, whichever is more.
    pub(crate) fn maximum(&self) -> Duration {
        Duration::from_nanos(self.packets.max()).max(self.stall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::time::Duration as Real;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the lateness of real naps is what is measured")]
    fn a_nap_that_takes_longer_is_a_stall() {
        let naps = Cell::new(0);
        let nap = || {
            naps.set(naps.get() + 1);
            std::thread::sleep(Real::from_millis(if naps.get() == 3 { 100 } else { 1 }));
        };
        let stall = Lateness::of_naps_by(|| naps.get() < 5, nap).maximum();
        assert!((99..10_000).contains(&stall.as_millis()), "{stall}");
    }
}
