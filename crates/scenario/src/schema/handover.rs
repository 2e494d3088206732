//! `handover = { every = "15 s", interruption = "60 ms" }`: when a link is interrupted, for how long, and what
//! happens to the packets on it.

use crate::keys::{Keys, Section, choice, positive_time, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_net::schedule::{Arriving, Fates, Handovers, InFlight, InService, Queued};
use seamline_wire::{Duration, Instant};

const QUEUED: &[(&str, Queued)] = &[("keep", Queued::Keep), ("drop", Queued::Drop)];
const IN_SERVICE: &[(&str, InService)] =
    &[("restart", InService::Restart), ("finish", InService::Finish), ("drop", InService::Drop)];
const IN_FLIGHT: &[(&str, InFlight)] = &[("deliver", InFlight::Deliver), ("drop", InFlight::Drop)];
const ARRIVING: &[(&str, Arriving)] = &[("wait", Arriving::Wait), ("drop", Arriving::Drop)];

/// Handovers more often than this are taken for a mistake.
const MOST_HANDOVERS: u64 = 1_000_000;

/// What happens to packets in a handover.
pub(super) fn fates<'a>() -> Keys<'a, Fates> {
    table! { Fates;
        key queued: choice(QUEUED), "What happens to packets in the queue";
        key in_service: choice(IN_SERVICE), "What happens to the packet being sent";
        key in_flight: choice(IN_FLIGHT), "What happens to packets on the way";
        key arriving: choice(ARRIVING), "What happens to packets that arrive meanwhile";
    }
}

#[derive(Clone)]
struct Options {
    interruption: Option<Duration>,
    every: Option<Duration>,
    first: Option<Duration>,
    at: Option<Vec<Duration>>,
    fates: Fates,
}

/// Handovers of constant interruption, at the times `at`, or `every` so often until `duration`. By default nothing is lost.
pub(super) fn section<'a>(duration: Duration) -> Section<'a, Handovers> {
    let start = Options { interruption: None, every: None, first: None, at: None, fates: Fates::SEAMLESS };
    table! { Options;
        .definition("handover");
        required interruption: time(), "How long no packets pass";
        optional every: positive_time(), "Time from one handover to the next";
        optional first: time(), "Time of the first handover; after `every` unless given";
        optional at: time().one_or_many(), "Times of all handovers, instead of `every`";
        .with(fates(), |it| &mut it.fates);
    }
    .build(start, move |options, reader| {
        let times = times(&options, reader, duration)?;
        let handovers = Handovers::at(times, options.interruption?, options.fates);
        reader.accept("interruption", handovers.map_err(|error| Complaint::new(error.to_string())))
    })
}

fn times(options: &Options, reader: &mut Reader<'_>, duration: Duration) -> Option<Vec<Instant>> {
    if reader.has("at") {
        if let Some((key, _)) = reader.entry("every") {
            let complaint = Complaint::conflict("give either `at` or `every`, not both");
            reader.refuse("every", key.span, complaint);
            return None;
        }
        return Some(options.at.as_ref()?.iter().map(|at| Instant::ZERO + *at).collect());
    }
    reader.need("every");
    let every = options.every?;
    if duration.as_nanos() / every.as_nanos() > MOST_HANDOVERS {
        let label = format!("that makes more than {MOST_HANDOVERS} handovers");
        reader.refuse_value("every", Complaint::out_of_bounds(label));
        return None;
    }
    let first = Instant::ZERO + options.first.unwrap_or(every);
    let times = std::iter::successors(Some(first), |at| Some(*at + every));
    Some(times.take_while(|at| *at < Instant::ZERO + duration).collect())
}
