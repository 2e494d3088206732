//! The sending side: applies the commands of recovery and congestion control. The only place that
//! changes a sender's state.

mod moving;
mod notified;
mod opening;
mod predicted;
mod probing;
mod sending;
mod statistics;
mod supplying;
mod tracking;
mod undoing;
mod window_use;

use crate::cc::{Acked, Careful, CongestionControl, Loss};
use crate::ecn::{EcnNeeds, Report};
use crate::emit::Header;
use crate::handover::Action;
use crate::loss_notification::{LossNotification, Missing, Notified, Repeat};
use crate::offset::Offset;
use crate::parameters::{IdleRestart, Parameters, WindowParameters};
use crate::receiver::Receiver;
use crate::recovery::{AckSeen, Command, Commands, Engine, Evidence, Recovery, Spurious, SpuriousDetection};
use crate::rtt::{RoundTrip, RoundTripEstimator, Smoothed};
use crate::scoreboard::{News, RangeSet, most_ranges};
use crate::send_log::SendLog;
use crate::variant::Variant;
use crate::view::{Tracked, View, Window};
use seamline_wire::{Duration, Event, Instant, Losses, Mark, Outbox, Segment, SenderSample, SequenceNumber};
use std::sync::Arc;
use tracking::Tracking;
use window_use::WindowUse;

pub use statistics::SenderStatistics;

/// How the application writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Write {
    /// More follows soon: the last part of a segment waits for it, however Nagle's algorithm is set (MSG_MORE).
    pub more: bool,
    /// A record ends with it: what follows goes into segments of its own (MSG_EOR).
    pub ends_record: bool,
}

/// What a segment reports to a sender.
#[derive(Debug)]
pub(crate) struct Acknowledgment {
    /// The cumulative acknowledgment.
    pub(crate) offset: Offset,
    /// The window in bytes, `None` when the segment is too old to update it.
    pub(crate) window: Option<u64>,
    /// Whether it was sent after what last updated the window, going by sequence numbers.
    pub(crate) newer: bool,
    /// Whether the segment carries nothing but the acknowledgment.
    pub(crate) bare: bool,
    /// Round-trip time by the timestamp echoed.
    pub(crate) timestamp_sample: Option<Duration>,
}

/// Where a sender's segments go: the header of the connection, the receiving side whose
/// acknowledgment rides along, and the outbox.
#[derive(Debug)]
pub(crate) struct Exit<'a> {
    pub(crate) header: &'a mut Header,
    pub(crate) receiver: &'a mut Receiver,
    pub(crate) out: &'a mut Outbox,
}

#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) view: View,
    pub(crate) initial: SequenceNumber,
    pub(crate) statistics: SenderStatistics,
    control: Box<dyn CongestionControl>,
    /// Where the recovery works by records of segments: what it knows.
    tracking: Option<Box<Tracking>>,
    recovery: Box<dyn Recovery>,
    estimator: RoundTripEstimator,
    initial_window: f64,
    /// How often the SYN, or its answer, has been sent again.
    syn_retransmissions: u32,
    window_use: Option<Box<WindowUse>>,
    timed_out_at: Option<Offset>,
    timeout_is_repeated: bool,
    needs_sack: bool,
    /// What is known of the last recovery; kept only where cuts are taken back.
    spurious: Option<Box<Spurious>>,
    timing: Option<(Offset, Instant)>,
    timer: Instant,
    /// When the recovery wants to be woken.
    recovery_wakes_at: Instant,
    probing: bool,
    /// The window known is that of a SYN, which is never scaled (RFC 7323 section 2.2): the first one
    /// after it is another number and yet no news.
    window_is_from_syn: bool,
    data_end: Offset,
    progress_at: Instant,
    last_sent: Instant,
    /// What ends here was sent over a path that is gone: its fine-grained round-trip time means nothing.
    samples_from: Offset,
    notified: Notified,
    /// The SYN is not acknowledged, and data may have been sent behind it.
    awaits_handshake: bool,
    /// What a handover scheme keeps from happening.
    hold: moving::Hold,
    /// The largest congestion window so far, in segments; before this time it does not grow beyond it.
    largest_window: f64,
    growth_held_until: Instant,
    /// What had been sent when a mark last reduced the window.
    reduced_until: Offset,
    /// The furthest right edge of the peer's window so far.
    pub(crate) furthest_edge: Offset,
    commands: Commands,
}

/// No timer runs.
const NEVER: Instant = Instant::MAX;

impl Sender {
    /// A sender that has sent nothing; its first unit of sequence space is `first` (the SYN, or the
    /// first byte when the handshake is left out).
    pub(crate) fn new(
        parameters: &Arc<Parameters>,
        variant: &Variant,
        initial: SequenceNumber,
        first: Offset,
        segment_size: u32,
    ) -> Self {
        let WindowParameters { initial: congestion, initial_threshold: threshold, .. } = parameters.window;
        let keeps_log = variant.congestion_control.needs_send_log || variant.recovery.needs_send_log;
        let log = || SendLog::new(&parameters.ns2.vegas, Offset::FIRST_BYTE, segment_size);
        let view = View {
            parameters: Arc::clone(parameters),
            now: Instant::ZERO,
            segment_size,
            unacknowledged: first,
            next: first,
            highest_sent: first,
            available: Offset::FIRST_BYTE,
            window: Window { congestion, threshold },
            inflation: 0,
            peer_window: 0,
            largest_peer_window: 0,
            window_limit: parameters.window.limit,
            congestion_limited: false,
            finishing: false,
            nagle: parameters.segments.nagle,
            round_trip: RoundTrip::default(),
            scoreboard: RangeSet::default(),
            sent: keeps_log.then(|| Box::new(log())),
            tracked: Tracked::default(),
        };
        let keeps_records = matches!(variant.recovery.engine, Engine::Records);
        let judges = parameters.recovery.spurious_detection != SpuriousDetection::None;
        let mut control = (variant.congestion_control.build)(parameters);
        if let Some(saved) =
            parameters.careful_resume.saved().filter(|_| keeps_records && !control.controls_rate())
        {
            Careful::around(&mut control, saved, &view);
        }
        let mut tracking = keeps_records.then(|| Box::new(Tracking::new(parameters, first)));
        if let Some(tracking) =
            tracking.as_mut().filter(|_| parameters.segments.paced || control.controls_rate())
        {
            tracking.pace();
        }
        Sender {
            view,
            initial,
            statistics: SenderStatistics::default(),
            control,
            tracking,
            recovery: variant.recovery.build(parameters, first),
            estimator: RoundTripEstimator::new(Arc::clone(parameters)),
            initial_window: parameters.window.initial,
            syn_retransmissions: 0,
            window_use: parameters.window.application_limited_decay.then(|| Box::new(WindowUse::new(first))),
            timed_out_at: None,
            timeout_is_repeated: false,
            needs_sack: variant.recovery.needs_sack,
            spurious: judges.then(Box::default),
            timing: None,
            timer: NEVER,
            recovery_wakes_at: NEVER,
            probing: false,
            window_is_from_syn: false,
            data_end: Offset::FIRST_BYTE,
            progress_at: Instant::ZERO,
            last_sent: Instant::ZERO,
            samples_from: first,
            notified: Notified::default(),
            awaits_handshake: false,
            hold: moving::Hold::Nothing,
            largest_window: 0.0,
            growth_held_until: Instant::ZERO,
            reduced_until: first,
            furthest_edge: first,
            commands: Commands::default(),
        }
    }

    /// What congestion control needs of ECN.
    pub(crate) fn ecn_needs(&self) -> EcnNeeds {
        self.control.ecn_needs()
    }
    /// When [`Sender::on_timer`] is due, [`Instant::MAX`] for never.
    pub(crate) fn timer(&self) -> Instant {
        match (&self.tracking, self.hold) {
            (None, moving::Hold::Nothing) => self.timer.min(self.recovery_wakes_at),
            (Some(_), moving::Hold::Nothing) if self.awaits_handshake => self.timer,
            (Some(tracking), moving::Hold::Nothing) => self.timer.min(tracking.due()),
            _ => NEVER,
        }
    }
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.timer() <= now
    }
    pub(crate) fn stop_timer(&mut self) {
        self.timer = NEVER;
        self.recovery_wakes_at = NEVER;
        if let Some(tracking) = &mut self.tracking {
            tracking.stop_timer();
        }
    }
    /// How long what is outstanding has waited for progress.
    pub(crate) fn stalled_for(&self, now: Instant) -> Duration {
        now.saturating_since(self.progress_at)
    }
    pub(crate) fn in_recovery(&self) -> bool {
        self.tracking.as_ref().map_or_else(|| self.recovery.in_recovery(), |tracking| tracking.in_recovery())
    }
    /// The position of an acknowledgment number, `None` before the beginning.
    pub(crate) fn offset(&self, acknowledgment: SequenceNumber) -> Option<Offset> {
        self.view.unacknowledged.nearest(acknowledgment, self.initial)
    }
    /// Whether data or FIN are waiting to be sent for the first time.
    pub(crate) fn has_unsent(&self) -> bool {
        self.view.available > self.view.highest_sent
    }
    /// Whether everything supplied, FIN included, has been acknowledged.
    pub(crate) fn all_acknowledged(&self) -> bool {
        self.view.finishing && self.view.unacknowledged == self.view.available
    }

    /// The peer offers this window from SND.UNA on.
    pub(crate) fn set_peer_window(&mut self, window: u64) {
        self.view.peer_window = window;
        self.view.largest_peer_window = self.view.largest_peer_window.max(window);
        self.furthest_edge = self.furthest_edge.max(self.view.unacknowledged + window);
    }

    /// An acceptable acknowledgment.
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        ack: &Acknowledgment,
        segment: &Segment,
        exit: &mut Exit<'_>,
    ) {
        if self.tracking.is_some() {
            return self.on_ack_tracked(now, ack, segment, exit);
        }
        self.view.now = now;
        let previous = self.view.unacknowledged;
        let advanced = ack.offset > previous;
        let same_window =
            self.window_is_from_syn || ack.window.is_none_or(|window| window == self.view.peer_window);
        let duplicate = !advanced
            && ack.bare
            && same_window
            && ack.offset == previous
            && self.view.highest_sent > previous
            && self.view.peer_window > 0
            && !self.probing;
        let window_before = self.view.peer_window;
        if advanced {
            self.advance(now, ack.offset);
        }
        if let Some(window) = ack.window {
            self.window_is_from_syn = false;
            self.set_peer_window(window);
        }
        self.reduce_if_marked(segment, ack.offset.saturating_since(previous), exit);
        let (news, sacked) = self.take_sack(segment, exit.header.sack);
        self.undo_if_spurious(previous, segment, exit);
        let acknowledged = ack.offset.saturating_since(previous);
        let reported = self.take_losses(segment, duplicate, acknowledged);
        let over_the_air = matches!(reported, notified::Reported::OverTheAir | notified::Reported::Answered);
        let duplicate = duplicate && !over_the_air;
        let news = if over_the_air { News::default() } else { news };
        let delivered = acknowledged.saturating_add_signed(sacked);
        if self.probing {
            self.progress_at = now;
        }
        let says_nothing = !advanced && !duplicate && !news.any && reported == notified::Reported::Nothing;
        if says_nothing && same_window && !self.has_unsent() {
            return;
        }
        let reopened = self.view.peer_window > 0 && self.view.peer_window != window_before;
        if self.probing && (advanced || reopened) {
            self.stop_probing();
        }
        let fine_round_trip = if advanced { self.fine_round_trip(previous) } else { None };
        let seen = AckSeen { previous, advanced, duplicate, sack: news, delivered, fine_round_trip };
        self.respond(&seen, ack.timestamp_sample, exit);
        self.repair(reported, exit);
        self.settle_timer(now);
        self.note_ack(segment, exit);
    }

    /// SND.UNA advances.
    fn advance(&mut self, now: Instant, acknowledged: Offset) {
        self.view.unacknowledged = acknowledged;
        self.view.next = self.view.next.max(acknowledged);
        self.progress_at = now;
        self.note_window_progress(now);
    }

    /// What the send log says of the round-trip time, once SND.UNA has advanced.
    fn fine_round_trip(&mut self, previous: Offset) -> Option<f64> {
        let View { now, unacknowledged, .. } = self.view;
        let sample = self.view.sent.as_mut()?.acknowledge(now, previous, unacknowledged);
        sample.filter(|_| unacknowledged > self.samples_from)
    }

    /// Let congestion control and recovery respond to an acknowledgment, and do what they want.
    fn respond(&mut self, seen: &AckSeen, timestamp_sample: Option<Duration>, exit: &mut Exit<'_>) {
        let acked = Acked {
            bytes: self.view.unacknowledged.saturating_since(seen.previous),
            delivered: seen.delivered,
            duplicate: seen.duplicate,
            fine_round_trip: seen.fine_round_trip,
            in_recovery: self.recovery.in_recovery(),
        };
        self.control.observe(&acked, &self.view);
        self.recovery.on_ack(seen, &self.view, &mut self.commands);
        self.apply_all(Some(&acked), timestamp_sample, exit);
    }

    /// An acknowledgment reports that a packet was marked: the window falls, once for what is outstanding (RFC 3168 section 6.1.2).
    fn reduce_if_marked(&mut self, segment: &Segment, acknowledged: u64, exit: &mut Exit<'_>) {
        if !exit.header.ecn.agreed {
            return;
        }
        let is_new = self.view.unacknowledged > self.reduced_until && !self.recovery.in_recovery();
        let report = exit.header.ecn.take_report(segment, self.view.segments(acknowledged));
        if report != Report::Nothing && is_new {
            self.statistics.window_cuts += 1;
            self.view.window = self.control.on_marks(&self.view);
            self.reduced_until = self.view.highest_sent;
            exit.header.ecn.reduce();
        }
    }

    /// Record the SACK blocks: whether they contained anything new, and by how many bytes what is recorded
    /// has grown or, where the cumulative acknowledgment has passed it, shrunk.
    fn take_sack(&mut self, segment: &Segment, negotiated: bool) -> (News, i64) {
        if !negotiated || (segment.sack.is_empty() && self.view.scoreboard.is_empty()) {
            return (News::default(), 0);
        }
        let (floor, initial, highest) = (self.view.unacknowledged, self.initial, self.view.highest_sent);
        let valid = |left: Offset, right: Offset| floor <= left && left < right && right <= highest;
        let blocks = segment.sack.iter().filter_map(|block| {
            let (left, right) = (floor.nearest(block.left, initial)?, floor.nearest(block.right, initial)?);
            valid(left, right).then_some((left, right))
        });
        let before = self.view.scoreboard.total();
        let most = most_ranges(self.view.largest_peer_window, self.view.segment_size);
        let news = self.view.scoreboard.take_in(floor, blocks, most);
        (news, self.view.scoreboard.total() as i64 - before as i64)
    }

    fn note_ack(&self, segment: &Segment, exit: &mut Exit<'_>) {
        let port = exit.header.local.port;
        exit.out.event(|| Event::AckReceived { port, acknowledgment: segment.acknowledgment });
        self.note_state(exit);
    }
    fn note_state(&self, exit: &mut Exit<'_>) {
        let port = exit.header.local.port;
        exit.out.event(|| Event::Sender { port, sample: self.sample() });
    }

    /// The state, for traces.
    pub(crate) fn sample(&self) -> SenderSample {
        SenderSample {
            congestion_window: self.view.window.congestion,
            slow_start_threshold: self.view.window.threshold,
            bytes_in_flight: self.view.outstanding() as u32,
            duplicate_acks: self.recovery.duplicate_acks(),
            smoothed_round_trip_time: self.view.round_trip.smoothed,
            round_trip_time_variation: self.view.round_trip.variation,
            retransmission_timeout: self.timeout(),
            backoff: self.backoff(),
        }
    }

    /// The retransmission timeout, with its back-off.
    pub(crate) fn timeout(&self) -> Duration {
        self.tracking.as_ref().map_or_else(|| self.estimator.timeout(), |tracking| tracking.timeout().0)
    }
    fn backoff(&self) -> u32 {
        let doublings = |tracking: &Tracking| 1 << tracking.timeout().1.min(16);
        self.tracking.as_deref().map_or_else(|| self.estimator.backoff(), doublings)
    }

    /// Send what may be sent, because the application supplied data or the connection opened.
    pub(crate) fn pump(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.tracking.is_some() {
            return self.pump_tracked(now, exit);
        }
        self.view.now = now;
        self.restart_if_idle(now);
        self.commands.push(Command::SEND);
        self.apply_all(None, None, exit);
        self.settle_timer(now);
        self.note_state(exit);
    }

    /// The timer of [`Sender::timer`] has expired.
    pub(crate) fn on_timer(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.tracking.is_some() {
            return self.on_timer_tracked(now, exit);
        }
        self.view.now = now;
        if self.recovery_wakes_at <= now {
            return self.wake_recovery(exit);
        }
        self.probing |= self.view.peer_window == 0;
        if self.probing {
            self.probe(exit);
            return;
        }
        self.statistics.timeouts += 1;
        let port = exit.header.local.port;
        exit.out.event(|| Event::RetransmissionTimeout { port });
        let stuck_at = self.view.unacknowledged;
        self.timeout_is_repeated = self.timed_out_at.replace(stuck_at) == Some(stuck_at);
        self.note_acknowledgments_lost();
        self.recovery.on_timeout(&self.view, &mut self.commands);
        self.apply_all(None, None, exit);
        self.timeout_is_repeated = false;
        self.settle_timer(now);
        self.note_state(exit);
    }

    fn wake_recovery(&mut self, exit: &mut Exit<'_>) {
        self.recovery_wakes_at = NEVER;
        self.recovery.on_wake(&self.view, &mut self.commands);
        self.apply_all(None, None, exit);
        self.settle_timer(self.view.now);
        self.note_state(exit);
    }

    fn apply_all(&mut self, acked: Option<&Acked>, timestamp_sample: Option<Duration>, exit: &mut Exit<'_>) {
        let mut applied = 0;
        while let Some(command) = self.commands.get(applied) {
            applied += 1;
            self.apply(*command, acked, timestamp_sample, exit);
        }
        self.commands.clear();
    }

    fn apply(
        &mut self,
        command: Command,
        acked: Option<&Acked>,
        sample: Option<Duration>,
        exit: &mut Exit<'_>,
    ) {
        match command {
            Command::Proceed => self.proceed(acked, sample),
            Command::SampleRoundTrip => self.sample_round_trip(sample),
            Command::EndTiming => self.end_timing(sample),
            Command::AbandonTiming => self.timing = None,
            Command::ResetBackoff => self.estimator.reset_backoff(),
            Command::BackOff => {
                self.estimator.back_off();
                self.view.round_trip = self.estimator.round_trip();
            }
            Command::RestartTimer => self.restart_timer(),
            Command::WakeAt(at) => self.recovery_wakes_at = at.unwrap_or(NEVER),
            Command::Grow => {
                if let Some(acked) = acked {
                    self.grow(acked);
                }
            }
            Command::Cut(loss) => self.cut(loss),
            Command::KeepWindow => self.keep_window(),
            Command::RestoreWindow(before) => self.restore_window(before),
            Command::SetWindow(window) => self.set_window(window),
            Command::Inflate(segments) => self.view.inflation = segments,
            Command::Rewind => self.view.next = self.view.unacknowledged,
            Command::Resume => self.view.next = self.view.highest_sent,
            Command::Retransmit(at) => {
                self.transmit(at, exit);
            }
            Command::LimitedTransmit { duplicates } => self.limited_transmit(duplicates, exit),
            Command::Send { most } => self.send(most, exit),
            Command::RenewPath { round_trip_time } => {
                self.timing = None;
                self.samples_from = self.view.highest_sent;
                self.view.window = self.control.on_path_change(round_trip_time, &self.view);
            }
            Command::ClearScoreboard => self.view.scoreboard.clear(),
            Command::NoteRecovery => {
                self.statistics.recoveries += 1;
                let port = exit.header.local.port;
                exit.out.event(|| Event::RecoveryStarted { port });
            }
        }
    }

    fn proceed(&mut self, acked: Option<&Acked>, timestamp_sample: Option<Duration>) {
        let restarts_first = self.view.parameters.ns2.timer_before_sample;
        if restarts_first {
            self.restart_timer();
        }
        self.sample_round_trip(timestamp_sample);
        if !restarts_first {
            self.restart_timer();
        }
        if let Some(acked) = acked {
            self.grow(acked);
        }
    }

    fn cut(&mut self, loss: Loss) {
        self.statistics.window_cuts += 1;
        if loss == Loss::Collapsed
            && self.timeout_is_repeated
            && self.view.parameters.window.repeated_timeout_holds_threshold
        {
            self.set_window(Window { congestion: 1.0, ..self.view.window });
        } else {
            self.view.window = self.control.on_loss(loss, &self.view);
        }
    }

    fn set_window(&mut self, window: Window) {
        self.control.on_window_replaced();
        self.view.window = window;
    }

    fn sample_round_trip(&mut self, timestamp_sample: Option<Duration>) {
        let now = self.view.now;
        match self.timing {
            Some((at, sent)) if self.view.unacknowledged > at => {
                self.timing = None;
                self.estimator.reset_backoff();
                let by_timestamps = self.view.parameters.round_trip.by_timestamps;
                let sample = timestamp_sample.filter(|_| by_timestamps).unwrap_or(now - sent);
                self.estimator.sample(now - sample, sample);
            }
            Some(_) if !self.view.parameters.round_trip.samples_every_acknowledgment => return,
            _ => match timestamp_sample {
                Some(sample) => {
                    self.estimator.reset_backoff();
                    self.estimator.sample(now - sample, sample);
                }
                None => return,
            },
        }
        self.view.round_trip = self.estimator.round_trip();
    }

    fn end_timing(&mut self, timestamp_sample: Option<Duration>) {
        if self.timing.is_some_and(|(at, _)| self.view.unacknowledged > at) {
            self.timing = None;
            self.estimator.reset_backoff();
        }
        if timestamp_sample.is_some() {
            self.sample_round_trip(timestamp_sample);
        }
    }

    fn restart_timer(&mut self) {
        self.timer = match self.view.outstanding() {
            0 => NEVER,
            _ => self.view.now + self.estimator.timeout(),
        };
    }
}
