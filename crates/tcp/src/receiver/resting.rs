//! A receiver to which nothing is on its way.

use super::Receiver;
use crate::offset::Offset;
use crate::parameters::Parameters;
use seamline_wire::SequenceNumber;

#[derive(Debug)]
pub(crate) struct RestingReceiver {
    pub(crate) next: Offset,
    initial: SequenceNumber,
    /// From `next` on.
    offered: u32,
    buffer: u32,
    longest_payload: u32,
    window_shift: u8,
}

impl Receiver {
    /// What there is to know when everything that has come was in order, is read and acknowledged; `None` otherwise.
    pub(crate) fn rest(&self) -> Option<RestingReceiver> {
        let all_is_read = self.read == self.next && !self.finished;
        let all_is_in_order = self.out_of_order.is_empty() && self.recent.is_empty() && self.fin_at.is_none();
        let all_is_acknowledged = self.last_acknowledged == self.next
            && self.segments_unacknowledged == 0
            && self.acknowledge_at.is_none()
            && !self.acknowledge_now
            && self.duplicate.is_none();
        let rests = all_is_read && all_is_in_order && all_is_acknowledged && !self.closed_on_purpose;
        let offered = self.offered_edge.0.checked_sub(self.next.0).filter(|_| rests)?;
        Some(RestingReceiver {
            next: self.next,
            initial: self.initial,
            offered: u32::try_from(offered).ok()?,
            buffer: self.parameters.buffer,
            longest_payload: self.longest_payload,
            window_shift: self.window_shift,
        })
    }
    pub(crate) fn wake(resting: &RestingReceiver, parameters: &Parameters) -> Self {
        let size = u32::from(parameters.segments.maximum_segment_size);
        let &RestingReceiver { next, initial, offered, buffer, longest_payload, window_shift } = resting;
        let mut receiver = Receiver::new(parameters.receiver.clone(), initial, next, window_shift, size);
        receiver.parameters.buffer = buffer;
        receiver.offered_edge = next + u64::from(offered);
        receiver.longest_payload = longest_payload;
        receiver
    }
}
