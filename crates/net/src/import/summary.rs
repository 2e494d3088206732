//! What a recording contains, in one line, and whether a network can be like that.

use super::{ImportError, Recording};
use crate::schedule::{Capacity, DeliveryOpportunities, RateSteps, Schedule, Steps};
use seamline_wire::{Duration, Instant};

/// Delays are rarely recorded where all of them are shorter.
const SHORTEST_DELAY_MS: f64 = 1.0;
/// No path is as slow as this at its fastest.
const LONGEST_DELAY_MS: f64 = 10_000.0;
/// No recording of single opportunities to send is of a faster link.
const HIGHEST_RATE_MBPS: f64 = 10_000.0;

/// Mean, minimum and maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    mean: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn show(self, what: &str, unit: &str) -> String {
        let Spread { mean, least, most } = self;
        format!("{what} {mean:.1} {unit} on average ({least:.1} to {most:.1})")
    }
}

/// Length, and mean, minimum and maximum of each thing in a schedule.
///
/// # Errors
/// When it is implausible.
pub(super) fn of(recording: &Recording, schedule: &Schedule) -> Result<String, ImportError> {
    let mut parts = Vec::new();
    if let Some(capacity) = &schedule.capacity {
        let (length, rate) = capacity_of(capacity);
        refuse_rates(recording, rate)?;
        parts.push(shown(length));
        parts.push(rate.show("capacity", "Mbit/s"));
    }
    if let Some(delay) = &schedule.one_way_delay {
        let (length, spread) = delay_of(delay);
        refuse_delays(recording, spread)?;
        parts.push(shown(length));
        parts.push(spread.show("one-way delay", "ms"));
    }
    match schedule.handovers.as_slice().len() {
        0 => {}
        1 => parts.push("1 handover".to_owned()),
        many => parts.push(format!("{many} handovers")),
    }
    Ok(parts.join(", "))
}

/// A length in seconds to a tenth, or in milliseconds below a second.
fn shown(seconds: f64) -> String {
    if seconds < 1.0 {
        return format!("{:.0} ms", seconds * 1e3);
    }
    format!("{} s", (seconds * 10.0).round() / 10.0)
}

fn refuse_delays(recording: &Recording, spread: Spread) -> Result<(), ImportError> {
    let Spread { least, most, .. } = spread;
    let help = if least == most {
        "a constant delay is one_way_delay in a scenario"
    } else if most < SHORTEST_DELAY_MS {
        "if the values are seconds, multiply them by 1000; if they are right, name the format in a scenario: schedule = { kind = \"delay-series\", ... }"
    } else if least > LONGEST_DELAY_MS {
        "if the values are microseconds, divide them by 1000"
    } else {
        return Ok(());
    };
    Err(recording.whole(
        format!("delays from {least} to {most} ms"),
        "delays of a network in milliseconds that vary",
        help,
    ))
}

fn refuse_rates(recording: &Recording, spread: Spread) -> Result<(), ImportError> {
    if spread.mean <= HIGHEST_RATE_MBPS && spread.mean.is_finite() {
        return Ok(());
    }
    let found = format!("{:.0} Mbit/s on average", spread.mean);
    let help = "if the numbers are no times but delays or rates, use CSV with named columns";
    Err(recording.whole(found, "times of opportunities to send 1500 bytes, in milliseconds", help))
}

/// Length in seconds, and the spread in milliseconds, weighted by time.
fn delay_of(delay: &Steps<Duration>) -> (f64, Spread) {
    spread(delay, Duration::as_millis_f64)
}

fn capacity_of(capacity: &Capacity) -> (f64, Spread) {
    match capacity {
        Capacity::Rate(rate) => rates_of(rate),
        Capacity::Opportunities(chances) => per_second(chances),
    }
}

fn rates_of(rate: &RateSteps) -> (f64, Spread) {
    spread(rate.steps(), |rate| rate.bits_per_second() as f64 / 1e6)
}

/// A last step without an end counts for a second.
fn spread<T: Copy>(steps: &Steps<T>, value: impl Fn(T) -> f64) -> (f64, Spread) {
    let points = steps.points();
    let last = points.last().map_or(Duration::ZERO, |(since, _)| *since);
    let end = steps.period().unwrap_or(last + Duration::from_secs(1));
    let ends = points.iter().skip(1).map(|(since, _)| *since).chain([end]);
    let mut sum = 0.0;
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for ((since, step), end) in points.iter().zip(ends) {
        let value = value(*step);
        sum += value * (end - *since).as_secs_f64();
        least = least.min(value);
        most = most.max(value);
    }
    let length = end.as_secs_f64();
    (length, Spread { mean: sum / length, least, most })
}

/// Over whole seconds; a shorter recording is one interval.
fn per_second(chances: &DeliveryOpportunities) -> (f64, Spread) {
    let length = chances.period().as_secs_f64();
    let mean = chances.mean_rate().bits_per_second() as f64 / 1e6;
    let mut seconds = vec![0_u64; length as usize];
    let end = Instant::ZERO + chances.period();
    let mut at = Instant::ZERO;
    loop {
        let next = chances.next_after(at);
        if next.at > end {
            break;
        }
        if let Some(second) = seconds.get_mut((next.at.as_nanos().saturating_sub(1) / 1_000_000_000) as usize)
        {
            *second += next.bytes;
        }
        at = next.at;
    }
    let rates = || seconds.iter().map(|bytes| *bytes as f64 * 8.0 / 1e6);
    let least = rates().reduce(f64::min).unwrap_or(mean);
    let most = rates().reduce(f64::max).unwrap_or(mean);
    (length, Spread { mean, least, most })
}

#[cfg(test)]
mod tests {
    use super::super::{Recognised, Recording, recognise};

    fn read(text: &str) -> Result<Recognised, String> {
        let recording = Recording::from_bytes("it", text.as_bytes()).unwrap();
        recognise(&recording).map_err(|errors| errors.iter().map(|(_, error)| format!("{error}\n")).collect())
    }

    #[test]
    fn a_recording_is_described_by_its_values() {
        let delays = read("20.5\n30.5\n40.5\n30.5\n").unwrap();
        assert_eq!(
            (delays.format, delays.summary.as_str()),
            ("delay-series", "40 ms, one-way delay 30.5 ms on average (20.5 to 40.5)")
        );
        let chances: String = (1..=2000).map(|time| format!("{time}\n")).collect();
        let chances = read(&chances).unwrap();
        assert_eq!(
            (chances.format, chances.summary.as_str()),
            ("mahimahi", "2 s, capacity 12.0 Mbit/s on average (12.0 to 12.0)")
        );
        let chances: String = (1..=9700).map(|time| format!("{time}\n")).collect();
        let summary = read(&chances).unwrap().summary;
        assert!(summary.starts_with("9.7 s, capacity"), "{summary}");
        let path = read("1$[1,2,3]$1$[0.01,0.01]$0.02\n2$[1,4,3]$1$[0.02,0.02]$0.04\n");
        assert!(path.is_err() || path.unwrap().format == "leoem");
    }

    #[test]
    fn what_no_network_does_is_refused() {
        let seconds = read("0.0205\n0.0305\n0.0405\n").unwrap_err();
        assert!(seconds.contains("if the values are seconds, multiply them by 1000"), "{seconds}");
        let constant = read("20.5\n20.5\n20.5\n").unwrap_err();
        assert!(constant.contains("a constant delay is one_way_delay"), "{constant}");
        let whole = read(&"20\n".repeat(100_000)).unwrap_err();
        assert!(whole.contains("Mbit/s on average") && whole.contains("a constant delay"), "{whole}");
        let micros = read("20500.5\n30500\n").unwrap_err();
        assert!(micros.contains("divide them by 1000"), "{micros}");
    }
}
