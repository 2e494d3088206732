//! A scenario with its settings, ready to run.

use crate::errors::{failure, invalid, of_job};
use crate::result::Results;
use crate::run::{Progress, has_raised, in_background};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use seamline::engine::Engine;
use seamline_cli::Failure;
use seamline_experiment::report::provenance_of;
use seamline_experiment::summary::label;
use seamline_experiment::{CellResult, Job, RunOptions, by_seed};
use seamline_report::record::RunRecord;
use seamline_results::Line;
use seamline_results::store::key;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A scenario with its settings: every grid cell is valid.
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct Plan {
    plan: Arc<seamline_scenario::Plan>,
    /// What makes the same plan again.
    made_of: MadeOf,
}

/// Name, text and settings.
type MadeOf = (String, String, Vec<String>);

#[pymethods]
impl Plan {
    /// Read a scenario's text. `name` is its file in messages; relative paths start from its folder.
    #[new]
    fn new(py: Python<'_>, name: String, text: String, settings: Vec<String>) -> PyResult<Self> {
        let plan = py.detach(|| seamline_scenario::Plan::new(Path::new(&name), text.clone(), &settings));
        let plan = plan.map_err(|diagnostics| invalid(py, &diagnostics))?;
        Ok(Plan { plan: Arc::new(plan), made_of: (name, text, settings) })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, MadeOf)> {
        Ok((py.get_type::<Plan>().into_any(), self.made_of.clone()))
    }

    /// What the grid set in each cell: dotted keys, and values as JSON.
    #[getter]
    fn cells(&self) -> Vec<Vec<(String, String)>> {
        let values = |cell: &seamline_scenario::Cell| {
            cell.values.iter().map(|(key, value)| (key.clone(), value.to_json().to_string())).collect()
        };
        self.plan.cells.iter().map(values).collect()
    }

    /// The name of each cell.
    #[getter]
    fn labels(&self) -> Vec<String> {
        let cells = 0..self.plan.cells.len();
        cells.map(|cell| label(&self.plan, cell)).collect()
    }

    /// The title, if the scenario has one.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.plan.cells.first()?.scenario.title.as_deref()
    }

    /// The length of a run in seconds.
    #[getter]
    fn duration_s(&self) -> f64 {
        self.plan.cells.first().map_or(0.0, |cell| cell.scenario.duration.as_secs_f64())
    }

    /// The names of the flows.
    #[getter]
    fn flows(&self) -> Vec<String> {
        let first = self.plan.cells.first();
        first.map_or(Vec::new(), |cell| cell.scenario.flows.iter().map(|flow| flow.name.clone()).collect())
    }

    /// The number of runs.
    #[getter]
    fn runs(&self) -> usize {
        self.plan.runs()
    }

    /// The identity of all cells, without seeds and program.
    #[getter]
    fn identity(&self) -> String {
        self.plan.identity().to_string()
    }

    /// All runs, those of the first seeds first: cell, place of the seed, and the key of the run.
    fn jobs(&self) -> Vec<(usize, usize, String)> {
        let with_key = |Job { cell, seed }: Job| {
            let of = &self.plan.cells[cell];
            (cell, seed, key(of.identity, of.scenario.seeds[seed]))
        };
        by_seed(&self.plan).into_iter().map(with_key).collect()
    }

    /// Run everything on `workers` processors (0: all). `cells_over_time` cells keep their first run over time. `finished` is called with
    /// the number of finished runs about every 50 ms.
    #[pyo3(signature = (workers, cells_over_time, reproduce, finished))]
    fn run(
        &self,
        py: Python<'_>,
        workers: usize,
        cells_over_time: usize,
        reproduce: String,
        finished: Option<Py<PyAny>>,
    ) -> PyResult<Results> {
        let plan = &*self.plan;
        let engine = Engine::of(plan).map_err(|error| failure(py, error))?;
        let progress = Progress::new(finished, None);
        let options = RunOptions { cells_over_time, stop: progress.stop(), ..RunOptions::default() };
        let results = in_background(py, &progress, workers, || {
            engine.run(plan, &options, &|| progress.finished_one())
        })?;
        let results = results.map_err(|incomplete| {
            let cause = incomplete.failure;
            failure(py, cause.unwrap_or_else(|| Failure::Runtime("the runs were stopped".to_owned())))
        })?;
        Ok(self.results(results, reproduce))
    }

    /// Run these jobs (cell, place of the seed), one after the other: for each a line as `seamline sweep` stores it. Those that `stop` ends
    /// are left out.
    #[pyo3(signature = (jobs, stop = None))]
    fn lines<'py>(
        &self,
        py: Python<'py>,
        jobs: Vec<(usize, usize)>,
        stop: Option<&Stop>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let plan = &*self.plan;
        let engine = Engine::of(plan).map_err(|error| failure(py, error))?;
        let jobs = jobs.into_iter().map(|(cell, seed)| self.job(cell, seed)).collect::<PyResult<Vec<_>>>()?;
        let progress = Progress::new(None, stop.map(|stop| stop.0.clone()));
        let options = RunOptions { stop: progress.stop(), ..RunOptions::default() };
        let sweep = plan.identity().to_string();
        let line = |job: Job| -> Result<Option<String>, String> {
            let record = engine.record(plan, job, &options)?;
            // A short run may have come to its end before it noticed.
            let Some(record) = record.filter(|_| !has_raised()) else { return Ok(None) };
            progress.finished_one();
            let line = Line::new(plan, &sweep, job.cell, record).to_text();
            line.map(Some).map_err(|error| error.to_string())
        };
        let lines = in_background(py, &progress, 1, || {
            jobs.iter().map_while(|job| line(*job).transpose()).collect::<Result<Vec<_>, String>>()
        });
        let failed = |cause| {
            let job = jobs[progress.finished().min(jobs.len() - 1)];
            of_job(py, &label(plan, job.cell), plan.cells[job.cell].scenario.seeds[job.seed], cause)
        };
        let lines = lines.map_err(failed)?.map_err(|why| failed(crate::errors::failed(py, why)))?;
        Ok(lines.iter().map(|line| PyBytes::new(py, line.as_bytes())).collect())
    }

    /// The results of stored lines, as [`Plan::lines`] made them. Lines of other runs are left out; runs may be missing.
    fn results_of(&self, py: Python<'_>, lines: Vec<Vec<u8>>, reproduce: String) -> PyResult<Results> {
        let lines = py.detach(|| lines.iter().map(|line| read(line)).collect::<PyResult<Vec<Line>>>())?;
        let mut by_key: BTreeMap<String, RunRecord> =
            lines.into_iter().map(|line| (line.key, line.run)).collect();
        let mut results: Vec<CellResult> = self.plan.cells.iter().map(|_| CellResult::default()).collect();
        for (cell, _, key) in self.jobs() {
            results[cell].runs.extend(by_key.remove(&key));
        }
        Ok(self.results(results, reproduce))
    }

    /// The key of a stored line, and the goodput of each flow in bit/s, which decides whether a cell needs more seeds.
    #[staticmethod]
    fn read(line: &[u8]) -> PyResult<(String, Vec<f64>)> {
        let Line { key, run, .. } = read(line)?;
        Ok((key, run.flows.iter().map(|flow| flow.goodput_bits_per_second).collect()))
    }
}

fn read(line: &[u8]) -> PyResult<Line> {
    serde_json::from_slice(line).map_err(|error| PyValueError::new_err(format!("not a stored run: {error}")))
}

/// Ends work from another thread.
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct Stop(Arc<AtomicBool>);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Stop(Arc::default())
    }

    /// No further run begins, and those under way are given up.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Plan {
    /// The plan of the simulator.
    pub(crate) fn plan(&self) -> &seamline_scenario::Plan {
        &self.plan
    }

    fn job(&self, cell: usize, seed: usize) -> PyResult<Job> {
        let seeds = self.plan.cells.get(cell).map_or(0, |cell| cell.scenario.seeds.len());
        if seed >= seeds {
            return Err(PyIndexError::new_err(format!("there is no seed {seed} of cell {cell}")));
        }
        Ok(Job { cell, seed })
    }

    fn results(&self, results: Vec<CellResult>, reproduce: String) -> Results {
        Results::new(&self.plan, results, provenance_of(&self.plan, reproduce))
    }
}
