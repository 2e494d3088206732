//! Demo-Vegas (Ho, Chan and Chen 2005; paper mobility-vegas-2020, section 3): after a move of either end a sender of Vegas measures BaseRTT
//! again. The path takes 100 ms before the move, 150 ms after it.

use crate::script::*;
use seamline_wire::{Mark, Signal};

const UP: Signal = Signal::LinkUp { rate: None, round_trip_time: None };

/// A sender of Vegas in congestion avoidance, eight segments in flight, BaseRTT measured as 100 ms. Each round
/// acknowledges, one by one, what the round before has sent.
struct Flow {
    script: Script,
    acknowledged: u32,
    sent: u32,
}

impl Flow {
    fn begin(scheme: &str) -> Self {
        let parameters = plain(|p| {
            p.window.initial = 8.0;
            p.window.initial_bytes = f64::INFINITY;
            p.window.initial_threshold = 2.0;
            p.ns2().flat_headers = true; // A mark shortens no segment.
        });
        let mut script = Script::moving(parameters, "vegas", scheme);
        script.at(1000).supply(100_000_000).expect_run(1..8001, 1000);
        let mut flow = Flow { script, acknowledged: 0, sent: 8 };
        flow.round(100, 0);
        flow
    }
    /// The next round, `round_trip` milliseconds after the last, its first `marked` acknowledgments marked.
    fn round(&mut self, round_trip: u64, marked: u32) -> &mut Self {
        self.script.after(round_trip);
        let until = self.sent;
        for place in 0..until - self.acknowledged {
            self.acknowledged += 1;
            let plain = ack(self.acknowledged * 1000 + 1);
            self.script.inject(if place < marked { plain.mark(Mark::Handover) } else { plain });
            self.sent += self.script.take().len() as u32;
        }
        self
    }
    fn window(&self) -> f64 {
        self.script.endpoint.sample().congestion_window
    }
    /// Many rounds of 150 ms.
    fn settle(&mut self) -> f64 {
        for _ in 0..40 {
            self.round(150, 0);
        }
        self.window()
    }
}

/// Claim V6: a Vegas that keeps its BaseRTT d = 100 ms takes the longer way D = 150 ms for a queue, and holds its window
/// between alpha D/(D-d) = 3 and beta D/(D-d) = 9 segments.
#[test]
fn without_news_a_longer_way_is_a_queue() {
    let window = Flow::begin("ehn").settle();
    assert!((3.0..10.0).contains(&window), "{window}");
}

/// With news there is no queue, and the window grows by 1/W with each of the W acknowledgments of a round; W is whole, the
/// window is not, so that it is a little less than one.
#[test]
fn with_news_the_window_grows() {
    let mut flow = Flow::begin("demo-vegas");
    let before = flow.round(150, 3).window();
    let after = flow.settle();
    assert!((before + 32.0..=before + 40.0).contains(&after), "{before} {after}");
}

/// It measures: once 150 ms are known, rounds of 200 ms have a quarter of the window in queues. Twelve segments have three, so a
/// larger window shrinks until it holds no more than that.
#[test]
fn the_new_way_has_a_base_of_its_own() {
    let mut flow = Flow::begin("demo-vegas");
    flow.round(150, 3).settle();
    for _ in 0..80 {
        flow.round(200, 0);
    }
    assert!((11.0..13.0).contains(&flow.window()), "{}", flow.window());
}

/// Two of the three marks may be lost, and the last one does.
#[test]
fn one_mark_is_enough() {
    let mut flow = Flow::begin("demo-vegas");
    let before = flow.round(150, 1).window();
    let after = flow.settle();
    assert!((before + 32.0..=before + 40.0).contains(&after), "{before} {after}");
}

/// When all are lost, nothing but Vegas is left.
#[test]
fn without_a_mark_it_is_vegas() {
    let mut flow = Flow::begin("demo-vegas");
    assert!((3.0..=10.5).contains(&flow.settle()));
}

/// A false alarm costs one round without a comparison of rates: BaseRTT is measured again as what it was.
#[test]
fn a_false_alarm_measures_the_same() {
    let mut flow = Flow::begin("demo-vegas");
    flow.round(100, 3).round(100, 0);
    assert!((3.0..=10.5).contains(&flow.settle()));
}

/// A sender that has moved itself needs no mark; its first three segments from the new place carry one.
#[test]
fn a_moving_sender_measures_again() {
    let mut flow = Flow::begin("demo-vegas");
    flow.script.signal(UP).expect_nothing();
    let before = flow.window();
    flow.script.after(150);
    let mut marks = Vec::new();
    while flow.acknowledged < 17 {
        flow.acknowledged += 1;
        flow.script.inject(ack(flow.acknowledged * 1000 + 1));
        marks.extend(flow.script.take().iter().map(|segment| segment.mark));
    }
    flow.sent += marks.len() as u32;
    let (first, others) = marks.split_at(3);
    assert_eq!(first, [Some(Mark::Handover); 3]);
    assert!(others.len() > 5 && others.iter().all(Option::is_none));
    let after = flow.settle();
    assert!((before + 32.0..=before + 42.0).contains(&after), "{before} {after}");
}

/// A receiver says so in the next three acknowledgments, sends none for it, and does so when it is registered: before that
/// the sender's data goes to the old place.
#[test]
fn a_moving_receiver_marks_three_acknowledgments() {
    let mut script =
        Script::moving(plain(|p| p.receiver.delayed_acknowledgment = None), "vegas", "demo-vegas");
    script.read_at_once().at(1000).inject(data(1..1001)).expect(ack(1001));
    script.at(1100).signal(Signal::MovementDetected).inject(data(1001..2001)).expect(ack(2001));
    script.at(1200).signal(Signal::Registered).expect_nothing();
    for n in 2..5 {
        script.inject(data(n * 1000 + 1..n * 1000 + 1001)).expect(ack(n * 1000 + 1001).mark(Mark::Handover));
    }
    script.inject(data(5001..6001)).expect(ack(6001));
}

/// Timers and losses are those of Vegas: the notice sends nothing again, and leaves window and timer alone.
#[test]
fn the_notice_repairs_nothing() {
    let parameters = plain(|p| p.round_trip.minimum_timeout = seamline_wire::Duration::from_secs(1));
    let mut script = Script::moving(parameters, "vegas", "demo-vegas");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    let window = script.endpoint.sample().congestion_window;
    script.at(1300).inject(ack(1).mark(Mark::Handover)).expect_nothing().window_is(window);
    script.at(1999).expect_nothing().at(2000).take();
    assert_eq!(script.endpoint.statistics().sender.timeouts, 1);
}

/// A mark on a full segment takes its place from the payload, so that the packet is no longer than others (RFC 6691).
#[test]
fn a_marked_segment_is_no_longer() {
    let mut script = Script::moving(plain(|_| {}), "newreno", "demo-vegas");
    script.at(1000).signal(UP).supply(4000);
    script.expect(data(1..993).mark(Mark::Handover)).expect(data(993..1985).mark(Mark::Handover));
    script.expect(data(1985..2977).mark(Mark::Handover)).expect(data(2977..3977)).skip_to(20_000);
}
