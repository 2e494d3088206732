//! Recovery after an agent's timeout: it retransmits loss after loss as acknowledgments come.

use crate::store::Kept;
use seamline_wire::{Duration, Instant, SequenceNumber};

/// A timeout of an agent, until all that was outstanding then is acknowledged.
///
/// After a timeout a TCP sender assumes that everything outstanding is lost, and retransmits it as acknowledgments come (RFC 5681 section 3.1).
/// An agent that retransmitted one packet per timeout would be slower, and would delay the sender too: each acknowledgment restarts the
/// sender's timer (RFC 6298 section 5.3), and that of an old copy shows it a long round trip (RFC 7323 section 4). So a sender that has
/// already retransmitted everything would wait for the agent, packet after packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterTimeout {
    at: Instant,
    end: SequenceNumber,
    /// How many acknowledgments since then have shown that more is lost.
    answers: u32,
    /// The last acknowledgment was for bytes that had arrived without a retransmission.
    came_by_itself: bool,
    /// Where the last packet begins that was judged: up to there nothing is lost that was not sent again, or may not be.
    pub(crate) judged: Option<SequenceNumber>,
}

impl AfterTimeout {
    /// The timer has expired and the first missing packet was retransmitted; `end` is the end of what was sent.
    pub(crate) fn new(at: Instant, end: SequenceNumber) -> Self {
        AfterTimeout { at, end, answers: 0, came_by_itself: false, judged: None }
    }
    /// Whether a packet last sent at that time counts as lost: it was not sent since the timeout.
    pub(crate) fn is_lost(&self, sent_at: Instant) -> bool {
        sent_at < self.at
    }
    /// Whether a new acknowledgment shows that more is lost. It does not if everything has arrived, or if something arrived without a
    /// retransmission: then the air has only delayed it, and the timeout was spurious.
    ///
    /// Two signs show a spurious timeout. The first is an acknowledgment of bytes that were not retransmitted (RFC 5682): one suffices if the
    /// mobile host lists what has arrived (`lists`), because it would have listed bytes that waited for a repair; otherwise it takes two in a
    /// row. The second is an acknowledgment too soon for a retransmission: within half of `shortest`, the shortest round trip seen so far,
    /// which may have been with longer packets, or more of them.
    pub(crate) fn shows_more_losses(
        &mut self,
        now: Instant,
        acknowledgment: SequenceNumber,
        answered: Option<&Answered>,
        lists: bool,
        shortest: Duration,
    ) -> bool {
        let is_too_soon = answered.is_some_and(|it| it.is_ambiguous && it.age(now) < shortest / 2);
        let comes_by_itself = answered.and_then(|it| it.earliest).is_some_and(|at| self.is_lost(at));
        let came_before = std::mem::replace(&mut self.came_by_itself, comes_by_itself);
        self.answers += 1;
        let is_spurious = is_too_soon || (comes_by_itself && (lists || came_before));
        !is_spurious && acknowledgment.is_before(self.end)
    }
    /// Whether repairs arrive: a single answer may only have been late.
    pub(crate) fn is_answered(&self) -> bool {
        self.answers >= 2
    }
}

/// What is known of packets that one acknowledgment covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// When the last-sent packet was sent. An acknowledgment that waited for a repair answers that packet.
    latest: Instant,
    /// That packet was sent more than once, so it is unknown which copy is answered.
    is_ambiguous: bool,
    /// When the last packet in sequence was last sent.
    pub(crate) last_in_sequence: Instant,
    /// The earliest time at which one was last sent, of those not listed as having arrived.
    earliest: Option<Instant>,
}

impl Answered {
    /// One packet more than `before`. `is_listed`: the mobile host has listed it as having arrived (RFC 2018).
    pub(crate) fn with(before: Option<Self>, packet: &Kept, is_listed: bool) -> Self {
        let sent_at = packet.sent_at;
        let (latest, is_ambiguous, earliest) =
            before.map_or((sent_at, false, None), |it| (it.latest, it.is_ambiguous, it.earliest));
        let unlisted = Some(sent_at).filter(|_| !is_listed);
        Answered {
            latest: latest.max(sent_at),
            is_ambiguous: if latest <= sent_at { packet.is_ambiguous() } else { is_ambiguous },
            last_in_sequence: sent_at,
            earliest: earliest.into_iter().chain(unlisted).min(),
        }
    }
    /// The round-trip time, if it is known which copy was answered.
    pub(crate) fn round_trip_time(&self, now: Instant) -> Option<Duration> {
        (!self.is_ambiguous).then(|| self.age(now))
    }
    fn age(&self, now: Instant) -> Duration {
        now.saturating_since(self.latest)
    }
}
