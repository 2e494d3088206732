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
    /// The window of a segment from this side, in bytes; `None` if it is not known how it is scaled.
    pub(crate) fn window(&self, from: Side, segment: &Segment) -> Option<u32> {
        let shift = if segment.flags.contains(Flags::SYN) { 0 } else { self.0[from.index()]?.min(14) };
        Some(u32::from(segment.window) << shift)
    }
    /// Offer no more than so many bytes, but at least a unit of the window field: a window of zero would say that there is no room.
    pub(crate) fn limit(&self, from: Side, segment: &mut Segment, most: Option<u32>) {
        let (Some(most), Some(window)) = (most, self.window(from, segment)) else { return };
        if window > most {
            let shift = if segment.flags.contains(Flags::SYN) {
                0
            } else {
                self.0[from.index()].unwrap_or(0).min(14)
            };
            segment.window = (most >> shift).clamp(1, u16::MAX.into()) as u16;
        }
    }
}
