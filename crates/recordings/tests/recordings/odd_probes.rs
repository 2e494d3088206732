//! Probes whose pattern is unusual, made by hand.

use seamline_recordings::measured::{Measured, Outcome, Probe};
use seamline_recordings::replay::outages::Fate;
use seamline_recordings::replay::{Replay, ReplayOptions, replay};
use seamline_wire::{Duration, Instant};

/// Probes at even distances in ms; a round trip in ms, or none.
fn replayed(distance: u64, round_trips: impl IntoIterator<Item = Option<u64>>) -> Replay {
    let probe = |(number, round_trip): (usize, Option<u64>)| {
        let answered =
            |millis| Outcome::Answered { round_trip: Duration::from_millis(millis), one_way: None };
        let outcome = round_trip.map_or(Outcome::Lost(None), answered);
        Probe { sent: Instant::from_millis(distance * number as u64), outcome }
    };
    let probes: Vec<Probe> = round_trips.into_iter().enumerate().map(probe).collect();
    let length = probes.last().unwrap().sent.saturating_since(Instant::ZERO);
    replay(&Measured { probes, length, ..Measured::default() }, ReplayOptions::default()).unwrap()
}

/// A radio that sleeps delivers the probes of each cycle together: no outage, and no work that grows with the square of the length.
#[test]
fn a_sawtooth_takes_linear_time() {
    let saw = (0..1_000_000_u64).map(|number| Some(140 - number % 5 * 10));
    assert!(replayed(10, saw).findings.outages.is_empty());
}

/// Two outages with an answer between them that nothing delayed are two.
#[test]
fn outages_that_follow_each_other_keep_their_lengths() {
    // Seconds 10 to 15 wait until 15.3 s, seconds 16 to 19 until 19.6 s.
    let wait = |second: u64| match second {
        10..=15 => 15_300 - second * 1_000,
        16..=19 => 19_600 - second * 1_000,
        _ => 0,
    };
    let outages = replayed(1_000, (0..300).map(|second| Some(40 + wait(second)))).findings.outages;
    let found: Vec<(u64, u64)> =
        outages.iter().map(|it| (it.at.as_millis(), it.length.as_millis())).collect();
    let [(first, long), (second, short)] = found[..] else { panic!("{outages:?}") };
    assert!((9_000..=10_000).contains(&first) && (5_300..=6_300).contains(&long), "{found:?}");
    assert!((15_000..=16_000).contains(&second) && (3_600..=4_600).contains(&short), "{found:?}");
}

/// A recording in which nothing came back is one outage, not a path without loss.
#[test]
fn a_recording_without_answers_is_an_outage() {
    let findings = replayed(100, [None; 50]).findings;
    let [outage] = findings.outages[..] else { panic!("{findings:?}") };
    assert_eq!((outage.fate, outage.length), (Fate::Lost, Duration::from_millis(4_900)));
}

/// Losses in a row that are shorter than the round trip are no outage of a link that loses all that is on it. They stay losses.
#[test]
fn losses_too_short_for_an_outage_stay_losses() {
    let lost = |number: u64| number % 1_000 >= 500 && number % 1_000 < 520;
    let satellite = replayed(10, (0..10_000).map(|number| (!lost(number)).then_some(600 + number % 3)));
    assert!(satellite.findings.outages.is_empty(), "{:?}", satellite.findings.outages);
    let share = satellite.findings.loss.unwrap().share;
    assert!((0.019..0.021).contains(&share), "{share}");
}

/// The clock of a host is set while it pings: probes many years apart take neither memory nor time for the years between.
#[test]
fn years_between_probes_cost_nothing() {
    let years = Duration::from_secs(50 * 366 * 86_400);
    let probe = |number: u64| {
        let later = if number < 10 { Duration::ZERO } else { years };
        let outcome = Outcome::Answered { round_trip: Duration::from_millis(40 + number % 3), one_way: None };
        Probe { sent: Instant::from_secs(number) + later, outcome }
    };
    let probes: Vec<Probe> = (0..20).map(probe).collect();
    let measured = Measured { probes, length: years, ..Measured::default() };
    let findings = replay(&measured, ReplayOptions::default()).unwrap().findings;
    assert_eq!((findings.period, findings.outages.len()), (None, 0));
}

/// An outage that loses probes first and holds those that come later is as long as both together.
#[test]
fn an_outage_that_loses_and_then_holds_is_one() {
    let round_trip = |number: u64| match number {
        500..520 => None,
        520..=549 => Some(40 + 55_000 - number * 100),
        _ => Some(40 + number % 3),
    };
    let findings = replayed(100, (0..3_000).map(round_trip)).findings;
    let [outage] = findings.outages[..] else { panic!("{findings:?}") };
    let truth = Duration::from_secs(5);
    assert!(outage.length.abs_diff(truth) <= Duration::from_millis(100), "{outage:?}");
    assert!(outage.at.as_millis().abs_diff(50_000) <= 100, "{outage:?}");
    assert!(outage.bounds.0 <= truth && truth <= outage.bounds.1, "{outage:?}");
}
