//! From measurements to conditions that can be replayed, with their uncertainty.
//!
//! Probes (pings) say three things at once: when nothing passed, how long a packet takes without waiting, and how many packets are lost. They are
//! separated in this order:
//!
//! 1. **Outages** ([`outages`]). More lost probes in a row than residual loss explains are an outage in which packets are lost. A
//!    round trip that jumps up and then falls as fast as time passes belongs to probes that were sent during an outage
//!    and delivered together at its end: packets were held.
//! 2. **Loss** ([`loss`]): the share of the other probes that did not come back, with its Wilson interval.
//! 3. **Delay** ([`delay`]): the least round trip in each window is the path's; what exceeds it is queueing.
//!
//! A probe every second cannot show an outage of 100 ms. Each outage therefore has a length with bounds, and [`Findings`] names the
//! shortest outage that would have been seen. Reconfigurations at even distances ([`period`]) are looked for, too.
//!
//! Round-trip times are halved, and round-trip losses split evenly, unless the recording knows the directions.

pub mod delay;
mod gaps;
mod held;
pub mod loss;
pub mod outages;
pub mod period;
mod rates;
mod tail;
pub mod together;

use crate::measured::{Conditions, Direction, Measured, Outcome, Probe};
use crate::native::points;
use delay::{BaseDelay, Queueing};
use loss::LossShare;
use outages::{Fate, Outage};
use period::Period;
use seamline_net::Schedule;
use seamline_net::schedule::{Fates, Handover, Handovers, ScheduleError, Steps};
use seamline_wire::{Duration, Instant};

/// Which delay a packet of the replay has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DelayChoice {
    /// That of the last probe before it: for recordings of an otherwise idle host, where other users and the radio made the probes wait.
    #[default]
    Measured,
    /// That of the path without queueing: for recordings under the load of the measuring host itself.
    Path,
}

/// What a recording leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReplayOptions {
    /// Which delay packets have.
    pub delay: DelayChoice,
    /// Take what happened to be sent for the capacity of the link.
    pub traffic_is_capacity: bool,
}

/// What a replay takes from a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replay {
    /// The conditions of the link.
    pub conditions: Conditions,
    /// The length of the recording.
    pub length: Duration,
    /// What was found on the way.
    pub findings: Findings,
}

impl Replay {
    /// What the recording does not contain, one or two sentences each.
    pub fn missing(&self) -> Vec<String> {
        let lacks = |has: fn(&Schedule) -> bool| !self.conditions.any(has);
        let subjects = [
            ("capacity. In a scenario, set the `rate` of the link", lacks(|it| it.capacity.is_some())),
            (
                "delay. In a scenario, set the `one_way_delay` of the link",
                lacks(|it| it.one_way_delay.is_some()),
            ),
            (
                "loss. The replay loses packets only in outages and at full queues",
                lacks(|it| it.loss.is_some()),
            ),
        ];
        let missing = subjects.into_iter().filter(|(_, is_missing)| *is_missing);
        missing.map(|(what, _)| format!("The recording contains no {what}.")).collect()
    }

    /// Everything that a reader should know: the notes, and what is missing.
    pub fn remarks(&self) -> Vec<String> {
        self.findings.notes.iter().cloned().chain(self.missing()).collect()
    }
}

/// What was found in the measurements, with its uncertainty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Outages, in order.
    pub outages: Vec<Outage>,
    /// The shortest outage that is certain to be seen: at least three times the distance of probes, more where probes wait long or many
    /// are lost.
    pub shortest_visible: Option<Duration>,
    /// The share of round trips that failed outside of outages.
    pub loss: Option<LossShare>,
    /// The path's round trip in each window.
    pub base: Option<BaseDelay>,
    /// How much longer than that probes took.
    pub queueing: Option<Queueing>,
    /// Changes of delay, outages or handovers at even distances.
    pub period: Option<Period>,
    /// Where each thing comes from, and what the recording does not contain. One or two sentences each.
    pub notes: Vec<String>,
}

/// The conditions that a recording shows.
///
/// # Errors
/// When its parts contradict each other.
pub fn replay(measured: &Measured, options: ReplayOptions) -> Result<Replay, ScheduleError> {
    let mut findings = Findings { notes: measured.notes.clone(), ..Findings::default() };
    let conditions = match &measured.conditions {
        Some(conditions) => {
            findings.outages = outages::recorded(conditions);
            conditions.clone()
        }
        None => of_measurements(measured, options, &mut findings)?,
    };
    findings.outages.extend(conditions.down.capacity.iter().flat_map(|it| gaps::find(it, measured.length)));
    findings.period = findings.period.or_else(|| period::of_events(&events(&conditions, &findings)));
    Ok(Replay { conditions, length: measured.length, findings })
}

/// When outages and handovers begin.
fn events(conditions: &Conditions, findings: &Findings) -> Vec<Instant> {
    let outages = findings.outages.iter().map(|outage| outage.at);
    let handovers = conditions.down.handovers.as_slice().iter().map(|it| it.at);
    let mut events: Vec<Instant> = outages.chain(handovers).collect();
    events.sort_unstable();
    events.dedup();
    events
}

fn of_measurements(
    measured: &Measured,
    options: ReplayOptions,
    findings: &mut Findings,
) -> Result<Conditions, ScheduleError> {
    let mut conditions = Conditions::default();
    rates::set_capacity(measured, options, &mut conditions, findings)?;
    if measured.probes.is_empty() {
        rates::set_delay(measured, &mut conditions, findings)?;
        let [down, up] = rates::set_loss(measured, &mut conditions)?;
        conditions.down.handovers = handovers(measured, &down)?;
        conditions.up.handovers = handovers(measured, &up)?;
        findings.outages = outages::of_either(down, up);
    } else {
        of_probes(&measured.probes, options, &mut conditions, findings)?;
        let handovers = handovers(measured, &findings.outages)?;
        conditions.down.handovers = handovers.clone();
        conditions.up.handovers = handovers;
    }
    Ok(conditions)
}

fn of_probes(
    probes: &[Probe],
    options: ReplayOptions,
    conditions: &mut Conditions,
    findings: &mut Findings,
) -> Result<(), ScheduleError> {
    let outages::Found { outages, calm, shortest_visible } = outages::find(probes);
    findings.shortest_visible = shortest_visible;
    findings.loss = LossShare::of(&calm);
    // Outages have their times more exactly than jumps of the delay.
    let begins: Vec<Instant> = outages.iter().map(|outage| outage.at).collect();
    let period = period::of_events(&begins).or_else(|| period::of_delays(&calm));
    let base = BaseDelay::of(&calm, period.as_ref());
    findings.queueing = base.as_ref().and_then(|base| Queueing::of(&calm, base));
    if let Some(share) = &findings.loss {
        let [down, up] = share.by_direction();
        conditions.down.loss = Some(Steps::constant(down));
        conditions.up.loss = Some(Steps::constant(up));
    }
    if let Some(base) = &base {
        set_delays(&calm, base, options.delay, conditions)?;
    }
    (findings.outages, findings.period, findings.base) = (outages, period, base);
    Ok(())
}

fn set_delays(
    calm: &[Probe],
    base: &BaseDelay,
    choice: DelayChoice,
    conditions: &mut Conditions,
) -> Result<(), ScheduleError> {
    let delays = |direction| match choice {
        DelayChoice::Path => base.one_way(direction),
        DelayChoice::Measured => {
            calm.iter().filter_map(|it| Some((it.sent, one_way(it, direction)?))).collect()
        }
    };
    for (direction, schedule) in
        [(Direction::Down, &mut conditions.down), (Direction::Up, &mut conditions.up)]
    {
        schedule.one_way_delay = steps(delays(direction))?;
    }
    Ok(())
}

/// The delay of a probe in one direction: half of its round trip unless both are known.
fn one_way(probe: &Probe, direction: Direction) -> Option<Duration> {
    let Outcome::Answered { round_trip, one_way } = probe.outcome else { return None };
    let half = round_trip.mul_f64(0.5);
    let (up, down) = one_way.unwrap_or((half, half));
    Some(if direction == Direction::Down { down } else { up })
}

/// Steps without those at the same time as the one before, and those that change nothing. The last one stays: it says how far the
/// recording reaches, and means are taken to there.
fn steps<T: Copy + PartialEq>(values: Vec<(Instant, T)>) -> Result<Option<Steps<T>>, ScheduleError> {
    let mut kept: Vec<(Instant, T)> = Vec::with_capacity(values.len());
    let end = values.last().map(|(at, _)| *at);
    for (at, value) in values {
        if kept.last().is_none_or(|(last, held)| *last < at && *held != value) {
            kept.push((at, value));
        }
    }
    let Some((last, value)) = kept.last().copied() else { return Ok(None) };
    kept.extend(end.filter(|end| *end > last).map(|end| (end, value)));
    Steps::new(kept).map(Some)
}

/// Outages, and between them changes of the cell or path that interrupted nothing.
fn handovers(measured: &Measured, outages: &[Outage]) -> Result<Handovers, ScheduleError> {
    let fates = |fate| if fate == Fate::Held { Fates::SEAMLESS } else { Fates::HARD };
    let mut all: Vec<Handover> = outages
        .iter()
        .map(|it| Handover { at: it.at, interruption: it.length, fates: fates(it.fate) })
        .collect();
    let outside = |at: &Instant| {
        let before = outages.partition_point(|outage| outage.at <= *at);
        before.checked_sub(1).is_none_or(|last| outages[last].at + outages[last].length < *at)
    };
    let silent = measured.handovers.iter().copied().filter(outside);
    all.extend(silent.map(|at| Handover { at, interruption: Duration::ZERO, fates: Fates::SEAMLESS }));
    all.sort_by_key(|handover| handover.at);
    all.dedup_by_key(|handover| handover.at);
    Handovers::new(all)
}

/// The mean over time of a step function, by its values until `length`.
pub fn mean<T: Copy + PartialEq>(steps: &Steps<T>, length: Duration, value: impl Fn(T) -> f64) -> f64 {
    let points = points(steps, length);
    let end = Instant::ZERO + length;
    let ends = points.iter().skip(1).map(|(at, _)| *at).chain([end]);
    let weighted =
        points.iter().zip(ends).map(|((at, it), end)| value(*it) * end.saturating_since(*at).as_secs_f64());
    let sum: f64 = weighted.sum();
    if length.is_zero() { value(points[0].1) } else { sum / length.as_secs_f64() }
}
