//! The path from a terminal over satellites to a gateway at one time.

use crate::ground::Observer;
use crate::isl::{Descent, shortest_way};
use crate::policy::Pick;
use crate::scene::{Candidate, Gateway, Scene};
use crate::{Relay, Setup, Terminal, Utc};
use std::cmp::Ordering;

/// Who serves a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    /// The satellite of the terminal.
    pub(crate) satellite: usize,
    /// The satellite of the gateway.
    pub(crate) exit: usize,
    pub(crate) gateway: usize,
}

/// A link with its path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    pub(crate) link: Link,
    /// From terminal to gateway, in kilometers.
    pub(crate) length: f64,
    /// How many satellites are on it.
    pub(crate) satellites: usize,
}

/// Picks paths for a terminal at one time.
pub(crate) struct Picker<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) gateways: &'a [Gateway],
    pub(crate) terminal: &'a Terminal,
    pub(crate) scene: &'a Scene,
    pub(crate) observer: Observer,
}

impl Picker<'_> {
    /// The path over the same satellite of the terminal, if it still sees it: over the same gateway and its satellite, if that still works,
    /// and otherwise the shortest one.
    pub(crate) fn keep(&self, link: Link) -> Option<Path> {
        let position = self.scene.space.positions()[link.satellite];
        let up = self.observer.sees(position, self.terminal.horizon.limit())?.range;
        match self.scene.descents[link.satellite] {
            Some(descent) if (descent.exit, descent.gateway) == (link.exit, link.gateway) => {
                self.path(link.satellite, up)
            }
            _ => self.same(link, up).or_else(|| self.path(link.satellite, up)),
        }
    }

    /// The path over exactly these satellites and this gateway.
    fn same(&self, link: Link, up: f64) -> Option<Path> {
        let gateway = &self.gateways[link.gateway];
        let down = gateway.observer.sees(self.scene.space.positions()[link.exit], gateway.limit)?.range;
        if link.satellite == link.exit {
            return Some(Path { link, length: up + down, satellites: 1 });
        }
        let grid = self.setup.constellation.grid()?;
        let (way, length) = shortest_way(grid, &self.scene.space, link.satellite, link.exit)?;
        Some(Path { link, length: up + length + down, satellites: way.len() })
    }

    /// The shortest path over a satellite that is `up` kilometers away.
    fn path(&self, satellite: usize, up: f64) -> Option<Path> {
        let Descent { gateway, exit, satellites, length } = self.scene.descents[satellite]?;
        Some(Path { link: Link { satellite, exit, gateway }, length: up + length, satellites })
    }

    /// The path that the policy picks.
    pub(crate) fn pick(&self) -> Option<Path> {
        let horizon = self.terminal.horizon;
        let mut candidates = self.scene.seen_from(&self.observer, horizon, horizon.limit());
        candidates.retain(|(satellite, _)| self.scene.descents[*satellite].is_some());
        let best = match self.setup.policy.pick {
            Pick::Shortest => {
                let length = |(satellite, seen): &Candidate| {
                    seen.range + self.scene.descents[*satellite].map_or(f64::INFINITY, |it| it.length)
                };
                candidates.into_iter().min_by(|a, b| length(a).total_cmp(&length(b)))?
            }
            Pick::Longest => self.longest(&candidates, |satellite, at| self.is_usable(satellite, at))?,
            Pick::Highest => highest(&candidates)?,
        };
        self.path(best.0, best.1.range)
    }

    /// Whether a satellite that is picked now can still be used at another time: the terminal sees it, and with a bent pipe its gateway
    /// does, too.
    fn is_usable(&self, satellite: usize, at: Utc) -> bool {
        let position = self.setup.constellation.position(satellite, at);
        let observer = self.terminal.observer(self.setup.start, at);
        let by_gateway = || {
            let gateway = self.scene.descents[satellite].map(|descent| &self.gateways[descent.gateway]);
            gateway.is_some_and(|it| it.observer.sees(position, it.limit).is_some())
        };
        observer.sees(position, self.terminal.horizon.limit()).is_some()
            && (self.setup.relay == Relay::InterSatelliteLinks || by_gateway())
    }

    /// Of all that can be used now, the one that can still be used for the longest time.
    fn longest(&self, candidates: &[Candidate], is_usable: impl Fn(usize, Utc) -> bool) -> Option<Candidate> {
        let stay = |candidate: &Candidate| {
            stay(|seconds| {
                is_usable(candidate.0, self.scene.at.after(seamline_wire::Duration::from_secs(seconds)))
            })
        };
        let stays = candidates.iter().map(|candidate| (stay(candidate), candidate));
        let later = |one: &(u64, &Candidate), other: &(u64, &Candidate)| {
            one.0.cmp(&other.0).then(by_height(one.1, other.1))
        };
        stays.max_by(later).map(|(_, candidate)| *candidate)
    }
}

/// Satellites that stay for longer are all the same: those of geostationary orbits stay for ever.
const LONGEST_STAY: u64 = 12 * 3600;
/// No satellite goes and comes back within so many seconds.
const STRIDE: u64 = 20;

/// For how many seconds something will stay true.
fn stay(is_so: impl Fn(u64) -> bool) -> u64 {
    let mut known = 0;
    while known < LONGEST_STAY && is_so(known + STRIDE) {
        known += STRIDE;
    }
    (known..known + STRIDE).rev().find(|seconds| is_so(*seconds)).unwrap_or(known)
}

fn highest(candidates: &[Candidate]) -> Option<Candidate> {
    candidates.iter().max_by(|one, other| by_height(one, other)).copied()
}

/// The higher one comes later; of equals, the one with the lower number.
fn by_height(one: &Candidate, other: &Candidate) -> Ordering {
    one.1.sine.total_cmp(&other.1.sine).then(other.0.cmp(&one.0))
}
