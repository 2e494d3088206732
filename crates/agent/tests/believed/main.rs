//! Only what an agent believes changes anything, field by field. Who knows the addresses and ports of a connection, and nothing else, sends segments of
//! all kinds from both sides with wrong numbers and an invented link header; then what is printed of the agent is compared, and no field differs but
//! those that count and hold disbelief. Each field has to change in the course of the genuine connection, so that none is compared in vain.

mod fields;
mod story;
mod subject;

use fields::Fields;
use seamline_agent::{ALL, Side};
use seamline_wire::Instant;
use std::collections::BTreeSet;
use story::{forged, forged_by_both, story};
use subject::{Subject, subjects};

/// What counts segments that are not believed, claims that the other side has not confirmed, and which connection was looked for last.
const OF_DISBELIEF: [&str; 4] = ["counters.packets", "counters.implausible", ".guard.claims", "last_found"];

/// An endpoint of a split connection answers what it does not accept: it counts that, keeps its answers apart, and offers what it has room for by then.
const OF_ENDPOINTS: [&str; 5] = [
    ".segments_received",
    ".duplicate_segments_received",
    ".last_arrival",
    ".challenge",
    ".receiver.offered_edge",
];

/// The round trips of a handshake are not measured where a forged segment has come between: none is better than one that may be wrong.
const OF_ROUND_TRIPS: [&str; 2] = ["measuring.all.round_trips.", "measuring.flows.directions.round_trip."];

/// How windows are scaled is not known where a forged SYN has come after the genuine one: then the agent allows for what is common.
const OF_SCALES: &str = ".guard.directions.shift";

/// What is set once and stays; handovers and tunnels, which have tests of their own; the inside of endpoints, and what follows a reset; and what a kind has only
/// because another one needs it.
const CONSTANT: [&str; 35] = [
    " .measuring",
    ".measuring.acts",
    ".inside_tunnels",
    ".is_confirming",
    ".only_from_beginning",
    ".limits.bytes",
    ".limits.connections",
    ".limits.idle",
    ".make",
    ".guard",
    ".held",
    ".held.wired",
    ".held.wireless",
    ".parameters.",
    ".held.parameters",
    ".held.id",
    ".held.shares",
    ".held.shares.poisoned",
    ".shared.",
    ".held.part.first_window",
    ".held.part.opener",
    ".held.part.lingers_until",
    ".endpoints.",
    ".granularity",
    ".initial_timeout",
    ".minimum_timeout",
    ".sample_weight",
    " .passed",
    ".passed.unsure_until",
    ".is_new_here",
    ".tunnels.",
    "m-tcp slots.0.held.round_trip.backed_off",
    "obtcp slots.0.held.store.listed.is_used",
    "obtcp slots.0.held.store.listed.ranges",
    "obtcp slots.0.held.store.timeout",
];

fn is_constant(field: &str) -> bool {
    CONSTANT.iter().any(|it| if it.ends_with('.') { field.contains(it) } else { field.ends_with(it) })
}

fn is_one_of(field: &str, these: &[&str]) -> bool {
    these.iter().any(|it| field.contains(it))
}

/// Everything that may be forged at this time is, from both sides.
fn attack(subject: &mut Subject, now: Instant, after: &str) {
    let before = Fields::of(&subject.agent);
    let by_both = if subject.confirms() { forged_by_both(subject.known()) } else { Vec::new() };
    for it in forged(subject.known(), true).into_iter().chain(by_both) {
        let sent = subject.pass(now, &it, true);
        let is_left_alone = sent.iter().all(|other| other.is_like(&it)) && sent.len() <= 1;
        assert!(is_left_alone || subject.has_endpoints, "{}: {it:?} makes {sent:?}", subject.name);
    }
    let changed: Vec<String> = before
        .changed(&Fields::of(&subject.agent))
        .into_iter()
        .filter(|field| !is_one_of(field, &OF_DISBELIEF))
        .filter(|field| !subject.has_endpoints || !is_one_of(field, &OF_ENDPOINTS))
        .collect();
    assert!(changed.is_empty(), "{}: {changed:#?} changed by what is forged after {after}", subject.name);
}

#[test]
fn no_field_changes_by_what_is_not_believed_and_each_by_what_is() {
    let (mut all, mut changed) = (BTreeSet::new(), BTreeSet::new());
    for mut subject in subjects() {
        for (now, event) in story() {
            let before = Fields::of(&subject.agent);
            subject.pass(now, &event, false);
            let after = Fields::of(&subject.agent);
            changed.extend(before.became(&after).iter().map(|field| subject.own(field)));
            all.extend(after.with_values().map(|field| subject.own(field)));
            if subject.is_open() {
                attack(&mut subject, now, &format!("{event:?}"));
            }
        }
    }
    let expected = |field: &&String| !is_constant(field) && !is_one_of(field, &OF_DISBELIEF);
    let unchanged: Vec<&String> = all.difference(&changed).filter(expected).collect();
    assert!(unchanged.is_empty(), "nothing genuine changes {unchanged:#?}");
}

/// Before anything can be believed: the connection is as if nobody had forged anything as soon as it is known. One who sends from both sides can begin a
/// connection of his own in its place.
#[test]
fn what_is_forged_in_a_handshake_leaves_nothing() {
    for forger in Side::BOTH {
        for (mut subject, mut alone) in subjects().zip(subjects()).filter(|(it, _)| it.confirms()) {
            for (now, event) in story().into_iter().take(20) {
                let attacks = if subject.is_open() { Vec::new() } else { forged(subject.known(), false) };
                for it in attacks.into_iter().filter(|it| it.from() == Some(forger)) {
                    subject.pass(now, &it, true);
                }
                subject.pass(now, &event, false);
                alone.pass(now, &event, false);
                let is_known = alone.is_open();
                let differ = Fields::of(&subject.agent).changed(&Fields::of(&alone.agent));
                let differ = differ.iter().filter(|it| is_known && !it.contains(OF_SCALES));
                let differ =
                    differ.filter(|it| !is_one_of(it, &OF_DISBELIEF) && !is_one_of(it, &OF_ROUND_TRIPS));
                let differ: Vec<&String> = differ.collect();
                assert!(
                    differ.is_empty(),
                    "{}, {forger:?}: {differ:#?} differ after {event:?}",
                    subject.name
                );
            }
            assert!(alone.is_open(), "{}", subject.name);
            let (forged, genuine) = (subject.round_trips(), alone.round_trips());
            assert!(forged.into_iter().zip(genuine).all(|(forged, genuine)| forged <= genuine));
        }
    }
}

#[test]
fn every_kind_is_attacked() {
    let names: BTreeSet<&str> = subjects().map(|it| it.name).collect();
    assert!(ALL.iter().all(|kind| names.contains(kind.name)), "{names:?}");
    let events = story();
    for side in Side::BOTH {
        assert!(events.iter().any(|(_, it)| it.from() == Some(side)));
    }
}
