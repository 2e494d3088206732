//! What selective acknowledgments report (RFC 2018), and what they report twice (RFC 2883).

use super::acknowledging::Seen;
use super::queue::Id;
use super::*;
use seamline_wire::Segment;

/// A block as offsets.
type Block = (Offset, Offset);

/// The largest reordering that is believed (Linux, `tcp_max_reordering`).
const MOST_REORDERING: u64 = 300;

impl Run<'_, '_> {
    /// Take in the blocks of a segment.
    pub(super) fn take_blocks(&mut self, segment: &Segment, seen: &mut Seen) {
        if segment.sack.is_empty() || !self.exit.header.sack {
            return;
        }
        seen.reordered_from = self.s.view.highest_sent;
        let duplicate = self.take_duplicate(segment, seen);
        if self.t.queue.is_empty() {
            return;
        }
        let mut blocks = [(Offset::SYN, Offset::SYN, false); 4];
        let mut count = 0;
        for (index, block) in segment.sack.iter().enumerate() {
            let is_duplicate = duplicate && index == 0;
            if let Some((left, right)) = self.valid_block(block.left, block.right)
                && right > seen.previous
            {
                blocks[count] = (left, right, is_duplicate);
                count += 1;
            }
        }
        let blocks = &mut blocks[..count];
        blocks.sort_unstable();
        for &(left, right, is_duplicate) in blocks.iter() {
            self.take_block(left, right, is_duplicate, seen);
        }
        if self.t.state != RecoveryState::Loss || self.t.undo.marker.is_some() {
            self.note_reordering(seen.reordered_from);
        }
    }
    fn valid_block(
        &self,
        left: seamline_wire::SequenceNumber,
        right: seamline_wire::SequenceNumber,
    ) -> Option<Block> {
        let (left, right) = (self.s.offset(left)?, self.s.offset(right)?);
        let valid = left < right && right <= self.s.view.highest_sent && left > self.unacknowledged();
        valid.then_some((left, right))
    }

    /// The first block may report what came twice (`tcp_check_dsack`).
    fn take_duplicate(&mut self, segment: &Segment, seen: &mut Seen) -> bool {
        if !segment.sack.reports_duplicate(segment.acknowledgment) {
            return false;
        }
        let Some(first) = segment.sack.as_slice().first() else { return false };
        let (Some(left), Some(right)) = (self.s.offset(first.left), self.s.offset(first.right)) else {
            return false;
        };
        let length = right.saturating_since(left);
        if length == 0 || length > self.s.view.largest_peer_window {
            return false;
        }
        let segments = self.s.view.segments(length) as u32;
        seen.duplicate_of_probe = segments == 1 && self.t.probe.high == Some(right);
        self.s.statistics.duplicates_reported += u64::from(segments);
        if self.s.statistics.duplicates_reported > self.s.statistics.retransmissions {
            return false;
        }
        if self.t.rack.reordered > 0 && !seen.duplicate_of_probe {
            self.t.rack.duplicate_seen = true;
        }
        seen.duplicate_reported = true;
        seen.delivered_by_sack += u64::from(segments);
        let counts = self.t.undo.marker.is_some_and(|marker| right > marker && right <= seen.previous);
        if counts {
            self.note_reported(segments);
        }
        true
    }

    fn take_block(&mut self, left: Offset, right: Offset, is_duplicate: bool, seen: &mut Seen) {
        let ids = self.t.queue.ids();
        let mut at = left;
        while at < right {
            // What was reported before needs no second look, except where it is reported as having come twice.
            if !is_duplicate {
                at = self.s.view.scoreboard.next_missing(at);
                if at >= right {
                    break;
                }
            }
            let id = self.t.queue.find(at);
            if id >= ids.end {
                break;
            }
            let record = *self.t.queue.get(id);
            if left <= record.start && record.end <= right {
                self.take_segment(id, is_duplicate, seen);
            }
            at = record.end;
        }
    }
    /// SACK reports a whole segment (`tcp_sacktag_one`).
    fn take_segment(&mut self, id: Id, is_duplicate: bool, seen: &mut Seen) {
        let record = *self.t.queue.get(id);
        if is_duplicate && record.ever_resent {
            if self.t.undo.marker.is_some_and(|marker| record.end > marker) {
                self.note_reported(1);
            }
            if record.sacked {
                seen.reordered_from = seen.reordered_from.min(record.start);
            }
        }
        if !record.sacked {
            self.note_arrival(&record);
            if !record.ever_resent {
                if record.start < self.t.queue.highest_sacked(self.unacknowledged()) {
                    seen.reordered_from = seen.reordered_from.min(record.start);
                }
                seen.original_arrived |= record.end <= self.t.high;
                seen.first_sacked = seen.first_sacked.or(Some(record.sent()));
                seen.last_sacked = Some(record.sent());
            }
            let pieces = self.t.queue.rejoin(id);
            self.t.queue.mark_sacked(id);
            if let Some(buffer) = &mut self.t.buffer {
                buffer.count_pieces(pieces);
            }
            self.s.view.scoreboard.insert(record.start, record.end);
            seen.sacked = true;
            seen.delivered_by_sack += 1;
            self.t.delivery.take(&record, &mut seen.sampling);
            self.t.queue.stop_counting(id);
        }
        if is_duplicate {
            self.t.queue.settle_resent(id);
        }
    }
    pub(super) fn note_arrival(&mut self, record: &super::queue::Record) {
        let (now, minimum) = (self.now(), self.t.minimum_round_trip.get());
        self.t.rack.advance(now, record, minimum);
    }

    /// Something further right arrived before what begins at `from`, which was sent once (`tcp_check_sack_reordering`).
    pub(super) fn note_reordering(&mut self, from: Offset) {
        let highest = self.t.queue.highest_sacked(self.unacknowledged());
        if from >= highest {
            return;
        }
        let distance = highest - from;
        let size = u64::from(self.s.view.segment_size);
        if distance > u64::from(self.t.reordering) * size {
            self.t.reordering = distance.div_ceil(size).min(MOST_REORDERING) as u32;
        }
        self.t.rack.reordered += 1;
    }
}
