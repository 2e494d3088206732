//! Which differences count as significant.

use crate::common::{answer, words};
use seamline_advise::advice::{Bound, Verdict};
use seamline_advise::{Question, QuestionInput, effort, format_advice};

/// The flow is CUBIC, for which Demo-Vegas only adds some bytes of options: a difference of microseconds, the same
/// under all seeds.
#[test]
fn microseconds_are_no_reason_to_deploy() {
    let asked = QuestionInput {
        interruption: "1.5 s",
        stay: "3 s",
        file: Some("600 kB"),
        seeds: 4,
        ..words("geo", "lte")
    };
    let (_, advice) = answer(&asked);
    let demo = advice.scheme("demo-vegas").unwrap();
    assert!(demo.over_stock.unwrap().mean.abs() < advice.indifference, "{demo:?}");
    assert!(!demo.better_than_stock, "{demo:?}");
    assert_ne!(advice.deploy.as_deref(), Some("demo-vegas"));
    assert!((advice.indifference / advice.stays.mean - 0.01).abs() < 1e-12);
    for scheme in advice.schemes.iter().filter(|scheme| scheme.gains) {
        assert!(scheme.gain.unwrap().low.unwrap() > advice.indifference, "{scheme:?}");
    }
}

/// A gain of half a millisecond does not justify the need to predict the handover.
#[test]
fn a_negligible_gain_does_not_justify_more_requirements() {
    let asked = QuestionInput {
        interruption: "500 ms",
        stay: "2 s",
        file: Some("2 MB"),
        seeds: 5,
        ..words("lte", "wifi")
    };
    let (_, advice) = answer(&asked);
    let deployed = advice.scheme(advice.deploy.as_deref().expect("a scheme")).unwrap();
    for other in &advice.schemes {
        let behind = other.gain.unwrap().mean - deployed.gain.unwrap().mean;
        assert!(behind < 2.0 * advice.indifference, "{} is better than {}", other.name, deployed.name);
        let is_close = behind > -advice.indifference / 2.0 && other.better_than_stock;
        let is_modest = other.installed == deployed.installed && !other.needs_prediction;
        assert!(!(is_close && is_modest && deployed.needs_prediction), "{} demands less", other.name);
    }
}

/// Two equal links with forwarding between them: a difference of a few packets in a minute, which more seeds would
/// not make larger.
#[test]
fn a_negligible_difference_is_reported_as_such() {
    let link = "rate=1 Mbit/s, round_trip=40 ms";
    let asked = QuestionInput {
        interruption: "0 s",
        file: None,
        horizon: Some("60 s"),
        forward: Some("100 packets"),
        ..words(link, link)
    };
    let (_, advice) = answer(&asked);
    assert_eq!((advice.verdict.clone(), advice.deploy.clone()), (Verdict::NoClearDifference, None));
    let text = format_advice(&advice);
    assert!(text.contains("That is less than 1 % of staying and therefore negligible."), "{text}");
    assert!(!text.contains("Use more seeds"), "{text}");
}

/// 300 kB over a link that loses every second packet are not complete after ten minutes; only a lower bound is known.
#[test]
fn a_transfer_that_never_ends_has_only_a_lower_bound() {
    let asked = QuestionInput { interruption: "1 s", file: Some("300 kB"), ..words(HOPELESS, "wifi") };
    let (_, advice) = answer(&asked);
    assert_eq!(advice.stays_incomplete, 3);
    assert_eq!((advice.stays.low, advice.stays.high), (None, None));
    let text = format_advice(&advice);
    assert!(text.contains("no handover              at least "), "{text}");
    assert!(text.contains("  3 of 3 runs of staying, 0 runs of the requested handover and 0 probes of bounds ended without the whole file"), "{text}");
    for scheme in &advice.schemes {
        assert!(scheme.longest_interruption.is_none() && scheme.shortest_stay.is_none(), "{scheme:?}");
        assert!(scheme.gain.is_none_or(|gain| gain.low.is_none()), "{scheme:?}");
        assert!(!(scheme.gains && scheme.incomplete > 0), "{scheme:?}");
    }
    match advice.verdict {
        Verdict::HandOver => assert!(text.contains("arrives at least "), "{text}"),
        Verdict::NoClearDifference => {}
        other => panic!("{other:?}: {text}"),
    }
    assert!(!text.contains("NaN"), "{text}");
}

const HOPELESS: &str = "rate=1 Mbit/s, round_trip=50 ms, loss=50 %";

/// When the transfer completes on neither link, the difference is unknown.
#[test]
fn two_unusable_links_have_no_known_difference() {
    let asked = QuestionInput { interruption: "1 s", file: Some("300 kB"), ..words(HOPELESS, HOPELESS) };
    let (_, advice) = answer(&asked);
    assert_eq!((advice.stays_incomplete, advice.verdict.clone()), (3, Verdict::NoClearDifference));
    let text = format_advice(&advice);
    assert!(
        text.starts_with("No clear difference: runs end without the whole file, both on old link alone"),
        "{text}"
    );
}

/// Seeds without loss are done when the handover begins, others take seconds longer; the search range covers those.
#[test]
fn the_search_covers_the_slowest_seed() {
    let asked = QuestionInput {
        interruption: "200 ms",
        file: Some("200 kB"),
        at: Some("3.55 s"),
        seeds: 6,
        ..words("geo, loss=1 %", "wlan-802.11b")
    };
    let (_, advice) = answer(&asked);
    for scheme in &advice.schemes {
        assert!(scheme.over_interruption.iter().all(|(at, _)| *at >= 0.0), "{:?}", scheme.over_interruption);
        let furthest = scheme.over_interruption.iter().map(|(at, _)| *at).fold(0.0, f64::max);
        assert!(furthest > 0.2, "{furthest}");
        assert!(!matches!(scheme.longest_interruption, Some(Bound::Always { .. })), "{scheme:?}");
    }
}

/// Half a minute of runs at 166 Mbit/s: the quickest search, but never with fewer than three seeds.
#[test]
fn long_runs_are_searched_with_fewer_probes() {
    let asked = |horizon| {
        let long =
            QuestionInput { file: None, horizon: Some(horizon), seeds: 10, ..words("starlink", "5g-nsa") };
        let found = effort(&Question::read(&long).unwrap());
        (found.grid, found.bisections, found.seeds)
    };
    assert_eq!(asked("20 s"), (3, 2, 3));
    let (grid, bisections, seeds) = asked("1 s");
    assert!(grid > 3 && bisections > 2 && seeds >= 3, "{grid} {bisections} {seeds}");
}
