//! Data that one side sends, and what the other side acknowledges.

use super::gaps::Gaps;
use super::{By, Measurements};
use crate::heard::{Heard, News};
use crate::key::Side;
use crate::round_trip::RoundTrip;
use seamline_wire::{Duration, Instant, Segment, SequenceNumber};

/// The shortest timeout of Linux (`TCP_RTO_MIN`), by which the least variation of the round trip is bounded, too.
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(200);

/// The first loss that is not repaired.
#[derive(Clone, Copy, Debug)]
struct Loss {
    /// Its first sign.
    since: Instant,
    /// The byte that is missing.
    missing: SequenceNumber,
    /// Who sent that again first.
    by: Option<By>,
}

#[derive(Debug)]
pub(super) struct Direction {
    /// The end of the data that has passed; `None` if it is not known what passed last.
    end: Option<SequenceNumber>,
    /// What its receiver has acknowledged.
    heard: Heard,
    gaps: Gaps,
    /// The end of a segment, and when it passed.
    timed: Option<(SequenceNumber, Instant)>,
    /// To the receiver and back.
    round_trip: RoundTrip,
    /// When the receiver last had more of the data, or when the data passed for which it is waited now.
    progress_at: Instant,
    loss: Option<Loss>,
}

impl Default for Direction {
    fn default() -> Self {
        Direction {
            end: None,
            heard: Heard::default(),
            gaps: Gaps::default(),
            timed: None,
            round_trip: RoundTrip::of_data(SHORTEST_TIMEOUT, SHORTEST_TIMEOUT),
            progress_at: Instant::ZERO,
            loss: None,
        }
    }
}

impl Direction {
    /// Data passes.
    pub(super) fn on_data(&mut self, now: Instant, from: Side, segment: &Segment, all: &mut Measurements) {
        let losses = &mut all.directions[from.index()];
        losses.segments += 1;
        let (first, last) = (segment.sequence, segment.end());
        let Some(end) = self.end else {
            // It may have been sent before: its acknowledgment says nothing of the path.
            (self.end, self.progress_at) = (Some(last), now);
            return;
        };
        if first.is_before(end) {
            let fills = self.gaps.fill(first, last);
            *(if fills { &mut losses.missing } else { &mut losses.seen_twice }) += 1;
            self.on_retransmission(now, segment, fills);
        } else {
            if first.is_after(end) {
                self.gaps.push(end, first);
                self.timed = None;
            }
            if !self.is_under_way(end) {
                self.progress_at = now;
            }
            if self.timed.is_none() && self.gaps.is_empty() && self.loss.is_none() {
                self.timed = Some((last, now));
            }
        }
        self.end = Some(end.max(last));
    }

    /// The receiver acknowledges.
    pub(super) fn on_acknowledgment(
        &mut self,
        now: Instant,
        from: Side,
        segment: &Segment,
        all: &mut Measurements,
    ) {
        let before = self.heard.acknowledged;
        let is_under_way = self.end.is_some_and(|end| self.is_under_way(end));
        match self.heard.hear(segment) {
            News::Progress if before.is_none() => self.progress_at = now,
            News::Progress => self.on_progress(now, from, segment.acknowledgment, is_under_way, all),
            News::Duplicate | News::NewGap if is_under_way => {
                self.timed = None;
                let missing = segment.acknowledgment;
                self.loss.get_or_insert(Loss { since: now, missing, by: None });
            }
            News::Duplicate | News::NewGap | News::Old | News::More | News::Repeated => {}
        }
    }

    fn on_progress(
        &mut self,
        now: Instant,
        from: Side,
        acknowledged: SequenceNumber,
        was_under_way: bool,
        all: &mut Measurements,
    ) {
        let silence = now.saturating_since(self.progress_at);
        if was_under_way && silence > self.round_trip.timeout() {
            all.stalls[from.index()].observe(silence);
        }
        self.progress_at = now;
        self.gaps.forget_before(acknowledged);
        if let Some((_, at)) = self.timed.take_if(|(end, _)| end.is_at_or_before(acknowledged)) {
            self.on_round_trip(from, now.saturating_since(at), all);
        }
        if let Some(loss) = self.loss.take_if(|loss| acknowledged.is_after(loss.missing)) {
            let took = now.saturating_since(loss.since);
            match loss.by {
                Some(By::Agent) => all.repairs_by_agent.observe(took),
                Some(By::Sender) => all.repairs_by_sender[from.index()].observe(took),
                // It was only overtaken, or sent again before its first sign.
                None => {}
            }
        }
    }

    /// The receiver has answered after this time.
    pub(super) fn on_round_trip(&mut self, from: Side, round_trip_time: Duration, all: &mut Measurements) {
        self.round_trip.sample(round_trip_time);
        all.round_trips[from.other().index()].observe(round_trip_time);
    }

    /// The sender sends a segment again. If nothing else has shown its loss, this is the first sign. What only fills a gap may have been overtaken.
    fn on_retransmission(&mut self, now: Instant, segment: &Segment, fills_gap: bool) {
        self.timed = None;
        let Some(acknowledged) = self.heard.acknowledged else { return };
        let missing = self.loss.map_or(acknowledged, |loss| loss.missing);
        let holds_it = segment.sequence.is_at_or_before(missing) && segment.end().is_after(missing);
        if holds_it && !(fills_gap && self.loss.is_none()) {
            let loss = self.loss.get_or_insert(Loss { since: now, missing, by: None });
            loss.by.get_or_insert(By::Sender);
        }
    }

    /// The agent has sent data again, which it does from the first missing byte on.
    pub(super) fn on_local_retransmission(&mut self, now: Instant) {
        self.timed = None;
        let Some(missing) = self.heard.acknowledged else { return };
        let loss = self.loss.get_or_insert(Loss { since: now, missing, by: None });
        loss.by.get_or_insert(By::Agent);
    }

    /// What passes is not shown for a while.
    pub(super) fn lose_track(&mut self) {
        (self.end, self.timed, self.loss) = (None, None, None);
        self.gaps.clear();
    }

    fn is_under_way(&self, end: SequenceNumber) -> bool {
        self.heard.acknowledged.is_some_and(|acknowledged| end.is_after(acknowledged))
    }
}
