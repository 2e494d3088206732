//! Several recordings of one path: a capacity trace and a series of delays, or pings during a download.

use super::{Findings, Replay};
use crate::measured::Conditions;
use seamline_net::Schedule;
use seamline_net::schedule::{Handover, Handovers, Reordering};
use seamline_wire::{Duration, Instant};

/// Two recordings contain the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// What.
    pub what: &'static str,
    /// Which of the recordings, by their places.
    pub parts: (usize, usize),
}

/// One replay of recordings that complete each other. Those whose time of day is known (seconds since 1970) are laid over each other by it;
/// others begin together. The whole is as long as all of them last.
///
/// # Errors
/// When two contain the same thing.
pub fn together(parts: Vec<(Option<f64>, Replay)>) -> Result<Replay, Overlap> {
    let leads = leads(parts.iter().map(|(began, _)| *began));
    let mut shifted = parts.into_iter().zip(leads).map(|((_, replay), by)| later(replay, by));
    let Some(mut whole) = shifted.next() else { return Ok(Replay::default()) };
    let mut sources = vec![provides(&whole.conditions)];
    for (place, part) in shifted.enumerate() {
        let own = provides(&part.conditions);
        for (earlier, source) in sources.iter().enumerate() {
            if let Some(subject) = (0..SUBJECTS.len()).find(|subject| own[*subject] && source[*subject]) {
                return Err(Overlap { what: SUBJECTS[subject], parts: (earlier, place + 1) });
            }
        }
        sources.push(own);
        whole = join(whole, part);
    }
    Ok(whole)
}

/// How much earlier than the last of them each recording began; zero where its time of day is unknown.
pub fn leads(began: impl Iterator<Item = Option<f64>> + Clone) -> Vec<Duration> {
    let latest = began.clone().flatten().fold(f64::NEG_INFINITY, f64::max);
    began.map(|began| Duration::from_secs_f64(began.map_or(0.0, |began| latest - began))).collect()
}

/// What a recording can contain.
const SUBJECTS: [&str; 5] = ["capacity down", "capacity up", "delay", "loss", "outages"];

fn provides(conditions: &Conditions) -> [bool; 5] {
    [
        conditions.down.capacity.is_some(),
        conditions.up.capacity.is_some(),
        conditions.any(|it| it.one_way_delay.is_some()),
        conditions.any(|it| it.loss.is_some()),
        conditions.any(|it| it.handovers.as_slice().iter().any(|handover| !handover.interruption.is_zero())),
    ]
}

/// The same from a later start.
fn later(replay: Replay, by: Duration) -> Replay {
    let mut findings = replay.findings;
    findings.outages.retain(|it| it.at.as_nanos() >= by.as_nanos());
    findings.outages.iter_mut().for_each(|it| it.at = it.at - by);
    if let Some(period) = &mut findings.period {
        let turned = Duration::from_nanos(by.as_nanos() % period.length.as_nanos());
        period.phase = Duration::from_nanos(
            (period.phase + (period.length - turned)).as_nanos() % period.length.as_nanos(),
        );
    }
    if let Some(base) = &mut findings.base {
        base.skip(by);
    }
    let length = replay.length - by.min(replay.length);
    Replay { conditions: replay.conditions.skip(by), length, findings }
}

fn join(one: Replay, other: Replay) -> Replay {
    let (a, b) = (one.findings, other.findings);
    let mut outages = a.outages;
    outages.extend(b.outages);
    outages.sort_by_key(|outage| outage.at);
    let mut notes = a.notes;
    notes.extend(b.notes.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
    Replay {
        length: one.length.min(other.length),
        conditions: Conditions {
            down: complete(one.conditions.down, other.conditions.down),
            up: complete(one.conditions.up, other.conditions.up),
        },
        findings: Findings {
            outages,
            shortest_visible: a.shortest_visible.or(b.shortest_visible),
            loss: a.loss.or(b.loss),
            base: a.base.or(b.base),
            queueing: a.queueing.or(b.queueing),
            period: a.period.or(b.period),
            notes,
        },
    }
}

/// Two schedules that set different things.
pub fn complete(one: Schedule, other: Schedule) -> Schedule {
    Schedule {
        capacity: one.capacity.or(other.capacity),
        one_way_delay: one.one_way_delay.or(other.one_way_delay),
        loss: one.loss.or(other.loss),
        handovers: both(one.handovers, other.handovers),
        reordering: match one.reordering {
            Reordering::Allowed => Reordering::Allowed,
            Reordering::Prevented => other.reordering,
        },
    }
}

/// The outages of one and the changes of the other that interrupt nothing, unless an outage covers these.
fn both(one: Handovers, other: Handovers) -> Handovers {
    let (mut outages, silent): (Vec<Handover>, Vec<Handover>) =
        one.as_slice().iter().chain(other.as_slice()).partition(|handover| !handover.interruption.is_zero());
    outages.sort_by_key(|handover| handover.at);
    let hidden = |at: Instant| {
        let before = outages.partition_point(|outage| outage.at <= at);
        before.checked_sub(1).is_some_and(|last| at <= outages[last].end())
    };
    let mut all: Vec<Handover> = silent.into_iter().filter(|it| !hidden(it.at)).collect();
    all.extend(&outages);
    all.sort_by_key(|handover| handover.at);
    all.dedup_by_key(|handover| handover.at);
    Handovers::new(all).unwrap_or(one)
}
