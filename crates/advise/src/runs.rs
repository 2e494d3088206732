//! Run points: a scheme, an interruption and a stay, each once per seed.

use crate::closed_form::{self, ClosedForm};
use crate::error::AdviseError;
use crate::kernel::{RunOverKernel, run_of};
use crate::limit::{expected, limit};
use crate::question::{Question, Traffic};
use crate::recording::Recording;
use crate::scenario::{Way, text_of};
use crate::significance::{estimate_of, without_interval};
use rayon::prelude::*;
use seamline_experiment::run_seed;
use seamline_mobility::{CellId, Layer2Config, Move};
use seamline_report::record::{FlowRecord, LinkRecord, RunRecord};
use seamline_report::statistics::Estimate;
use seamline_scenario::schema::{MovesSpec, Scenario};
use seamline_scenario::{Diagnostics, Plan};
use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::variant;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Observes the progress of runs, and may stop them.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Set it from any thread to stop.
    pub stop: &'a AtomicBool,
    /// Called with the number of runs that are about to start.
    pub begins: &'a (dyn Fn(usize) + Sync),
    /// Called when one run has finished.
    pub finished: &'a (dyn Fn() + Sync),
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch").field("stop", self.stop).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// Do all of these, on all processors; the results are in their order.
    pub(crate) fn each<J: Sync, R: Send, C: FromParallelIterator<R>>(
        &self,
        jobs: &[J],
        run: impl Fn(&J) -> R + Sync,
    ) -> Result<C, AdviseError> {
        (self.begins)(jobs.len());
        let one = |job: &J| {
            let result = run(job);
            (self.finished)();
            result
        };
        let results = jobs.par_iter().map(one).collect();
        if self.stop.load(Ordering::Relaxed) { Err(AdviseError::Interrupted) } else { Ok(results) }
    }
}

/// The candidates: no scheme, or a registered scheme that makes sense with the question's TCP. The first is always none: the
/// unmodified stack.
pub(crate) fn schemes(question: &Question) -> Vec<Option<&'static Scheme>> {
    let variant = variant::find(&question.variant, &closed_form::parameters(question));
    let is_refused = |scheme: &Scheme| {
        let recovery = variant.as_ref().map(|variant| variant.recovery.name);
        scheme.refuses.iter().any(|(refused, _)| recovery == Ok(*refused))
    };
    // No node of the question's network notifies a sender.
    let can_help = |scheme: &Scheme| !scheme.traits.needs_intermediate_node && !is_refused(scheme);
    let fitting = handover::ALL.iter().copied().filter(|scheme| can_help(scheme));
    std::iter::once(None).chain(fitting.map(Some)).collect()
}

/// A point to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// Index into [`schemes`].
    pub(crate) scheme: usize,
    /// `None`: the host stays.
    pub(crate) way: Option<Way>,
}

/// The unmodified stack, without a handover.
pub(crate) const STAYS: Point = Point { scheme: 0, way: None };

/// The outcome of one run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Seconds until the file was complete, or until the run ended without it; or bytes delivered within the horizon.
    pub(crate) value: f64,
    /// Whether the file was complete before the run ended.
    pub(crate) complete: bool,
    pub(crate) flow: FlowRecord,
    pub(crate) links: Vec<LinkRecord>,
}

/// How much later than requested the handover of a seed is.
pub(crate) fn offset(question: &Question, seed: u32) -> Duration {
    let part = Stream::new(u64::from(seed), "advise/handover").uniform();
    question.from.round_trip.mul_f64(part)
}

/// All runs so far.
pub(crate) struct Runs<'a> {
    question: &'a Question,
    watch: Watch<'a>,
    scenarios: Vec<Scenario>,
    /// The offset that each seed adds to the requested time of the handover.
    offsets: Vec<Duration>,
    pub(crate) recordings: Vec<Recording>,
    done: BTreeMap<Point, Vec<Sample>>,
    pub(crate) count: usize,
    over_kernel: Option<&'a RunOverKernel<'a>>,
}

/// The scenario that an answer runs first, for as long as it is expected to last: the host stays, and nothing helps it.
///
/// # Errors
/// When a table of a link is invalid.
pub fn first_run(question: &Question) -> Result<Scenario, AdviseError> {
    let form = ClosedForm::of(question);
    let scenario = scenario_of(question, None, limit(question, &form))?;
    Ok(Scenario { duration: expected(question, &form), ..scenario })
}

fn scenario_of(
    question: &Question,
    scheme: Option<&Scheme>,
    limit: Duration,
) -> Result<Scenario, AdviseError> {
    scenario_in(text_of(question, scheme, None, limit)).map_err(AdviseError::Scenario)
}

/// The scenario that a text describes.
pub(crate) fn scenario_in(text: String) -> Result<Scenario, Box<Diagnostics>> {
    let mut plan = Plan::new(Path::new("advice.toml"), text, &[])?;
    Ok(plan.cells.remove(0).scenario)
}

impl<'a> Runs<'a> {
    /// Prepare the scenarios; no run has been made.
    pub(crate) fn new(
        question: &'a Question,
        form: &ClosedForm,
        watch: Watch<'a>,
        over_kernel: Option<&'a RunOverKernel<'a>>,
    ) -> Result<Self, AdviseError> {
        let (limit, expected) = (limit(question, form), expected(question, form));
        let scenarios: Result<Vec<Scenario>, AdviseError> =
            schemes(question).into_iter().map(|scheme| scenario_of(question, scheme, limit)).collect();
        let offsets = (1..=question.seeds).map(|seed| offset(question, seed)).collect();
        let scenarios = scenarios?;
        let recordings = Recording::of_both(&scenarios[0], [&question.from, &question.to], expected);
        let done = BTreeMap::new();
        Ok(Runs { question, watch, scenarios, offsets, recordings, done, count: 0, over_kernel })
    }

    /// Run whatever is missing of these points for the first `seeds` seeds.
    pub(crate) fn ensure(&mut self, points: &[Point], seeds: usize) -> Result<(), AdviseError> {
        let mut points = points.to_vec();
        points.sort_unstable();
        points.dedup();
        let known = |point: &Point| self.done.get(point).map_or(0, Vec::len);
        let jobs: Vec<(Point, usize)> =
            points.iter().flat_map(|point| (known(point)..seeds).map(|seed| (*point, seed))).collect();
        let run = |(point, seed): &(Point, usize)| Ok((*point, self.run_one(*point, *seed)?));
        let samples: Result<Vec<(Point, Sample)>, AdviseError> = self.watch.each(&jobs, run)?;
        for (point, sample) in samples? {
            self.done.entry(point).or_default().push(sample);
            self.count += 1;
        }
        Ok(())
    }

    fn run_one(&self, point: Point, seed: usize) -> Result<Sample, AdviseError> {
        let record = match self.over_kernel {
            None => self.simulate(point, seed),
            Some(run) => self.run_over_kernel(run, point, seed).map_err(AdviseError::Run)?,
        };
        let limit = self.scenarios[point.scheme].duration;
        record.map(|record| self.sample(record, limit)).ok_or(AdviseError::Interrupted)
    }

    fn run_over_kernel(
        &self,
        run: &RunOverKernel<'_>,
        point: Point,
        seed: usize,
    ) -> Result<Option<RunRecord>, String> {
        let scheme = schemes(self.question)[point.scheme];
        run(&run_of(self.question, &self.recordings, scheme, point.way, seed as u32 + 1)?)
    }

    fn simulate(&self, point: Point, seed: usize) -> Option<RunRecord> {
        let mut scenario = self.scenarios[point.scheme].clone();
        if let Some(way) = point.way {
            let movement = &mut scenario.mobiles[0].movement;
            let at = Instant::ZERO + way.at + self.offsets[seed];
            let mut moves = vec![Move { at, to: CellId(1) }];
            moves.extend(way.stay.map(|stay| Move { at: at + stay, to: CellId(0) }));
            movement.moves = MovesSpec::Timetable(moves);
            movement.layer_2 = Layer2Config::constant(way.interruption);
        }
        let number = seed as u64 + 1;
        self.recordings.iter().for_each(|recording| recording.begin(&mut scenario, number));
        run_seed(&scenario, number, self.watch.stop)
    }

    fn sample(&self, record: RunRecord, limit: Duration) -> Sample {
        let RunRecord { mut flows, links, .. } = record;
        let flow = flows.remove(0);
        let (value, complete) = match self.question.traffic {
            Traffic::File(_) => {
                (flow.completion_s.unwrap_or(limit.as_secs_f64()), flow.completion_s.is_some())
            }
            Traffic::Horizon(_) => (flow.delivered_bytes as f64, true),
        };
        Sample { value, complete, flow, links }
    }

    /// The samples of a point.
    pub(crate) fn of(&self, point: Point) -> &[Sample] {
        self.done.get(&point).map_or(&[], Vec::as_slice)
    }

    /// How many runs of a point ended without the whole file; only a lower bound of their time is known.
    pub(crate) fn incomplete(&self, point: Point) -> usize {
        self.of(point).iter().filter(|sample| !sample.complete).count()
    }

    /// How many of all runs ended without the whole file.
    pub(crate) fn incomplete_in_all(&self) -> usize {
        self.done.keys().map(|point| self.incomplete(*point)).sum()
    }

    /// The gains of a point over staying, by seed: seconds saved, or additional bytes. They are lower bounds where
    /// staying is incomplete, and upper bounds where the point is.
    pub(crate) fn gains(&self, point: Point) -> Vec<f64> {
        let stays = self.of(STAYS);
        let sign = self.question.traffic.pick(1.0, -1.0);
        stays.iter().zip(self.of(point)).map(|(stays, moves)| sign * (stays.value - moves.value)).collect()
    }
}

/// The seconds or bytes of each sample.
pub(crate) fn values(samples: &[Sample]) -> Vec<f64> {
    samples.iter().map(|sample| sample.value).collect()
}

/// The mean of the samples. It has no interval when some ended without the whole file; it is a lower bound then.
pub(crate) fn known(samples: &[Sample]) -> Estimate {
    let found = estimate_of(&values(samples));
    if samples.iter().all(|sample| sample.complete) { found } else { without_interval(found) }
}
