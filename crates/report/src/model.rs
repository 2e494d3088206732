//! A report before it is drawn: the results of an experiment as they are (the record of every run, the summary of every flow), and
//! the text around them. It has no numbers of its own. Times are in seconds since the start of a run unless a name says otherwise.

use crate::emulation::EmulationRecord;
use crate::picture::topology::Topology;
use crate::provenance::Provenance;
use crate::record::{FlowRecord, HandoverRecord, LinkRecord, RunRecord};
use crate::series::RunSeries;
use crate::summary::FlowSummary;

/// The report of an experiment: from it come the page, the pictures, the tables and the files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The title of the experiment.
    pub title: String,
    /// Its provenance.
    pub provenance: Provenance,
    /// The verdict as sentences, the most important first.
    pub verdict: Vec<String>,
    /// What a reader should know before believing it, each with its fix.
    pub warnings: Vec<String>,
    /// Length of a run.
    pub duration_s: f64,
    /// The time excluded from all means, from the start of a run.
    pub warm_up_s: f64,
    /// Its network.
    pub network: Topology,
    /// The cells of the grid.
    pub cells: Vec<Cell>,
    /// Each flow of each cell over all seeds.
    pub outcomes: Vec<Outcome>,
    /// One run of each cell over time, in their order; may be fewer than there are cells.
    pub series: Vec<RunSeries>,
}

impl Report {
    /// The name of a cell.
    pub fn cell_name(&self, cell: usize) -> &str {
        self.cells.get(cell).map_or("", |cell| &cell.name)
    }

    /// Each flow of each run.
    pub fn flows(&self) -> impl Iterator<Item = OfRun<'_, FlowRecord>> {
        self.runs().flat_map(|(cell, run)| {
            run.flows.iter().map(move |flow| OfRun { cell, seed: run.seed, it: flow })
        })
    }

    /// Each handover that a flow met, behind the flow.
    pub fn handovers(&self) -> impl Iterator<Item = (OfRun<'_, FlowRecord>, &HandoverRecord)> {
        self.flows().flat_map(|OfRun { cell, seed, it }| {
            it.handovers.iter().map(move |handover| (OfRun { cell, seed, it }, handover))
        })
    }

    /// How each run with real stacks was emulated.
    pub fn emulations(&self) -> impl Iterator<Item = OfRun<'_, EmulationRecord>> {
        self.runs()
            .filter_map(|(cell, run)| run.emulation.as_ref().map(|it| OfRun { cell, seed: run.seed, it }))
    }

    /// Each direction of each link of each run.
    pub fn links(&self) -> impl Iterator<Item = OfRun<'_, LinkRecord>> {
        self.runs().flat_map(|(cell, run)| {
            run.links.iter().map(move |link| OfRun { cell, seed: run.seed, it: link })
        })
    }

    fn runs(&self) -> impl Iterator<Item = (usize, &RunRecord)> {
        let cells = self.cells.iter().enumerate();
        cells.flat_map(|(place, cell)| cell.runs.iter().map(move |run| (place, run)))
    }
}

/// One cell of the grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its name.
    pub name: String,
    /// What the grid set: dotted keys and values.
    pub values: Vec<(String, String)>,
    /// Its runs, one for each seed.
    pub runs: Vec<RunRecord>,
}

/// The results of one flow of one cell over all seeds, with its name and verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The name that distinguishes this outcome from the others.
    pub name: String,
    /// What the factor means: `faster`, `slower`, `no clear difference`, or nothing; or why there is none.
    pub judgement: String,
    /// The numbers.
    pub summary: FlowSummary,
}

/// Something of one run, and of which.
#[derive(Debug)]
pub struct OfRun<'a, T> {
    /// Place of the cell in the grid.
    pub cell: usize,
    /// The master seed.
    pub seed: u64,
    /// What it is.
    pub it: &'a T,
}
