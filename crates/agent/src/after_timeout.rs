//! What an agent does when its timer has shown that the air has lost something: it goes on from loss to loss as acknowledgments come.

use seamline_wire::{Duration, Instant, SequenceNumber};

/// A timeout of an agent, as long as not all is acknowledged that was under way then.
///
/// After its timeout a sender of TCP takes all that is under way for lost, and sends it again as acknowledgments come (RFC 5681 section 3.1). An agent
/// that sent one packet at each of its timeouts would not only be slower: the acknowledgment of each has the sender begin its own timer anew (RFC 6298
/// section 5.3), and that of an old copy tells it of a long round trip (RFC 7323 section 4), so that a sender that has sent all of it twice already would
/// wait for the agent, packet after packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AfterTimeout {
    at: Instant,
    end: SequenceNumber,
    /// How many acknowledgments have shown since that more is lost.
    answers: u32,
    /// The last acknowledgment was of bytes that had come by themselves.
    came_by_itself: bool,
}

/// So many are sent again for each acknowledgment of what was (slow start).
pub(crate) const AT_ONCE: usize = 2;

impl AfterTimeout {
    /// The timer has gone off, and the first that is missing is sent again; what was sent so far ends here.
    pub(crate) fn new(at: Instant, end: SequenceNumber) -> Self {
        AfterTimeout { at, end, answers: 0, came_by_itself: false }
    }
    /// Whether a packet that was sent last at that time is to be taken for lost: nobody has sent it since the timeout.
    pub(crate) fn is_lost(&self, sent_at: Instant) -> bool {
        sent_at < self.at
    }
    /// Whether an acknowledgment that brings news shows that more is lost: not all has arrived, and nothing by itself, for then the air has only
    /// held it up.
    ///
    /// Something has where bytes are acknowledged that nobody has sent again since (RFC 5682): once if the mobile host lists what has arrived (`lists`), for it
    /// would have listed these if they had waited for the repair; otherwise twice in a row. And something has where the acknowledgment comes too soon to be one of
    /// what was sent again: in less than half of `shortest`, the shortest round trip that was ever seen, which may have had longer packets, or more of them.
    pub(crate) fn goes_on(
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
    /// Whether repairs arrive: what came once may have been late.
    pub(crate) fn is_answered(&self) -> bool {
        self.answers >= 2
    }
}

/// What is known of packets that are acknowledged together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    /// When that was sent which was sent last. An acknowledgment that waited for a repair answers that, and not what had come before it.
    latest: Instant,
    /// That was sent more than once, so it is not known which of them is answered.
    is_ambiguous: bool,
    /// When the last of them in sequence was sent last.
    pub(crate) last_in_sequence: Instant,
    /// When the earliest was sent last of those that had not been listed as having arrived.
    earliest: Option<Instant>,
}

/// A packet that is kept until it is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// When it was sent last, by whomever.
    pub(crate) at: Instant,
    /// More than once.
    pub(crate) is_ambiguous: bool,
    /// The mobile host has listed it as having arrived (RFC 2018).
    pub(crate) is_listed: bool,
}

impl Answered {
    /// One packet more, to those before it.
    pub(crate) fn with(before: Option<Self>, sent: Sent) -> Self {
        let unlisted = Some(sent.at).filter(|_| !sent.is_listed);
        let Some(before) = before else {
            return Answered {
                latest: sent.at,
                is_ambiguous: sent.is_ambiguous,
                last_in_sequence: sent.at,
                earliest: unlisted,
            };
        };
        let is_later = before.latest <= sent.at;
        Answered {
            latest: before.latest.max(sent.at),
            is_ambiguous: if is_later { sent.is_ambiguous } else { before.is_ambiguous },
            last_in_sequence: sent.at,
            earliest: before.earliest.into_iter().chain(unlisted).min(),
        }
    }
    /// How long the answer took, if it is known to what it is one.
    pub(crate) fn round_trip_time(&self, now: Instant) -> Option<Duration> {
        (!self.is_ambiguous).then(|| self.age(now))
    }
    fn age(&self, now: Instant) -> Duration {
        now.saturating_since(self.latest)
    }
}
