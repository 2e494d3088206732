//! The exact log: one entry for each stretch of sequence space that left in one segment last.

use super::Sent;
use crate::offset::Offset;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug)]
struct Segment {
    begin: Offset,
    end: Offset,
    sent: Sent,
}

/// Outstanding segments in order of position, disjoint. What is sent again with other boundaries than
/// before takes over the part it covers; the rest keeps its history.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments(VecDeque<Segment>);

impl Segments {
    /// The entry of the segment that holds `offset`; the default when none does.
    pub(super) fn get(&self, offset: Offset) -> Sent {
        let after = self.0.partition_point(|segment| segment.begin <= offset);
        let holder = after.checked_sub(1).map(|place| self.0[place]);
        holder.filter(|segment| offset < segment.end).map(|segment| segment.sent).unwrap_or_default()
    }

    /// `begin..end` leaves: a transmission more than whatever of it has left most often.
    pub(super) fn record(&mut self, begin: Offset, end: Offset, sent: Sent) {
        if self.0.back().is_none_or(|last| last.end <= begin) {
            self.0.push_back(Segment { begin, end, sent });
            return;
        }
        let first = self.0.partition_point(|segment| segment.end <= begin);
        let last = self.0.partition_point(|segment| segment.begin < end);
        let before = self.0.get(first).filter(|segment| segment.begin < begin).copied();
        let behind = last.checked_sub(1).map(|place| self.0[place]).filter(|segment| segment.end > end);
        let most = self.0.range(first..last).map(|segment| segment.sent.transmissions).max().unwrap_or(0);
        let sent = Sent { transmissions: most + sent.transmissions, ..sent };
        if last == first + 1 && before.is_none() && behind.is_none() {
            self.0[first] = Segment { begin, end, sent };
            return;
        }
        self.0.drain(first..last);
        if let Some(rest) = behind {
            self.0.insert(first, Segment { begin: end, ..rest });
        }
        self.0.insert(first, Segment { begin, end, sent });
        if let Some(rest) = before {
            self.0.insert(first, Segment { end: begin, ..rest });
        }
    }

    /// Forget everything before `to`. Returns the entry of the last segment that had begun before it.
    pub(super) fn acknowledge(&mut self, to: Offset) -> Option<Sent> {
        let mut newest = None;
        while let Some(segment) = self.0.front_mut().filter(|segment| segment.begin < to) {
            newest = Some(segment.sent);
            if segment.end > to {
                segment.begin = to;
                break;
            }
            self.0.pop_front();
        }
        newest
    }
}
