//! For how long runs go on.

use crate::closed_form::ClosedForm;
use crate::error::InputError;
use crate::question::{Question, Traffic};
use crate::search::span;
use seamline_config::units::LONGEST_TIME;
use seamline_report::quantity::{bit_rate, bytes, digits};
use seamline_wire::Duration;

/// A transfer is waited for so many times as long as the slower link would take, and no less than this.
const PATIENCE: f64 = 10.0;
const LEAST_LIMIT_S: f64 = 600.0;
/// All but rare runs are over after so many times as long as the slower link would take: places in a recording are drawn so that these fit.
const MARGIN: f64 = 3.0;
const HOUR_S: f64 = 3600.0;

/// For how long a run goes on at most.
pub(crate) fn limit(question: &Question, form: &ClosedForm) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(size) => {
            let seconds = on_slower(size, form) + 2.0 * question.interruption.as_secs_f64();
            let stay = question.stay.map_or(0.0, Duration::as_secs_f64);
            let all = PATIENCE * seconds + stay + question.at.as_secs_f64();
            span(all.clamp(LEAST_LIMIT_S, LONGEST_TIME.as_secs_f64()))
        }
    }
}

/// For how long a run is expected to go on at most.
pub(crate) fn expected(question: &Question, form: &ClosedForm) -> Duration {
    match question.traffic {
        Traffic::Horizon(span) => span,
        Traffic::File(size) => {
            let seconds = MARGIN * on_slower(size, form) + 2.0 * question.interruption.as_secs_f64();
            span(seconds + question.at.as_secs_f64()).min(limit(question, form))
        }
    }
}

fn on_slower(size: u64, form: &ClosedForm) -> f64 {
    size as f64 * 8.0 / form.slowest()
}

/// Refuse a file that no run can wait for.
pub(crate) fn check(question: &Question) -> Result<(), InputError> {
    let Traffic::File(size) = question.traffic else { return Ok(()) };
    let form = ClosedForm::of(question);
    let longest = LONGEST_TIME.as_secs_f64() / PATIENCE;
    let needed = on_slower(size, &form);
    if needed <= longest {
        return Ok(());
    }
    let message = format!(
        "{} take {} h at the {} of the slower link; no more than {} h can be simulated",
        bytes(size),
        digits(needed / HOUR_S),
        bit_rate(form.slowest()),
        digits(longest / HOUR_S)
    );
    let most = bytes((longest * form.slowest() / 8.0) as u64);
    Err(InputError::new("--file", message)
        .tip(format!("choose a file of less than {most}, or --horizon \"60 s\" for a flow without end")))
}
