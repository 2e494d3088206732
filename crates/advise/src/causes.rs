//! Why the closed form and the simulation differ, from the records of the runs.

mod found;

use crate::closed_form::{ClosedForm, excursion, load};
use crate::question::{Question, Traffic};
use crate::runs::{Sample, known};
use crate::significance::WORTH_TELLING;
use seamline_model::transfer::{self, Load};
use seamline_report::statistics::Estimate;
use serde::Serialize;

/// Differences up to this share of the closed form, or within the interval of the mean, are none.
pub const TOLERANCE: f64 = 0.05;

/// Seconds lost on a link.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OnLink {
    /// What the link is called.
    pub link: String,
    /// For each run.
    pub seconds: f64,
    #[serde(skip)]
    place: usize,
}

/// A link that is begun on with a small window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Begun {
    /// How many round trips it takes to fill the link.
    pub round_trips: u32,
    /// Their length in seconds.
    pub round_trip_s: f64,
    /// What they cost by arithmetic.
    #[serde(flatten)]
    pub cost: OnLink,
}

/// What the closed form leaves out, as it was found in the runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "cause", rename_all = "kebab-case")]
pub enum Cause {
    /// Slow start at the beginning and after each interruption.
    SlowStart {
        /// In the order in which they are begun on.
        begun: Vec<Begun>,
    },
    /// The link was back, and the sender still waited for its retransmission timer.
    Timer {
        /// Over all handovers of a run, by the link that was back.
        on: Vec<OnLink>,
        /// Timeouts for each run.
        timeouts: f64,
    },
    /// Data arrived again, but the flow was not at its pace yet.
    SlowRecovery {
        /// Until it was, over all handovers of a run that saw it, by the link.
        on: Vec<OnLink>,
        /// Handovers for each run after which the pace was not regained at all.
        not_regained: f64,
    },
    /// The conditions of a link change over time, in rate, delay or handovers of its own; the closed form takes the rate that was given.
    VaryingConditions {
        /// The link.
        link: String,
        /// What the closed form takes, in bit/s of payload.
        payload_bits_per_second: f64,
    },
    /// The window's limit or the receiver's buffer keeps the flow below what the link carries.
    WindowLimited {
        /// The link.
        link: String,
        /// The most that can be under way, in bytes.
        window_bytes: f64,
        /// The link's share that this fills at its round trip.
        share: f64,
    },
    /// Random losses keep the flow below what the link carries, by the closed form for losses.
    LossLimited {
        /// The link.
        link: String,
        /// Its share that is left.
        share: f64,
    },
    /// Packets found a queue full.
    QueueOverflow {
        /// For each run.
        packets: f64,
    },
    /// Packets were lost at handovers.
    LostAtHandovers {
        /// For each run.
        packets: f64,
    },
}

/// A number that the closed form and the simulation disagree about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Disagreement {
    /// Whether the host stays; otherwise it hands over as asked.
    pub stays: bool,
    /// By the closed form: seconds until the file is there, or bytes within the horizon.
    pub closed_form: f64,
    /// By simulation of the stack as it is; the least, without an interval, where runs ended without the whole file.
    pub simulated: Estimate,
    /// What the runs show that the closed form leaves out; empty when nothing was found. What only slows is not among them when the
    /// simulation is better.
    pub causes: Vec<Cause>,
    /// Of the difference, in seconds or bytes, what the seconds of the causes and a limited window account for at most: if nothing at all
    /// had passed in them.
    pub accounted: f64,
}

/// Whether they disagree, and why.
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
        causes.extend(found::slowing(question, form, stays, samples, WORTH_TELLING * seconds));
    }
    let accounted = accounted(question, form, stays, &causes);
    Some(Disagreement { stays, closed_form, simulated, causes, accounted })
}

/// A second lost on one link costs seconds of the link on which the file ends: the closed form of a file that is larger by what would
/// have passed. Where the window is limited, less would.
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

/// Seconds of the old and the new link. Slow start after a handover is part of the way back to the pace, where that was seen.
fn lost(causes: &[Cause]) -> [f64; 2] {
    let (mut lost, mut begun_again, mut recovery) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for cause in causes {
        match cause {
            Cause::SlowStart { begun } => {
                for (n, begun) in begun.iter().enumerate() {
                    let sum = if n == 0 { &mut lost } else { &mut begun_again };
                    sum[begun.cost.place] += begun.cost.seconds;
                }
            }
            Cause::Timer { on, .. } => on.iter().for_each(|it| lost[it.place] += it.seconds),
            Cause::SlowRecovery { on, .. } => on.iter().for_each(|it| recovery[it.place] += it.seconds),
            _ => {}
        }
    }
    for (lost, (one, other)) in lost.iter_mut().zip(begun_again.into_iter().zip(recovery)) {
        *lost += f64::max(one, other);
    }
    lost
}
