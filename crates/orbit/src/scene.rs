//! The sky at one time, with what all terminals ask of it.

use crate::ground::Observer;
use crate::isl::{Descent, descents};
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
    /// From each satellite to the nearest gateway; `None` where there is no way.
    pub(crate) descents: Vec<Option<Descent>>,
}

impl Scene {
    pub(crate) fn new(setup: &Setup, gateways: &[Gateway], at: Utc) -> Scene {
        let space = setup.constellation.snapshot(at);
        let down = straight_down(&space, gateways);
        let descents = match (setup.relay, setup.constellation.grid()) {
            (Relay::InterSatelliteLinks, Some(grid)) => descents(grid, &space, &down),
            _ => down,
        };
        Scene { at, space, descents }
    }

    /// The satellites that an observer can use.
    pub(crate) fn seen_from(&self, observer: &Observer, horizon: Horizon, limit: Limit) -> Vec<Candidate> {
        let within = horizon.central_angle(self.space.highest());
        self.space.seen_from(observer, limit, within).collect()
    }
}

/// From each satellite that sees a gateway straight down to the nearest one.
fn straight_down(space: &Snapshot, gateways: &[Gateway]) -> Vec<Option<Descent>> {
    let mut down: Vec<Option<Descent>> = vec![None; space.positions().len()];
    for (place, gateway) in gateways.iter().enumerate() {
        let within = gateway.horizon.central_angle(space.highest());
        for (satellite, Seen { range, .. }) in space.seen_from(&gateway.observer, gateway.limit, within) {
            if down[satellite].is_none_or(|nearest| range < nearest.length) {
                down[satellite] =
                    Some(Descent { gateway: place, exit: satellite, satellites: 1, length: range });
            }
        }
    }
    down
}
