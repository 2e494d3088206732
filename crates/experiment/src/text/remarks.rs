//! What a reader of results should know: found grid cell by grid cell, so that results may come in parts.

use super::notes::Notes;
use super::verdict::name;
use crate::run::CellResult;
use crate::summary::FlowSummary;
use seamline_report::statistics::{Estimate, samples_needed};
use seamline_scenario::plan::Plan;

/// Intervals wider than this share of the mean cause a warning.
const WIDE: f64 = 0.1;
/// More seeds than this are not recommended.
const MOST_SEEDS_RECOMMENDED: usize = 1000;

/// What a reader of results should know, each with its remedy. At most one of a kind: the first stands for all, or the worst.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// The most runs of a flow.
    seeds: usize,
    /// How wide the widest interval is in relation to its mean, if it is too wide, and its flow.
    widest: Option<(f64, String, Estimate)>,
    emulated: Emulated,
    notes: Notes,
}

impl Remarks {
    /// Those about some grid cells. `plan` may have others behind them.
    pub fn add(&mut self, plan: &Plan, results: &[CellResult], summaries: &[FlowSummary]) {
        for summary in summaries {
            let goodput = &summary.goodput_bits_per_second;
            self.seeds = self.seeds.max(goodput.samples);
            let Some(wide) = goodput.relative_half_width().filter(|wide| *wide > WIDE) else { continue };
            if self.widest.as_ref().is_none_or(|(widest, ..)| wide >= *widest) {
                self.widest = Some((wide, name(plan, summary), *goodput));
            }
        }
        self.emulated.add(results);
        self.notes.add(plan, results);
    }

    /// One text each.
    pub fn to_texts(&self) -> Vec<String> {
        let texts = self.emulated.to_text().into_iter().chain(self.warning());
        texts.chain(self.notes.to_texts()).collect()
    }

    /// What makes the verdicts uncertain.
    fn warning(&self) -> Option<String> {
        if self.seeds == 1 {
            return Some("one seed gives no interval: use --seeds 10".to_owned());
        }
        let (wide, name, estimate) = self.widest.as_ref()?;
        let fix = match recommended_seeds(estimate) {
            Some(seeds) => format!("use --seeds {seeds}"),
            None => "the runs vary too much for a meaningful mean".to_owned(),
        };
        Some(format!("the interval of {name} is ±{:.0} %: {fix}", wide * 100.0))
    }
}

/// Which emulated runs are unreliable.
#[derive(Clone, Debug, Default)]
struct Emulated {
    /// How many runs there are, emulated or not.
    runs: usize,
    unreliable: usize,
    /// The seed and the reasons of the first unreliable one.
    first: Option<(u64, Vec<String>)>,
}

impl Emulated {
    fn add(&mut self, results: &[CellResult]) {
        for run in results.iter().flat_map(|result| &result.runs) {
            self.runs += 1;
            let reasons = run.emulation.as_ref().map(|emulation| emulation.warnings()).unwrap_or_default();
            if !reasons.is_empty() {
                self.unreliable += 1;
                self.first.get_or_insert((run.seed, reasons));
            }
        }
    }

    fn to_text(&self) -> Option<String> {
        let (seed, reasons) = self.first.as_ref()?;
        Some(format!(
            "{} of {} runs are unreliable; seed {seed}: {}. Close other programs, lower the rates, or run as root (seamline doctor)",
            self.unreliable,
            self.runs,
            reasons.join("; ")
        ))
    }
}

/// The number of seeds that would reduce the interval to [`WIDE`], rounded up to a round number.
fn recommended_seeds(estimate: &Estimate) -> Option<usize> {
    let needed = samples_needed(estimate, WIDE, MOST_SEEDS_RECOMMENDED)?.max(estimate.samples + 1);
    let step = if needed <= 20 { 5 } else { 10 };
    Some(needed.div_ceil(step) * step)
}
