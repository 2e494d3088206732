//! `handover = { every = "15 s", interruption = "60 ms" }`: when a link goes away, for how long, and what
//! becomes of the packets on it.

use crate::codes::Code;
use crate::reader::{Reader, list};
use crate::units::{self, Complaint};
use seamline_net::schedule::{Arriving, Fates, Handovers, InFlight, InService, Queued};
use seamline_wire::{Duration, Instant};

pub(crate) const QUEUED: &[(&str, Queued)] = &[("keep", Queued::Keep), ("drop", Queued::Drop)];
pub(crate) const IN_SERVICE: &[(&str, InService)] =
    &[("restart", InService::Restart), ("finish", InService::Finish), ("drop", InService::Drop)];
pub(crate) const IN_FLIGHT: &[(&str, InFlight)] = &[("deliver", InFlight::Deliver), ("drop", InFlight::Drop)];
pub(crate) const ARRIVING: &[(&str, Arriving)] = &[("wait", Arriving::Wait), ("drop", Arriving::Drop)];

/// Handovers more often than this are taken for a mistake.
const MOST_HANDOVERS: u64 = 1_000_000;

/// Read what becomes of packets, key by key in place of `default`.
pub(super) fn read_fates(reader: &mut Reader<'_>, default: Fates) -> Fates {
    Fates {
        queued: reader.choice("queued", QUEUED).unwrap_or(default.queued),
        in_service: reader.choice("in_service", IN_SERVICE).unwrap_or(default.in_service),
        in_flight: reader.choice("in_flight", IN_FLIGHT).unwrap_or(default.in_flight),
        arriving: reader.choice("arriving", ARRIVING).unwrap_or(default.arriving),
    }
}

/// Read handovers of constant interruption, at `at` or `every` so often until `duration`. Nothing is lost
/// unless the table says so.
pub(super) fn read(mut reader: Reader<'_>, duration: Duration) -> Option<Handovers> {
    let interruption = reader.required("interruption", units::duration);
    let fates = read_fates(&mut reader, Fates::SEAMLESS);
    let times = read_times(&mut reader, duration);
    let span = reader.span_of(&["interruption"]);
    let handovers = interruption.zip(times).and_then(|(interruption, times)| {
        let handovers = Handovers::at(times, interruption, fates);
        handovers.map_err(|error| reader.refuse("interruption", span, Complaint::new(error.to_string()))).ok()
    });
    reader.finish();
    handovers
}

fn read_times(reader: &mut Reader<'_>, duration: Duration) -> Option<Vec<Instant>> {
    let at = reader.node("at").is_some();
    if let (true, Some((key, _))) = (at, reader.entry("every")) {
        reader.refuse(
            "every",
            key.span,
            Complaint::new("give either `at` or `every`, not both").code(Code::Conflict),
        );
        return None;
    }
    if at {
        let times = reader.optional("at", list(units::duration))?;
        return Some(times.into_iter().map(|at| Instant::ZERO + at).collect());
    }
    let every = reader.required("every", |node| match units::positive_duration(node)? {
        every if duration.as_nanos() / every.as_nanos() > MOST_HANDOVERS => {
            Err(Complaint::new(format!("that makes more than {MOST_HANDOVERS} handovers"))
                .code(Code::OutOfBounds))
        }
        every => Ok(every),
    });
    let first = reader.optional("first", units::duration);
    let every = every?;
    let end = Instant::ZERO + duration;
    let times = std::iter::successors(Some(Instant::ZERO + first.unwrap_or(every)), |at| Some(*at + every));
    Some(times.take_while(|at| *at < end).collect())
}
