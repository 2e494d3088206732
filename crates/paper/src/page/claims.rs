//! Claims for the page.

use super::bounds;
use crate::evaluate::ClaimResult;
use seamline_report::paper::{Behind, Claim, Published};

/// The paper's number, numbers or word.
pub(super) fn published(result: &ClaimResult) -> Published {
    let numbers = match &result.paper {
        serde_json::Value::Array(ends) => ends.iter().filter_map(serde_json::Value::as_f64).collect(),
        other => other.as_f64().into_iter().collect::<Vec<f64>>(),
    };
    match numbers[..] {
        [value] => Published::Value(value),
        [low, high] => Published::Range(low, high),
        _ => Published::Word(result.paper.as_str().map_or_else(|| result.paper.to_string(), str::to_owned)),
    }
}

/// A claim and what was measured.
pub(super) fn claim(result: &ClaimResult) -> Claim {
    let behind = result.cells.iter().map(|cell| Behind {
        name: cell.cell.clone(),
        measured: cell.estimate(result.seeds),
        unit: cell.unit.to_owned(),
        published: cell.paper,
        accepted: cell.accept.map(bounds),
        verdict: cell.verdict.map(Into::into),
    });
    Claim {
        id: result.id.clone(),
        statement: result.statement.clone(),
        place: result.r#where.clone(),
        published: published(result),
        accepted: bounds(result.accept),
        aggregate: result.aggregate.clone(),
        measured: result.estimate(),
        unit: result.unit.to_owned(),
        verdict: result.verdict.into(),
        note: result.note.clone(),
        behind: behind.collect(),
    }
}
