//! Worlds of a scenario in which the congestion control of one flow waits for decisions: the native side of `seamline.gym`.

use crate::control::{Acked, View};
use crate::pilot::{Every, Lever, NAMES, Pilot, TICK, settings};
use crate::plan::Plan;
use crate::run::{Work, stop_with};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use seamline_scenario::build::{Ends, Places};
use seamline_scenario::connections::{Connection, connections};
use seamline_scenario::keys::Keys;
use seamline_scenario::running::Running;
use seamline_scenario::schema::added::{self, Added};
use seamline_scenario::schema::{Scenario, Stack};
use seamline_sim::NoObserver;
use seamline_tcp::cc::{Algorithm, Build, CongestionControl, Decision, Loss, RateSample};
use seamline_tcp::endpoint::State;
use seamline_tcp::view::Window;
use seamline_tcp::{Endpoint, Parameters};
use seamline_wire::{Duration, Instant};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

/// The congestion control's name in scenarios.
const NAME: &str = "gym";

const NO_RECORDS: &[(&str, &str)] = &seamline_tcp::recovery::without_records(
    "decisions are about rate samples, which only the recovery rack has: use the profile linux-6.12",
);

static BUILD: &Build = &|_: &Parameters| Control::build();

static ALGORITHM: Algorithm = Algorithm {
    name: NAME,
    summary: "decided by an environment of seamline.gym",
    cite: "",
    refuses: NO_RECORDS,
    needs_send_log: false,
    build: BUILD,
};

thread_local! {
    /// While a world is built: how connections decide, and those that there are, in the order of building.
    static BUILDING: RefCell<Option<(Every, Lever, Vec<Shared>)>> = const { RefCell::new(None) };
}

type Shared = Arc<Mutex<Pilot>>;

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Make the congestion control known, before any scenario that names it is read.
#[pyfunction]
pub(crate) fn register_environment() -> PyResult<&'static str> {
    static ONCE: Once = Once::new();
    let mut result = Ok(());
    ONCE.call_once(|| {
        let control = Added::new::<()>(&ALGORITHM, Keys::new).with_version(String::new);
        result = added::add(vec![control]).map_err(|error| PyValueError::new_err(error.to_string()));
    });
    result.map(|()| NAME)
}

/// One connection's end of the congestion control.
#[derive(Debug)]
struct Control(Shared);

impl Control {
    fn build() -> Box<dyn CongestionControl> {
        let shared = BUILDING.with_borrow_mut(|building| {
            let (every, lever, all) = building.as_mut()?;
            let shared = Arc::new(Mutex::new(Pilot::new(*every, *lever)));
            all.push(shared.clone());
            Some(shared)
        });
        let shared = shared.unwrap_or_else(|| {
            stop_with(PyValueError::new_err(format!(
                "the variant \"{NAME}\" decides nothing by itself\ntip: make an environment with seamline.gym"
            )));
            Arc::new(Mutex::new(Pilot::new(Every::RoundTrips(1.0), Lever::Window)))
        });
        Box::new(Control(shared))
    }
}

impl CongestionControl for Control {
    fn on_ack(&mut self, _acked: &seamline_tcp::cc::Acked, view: &seamline_tcp::view::View) -> Window {
        view.window
    }
    fn on_loss(&mut self, loss: Loss, view: &seamline_tcp::view::View) -> Window {
        match loss {
            Loss::Detected => view.window,
            Loss::Collapsed => Window { congestion: locked(&self.0).timed_out(), ..view.window },
        }
    }
    fn controls_rate(&self) -> bool {
        true
    }
    fn on_rate_sample(&mut self, sample: &RateSample, view: &seamline_tcp::view::View) -> Decision {
        let (acked, seen) = (Acked::of_sample(sample, view), View::new(view));
        let (congestion, rate) = locked(&self.0).acknowledged(view.now, &acked, &seen);
        Decision {
            window: Window { congestion, ..view.window },
            pacing_rate: rate.map_or(u64::MAX, |rate| rate as u64),
            application_limited: view.tracked.is_application_limited,
        }
    }
}

/// How an episode stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    GoesOn,
    /// The transfer is complete.
    Terminated,
    /// The scenario is over.
    Truncated,
}

/// Values of a step: what was measured, and the standing as 0, 1 or 2.
const COLUMNS: usize = NAMES.len() + 1;

/// One episode.
#[derive(Debug)]
struct Episode {
    running: Running<Arc<Scenario>, Arc<Places>, NoObserver>,
    pilot: Shared,
}

/// What all episodes have in common.
#[derive(Debug)]
struct Setting {
    scenario: Arc<Scenario>,
    places: Arc<Places>,
    connection: Connection,
    end: Instant,
    every: Every,
    lever: Lever,
}

impl Setting {
    /// The world of a seed, at the first acknowledgment that there is something to decide on.
    fn begin(&self, seed: u64) -> Episode {
        BUILDING.set(Some((self.every, self.lever, Vec::new())));
        let (scenario, places) = (self.scenario.clone(), self.places.clone());
        let running = Running::new(scenario, seed, Ends::Inside, places, NoObserver);
        let built = BUILDING.take().map(|(_, _, built)| built).unwrap_or_default();
        // The receiver of a connection is built first.
        let pilot = built.last().cloned();
        let pilot =
            pilot.unwrap_or_else(|| unreachable!("the flow of an environment has this congestion control"));
        let mut episode = Episode { running, pilot };
        while locked(&episode.pilot).due().is_none() && episode.running.now() < self.end {
            let next = episode.running.wake_at().unwrap_or(self.end);
            episode.running.run_until(next.min(self.end));
        }
        self.run(&mut episode);
        episode
    }

    /// Run until the next decision is due.
    fn run(&self, episode: &mut Episode) {
        let due = locked(&episode.pilot).due().unwrap_or(self.end);
        // What happens within that microsecond happens at it by the sender's clock.
        let until = due + (TICK - Duration::from_nanos(1));
        episode.running.run_until(until.min(self.end));
    }

    /// What was measured until the decision that is due, or until the end.
    fn observe(&self, episode: &Episode) -> [f64; COLUMNS] {
        let mut pilot = locked(&episode.pilot);
        let now = pilot.due().unwrap_or(self.end).min(self.end);
        let mut values = [0.0; COLUMNS];
        values[..NAMES.len()].copy_from_slice(&pilot.measure(now));
        values[NAMES.len()] = f64::from(self.standing(episode, now) as u8);
        values
    }

    fn standing(&self, episode: &Episode, now: Instant) -> Standing {
        let is_sender = |endpoint: &&Endpoint| endpoint.local().port == self.connection.sender_port;
        let host = episode.running.host(self.connection.ends[0]);
        let sender = host.and_then(|host| host.endpoints().find(is_sender));
        let is_over = |endpoint: &Endpoint| {
            endpoint.close_reason().is_some() || matches!(endpoint.state(), State::FinWait2 | State::TimeWait)
        };
        if sender.is_some_and(is_over) {
            Standing::Terminated
        } else if now >= self.end {
            Standing::Truncated
        } else {
            Standing::GoesOn
        }
    }
}

/// Worlds of a scenario's only grid cell.
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct Environments {
    setting: Setting,
    episodes: Vec<Mutex<Option<Episode>>>,
    work: Work,
    /// `None` for a single world, which runs on the thread of its caller.
    pool: Option<rayon::ThreadPool>,
}

#[pymethods]
impl Environments {
    /// So many worlds in which the congestion control of `flow` decides every `interval` seconds, or after `round_trips` smoothed
    /// round-trip times, on the "window" or the "rate".
    #[new]
    fn new(
        py: Python<'_>,
        plan: &Plan,
        flow: &str,
        worlds: usize,
        interval: Option<f64>,
        round_trips: Option<f64>,
        action: &str,
    ) -> PyResult<Self> {
        let (every, lever) = settings(interval, round_trips, action)?;
        let refused = |why: String| Err(PyValueError::new_err(why));
        let [cell] = &plan.plan().cells[..] else {
            return refused(format!(
                "an environment is one grid cell, and the scenario has {}\ntip: set one value of each key of its grid",
                plan.plan().cells.len()
            ));
        };
        let scenario = Arc::new(cell.scenario.clone());
        let Some(index) = scenario.flows.iter().position(|it| it.name == flow) else {
            return refused(format!("the scenario has no flow \"{flow}\""));
        };
        if let Some(other) = scenario.flows.iter().find(|it| it.name != flow && it.variant_name == NAME) {
            return refused(format!(
                "the flow \"{}\" is not the agent's: it needs another variant",
                other.name
            ));
        }
        let spec = &scenario.flows[index];
        if spec.count != 1 || spec.stack != Stack::Seamline {
            return refused(format!(
                "the flow \"{flow}\" has to be one connection over Seamline's own TCP (count = 1, stack = \"seamline\")"
            ));
        }
        let end = (Instant::ZERO + scenario.duration).min(spec.stop.unwrap_or(Instant::MAX));
        let all = connections(&scenario);
        let connection = all.into_iter().find(|connection| connection.flow == index);
        let connection = connection.unwrap_or_else(|| unreachable!("a flow has a connection"));
        let places = Arc::new(Places::new(&scenario));
        let setting = Setting { scenario, places, connection, end, every, lever };
        let work = Work::default();
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(worlds);
        let pool = if threads > 1 { Some(work.pool(py, threads)?) } else { None };
        let episodes = (0..worlds).map(|_| Mutex::new(None)).collect();
        Ok(Environments { setting, episodes, work, pool })
    }

    /// The columns of an answer.
    #[classattr]
    const COLUMNS: usize = COLUMNS;

    /// Advance all worlds to their next decision. Each order is a seed, to begin again, or `None` and the factor of the window or rate.
    /// Returns a row of 64-bit floating-point numbers for each world: the measurements, and 1 for a complete transfer or 2 for the end of
    /// the scenario.
    fn advance<'py>(
        &self,
        py: Python<'py>,
        orders: Vec<(Option<u64>, f64)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if orders.len() != self.episodes.len() {
            return Err(PyValueError::new_err(format!(
                "{} worlds need as many orders, not {}",
                self.episodes.len(),
                orders.len()
            )));
        }
        let one = |(episode, (seed, factor)): (&Mutex<Option<Episode>>, &(Option<u64>, f64))| {
            let mut episode = locked(episode);
            match (seed, &mut *episode) {
                (None, Some(episode)) => {
                    locked(&episode.pilot).decide(*factor);
                    self.setting.run(episode);
                }
                (seed, it) => *it = Some(self.setting.begin(seed.unwrap_or(0))),
            }
            episode.as_ref().map_or([0.0; COLUMNS], |episode| self.setting.observe(episode))
        };
        let rows: Vec<[f64; COLUMNS]> = py.detach(|| match &self.pool {
            Some(pool) => pool.install(|| self.episodes.par_iter().zip(&orders).map(one).collect()),
            None => self.work.here(|| self.episodes.iter().zip(&orders).map(one).collect()),
        });
        self.work.check().inspect_err(|_| self.work.go_on())?;
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|value| value.to_ne_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }
}
