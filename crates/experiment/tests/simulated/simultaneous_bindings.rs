//! Simultaneous bindings of Mobile IPv4 in scenarios: what they save, and what they cost.

use crate::protocols::protocol;
use seamline_experiment::record::{LinkRecord, RunRecord};

const BOTH: &str = "mobile-ipv4-simultaneous-bindings";
const ONE: &str = "mobile-ipv4";

fn runs(kind: &str, more: &[&str]) -> Vec<RunRecord> {
    crate::protocols::runs(&[&protocol(kind), "flow.download.tcp.window_limit=20", "warm_up=0 s"], more)
}

fn link<'a>(run: &'a RunRecord, name: &str) -> &'a LinkRecord {
    run.links.iter().find(|link| link.name == name).unwrap()
}

fn carried(run: &RunRecord, side: &str) -> u64 {
    ["cell1", "cell2"].iter().map(|cell| link(run, &format!("{cell}/{side}")).delivered_packets).sum()
}

/// A node that goes back while both bindings hold: its old radio cell is sent copies all the time, so nothing is lost and
/// nothing is sent again. With one binding it waits for an advertisement and for the home agent, 113 ms away, and loses
/// what is sent to the wrong radio cell. When the second binding has ended by then, both are alike.
#[test]
fn a_node_that_goes_back_soon_loses_nothing() {
    let back = |seconds: &str| {
        format!(
            "mobile.mobile.movement={{ timetable = [{{ at = \"5 s\", cell = \"cell2\" }}, \
             {{ at = \"{seconds} s\", cell = \"cell1\" }}] }}"
        )
    };
    let with = |kind, seconds: &str| {
        let more = [&*back(seconds), "flow.download.start=5.45 s", "duration=12 s", "seeds=5"];
        runs(kind, &more)
    };
    for run in with(BOTH, "5.9") {
        let handover = &run.flows[0].handovers[1];
        assert_eq!(handover.interruption_ms, Some(0.0), "seed {}", run.seed);
        assert_eq!((run.flows[0].retransmissions, run.flows[0].timeouts), (0, 0), "seed {}", run.seed);
    }
    for (kind, seconds) in [(ONE, "5.9"), (BOTH, "8")] {
        for run in with(kind, seconds) {
            let handover = &run.flows[0].handovers[1];
            let took = handover.interruption_ms.unwrap();
            assert!((112.0..226.0).contains(&took), "{kind}, seed {}: {took}", run.seed);
            assert!(run.flows[0].retransmissions > 0, "{kind}, seed {}", run.seed);
        }
    }
}

/// With two radios a packet comes over both links for a second: the copies cost capacity, but the host receives each packet
/// once, so that it acknowledges as often as with one binding.
#[test]
fn copies_cost_capacity_and_are_dropped() {
    let more = [
        "mobile.mobile.movement={ every = \"5 s\", overlap = \"2 s\" }",
        "mobile.mobile.protocol.registration_lifetime=30 min",
        "duration=24 s",
        "seeds=1",
    ];
    let (both, one) = (&runs(BOTH, &more)[0], &runs(ONE, &more)[0]);
    assert_eq!(both.flows[0].handovers.len(), 4);
    for run in [both, one] {
        assert_eq!((run.flows[0].retransmissions, run.flows[0].timeouts), (0, 0));
    }
    // Four moves with a second of copies each, of 24 s.
    let copies = carried(both, "down") as f64 / carried(one, "down") as f64;
    assert!((1.08..1.25).contains(&copies), "{copies}");
    let acknowledgments = carried(both, "up").abs_diff(carried(one, "up"));
    assert!(acknowledgments * 50 < carried(one, "up"), "{acknowledgments} of {}", carried(one, "up"));
    let goodput = both.flows[0].delivered_bytes as f64 / one.flows[0].delivered_bytes as f64;
    assert!((0.98..1.02).contains(&goodput), "{goodput}");
}
