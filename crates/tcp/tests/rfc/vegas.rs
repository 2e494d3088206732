//! Vegas (Brakmo and Peterson, IEEE JSAC 13(8), 1995): exact times, segments and windows. The path without
//! queues takes 100 ms; alpha = 1, beta = 3, gamma = 1. Segments are counted from zero.

use crate::script::*;
use seamline_tcp::Parameters;
use seamline_tcp::handover::ResumeWith;
use seamline_wire::Mark;

fn beginning_with(segments: f64) -> Parameters {
    plain(|p| {
        p.window.initial = segments;
        p.window.initial_bytes = f64::INFINITY;
    })
}
fn segment(n: u32) -> Seg {
    data(n * 1000 + 1..n * 1000 + 1001)
}
/// The acknowledgment of everything before segment `n`.
fn up_to(n: u32) -> Seg {
    ack(n * 1000 + 1)
}

/// A flow without losses: each round acknowledges, one by one, what the round before has sent.
struct Rounds {
    script: Script,
    acknowledged: u32,
    sent: u32,
}

impl Rounds {
    fn begin(initial: u32, threshold: f64) -> Self {
        let mut parameters = beginning_with(f64::from(initial));
        parameters.window.initial_threshold = threshold;
        let mut script = Script::established(parameters, "vegas");
        script.at(1000).supply(1_000_000).expect_run(1..1 + initial * 1000, 1000).expect_nothing();
        Rounds { script, acknowledged: 0, sent: initial }
    }
    /// `round_trip` milliseconds after the last round; as many new segments leave as the window then holds.
    fn round(&mut self, round_trip: u64, window: u32) -> &mut Self {
        let (until, after) = (self.sent, self.sent + window);
        self.script.after(round_trip);
        while self.acknowledged < until {
            self.acknowledged += 1;
            self.script.inject(up_to(self.acknowledged));
            while self.sent < after.min(self.acknowledged + self.window()) {
                self.script.expect(segment(self.sent));
                self.sent += 1;
            }
            self.script.expect_nothing();
        }
        assert_eq!(self.sent, after, "at {} ms", self.script.millis());
        self.script.window_is(f64::from(window));
        self
    }
    fn window(&self) -> u32 {
        self.script.endpoint.sample().congestion_window as u32
    }
}

/// Section 3.3: the window doubles every other round-trip time, and is compared in between. The round of 16
/// that takes 150 ms has 16 - 16 * 100 / 150 = 5.3 segments in queues when the next one compares, more than
/// gamma: slow start ends, and the window falls by an eighth. Of 14, 4.7 are queued, more than beta: one
/// less.
#[test]
fn slow_start_doubles_every_other_round_until_a_queue_builds_up() {
    let mut flow = Rounds::begin(2, f64::INFINITY);
    flow.round(100, 2).round(100, 4).round(100, 4).round(100, 8).round(100, 8).round(100, 16);
    flow.round(150, 16).round(150, 14);
    flow.script.threshold_is(2.0);
    flow.round(150, 13);
}

/// Section 3.2: once in a round-trip time W - W * 100 / RTT is compared with alpha = 1 and beta = 3. Slow
/// start ends at ssthresh = 8. A round of 8 at 125 ms has 1.6 in queues: stay. Then at 100 ms none: one more.
/// 9 at 145 ms have 2.8: stay. 9 at 200 ms have 4.5: one less. 8 at 125 ms have 1.6: stay.
#[test]
fn window_keeps_one_to_three_segments_in_queues() {
    let mut flow = Rounds::begin(4, 8.0);
    flow.round(100, 4).round(125, 8).round(100, 8).round(145, 9).round(200, 9).round(125, 8).round(125, 8);
}

/// Eight segments leave at 1000 ms; the first is acknowledged at 1100 ms and lets the ninth leave. Segment 1
/// is lost.
///
/// The paper gives no formula for the fine-grained timeout; ns-2's is (SRTT + 2 RTTVAR) * 17 / 16. RTTVAR
/// begins with a quarter of the round-trip time, and a first sample that agrees leaves three quarters of it:
/// (100 + 2 * 18.75) * 17 / 16 = 146.09 ms.
fn segment_one_is_lost(parameters: Parameters) -> Script {
    let mut script = Script::established(parameters, "vegas");
    script.at(1000).supply(100_000).expect_run(1..8_001, 1000).expect_nothing();
    script.at(1100).inject(up_to(1)).expect(segment(8)).expect_nothing().window_is(8.0);
    script
}

/// Section 3.1: the first duplicate retransmits when the segment has waited longer than the fine-grained
/// timeout. The window falls by a quarter, to 6, and one duplicate inflates it.
#[test]
fn first_duplicate_after_the_fine_timeout_retransmits() {
    let mut script = segment_one_is_lost(beginning_with(8.0));
    script.at(1147).inject(up_to(1)).expect(segment(1)).expect_nothing().window_is(7.0);
}

/// The same, but the first duplicate comes at 1145 ms, a millisecond too early; the second retransmits. The
/// next new acknowledgment takes the inflation back, which leaves 6.
#[test]
fn duplicate_before_the_fine_timeout_waits() {
    let mut script = segment_one_is_lost(beginning_with(8.0));
    script.at(1145).inject(up_to(1)).expect_nothing().window_is(8.0);
    script.at(1147).inject(up_to(1)).expect(segment(1)).expect_nothing().window_is(8.0);
    script.at(1148).inject(up_to(1)).expect(segment(9)).expect_nothing().window_is(9.0);
    script.at(1247).inject(up_to(8)).expect_run(10_001..14_001, 1000).expect_nothing().window_is(6.0);
}

/// Section 3.1: the third duplicate retransmits whatever the clock says. The window falls from 8 to 6, a loss
/// among the very first segments included, and three duplicates inflate it: segment 9 leaves.
#[test]
fn third_duplicate_retransmits_at_once() {
    let mut script = segment_one_is_lost(beginning_with(8.0));
    script.at(1101).inject_times(2, up_to(1)).expect_nothing().window_is(8.0);
    script.inject(up_to(1)).expect(segment(1)).expect(segment(9)).expect_nothing().window_is(9.0);
}

/// ns-2 does not cut the window for what left at the very first instant.
#[test]
fn first_burst_can_be_spared() {
    let mut parameters = beginning_with(8.0);
    parameters.ns2().vegas.spares_first_burst = true;
    let mut script = segment_one_is_lost(parameters);
    script.at(1101).inject_times(3, up_to(1)).expect(segment(1)).expect_nothing().window_is(8.0);
}

/// Section 3.1: the first and the second new acknowledgment after a retransmission look at the clock again,
/// the third does not; and the window falls only for a segment sent after the last cut. Segments 1 to 4 are
/// lost: 2 and 3 go again without a duplicate, 4 on the first duplicate, and the window of 6 is not cut
/// again.
#[test]
fn further_losses_of_a_window_retransmit_early_and_cut_once() {
    let mut script = segment_one_is_lost(beginning_with(8.0));
    script.at(1101).inject_times(3, up_to(1)).expect(segment(1)).expect(segment(9)).window_is(9.0);
    script.at(1200).inject(up_to(1)).expect(segment(10)).expect_nothing().window_is(10.0);
    script.at(1201).inject(up_to(2)).expect(segment(2)).expect_nothing().window_is(6.0);
    script.at(1301).inject(up_to(3)).expect(segment(3)).expect_nothing().window_is(6.0);
    script.at(1401).inject(up_to(4)).expect_nothing().window_is(6.0);
    script.at(1402).inject(up_to(4)).expect(segment(4)).expect_nothing().window_is(6.0);
}

/// Section 3.1 with the coarse timer of Reno: ssthresh = 8 / 2, and slow start begins from two segments, at
/// first for a round without growth.
#[test]
fn coarse_timeout_begins_again_from_two_segments() {
    let mut script = Script::established(beginning_with(8.0), "vegas");
    script.at(1000).supply(100_000).expect_run(1..8_001, 1000).expect_nothing();
    script.at(2000).expect_run(1..2001, 1000).expect_nothing().window_is(2.0).threshold_is(4.0);
    script.at(2100).inject(up_to(1)).expect(segment(2)).inject(up_to(2)).expect(segment(3)).window_is(2.0);
    script.at(2200).inject(up_to(3)).expect_run(4001..6001, 1000).expect_nothing().window_is(3.0);
    script.inject(up_to(4)).expect_run(6001..8001, 1000).expect_nothing().window_is(4.0);
}

/// After a move the sender goes back, and what it had sent before has arrived after all: acknowledgments of it end a round within a
/// millisecond, in which nothing was sent only once. That is no round-trip time. Took it for one, BaseRTT would be 1 ms for good, and
/// the window fall to two segments; in ns-2 it does.
#[test]
fn a_round_of_retransmissions_is_no_round_trip_time() {
    for (takes_any, window_after) in [(false, 20.0..=40.0), (true, 2.0..=3.0)] {
        let mut parameters = beginning_with(8.0);
        parameters.window.initial_threshold = 8.0;
        parameters.ns2().vegas.samples_retransmitted_rounds = takes_any;
        parameters.handover.ehn.resume_with = ResumeWith::SlowStart;
        let mut script = Script::moving(parameters, "vegas", "ehn");
        script.at(1000).supply(10_000_000).expect_run(1..8001, 1000);
        let mut sent = 8;
        round(&mut script, 0, &mut sent, 100);
        let first = sent;
        round(&mut script, 8, &mut sent, 100);
        script.after(300).inject(up_to(first).mark(Mark::Handover)).take();
        // What was sent again has arrived, and a moment later all that were sent before do.
        for (after, segments) in [(100, 2), (1, 4), (1, 8)] {
            script.after(after).inject(up_to(first + segments));
            sent = sent.max(next(&mut script));
        }
        let mut acknowledged = first + 8;
        for _ in 0..20 {
            let until = sent; // a path without queues: one segment more in each round
            round(&mut script, acknowledged, &mut sent, 100);
            acknowledged = until;
        }
        let window = script.endpoint.sample().congestion_window;
        assert!(window_after.contains(&window), "{takes_any}: {window}");
    }
}

/// `millis` later everything that was sent is acknowledged, one by one; `sent` is then the end of what has left since.
fn round(script: &mut Script, acknowledged: u32, sent: &mut u32, millis: u64) {
    let until = *sent;
    script.after(millis);
    for n in acknowledged + 1..=until {
        script.inject(up_to(n));
        *sent = (*sent).max(next(script));
    }
}

/// The end of what has just left, in segments.
fn next(script: &mut Script) -> u32 {
    script.take().iter().map(|segment| segment.sequence / 1000 + 1).max().unwrap_or(0)
}
