//! What a mobile node's link layer announces about its handovers: predictions that may be early, late, lost or
//! false, and the news that the link is down or up.

use crate::schedule::Handover;
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
        }
    }
}

/// A handover as the link layer of a node sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// When the old link is lost. Not before the new one is up when both can be used for a while.
    pub down: Instant,
    /// When the new link, or the same again, is up; [`Instant::MAX`] for one that never is.
    pub up: Instant,
    /// Rate of the new link, if it is known when it comes up.
    pub rate: Option<Rate>,
    /// Round-trip time over the new link, if it is known when it comes up.
    pub round_trip_time: Option<Duration>,
}

impl From<&Handover> for LinkChange {
    /// Of a link that goes down and comes back, nothing being known of it.
    fn from(handover: &Handover) -> Self {
        LinkChange { down: handover.at, up: handover.end(), rate: None, round_trip_time: None }
    }
}

/// A signal to come, and whether the node has no link from then on.
type Notice = (Signal, bool);

/// Turns handovers into [`Signal`]s for the other machines of the mobile node. It takes no packets.
///
/// For each handover it gives [`Signal::LinkDown`] when the link goes down, [`Signal::LinkUp`] when it is
/// back, and before them [`Signal::LinkGoingDown`] (with the event [`HandoverPhase::Predicted`]) `lead`
/// before the predicted time. That notice never comes before the end of the handover before it (then
/// `within` is accordingly shorter), and one that would come when the link is down already is not given. All of them
/// come [`NoticeConfig::late`] after that, the prediction with a `within` that is so much shorter.
/// Where the old link outlives the coming up of the new one, [`Signal::LinkUp`] comes first, and the others are about the
/// old link.
/// False predictions continue as long as the machine is woken.
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
    /// Notices for these changes, in their order. All draws for true predictions are made here, two or three per
    /// change; those for false ones as they come.
    pub fn new(
        changes: impl IntoIterator<Item = LinkChange>,
        config: NoticeConfig,
        mut stream: Stream,
    ) -> Self {
        let mut coming = Vec::new();
        let mut up_since = Instant::ZERO;
        for change in changes {
            let LinkChange { down, up, rate, round_trip_time } = change;
            let is_replaced = up < down;
            coming.extend(prediction(down, up_since, &config, &mut stream));
            coming.push((down + config.late, (Signal::LinkDown, !is_replaced)));
            coming.push((up + config.late, (Signal::LinkUp { rate, round_trip_time }, false)));
            up_since = up;
        }
        // Stable: notices of one handover keep their order where times are equal.
        coming.sort_by_key(|(at, _)| *at);
        let coming = coming.into();
        let mut notices = HandoverNotices { config, coming, next_false: None, is_down: false, stream };
        notices.draw_next_false(Instant::ZERO);
        notices
    }

    fn draw_next_false(&mut self, after: Instant) {
        let per_second = self.config.false_predictions_per_second;
        self.next_false = (per_second > 0.0)
            .then(|| after + Duration::from_secs_f64(self.stream.exponential(1.0 / per_second)));
    }
}

fn give(signal: Signal, out: &mut Outbox) {
    if matches!(signal, Signal::LinkGoingDown { .. }) {
        out.event(|| Event::Handover(HandoverPhase::Predicted));
    }
    out.signal(signal);
}

/// The prediction that a link is lost at `down`, unless it is lost or too late.
fn prediction(
    down: Instant,
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
        down - Duration::from_secs_f64(-error)
    } else {
        down + Duration::from_secs_f64(error)
    };
    let given = (predicted - lead).max(up_since) + config.late;
    let within = predicted.saturating_since(given);
    (!lost && given < down).then_some((given, (Signal::LinkGoingDown { within }, false)))
}

impl Machine for HandoverNotices {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        if let Input::Packet(_, packet) = input {
            return out.recycle(packet);
        }
        while self.coming.front().is_some_and(|(at, _)| *at <= now)
            && let Some((_, (signal, is_down))) = self.coming.pop_front()
        {
            self.is_down = is_down;
            give(signal, out);
        }
        while let Some(at) = self.next_false.filter(|at| *at <= now) {
            if !self.is_down {
                let lead = self.config.lead.unwrap_or(Duration::ZERO);
                give(Signal::LinkGoingDown { within: lead - self.config.late }, out);
            }
            self.draw_next_false(at);
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let coming = self.coming.front().map(|(at, _)| *at);
        coming.into_iter().chain(self.next_false).min()
    }
}
