//! Comparisons with ns-2: its profiles, and where its code differs from the papers and RFCs that it implements. With the feature
//! `ns2`; nothing but a comparison needs it.

#[cfg(feature = "ns2")]
mod profiles;
mod ring;

#[cfg(feature = "ns2")]
pub use profiles::{NS2_2_1B7, NS2_2_1B8, NS2_2_26, NS2_2_27, NS2_2010};
pub(crate) use ring::Ring;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What ns-2 does differently. By default nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quirks {
    /// Headers count as 40 bytes and 8 for each SACK block; other options are free, and a mark shortens no segment.
    pub flat_headers: bool,
    /// A sender hears of losses over the air from duplicate acknowledgments alone, and only the first of them has the segment sent
    /// again, unless that lies right behind the one that was sent again last. None lets a new segment go; each counts towards the
    /// threshold of fast retransmit without reaching it. The retransmission timer and the timing of a segment run on (`eln_`,
    /// `TcpAgent::tcp_eln`). Not for SACK, which has no `eln_` there.
    pub first_marked_duplicate_repairs: bool,
    /// A new acknowledgment restarts the retransmission timer before its round-trip time and the end of the back-off are known (before May 2001,
    /// `timerfix_`).
    pub timer_before_sample: bool,
    /// Vegas.
    pub vegas: VegasQuirks,
}

/// Where ns-2's Vegas differs from Brakmo and Peterson (1995).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VegasQuirks {
    /// The difference of the rates is rounded to whole segments before it is compared: the window stays from half a segment below
    /// alpha to half a segment above beta, and slow start ends half a segment above gamma.
    pub rounds_difference: bool,
    /// The clock of the fine-grained timers; `None` for the time of the run.
    pub clock: Option<DrivenClock>,
    /// The send log is an array of so many segments, usually the window limit. When an acknowledgment crosses the end of the array,
    /// the sweep stops early and stale transmission counts remain; the segment sent first gives no sample; a segment that is not
    /// outstanding counts as sent one second before the first; and the log is cleared when the first segment is sent again.
    pub log_segments: Option<u32>,
    /// The window in segments that the second new acknowledgment sets.
    pub window_at_second_ack: Option<f64>,
    /// When duplicates have inflated the window, the next new acknowledgment deflates it to the window after the last cut, even
    /// when a timeout has forgotten that window. Then no window is left, and the sender stands still until the next timeout.
    pub deflates_to_forgotten_window: bool,
    /// A loss among the segments that left at the very first instant cuts no window, because that instant counts as the time of
    /// the last cut.
    pub spares_first_burst: bool,
    /// A round whose segments were all retransmitted gives a sample: the time that it took. Late arrivals of the original
    /// segments can end such a round at once, and then BaseRTT and the window stay far too low. Without this, a time below the
    /// minimum round-trip time is no sample.
    pub samples_retransmitted_rounds: bool,
}

/// A clock that adds up floating-point numbers, as ns-2's does: seconds since the start of the run, as the bits of an `f64`. The driver of the endpoint sets it before each step. A comparison
/// with ns-2 needs it where the rounding of ns-2's sums decides between two equal times.
#[derive(Clone, Debug, Default)]
pub struct DrivenClock(pub Arc<AtomicU64>);

impl DrivenClock {
    pub(crate) fn seconds(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }
}

impl PartialEq for DrivenClock {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[cfg(feature = "ns2")]
impl crate::Parameters {
    /// What ns-2 does differently, to be changed.
    pub fn ns2(&mut self) -> &mut Quirks {
        &mut self.ns2
    }
}
