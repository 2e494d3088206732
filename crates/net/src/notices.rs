//! What a mobile node's link layer tells of its handovers: predictions that may be early, late, lost or
//! false, and the news that the link is down or up.

use crate::schedule::{Handover, Handovers};
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Event, HandoverPhase, Input, Instant, Machine, Outbox, Rate, Signal};
use std::collections::VecDeque;

/// How far the predicted time of a handover is from the true one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PredictionError {
    /// Predictions are exact.
    None,
    /// Uniform between this much too early and this much too late.
    Uniform(Duration),
    /// Normal around the true time with this standard deviation.
    Normal(Duration),
}

/// How a link layer gives notice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoticeConfig {
    /// How long before the predicted time a prediction is announced. `None`: handovers are not predicted.
    pub lead: Option<Duration>,
    /// The error of the predicted time.
    pub prediction_error: PredictionError,
    /// Share of predictions that never reach the node, 0 to 1.
    pub lost_predictions: f64,
    /// Predictions of handovers that do not come, per second (a Poisson process), while the link is up.
    pub false_predictions_per_second: f64,
    /// How much later than it could every notice reaches the node: the way up from the link layer. A prediction
    /// that would arrive when the link is already gone is not given.
    pub late: Duration,
    /// What is known of a link when it comes up.
    pub rate: Option<Rate>,
    /// What is known of the path over a link when it comes up.
    pub round_trip_time: Option<Duration>,
}

impl Default for NoticeConfig {
    /// The node learns that its link is down or up, and nothing in advance.
    fn default() -> Self {
        NoticeConfig {
            lead: None,
            prediction_error: PredictionError::None,
            lost_predictions: 0.0,
            false_predictions_per_second: 0.0,
            late: Duration::ZERO,
            rate: None,
            round_trip_time: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notice {
    GoingDown { within: Duration },
    Down,
    Up,
}

/// Turns handovers into [`Signal`]s for the other machines of the mobile node. It takes no packets.
///
/// For each handover it gives [`Signal::LinkDown`] when the link goes down, [`Signal::LinkUp`] when it is
/// back, and before them [`Signal::LinkGoingDown`] (with the event [`HandoverPhase::Predicted`]) `lead`
/// before the predicted time. That notice never comes before the end of the handover before it (then
/// `within` is accordingly shorter), and one that would come when the link is down already is not given. All of them
/// come [`NoticeConfig::late`] after that, the prediction with a `within` that is so much shorter.
/// False predictions go on as long as the machine is woken.
#[derive(Debug)]
pub struct HandoverNotices {
    config: NoticeConfig,
    /// True notices to come, in order of time.
    coming: VecDeque<(Instant, Notice)>,
    next_false: Option<Instant>,
    is_down: bool,
    stream: Stream,
}

impl HandoverNotices {
    /// Notices for these handovers. All draws for true predictions are made here, two or three per
    /// handover; those for false ones as they come.
    pub fn new(handovers: &Handovers, config: NoticeConfig, mut stream: Stream) -> Self {
        let mut coming = VecDeque::new();
        let mut up_since = Instant::ZERO;
        for handover in handovers.as_slice() {
            coming.extend(prediction(handover, up_since, &config, &mut stream));
            coming.push_back((handover.at + config.late, Notice::Down));
            coming.push_back((handover.end() + config.late, Notice::Up));
            up_since = handover.end();
        }
        let mut notices = HandoverNotices { config, coming, next_false: None, is_down: false, stream };
        notices.draw_next_false(Instant::ZERO);
        notices
    }

    fn draw_next_false(&mut self, after: Instant) {
        let per_second = self.config.false_predictions_per_second;
        self.next_false = (per_second > 0.0)
            .then(|| after + Duration::from_secs_f64(self.stream.exponential(1.0 / per_second)));
    }

    fn give(&mut self, notice: Notice, out: &mut Outbox) {
        match notice {
            Notice::GoingDown { within } => {
                out.event(|| Event::Handover(HandoverPhase::Predicted));
                out.signal(Signal::LinkGoingDown { within });
            }
            Notice::Down => {
                self.is_down = true;
                out.signal(Signal::LinkDown);
            }
            Notice::Up => {
                self.is_down = false;
                let NoticeConfig { rate, round_trip_time, .. } = self.config;
                out.signal(Signal::LinkUp { rate, round_trip_time });
            }
        }
    }
}

/// The prediction of one handover, unless it is lost or too late.
fn prediction(
    handover: &Handover,
    up_since: Instant,
    config: &NoticeConfig,
    stream: &mut Stream,
) -> Option<(Instant, Notice)> {
    let lead = config.lead?;
    let lost = stream.chance(config.lost_predictions);
    let error = match config.prediction_error {
        PredictionError::None => 0.0,
        PredictionError::Uniform(most) => most.as_secs_f64() * (2.0 * stream.uniform() - 1.0),
        PredictionError::Normal(deviation) => stream.normal(0.0, deviation.as_secs_f64()),
    };
    let predicted = if error < 0.0 {
        handover.at - Duration::from_secs_f64(-error)
    } else {
        handover.at + Duration::from_secs_f64(error)
    };
    let given = (predicted - lead).max(up_since) + config.late;
    let within = predicted.saturating_since(given);
    (!lost && given < handover.at).then_some((given, Notice::GoingDown { within }))
}

impl Machine for HandoverNotices {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        if let Input::Packet(_, packet) = input {
            return out.recycle(packet);
        }
        while let Some((_, notice)) = self.coming.pop_front_if(|(at, _)| *at <= now) {
            self.give(notice, out);
        }
        while let Some(at) = self.next_false.filter(|at| *at <= now) {
            if !self.is_down {
                let lead = self.config.lead.unwrap_or(Duration::ZERO);
                self.give(Notice::GoingDown { within: lead - self.config.late }, out);
            }
            self.draw_next_false(at);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let coming = self.coming.front().map(|(at, _)| *at);
        coming.into_iter().chain(self.next_false).min()
    }
}
