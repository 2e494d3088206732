//! The path from a terminal over satellites to a gateway at one time.

use crate::ground::Observer;
use crate::isl::{Way, shortest};
use crate::policy::Pick;
use crate::scene::{Candidate, Gateway, Scene};
use crate::{Constellation, Horizon, Relay, Setup, Terminal, Utc};
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
    /// The path over the same satellites and gateway, if they still see each other.
    pub(crate) fn keep(&self, link: Link) -> Option<Path> {
        let positions = self.scene.space.positions();
        let up = self.observer.sees(positions[link.satellite], self.terminal.horizon.limit())?.range;
        let gateway = &self.gateways[link.gateway];
        let down = gateway.observer.sees(positions[link.exit], gateway.limit)?.range;
        match self.setup.relay {
            Relay::BentPipe => Some(Path { link, length: up + down, satellites: 1 }),
            Relay::InterSatelliteLinks => {
                self.over_links(link.gateway, &[(link.satellite, up)], &[(link.exit, down)])
            }
        }
    }

    /// The path that the policy picks.
    pub(crate) fn pick(&self) -> Option<Path> {
        let horizon = self.terminal.horizon;
        let candidates = self.scene.seen_from(&self.observer, horizon, horizon.limit());
        match self.setup.relay {
            Relay::BentPipe => self.bent_pipe(candidates),
            Relay::InterSatelliteLinks => self.linked(candidates),
        }
    }

    fn bent_pipe(&self, mut candidates: Vec<Candidate>) -> Option<Path> {
        candidates.retain(|(satellite, _)| self.scene.down[*satellite].is_some());
        let length = |candidate: &Candidate| {
            candidate.1.range + self.scene.down[candidate.0].map_or(f64::INFINITY, |(_, range)| range)
        };
        let best = match self.setup.policy.pick {
            Pick::Shortest => candidates.into_iter().min_by(|a, b| length(a).total_cmp(&length(b)))?,
            Pick::Longest => {
                // It stays as long as the terminal and the gateway see it.
                self.longest(&candidates, |satellite, at| {
                    let position = self.setup.constellation.position(satellite, at);
                    let gateway = self.scene.down[satellite].map(|(gateway, _)| &self.gateways[gateway]);
                    let observer = self.terminal.observer(self.setup.start, at);
                    observer.sees(position, self.terminal.horizon.limit()).is_some()
                        && gateway.is_some_and(|it| it.observer.sees(position, it.limit).is_some())
                })?
            }
            Pick::Highest => highest(&candidates)?,
        };
        let (gateway, down) = self.scene.down[best.0]?;
        let link = Link { satellite: best.0, exit: best.0, gateway };
        Some(Path { link, length: best.1.range + down, satellites: 1 })
    }

    fn linked(&self, candidates: Vec<Candidate>) -> Option<Path> {
        let ends = |candidates: &[Candidate]| -> Vec<(usize, f64)> {
            candidates.iter().map(|(satellite, seen)| (*satellite, seen.range)).collect()
        };
        let starts = match self.setup.policy.pick {
            Pick::Shortest => ends(&candidates),
            Pick::Highest => ends(&[highest(&candidates)?]),
            Pick::Longest => ends(&[self.longest_from(&candidates, self.terminal.horizon, |at| {
                self.terminal.observer(self.setup.start, at)
            })?]),
        };
        let paths = self.gateways.iter().zip(&self.scene.by_gateway).enumerate().filter_map(
            |(place, (gateway, seen))| {
                let exits = match self.setup.policy.pick {
                    Pick::Shortest => ends(seen),
                    Pick::Highest => ends(&[highest(seen)?]),
                    Pick::Longest => {
                        let horizon = self.setup.gateways[place].horizon;
                        ends(&[self.longest_from(seen, horizon, |_| gateway.observer)?])
                    }
                };
                self.over_links(place, &starts, &exits)
            },
        );
        paths.min_by(|one, other| one.length.total_cmp(&other.length))
    }

    fn over_links(&self, gateway: usize, starts: &[(usize, f64)], exits: &[(usize, f64)]) -> Option<Path> {
        let Way { satellites, length } =
            shortest(self.setup.constellation.grid()?, &self.scene.space, starts, exits)?;
        let link = Link { satellite: *satellites.first()?, exit: *satellites.last()?, gateway };
        Some(Path { link, length, satellites: satellites.len() })
    }

    fn longest_from(
        &self,
        candidates: &[Candidate],
        horizon: Horizon,
        observer: impl Fn(Utc) -> Observer,
    ) -> Option<Candidate> {
        let limit = horizon.limit();
        let constellation: &Constellation = &self.setup.constellation;
        self.longest(candidates, |satellite, at| {
            observer(at).sees(constellation.position(satellite, at), limit).is_some()
        })
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
