//! Packet by packet: family b, and any run of the same form.

use super::compare::{self, Verdict};
use super::dice;
use super::record::{Keep, Outcome};
use super::replay::{self, Run};
use super::report::{FamilyReport, Finding};
use super::trace::{Kind, Totals, Trace};
use crate::support::at;
use rayon::prelude::*;
use std::path::PathBuf;

/// One trace compared with our run of it.
struct Compared {
    trace: Trace,
    outcome: Outcome,
    totals: Totals,
    verdict: Verdict,
}

/// Compare all traces.
pub(super) fn compare_all(paths: &[PathBuf]) -> Result<FamilyReport, String> {
    let mut report = FamilyReport::new("b  packet by packet");
    let compared: Vec<Compared> =
        paths.par_iter().map(|path| compare_one(Trace::read(path)?)).collect::<Result<_, String>>()?;
    let (mut exact, mut other_columns) = (0, 0);
    for one in &compared {
        exact += usize::from(one.is_exact());
        other_columns += usize::from(one.is_exact() && one.verdict.other_difference.is_none());
        report.count(one.is_exact(), || one.finding());
        let name = one.name();
        report.decided_by_rounding += usize::from(one.outcome.packets_first > 0);
        for word in &one.trace.not_understood {
            report.notes.push(format!("{name}: \"{word}\" is not understood"));
        }
        if let (true, Some(d)) = (one.is_exact(), &one.verdict.other_difference) {
            let line = d.row + one.trace.first_line;
            report.notes.push(format!("{name}:{line}: {} is {}, ours {}", d.column, d.theirs, d.ours));
        }
    }
    report.notes.insert(
        0,
        format!(
            "exact in time, event, seq, cwnd and totals: {exact}/{n}; in every column: {other_columns}/{n}",
            n = report.total
        ),
    );
    Ok(report)
}

fn compare_one(trace: Trace) -> Result<Compared, String> {
    let setup = &trace.setup;
    let run = Run {
        setup,
        losses: dice::losses(setup),
        lost_acknowledgments: dice::lost_acknowledgments(setup),
        keep: Keep { rows: true, acknowledgments: false },
    };
    let outcome = replay::run(&run).map_err(at(&trace.path))?;
    let totals = totals(&outcome, setup.opens_with_syn());
    let verdict = compare::rows(&trace.rows, &outcome.rows);
    Ok(Compared { trace, outcome, totals, verdict })
}

/// Our counters as the comment line of a trace counts them: a SYN is a packet, acknowledged once the
/// peer has answered.
fn totals(ours: &Outcome, with_syn: bool) -> Totals {
    let counters = &ours.counters;
    let syn = i64::from(with_syn && ours.rows.iter().any(|row| row.kind == Kind::Ack));
    [
        ("acked", counters.acked_data + syn),
        ("sent", counters.sent),
        ("rexmit", counters.rexmit),
        ("timeouts", counters.timeouts),
    ]
}

impl Compared {
    fn name(&self) -> String {
        self.trace.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
    fn is_exact(&self) -> bool {
        self.verdict.difference.is_none() && self.trace.totals == self.totals
    }
    fn finding(&self) -> Finding {
        let name = self.name();
        match &self.verdict.difference {
            Some(d) => Finding {
                place: format!("{name}:{} column {}", d.row + self.trace.first_line, d.column),
                theirs: d.theirs.clone(),
                ours: d.ours.clone(),
                context: compare::context(&self.trace.rows, &self.outcome.rows, d.row, self.trace.first_line),
            },
            None => Finding {
                place: format!("{name}:1 totals"),
                theirs: format!("{:?}", self.trace.totals),
                ours: format!("{:?}", self.totals),
                context: Vec::new(),
            },
        }
    }
}
