//! The time limit of runs.

use crate::closed_form::ClosedForm;
use crate::error::InputError;
use crate::question::{Question, Traffic};
use crate::search::span;
use seamline_config::units::LONGEST_TIME;
use seamline_report::quantity::{bit_rate, bytes, digits};
use seamline_wire::Duration;

/// The time limit of a transfer is this multiple of its time on the slower link, and at least [`LEAST_LIMIT_S`].
const TIME_LIMIT_FACTOR: f64 = 10.0;
const LEAST_LIMIT_S: f64 = 600.0;
/// Nearly all runs end within this multiple of the time on the slower link. Starting points in a recording are drawn
/// so that such a run fits.
const EXPECTED_FACTOR: f64 = 3.0;
const HOUR_S: f64 = 3600.0;

/// The time limit of a run.
pub(crate) fn limit(question: &Question, form: &ClosedForm) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(size) => {
            let seconds = on_slower(size, form) + 2.0 * question.interruption.as_secs_f64();
            let stay = question.stay.map_or(0.0, Duration::as_secs_f64);
            let all = TIME_LIMIT_FACTOR * seconds + stay + question.at.as_secs_f64();
            span(all.clamp(LEAST_LIMIT_S, LONGEST_TIME.as_secs_f64()))
        }
    }
}

/// The expected maximum length of a run.
pub(crate) fn expected(question: &Question, form: &ClosedForm) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(size) => {
            let seconds = EXPECTED_FACTOR * on_slower(size, form) + 2.0 * question.interruption.as_secs_f64();
            span(seconds + question.at.as_secs_f64()).min(limit(question, form))
        }
    }
}

fn on_slower(size: u64, form: &ClosedForm) -> f64 {
    size as f64 * 8.0 / form.slowest()
}

/// Reject a file that takes longer than the longest simulation.
pub(crate) fn check(question: &Question) -> Result<(), InputError> {
    let Traffic::File(size) = question.traffic else { return Ok(()) };
    let form = ClosedForm::of(question);
    let longest = LONGEST_TIME.as_secs_f64() / TIME_LIMIT_FACTOR;
    let needed = on_slower(size, &form);
    if needed <= longest {
        return Ok(());
    }
    let message = format!(
        "{} takes {} h at {}, the rate of the slower link; the limit is {} h",
        bytes(size),
        digits(needed / HOUR_S),
        bit_rate(form.slowest()),
        digits(longest / HOUR_S)
    );
    let most = bytes((longest * form.slowest() / 8.0) as u64);
    Err(InputError::new("--file", message)
        .tip(format!("use a file smaller than {most}, or --horizon \"60 s\" for a flow without end")))
}
