//! What a recording contains, in one line, and whether a network can be like that.

use crate::measured::{DelayMeaning, Delays, Direction, Probe, RateMeaning, Rates, Sample};
use crate::{ImportError, Measured, Recording};
use seamline_net::Schedule;
use seamline_net::schedule::{Capacity, DeliveryOpportunities, RateSteps, Steps};
use seamline_wire::{Duration, Instant};

/// Delays are rarely recorded where all of them are shorter.
const SHORTEST_DELAY_MS: f64 = 1.0;
/// No path is as slow as this at its fastest.
const LONGEST_DELAY_MS: f64 = 10_000.0;
/// No recording of single opportunities to send is of a faster link.
const HIGHEST_RATE_MBPS: f64 = 10_000.0;
/// What such a recording consists of.
const OPPORTUNITIES: &str = "times of opportunities to send 1500 bytes, in milliseconds";
/// What it may be instead.
const NO_TIMES: &str = "if the numbers are no times but delays or rates, use CSV with named columns";

/// Mean, minimum and maximum.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    mean: f64,
    least: f64,
    most: f64,
}

impl Spread {
    /// That of values that all count alike; `None` when there are none.
    fn of(values: &[f64]) -> Option<Self> {
        let least = values.iter().copied().reduce(f64::min)?;
        let most = values.iter().copied().reduce(f64::max)?;
        Some(Spread { mean: values.iter().sum::<f64>() / values.len() as f64, least, most })
    }

    /// That of samples, weighted by time; `None` when there are none.
    fn over_time<T: Copy>(samples: &[Sample<T>], value: impl Fn(T) -> f64) -> Option<Self> {
        let values: Vec<f64> = samples.iter().map(|it| value(it.value)).collect();
        let seconds = samples.iter().map(|it| (it.until - it.from).as_secs_f64());
        let length: f64 = seconds.clone().sum();
        let sum: f64 = values.iter().zip(seconds).map(|(value, seconds)| value * seconds).sum();
        Some(Spread { mean: sum / length, ..Spread::of(&values)? })
    }

    fn show(self, what: &str, unit: &str) -> String {
        let Spread { mean, least, most } = self;
        format!("{what} {mean:.1} {unit} on average ({least:.1} to {most:.1})")
    }
}

/// What was read, in one line: length, and mean, minimum and maximum of the values.
pub(crate) fn of(measured: &Measured) -> String {
    let mut parts = vec![shown(measured.length.as_secs_f64())];
    if let Some(conditions) = &measured.conditions {
        if conditions.down == conditions.up {
            parts.extend(of_schedule(&conditions.down, ""));
        } else {
            parts.extend(of_schedule(&conditions.down, "down "));
            parts.extend(of_schedule(&conditions.up, "up "));
        }
    }
    parts.extend(of_probes(&measured.probes));
    parts.extend(measured.rates.iter().map(of_rates));
    parts.extend(measured.delays.iter().map(of_delays));
    if !measured.handovers.is_empty() {
        parts.push(counted(measured.handovers.len(), "handover"));
    }
    parts.join(", ")
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn of_schedule(schedule: &Schedule, side: &str) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(capacity) = &schedule.capacity {
        parts.push(capacity_of(capacity).1.show(&format!("{side}capacity"), "Mbit/s"));
    }
    if let Some(delay) = &schedule.one_way_delay {
        parts.push(delay_of(delay).1.show(&format!("{side}one-way delay"), "ms"));
    }
    if let Some(loss) = &schedule.loss {
        parts.push(spread(loss, |share| share * 100.0).1.show(&format!("{side}loss"), "%"));
    }
    match schedule.handovers.as_slice().len() {
        0 => {}
        many => parts.push(format!("{side}{}", counted(many, "handover"))),
    }
    parts
}

fn of_probes(probes: &[Probe]) -> Vec<String> {
    let round_trips: Vec<f64> =
        probes.iter().filter_map(|it| Some(it.round_trip()?.as_millis_f64())).collect();
    let Some(spread) = Spread::of(&round_trips) else { return Vec::new() };
    let lost = (probes.len() - round_trips.len()) as f64 * 100.0 / probes.len() as f64;
    vec![counted(probes.len(), "probe"), spread.show("round trip", "ms"), format!("{lost:.2} % lost")]
}

fn of_rates(rates: &Rates) -> String {
    let side = if rates.direction == Direction::Down { "down" } else { "up" };
    let what = match rates.meaning {
        RateMeaning::Capacity => "capacity",
        RateMeaning::Goodput => "goodput",
        RateMeaning::Traffic => "traffic",
    };
    Spread::over_time(&rates.samples, |it| it.bits_per_second() as f64 / 1e6)
        .map_or_else(String::new, |it| it.show(&format!("{side} {what}"), "Mbit/s"))
}

fn of_delays(delays: &Delays) -> String {
    let what = match delays.meaning {
        DelayMeaning::RoundTrip => "round trip",
        DelayMeaning::OneWay(Direction::Down) => "one-way delay down",
        DelayMeaning::OneWay(Direction::Up) => "one-way delay up",
    };
    let load = if delays.loaded { " under load" } else { "" };
    Spread::over_time(&delays.samples, Duration::as_millis_f64)
        .map_or_else(String::new, |it| it.show(&format!("{what}{load}"), "ms"))
}

/// The length of a schedule, to its end or its last change.
pub(crate) fn length(schedule: &Schedule) -> Duration {
    let capacity = schedule.capacity.as_ref().map(|it| capacity_of(it).0);
    let delay = schedule.one_way_delay.as_ref().map(|it| delay_of(it).0);
    let steps = capacity.into_iter().chain(delay).map(Duration::from_secs_f64);
    let handovers = schedule.handovers.as_slice().last();
    let handovers = handovers.map(|last| last.end().saturating_since(Instant::ZERO));
    steps.chain(handovers).max().unwrap_or(Duration::ZERO)
}

/// Refuse conditions that no network has.
///
/// # Errors
/// With what is more likely.
pub(crate) fn refuse_implausible(recording: &Recording, schedule: &Schedule) -> Result<(), ImportError> {
    if let Some(capacity) = &schedule.capacity {
        refuse_rates(recording, capacity_of(capacity).1)?;
    }
    if let Some(Capacity::Opportunities(chances)) = &schedule.capacity {
        refuse_one_moment(recording, chances)?;
    }
    schedule.one_way_delay.as_ref().map_or(Ok(()), |delay| refuse_delays(recording, delay_of(delay).1))
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
    Err(recording.whole(found, OPPORTUNITIES, NO_TIMES))
}

/// A constant rate is often written as lines of `1`. Another number on all lines is rather a constant delay.
fn refuse_one_moment(recording: &Recording, chances: &DeliveryOpportunities) -> Result<(), ImportError> {
    let lines = recording.lines().count();
    let first = chances.next_after(Instant::ZERO).at;
    let last = Instant::ZERO + chances.period();
    if lines == 1 || first < last || chances.period() == Duration::from_millis(1) {
        return Ok(());
    }
    let found = format!("{lines} opportunities at {} ms and none before", chances.period().as_millis());
    Err(recording.whole(found, OPPORTUNITIES, NO_TIMES))
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
    use crate::{Recognised, Recording, recognise};

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

    /// 10 for 4 s, and 30 for 3 s: 130 / 7.
    #[test]
    fn means_are_weighted_by_time() {
        let table = read("time_s,down_mbps,rtt_ms\n0,10,10\n1,10,10\n4,30,30\n").unwrap();
        let parts: Vec<&str> = table.summary.split(", ").collect();
        let expected = [
            "7 s",
            "down goodput 18.6 Mbit/s on average (10.0 to 30.0)",
            "round trip under load 18.6 ms on average (10.0 to 30.0)",
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn what_no_network_does_is_refused() {
        let seconds = read("0.0205\n0.0305\n0.0405\n").unwrap_err();
        assert!(seconds.contains("if the values are seconds, multiply them by 1000"), "{seconds}");
        let constant = read("20.5\n20.5\n20.5\n").unwrap_err();
        assert!(constant.contains("a constant delay is one_way_delay"), "{constant}");
        let whole = read(&"20\n".repeat(100_000)).unwrap_err();
        assert!(whole.contains("Mbit/s on average") && whole.contains("a constant delay"), "{whole}");
        let constant = read(&"25\n".repeat(300)).unwrap_err();
        assert!(constant.contains("300 opportunities at 25 ms and none before"), "{constant}");
        let rate = read("1\n1\n").unwrap().summary;
        assert_eq!(rate, "1 ms, capacity 24.0 Mbit/s on average (24.0 to 24.0)");
        let micros = read("20500.5\n30500\n").unwrap_err();
        assert!(micros.contains("divide them by 1000"), "{micros}");
    }
}
