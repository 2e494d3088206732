//! The path from a terminal over satellites to a gateway at one time.

use crate::ground::Observer;
use crate::isl::{End, Way, shortest};
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
    /// and otherwise over the nearest ones.
    pub(crate) fn keep(&self, link: Link) -> Option<Path> {
        let positions = self.scene.space.positions();
        let up = self.observer.sees(positions[link.satellite], self.terminal.horizon.limit())?.range;
        let gateway = &self.gateways[link.gateway];
        let down = gateway.observer.sees(positions[link.exit], gateway.limit).map(|seen| seen.range);
        match (self.setup.relay, down) {
            (Relay::BentPipe, Some(down)) => Some(Path { link, length: up + down, satellites: 1 }),
            (Relay::BentPipe, None) => self.down(link.satellite, up),
            (Relay::InterSatelliteLinks, down) => {
                let start = [(link.satellite, up)];
                let same = down.and_then(|down| self.over_links(link.gateway, &start, &[(link.exit, down)]));
                same.or_else(|| self.to_any_gateway(&start))
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
        self.down(best.0, best.1.range)
    }

    /// From a satellite, which is `up` kilometers away, down to the nearest gateway.
    fn down(&self, satellite: usize, up: f64) -> Option<Path> {
        let (gateway, down) = self.scene.down[satellite]?;
        let link = Link { satellite, exit: satellite, gateway };
        Some(Path { link, length: up + down, satellites: 1 })
    }

    fn linked(&self, candidates: Vec<Candidate>) -> Option<Path> {
        let starts = match self.setup.policy.pick {
            Pick::Shortest => candidates,
            Pick::Highest => vec![highest(&candidates)?],
            Pick::Longest => vec![self.longest(&candidates, |satellite, at| {
                let observer = self.terminal.observer(self.setup.start, at);
                let position = self.setup.constellation.position(satellite, at);
                observer.sees(position, self.terminal.horizon.limit()).is_some()
            })?],
        };
        self.to_any_gateway(&ends(&starts))
    }

    /// The shortest path from one of `starts` over the satellites that gateways see: these follow all of them.
    fn to_any_gateway(&self, starts: &[End]) -> Option<Path> {
        let seen = self.scene.by_gateway.iter().enumerate();
        let paths = seen.filter_map(|(gateway, seen)| self.over_links(gateway, starts, &ends(seen)));
        paths.min_by(|one, other| one.length.total_cmp(&other.length))
    }

    fn over_links(&self, gateway: usize, starts: &[End], exits: &[End]) -> Option<Path> {
        let Way { satellites, length } =
            shortest(self.setup.constellation.grid()?, &self.scene.space, starts, exits)?;
        let link = Link { satellite: *satellites.first()?, exit: *satellites.last()?, gateway };
        Some(Path { link, length, satellites: satellites.len() })
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

fn ends(candidates: &[Candidate]) -> Vec<End> {
    candidates.iter().map(|(satellite, seen)| (*satellite, seen.range)).collect()
}

fn highest(candidates: &[Candidate]) -> Option<Candidate> {
    candidates.iter().max_by(|one, other| by_height(one, other)).copied()
}

/// The higher one comes later; of equals, the one with the lower number.
fn by_height(one: &Candidate, other: &Candidate) -> Ordering {
    one.1.sine.total_cmp(&other.1.sine).then(other.0.cmp(&one.0))
}
