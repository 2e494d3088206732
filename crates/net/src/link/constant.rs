//! The fast path: a constant rate, a constant delay and a decision on arrival only.
//!
//! Everything about a packet is known when it arrives, so it is computed once and the packet waits in one
//! list until it is delivered: one wake per packet. Which packets have left the transmitter by now is
//! found out lazily, when the limit of the queue asks for it.

use super::Entered;
use super::counters::Sink;
use super::varying::saturated;
use crate::queue::{Backlog, Limit};
use seamline_wire::{Duration, Event, Instant, Packet, Parcel, Rate};
use std::collections::VecDeque;

/// A packet inside the link.
#[derive(Debug)]
pub(super) struct Carried {
    /// When it reaches the far end.
    pub(super) arrival: Instant,
    pub(super) parcel: Parcel,
}

#[derive(Debug)]
pub(super) struct ConstantRate {
    rate: Rate,
    one_way_delay: Duration,
    limit: Option<Limit>,
    /// When the transmitter will be done with all that was accepted.
    busy_until: Instant,
    /// Accepted and not yet delivered, in order.
    inside: VecDeque<Carried>,
    /// How many of `inside`, from the front, had left the transmitter when last looked at.
    departed: usize,
    /// Bytes of the others.
    bytes_in_system: u64,
    /// The last answer of [`Rate::time_for`]: a flow's packets mostly have one size.
    last_size: u32,
    last_transmission_time: Duration,
}

impl ConstantRate {
    pub(super) fn new(rate: Rate, one_way_delay: Duration, limit: Option<Limit>) -> Self {
        ConstantRate {
            rate,
            one_way_delay,
            limit,
            busy_until: Instant::ZERO,
            inside: VecDeque::new(),
            departed: 0,
            bytes_in_system: 0,
            last_size: 0,
            last_transmission_time: rate.time_for(0),
        }
    }

    /// Take a packet in, or give it back when there is no room.
    #[inline(always)]
    pub(super) fn offer(&mut self, now: Instant, parcel: Parcel) -> Result<Entered, Parcel> {
        let size = parcel.wire_bytes();
        if let Some(limit) = self.limit
            && !limit.admits(self.backlog(now), size)
        {
            return Err(parcel);
        }
        if size != self.last_size {
            self.last_size = size;
            self.last_transmission_time = self.rate.time_for(u64::from(size));
        }
        self.busy_until = self.busy_until.max(now) + self.last_transmission_time;
        self.bytes_in_system += u64::from(size);
        let arrival = self.busy_until + self.one_way_delay;
        let entered = if self.inside.is_empty() { Entered::Alone(arrival) } else { Entered::Behind };
        self.inside.push_back(Carried { arrival, parcel });
        Ok(entered)
    }

    /// The packet that arrives at `now`, unless there is none, or others are due as well; and when the one behind it is due.
    #[inline]
    pub(super) fn deliver_only_one(&mut self, now: Instant) -> Option<(Parcel, Instant)> {
        self.inside.front().filter(|first| first.arrival == now)?;
        let first = self.inside.pop_front()?;
        let next = self.inside.front().map_or(Instant::MAX, |second| second.arrival);
        if next <= now {
            self.inside.push_front(first);
            return None;
        }
        self.note_taken(&first);
        Some((first.parcel, next))
    }

    /// Take out the first packet, if it is due by `now`.
    #[inline]
    fn take_due(&mut self, now: Instant) -> Option<Carried> {
        self.inside.front().filter(|first| first.arrival <= now)?;
        let first = self.inside.pop_front()?;
        self.note_taken(&first);
        Some(first)
    }

    #[inline]
    fn note_taken(&mut self, first: &Carried) {
        if self.departed > 0 {
            self.departed -= 1;
        } else {
            self.bytes_in_system -= u64::from(first.parcel.wire_bytes());
        }
    }

    /// Hand over everything that is due at `now`.
    #[inline]
    pub(super) fn deliver(&mut self, now: Instant, sink: &mut Sink<'_>) {
        while let Some(carried) = self.take_due(now) {
            sink.deliver(carried.arrival, carried.parcel.into_packet());
        }
    }

    /// Take out those that wait and are wanted. The others move up.
    pub(super) fn withdraw(
        &mut self,
        now: Instant,
        wanted: &mut dyn FnMut(&Packet) -> bool,
    ) -> VecDeque<Box<Packet>> {
        self.advance(now);
        let Some(in_service) = self.inside.get(self.departed) else { return VecDeque::new() };
        let mut free_at = in_service.arrival - self.one_way_delay;
        let mut taken = VecDeque::new();
        for carried in self.inside.split_off(self.departed + 1) {
            let size = u64::from(carried.parcel.wire_bytes());
            if wanted(carried.parcel.packet()) {
                self.bytes_in_system -= size;
                taken.push_back(carried.parcel.into_packet());
            } else {
                free_at += self.rate.time_for(size);
                self.inside.push_back(Carried { arrival: free_at + self.one_way_delay, ..carried });
            }
        }
        self.busy_until = free_at;
        taken
    }

    /// When the first packet is due.
    #[inline]
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.inside.front().map(|carried| carried.arrival)
    }

    pub(super) fn least_delay(&self) -> Duration {
        self.one_way_delay
    }

    pub(super) fn inside(&self) -> impl Iterator<Item = &Carried> {
        self.inside.iter()
    }

    pub(super) fn newest(&self) -> Option<&Carried> {
        self.inside.back()
    }

    pub(super) fn len(&self) -> usize {
        self.inside.len()
    }

    /// What waits or is in service at `now`.
    pub(super) fn queue_event(&mut self, now: Instant) -> Event {
        self.advance(now);
        let packets = saturated((self.inside.len() - self.departed) as u64);
        Event::Queue { packets, bytes: saturated(self.bytes_in_system) }
    }

    #[inline]
    fn backlog(&mut self, now: Instant) -> Backlog {
        self.advance(now);
        match self.inside.get(self.departed) {
            None => Backlog { transmitter_is_free: true, packets: 0, bytes: 0 },
            Some(in_service) => Backlog {
                transmitter_is_free: false,
                packets: (self.inside.len() - self.departed - 1) as u64,
                bytes: self.bytes_in_system - u64::from(in_service.parcel.wire_bytes()),
            },
        }
    }

    /// Let those go that have left the transmitter by `now`; one that leaves at `now` has left.
    #[inline]
    fn advance(&mut self, now: Instant) {
        if self.busy_until <= now {
            self.departed = self.inside.len();
            self.bytes_in_system = 0;
            return;
        }
        while let Some(next) = self.inside.get(self.departed) {
            if next.arrival - self.one_way_delay > now {
                break;
            }
            self.bytes_in_system -= u64::from(next.parcel.wire_bytes());
            self.departed += 1;
        }
    }
}
