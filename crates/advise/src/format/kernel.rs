//! What a kernel's TCP does at the decisive points, next to what was predicted.

use super::{amount, at_least};
use crate::advice::{Advice, Verdict};
use crate::kernel::{Checked, CheckedPoint, What};
use seamline_report::quantity::digits;

/// The check as text: nothing when there was none.
pub(super) fn check(advice: &Advice) -> String {
    let Some(checked) = &advice.checked else { return String::new() };
    let mut text = format!("\n{}\n", judgement(advice, checked));
    text += &checked.points.iter().map(|point| line(advice, point)).collect::<String>();
    text
}

fn line(advice: &Advice, point: &CheckedPoint) -> String {
    let what = match point.what {
        What::Stays => "staying".to_owned(),
        What::Stock => "handing over with the unmodified stack".to_owned(),
        What::Deployed => format!("handing over with {}", advice.deploy.as_deref().unwrap_or_default()),
    };
    let deviation = (point.predicted.mean / point.measured.mean - 1.0) * 100.0;
    let deviation = format!("{}{} %", if deviation < 0.0 { "-" } else { "+" }, digits(deviation.abs()));
    format!(
        "  {what}: {}{}; predicted {} ({deviation})\n",
        at_least(point.incomplete),
        point.measured.to_text(|value| amount(advice, value)),
        amount(advice, point.predicted.mean)
    )
}

/// Whether the answer holds.
fn judgement(advice: &Advice, checked: &Checked) -> String {
    let Checked { kernel, stock_gains, deployed_gains, .. } = checked;
    let with = deployed_gains.unwrap_or(false);
    let holds = match advice.verdict {
        Verdict::HandOver => *stock_gains,
        Verdict::HandOverWith { .. } => !stock_gains && with,
        _ => !stock_gains,
    };
    let found = match (stock_gains, with) {
        (true, _) => "handing over pays off with the unmodified stack",
        (false, true) => "handing over pays off with the scheme only",
        (false, false) => "handing over does not pay off",
    };
    let not_checked = match (&advice.verdict, deployed_gains) {
        (Verdict::HandOverWith { .. }, None) => " (the scheme is not checked: a kernel does not have it)",
        _ => "",
    };
    match holds {
        true => format!("Checked against {kernel}: the answer holds."),
        false => format!("Checked against {kernel}: the answer does not hold. There, {found}{not_checked}."),
    }
}
