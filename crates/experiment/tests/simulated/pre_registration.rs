//! Low-latency handoffs of Mobile IPv4 by pre-registration, in scenarios.

use crate::protocols::{MOVES, bad_warnings_and_losses, handovers, ms};
use seamline_experiment::record::RunRecord;

/// How long the link layer takes for a handover.
const LAYER_2_MS: f64 = 100.0;

/// The example without its grid, with handovers that take time below IP and are announced.
fn runs(protocol: &str, lead: &str, more: &[&str]) -> Vec<RunRecord> {
    let protocol = format!("mobile.mobile.protocol={{ {protocol}, home_agent = \"home\" }}");
    let notice = format!("mobile.mobile.notice={{ lead = \"{lead}\" }}");
    crate::protocols::runs(&[&protocol, &notice, MOVES, "duration=40 s", "seeds=5"], more)
}

const EARLY: &str = "kind = \"mobile-ipv4-pre-registration\"";
const PLAIN: &str = "kind = \"mobile-ipv4\"";
const IDLE: [&str; 1] = ["flow.download.start=39.9 s"];

/// The binding has changed before the node leaves, so the interruption is that of layer 2 alone. The reply waits at the new
/// agent for a solicitation. Plain Mobile IPv4 adds up to 108 ms until an advertisement, and 113 ms to the home agent.
#[test]
fn the_interruption_is_that_of_layer_2() {
    let early = runs(EARLY, "300 ms", &IDLE);
    assert_eq!(handovers(&early).len(), 20);
    for handover in handovers(&early) {
        assert_eq!(handover.interruption_ms, Some(LAYER_2_MS), "{handover:?}");
        let answered = LAYER_2_MS + ms(28.0, 5.0) + 5.0 + ms(48.0, 5.0) + 5.0;
        let registered = handover.registered_ms.unwrap();
        assert!((registered - answered).abs() < 0.2, "{registered} {answered}");
    }
    for handover in handovers(&runs(PLAIN, "300 ms", &IDLE)) {
        let took = handover.interruption_ms.unwrap();
        assert!((LAYER_2_MS + 113.0..LAYER_2_MS + 222.0).contains(&took), "{took}");
    }
}

/// The request takes 10.4 ms for the agent's address and 119.6 ms to the home agent. A warning in between leaves the rest
/// of that time; one of 5 ms, all of it.
#[test]
fn a_late_warning_shortens_it_less() {
    let there = ms(52.0, 5.0) + 5.0 + 3.0 * (ms(52.0, 10.0) + 3.0) + 2.0 * ms(52.0, 100.0) + 105.0;
    let asked = ms(37.0, 5.0) + 5.0 + ms(57.0, 5.0) + 5.0;
    // The request is on its way when the node leaves.
    for handover in handovers(&runs(EARLY, "20 ms", &IDLE)) {
        let took = handover.interruption_ms.unwrap();
        let expected = f64::max(LAYER_2_MS, asked + there - 20.0);
        assert!((took - expected).abs() < 0.2, "{took} {expected}");
    }
    for handover in handovers(&runs(EARLY, "5 ms", &IDLE)) {
        let detected = handover.movement_detected_ms.unwrap();
        assert!(detected > LAYER_2_MS, "by an advertisement: {detected}");
        let took = handover.interruption_ms.unwrap();
        assert!((LAYER_2_MS + 113.0..LAYER_2_MS + 222.0).contains(&took), "{took}");
    }
}

/// Packets go to the new agent before the node is there. With simultaneous bindings copies of them come over the old link
/// until it leaves, and only those of the interruption are lost.
#[test]
fn simultaneous_bindings_bridge_an_early_registration() {
    let window = ["flow.download.tcp.window_limit=20"];
    let sent_again = |protocol| {
        let runs = runs(protocol, "400 ms", &window);
        runs.iter().map(|run| run.flows[0].retransmissions).sum::<u64>()
    };
    let both = sent_again("kind = \"mobile-ipv4-pre-registration\", simultaneous_bindings = \"1 s\"");
    let one = sent_again(EARLY);
    assert!(both > 0 && both + 20 < one, "{both} {one}");
}

/// With a fifth of all packets lost on the air, and warnings that are false or never come, every byte arrives.
#[test]
fn bad_warnings_and_losses_are_survived() {
    let more = bad_warnings_and_losses("300 ms");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    for run in runs(EARLY, "300 ms", &more) {
        assert_eq!(run.flows[0].delivered_bytes, 30_000, "seed {}", run.seed);
    }
}
