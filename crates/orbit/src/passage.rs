//! What came of it: who served a terminal when.

use crate::path::{Link, Path};
use crate::{Look, Setup, Utc};
use seamline_wire::Duration;

/// The path of one terminal at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Route {
    /// The satellite of the terminal.
    pub satellite: u32,
    /// The satellite of the gateway: the same one with a bent pipe.
    pub exit: u32,
    /// The place of the gateway in the list of the setup.
    pub gateway: u32,
    /// How many satellites the path has.
    pub satellites: u32,
    /// Where the terminal sees its satellite, in degrees from north over east.
    pub azimuth: f32,
    /// How many degrees above its horizon.
    pub elevation: f32,
    /// From the terminal to the far end of the path, with all delays of the setup.
    pub one_way_delay: Duration,
}

impl Route {
    pub(crate) fn new(path: Path, look: Look, one_way_delay: Duration) -> Self {
        Route {
            satellite: path.link.satellite as u32,
            exit: path.link.exit as u32,
            gateway: path.link.gateway as u32,
            satellites: path.satellites as u32,
            azimuth: look.azimuth as f32,
            elevation: look.elevation as f32,
            one_way_delay,
        }
    }

    pub(crate) fn link(&self) -> Link {
        Link { satellite: self.satellite as usize, exit: self.exit as usize, gateway: self.gateway as usize }
    }
}

/// A stretch of time over the same satellites and gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Since when, from the start.
    pub from: Duration,
    /// Until when.
    pub until: Duration,
    /// The satellite of the terminal.
    pub satellite: u32,
    /// The satellite of the gateway.
    pub exit: u32,
    /// The place of the gateway in the list of the setup.
    pub gateway: u32,
}

/// A stretch of time without a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Since when, from the start.
    pub from: Duration,
    /// Until when.
    pub until: Duration,
}

/// A change of the satellites or the gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switching {
    /// When, from the start.
    pub at: Duration,
    /// Whether the terminal's own satellite changes; otherwise only the gateway or its satellite does.
    pub is_own: bool,
}

/// How a terminal was served.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    terminal: String,
    start: Utc,
    step: Duration,
    duration: Duration,
    routes: Vec<Option<Route>>,
}

impl Passage {
    pub(crate) fn new(setup: &Setup, terminal: &str) -> Self {
        Passage {
            terminal: terminal.to_owned(),
            start: setup.start,
            step: setup.step,
            duration: setup.duration,
            routes: Vec::with_capacity(setup.samples() as usize),
        }
    }

    pub(crate) fn push(&mut self, route: Option<Route>) {
        self.routes.push(route);
    }

    /// The name of the terminal.
    pub fn terminal(&self) -> &str {
        &self.terminal
    }

    /// When it begins.
    pub fn start(&self) -> Utc {
        self.start
    }

    /// How long it is.
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// The time between two routes.
    pub fn step(&self) -> Duration {
        self.step
    }

    /// The route at each step from the start on; `None` where there is no path.
    pub fn routes(&self) -> &[Option<Route>] {
        &self.routes
    }

    /// The time of a step since the start; the end for those after the last one.
    fn time(&self, step: usize) -> Duration {
        (self.step * step as u64).min(self.duration)
    }

    /// Stretches of steps with the same link, or with none.
    fn stretches(&self) -> impl Iterator<Item = (Duration, Duration, Option<Link>)> + '_ {
        let link = |route: &Option<Route>| route.map(|route| route.link());
        let mut from = 0;
        let groups = self.routes.chunk_by(move |one, other| link(one) == link(other));
        groups.map(move |group| {
            let (first, until) = (from, from + group.len());
            from = until;
            (self.time(first), self.time(until), link(&group[0]))
        })
    }

    /// Who served when.
    pub fn services(&self) -> Vec<Service> {
        let service = |(from, until, link): (Duration, Duration, Option<Link>)| {
            link.map(|Link { satellite, exit, gateway }| Service {
                from,
                until,
                satellite: satellite as u32,
                exit: exit as u32,
                gateway: gateway as u32,
            })
        };
        self.stretches().filter_map(service).collect()
    }

    /// When there was no path.
    pub fn outages(&self) -> Vec<Outage> {
        let gaps = self.stretches().filter(|(_, _, link)| link.is_none());
        gaps.map(|(from, until, _)| Outage { from, until }).collect()
    }

    /// Handovers: changes of satellite or gateway with service before and after. After an outage there is none.
    pub fn handovers(&self) -> Vec<Switching> {
        let stretches: Vec<_> = self.stretches().collect();
        let change = |pair: &[(Duration, Duration, Option<Link>)]| {
            let (before, after) = (pair[0].2?, pair[1].2?);
            Some(Switching { at: pair[1].0, is_own: before.satellite != after.satellite })
        };
        stretches.windows(2).filter_map(change).collect()
    }

    /// The share of time without a path, 0 to 1.
    pub fn share_without_path(&self) -> f64 {
        let lost: Duration = self.outages().iter().fold(Duration::ZERO, |sum, it| sum + (it.until - it.from));
        lost.as_secs_f64() / self.duration.as_secs_f64()
    }

    /// All round-trip times of the path, which are twice the one-way delay, in order of size.
    pub fn round_trips(&self) -> Vec<Duration> {
        let mut all: Vec<Duration> =
            self.routes.iter().flatten().map(|route| route.one_way_delay * 2).collect();
        all.sort_unstable();
        all
    }
}
