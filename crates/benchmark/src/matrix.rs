//! Which cases and runs a benchmark has.

use crate::case::{Case, Job, Traffic};
use crate::remedy::{self, Remedy};
use crate::store::Run;

/// What a benchmark compares.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Remedies.
    pub remedies: Vec<&'static Remedy>,
    /// Outages, in milliseconds.
    pub outages_ms: Vec<u64>,
    /// Whether acknowledgments are lost.
    pub acknowledgment_lost: Vec<bool>,
    /// Whether packets are lost at random.
    pub loss: Vec<bool>,
    /// Kinds of traffic.
    pub traffic: Vec<Traffic>,
    /// Runs of each case.
    pub runs: u32,
}

impl Matrix {
    /// All of it, with so many runs of each case.
    pub fn whole(runs: u32) -> Self {
        Matrix {
            remedies: remedy::ALL.iter().collect(),
            outages_ms: vec![50, 200, 1000, 2500, 5000],
            acknowledgment_lost: vec![true, false],
            loss: vec![false, true],
            traffic: vec![Traffic::Bulk, Traffic::Requests],
            runs,
        }
    }

    /// What shows in some minutes that all of it works.
    pub fn quick() -> Self {
        Matrix { outages_ms: vec![1000], loss: vec![false], traffic: vec![Traffic::Bulk], ..Matrix::whole(1) }
    }

    /// Everything that these runs may be of.
    pub fn of(runs: &[Run]) -> Self {
        let mut outages_ms: Vec<u64> = runs.iter().map(|run| run.job.case.outage_ms).collect();
        outages_ms.sort_unstable();
        outages_ms.dedup();
        Matrix { outages_ms, ..Matrix::whole(runs.iter().map(|run| run.job.run).max().unwrap_or(0)) }
    }

    /// All cases, in the order of tables.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for &traffic in &self.traffic {
            for &loses_acknowledgment in &self.acknowledgment_lost {
                for &has_loss in &self.loss {
                    for &outage_ms in &self.outages_ms {
                        for &remedy in &self.remedies {
                            cases.push(Case { remedy, outage_ms, loses_acknowledgment, has_loss, traffic });
                        }
                    }
                }
            }
        }
        cases
    }

    /// All runs: first the first of every case, then the second, so that a host which is busy for a while touches all cases alike.
    pub fn jobs(&self) -> Vec<Job> {
        let cases = self.cases();
        (1..=self.runs).flat_map(|run| cases.iter().map(move |&case| Job { case, run })).collect()
    }
}
