//! The packets on their way to the mobile node, in order of sequence.

use crate::after_timeout::{AT_ONCE, AfterTimeout, Answered, Sent};
use crate::exit::Exit;
use crate::listed::Listed;
use seamline_wire::{Instant, Packet, SackBlock, Segment, SequenceNumber};
use std::collections::VecDeque;

/// A packet that is kept until it is acknowledged.
#[derive(Debug)]
pub(super) struct Cached {
    pub(super) packet: Box<Packet>,
    /// When it was sent last, by whomever.
    pub(super) sent_at: Instant,
    /// How often the agent has sent it again since its sender sent it last.
    pub(super) local_retransmissions: u32,
    /// Its sender has sent it again, or it came as the first after later ones: the sender knows of the loss.
    pub(super) sender_repeats: bool,
}

impl Cached {
    fn sequence(&self) -> SequenceNumber {
        self.packet.segment.sequence
    }
    /// Whether it holds the byte at `missing`, unless that lies behind it.
    pub(super) fn begins_at_or_before(&self, missing: SequenceNumber) -> bool {
        self.sequence().is_at_or_before(missing)
    }
    pub(super) fn send_again(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.sent_at = now;
        self.local_retransmissions += 1;
        exit.retransmit(&self.packet);
    }
    fn sent(&self, listed: &Listed) -> Sent {
        let is_ambiguous = self.local_retransmissions > 0 || self.sender_repeats;
        Sent { at: self.sent_at, is_ambiguous, is_listed: listed.has(&self.packet.segment) }
    }
}

/// What was known of packets that are acknowledged together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acknowledged {
    /// When the last of them in sequence was sent last.
    pub(super) last_sent_at: Instant,
    /// What of them is answered.
    pub(super) answered: Answered,
}

/// Where a packet belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Behind all that was ever seen.
    Last,
    /// Before the one with this number.
    Before(usize),
    /// It is there already.
    Known,
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    packets: VecDeque<Cached>,
    /// What the mobile node has listed as having arrived.
    listed: Listed,
    /// The end of what was seen last in sequence.
    end: Option<SequenceNumber>,
}

impl Cache {
    pub(super) fn len(&self) -> usize {
        self.packets.len()
    }
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    pub(super) fn first(&self) -> Option<&Cached> {
        self.packets.front()
    }
    pub(super) fn first_mut(&mut self) -> Option<&mut Cached> {
        self.packets.front_mut()
    }
    /// The end of what was seen last in sequence.
    pub(super) fn end(&self) -> Option<SequenceNumber> {
        self.end
    }
    pub(super) fn place_of(&self, segment: &Segment) -> Place {
        if self.end.is_none_or(|end| segment.sequence.is_at_or_after(end)) {
            return Place::Last;
        }
        let place = self.packets.partition_point(|cached| cached.sequence().is_before(segment.sequence));
        match self.packets.get(place) {
            Some(cached) if cached.sequence() == segment.sequence => Place::Known,
            _ => Place::Before(place),
        }
    }
    /// Something was seen that is not kept.
    pub(super) fn note_end(&mut self, end: SequenceNumber) {
        self.end = Some(self.end.map_or(end, |known| known.max(end)));
    }
    pub(super) fn insert(&mut self, place: Place, packet: Box<Packet>, now: Instant) {
        self.note_end(packet.segment.end());
        let sender_repeats = place == Place::Before(0);
        let cached = Cached { packet, sent_at: now, local_retransmissions: 0, sender_repeats };
        match place {
            Place::Before(number) => self.packets.insert(number, cached),
            Place::Last | Place::Known => self.packets.push_back(cached),
        }
    }
    /// The sender sends what is kept again.
    pub(super) fn sent_by_sender_again(&mut self, sequence: SequenceNumber, now: Instant) {
        if let Some(cached) = self.packets.iter_mut().find(|cached| cached.sequence() == sequence) {
            cached.sent_at = now;
            cached.local_retransmissions = 0;
            cached.sender_repeats = true;
        }
    }
    /// Forget what lies before `acknowledgment`.
    pub(super) fn acknowledge(
        &mut self,
        acknowledgment: SequenceNumber,
        exit: &mut Exit<'_>,
    ) -> Option<Acknowledged> {
        let mut acknowledged: Option<Acknowledged> = None;
        while let Some(cached) =
            self.packets.pop_front_if(|cached| cached.packet.segment.end().is_at_or_before(acknowledgment))
        {
            let answered =
                Answered::with(acknowledged.map(|before| before.answered), cached.sent(&self.listed));
            acknowledged = Some(Acknowledged { last_sent_at: cached.sent_at, answered });
            exit.release(cached.packet);
        }
        self.note_end(acknowledgment);
        self.listed.acknowledge(acknowledgment);
        acknowledged
    }
    /// Blocks tell of what has arrived.
    pub(super) fn list(&mut self, arrived: &[SackBlock]) {
        self.listed.hear(arrived);
    }
    /// Whether the mobile node lists what arrives.
    pub(super) fn is_listed_to(&self) -> bool {
        self.listed.is_used()
    }
    /// The first of those go over the air once more that a timeout has shown to be lost, unless they did `most` times since their sender sent them last.
    pub(super) fn send_lost_again(
        &mut self,
        now: Instant,
        timeout: &AfterTimeout,
        most: u32,
        exit: &mut Exit<'_>,
    ) {
        let is_lost =
            |cached: &Cached| timeout.is_lost(cached.sent_at) && !self.listed.has(&cached.packet.segment);
        let lost = self.packets.iter_mut().filter(|it| it.local_retransmissions < most && is_lost(it));
        lost.take(AT_ONCE).for_each(|cached| cached.send_again(now, exit));
    }
    /// Everything goes over the air once more.
    pub(super) fn send_all_again(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.packets.iter_mut().for_each(|cached| cached.send_again(now, exit));
    }
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|cached| &*cached.packet)
    }
    pub(super) fn bytes(&self) -> u64 {
        self.packets.iter().map(|cached| u64::from(cached.packet.wire_bytes)).sum()
    }
    pub(super) fn clear(&mut self, exit: &mut Exit<'_>) {
        for cached in self.packets.drain(..) {
            exit.release(cached.packet);
        }
    }
}
