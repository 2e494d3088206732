//! The general path: a link whose rate, delay or presence changes, or whose queue drops at departure.
//!
//! It is driven by its own five kinds of events, taken strictly in the order of their times, and at
//! one time in the order of [`LinkEvent`]. However late a wake comes, each counts at its nominal time.

use super::constant::Carried;
use super::counters::Sink;
use super::repair::{Frame, Repair, RepairConfig};
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
    /// The link layer learns of losses, or ends a block.
    Repair,
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
    /// For a frame that the link layer itself has put in front.
    frame: Option<Frame>,
}

/// A packet that has left the transmitter.
#[derive(Debug)]
struct Sent {
    carried: Carried,
    frame: Frame,
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
    in_flight: VecDeque<Sent>,
    repair: Option<Box<Repair>>,
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
        repair: RepairConfig,
    ) -> Self {
        Varying {
            capacity: schedule.capacity.unwrap_or_else(|| Steps::constant(rate).into()),
            next_chance: None,
            one_way_delay: schedule.one_way_delay.unwrap_or_else(|| Steps::constant(one_way_delay)),
            reordering: schedule.reordering,
            waiting,
            in_service: None,
            in_flight: VecDeque::new(),
            repair: repair.repairs().then(|| Box::new(Repair::new(repair))),
            handovers: schedule.handovers,
            next_handover: 0,
            down: None,
        }
    }

    /// Take a packet in, or lose it; whether it was taken in. Everything up to `now` has happened already.
    pub(super) fn offer(&mut self, now: Instant, packet: Box<Packet>, sink: &mut Sink<'_>) -> bool {
        if self.down.is_some_and(|handover| handover.fates.arriving == Arriving::Drop) {
            sink.lose(DropCause::LinkDown, packet);
            return false;
        }
        let size = packet.wire_bytes;
        if !self.waiting.enqueue(now, packet, self.is_free(), sink) {
            return false;
        }
        sink.counters.accepted.count(size);
        if let Capacity::Opportunities(chances) = &self.capacity {
            self.next_chance.get_or_insert_with(|| chances.next_after(now));
        }
        self.begin_transmission(now, sink);
        self.note_queue(sink);
        true
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
                LinkEvent::Repair => self.repair_losses(at, sink),
                LinkEvent::Arrival => self.arrive(at, sink),
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
        let is_packet = |frame: &Frame| !frame.is_redundancy();
        let in_service = self.in_service.as_ref().is_some_and(|it| it.frame.as_ref().is_none_or(is_packet));
        let in_flight = self.in_flight.iter().filter(|sent| is_packet(&sent.frame)).count();
        let repaired = self.repair.as_ref().map_or(0, |repair| repair.len());
        self.waiting.len() + usize::from(in_service) + in_flight + repaired
    }

    /// Whether the link layer repairs losses.
    pub(super) fn repairs(&self) -> bool {
        self.repair.is_some()
    }

    fn next_event(&self) -> Option<(Instant, LinkEvent)> {
        let events = self.events().into_iter();
        events.filter_map(|(at, event)| at.filter(|at| *at < Instant::MAX).map(|at| (at, event))).min()
    }

    fn events(&self) -> [(Option<Instant>, LinkEvent); 5] {
        let transmission = match self.capacity {
            Capacity::Rate(_) => self.in_service.as_ref().map(|sending| sending.ends),
            Capacity::Opportunities(_) => self.next_chance.map(|chance| chance.at),
        };
        let begins = self.handovers.as_slice().get(self.next_handover).map(|handover| handover.at);
        [
            (self.down.map(|handover| handover.end()), LinkEvent::HandoverEnds),
            (transmission, LinkEvent::Transmission),
            (begins, LinkEvent::HandoverBegins),
            (self.repair.as_ref().and_then(|repair| repair.wake_at()), LinkEvent::Repair),
            (self.in_flight.front().map(|sent| sent.carried.arrival), LinkEvent::Arrival),
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
        if let Some((waited, frame)) = self.next_to_send(now, sink)
            && let Capacity::Rate(rate) = &self.capacity
        {
            let ends = rate.end_of_transmission(now, waited.packet.wire_bytes);
            self.in_service = Some(Transmission { waited, ends, left: 0, frame });
        }
    }

    /// What the link layer has put in front; otherwise the next packet of the queue.
    fn next_to_send(&mut self, now: Instant, sink: &mut Sink<'_>) -> Option<(Waited, Option<Frame>)> {
        match self.repair.as_mut().and_then(|repair| repair.next()) {
            Some((frame, packet)) => Some((Waited { since: now, packet }, Some(frame))),
            None => self.waiting.dequeue(now, sink).map(|waited| (waited, None)),
        }
    }

    fn transmit(&mut self, now: Instant, sink: &mut Sink<'_>) {
        match self.capacity {
            Capacity::Rate(_) => {
                if let Some(sent) = self.in_service.take() {
                    self.leave(now, sent, sink);
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
                self.leave(now, sending, sink);
            } else {
                self.in_service = Some(sending);
            }
        }
        let is_idle = self.in_service.is_none() && self.waiting.len() == 0 && !self.has_repairs_to_send();
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
        let (waited, frame) = self.next_to_send(now, sink)?;
        let left = u64::from(waited.packet.wire_bytes);
        Some(Transmission { waited, ends: Instant::MAX, left, frame })
    }

    /// A packet has left the transmitter.
    fn leave(&mut self, now: Instant, sent: Transmission, sink: &mut Sink<'_>) {
        let Transmission { waited: Waited { packet, .. }, frame, .. } = sent;
        if self.down.is_some_and(|handover| handover.fates.in_flight == InFlight::Drop) {
            return self.drop_packet(now, frame, packet, sink);
        }
        let frame = self.note_sent(now, frame, &packet, sink);
        let mut arrival = now + self.one_way_delay.at(now);
        let last = self.in_flight.back().map_or(Instant::ZERO, |sent| sent.carried.arrival);
        match self.reordering {
            Reordering::Prevented => arrival = arrival.max(last),
            Reordering::Allowed if arrival < last => {
                let place = self.in_flight.partition_point(|sent| sent.carried.arrival <= arrival);
                return self
                    .in_flight
                    .insert(place, Sent { carried: Carried { arrival, parcel: packet.into() }, frame });
            }
            Reordering::Allowed => {}
        }
        self.in_flight.push_back(Sent { carried: Carried { arrival, parcel: packet.into() }, frame });
    }

    /// What the link layer knows of a frame that has left the transmitter.
    fn note_sent(
        &mut self,
        now: Instant,
        frame: Option<Frame>,
        packet: &Packet,
        sink: &mut Sink<'_>,
    ) -> Frame {
        let Some(repair) = &mut self.repair else { return Frame::default() };
        match frame {
            None => repair.number(now, packet, sink),
            Some(frame) => {
                repair.note_sent(&frame, packet, sink);
                frame
            }
        }
    }

    /// The first packet in flight reaches the far end.
    fn arrive(&mut self, now: Instant, sink: &mut Sink<'_>) {
        let Some(Sent { carried, frame }) = self.in_flight.pop_front() else { return };
        let packet = carried.parcel.into_packet();
        match &mut self.repair {
            None => sink.deliver(now, packet),
            Some(repair) => repair.on_arrival(now, (frame, packet), self.one_way_delay.at(now), sink),
        }
    }

    fn has_repairs_to_send(&self) -> bool {
        self.repair.as_ref().is_some_and(|repair| repair.has_next())
    }

    /// The transmitter learns of losses, or a block has waited long enough for more packets.
    fn repair_losses(&mut self, now: Instant, sink: &mut Sink<'_>) {
        if let Some(repair) = &mut self.repair {
            repair.on_wake(now, sink);
        }
        if let Capacity::Opportunities(chances) = &self.capacity
            && self.has_repairs_to_send()
        {
            self.next_chance.get_or_insert_with(|| chances.next_after(now));
        }
        self.begin_transmission(now, sink);
        self.note_queue(sink);
    }

    /// A handover drops a packet, which the link layer has sent before if it has a frame.
    fn drop_packet(&mut self, now: Instant, frame: Option<Frame>, packet: Box<Packet>, sink: &mut Sink<'_>) {
        match (&mut self.repair, frame) {
            (Some(repair), Some(frame)) => repair.on_dropped(now, (frame, packet), sink),
            _ => sink.lose(DropCause::LinkDown, packet),
        }
    }

    fn begin_handover(&mut self, sink: &mut Sink<'_>) {
        let handover = self.handovers.as_slice()[self.next_handover];
        self.next_handover += 1;
        self.down = Some(handover);
        sink.out.event(|| Event::Handover(HandoverPhase::Started));
        let now = handover.at;
        if handover.fates.in_flight == InFlight::Drop {
            for Sent { carried, frame } in std::mem::take(&mut self.in_flight) {
                self.drop_packet(now, Some(frame), carried.parcel.into_packet(), sink);
            }
        }
        let broken_off = match handover.fates.in_service {
            InService::Finish => None,
            InService::Restart | InService::Drop => self.in_service.take(),
        };
        if handover.fates.queued == Queued::Drop {
            let waiting = self.waiting.withdraw(&mut |_| true);
            waiting.into_iter().for_each(|packet| sink.lose(DropCause::LinkDown, packet));
            if let Some(repair) = &mut self.repair {
                repair.drop_waiting(now, sink);
            }
        }
        match broken_off {
            Some(lost) if handover.fates.in_service == InService::Drop => {
                self.drop_packet(now, lost.frame, lost.waited.packet, sink);
            }
            Some(kept) => self.put_back(kept),
            None => {}
        }
        self.note_queue(sink);
    }

    /// The transmission of a packet was broken off; it is sent again as a whole.
    fn put_back(&mut self, broken_off: Transmission) {
        match (&mut self.repair, broken_off.frame) {
            (Some(repair), Some(frame)) => repair.put_back((frame, broken_off.waited.packet)),
            _ => self.waiting.put_back(broken_off.waited),
        }
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
        self.in_flight.iter().map(|sent| &sent.carried)
    }

    /// A time before which nothing reaches the far end that has not left the transmitter.
    pub(super) fn earliest_after_transmission(&self) -> Option<Instant> {
        let events = self.events().into_iter().filter(|(_, event)| *event != LinkEvent::Arrival);
        events.filter_map(|(at, _)| at).min().map(|at| at + self.least_delay())
    }

    /// When packets in flight may be lost, or delayed, next. [`Instant::MAX`] for never.
    pub(super) fn next_loss_in_flight(&self) -> Instant {
        if self.repairs() {
            return Instant::ZERO;
        }
        let handovers = self.handovers.as_slice().iter().skip(self.next_handover);
        let losing = handovers.filter(|handover| handover.fates.in_flight == InFlight::Drop);
        losing.map(|handover| handover.at).min().unwrap_or(Instant::MAX)
    }

    fn note_queue(&self, sink: &mut Sink<'_>) {
        sink.out.queue_event(|| self.queue_event());
    }

    /// What waits or is in service.
    pub(super) fn queue_event(&self) -> Event {
        let sending = self.in_service.as_ref().map(|sending| sending.waited.packet.wire_bytes);
        Event::Queue {
            packets: saturated((self.waiting.len() + usize::from(sending.is_some())) as u64),
            bytes: saturated(self.waiting.bytes() + u64::from(sending.unwrap_or(0))),
        }
    }
}

/// For reports, whose counts are narrower.
pub(super) fn saturated(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
