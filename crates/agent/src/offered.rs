//! The windows that hosts offer, made smaller on their way.

use crate::key::Side;
use seamline_wire::{Flags, Segment};

/// By side: how its windows are scaled (RFC 7323 section 2); `None` as long as its SYN has not been seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scales([Option<u8>; 2]);

impl Scales {
    /// A segment comes from this side. Windows are scaled only if both SYNs say so.
    pub(crate) fn hear(&mut self, from: Side, segment: &Segment) {
        if segment.flags.contains(Flags::SYN) {
            self.0[from.index()] = Some(segment.window_scale.unwrap_or(0));
            if segment.flags.contains(Flags::ACK) && segment.window_scale.is_none() {
                self.0[from.other().index()] = Some(0);
            }
        }
    }
    /// Offer no more than so many bytes, rounded up to a unit of the window field: a window of zero would say that there is no room.
    pub(crate) fn limit(&self, from: Side, segment: &mut Segment, most: Option<u32>) {
        let (Some(most), Some(shift)) = (most, self.shift(from, segment)) else { return };
        let units = most.max(1).div_ceil(1 << shift);
        segment.window = segment.window.min(u16::try_from(units).unwrap_or(u16::MAX));
    }
    fn shift(&self, from: Side, segment: &Segment) -> Option<u8> {
        if segment.flags.contains(Flags::SYN) { Some(0) } else { Some(self.0[from.index()]?.min(14)) }
    }
}
