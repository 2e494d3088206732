//! Mobility-Vegas (mobility-vegas-2020: Ho and Chiu, "Improving performance of TCP-Vegas for Mobile IP handoffs", section 4.2).
//!
//! Before its handoff the mover marks what it sends ("I will handoff"). A sender that hears it halts its retransmission
//! timer and sends one packet per round-trip time; a receiver keeps its acknowledgments back. A mover that sends halts its
//! own timer. When the mover is registered it says so, and both continue at once: what is outstanding is sent again from the
//! first unacknowledged byte, the window being what it was.
//!
//! What the paper leaves open is a parameter or documented where it is decided. Marks may be late, false or lost: an unmarked
//! segment of the peer ends what a mark has begun, a notice is sent again until the peer is heard, and nothing is held
//! longer than a disconnection lasts.

use super::attachment::{Attachment, Change};
use super::notice::Notice;
use super::*;

pub(super) static SCHEME: Scheme = Scheme {
    name: "mobility-vegas",
    summary: "when notified of a handover in advance, the ends stop their timers, send one packet per round trip and hold acknowledgments back",
    cite: "Ho and Chiu, Improving performance of TCP-Vegas for Mobile IP handoffs, 2020",
    traits: Traits { needs_prediction: true, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(MobilityVegas::new(parameters.handover.mobility_vegas.clone())),
};

/// What lets the one packet per round-trip time go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnePerRoundTrip {
    /// The acknowledgment of everything sent before: when the peer is away, nothing more is sent into the void.
    Acknowledgment,
    /// SRTT after the last one, whatever has been acknowledged.
    Timer,
}

/// The window with which a sender continues after a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoOnWith {
    /// The window from before, all at once: "immediately resumes the communication".
    PreviousWindow,
    /// Two segments, as Vegas after a timeout, and slow start until gamma ends it, at most up to the window from before: what
    /// RFC 5681, section 4.1, asks for after a pause, so that short queues do not overflow.
    SlowStart,
    /// The window from before at its rate, a segment at a time, for two round-trip times: in the first no acknowledgment is there, in
    /// the second those that were held back come all at once.
    PacedWindow,
}

/// Which of the acknowledgments that were held back during the peer's handoff are sent after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// All of them, in a row: "the receiver sends the buffered and new ACKs".
    All,
    /// The last one, which says what all of them say.
    Last,
}

parameters! {
    /// What of the scheme can be set.
    pub struct MobilityVegasParameters {
        /// What lets the one packet per round-trip time go.
        pub one_per_round_trip: OnePerRoundTrip = OnePerRoundTrip::Acknowledgment,
        /// A mover that learns of its handoff announces it in an acknowledgment at once, instead of waiting for the next
        /// segment that leaves anyway.
        pub announce_at_once: bool = false,
        /// The window with which a sender continues after a handoff.
        pub resume_with: GoOnWith = GoOnWith::PreviousWindow,
        /// A sender that continues sends everything outstanding again. Otherwise it leaves to its loss recovery what was lost, and what
        /// arrived before the handoff does not go out twice.
        pub goes_back: bool = true,
        /// Which of the acknowledgments that were held back are sent.
        pub release: Release = Release::All,
        /// BaseRTT is measured again after a handoff, as in Demo-Vegas.
        pub remeasure: bool = true,
        /// How often at most the mover says that it is registered, until it hears from the peer.
        pub notices: u32 = 3,
        /// How long after the first the second follows; the time doubles then.
        pub notice_interval: Duration = Duration::from_secs(1),
        /// A handoff that has not begun so long after its predicted time was a false alarm.
        pub timeout: Duration = Duration::from_secs(1),
        /// Nothing is held longer than this: then the news of the end of the handoff must have been lost.
        pub longest_disconnection: Duration = Duration::from_secs(30),
    }
}

/// One segment at a time, until acknowledgments come evenly.
#[derive(Clone, Copy, Debug)]
struct Spread {
    interval: Duration,
    until: Instant,
}

#[derive(Debug)]
struct MobilityVegas {
    parameters: MobilityVegasParameters,
    own: Attachment,
    notice: Notice,
    /// The peer has announced a handoff, and is believed to be on it until this time.
    peer_away_until: Option<Instant>,
    /// When the timer lets the next segment go.
    next_segment_at: Option<Instant>,
    /// The window from before a handoff is being spread over time.
    spread: Option<Spread>,
    /// Acknowledgments are kept back, at most until this time.
    holds_until: Option<Instant>,
}

impl MobilityVegas {
    fn new(parameters: MobilityVegasParameters) -> Self {
        MobilityVegas {
            own: Attachment::new(parameters.timeout, parameters.longest_disconnection),
            notice: Notice::new(parameters.notices, parameters.notice_interval),
            peer_away_until: None,
            next_segment_at: None,
            spread: None,
            holds_until: None,
            parameters,
        }
    }

    /// Steps 3 and 4, and 9, of the procedure of section 4.2, and what becomes of a false alarm.
    fn on_own(&mut self, change: Change, view: &View, actions: &mut Actions) {
        match change {
            Change::WillLeave => {
                self.notice.end();
                self.end_spread(actions);
                actions.push(Action::Mark { mark: Mark::WillHandover, segments: u32::MAX });
                if self.peer_away_until.is_none() {
                    actions.push(Action::HaltTimer);
                }
                if self.parameters.announce_at_once {
                    actions.push(Action::Acknowledge { times: 1, mark: None });
                }
            }
            Change::Left => actions.push(Action::Freeze),
            Change::Arrived { was_away: true } => self.arrive(view, actions),
            Change::Arrived { was_away: false } => self.change_path(view, actions),
            Change::Stayed => {
                actions.push(Action::Mark { mark: Mark::WillHandover, segments: 0 });
                self.notice.announce(Mark::HandoverCancelled, view.now, actions);
                self.thaw(actions);
            }
        }
    }
    /// "After handoffs, the sender immediately transmits data packets": the first of them says why, and is acknowledged.
    /// A mover that has nothing to send again says it in an acknowledgment, which the paper's sender reads from the
    /// binding update.
    fn arrive(&mut self, view: &View, actions: &mut Actions) {
        let sends_again = view.outstanding() > 0 && self.parameters.goes_back;
        let announces_by_data = sends_again && self.peer_away_until.is_none();
        actions.push(Action::Mark { mark: Mark::Handover, segments: u32::from(announces_by_data) });
        if announces_by_data {
            self.notice.end();
        } else {
            self.notice.announce(Mark::Handover, view.now, actions);
        }
        self.go_on(view, actions);
    }

    /// The old link lasted until the new one was in force, which the paper does not know: nothing is lost, but the path is
    /// another one, and an announced handoff is over.
    fn change_path(&mut self, view: &View, actions: &mut Actions) {
        actions.push(Action::Mark { mark: Mark::WillHandover, segments: 0 });
        self.notice.announce(Mark::MadeBeforeBreak { bandwidth_delay_product: None }, view.now, actions);
        self.remeasure(actions);
        self.thaw(actions);
    }
    fn remeasure(&self, actions: &mut Actions) {
        if self.parameters.remeasure {
            actions.push(Action::RenewPath { round_trip_time: None });
        }
    }

    /// "The sender will halt the retransmission timer and send one packet per RTT"; a receiver "will buffer the ACKs".
    fn peer_will_leave(&mut self, payload: bool, view: &View, actions: &mut Actions) {
        // Who says it again is not away for longer: else nothing would bound what repeats it.
        let until = view.now + self.parameters.longest_disconnection;
        if payload && self.holds_until.is_none() {
            self.holds_until = Some(until);
            actions.push(Action::HoldAcknowledgments);
        }
        if self.peer_away_until.is_some() {
            return;
        }
        self.peer_away_until = Some(until);
        self.spread = None;
        actions.push(Action::Freeze);
        match self.parameters.one_per_round_trip {
            OnePerRoundTrip::Acknowledgment => self.send_one_when_all_is_acknowledged(view, actions),
            OnePerRoundTrip::Timer => self.next_segment_at = Some(view.now + round_trip(view)),
        }
    }
    fn send_one_when_all_is_acknowledged(&self, view: &View, actions: &mut Actions) {
        if view.outstanding() == 0 && !self.own.is_away() {
            actions.push(Action::SendOne);
        }
    }
    fn on_timer(&mut self, view: &View, actions: &mut Actions) {
        if self.next_segment_at.is_none_or(|at| at > view.now) {
            return;
        }
        if self.spread.is_some_and(|spread| spread.until <= view.now) {
            return self.end_spread(actions);
        }
        let interval = self.spread.map_or_else(|| round_trip(view), |spread| spread.interval);
        self.next_segment_at = Some(view.now + interval);
        if !self.own.is_away() {
            actions.push(Action::SendOne);
        }
    }

    /// The window of before one segment at a time, at the rate at which it went out before.
    fn begin_spread(&mut self, view: &View, actions: &mut Actions) {
        let segments = view.window.congestion.max(1.0);
        let interval = Duration::from_secs_f64(round_trip(view).as_secs_f64() / segments);
        self.spread = Some(Spread { interval, until: view.now + round_trip(view) * 2 });
        self.next_segment_at = Some(view.now + interval);
        actions.push(Action::SendOne);
    }

    /// From here on acknowledgments let segments go.
    fn end_spread(&mut self, actions: &mut Actions) {
        if self.spread.take().is_some() {
            self.next_segment_at = None;
            self.thaw(actions);
        }
    }

    /// "After that, the sender immediately resumes the communication."
    fn peer_arrived(&mut self, view: &View, actions: &mut Actions) {
        self.forget_peer(actions);
        self.go_on(view, actions);
    }
    /// What the peer has announced does not come, or is over already: nothing was lost to it.
    fn peer_stayed(&mut self, actions: &mut Actions) {
        let held = self.peer_away_until.is_some();
        self.forget_peer(actions);
        if held {
            self.thaw(actions);
        }
    }
    fn forget_peer(&mut self, actions: &mut Actions) {
        if self.peer_away_until.take().is_some() {
            self.next_segment_at = None;
        }
        self.release(actions);
    }
    fn release(&mut self, actions: &mut Actions) {
        if self.holds_until.take().is_some() {
            actions.push(Action::ReleaseAcknowledgments(self.parameters.release));
        }
    }

    /// A handoff is over, and the path another one.
    fn go_on(&mut self, view: &View, actions: &mut Actions) {
        self.remeasure(actions);
        if self.own.is_away() || self.peer_away_until.is_some() {
            return;
        }
        match self.parameters.resume_with {
            GoOnWith::PreviousWindow => {}
            GoOnWith::SlowStart => actions.push(Action::SetWindow(beginning_below(view.window))),
            // Nothing leaves before its time.
            GoOnWith::PacedWindow => actions.push(Action::Freeze),
        }
        if self.parameters.goes_back {
            actions.push(Action::GoBack);
        }
        match self.parameters.resume_with {
            GoOnWith::PacedWindow => self.begin_spread(view, actions),
            _ => actions.push(Action::Thaw),
        }
        if !self.own.is_settled() {
            // A handoff of its own is to come.
            actions.push(Action::HaltTimer);
        }
    }
    /// End what a handoff has halted, unless the other end is on one as well.
    fn thaw(&mut self, actions: &mut Actions) {
        if self.own.is_settled() && self.peer_away_until.is_none() {
            actions.push(Action::Thaw);
        }
    }

    fn on_progress(&mut self, mark: Option<Mark>, view: &View, actions: &mut Actions) {
        self.notice.end();
        if self.peer_away_until.is_none() {
            return;
        }
        match (mark, self.parameters.one_per_round_trip) {
            (None, _) => self.peer_stayed(actions),
            (Some(_), OnePerRoundTrip::Acknowledgment) => {
                self.send_one_when_all_is_acknowledged(view, actions);
            }
            (Some(_), OnePerRoundTrip::Timer) => {}
        }
    }
    fn on_mark(&mut self, mark: Mark, payload: bool, view: &View, actions: &mut Actions) {
        if payload {
            self.notice.end();
        }
        match mark {
            Mark::WillHandover => self.peer_will_leave(payload, view, actions),
            Mark::Handover => self.peer_arrived(view, actions),
            Mark::HandoverCancelled => self.peer_stayed(actions),
            Mark::MadeBeforeBreak { .. } => {
                self.remeasure(actions);
                self.peer_stayed(actions);
            }
            _ => {}
        }
    }
    fn on_wake(&mut self, view: &View, actions: &mut Actions) {
        self.notice.on_wake(view.now, actions);
        if self.holds_until.is_some_and(|until| until <= view.now) {
            self.release(actions);
        }
        if self.peer_away_until.is_some_and(|until| until <= view.now) {
            self.peer_stayed(actions);
        }
        self.on_timer(view, actions);
    }
}

/// A smaller window, whose slow start ends at this one.
fn beginning_below(window: Window) -> Window {
    const AFTER_TIMEOUT: f64 = 2.0;
    if window.congestion > AFTER_TIMEOUT {
        Window { congestion: AFTER_TIMEOUT, threshold: window.congestion }
    } else {
        window
    }
}

/// The time between two packets; before the first sample one second, as RFC 6298 section 2.1 has it.
fn round_trip(view: &View) -> Duration {
    match view.round_trip.smoothed {
        Duration::ZERO => Duration::from_secs(1),
        smoothed => smoothed,
    }
}

impl Handover for MobilityVegas {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        if let Some(change) = self.own.on(happened, view.now) {
            self.on_own(change, view, actions);
        }
        match happened {
            HandoverEvent::Marked { mark, payload, .. } => self.on_mark(mark, payload, view, actions),
            HandoverEvent::Progress { mark } => self.on_progress(mark, view, actions),
            HandoverEvent::Data => {
                self.notice.end();
                self.peer_stayed(actions);
            }
            HandoverEvent::Wake => self.on_wake(view, actions),
            _ => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        matches!(
            mark,
            Mark::WillHandover | Mark::Handover | Mark::HandoverCancelled | Mark::MadeBeforeBreak { .. }
        )
    }
    fn decides_on(&self, mark: Mark) -> bool {
        let announces = mark == Mark::WillHandover && self.peer_away_until.is_none();
        announces || mark == Mark::Handover
    }
    fn wake_at(&self) -> Option<Instant> {
        let times = [
            self.own.wake_at(),
            self.notice.wake_at(),
            self.peer_away_until,
            self.next_segment_at,
            self.holds_until,
        ];
        times.into_iter().flatten().min()
    }
}
