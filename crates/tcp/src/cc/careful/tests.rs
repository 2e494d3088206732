//! The rules of RFC 9959, with the numbers of its appendix B: an initial window of 10, and 300 segments remembered.

use super::*;
use std::collections::VecDeque;

const ROUND_TRIP: Duration = Duration::from_millis(600);
const SEGMENT: u32 = 1000;

/// A sender as the congestion control sees it: segments arrive in the order in which they were sent.
struct Flow {
    control: Box<dyn CongestionControl>,
    view: View,
    /// Of each segment in flight what had been delivered when it was sent.
    out: VecDeque<u64>,
    pacing_rate: u64,
}

fn saved() -> SavedPath {
    SavedPath { window: 300.0, round_trip: ROUND_TRIP }
}
fn flow() -> Flow {
    Flow::new(|_| {})
}

impl Flow {
    fn new(set: impl FnOnce(&mut CarefulResumeParameters)) -> Self {
        let mut parameters = Parameters::default();
        parameters.window.whole_segments = true;
        set(&mut parameters.careful_resume);
        let mut control = (reno::ALGORITHM.build)(&parameters);
        let view = crate::view::sample(parameters, ROUND_TRIP);
        Careful::around(&mut control, saved(), &view);
        control.on_transmission_start(Duration::ZERO, &view);
        let mut flow = Flow { control, view, out: VecDeque::new(), pacing_rate: u64::MAX };
        flow.fill();
        flow
    }
    /// In the Unvalidated phase, with 29 segments in flight before the jump, as in appendix B.1.
    fn jumping() -> Self {
        let mut flow = flow();
        flow.acknowledge(9, ROUND_TRIP);
        flow.fill();
        assert_eq!((flow.window(), flow.view.tracked.in_flight), (19.0, 19));
        flow.view.window.congestion = 29.0;
        flow.fill();
        flow.acknowledge(1, ROUND_TRIP);
        assert!(flow.control.controls_rate());
        flow
    }
    fn window(&self) -> f64 {
        self.view.window.congestion
    }
    fn send(&mut self, segments: u32) {
        for _ in 0..segments {
            self.out.push_back(self.view.tracked.delivered);
            self.view.tracked.in_flight += 1;
        }
    }
    fn fill(&mut self) {
        self.send(self.window() as u32 - self.view.tracked.in_flight);
    }
    /// An acknowledgment of so many segments with this round-trip time.
    fn acknowledge(&mut self, segments: u32, round_trip: Duration) {
        let prior_in_flight = self.view.tracked.in_flight;
        let prior = self.out.drain(..segments as usize).next_back().expect("it acknowledges something");
        self.view.tracked.in_flight -= segments;
        self.view.tracked.delivered += u64::from(segments);
        self.view.round_trip.latest = round_trip;
        if let Some(window) = self.control.on_round_trip(round_trip, &self.view) {
            self.view.window = window;
        }
        self.control_window(prior, prior_in_flight, u64::from(segments));
    }
    fn control_window(&mut self, prior_delivered: u64, prior_in_flight: u32, segments: u64) {
        if !self.control.controls_rate() {
            let bytes = segments * u64::from(SEGMENT);
            let acked = Acked {
                bytes,
                delivered: bytes,
                duplicate: false,
                fine_round_trip: None,
                in_recovery: false,
            };
            self.view.window = self.control.on_ack(&acked, &self.view);
        }
        if self.control.controls_rate() {
            let rate = Some((1, ROUND_TRIP));
            let sample = RateSample {
                rate,
                prior_delivered,
                prior_in_flight,
                acknowledged: segments,
                ..RateSample::default()
            };
            let decision = self.control.on_rate_sample(&sample, &self.view);
            self.view.window = decision.window;
            self.pacing_rate = decision.pacing_rate;
        }
    }
    /// The oldest segment is lost, as one that was sent at `sent`.
    fn lose_one_sent(&mut self, sent: Instant) {
        self.out.pop_front();
        let (start, end) = (Offset(0), Offset(1));
        let lost = LostSegment {
            start,
            end,
            sent,
            in_flight_at_departure: 1,
            lost_since: 1,
            delivered: self.view.tracked.delivered,
            application_limited: false,
        };
        self.view.tracked.in_flight -= 1;
        self.view.tracked.lost += 1;
        self.control.on_segment_lost(&lost, &self.view);
    }
    fn lose(&mut self) {
        self.lose_one_sent(self.view.now);
        self.mark();
    }
    /// A loss is repaired, or a packet is marked.
    fn mark(&mut self) {
        let window = self.control.on_loss(Loss::Detected, &self.view);
        self.view.window.threshold = window.threshold;
        if self.control.controls_rate() {
            self.view.window = window;
        }
    }
    fn jumps(&self) -> bool {
        self.control.controls_rate() && self.window() == 150.0
    }
}

/// Section 3.2: the window grows as usual, and the jump comes when all of the first window is acknowledged.
#[test]
fn the_path_is_confirmed_by_the_whole_first_window() {
    let mut flow = flow();
    flow.acknowledge(9, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (19.0, false));
    flow.acknowledge(1, ROUND_TRIP);
    assert!(flow.jumps());
}

/// Section 3.2, "Detected congestion".
#[test]
fn a_loss_in_the_first_window_ends_it() {
    let mut flow = flow();
    flow.lose();
    assert_eq!(flow.view.window.threshold, 5.0, "Reno's reaction");
    flow.acknowledge(9, ROUND_TRIP);
    flow.fill();
    flow.acknowledge(2, ROUND_TRIP);
    assert!(!flow.jumps());
}

/// What was sent before the path was lost does not count as a loss on it.
#[test]
fn losses_from_before_do_not_end_it() {
    let mut flow = flow();
    flow.view.now += Duration::from_secs(1);
    assert!(flow.control.resume(saved(), &flow.view));
    flow.lose_one_sent(Instant::from_secs(1));
    flow.acknowledge(9, ROUND_TRIP);
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    assert!(flow.jumps());
}

/// Sections 3.2 and 4.2.1: half of the round-trip time, or more than ten times as much, is another path.
#[test]
fn another_round_trip_time_is_another_path() {
    for (milliseconds, confirmed) in [(300, false), (301, true), (600, true), (6000, true), (6001, false)] {
        let mut flow = flow();
        flow.acknowledge(10, Duration::from_millis(milliseconds));
        assert_eq!(flow.jumps(), confirmed, "{milliseconds} ms");
    }
}

/// Section 3.2, "Path change".
#[test]
fn news_of_another_path_end_it() {
    let mut flow = flow();
    flow.view.window = flow.control.on_path_change(None, &flow.view);
    flow.acknowledge(10, ROUND_TRIP);
    assert!(!flow.jumps());
}

/// Section 3.2: a sender without data stays, and jumps when there is more to send than the window allows.
#[test]
fn the_jump_waits_for_data() {
    let mut flow = flow();
    flow.view.congestion_limited = false;
    flow.acknowledge(10, ROUND_TRIP);
    assert!(!flow.jumps());
    flow.view.congestion_limited = true;
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    assert!(flow.jumps());
}

/// Section 3.3: at most half of what is remembered, and at most max_jump; never less than the window already is.
#[test]
fn the_jump_is_half_of_what_is_remembered() {
    let mut flow = Flow::new(|it| it.largest_jump = 80.0);
    flow.acknowledge(10, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (80.0, true));
    let mut flow = Flow::new(|it| it.largest_jump = 20.0);
    flow.acknowledge(10, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (20.0, false));
}

/// Sections 3.3 and 4.3.2: paced over the current round-trip time.
#[test]
fn the_jump_is_paced_over_the_current_round_trip_time() {
    let mut flow = flow();
    flow.acknowledge(10, Duration::from_millis(750));
    assert_eq!(flow.pacing_rate, 150 * u64::from(SEGMENT) * 4 / 3);
}

/// Section 3.3: acknowledgments of what was sent before let the window stay, and count for PipeSize.
#[test]
fn the_window_stays_while_the_jump_is_sent() {
    let mut flow = Flow::jumping();
    flow.send(20);
    flow.acknowledge(10, ROUND_TRIP);
    assert!(flow.jumps());
}

/// Section 3.3, "Receiving acknowledgement for an unvalidated packet": the window becomes what is in flight.
#[test]
fn the_first_of_the_jump_that_arrives_ends_the_phase() {
    let mut flow = Flow::jumping();
    flow.send(90);
    flow.acknowledge(28, ROUND_TRIP);
    assert!(flow.jumps());
    flow.acknowledge(1, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (89.0, false));
}

/// Section 3.3, "Completed sending all unvalidated packets".
#[test]
fn a_jump_that_is_all_sent_ends_the_phase() {
    let mut flow = Flow::jumping();
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (149.0, false));
}

/// Section 3.3, "Limiting time in the Unvalidated Phase".
#[test]
fn a_round_trip_time_ends_the_phase() {
    let mut flow = Flow::jumping();
    flow.send(60);
    flow.view.now += ROUND_TRIP;
    flow.acknowledge(1, ROUND_TRIP);
    assert!(flow.jumps());
    flow.view.now += Duration::from_millis(1);
    flow.acknowledge(1, ROUND_TRIP);
    assert_eq!((flow.window(), flow.control.controls_rate()), (86.0, false));
}

/// Section 3.3, "Check flight_size": what was not used of the jump is given up, but for the initial window.
#[test]
fn a_jump_without_data_is_given_up() {
    let mut flow = Flow::jumping();
    flow.view.now += ROUND_TRIP + Duration::from_millis(1);
    flow.acknowledge(5, ROUND_TRIP);
    // 28 before the jump, and five since.
    assert_eq!((flow.window(), flow.control.controls_rate()), (33.0, false));
    flow.lose();
    assert_eq!(flow.view.window.threshold, 16.0, "Reno's reaction");
}

/// Section 3.4: the window grows as usual, until the last of the jump is acknowledged.
#[test]
fn the_jump_is_validated_by_its_acknowledgments() {
    let mut flow = Flow::jumping();
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    flow.fill();
    flow.acknowledge(148, ROUND_TRIP);
    assert_eq!(flow.window(), 149.0 + 148.0);
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    flow.lose();
    assert_eq!(flow.view.window.threshold, 149.0, "Reno's reaction: half of the window");
    assert!(!flow.control.controls_rate());
}

/// Sections 3.3 to 3.5: half of what is known to have arrived, until the jump has left the path; then half of all that has arrived is the
/// threshold. Appendix B.4: PipeSize 63.
#[test]
fn a_loss_of_the_jump_leads_to_a_retreat() {
    let mut flow = Flow::jumping();
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    flow.acknowledge(34, ROUND_TRIP);
    let in_flight = flow.view.tracked.in_flight;
    flow.lose();
    // 28 before the jump, and 35 since.
    assert_eq!(flow.window(), 31.0);
    for left in (0..in_flight - 1).rev() {
        flow.acknowledge(1, ROUND_TRIP);
        assert_eq!(flow.window(), 31.0, "the window does not grow");
        assert_eq!(flow.control.controls_rate(), left > 0);
    }
    let pipe = 28 + 35 + in_flight - 1;
    assert_eq!(flow.view.window.threshold, f64::from(pipe / 2));
    flow.fill();
    flow.acknowledge(1, ROUND_TRIP);
    assert_eq!(flow.window(), 32.0, "slow start up to the threshold");
}

/// Section 3.5: Beta.
#[test]
fn the_threshold_after_a_retreat_can_be_set() {
    let mut flow = Flow::new(|it| it.decrease = 0.7);
    flow.acknowledge(10, ROUND_TRIP);
    flow.fill();
    flow.lose();
    let left = flow.view.tracked.in_flight;
    flow.acknowledge(left, ROUND_TRIP);
    assert_eq!(flow.view.window.threshold, (f64::from(left) * 0.7).trunc());
}

/// Section 3.3, "Detected congestion" and "Confirming the path during transmission": losses, marks, half of the round-trip time, and
/// news of another path.
#[test]
fn the_jump_is_taken_back_for_any_doubt() {
    let retreats = |doubt: fn(&mut Flow)| {
        let mut flow = Flow::jumping();
        flow.send(40);
        doubt(&mut flow);
        flow.acknowledge(1, ROUND_TRIP);
        assert_eq!((flow.window(), flow.control.controls_rate()), (14.0, true));
    };
    retreats(Flow::lose);
    retreats(Flow::mark);
    retreats(|flow| flow.view.window = flow.control.on_path_change(None, &flow.view));
    let mut flow = Flow::jumping();
    flow.send(40);
    flow.acknowledge(1, ROUND_TRIP / 2);
    assert_eq!(flow.window(), 14.0);
}

/// Section 3.6: a timeout ends it.
#[test]
fn a_timeout_ends_it() {
    let mut flow = Flow::jumping();
    flow.fill();
    flow.view.window = flow.control.on_loss(Loss::Collapsed, &flow.view);
    assert_eq!((flow.window(), flow.view.window.threshold), (1.0, 75.0));
    assert!(!flow.control.controls_rate());
}
