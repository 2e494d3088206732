//! Making the host's own sender retransmit at once when its link is back: TCP that hears of connectivity disruptions (RFC 6069).
//!
//! During an outage the retransmission timer doubles with each retransmission. RFC 6069 lets a message of ICMP that quotes the
//! first unacknowledged segment undo one doubling; when the timer would then have run out already, the segment is sent at once.
//! A host may send itself such messages.

use seamline_wire::{Duration, SequenceNumber};

/// Messages for one connection after one interruption, at most: more doublings than Linux's 120 s allow from 1 ms.
pub const MOST_MESSAGES: u8 = 16;
/// How often a message is repeated that had no effect: the socket may have been in the hands of its application.
const ATTEMPTS: u8 = 3;

/// Messages to the other end of a connection, whose timer is not known, when this host has sent nothing for so long: as many as a timer
/// of 200 ms, Linux's least, can have doubled meanwhile. More than needed do no harm: each makes the next timer shorter, none shorter than it is
/// without doublings.
pub fn messages_after(silence: Duration) -> u8 {
    const LEAST_TIMER: Duration = Duration::from_millis(200);
    const MOST: u8 = 10;
    let periods = silence.as_nanos() / LEAST_TIMER.as_nanos();
    // The timer has gone off after 1, 3, 7, 15 of them.
    let timeouts = (periods + 1).ilog2() as u8;
    timeouts.min(MOST)
}

/// What the kernel says of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelView {
    /// The state by the kernel's number; see [`KernelView::is_synchronized`].
    pub state: u8,
    /// Bytes (and a FIN) sent and not acknowledged: SND.NXT - SND.UNA.
    pub unacknowledged: u32,
    /// Bytes acknowledged since the connection began: by as much as this grows, SND.UNA does.
    pub acknowledged: u64,
    /// Bytes (and a FIN) received in order since the connection began: by as much as this grows, RCV.NXT does.
    pub received: u64,
    /// How many times the retransmission timer is doubled.
    pub backoff: u8,
    /// Timeouts in a row without progress.
    pub timeouts: u8,
    /// Retransmissions since the connection began.
    pub retransmissions: u32,
    /// Whether both ends send timestamps (RFC 7323).
    pub has_timestamps: bool,
    /// Whether both ends may send selective acknowledgments (RFC 2018).
    pub has_sack: bool,
    /// The interface that its socket is bound to, by the kernel's number; 0 where it is to none.
    pub bound_to: u32,
    /// What marks its packets for routing; 0 where nothing does, or this process may not know.
    pub mark: u32,
    /// The smoothed round-trip time of what this host sends, if one was measured.
    pub round_trip: Option<Duration>,
    /// Its mean deviation.
    pub round_trip_deviation: Option<Duration>,
    /// The round-trip time as its receiver estimates it, if it has.
    pub receiver_round_trip: Option<Duration>,
}

impl KernelView {
    /// Whether both ends know each other's numbers and neither is through with the connection: an acknowledgment makes sense.
    pub fn is_synchronized(&self) -> bool {
        // ESTABLISHED, FIN-WAIT-1, FIN-WAIT-2, CLOSE-WAIT, LAST-ACK, CLOSING (include/net/tcp_states.h).
        matches!(self.state, 1 | 4 | 5 | 8 | 9 | 11)
    }

    /// Whether something waits for a timer that is doubled.
    pub fn is_stuck(&self) -> bool {
        self.unacknowledged > 0 && self.backoff > 0 && self.timeouts > 0
    }

    /// The larger of the round-trip times in the two directions, that of what this host sends with its deviation: a pure receiver has
    /// measured only its first segments.
    pub fn loaded_round_trip(&self) -> Option<Duration> {
        let sent = self.round_trip.map(|mean| mean + self.round_trip_deviation.unwrap_or_default());
        sent.max(self.receiver_round_trip)
    }
}

/// Where a connection stood at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    unacknowledged: SequenceNumber,
    acknowledged: u64,
}

impl Standing {
    /// At a time at which nothing beyond `next` has been sent. What is sent into an interface without a carrier is dropped before
    /// it is observed, so that later the next number is unknown.
    pub fn new(next: SequenceNumber, view: &KernelView) -> Self {
        Standing { unacknowledged: next - view.unacknowledged, acknowledged: view.acknowledged }
    }

    /// Where SND.UNA is when the kernel says this.
    pub fn unacknowledged(&self, view: &KernelView) -> SequenceNumber {
        self.unacknowledged + view.acknowledged.saturating_sub(self.acknowledged) as u32
    }
}

/// The outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The first unacknowledged segment was sent again.
    Retransmitted,
    /// The timer is no longer doubled, and expires soon.
    Undoubled,
    /// No message had an effect.
    NoEffect,
    /// Too many would have been needed.
    GivenUp,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send a message that quotes a segment with this number, and ask the kernel again.
    Quote(SequenceNumber),
    /// It is over.
    Over(Outcome),
}

/// One connection's way back.
#[derive(Clone, Debug)]
pub struct Kick {
    /// Where SND.UNA is, or else might be.
    candidates: Vec<SequenceNumber>,
    attempts: u8,
    /// Messages sent so far.
    pub messages: u8,
    begun: KernelView,
    backoff: u8,
}

impl Kick {
    /// Begin, if there is anything to undo. `next` is SND.NXT as far as packets were seen leaving; `standing` is from when the link was
    /// lost, if that was reported, and `retransmitted` where the newest retransmission began: where packets were lost before anybody saw
    /// them, these are still right.
    pub fn new(
        next: SequenceNumber,
        standing: Option<Standing>,
        retransmitted: Option<SequenceNumber>,
        view: &KernelView,
    ) -> Option<Self> {
        let standing = standing.map(|standing| standing.unacknowledged(view));
        let all = [standing, Some(next - view.unacknowledged), retransmitted];
        let mut candidates: Vec<SequenceNumber> = Vec::new();
        for candidate in all.into_iter().flatten() {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
        // Taken from the end.
        candidates.reverse();
        view.is_stuck().then_some(Kick {
            candidates,
            attempts: 0,
            messages: 0,
            begun: *view,
            backoff: view.backoff,
        })
    }

    /// What to do now that the kernel says this.
    pub fn next(&mut self, view: &KernelView) -> Step {
        if view.retransmissions != self.begun.retransmissions {
            return Step::Over(Outcome::Retransmitted);
        }
        if view.backoff == 0 || view.unacknowledged == 0 {
            return Step::Over(Outcome::Undoubled);
        }
        if view.backoff < self.backoff {
            self.attempts = 0;
            self.backoff = view.backoff;
        }
        if self.attempts == ATTEMPTS {
            self.candidates.pop();
            self.attempts = 0;
        }
        let Some(&candidate) = self.candidates.last() else { return Step::Over(Outcome::NoEffect) };
        if self.messages == MOST_MESSAGES {
            return Step::Over(Outcome::GivenUp);
        }
        self.attempts += 1;
        self.messages += 1;
        Step::Quote(candidate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: SequenceNumber = SequenceNumber(10_000);

    fn view(backoff: u8) -> KernelView {
        KernelView {
            state: 1,
            unacknowledged: 3000,
            acknowledged: 50_000,
            backoff,
            timeouts: backoff,
            retransmissions: 5,
            has_timestamps: true,
            has_sack: true,
            ..KernelView::default()
        }
    }

    /// A kernel that undoes a doubling for each message with the right number, and retransmits after `needed` of them.
    fn run(kick: &mut Kick, una: SequenceNumber, needed: u8, mut kernel: KernelView) -> Outcome {
        let mut heard = 0;
        loop {
            match kick.next(&kernel) {
                Step::Over(outcome) => return outcome,
                Step::Quote(number) if number == una => {
                    heard += 1;
                    kernel.backoff -= 1;
                    if heard == needed {
                        kernel.retransmissions += 1;
                        kernel.backoff += 1;
                    }
                }
                Step::Quote(_) => {}
            }
        }
    }

    #[test]
    fn it_goes_on_until_the_segment_is_sent_again_and_no_further() {
        let mut kick = Kick::new(NEXT, None, None, &view(5)).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(7000), 3, view(5)), Outcome::Retransmitted);
        assert_eq!(kick.messages, 3);
    }

    #[test]
    fn a_timer_that_is_not_doubled_any_more_is_left_alone() {
        let mut kick = Kick::new(NEXT, None, None, &view(2)).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(7000), 9, view(2)), Outcome::Undoubled);
        assert_eq!(kick.messages, 2);
    }

    #[test]
    fn where_packets_left_unseen_the_last_retransmission_says_where_to_begin() {
        let una = SequenceNumber(8500);
        let mut kick = Kick::new(NEXT, None, Some(una), &view(4)).unwrap();
        assert_eq!(run(&mut kick, una, 2, view(4)), Outcome::Retransmitted);
        assert_eq!(kick.messages, ATTEMPTS + 2);
        let mut kick = Kick::new(NEXT, None, Some(una), &view(4)).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(1), 2, view(4)), Outcome::NoEffect);
        assert_eq!(kick.messages, 2 * ATTEMPTS);
    }

    /// 2000 bytes were on their way when the link was lost, 1000 more went nowhere, and then 500 of all were acknowledged.
    #[test]
    fn where_the_connection_stood_when_its_link_was_lost_is_right_though_more_was_sent_unseen() {
        let lost = KernelView { unacknowledged: 2000, acknowledged: 50_000, ..view(0) };
        let standing = Standing::new(NEXT, &lost);
        let back = KernelView { unacknowledged: 2500, acknowledged: 50_500, ..view(3) };
        let mut kick = Kick::new(NEXT, Some(standing), None, &back).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(8500), 2, back), Outcome::Retransmitted);
        assert_eq!(kick.messages, 2);
        let mut kick = Kick::new(NEXT, None, None, &back).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(8500), 2, back), Outcome::NoEffect);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut kick = Kick::new(NEXT, None, None, &view(100)).unwrap();
        assert_eq!(run(&mut kick, SequenceNumber(7000), 50, view(100)), Outcome::GivenUp);
        assert_eq!(kick.messages, MOST_MESSAGES);
    }

    #[test]
    fn without_anything_to_undo_there_is_no_kick() {
        for idle in
            [KernelView { unacknowledged: 0, ..view(3) }, KernelView { timeouts: 0, ..view(3) }, view(0)]
        {
            assert!(Kick::new(NEXT, None, None, &idle).is_none(), "{idle:?}");
        }
    }

    #[test]
    fn the_other_end_gets_a_message_for_each_timeout_that_it_can_have_had() {
        let after = |millis| messages_after(Duration::from_millis(millis));
        assert_eq!([0, 199, 200, 599, 600, 5000, 6200, 3_600_000].map(after), [0, 0, 1, 1, 2, 4, 5, 10]);
    }

    #[test]
    fn the_numbers_may_wrap() {
        let mut kick = Kick::new(SequenceNumber(1000), None, None, &view(1)).unwrap();
        assert_eq!(kick.next(&view(1)), Step::Quote(SequenceNumber(u32::MAX - 1999)));
    }
}
