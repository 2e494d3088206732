//! What the timestamps of a segment say (RFC 7323).

use super::*;
use crate::recovery::SpuriousDetection;

/// TS.Recent older than this is not trusted (RFC 7323 section 5.5).
const TIMESTAMP_OUTDATED_AFTER: Duration = Duration::from_secs(24 * 24 * 3600);

/// What the timestamps of a segment say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimestampCheck {
    /// It is not an old duplicate, as far as they show.
    Passed,
    /// They are not there although they were agreed on: drop it silently (RFC 7323 section 3.2).
    Missing,
    /// It is an old duplicate.
    Old,
}

impl Endpoint {
    /// Protection against wrapped sequence numbers (RFC 7323 section 5.3, R1; section 5.5).
    pub(super) fn check_timestamps(&self, now: Instant, segment: &Segment) -> TimestampCheck {
        let Some(clock) = &self.header.timestamps else { return TimestampCheck::Passed };
        let Some(timestamps) = segment.timestamps else {
            let tolerates = self.parameters.connection.tolerates_missing_timestamps;
            return if tolerates { TimestampCheck::Passed } else { TimestampCheck::Missing };
        };
        let older = (timestamps.value.wrapping_sub(clock.recent) as i32) < 0;
        let outdated = now.saturating_since(clock.recent_since) > TIMESTAMP_OUTDATED_AFTER;
        if older && !outdated { TimestampCheck::Old } else { TimestampCheck::Passed }
    }

    /// Whether a segment whose timestamp is old can do no harm, and may have been overtaken: it repeats the last acknowledgment and changes
    /// nothing else, and is not older than a retransmission timeout (Linux: tcp_disordered_ack).
    pub(super) fn is_disordered_acknowledgment(&self, segment: &Segment, start: Option<Offset>) -> bool {
        let view = &self.sender.view;
        let (Some(clock), Some(times)) = (&self.header.timestamps, segment.timestamps) else { return false };
        let window = u64::from(segment.window) << self.peer_window_shift;
        let next = self.receiver.next();
        // Linux allows for clocks of 1200 Hz.
        let replayed = self.sender.sample().retransmission_timeout.as_millis() * 1200 / 1000;
        self.parameters.connection.tolerates_disordered_acknowledgments
            && segment.flags.intersects(Flags::ACK)
            && segment.sequence_length() == 0
            && start == Some(next)
            && self.sender.offset(segment.acknowledgment) == Some(view.unacknowledged)
            && next == self.last_window_update.0
            && (1..=view.peer_window).contains(&window)
            && u64::from(clock.recent.wrapping_sub(times.value)) <= replayed
    }

    /// RFC 7323 section 5.3, R3 (section 4.3): TS.Recent is the timestamp of the segment that the next
    /// acknowledgment answers. Only acceptable segments get here (R2).
    pub(super) fn keep_timestamp(&mut self, now: Instant, segment: &Segment, start: Offset) {
        let last_acknowledged = self.receiver.last_acknowledged();
        let Some(clock) = &mut self.header.timestamps else { return };
        let is_newer = |value: u32| value.wrapping_sub(clock.recent) as i32 >= 0;
        let keeps_older = now.saturating_since(clock.recent_since) <= TIMESTAMP_OUTDATED_AFTER;
        if let Some(timestamps) =
            segment.timestamps.filter(|it| start <= last_acknowledged && (is_newer(it.value) || !keeps_older))
        {
            clock.keep(now, timestamps.value);
        }
    }

    /// The round-trip time by the timestamp echoed (RFC 7323 section 4.1); an echo of what our clock has
    /// not shown yet is none.
    pub(super) fn timestamp_sample(&self, now: Instant, segment: &Segment) -> Option<Duration> {
        let clock = self.header.timestamps.as_ref()?;
        let echo = segment.timestamps?.echo;
        let shown = clock.value(now).wrapping_sub(echo) as i32 >= 0;
        (echo != 0 && shown).then(|| clock.since(now, echo).max(clock.tick))
    }
    /// Whether what acknowledges our SYN echoes the first one's timestamp, so that later ones were needless, where that is looked at
    /// (Linux: tcp_try_undo_spurious_syn).
    pub(super) fn answers_first_syn(&self, segment: &Segment) -> bool {
        let (Some(clock), Some(times)) = (&self.header.timestamps, segment.timestamps) else { return false };
        let first = self.sender.opened_at().map(|at| clock.value(at));
        self.parameters.recovery.spurious_detection != SpuriousDetection::None && first == Some(times.echo)
    }
    /// Whether an answer to our SYN echoes a timestamp from before it or after now, where that matters; zero is no echo.
    pub(super) fn is_echo_false(&self, now: Instant, segment: &Segment) -> bool {
        let (Some(clock), Some(times)) = (&self.header.timestamps, segment.timestamps) else { return false };
        let sent = self.sender.opened_at().map_or(0, |at| clock.value(at));
        let is_between = times.echo.wrapping_sub(sent) <= clock.value(now).wrapping_sub(sent);
        self.parameters.connection.rejects_false_echoes && times.echo != 0 && !is_between
    }
}
