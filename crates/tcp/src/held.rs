//! Acknowledgments that a handover scheme keeps back until the peer can hear them (mobility-vegas-2020, section 4.2).

use seamline_wire::Segment;

/// Acknowledgments in the order in which they fell due. Each acknowledges more than the one before, so there are no more of
/// them than bytes in the window that was offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldAcknowledgments(Option<Vec<Segment>>);

impl HeldAcknowledgments {
    pub(crate) fn is_holding(&self) -> bool {
        self.0.is_some()
    }
    /// From now on.
    pub(crate) fn hold(&mut self) {
        self.0.get_or_insert_default();
    }
    /// Keep this one, unless it repeats the last.
    pub(crate) fn keep(&mut self, segment: Segment) {
        if let Some(held) = &mut self.0
            && held.last().is_none_or(|last| last.acknowledgment != segment.acknowledgment)
        {
            held.push(segment);
        }
    }
    /// Another segment leaves, which acknowledges all that they do.
    pub(crate) fn overtake(&mut self) {
        if let Some(held) = &mut self.0 {
            held.clear();
        }
    }
    /// Keep none any more; these were.
    pub(crate) fn release(&mut self) -> Vec<Segment> {
        self.0.take().unwrap_or_default()
    }
}
