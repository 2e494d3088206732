//! The packets on their way to the mobile host, in order of sequence.

use crate::after_timeout::{AfterTimeout, Answered};
use crate::exit::Exit;
use crate::listed::Listed;
use seamline_wire::control::SequenceRange;
use seamline_wire::{Duration, Instant, Packet, SackBlock, SequenceNumber};
use std::collections::VecDeque;

/// A packet that is kept until it is acknowledged.
#[derive(Debug)]
pub(crate) struct Kept {
    packet: Box<Packet>,
    /// When it came from the wired side, the last time.
    came_at: Instant,
    /// When it was sent last, by its sender or the agent.
    pub(crate) sent_at: Instant,
    /// How often the agent has sent it again since it last came from the wired side.
    pub(crate) sent_again: u32,
    /// How many of these times it was asked for.
    asked_for: u32,
    /// Its sender has sent it again, or it came as the first after later ones: the sender knows of the loss.
    pub(crate) sender_repeats: bool,
}

impl Kept {
    fn range(&self) -> SequenceRange {
        SequenceRange { first: self.packet.segment.sequence, end: self.packet.segment.end() }
    }
    fn holds(&self, range: SequenceRange) -> bool {
        self.range().end.is_after(range.first) && self.range().first.is_before(range.end)
    }
    /// It was sent more than once.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.sent_again > 0 || self.sender_repeats
    }
    /// Whether it holds the byte at `missing`, unless that lies behind it.
    pub(crate) fn begins_at_or_before(&self, missing: SequenceNumber) -> bool {
        self.range().first.is_at_or_before(missing)
    }
    /// Send a copy over the air.
    pub(crate) fn send_again(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.sent_at = now;
        self.sent_again += 1;
        exit.retransmit(&self.packet, now.saturating_since(self.came_at));
    }
}

/// The packets of one connection.
#[derive(Debug, Default)]
pub(crate) struct Store {
    packets: VecDeque<Kept>,
    /// The most bytes of sequence space that one has held.
    longest: u32,
    /// What the mobile host has listed as having arrived.
    listed: Listed,
    /// The agent's last timeout, until it is over.
    timeout: Option<AfterTimeout>,
}

/// Packets retransmitted for each acknowledgment of a retransmission (slow start).
const AT_ONCE: usize = 2;

impl Store {
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }
    pub(crate) fn packets(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().map(|kept| &*kept.packet)
    }
    /// How many packets are kept.
    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }
    /// The first of them.
    pub(crate) fn first(&self) -> Option<&Kept> {
        self.packets.front()
    }
    /// The first of them.
    pub(crate) fn first_mut(&mut self) -> Option<&mut Kept> {
        self.packets.front_mut()
    }
    /// The place of the packet that begins there, or the one where it would be.
    pub(crate) fn find(&self, sequence: SequenceNumber) -> Result<usize, usize> {
        let place = self.packets.partition_point(|kept| kept.range().first.is_before(sequence));
        let is_it = self.packets.get(place).is_some_and(|kept| kept.range().first == sequence);
        if is_it { Ok(place) } else { Err(place) }
    }
    /// Keep a packet that goes over the air now, at the place that [`Store::find`] has for it.
    pub(crate) fn insert(&mut self, place: usize, packet: Box<Packet>, now: Instant, sender_repeats: bool) {
        self.longest = self.longest.max(packet.segment.sequence_length());
        let kept = Kept { packet, came_at: now, sent_at: now, sent_again: 0, asked_for: 0, sender_repeats };
        self.packets.insert(place, kept);
    }
    /// The sender sends what is kept there again.
    pub(crate) fn sent_by_sender_again(&mut self, place: usize, now: Instant) {
        let kept = &mut self.packets[place];
        (kept.came_at, kept.sent_at) = (now, now);
        (kept.sent_again, kept.asked_for, kept.sender_repeats) = (0, 0, true);
    }
    /// Keep a copy of what goes over the air now, `most` packets at most. Of two that begin alike the longer one is kept.
    pub(crate) fn keep(&mut self, now: Instant, packet: &Packet, most: u32, exit: &mut Exit<'_>) {
        let segment = &packet.segment;
        match self.find(segment.sequence) {
            Ok(place) => {
                self.sent_by_sender_again(place, now);
                let kept = &mut self.packets[place];
                if kept.packet.extra.is_none() {
                    kept.packet.segment.timestamps = segment.timestamps;
                }
                if segment.length > kept.packet.segment.length
                    && let Some(longer) = exit.keep(packet)
                {
                    exit.release(std::mem::replace(&mut kept.packet, longer));
                    self.longest = self.longest.max(segment.sequence_length());
                }
            }
            Err(_) if self.packets.len() >= most as usize => exit.counters.not_cached += 1,
            Err(place) => {
                if let Some(packet) = exit.keep(packet) {
                    self.insert(place, packet, now, false);
                }
            }
        }
    }
    /// Forget what lies before `acknowledgment`; returns what that answers.
    pub(crate) fn acknowledge(
        &mut self,
        acknowledgment: SequenceNumber,
        exit: &mut Exit<'_>,
    ) -> Option<Answered> {
        let mut answered = None;
        while let Some(kept) =
            self.packets.pop_front_if(|kept| kept.range().end.is_at_or_before(acknowledgment))
        {
            let is_listed = self.listed.has(&kept.packet.segment);
            answered = Some(Answered::with(answered, &kept, is_listed));
            exit.release(kept.packet);
        }
        if self.listed.acknowledge(acknowledgment)
            && let Some(timeout) = &mut self.timeout
        {
            timeout.judged = None;
        }
        answered
    }
    /// Blocks tell of what has arrived.
    pub(crate) fn list(&mut self, arrived: &[SackBlock]) {
        self.listed.hear(arrived);
    }
    /// The packet that holds the byte `at`, of several the one that begins last. Not only that one is looked at: a sender that cuts its
    /// segments otherwise when it sends again leaves a short packet inside a long one.
    pub(crate) fn holding(&self, at: SequenceNumber) -> Option<&Kept> {
        let before = self.packets.range(..self.place_after(at)).rev();
        let mut reach = before.take_while(|kept| at.saturating_since(kept.range().first) < self.longest);
        reach.find(|kept| kept.range().end.is_after(at))
    }
    /// The place of the first packet that begins behind `at`.
    fn place_after(&self, at: SequenceNumber) -> usize {
        self.packets.partition_point(|kept| kept.range().first.is_at_or_before(at))
    }
    /// Those that hold bytes of a range.
    fn holding_any(&mut self, range: SequenceRange) -> impl Iterator<Item = &mut Kept> {
        let longest = self.longest;
        let is_out_of_reach =
            |kept: &Kept| range.first.saturating_since(kept.range().first) >= longest.max(1);
        let first = self.packets.partition_point(is_out_of_reach);
        let end = self.packets.partition_point(|kept| kept.range().first.is_before(range.end));
        self.packets.range_mut(first.min(end)..end).filter(move |kept| kept.holds(range))
    }
    /// Where what is kept, or missing, at `at` ends; [`SequenceNumber`]s half the space ahead if nothing is kept behind it.
    fn next_after(&self, at: SequenceNumber) -> SequenceNumber {
        if let Some(kept) = self.holding(at) {
            return kept.range().end;
        }
        let behind = self.packets.get(self.place_after(at));
        behind.map_or(SequenceNumber(at.0.wrapping_add(1 << 30)), |kept| kept.range().first)
    }
    /// What no packet holds of a range.
    pub(crate) fn absent(&self, range: SequenceRange) -> Vec<SequenceRange> {
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
    pub(crate) fn send_again(&mut self, now: Instant, range: SequenceRange, exit: &mut Exit<'_>) {
        self.holding_any(range).for_each(|kept| kept.send_again(now, exit));
    }
    /// The agent's timer has expired, and the first missing packet was retransmitted. `end` is the end of what was sent; `None` if the agent
    /// retransmits only one packet for each timeout.
    pub(crate) fn note_timeout(&mut self, now: Instant, end: Option<SequenceNumber>) {
        self.timeout = end.map(|end| AfterTimeout::new(now, end));
    }
    /// What was on its way went over another link: the last timeout says nothing about this one, and everything is sent again.
    pub(crate) fn begin_elsewhere(&mut self, now: Instant, exit: &mut Exit<'_>) {
        self.timeout = None;
        self.packets.iter_mut().for_each(|kept| kept.send_again(now, exit));
    }
    /// After a timeout, retransmit the first of the packets that it has shown to be lost, as an acknowledgment arrives, unless that shows that they
    /// arrive after all. `shortest` is the shortest round trip seen. Packets are retransmitted `most` times since they came from the wired side.
    /// Returns the timeout if it is not over.
    pub(crate) fn continue_after_timeout(
        &mut self,
        now: Instant,
        acknowledgment: SequenceNumber,
        answered: Option<&Answered>,
        shortest: Duration,
        most: u32,
        exit: &mut Exit<'_>,
    ) -> Option<AfterTimeout> {
        let lists = self.listed.is_used();
        let continues =
            |it: &mut AfterTimeout| it.shows_more_losses(now, acknowledgment, answered, lists, shortest);
        self.timeout.take_if(|it| !continues(it));
        let mut timeout = self.timeout?;
        let first = timeout.judged.map_or(0, |judged| self.place_after(judged));
        let mut left = AT_ONCE;
        for kept in self.packets.range_mut(first..) {
            let is_lost = timeout.is_lost(kept.sent_at) && !self.listed.has(&kept.packet.segment);
            if kept.sent_again < most && is_lost {
                kept.send_again(now, exit);
                left -= 1;
            }
            timeout.judged = Some(kept.range().first);
            if left == 0 {
                break;
            }
        }
        self.timeout = Some(timeout);
        Some(timeout)
    }
    /// Send everything that holds bytes of a range again because it is requested, at most `most` times since it came from the wired side, also for forged requests.
    pub(crate) fn send_asked_for(
        &mut self,
        now: Instant,
        range: SequenceRange,
        most: u32,
        exit: &mut Exit<'_>,
    ) {
        for kept in self.holding_any(range).filter(|kept| kept.asked_for < most) {
            kept.asked_for += 1;
            kept.send_again(now, exit);
        }
    }
    /// Send everything from there on, which has only waited so far.
    pub(crate) fn send_waiting(&mut self, now: Instant, from: SequenceNumber, exit: &mut Exit<'_>) {
        let first = self.packets.partition_point(|kept| kept.range().first.is_before(from));
        for kept in self.packets.range_mut(first..) {
            kept.sent_at = now;
            exit.send_kept(&kept.packet, now.saturating_since(kept.came_at));
        }
    }
    /// Send everything from there on again (go-back-N); returns how many packets that were.
    pub(crate) fn send_all_again(&mut self, now: Instant, from: SequenceNumber, exit: &mut Exit<'_>) -> u32 {
        let behind = self.packets.iter_mut().filter(|kept| kept.range().end.is_after(from));
        behind.map(|kept| kept.send_again(now, exit)).count() as u32
    }
    pub(crate) fn first_sequence(&self) -> Option<SequenceNumber> {
        self.packets.front().map(|kept| kept.range().first)
    }
    pub(crate) fn clear(&mut self, exit: &mut Exit<'_>) {
        self.packets.drain(..).for_each(|kept| exit.release(kept.packet));
    }
}
