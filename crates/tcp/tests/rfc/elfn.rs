//! Explicit link failure notification (Holland and Vaidya 1999, section 6).

use crate::script::*;
use seamline_tcp::NetworkError;
use seamline_wire::Duration;

/// Ten segments left at 1000 ms, whose first one is reported at 1020 ms as undeliverable.
fn notified(variant: &str) -> Script {
    let mut script = Script::moving(plain(|_| {}), variant, "elfn");
    script.at(1000).supply(30_000).expect_run(1..10_001, 1000);
    script.at(1020).icmp(1, NetworkError::Unreachable).expect_nothing();
    script
}

/// The sender disables its timer, and probes every two seconds with its first outstanding segment.
#[test]
fn it_stands_by_and_probes() {
    for variant in ["tahoe", "newreno", "sack", "vegas"] {
        let mut script = notified(variant);
        let window = script.endpoint.sample().congestion_window;
        for probe in 1..20 {
            script.at(1020 + probe * 2000).expect(data(1..1001)).expect_nothing();
        }
        script.window_is(window);
        assert_eq!(script.endpoint.statistics().sender.timeouts, 0, "{variant}");
        assert_eq!(script.endpoint.sample().backoff, 1, "{variant}");
    }
}

/// An acknowledgment ends it: the window is what it was, and the timer runs again.
#[test]
fn an_acknowledgment_ends_it() {
    let mut script = notified("newreno");
    script.at(3020).expect(data(1..1001));
    script.at(3120).inject(ack(1001)).expect_run(10_001..12_001, 1000).expect_nothing().window_is(11.0);
    script.timeout_is(1000).at(4119).expect_nothing().at(4120).expect(data(1001..2001)).window_is(1.0);
}

/// What is reported again while it stands by changes nothing; after it has ended, it begins again.
#[test]
fn one_failure_is_one_standby() {
    let mut script = notified("newreno");
    script.at(2000).icmp(1, NetworkError::Unreachable).at(3020).expect(data(1..1001));
    script.icmp(1, NetworkError::Unreachable).at(5020).expect(data(1..1001));
    script.at(5120).inject(ack(1001)).take();
    script.at(5200).icmp(1001, NetworkError::Unreachable).at(7199).expect_nothing();
    script.at(7200).expect(data(1001..2001));
}

/// A report about a segment that is not outstanding is a stranger's guess (RFC 5927 section 4.1).
#[test]
fn a_guess_is_ignored() {
    let mut script = Script::moving(plain(|_| {}), "newreno", "elfn");
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1020).icmp(20_001, NetworkError::Unreachable).at(2000).expect(data(1..1001));
}

/// The interval is a parameter; and an acknowledgment that was on its way ends the standby without a probe.
#[test]
fn the_interval_can_be_set() {
    let parameters = plain(|p| p.handover.elfn.probe_interval = Duration::from_millis(500));
    let mut script = Script::moving(parameters, "newreno", "elfn");
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1020).icmp(5001, NetworkError::Unreachable).at(1100).inject(ack(5001)).expect_nothing();
    script.at(1150).icmp(5001, NetworkError::Unreachable).at(1650).expect(data(5001..6001));
}

/// Without the scheme the sender only takes note (RFC 9293 section 3.9.2.2).
#[test]
fn without_the_scheme_nothing_changes() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1020).icmp(1, NetworkError::Unreachable).at(2000).expect(data(1..1001));
}
