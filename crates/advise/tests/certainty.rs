//! What may be said for sure, and what may not.

mod common;

use common::{answer, words};
use seamline_advise::advice::{Bound, Verdict};
use seamline_advise::{Question, QuestionWords, effort, to_text};

/// The flow is CUBIC, for which Demo-Vegas changes nothing but some bytes of options: microseconds, the same under all seeds.
#[test]
fn microseconds_are_no_reason_to_deploy() {
    let asked = QuestionWords {
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

/// Half a millisecond better counts for nothing beside not having to foresee the handover.
#[test]
fn what_is_hardly_better_must_not_demand_more() {
    let asked = QuestionWords {
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

/// Two links that are alike, and nothing lost between them: a difference of a few packets in a minute, and more seeds would not help.
#[test]
fn a_difference_that_counts_for_nothing_is_called_so() {
    let link = "rate=1 Mbit/s, round_trip=40 ms";
    let asked = QuestionWords {
        interruption: "0 s",
        file: None,
        horizon: Some("60 s"),
        forward: Some("100 packets"),
        ..words(link, link)
    };
    let (_, advice) = answer(&asked);
    assert_eq!((advice.verdict.clone(), advice.deploy.clone()), (Verdict::NoClearDifference, None));
    let text = to_text(&advice);
    assert!(text.contains("That is less than 1 % of staying, and counts for nothing."), "{text}");
    assert!(!text.contains("More seeds would tell more"), "{text}");
}

/// 300 kB over a link that loses every second packet are not there after ten minutes: all that is known is "longer".
#[test]
fn a_stay_that_never_ends_is_no_number() {
    let asked = QuestionWords { interruption: "1 s", file: Some("300 kB"), ..words(HOPELESS, "wifi") };
    let (_, advice) = answer(&asked);
    assert_eq!(advice.stays_incomplete, 3);
    assert_eq!((advice.stays.low, advice.stays.high), (None, None));
    let text = to_text(&advice);
    assert!(text.contains("(stays)                at least "), "{text}");
    assert!(text.contains("  3 of 3 runs of staying, 0 runs of the handover as asked and 0 probes of bounds ended without the whole file"), "{text}");
    for scheme in &advice.schemes {
        assert!(scheme.longest_interruption.is_none() && scheme.shortest_stay.is_none(), "{scheme:?}");
        assert!(scheme.gain.is_none_or(|gain| gain.low.is_none()), "{scheme:?}");
        assert!(!(scheme.gains && scheme.incomplete > 0), "{scheme:?}");
    }
    match advice.verdict {
        Verdict::HandOver => assert!(text.contains("is there at least "), "{text}"),
        Verdict::NoClearDifference => {}
        other => panic!("{other:?}: {text}"),
    }
    assert!(!text.contains("NaN"), "{text}");
}

const HOPELESS: &str = "rate=1 Mbit/s, round_trip=50 ms, loss=50 %";

/// When both links are hopeless, nothing is known at all.
#[test]
fn two_hopeless_links_have_no_difference() {
    let asked = QuestionWords { interruption: "1 s", file: Some("300 kB"), ..words(HOPELESS, HOPELESS) };
    let (_, advice) = answer(&asked);
    assert_eq!((advice.stays_incomplete, advice.verdict.clone()), (3, Verdict::NoClearDifference));
    let text = to_text(&advice);
    assert!(
        text.starts_with("No clear difference: runs end without the file, both on old link alone"),
        "{text}"
    );
}

/// Seeds that lose nothing are done when the handover begins, others go on for seconds: the search reaches as far as these.
#[test]
fn the_search_reaches_as_far_as_the_slowest_seed() {
    let asked = QuestionWords {
        interruption: "200 ms",
        file: Some("200 kB"),
        at: Some("4.5706 s"),
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

/// Half a minute of runs at 166 Mbit/s: as few probes as there are kinds of, but never fewer than three seeds.
#[test]
fn long_runs_are_searched_with_fewer_probes() {
    let asked = |horizon| {
        let long =
            QuestionWords { file: None, horizon: Some(horizon), seeds: 10, ..words("starlink", "5g-nsa") };
        let found = effort(&Question::read(&long).unwrap());
        (found.grid, found.halvings, found.seeds)
    };
    assert_eq!(asked("20 s"), (3, 2, 3));
    let (grid, halvings, seeds) = asked("1 s");
    assert!(grid > 3 && halvings > 2 && seeds >= 3, "{grid} {halvings} {seeds}");
}
