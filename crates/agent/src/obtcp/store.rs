//! The packets on their way to the mobile host, in order of sequence.

use crate::after_timeout::{AT_ONCE, AfterTimeout, Answered, Sent};
use crate::exit::Exit;
use crate::listed::Listed;
use seamline_wire::control::SequenceRange;
use seamline_wire::{Instant, Packet, SackBlock, SequenceNumber};
use std::collections::VecDeque;

/// A packet that is kept until it is acknowledged.
#[derive(Debug)]
pub(super) struct Kept {
    packet: Box<Packet>,
    /// When it was sent last, by whomever.
    pub(super) sent_at: Instant,
    /// How often the agent has sent it again since it last came from the wired side.
    pub(super) sent_again: u32,
    /// How many of these times somebody asked for it.
    asked_for: u32,
    /// It came from the wired side more than once, or was sent again: its acknowledgment says nothing about time.
    is_ambiguous: bool,
}

impl Kept {
    fn range(&self) -> SequenceRange {
        SequenceRange { first: self.packet.segment.sequence, end: self.packet.segment.end() }
    }
    fn holds(&self, range: SequenceRange) -> bool {
        self.range().end.is_after(range.first) && self.range().first.is_before(range.end)
    }
}

#[derive(Debug, Default)]
pub(super) struct Store {
    packets: VecDeque<Kept>,
    /// What the mobile host has listed as having arrived.
    listed: Listed,
}

impl Store {
    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    pub(super) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|kept| &*kept.packet)
    }
    pub(super) fn bytes(&self) -> u64 {
        self.packets.iter().map(|kept| u64::from(kept.packet.wire_bytes)).sum()
    }
    /// Keep a copy of what goes over the air now, `most` packets at most. Of two that begin alike the longer one is kept.
    pub(super) fn keep(&mut self, now: Instant, packet: &Packet, most: u32, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        let place = self.packets.partition_point(|kept| kept.range().first.is_before(segment.sequence));
        if let Some(kept) = self.packets.get_mut(place).filter(|kept| kept.range().first == segment.sequence)
        {
            (kept.sent_at, kept.sent_again, kept.asked_for, kept.is_ambiguous) = (now, 0, 0, true);
            if segment.length > kept.packet.segment.length
                && let Some(longer) = exit.keep(packet)
            {
                exit.release(std::mem::replace(&mut kept.packet, longer));
            }
            return;
        }
        if self.packets.len() >= most as usize {
            exit.counters.not_cached += 1;
            return;
        }
        let Some(packet) = exit.keep(packet) else { return };
        let kept = Kept { packet, sent_at: now, sent_again: 0, asked_for: 0, is_ambiguous: false };
        self.packets.insert(place, kept);
    }
    /// Forget what lies before `acknowledgment`; returns what that answers.
    pub(super) fn acknowledge(
        &mut self,
        acknowledgment: SequenceNumber,
        exit: &mut Exit<'_>,
    ) -> Option<Answered> {
        let mut answered = None;
        while let Some(kept) =
            self.packets.pop_front_if(|kept| kept.range().end.is_at_or_before(acknowledgment))
        {
            let is_listed = self.listed.has(&kept.packet.segment);
            let sent = Sent { at: kept.sent_at, is_ambiguous: kept.is_ambiguous, is_listed };
            answered = Some(Answered::with(answered, sent));
            exit.release(kept.packet);
        }
        self.listed.acknowledge(acknowledgment);
        answered
    }
    /// Blocks tell of what has arrived.
    pub(super) fn list(&mut self, arrived: &[SackBlock]) {
        self.listed.hear(arrived);
    }
    /// Whether the mobile host lists what arrives.
    pub(super) fn is_listed_to(&self) -> bool {
        self.listed.is_used()
    }
    /// The packet that holds the byte `at`, of several the one that begins last. Not only that one is looked at: a sender that cuts its
    /// segments otherwise when it sends again leaves a short packet inside a long one.
    pub(super) fn holding(&self, at: SequenceNumber) -> Option<&Kept> {
        let behind = self.packets.partition_point(|kept| kept.range().first.is_at_or_before(at));
        self.packets.range(..behind).rev().find(|kept| kept.range().end.is_after(at))
    }
    /// Where what is kept, or missing, at `at` ends; [`SequenceNumber`]s half the space ahead if nothing is kept behind it.
    fn next_after(&self, at: SequenceNumber) -> SequenceNumber {
        if let Some(kept) = self.holding(at) {
            return kept.range().end;
        }
        let behind = self.packets.iter().find(|kept| kept.range().first.is_after(at));
        behind.map_or(SequenceNumber(at.0.wrapping_add(1 << 30)), |kept| kept.range().first)
    }
    /// What no packet holds of a range.
    pub(super) fn absent(&self, range: SequenceRange) -> Vec<SequenceRange> {
        let mut absent = Vec::new();
        let mut from = range.first;
        while from.is_before(range.end) {
            let end = self.next_after(from).min(range.end);
            if self.holding(from).is_none() {
                absent.push(SequenceRange { first: from, end });
            }
            from = end;
        }
        absent
    }
    /// Send everything that holds bytes of a range again.
    pub(super) fn send_again(&mut self, now: Instant, range: SequenceRange, exit: &mut Exit<'_>) {
        let held = self.packets.iter_mut().filter(|kept| kept.holds(range));
        held.for_each(|kept| send(kept, now, exit));
    }
    /// Send the first of those again that a timeout has shown to be lost, unless they were sent again `most` times since they came from the wired side.
    pub(super) fn send_lost_again(
        &mut self,
        now: Instant,
        timeout: &AfterTimeout,
        most: u32,
        exit: &mut Exit<'_>,
    ) {
        let is_lost = |kept: &Kept| timeout.is_lost(kept.sent_at) && !self.listed.has(&kept.packet.segment);
        let lost = self.packets.iter_mut().filter(|kept| kept.sent_again < most && is_lost(kept));
        lost.take(AT_ONCE).for_each(|kept| send(kept, now, exit));
    }
    /// Send everything that holds bytes of a range again because somebody asks for it; nothing more often than `most` times since it came from the wired side, whoever asks.
    pub(super) fn send_asked_for(
        &mut self,
        now: Instant,
        range: SequenceRange,
        most: u32,
        exit: &mut Exit<'_>,
    ) {
        for kept in self.packets.iter_mut().filter(|kept| kept.holds(range) && kept.asked_for < most) {
            kept.asked_for += 1;
            send(kept, now, exit);
        }
    }
    /// Send everything from there on again (go-back-N); returns how many packets that were.
    pub(super) fn send_all_again(&mut self, now: Instant, from: SequenceNumber, exit: &mut Exit<'_>) -> u32 {
        let behind = self.packets.iter_mut().filter(|kept| kept.range().end.is_after(from));
        behind.map(|kept| send(kept, now, exit)).count() as u32
    }
    pub(super) fn first_sequence(&self) -> Option<SequenceNumber> {
        self.packets.front().map(|kept| kept.range().first)
    }
    pub(super) fn clear(&mut self, exit: &mut Exit<'_>) {
        self.packets.drain(..).for_each(|kept| exit.release(kept.packet));
    }
}

fn send(kept: &mut Kept, now: Instant, exit: &mut Exit<'_>) {
    kept.sent_at = now;
    kept.sent_again += 1;
    kept.is_ambiguous = true;
    exit.retransmit(&kept.packet);
}
