//! Packets in their order of arrival, which all disciplines are made of, and disciplines with one such queue.

use super::{Backlog, Discipline, Limit};
use crate::link::Sink;
use seamline_wire::{DropCause, Duration, Instant, Packet};
use std::collections::VecDeque;
use std::fmt::Debug;

/// A packet that waits, or waited until its transmission began.
#[derive(Debug)]
pub(crate) struct Waited {
    pub(crate) since: Instant,
    pub(crate) packet: Box<Packet>,
}

impl Waited {
    pub(super) fn size(&self) -> u64 {
        u64::from(self.packet.wire_bytes)
    }
}

/// First in, first out.
#[derive(Debug, Default)]
pub(super) struct Fifo {
    packets: VecDeque<Waited>,
    bytes: u64,
}

impl Fifo {
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
    pub(super) fn first(&self) -> Option<&Waited> {
        self.packets.front()
    }
    /// How long the first packet has waited; zero where there is none.
    pub(super) fn delay(&self, now: Instant) -> Duration {
        self.first().map_or(Duration::ZERO, |first| now.saturating_since(first.since))
    }
    pub(super) fn push(&mut self, now: Instant, packet: Box<Packet>) {
        self.bytes += u64::from(packet.wire_bytes);
        self.packets.push_back(Waited { since: now, packet });
    }
    pub(super) fn push_front(&mut self, waited: Waited) {
        self.bytes += waited.size();
        self.packets.push_front(waited);
    }
    pub(super) fn pop(&mut self) -> Option<Waited> {
        let waited = self.packets.pop_front()?;
        self.bytes -= waited.size();
        Some(waited)
    }
    pub(super) fn lose_first(&mut self, cause: DropCause, sink: &mut Sink<'_>) {
        if let Some(waited) = self.pop() {
            sink.lose(cause, waited.packet);
        }
    }
    /// Mark the first packet; `false` where it is not ECN-capable.
    pub(super) fn mark_first(&mut self, sink: &mut Sink<'_>) -> bool {
        self.packets.front_mut().is_some_and(|first| sink.mark(&mut first.packet))
    }
    /// Take out those that are wanted.
    pub(super) fn withdraw(
        &mut self,
        wanted: &mut dyn FnMut(&Packet) -> bool,
        taken: &mut VecDeque<Box<Packet>>,
    ) {
        for waited in std::mem::take(&mut self.packets) {
            if wanted(&waited.packet) {
                self.bytes -= waited.size();
                taken.push_back(waited.packet);
            } else {
                self.packets.push_back(waited);
            }
        }
    }
}

/// Active queue management of one queue.
pub(super) trait Management: Debug + Send {
    /// Whether a packet for which there is room may enter the queue; it may be marked.
    fn admits(&mut self, _now: Instant, _packet: &mut Packet, _queue: &Fifo, _sink: &mut Sink<'_>) -> bool {
        true
    }
    /// The packet to send next. Others may be dropped before it.
    fn take(&mut self, _now: Instant, queue: &mut Fifo, _sink: &mut Sink<'_>) -> Option<Waited> {
        queue.pop()
    }
}

/// Nothing is dropped but what finds the queue full.
impl Management for () {}

/// A discipline with one queue.
#[derive(Debug)]
pub(super) struct Single<M> {
    queue: Fifo,
    limit: Option<Limit>,
    management: M,
}

impl<M> Single<M> {
    pub(super) fn new(limit: Option<Limit>, management: M) -> Self {
        Single { queue: Fifo::default(), limit, management }
    }
}

impl<M: Management> Discipline for Single<M> {
    fn enqueue(
        &mut self,
        now: Instant,
        mut packet: Box<Packet>,
        transmitter_is_free: bool,
        sink: &mut Sink<'_>,
    ) -> bool {
        let (packets, bytes) = (self.queue.len() as u64, self.queue.bytes());
        let found = Backlog { transmitter_is_free, packets, bytes };
        if self.limit.is_some_and(|limit| !limit.admits(found, packet.wire_bytes)) {
            sink.lose(DropCause::QueueOverflow, packet);
            return false;
        }
        if !self.management.admits(now, &mut packet, &self.queue, sink) {
            sink.lose(DropCause::ActiveQueueManagement, packet);
            return false;
        }
        self.queue.push(now, packet);
        true
    }
    fn dequeue(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited> {
        self.management.take(now, &mut self.queue, sink)
    }
    fn put_back(&mut self, waited: Waited) {
        self.queue.push_front(waited);
    }
    fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        let mut taken = VecDeque::new();
        self.queue.withdraw(wanted, &mut taken);
        taken
    }
    fn len(&self) -> usize {
        self.queue.len()
    }
    fn bytes(&self) -> u64 {
        self.queue.bytes()
    }
}
