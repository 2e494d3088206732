//! `handover = { every = "15 s", interruption = "60 ms" }`: when a link is interrupted, for how long, and what
//! happens to the packets on it.

use crate::codes::Code;
use crate::keys::{Keys, Section, choice, positive_time, time};
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
    Keys::new()
        .key("queued", "What happens to packets in the queue", choice(QUEUED), |it: &mut Fates| {
            &mut it.queued
        })
        .key("in_service", "What happens to the packet being sent", choice(IN_SERVICE), |it| {
            &mut it.in_service
        })
        .key("in_flight", "What happens to packets on the way", choice(IN_FLIGHT), |it| &mut it.in_flight)
        .key("arriving", "What happens to packets that arrive meanwhile", choice(ARRIVING), |it| {
            &mut it.arriving
        })
}

#[derive(Clone)]
struct Options {
    interruption: Option<Duration>,
    every: Option<Duration>,
    first: Option<Duration>,
    at: Option<Vec<Duration>>,
    fates: Fates,
}

/// Handovers of constant interruption, at `at` or `every` so often until `duration`. Nothing is lost unless the table says so.
pub(super) fn section<'a>(duration: Duration) -> Section<'a, Handovers> {
    let start = Options { interruption: None, every: None, first: None, at: None, fates: Fates::SEAMLESS };
    Keys::new()
        .definition("handover")
        .required("interruption", "How long nothing passes", time(), |it: &mut Options| &mut it.interruption)
        .optional("every", "Time from one handover to the next", positive_time(), |it| &mut it.every)
        .optional("first", "Time of the first handover; after `every` unless given", time(), |it| {
            &mut it.first
        })
        .optional("at", "Times of all handovers, instead of `every`", time().one_or_many(), |it| &mut it.at)
        .with(fates(), |it| &mut it.fates)
        .build(start, move |options, reader| {
            let times = times(&options, reader, duration)?;
            let handovers = Handovers::at(times, options.interruption?, options.fates);
            reader.accept("interruption", handovers.map_err(|error| Complaint::new(error.to_string())))
        })
}

fn times(options: &Options, reader: &mut Reader<'_>, duration: Duration) -> Option<Vec<Instant>> {
    if reader.has("at") {
        if let Some((key, _)) = reader.entry("every") {
            let complaint = Complaint::new("give either `at` or `every`, not both").code(Code::Conflict);
            reader.refuse("every", key.span, complaint);
            return None;
        }
        return Some(options.at.as_ref()?.iter().map(|at| Instant::ZERO + *at).collect());
    }
    if !reader.has("every") {
        reader.missing("every");
    }
    let every = options.every?;
    if duration.as_nanos() / every.as_nanos() > MOST_HANDOVERS {
        let label = format!("that makes more than {MOST_HANDOVERS} handovers");
        reader.refuse_value("every", Complaint::new(label).code(Code::OutOfBounds));
        return None;
    }
    let first = Instant::ZERO + options.first.unwrap_or(every);
    let times = std::iter::successors(Some(first), |at| Some(*at + every));
    Some(times.take_while(|at| *at < Instant::ZERO + duration).collect())
}
