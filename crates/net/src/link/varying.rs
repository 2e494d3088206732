//! The general path: a link whose rate, delay or presence changes, or whose queue drops at departure.
//!
//! It is driven by its own four kinds of events, taken strictly in the order of their times, and at
//! one time in the order of [`LinkEvent`]. However late a wake comes, each counts at its nominal time.

use super::constant::Carried;
use super::counters::Sink;
use crate::queue::{Discipline, Waited};
use crate::schedule::{
    Arriving, Capacity, Handover, Handovers, InFlight, InService, Opportunity, Queued, Reordering, Schedule,
    Steps,
};
use seamline_wire::{DropCause, Duration, Event, HandoverPhase, Instant, Packet, Rate};
use std::collections::VecDeque;

/// The events of a link itself, in the order in which it happens at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LinkEvent {
    HandoverEnds,
    Transmission,
    HandoverBegins,
    Arrival,
}

/// The packet in service.
#[derive(Debug)]
struct Transmission {
    waited: Waited,
    /// When it will be sent; [`Instant::MAX`] when that depends on opportunities.
    ends: Instant,
    /// Bytes not yet sent, for a transmitter that sends at opportunities.
    left: u64,
}

#[derive(Debug)]
pub(super) struct Varying {
    capacity: Capacity,
    /// The next chance to send, where there are chances and something to send.
    next_chance: Option<Opportunity>,
    one_way_delay: Steps<Duration>,
    reordering: Reordering,
    waiting: Box<dyn Discipline>,
    in_service: Option<Transmission>,
    in_flight: VecDeque<Carried>,
    handovers: Handovers,
    next_handover: usize,
    /// The handover that is under way.
    down: Option<Handover>,
}

impl Varying {
    pub(super) fn new(
        rate: Rate,
        one_way_delay: Duration,
        waiting: Box<dyn Discipline>,
        schedule: Schedule,
    ) -> Self {
        Varying {
            capacity: schedule.capacity.unwrap_or_else(|| Steps::constant(rate).into()),
            next_chance: None,
            one_way_delay: schedule.one_way_delay.unwrap_or_else(|| Steps::constant(one_way_delay)),
            reordering: schedule.reordering,
            waiting,
            in_service: None,
            in_flight: VecDeque::new(),
            handovers: schedule.handovers,
            next_handover: 0,
            down: None,
        }
    }

    /// Take a packet in, or lose it. Everything up to `now` has happened already.
    pub(super) fn offer(&mut self, now: Instant, packet: Box<Packet>, sink: &mut Sink<'_>) {
        if self.down.is_some_and(|handover| handover.fates.arriving == Arriving::Drop) {
            return sink.lose(DropCause::LinkDown, packet);
        }
        let size = packet.wire_bytes;
        if !self.waiting.enqueue(now, packet, self.is_free(), sink) {
            return;
        }
        sink.counters.accepted.count(size);
        if let Capacity::Opportunities(chances) = &self.capacity {
            self.next_chance.get_or_insert_with(|| chances.next_after(now));
        }
        self.begin_transmission(now, sink);
        self.note_queue(sink);
    }

    /// Let everything happen that is due by `now`.
    pub(super) fn advance(&mut self, now: Instant, sink: &mut Sink<'_>) {
        while let Some((at, event)) = self.next_event()
            && at <= now
        {
            match event {
                LinkEvent::HandoverEnds => self.end_handover(at, sink),
                LinkEvent::Transmission => self.transmit(at, sink),
                LinkEvent::HandoverBegins => self.begin_handover(sink),
                LinkEvent::Arrival => {
                    self.in_flight.pop_front().into_iter().for_each(|c| sink.deliver(at, c.packet));
                }
            }
        }
    }

    /// Take out those that wait and are wanted. Everything up to now has happened already.
    pub(super) fn withdraw(&mut self, wanted: &mut dyn FnMut(&Packet) -> bool) -> VecDeque<Box<Packet>> {
        self.waiting.withdraw(wanted)
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.next_event().map(|(at, _)| at)
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len() + usize::from(self.in_service.is_some()) + self.in_flight.len()
    }

    fn next_event(&self) -> Option<(Instant, LinkEvent)> {
        let events = self.events().into_iter();
        events.filter_map(|(at, event)| at.filter(|at| *at < Instant::MAX).map(|at| (at, event))).min()
    }

    fn events(&self) -> [(Option<Instant>, LinkEvent); 4] {
        let transmission = match self.capacity {
            Capacity::Rate(_) => self.in_service.as_ref().map(|sending| sending.ends),
            Capacity::Opportunities(_) => self.next_chance.map(|chance| chance.at),
        };
        let begins = self.handovers.as_slice().get(self.next_handover).map(|handover| handover.at);
        [
            (self.down.map(|handover| handover.end()), LinkEvent::HandoverEnds),
            (transmission, LinkEvent::Transmission),
            (begins, LinkEvent::HandoverBegins),
            (self.in_flight.front().map(|carried| carried.arrival), LinkEvent::Arrival),
        ]
    }

    /// Whether a packet would go straight into service.
    fn is_free(&self) -> bool {
        let sends_at_once = matches!(self.capacity, Capacity::Rate(_));
        sends_at_once && self.in_service.is_none() && self.down.is_none()
    }

    fn begin_transmission(&mut self, now: Instant, sink: &mut Sink<'_>) {
        if !self.is_free() {
            return;
        }
        if let Some(waited) = self.waiting.dequeue(now, sink)
            && let Capacity::Rate(rate) = &self.capacity
        {
            let ends = rate.end_of_transmission(now, waited.packet.wire_bytes);
            self.in_service = Some(Transmission { waited, ends, left: 0 });
        }
    }

    fn transmit(&mut self, now: Instant, sink: &mut Sink<'_>) {
        match self.capacity {
            Capacity::Rate(_) => {
                if let Some(sent) = self.in_service.take() {
                    self.leave(now, sent.waited.packet, sink);
                }
                self.begin_transmission(now, sink);
            }
            Capacity::Opportunities(_) => self.use_opportunity(now, sink),
        }
        self.note_queue(sink);
    }

    fn use_opportunity(&mut self, now: Instant, sink: &mut Sink<'_>) {
        let mut chance = self.next_chance.take().map_or(0, |chance| chance.bytes);
        while chance > 0 {
            let Some(mut sending) = self.in_service.take().or_else(|| self.next_for_opportunity(now, sink))
            else {
                break;
            };
            let sent = sending.left.min(chance);
            sending.left -= sent;
            chance -= sent;
            if sending.left == 0 {
                self.leave(now, sending.waited.packet, sink);
            } else {
                self.in_service = Some(sending);
            }
        }
        let is_idle = self.in_service.is_none() && self.waiting.len() == 0;
        if let Capacity::Opportunities(chances) = &self.capacity
            && !is_idle
        {
            self.next_chance = Some(chances.next_after(now));
        }
    }

    fn next_for_opportunity(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<Transmission> {
        if self.down.is_some() {
            return None;
        }
        let waited = self.waiting.dequeue(now, sink)?;
        let left = u64::from(waited.packet.wire_bytes);
        Some(Transmission { waited, ends: Instant::MAX, left })
    }

    /// A packet has left the transmitter.
    fn leave(&mut self, now: Instant, packet: Box<Packet>, sink: &mut Sink<'_>) {
        if self.down.is_some_and(|handover| handover.fates.in_flight == InFlight::Drop) {
            return sink.lose(DropCause::LinkDown, packet);
        }
        let mut arrival = now + self.one_way_delay.at(now);
        let last = self.in_flight.back().map_or(Instant::ZERO, |carried| carried.arrival);
        match self.reordering {
            Reordering::Prevented => arrival = arrival.max(last),
            Reordering::Allowed if arrival < last => {
                let place = self.in_flight.partition_point(|carried| carried.arrival <= arrival);
                return self.in_flight.insert(place, Carried { arrival, packet });
            }
            Reordering::Allowed => {}
        }
        self.in_flight.push_back(Carried { arrival, packet });
    }

    fn begin_handover(&mut self, sink: &mut Sink<'_>) {
        let handover = self.handovers.as_slice()[self.next_handover];
        self.next_handover += 1;
        self.down = Some(handover);
        sink.out.event(|| Event::Handover(HandoverPhase::Started));
        if handover.fates.in_flight == InFlight::Drop {
            self.in_flight.drain(..).for_each(|carried| sink.lose(DropCause::LinkDown, carried.packet));
        }
        let broken_off = match handover.fates.in_service {
            InService::Finish => None,
            InService::Restart | InService::Drop => self.in_service.take(),
        };
        if handover.fates.queued == Queued::Drop {
            let waiting = self.waiting.withdraw(&mut |_| true);
            waiting.into_iter().for_each(|packet| sink.lose(DropCause::LinkDown, packet));
        }
        match broken_off {
            Some(lost) if handover.fates.in_service == InService::Drop => {
                sink.lose(DropCause::LinkDown, lost.waited.packet);
            }
            Some(kept) => self.waiting.put_back(kept.waited),
            None => {}
        }
        self.note_queue(sink);
    }

    fn end_handover(&mut self, now: Instant, sink: &mut Sink<'_>) {
        self.down = None;
        sink.out.event(|| Event::Handover(HandoverPhase::Completed));
        self.begin_transmission(now, sink);
        self.note_queue(sink);
    }

    /// The shortest delay of all times.
    pub(super) fn least_delay(&self) -> Duration {
        let delays = self.one_way_delay.points().iter().map(|(_, delay)| *delay);
        delays.min().unwrap_or(Duration::ZERO)
    }

    pub(super) fn in_flight(&self) -> impl Iterator<Item = &Carried> {
        self.in_flight.iter()
    }

    /// A time before which nothing reaches the far end that has not left the transmitter.
    pub(super) fn earliest_after_transmission(&self) -> Option<Instant> {
        let events = self.events().into_iter().filter(|(_, event)| *event != LinkEvent::Arrival);
        events.filter_map(|(at, _)| at).min().map(|at| at + self.least_delay())
    }

    /// When packets in flight may be lost next. [`Instant::MAX`] for never.
    pub(super) fn next_loss_in_flight(&self) -> Instant {
        let handovers = self.handovers.as_slice().iter().skip(self.next_handover);
        let losing = handovers.filter(|handover| handover.fates.in_flight == InFlight::Drop);
        losing.map(|handover| handover.at).min().unwrap_or(Instant::MAX)
    }

    fn note_queue(&self, sink: &mut Sink<'_>) {
        let sending = self.in_service.as_ref().map(|sending| sending.waited.packet.wire_bytes);
        sink.out.event(|| Event::Queue {
            packets: saturated((self.waiting.len() + usize::from(sending.is_some())) as u64),
            bytes: saturated(self.waiting.bytes() + u64::from(sending.unwrap_or(0))),
        });
    }
}

/// For reports, whose counts are narrower.
pub(super) fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
