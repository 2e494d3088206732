//! Writing conditions down.

use super::{COLUMNS, HANDOVER, TITLE};
use crate::measured::Conditions;
use seamline_net::Schedule;
use seamline_net::schedule::{Arriving, Capacity, DeliveryOpportunities, Handovers, Steps};
use seamline_wire::{Duration, Instant, Rate};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Single opportunities to send become a rate over spans of this length.
const SPAN: Duration = Duration::from_millis(100);

/// The fields of each row, by its time.
type Rows = BTreeMap<Instant, [String; 9]>;

/// The conditions from time zero to `length`, with remarks about them. What is read back is the same, but for opportunities to send,
/// which become mean rates over 100 ms, and for fates of packets that are neither all kept nor all lost.
pub fn write(conditions: &Conditions, length: Duration, remarks: &[String]) -> String {
    let mut rows = Rows::new();
    for (place, schedule) in [&conditions.down, &conditions.up].into_iter().enumerate() {
        put_schedule(&mut rows, schedule, length, place);
    }
    rows.entry(Instant::ZERO).or_default();
    let mut text = format!("{TITLE}\n# length_s = {}\n", decimal(length.as_nanos(), 9));
    for line in remarks.iter().flat_map(|remark| remark.lines()) {
        let _ = writeln!(text, "# {line}");
    }
    text += &COLUMNS.join(",");
    text.push('\n');
    for (at, mut fields) in rows {
        fields[0] = decimal(at.as_nanos(), 9);
        text += &fields.join(",");
        text.push('\n');
    }
    text
}

/// `place` is 0 for the columns of `down` and 1 for those of `up`.
fn put_schedule(rows: &mut Rows, schedule: &Schedule, length: Duration, place: usize) {
    let mut put = |at: Instant, column: usize, field: String| {
        rows.entry(at).or_default()[column + place] = field;
    };
    if let Some(capacity) = &schedule.capacity {
        let rates = match capacity {
            Capacity::Rate(rates) => points(rates.steps(), length),
            Capacity::Opportunities(chances) => mean_rates(chances, length),
        };
        rates.into_iter().for_each(|(at, rate)| put(at, 1, decimal(rate.bits_per_second(), 6)));
    }
    if let Some(delays) = &schedule.one_way_delay {
        points(delays, length).into_iter().for_each(|(at, delay)| put(at, 3, decimal(delay.as_nanos(), 6)));
    }
    if let Some(losses) = &schedule.loss {
        points(losses, length).into_iter().for_each(|(at, loss)| put(at, 5, loss.to_string()));
    }
    put_outages(&schedule.handovers, &mut put);
}

fn put_outages(handovers: &Handovers, put: &mut impl FnMut(Instant, usize, String)) {
    for handover in handovers.as_slice() {
        if handover.interruption.is_zero() {
            put(handover.at, 7, HANDOVER.to_owned());
            continue;
        }
        let fate = if handover.fates.arriving == Arriving::Wait { "held" } else { "lost" };
        // One that begins where another ends has the last word there.
        put(handover.at, 7, fate.to_owned());
        put(handover.end(), 7, "none".to_owned());
    }
}

/// Each value that a step function takes until `length`, with the time from which it holds.
pub fn points<T: Copy + PartialEq>(steps: &Steps<T>, length: Duration) -> Vec<(Instant, T)> {
    let mut points: Vec<(Instant, T)> = Vec::new();
    let mut at = Instant::ZERO;
    while at < Instant::ZERO + length || points.is_empty() {
        let segment = steps.segment(at);
        if points.last().is_none_or(|(_, last)| *last != segment.value) {
            points.push((at, segment.value));
        }
        at = segment.until;
    }
    points
}

/// The mean rate in each span.
pub fn mean_rates(chances: &DeliveryOpportunities, length: Duration) -> Vec<(Instant, Rate)> {
    let spans = length.as_nanos().div_ceil(SPAN.as_nanos()).max(1);
    let mut bytes = vec![0_u64; usize::try_from(spans).unwrap_or(usize::MAX)];
    let mut next = chances.next_after(Instant::ZERO);
    // A chance at the very end of a span belongs to it: it is the end of the time in which its bytes were sent.
    while let Some(sum) = bytes.get_mut(((next.at.as_nanos() - 1) / SPAN.as_nanos()) as usize) {
        *sum += next.bytes;
        next = chances.next_after(next.at);
    }
    let rate = |bytes: u64| Rate::from_bits_per_second(bytes * 8 * 1_000 / SPAN.as_millis());
    let mut points: Vec<(Instant, Rate)> = Vec::new();
    for (span, bytes) in bytes.into_iter().enumerate() {
        let rate = rate(bytes);
        if points.last().is_none_or(|(_, last)| *last != rate) {
            points.push((Instant::ZERO + SPAN * span as u64, rate));
        }
    }
    points
}

/// A whole number of parts as a decimal number, exactly: `digits` of it come after the point.
fn decimal(parts: u64, digits: u32) -> String {
    let unit = 10_u64.pow(digits);
    let rest = format!("{:0width$}", parts % unit, width = digits as usize);
    match rest.trim_end_matches('0') {
        "" => (parts / unit).to_string(),
        rest => format!("{}.{rest}", parts / unit),
    }
}
