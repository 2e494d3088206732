//! The sky at one time, with what all terminals ask of it.

use crate::ground::Observer;
use crate::look::{Limit, Seen};
use crate::{Horizon, Relay, Setup, Snapshot, Utc};

/// A gateway, ready for looking up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub(crate) observer: Observer,
    pub(crate) limit: Limit,
    horizon: Horizon,
}

impl Gateway {
    pub(crate) fn all(setup: &Setup) -> Vec<Gateway> {
        let gateway = |station: &crate::Station| Gateway {
            observer: station.place.observer(),
            limit: station.horizon.limit(),
            horizon: station.horizon,
        };
        setup.gateways.iter().map(gateway).collect()
    }
}

/// A satellite that can be used, and how it is seen.
pub(crate) type Candidate = (usize, Seen);

/// The sky at one time.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) at: Utc,
    pub(crate) space: Snapshot,
    /// The satellites of each gateway.
    pub(crate) by_gateway: Vec<Vec<Candidate>>,
    /// Bent pipe only: the nearest gateway of each satellite, and the distance.
    pub(crate) down: Vec<Option<(usize, f64)>>,
}

impl Scene {
    pub(crate) fn new(setup: &Setup, gateways: &[Gateway], at: Utc) -> Scene {
        let space = setup.constellation.snapshot(at);
        let seen = |gateway: &Gateway| {
            let within = gateway.horizon.central_angle(space.highest());
            space.seen_from(&gateway.observer, gateway.limit, within).collect()
        };
        let by_gateway: Vec<Vec<Candidate>> = gateways.iter().map(seen).collect();
        let mut down = Vec::new();
        if setup.relay == Relay::BentPipe {
            down = vec![None; space.positions().len()];
            for (gateway, candidates) in by_gateway.iter().enumerate() {
                for (satellite, seen) in candidates {
                    let nearest: &mut Option<(usize, f64)> = &mut down[*satellite];
                    if nearest.is_none_or(|(_, range)| seen.range < range) {
                        *nearest = Some((gateway, seen.range));
                    }
                }
            }
        }
        Scene { at, space, by_gateway, down }
    }

    /// The satellites that an observer can use.
    pub(crate) fn seen_from(&self, observer: &Observer, horizon: Horizon, limit: Limit) -> Vec<Candidate> {
        let within = horizon.central_angle(self.space.highest());
        self.space.seen_from(observer, limit, within).collect()
    }
}
