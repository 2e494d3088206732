//! A passage as the conditions of a link.

use crate::{OrbitError, Passage};
use seamline_net::Schedule;
use seamline_net::schedule::{Fates, Handover, Handovers, Steps};
use seamline_wire::{Duration, Instant};

/// How a terminal changes from one satellite to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// The new link is there before the old one goes: nothing is interrupted.
    MakeBeforeBreak,
    /// The old link goes first.
    BreakBeforeMake {
        /// For how long there is none.
        interruption: Duration,
    },
}

impl Switch {
    /// How long each handover interrupts.
    pub fn interruption(self) -> Duration {
        match self {
            Switch::MakeBeforeBreak => Duration::ZERO,
            Switch::BreakBeforeMake { interruption } => interruption,
        }
    }
}

impl Passage {
    /// Delay and handovers as a schedule of a link, for both directions. An outage is a handover that takes as long, and
    /// longer by the interruption of the new link.
    ///
    /// # Errors
    /// When there is no path at any time.
    pub fn schedule(&self, switch: Switch, fates: Fates) -> Result<Schedule, OrbitError> {
        let mut delays: Vec<(Instant, Duration)> = Vec::new();
        for (route, place) in self.routes().iter().zip(0u64..) {
            let Some(route) = route else { continue };
            if delays.last().is_none_or(|(_, delay)| *delay != route.one_way_delay) {
                delays.push((Instant::ZERO + self.step() * place, route.one_way_delay));
            }
        }
        let delays = Steps::new(delays).map_err(|_| {
            OrbitError::new(format!(
                "no satellite serves {} at any time in {}",
                self.terminal(),
                self.duration()
            ))
        })?;
        let handovers = Handovers::new(self.interruptions(switch, fates));
        Ok(Schedule {
            one_way_delay: Some(delays),
            handovers: handovers.map_err(|error| OrbitError::new(error.to_string()))?,
            ..Schedule::default()
        })
    }

    /// When the link is down, in order; what touches is one.
    fn interruptions(&self, switch: Switch, fates: Fates) -> Vec<Handover> {
        let interruption = switch.interruption();
        let outages = self.outages();
        let changes = self.handovers().into_iter().map(|it| (it.at, interruption));
        let gaps = outages.iter().map(|it| {
            let back = if it.until < self.duration() { interruption } else { Duration::ZERO };
            (it.from, it.until - it.from + back)
        });
        let mut all: Vec<(Duration, Duration)> = changes.chain(gaps).collect();
        all.sort_unstable();
        let mut merged: Vec<Handover> = Vec::with_capacity(all.len());
        for (at, span) in all.into_iter().map(|(at, span)| (Instant::ZERO + at, span)) {
            match merged.last_mut() {
                Some(last) if at < last.end() || at == last.at => {
                    last.interruption = last.interruption.max(at + span - last.at);
                }
                _ => merged.push(Handover { at, interruption: span, fates }),
            }
        }
        merged
    }
}
