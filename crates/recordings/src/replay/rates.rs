//! Conditions from series: capacity from rates, and for recordings without probes delay and loss.

use super::outages::{Fate, Outage};
use super::{Findings, ReplayOptions, steps};
use crate::measured::{Conditions, DelayMeaning, Delays, Direction, Measured, RateMeaning, Rates, Sample};
use seamline_net::schedule::ScheduleError;
use seamline_wire::{Duration, Instant, Rate};

/// A packet of 1500 bytes carries 1448 bytes of payload: IPv4, TCP, time stamps.
const PACKET_PER_PAYLOAD: f64 = 1500.0 / 1448.0;
/// The least delay in a span of this length is taken for the path's where the measuring flow itself may have filled queues.
const WINDOW: Duration = Duration::from_secs(10);

/// Set the capacity in each direction from the best rates there are.
pub(super) fn set_capacity(
    measured: &Measured,
    options: ReplayOptions,
    conditions: &mut Conditions,
    findings: &mut Findings,
) -> Result<(), ScheduleError> {
    for (direction, name) in [(Direction::Down, "down"), (Direction::Up, "up")] {
        let with =
            |meaning| measured.rates.iter().find(|it| it.direction == direction && it.meaning == meaning);
        let traffic = || options.traffic_is_capacity.then(|| with(RateMeaning::Traffic)).flatten();
        let best = with(RateMeaning::Capacity).or_else(|| with(RateMeaning::Goodput)).or_else(traffic);
        let Some(best) = best else {
            if with(RateMeaning::Traffic).is_some() {
                findings.notes.push(format!(
                    "The {name}link rates are those of the traffic that was sent. They are not used as the capacity, which is at least as high."
                ));
            }
            continue;
        };
        note_meaning(best, name, findings);
        let side = if direction == Direction::Down { &mut conditions.down } else { &mut conditions.up };
        let rates = best.samples.iter().map(|it| (it.from, rate(best.meaning, it.value))).collect();
        side.capacity = steps(rates)?.map(Into::into);
    }
    Ok(())
}

fn rate(meaning: RateMeaning, rate: Rate) -> Rate {
    match meaning {
        RateMeaning::Capacity => rate,
        RateMeaning::Goodput | RateMeaning::Traffic => {
            Rate::from_bits_per_second(libm::round(rate.bits_per_second() as f64 * PACKET_PER_PAYLOAD) as u64)
        }
    }
}

fn note_meaning(rates: &Rates, name: &str, findings: &mut Findings) {
    let what = match rates.meaning {
        RateMeaning::Capacity => return,
        RateMeaning::Goodput => "the goodput of a flow that tried to fill the link",
        RateMeaning::Traffic => "the rate of the traffic that was sent",
    };
    findings.notes.push(format!(
        "The {name}link capacity is {what}, plus 3.6 % for headers. The real capacity is at least as high."
    ));
}

/// Set the delay in each direction from the best series there is.
pub(super) fn set_delay(
    measured: &Measured,
    conditions: &mut Conditions,
    findings: &mut Findings,
) -> Result<(), ScheduleError> {
    for direction in [Direction::Down, Direction::Up] {
        let one_way = |it: &&Delays| it.meaning == DelayMeaning::OneWay(direction);
        let round_trip = |it: &&Delays| it.meaning == DelayMeaning::RoundTrip;
        let best = measured.delays.iter().find(one_way).map(|it| (it, 1.0));
        let calm = measured.delays.iter().filter(round_trip).min_by_key(|it| it.loaded);
        let Some((delays, part)) = best.or(calm.map(|it| (it, 0.5))) else { continue };
        if delays.loaded {
            let note = "The measured delays include the queueing of the measuring flow. So the replay uses the minimum of each 10 s.";
            if !findings.notes.iter().any(|it| it == note) {
                findings.notes.push(note.to_owned());
            }
        }
        let samples = if delays.loaded { least_in_windows(&delays.samples) } else { delays.samples.clone() };
        let side = if direction == Direction::Down { &mut conditions.down } else { &mut conditions.up };
        side.one_way_delay = steps(samples.iter().map(|it| (it.from, it.value.mul_f64(part))).collect())?;
    }
    Ok(())
}

fn least_in_windows(samples: &[Sample<Duration>]) -> Vec<Sample<Duration>> {
    let window = |it: &Sample<Duration>| it.from.as_nanos() / WINDOW.as_nanos();
    let least = |group: &[Sample<Duration>]| {
        let value = group.iter().map(|it| it.value).min()?;
        Some(Sample { value, from: group[0].from, until: group[group.len() - 1].until })
    };
    samples.chunk_by(|one, other| window(one) == window(other)).filter_map(least).collect()
}

/// Set the loss in each direction. A span in which all is lost is an outage of that direction: given down and up.
pub(super) fn set_loss(
    measured: &Measured,
    conditions: &mut Conditions,
) -> Result<[Vec<Outage>; 2], ScheduleError> {
    let mut outages = [Vec::new(), Vec::new()];
    for (direction, outages) in [Direction::Down, Direction::Up].into_iter().zip(&mut outages) {
        let own = measured.losses.iter().find(|it| it.direction == Some(direction));
        let both = measured.losses.iter().find(|it| it.direction.is_none());
        let Some(losses) = own.or(both) else { continue };
        let part = if losses.direction.is_some() { 1.0 } else { 0.5 };
        let partly = losses.samples.iter().filter(|it| it.value < 1.0);
        let shares = partly.map(|it| (it.from, 1.0 - libm::pow(1.0 - it.value, part))).collect();
        let side = if direction == Direction::Down { &mut conditions.down } else { &mut conditions.up };
        side.loss = steps(shares)?;
        *outages = total(&losses.samples);
    }
    Ok(outages)
}

/// Spans in which all was lost; those that touch are one.
fn total(samples: &[Sample<f64>]) -> Vec<Outage> {
    let mut spans: Vec<(Instant, Instant)> = Vec::new();
    for sample in samples.iter().filter(|it| it.value >= 1.0) {
        match spans.last_mut() {
            Some(last) if sample.from <= last.1 => last.1 = sample.until,
            _ => spans.push((sample.from, sample.until)),
        }
    }
    let outage = |(from, until): (Instant, Instant)| {
        let length = until.saturating_since(from);
        Outage { at: from, length, bounds: (Duration::ZERO, length), fate: Fate::Lost, probes: 0 }
    };
    spans.into_iter().map(outage).filter(|it| !it.length.is_zero()).collect()
}
