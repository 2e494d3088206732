//! How far a recording reaches.

use seamline_net::Schedule;
use seamline_net::schedule::{Capacity, Steps};
use seamline_wire::{Duration, Instant};

/// How far a recording reaches from its own start, whatever was skipped, and what comes then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It begins again after this time.
    Repeats(Duration),
    /// Its last conditions hold from this time on, and there are no more handovers.
    Ends(Duration),
}

impl Extent {
    /// Of one recording. It ends with its last change.
    pub(super) fn of(schedule: &Schedule) -> Self {
        let capacity = schedule.capacity.as_ref().map(|capacity| match capacity {
            Capacity::Rate(rate) => of_steps(rate.steps()),
            Capacity::Opportunities(chances) => Extent::Repeats(chances.period()),
        });
        let delay = schedule.one_way_delay.as_ref().map(of_steps);
        let loss = schedule.loss.as_ref().map(of_steps);
        let last = schedule.handovers.as_slice().last();
        let handovers = last.map(|last| Extent::Ends(last.end().saturating_since(Instant::ZERO)));
        let all = [capacity, delay, loss, handovers].into_iter().flatten();
        all.reduce(|one, other| one.join(other, Duration::max)).unwrap_or(Extent::Ends(Duration::ZERO))
    }

    /// Of two recordings side by side: no longer than either that ends.
    pub(super) fn of_both(self, other: Self) -> Self {
        self.join(other, Duration::min)
    }

    fn join(self, other: Self, ends: impl Fn(Duration, Duration) -> Duration) -> Self {
        match (self, other) {
            (Extent::Repeats(one), Extent::Repeats(other)) => Extent::Repeats(one.max(other)),
            (Extent::Ends(one), Extent::Ends(other)) => Extent::Ends(ends(one, other)),
            (Extent::Ends(end), Extent::Repeats(_)) | (Extent::Repeats(_), Extent::Ends(end)) => {
                Extent::Ends(end)
            }
        }
    }
}

fn of_steps<T: Copy>(steps: &Steps<T>) -> Extent {
    match (steps.period(), steps.points().last()) {
        (Some(period), _) => Extent::Repeats(period),
        (None, last) => Extent::Ends(last.map_or(Duration::ZERO, |(since, _)| *since)),
    }
}
