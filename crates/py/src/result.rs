//! The results of a plan.

use crate::errors::failed;
use crate::table::Table;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use seamline_experiment::report::ResultDocument;
use seamline_experiment::text::verdicts;
use seamline_experiment::{CellResult, pages, summarise};
use seamline_report::export::table::{named, over_time, summary};
use seamline_report::{Provenance, Report};
use seamline_scenario::Plan;
use std::path::PathBuf;
use std::sync::Arc;

/// The results of all runs of a plan.
#[pyclass(frozen, module = "seamline._seamline")]
pub(crate) struct Results {
    plan: Arc<Plan>,
    report: Report,
    verdict: String,
}

impl Results {
    pub(crate) fn new(plan: &Arc<Plan>, results: Vec<CellResult>, provenance: Provenance) -> Self {
        let summary = summarise(plan, &results, None);
        let verdict = verdicts(plan, &summary);
        let report = pages::report(plan, results, &summary, provenance);
        Results { plan: plan.clone(), report, verdict }
    }
}

#[pymethods]
impl Results {
    /// The comparison of all cells as text.
    #[getter]
    fn text(&self) -> &str {
        &self.verdict
    }

    /// The verdict as sentences.
    #[getter]
    fn verdict(&self) -> Vec<String> {
        self.report.verdict.clone()
    }

    /// What a reader should know before believing it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.report.warnings.clone()
    }

    /// The names of the tables that have rows.
    fn tables(&self) -> Vec<&'static str> {
        let all = summary(&self.report).into_iter().chain(over_time(&self.report));
        all.filter(|table| table.rows() > 0).map(|table| table.name).collect()
    }

    /// A table by its name.
    fn table(&self, py: Python<'_>, name: &str) -> PyResult<Table> {
        match py.detach(|| named(&self.report, name)) {
            Some(table) => Table::new(py, table),
            None => Err(PyKeyError::new_err(name.to_owned())),
        }
    }

    /// The result document, as `seamline run --format json` prints it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let document = py.detach(|| ResultDocument::new(&self.plan, &self.report).to_json());
        document.map_err(|error| failed(py, error.to_string()))
    }

    /// The interactive report as one HTML page.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let files = py.detach(|| seamline_report::files::of_report(&self.report, true));
        let page = files.map_err(|error| failed(py, error.to_string()))?.into_iter().next();
        let page = page.map(|page| String::from_utf8_lossy(&page.bytes).into_owned());
        Ok(page.unwrap_or_default())
    }

    /// Write the report: a page if the path ends in `.html`, otherwise a folder of files. Returns the path of the page.
    fn write(&self, py: Python<'_>, place: PathBuf) -> PyResult<PathBuf> {
        let written = py.detach(|| pages::write(&self.report, &place));
        written.map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))
    }
}
