//! The packets that wait for a transmitter whose conditions change.

use super::counters::Sink;
use crate::queue::{ActiveManagement, Backlog, Head, Limit, QueueConfig};
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Instant, Packet};
use std::collections::VecDeque;

/// A packet that waits, or waited until its transmission began.
#[derive(Debug)]
pub(super) struct Waited {
    pub(super) since: Instant,
    pub(super) packet: Box<Packet>,
}

impl Waited {
    fn size(&self) -> u64 {
        u64::from(self.packet.wire_bytes)
    }
}

#[derive(Debug)]
pub(super) struct WaitingRoom {
    packets: VecDeque<Waited>,
    bytes: u64,
    limit: Option<Limit>,
    /// With the numbers that it draws.
    management: Option<(Box<dyn ActiveManagement>, Stream)>,
}

impl WaitingRoom {
    pub(super) fn new(config: QueueConfig, stream: Stream) -> Self {
        let management = config.management().map(|management| (management, stream));
        WaitingRoom { packets: VecDeque::new(), bytes: 0, limit: config.limit(), management }
    }

    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Let a packet in, or give it back when there is no room.
    pub(super) fn offer(
        &mut self,
        now: Instant,
        packet: Box<Packet>,
        transmitter_is_free: bool,
    ) -> Result<(), Box<Packet>> {
        let found = Backlog { transmitter_is_free, packets: self.packets.len() as u64, bytes: self.bytes };
        if self.limit.is_some_and(|limit| !limit.admits(found, packet.wire_bytes)) {
            return Err(packet);
        }
        self.bytes += u64::from(packet.wire_bytes);
        self.packets.push_back(Waited { since: now, packet });
        Ok(())
    }

    /// Put a packet back whose transmission was broken off.
    pub(super) fn put_back(&mut self, waited: Waited) {
        self.bytes += waited.size();
        self.packets.push_front(waited);
    }

    /// The packet to transmit next, after active queue management has had its say.
    pub(super) fn next(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Waited> {
        if let Some((mut management, mut stream)) = self.management.take() {
            let head = self.head();
            management.before_sending(now, head, &mut stream, &mut || {
                self.lose_first(DropCause::ActiveQueueManagement, sink);
                self.head()
            });
            self.management = Some((management, stream));
        }
        self.pop()
    }

    /// Take out those that are wanted.
    pub(super) fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        let (taken, left): (Vec<Waited>, _) =
            self.packets.drain(..).partition(|waited| wanted(&waited.packet));
        self.packets = left.into();
        self.bytes -= taken.iter().map(Waited::size).sum::<u64>();
        taken.into_iter().map(|waited| waited.packet).collect()
    }

    /// Everything that waits is lost.
    pub(super) fn lose_all(&mut self, cause: DropCause, sink: &mut Sink<'_>) {
        while !self.packets.is_empty() {
            self.lose_first(cause, sink);
        }
    }

    fn lose_first(&mut self, cause: DropCause, sink: &mut Sink<'_>) {
        if let Some(waited) = self.pop() {
            sink.lose(cause, waited.packet);
        }
    }

    fn head(&self) -> Option<Head> {
        let first = self.packets.front()?;
        Some(Head { since: first.since, bytes_behind: self.bytes - first.size() })
    }

    fn pop(&mut self) -> Option<Waited> {
        let waited = self.packets.pop_front()?;
        self.bytes -= waited.size();
        Some(waited)
    }
}
