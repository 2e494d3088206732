//! Run candidates over the recorded conditions.

use super::candidates::Candidate;
use super::question::PathQuestion;
use super::scenario::{Conditions, PATH, expected, limit, text};
use crate::error::AdviseError;
use crate::question::Traffic;
use crate::recording::Recording;
use crate::runs::{Watch, scenario_in};
use seamline_experiment::run_seed_closely;
use seamline_scenario::schema::Scenario;
use seamline_wire::Duration;
use std::ops::Range;
use std::sync::Arc;

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// Bits per second of the horizon; or seconds until the file was complete, or until the run ended without it.
    pub(super) value: f64,
    /// Whether the file was complete before the run ended.
    pub(super) complete: bool,
    /// In milliseconds; a run without a round-trip time has its own length.
    pub(super) median_ms: f64,
    pub(super) p95_ms: f64,
    /// In seconds.
    pub(super) stall_s: f64,
}

/// What is needed to run candidates.
pub(super) struct Runner<'a> {
    question: &'a PathQuestion,
    watch: Watch<'a>,
    pub(super) recording: Recording,
}

impl<'a> Runner<'a> {
    pub(super) fn new(question: &'a PathQuestion, watch: Watch<'a>) -> Self {
        let means = &question.path.means;
        let files: Vec<&str> = question.path.recordings.iter().map(|it| it.file.as_str()).collect();
        let recording =
            Recording::new(&files.join(" and "), PATH, means.extent, means.has_start, expected(question));
        Runner { question, watch, recording }
    }

    /// Run candidates with these seeds, which begin at 1; the samples of each, in the order of the seeds.
    ///
    /// # Errors
    /// When the scenario of a candidate is refused, or the caller asked to stop.
    pub(super) fn run(
        &self,
        candidates: &[Candidate],
        seeds: Range<u32>,
    ) -> Result<Vec<Vec<Sample>>, AdviseError> {
        let scenarios: Result<Vec<Scenario>, AdviseError> =
            candidates.iter().map(|candidate| self.scenario(candidate)).collect();
        let scenarios = scenarios?;
        // By seed, so that runs of all lengths are under way to the end.
        let jobs: Vec<(usize, u32)> =
            seeds.clone().flat_map(|seed| (0..scenarios.len()).map(move |place| (place, seed))).collect();
        let run = |(place, seed): &(usize, u32)| self.run_one(&scenarios[*place], *seed);
        let samples: Option<Vec<Sample>> = self.watch.each(&jobs, run)?;
        let samples = samples.ok_or(AdviseError::Interrupted)?;
        let mut by_candidate = vec![Vec::with_capacity(seeds.len()); candidates.len()];
        for ((place, _), sample) in jobs.iter().zip(samples) {
            by_candidate[*place].push(sample);
        }
        Ok(by_candidate)
    }

    /// The scenario of a candidate; the recording, which was read once, takes the place of the means.
    fn scenario(&self, candidate: &Candidate) -> Result<Scenario, AdviseError> {
        let text = text(self.question, &candidate.change, 1, Conditions::Means);
        let mut scenario = scenario_in(text).map_err(AdviseError::Scenario)?;
        let [down, up] = &self.question.path.means.schedules;
        for link in scenario.links.iter_mut().filter(|link| link.name == PATH) {
            link.down.schedule = Some(down.clone());
            link.up.schedule = Some(up.clone());
        }
        Ok(scenario)
    }

    /// When satellites change, as LeoCC knows it by the clock, counted from where the run begins.
    fn tell_leocc(&self, scenario: &mut Scenario, seed: u64) {
        let Some((first, every)) = self.question.path.reconfigurations else { return };
        let (first, every) = (first.as_nanos(), every.as_nanos());
        let by = self.recording.offset(seed).as_nanos();
        for flow in &mut scenario.flows {
            let leocc = &mut Arc::make_mut(&mut flow.parameters).congestion_control.leocc;
            leocc.first_reconfiguration = Duration::from_nanos((first % every + every - by % every) % every);
            leocc.reconfigured_every = Duration::from_nanos(every);
        }
    }

    fn run_one(&self, scenario: &Scenario, seed: u32) -> Option<Sample> {
        let mut scenario = scenario.clone();
        let seed = u64::from(seed);
        self.recording.begin(&mut scenario, seed);
        self.tell_leocc(&mut scenario, seed);
        let (record, felt) = run_seed_closely(&scenario, seed, self.watch.stop)?;
        let (flow, felt) = (record.flows.first()?, felt.first()?);
        let end = limit(self.question);
        let (value, complete) = match self.question.traffic {
            Traffic::File(_) => (flow.completion_s.unwrap_or(end.as_secs_f64()), flow.completion_s.is_some()),
            Traffic::Horizon(span) => (flow.delivered_bytes as f64 * 8.0 / span.as_secs_f64(), true),
        };
        let millis = |time: Option<Duration>| time.unwrap_or(end).as_millis_f64();
        Some(Sample {
            value,
            complete,
            median_ms: millis(felt.round_trip_median),
            p95_ms: millis(felt.round_trip_p95),
            stall_s: felt.longest_stall.as_secs_f64(),
        })
    }
}
