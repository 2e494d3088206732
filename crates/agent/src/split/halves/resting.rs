//! A split connection of which nothing is under way.

use super::{Halves, REST_AFTER};
use crate::key::Side;
use crate::split::Shared;
use seamline_tcp::{Endpoint, Resting};
use seamline_wire::Instant;
use seamline_wire::timers::NEVER;
use std::sync::Arc;

/// Both connections at rest: all that most of an agent's connections need most of the time.
#[derive(Debug)]
pub(in crate::split) struct RestingHalves {
    wired: Resting,
    wireless: Resting,
    opener: Side,
    first_window: u32,
    /// For what may come from each side.
    set_aside: [u64; 2],
}

impl RestingHalves {
    /// Bytes set aside for what may come.
    pub(in crate::split) fn set_aside(&self) -> u64 {
        self.set_aside.iter().sum()
    }
}

impl Halves {
    /// Whether it has been quiet for a while.
    pub(in crate::split) fn may_rest(&self, now: Instant) -> bool {
        self.rests_at <= now
    }
    /// Both connections rest, if nothing is under way.
    pub(in crate::split) fn rest(mut self: Box<Self>, now: Instant) -> Result<Box<RestingHalves>, Box<Self>> {
        self.rests_at = NEVER;
        if self.unanswered.is_some() || self.lingers_until.is_some() {
            return Err(self);
        }
        let Halves { wired, wireless, opener, shared, first_window, set_aside, .. } = *self;
        let [wired, wireless] = match [wired.rest(now), wireless.rest(now)] {
            [Ok(wired), Ok(wireless)] => {
                let resting = RestingHalves { wired, wireless, opener, first_window, set_aside };
                return Ok(Box::new(resting));
            }
            halves => halves,
        };
        let awake = |half: Result<Resting, Box<Endpoint>>, side| {
            half.map_or_else(|busy| *busy, |resting| shared.awake(resting, side))
        };
        let [wired, wireless] = [awake(wired, Side::Wired), awake(wireless, Side::Wireless)];
        Err(Box::new(Halves { first_window, set_aside, ..Halves::of([wired, wireless], opener, &shared) }))
    }

    /// Both connections as they rested.
    pub(in crate::split) fn wake(now: Instant, resting: RestingHalves, shared: &Arc<Shared>) -> Self {
        let RestingHalves { wired, wireless, opener, first_window, set_aside } = resting;
        let ends = [shared.awake(wired, Side::Wired), shared.awake(wireless, Side::Wireless)];
        let rests_at = now + REST_AFTER;
        Halves { first_window, set_aside, rests_at, ..Halves::of(ends, opener, shared) }
    }
}
