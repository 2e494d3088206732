//! Why the closed form and the simulation differ, according to the records of the runs.

mod found;

use crate::closed_form::{ClosedForm, excursion, load};
use crate::question::{Question, Traffic};
use crate::runs::{Sample, known};
use crate::significance::INDIFFERENCE;
use seamline_model::transfer::{self, Load};
use seamline_report::statistics::Estimate;
use serde::Serialize;

/// Smaller relative differences, and differences within the interval of the mean, count as agreement.
pub const TOLERANCE: f64 = 0.05;

/// Seconds lost on a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnLink {
    /// The name of the link.
    pub link: String,
    /// The mean per run.
    pub seconds: f64,
    #[serde(skip)]
    index: usize,
}

/// A link on which the flow starts with a small window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Begun {
    /// The number of round trips until the window fills the link.
    pub round_trips: u32,
    /// Their length in seconds.
    pub round_trip_s: f64,
    /// The computed cost of slow start.
    #[serde(flatten)]
    pub cost: OnLink,
}

/// An effect that the closed form ignores and that the runs show.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// Slow start at the beginning and after each interruption.
    SlowStart {
        /// In the order in which the flow uses the links.
        begun: Vec<Begun>,
    },
    /// The link was up again, but the sender still waited for its retransmission timer.
    Timer {
        /// Over all handovers of a run, by the link after the handover.
        on: Vec<OnLink>,
        /// The mean number of timeouts per run.
        timeouts: f64,
    },
    /// Data arrived again, but the flow had not recovered its previous goodput.
    SlowRecovery {
        /// The time until it recovered, over all handovers of a run that saw the recovery, by link.
        on: Vec<OnLink>,
        /// The mean number of handovers per run after which the flow never recovered.
        not_regained: f64,
    },
    /// The conditions of a link vary over time, in rate, delay or handovers of its own; the closed form uses the
    /// given rate.
    VaryingConditions {
        /// The link.
        link: String,
        /// The rate that the closed form uses, in bit/s of payload.
        payload_bits_per_second: f64,
    },
    /// The window limit or the receive buffer keeps the flow below the capacity of the link.
    WindowLimited {
        /// The link.
        link: String,
        /// The maximum data in flight, in bytes.
        window_bytes: f64,
        /// The share of the link that this fills at its round-trip time.
        share: f64,
    },
    /// Random losses keep the flow below the capacity of the link, by the closed form for losses.
    LossLimited {
        /// The link.
        link: String,
        /// The share of the link that the flow can still use.
        share: f64,
    },
    /// Packets were dropped by full queues.
    QueueOverflow {
        /// The mean per run.
        packets: f64,
    },
    /// Packets were lost at handovers.
    LostAtHandovers {
        /// The mean per run.
        packets: f64,
    },
}

/// A quantity on which the closed form and the simulation disagree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Whether it is about staying; otherwise about the requested handover.
    pub stays: bool,
    /// By the closed form: the completion time in seconds, or the bytes within the horizon.
    pub closed_form: f64,
    /// By simulation of the unmodified stack; a lower bound without an interval where runs ended without the whole
    /// file.
    pub simulated: Estimate,
    /// The effects that the runs show and the closed form ignores; empty when none was found. Effects that only slow
    /// a flow down are left out when the simulation is better.
    pub causes: Vec<Cause>,
    /// The part of the difference, in seconds or bytes, that the causes explain at most: computed as if nothing at
    /// all had been delivered during their seconds.
    pub accounted: f64,
}

/// The disagreement between closed form and simulation, if there is one, with its causes.
pub(crate) fn disagreement(
    question: &Question,
    form: &ClosedForm,
    stays: bool,
    samples: &[Sample],
) -> Option<Disagreement> {
    let closed_form = if stays { form.stays } else { form.moves };
    let simulated = known(samples);
    let tolerance = (TOLERANCE * closed_form).max(simulated.half_width().unwrap_or(0.0));
    if (simulated.mean - closed_form).abs() <= tolerance {
        return None;
    }
    let (is_worse, seconds) = match question.traffic {
        Traffic::File(_) => (simulated.mean > closed_form, closed_form),
        Traffic::Horizon(span) => (simulated.mean < closed_form, span.as_secs_f64()),
    };
    let mut causes = found::varying(question, form, stays);
    if is_worse {
        causes.extend(found::slowing(question, form, stays, samples, INDIFFERENCE * seconds));
    }
    let accounted = accounted(question, form, stays, &causes);
    Some(Disagreement { stays, closed_form, simulated, causes, accounted })
}

/// Lost time on one link costs time on the link on which the file ends. It is computed as the closed form of a file
/// that is larger by the data that would have been delivered. A limited window reduces that amount.
fn accounted(question: &Question, form: &ClosedForm, stays: bool, causes: &[Cause]) -> f64 {
    let is_limited = causes.iter().any(|cause| matches!(cause, Cause::WindowLimited { .. }));
    let full = form.rates();
    let rates = if is_limited { form.rates_in_window() } else { full };
    let lost_bits: f64 =
        lost(causes).iter().zip([rates.old, rates.new]).map(|(seconds, rate)| seconds * rate).sum();
    let outcome = |load, rates| match stays {
        true => transfer::stays(load, rates),
        false => transfer::moves(load, rates, excursion(question)),
    };
    match load(question.traffic) {
        load @ Load::File { bits } => {
            outcome(Load::File { bits: bits + lost_bits }, rates) - outcome(load, full)
        }
        load @ Load::Horizon { .. } => (outcome(load, full) - outcome(load, rates) + lost_bits) / 8.0,
    }
}

/// The lost seconds on the old and the new link. Slow start after a handover is part of the recovery, where one was
/// seen.
fn lost(causes: &[Cause]) -> [f64; 2] {
    let (mut lost, mut begun_again, mut recovery) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for cause in causes {
        match cause {
            Cause::SlowStart { begun } => {
                for (n, begun) in begun.iter().enumerate() {
                    let sum = if n == 0 { &mut lost } else { &mut begun_again };
                    sum[begun.cost.index] += begun.cost.seconds;
                }
            }
            Cause::Timer { on, .. } => on.iter().for_each(|on_link| lost[on_link.index] += on_link.seconds),
            Cause::SlowRecovery { on, .. } => {
                on.iter().for_each(|on_link| recovery[on_link.index] += on_link.seconds)
            }
            _ => {}
        }
    }
    for (lost, (slow_start, recovery)) in lost.iter_mut().zip(begun_again.into_iter().zip(recovery)) {
        *lost += f64::max(slow_start, recovery);
    }
    lost
}
