//! A wire in one direction: queue, transmitter, propagation, errors.
//!
//! Packets come in on any port and leave by `Port(0)`. On its way a packet meets, in this order:
//!
//! 1. the error model before the queue ([`LinkConfig::head_error`]); what it takes uses no airtime,
//! 2. the queue, which may be full,
//! 3. the transmitter, one packet at a time,
//! 4. propagation for the one-way delay,
//! 5. the error model at the far end ([`LinkConfig::end_error`]), then the scheduled loss; what they take
//!    has used airtime. They see packets at their time and in their order of arrival,
//! 6. where the link layer repairs losses ([`LinkConfig::repair`]): what the error models take is restored or sent
//!    again, and packets may wait for those before them.
//!
//! Where two things happen at one time: a transmission that ends has ended before a packet arrives at the
//! queue, so that packet finds the place free.

mod constant;
mod counters;
mod far_end;
mod repair;
mod varying;

pub use counters::{Count, Counters, Drops};
pub use far_end::FarEnd;
pub use repair::{ArqConfig, Delivery, FecConfig, RepairConfig};

use crate::error::{ErrorStage, ScheduledLoss};
use crate::queue::QueueConfig;
use crate::schedule::Schedule;
use constant::{Carried, ConstantRate};
pub(crate) use counters::Sink;
use counters::survives;
use seamline_wire::random::Stream;
use seamline_wire::{DropCause, Duration, Event, Input, Instant, Machine, Outbox, Packet, Parcel, Rate};
use std::collections::VecDeque;
use varying::Varying;

/// Everything that makes a link.
#[derive(Debug)]
pub struct LinkConfig {
    /// Rate of the transmitter; a schedule with a capacity overrides it.
    pub rate: Rate,
    /// Propagation delay; a schedule with a delay overrides it.
    pub one_way_delay: Duration,
    /// What may wait for the transmitter.
    pub queue: QueueConfig,
    /// Random numbers for the queue's discipline.
    pub queue_stream: Stream,
    /// Loses packets before the queue.
    pub head_error: Option<ErrorStage>,
    /// Loses packets after propagation.
    pub end_error: Option<ErrorStage>,
    /// How the link layer repairs what the error models at the far end take.
    pub repair: RepairConfig,
    /// Conditions that change over time.
    pub scheduled: Option<Scheduled>,
}

/// A schedule as one link follows it.
#[derive(Debug)]
pub struct Scheduled {
    /// The conditions over time.
    pub schedule: Schedule,
    /// Decides which packets the scheduled loss takes.
    pub loss_stream: Stream,
}

impl LinkConfig {
    /// A link with an unlimited queue, no errors and constant conditions.
    pub fn new(rate: Rate, one_way_delay: Duration) -> Self {
        LinkConfig {
            rate,
            one_way_delay,
            queue: QueueConfig::Unlimited,
            queue_stream: Stream::new(0, "queue"),
            head_error: None,
            end_error: None,
            repair: RepairConfig::default(),
            scheduled: None,
        }
    }
}

/// A wire in one direction. See the [module](self) for the way of a packet.
///
/// With constant conditions and a queue that decides on arrival it takes one wake per packet. Listened to,
/// it reports [`seamline_wire::Event::Queue`] after every change it is stepped at: such a link is not
/// stepped when a packet leaves its queue, so departures show at the next arrival or delivery.
#[derive(Debug)]
pub struct Link {
    core: Core,
    head: Option<ErrorStage>,
    end: Vec<ErrorStage>,
    /// `arrived` stays zero here: [`Link::counters`] adds up the accepted and the refused.
    counters: Counters,
    /// Packets that were lost before they were accepted.
    refused: Count,
}

/// What the arrival of a packet at a link has changed ([`Link::enter`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The packet was accepted behind others, so that the wake time of the link is as before. The caller has to report
    /// [`Link::queue_event`] to those who listen, and nothing else.
    Behind,
    /// The packet was accepted and is alone in the link. The caller has to report the same, and wakes the link at this time.
    Alone(Instant),
    /// Anything may have changed. Everything is in the outbox.
    Otherwise,
}

#[derive(Debug)]
enum Core {
    Constant(ConstantRate),
    Varying(Box<Varying>),
}

impl Link {
    /// An empty link.
    pub fn new(config: LinkConfig) -> Self {
        let LinkConfig { rate, one_way_delay, queue, queue_stream, head_error, end_error, repair, scheduled } =
            config;
        let mut end: Vec<ErrorStage> = end_error.into_iter().collect();
        let mut schedule = Schedule::default();
        if let Some(scheduled) = scheduled {
            schedule = scheduled.schedule;
            let loss = schedule.loss.take();
            end.extend(loss.map(|loss| ScheduledLoss::new(loss, scheduled.loss_stream).into()));
        }
        let core = match queue.plain() {
            Some(limit) if schedule == Schedule::default() && !repair.repairs() => {
                Core::Constant(ConstantRate::new(rate, one_way_delay, limit))
            }
            _ => Core::Varying(Box::new(Varying::new(
                rate,
                one_way_delay,
                queue.build(queue_stream),
                schedule,
                repair,
            ))),
        };
        Link { core, head: head_error, end, counters: Counters::default(), refused: Count::default() }
    }

    /// What it has done so far.
    pub fn counters(&self) -> Counters {
        Counters { arrived: self.counters.accepted + self.refused, ..self.counters }
    }

    /// Packets waiting, in service and in flight.
    pub fn packets_inside(&self) -> usize {
        match &self.core {
            Core::Constant(core) => core.len(),
            Core::Varying(core) => core.len(),
        }
    }

    /// The shortest time in which anything gets through it.
    pub fn least_delay(&self) -> Duration {
        match &self.core {
            Core::Constant(core) => core.least_delay(),
            Core::Varying(core) => core.least_delay(),
        }
    }

    /// How long packets take from the transmitter to the far end, of a link that decides when a packet arrives as soon as it is accepted:
    /// with a constant rate and delay, a drop-tail or unlimited queue, and no repair. [`Link::withdraw`] still changes it. `None` for others.
    pub fn fixed_delay(&self) -> Option<Duration> {
        match &self.core {
            Core::Constant(core) => Some(core.least_delay()),
            Core::Varying(_) => None,
        }
    }

    /// The packet that entered such a link last, unless it has been delivered, and when it arrives.
    pub fn newest(&self) -> Option<(Instant, &Packet)> {
        match &self.core {
            Core::Constant(core) => core.newest().map(|carried| (carried.arrival, carried.parcel.packet())),
            Core::Varying(_) => None,
        }
    }

    /// A copy of what is under way to the far end of such a link.
    pub fn far_end(&self) -> Option<FarEnd> {
        match &self.core {
            Core::Constant(core) => Some(FarEnd::new(core.inside(), &self.end)),
            Core::Varying(_) => None,
        }
    }

    /// A time before which nothing that is inside reaches the far end, apart from packets that are `known`. `None` when it waits for
    /// nothing else.
    pub fn earliest_delivery(&self, known: impl Fn(&Packet) -> bool) -> Option<Instant> {
        let unknown = |carried: &&Carried| !known(carried.parcel.packet());
        match &self.core {
            Core::Constant(core) => core.inside().find(unknown).map(|carried| carried.arrival),
            Core::Varying(core) => {
                // Where losses are repaired, any arrival may release a packet that waits.
                let counts = |carried: &&Carried| core.repairs() || unknown(carried);
                let arrival = core.in_flight().find(counts).map(|carried| carried.arrival);
                arrival.into_iter().chain(core.earliest_after_transmission()).min()
            }
        }
    }

    /// Packets whose arrival at the far end is certain at `now`, in order, each with its time: nothing that enters the link from now on, or
    /// happens to it, changes that.
    pub fn certain(&self, now: Instant) -> impl Iterator<Item = (Instant, &Packet)> {
        let last = now + self.least_delay();
        let (constant, varying) = match &self.core {
            Core::Constant(core) => (Some(core.inside()), None),
            Core::Varying(core) => (None, Some((core.in_flight(), core.next_loss_in_flight()))),
        };
        let before = varying.as_ref().map_or(Instant::MAX, |(_, loss)| *loss);
        let in_flight =
            constant.into_iter().flatten().chain(varying.into_iter().flat_map(|(carried, _)| carried));
        let arrivals =
            in_flight.take_while(move |carried| carried.arrival <= last && carried.arrival < before);
        let mut end = self.end.clone();
        let reaches = move |(at, packet): &(Instant, &Packet)| survives(&mut end, *at, packet);
        arrivals.map(|carried| (carried.arrival, carried.parcel.packet())).filter(reaches)
    }

    /// Take the packets back that wait and are wanted, for a caller that has another path for them; what is in service
    /// or in flight stays. Everything that is due by `now` must have happened; the driver asks for its
    /// wake time again.
    pub fn withdraw(
        &mut self,
        now: Instant,
        mut wanted: impl FnMut(&Packet) -> bool,
    ) -> VecDeque<Box<Packet>> {
        let taken = match &mut self.core {
            Core::Constant(core) => core.withdraw(now, &mut wanted),
            Core::Varying(core) => core.withdraw(&mut wanted),
        };
        taken.iter().for_each(|packet| self.counters.withdrawn.count(packet.wire_bytes));
        taken
    }

    /// The state of its queue at `now`, after everything that is due by then ([`Event::Queue`]).
    #[inline]
    pub fn queue_event(&mut self, now: Instant) -> Event {
        match &mut self.core {
            Core::Constant(core) => core.queue_event(now),
            Core::Varying(core) => core.queue_event(),
        }
    }

    /// Wake at `now`, if all that happens is that one packet reaches the far end, which is by far the most common case. Returns that
    /// packet, which has to go on with [`Link::leave`], and the next wake time ([`Instant::MAX`]: never). `None` if anything else would
    /// happen; then nothing has.
    #[inline]
    #[must_use = "the packet has to leave the link"]
    pub fn reach_far_end(&mut self, now: Instant) -> Option<(Parcel, Instant)> {
        match &mut self.core {
            Core::Constant(core) => core.deliver_only_one(now),
            Core::Varying(_) => None,
        }
    }

    /// A packet that has [reached the far end](Link::reach_far_end) leaves the link, unless it is lost there. If it is returned, the caller
    /// has to report [`Link::queue_event`] to those who listen, and nothing else. If not, everything is in the outbox.
    #[inline]
    #[must_use = "nobody else carries the packet"]
    pub fn leave(&mut self, now: Instant, parcel: Parcel, out: &mut Outbox) -> Option<Parcel> {
        if !self.end.is_empty() && self.is_lost_at_far_end(now, parcel.packet()) {
            let mut sink = Sink { out, counters: &mut self.counters, end: &mut self.end };
            sink.lose(DropCause::ErrorModel, parcel.into_packet());
            out.queue_event(|| self.queue_event(now));
            return None;
        }
        self.counters.delivered.count(parcel.wire_bytes());
        Some(parcel)
    }

    #[inline(never)]
    fn is_lost_at_far_end(&mut self, now: Instant, packet: &Packet) -> bool {
        !survives(&mut self.end, now, packet)
    }

    /// Take in a packet that arrives.
    #[inline(always)]
    #[must_use = "nobody else reports the state of the queue"]
    pub fn enter(&mut self, now: Instant, parcel: Parcel, out: &mut Outbox) -> Entered {
        let size = parcel.wire_bytes();
        match &mut self.core {
            Core::Constant(core) if self.head.is_none() => match core.offer(now, parcel) {
                Ok(entered) => {
                    self.counters.accepted.count(size);
                    entered
                }
                Err(parcel) => self.refuse(DropCause::QueueOverflow, parcel, out),
            },
            _ => self.enter_slowly(now, parcel, out),
        }
    }

    fn enter_slowly(&mut self, now: Instant, parcel: Parcel, out: &mut Outbox) -> Entered {
        let size = parcel.wire_bytes();
        let mut sink = Sink { out, counters: &mut self.counters, end: &mut self.end };
        if let Core::Varying(core) = &mut self.core {
            core.advance(now, &mut sink);
        }
        if let Some(head) = &mut self.head
            && head.loses(now, parcel.packet())
        {
            return self.refuse(DropCause::ErrorModel, parcel, out);
        }
        match &mut self.core {
            Core::Constant(core) => match core.offer(now, parcel) {
                Ok(entered) => {
                    self.counters.accepted.count(size);
                    entered
                }
                Err(parcel) => self.refuse(DropCause::QueueOverflow, parcel, out),
            },
            Core::Varying(core) => {
                if !core.offer(now, parcel.into_packet(), &mut sink) {
                    self.refused.count(size);
                }
                Entered::Otherwise
            }
        }
    }

    #[cold]
    fn refuse(&mut self, cause: DropCause, parcel: Parcel, out: &mut Outbox) -> Entered {
        self.refused.count(parcel.wire_bytes());
        let mut sink = Sink { out, counters: &mut self.counters, end: &mut self.end };
        sink.lose(cause, parcel.into_packet());
        Entered::Otherwise
    }

    #[inline]
    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        let mut sink = Sink { out, counters: &mut self.counters, end: &mut self.end };
        match &mut self.core {
            Core::Constant(core) => {
                core.deliver(now, &mut sink);
                sink.out.queue_event(|| core.queue_event(now));
            }
            Core::Varying(core) => core.advance(now, &mut sink),
        }
    }
}

impl Machine for Link {
    #[inline]
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(_, packet) => {
                if self.enter(now, packet.into(), out) != Entered::Otherwise {
                    out.queue_event(|| self.queue_event(now));
                }
            }
            Input::Wake => self.wake(now, out),
            Input::Signal(_) => {}
        }
    }

    #[inline]
    fn wake_at(&self) -> Option<Instant> {
        match &self.core {
            Core::Constant(core) => core.wake_at(),
            Core::Varying(core) => core.wake_at(),
        }
    }
}
