//! What becomes of a congestion window that is not used: while nothing is outstanding (RFC 5681 section 4.1,
//! and what Linux and ns-2 do instead), and while the application supplies too little (RFC 2861 as Linux has
//! it). The retransmission timeout is 1000 ms throughout, its minimum.

use crate::script::*;
use seamline_tcp::parameters::{IdleRestart, Parameters};

/// Slow start over a path of 100 ms, until all of `segments` segments are acknowledged at 200 ms; the last
/// left at 200 ms, too.
fn grown(segments: u32, parameters: Parameters) -> Script {
    let mut script = Script::established(parameters, "newreno");
    script.supply(u64::from(segments) * 1000).expect_run(1..10_001, 1000).at(200);
    for acknowledged in 1..=segments - 1 {
        script.inject(ack(acknowledged * 1000 + 1));
        script.take();
    }
    script.inject(ack(segments * 1000 + 1)).timeout_is(1000);
    script
}

/// RFC 5681 section 4.1: after idling for longer than the retransmission timeout the window is the initial
/// one again at most; a shorter pause changes nothing.
#[test]
fn idle_connection_restarts() {
    for (pause, window) in [(900, 20.0), (1000, 20.0), (1001, 10.0), (5000, 10.0)] {
        let mut script = twenty(IdleRestart::RestartWindow);
        script.window_is(20.0).at(200 + pause).supply(30_000).window_is(window);
        assert_eq!(script.take().len(), window as usize);
    }
}

/// A window of twenty segments: thirty are supplied, and the first ten acknowledgments find more to send.
/// After them twenty are outstanding and nothing waits, so the window grows no more.
fn twenty(idle_restart: IdleRestart) -> Script {
    grown(30, plain(|p| p.window.idle_restart = idle_restart))
}

#[test]
fn kept_window_survives_idling() {
    let mut script = twenty(IdleRestart::Keep);
    script.at(60_200).supply(30_000).window_is(20.0).expect_run(30_001..50_001, 1000);
}

/// Linux, tcp_cwnd_restart: 70 segments make the window 40 = 10 + 30 (of which 30 find more to send). It
/// halves as soon as more than one timeout has passed, and again with more than two, but not below 10. What
/// the threshold remembers is at least three quarters: it stays infinite.
#[test]
fn idle_window_decays() {
    for (pause, window) in [(1000, 40.0), (1001, 20.0), (2000, 20.0), (2001, 10.0), (9000, 10.0)] {
        let mut script = grown(70, plain(|p| p.window.idle_restart = IdleRestart::Decay));
        script.window_is(40.0).at(200 + pause).supply(50_000).window_is(window).threshold_is(f64::INFINITY);
        assert_eq!(script.take().len(), window as usize);
    }
}

/// The same above the threshold: of a window of w the threshold keeps 3/4 w, so that slow start leads back to
/// it. The window here, begun at 2, is somewhere above 4 after eight round trips of congestion avoidance.
#[test]
fn decayed_window_is_remembered() {
    let mut script = Script::established(
        plain(|p| {
            p.window.initial = 2.0;
            p.window.initial_threshold = 2.0;
            p.window.idle_restart = IdleRestart::Decay;
        }),
        "newreno",
    );
    script.supply(1_000_000);
    let (mut acknowledged, mut sent) = (0, script.take().len() as u32);
    for round in 2..10 {
        script.at(round * 100);
        let flight_end = sent;
        while acknowledged < flight_end {
            acknowledged += 1;
            script.inject(ack(acknowledged * 1000 + 1));
        }
        sent += script.take().len() as u32;
    }
    script.endpoint.cut_supply();
    script.at(1000).inject(ack(sent * 1000 + 1));
    let before = script.endpoint.sample().congestion_window;
    assert!((4.0..10.0).contains(&before), "{before}");
    script.at(900 + 1001).supply(20_000).window_is((before / 2.0).max(2.0)).threshold_is(0.75 * before);
    script.take();
}

/// ns-2 2.35 with its defaults: 60 packets over 100 ms, last acknowledgment at 0.72851 s, and at 0.92851 s, with
/// a timeout of 200 ms, cwnd_ is 1.000; ssthresh_ is still 64. The packets supplied at 4 s leave one by one, two
/// and two, four, as in slow start. The pause counts from the acknowledgment, not from what was sent last.
#[test]
fn idle_window_of_ns2_is_one_segment() {
    for (pause, window) in [(999, 20.0), (1000, 1.0), (3000, 1.0)] {
        let mut script =
            Script::established(plain(|p| p.window.idle_restart = IdleRestart::OneSegment), "newreno");
        script.supply(30_000).expect_run(1..10_001, 1000).at(200);
        for acknowledged in 1..=10 {
            script.inject(ack(acknowledged * 1000 + 1));
        }
        script.take();
        script.at(700).inject(ack(30_001)).window_is(20.0);
        script.at(700 + pause).supply(30_000).window_is(window).threshold_is(f64::INFINITY);
        assert_eq!(script.take().len(), window as usize);
    }
}

/// A window that decays when it is not used; nothing is done about idling.
fn application_limited(segments: u32) -> Script {
    let parameters = plain(|p| {
        p.window.idle_restart = IdleRestart::Keep;
        p.window.application_limited_decay = true;
    });
    grown(segments, parameters)
}

/// Linux, tcp_cwnd_validate. The window of 20 was confirmed last by the acknowledgment at 200 ms. Three segments
/// at 700 ms do not fill it, and neither do two more at 1200 ms, when the timeout of 1000 ms has passed: used is
/// max(5, 10), and the window (20 + 10) / 2. One segment before the timeout has passed changes nothing.
#[test]
fn application_limited_window_decays() {
    let mut script = application_limited(30);
    script.window_is(20.0).at(700).supply(3000).expect_run(30_001..33_001, 1000).window_is(20.0);
    script.at(1199).supply(1000).expect_run(33_001..34_001, 1000).window_is(20.0);
    script.at(1200).supply(1000).expect_run(34_001..35_001, 1000).window_is(15.0).threshold_is(f64::INFINITY);
    // The next timeout counts from here; an acknowledgment restarts it.
    script
        .at(1300)
        .inject(ack(35_001))
        .at(2250)
        .supply(1000)
        .expect_run(35_001..36_001, 1000)
        .window_is(15.0);
}

/// The same with a window of 40, of which 18 are used: (40 + 18) / 2.
#[test]
fn decay_stops_at_what_is_used() {
    let mut script = application_limited(70);
    script.window_is(40.0).at(700).supply(9000).expect_run(70_001..79_001, 1000);
    script.at(1100).supply(8000).expect_run(79_001..87_001, 1000);
    script.at(1200).supply(1000).expect_run(87_001..88_001, 1000).window_is(29.0);
}

/// A window that has been full is confirmed: twenty segments at 700 ms fill it. And in slow start more than half
/// of it is enough (tcp_is_cwnd_limited), as the next acknowledgments may double it.
#[test]
fn full_window_does_not_decay() {
    for segments in [11, 20] {
        let mut script = application_limited(30);
        script.at(700).supply(segments * 1000).expect_run(30_001..30_001 + segments as u32 * 1000, 1000);
        script.at(1250).supply(1000).window_is(20.0);
        script.take();
    }
}

/// Nothing decays where a loss is being made good: three segments at 700 ms, and a duplicate acknowledgment.
#[test]
fn window_does_not_decay_in_disorder() {
    let mut script = application_limited(30);
    script.at(700).supply(3000).expect_run(30_001..33_001, 1000);
    script.at(800).inject(ack(30_001)).at(1200).supply(2000).expect_run(33_001..35_001, 1000).window_is(20.0);
}
