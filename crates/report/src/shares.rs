//! How many connections of one flow share what it gets.

use crate::record::FlowRecord;
use crate::statistics::{jain_index, mean, nearest_rank};
use serde::Serialize;

/// Fewer connections are better looked at one by one.
const FEWEST: usize = 10;

/// The shares of the connections of one flow, over all runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shares {
    /// Connections of a run.
    pub connections: usize,
    /// Jain's index of a run, the mean over all: from 1 / connections when one takes all, to 1 when all are equal.
    pub fairness_mean: f64,
    /// Goodput in bits per second that a tenth of the connections of all runs do not exceed.
    pub tenth_bits_per_second: f64,
    /// That half of them do not exceed.
    pub median_bits_per_second: f64,
    /// That nine tenths of them do not exceed.
    pub nine_tenths_bits_per_second: f64,
}

impl Shares {
    /// Those of a flow, from its record in each run; `None` of few connections, and when nothing arrived.
    pub fn of(records: &[&FlowRecord]) -> Option<Self> {
        let connections = records.first()?.copies_bits_per_second.len();
        if connections < FEWEST {
            return None;
        }
        let indices = records.iter().filter_map(|record| jain_index(&record.copies_bits_per_second));
        let all = records.iter().flat_map(|record| &record.copies_bits_per_second);
        let mut sorted: Vec<f64> = all.copied().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |in_a_thousand| nearest_rank(&sorted, in_a_thousand);
        Some(Shares {
            connections,
            fairness_mean: mean(&indices.collect::<Vec<_>>())?,
            tenth_bits_per_second: at(100)?,
            median_bits_per_second: at(500)?,
            nine_tenths_bits_per_second: at(900)?,
        })
    }
}
