//! A threshold on arrival, as switches of data centers have it for DCTCP: RED (Floyd and Jacobson, 1993) with both thresholds equal and
//! without an average (RFC 8257 section 3.1, Alizadeh et al., SIGCOMM 2010).

use super::fifo::{Fifo, Management};
use super::{Backlog, Limit};
use crate::link::Sink;
use seamline_wire::{Instant, Packet};

/// Parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepConfig {
    /// What may wait before packets are marked: K.
    pub threshold: Limit,
    /// Whether ECN-capable packets are marked in place of being dropped. Others are always dropped.
    pub ecn: bool,
    /// Room for waiting packets.
    pub limit: Option<Limit>,
}

#[derive(Debug)]
pub(super) struct Step(pub(super) StepConfig);

impl Management for Step {
    fn admits(&mut self, _: Instant, packet: &mut Packet, queue: &Fifo, sink: &mut Sink<'_>) -> bool {
        let (packets, bytes) = (queue.len() as u64, queue.bytes());
        let found = Backlog { transmitter_is_free: packets == 0, packets, bytes };
        self.0.threshold.admits(found, packet.wire_bytes) || (self.0.ecn && sink.mark(packet))
    }
}
