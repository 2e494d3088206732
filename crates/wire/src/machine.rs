//! The one contract for everything that packets pass through.
//!
//! Call order for the driver of a machine (the simulator, the lab, a test):
//!
//! 1. [`Machine::step`] with one input at the current time; it puts all that follows into the outbox.
//! 2. Empty the outbox: packets go to the neighbours on their ports, signals to the machines of the
//!    same node, events to the observer.
//! 3. Ask [`Machine::wake_at`]; call `step` with [`Input::Wake`] not before that time. Waking early or
//!    twice is harmless.
//!
//! Time never decreases between calls. A machine never blocks, never reads a clock and never draws
//! from a random stream that is not its own.

use crate::event::Event;
use crate::packet::Packet;
use crate::signal::Signal;
use crate::time::Instant;
use std::fmt::Debug;

/// One attachment of a machine to its surroundings. What each number means is the machine's to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Port(pub u16);

/// One cause.
#[derive(Debug)]
pub enum Input {
    /// A packet arrived on a port.
    Packet(Port, Box<Packet>),
    /// Another layer of the same node has news.
    Signal(Signal),
    /// The time of [`Machine::wake_at`] has come.
    Wake,
}

/// All effects of one cause. Reused from step to step, with a pool of packets, so that a step
/// allocates nothing in steady state.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Packets to send, each with the port it leaves by, in order.
    pub packets: Vec<(Port, Box<Packet>)>,
    /// News for the other machines of this node.
    pub signals: Vec<Signal>,
    /// What happened; filled only while [`Outbox::set_listening`] is on.
    pub events: Vec<Event>,
    #[expect(clippy::vec_box, reason = "the boxes themselves are what is recycled")]
    pool: Vec<Box<Packet>>,
    listening: bool,
    ignores_queues: bool,
}

impl Outbox {
    /// An empty outbox that collects no events.
    pub fn new() -> Self {
        Self::default()
    }
    /// A packet from the pool. Its fields are left over from an earlier life: set all of them.
    pub fn packet(&mut self) -> Box<Packet> {
        self.pool.pop().unwrap_or_default()
    }
    /// Take a packet out of the pool, if there is one, for another outbox. Its fields are left over from an earlier life.
    pub fn spare(&mut self) -> Option<Box<Packet>> {
        self.pool.pop()
    }
    /// Give a packet back to the pool.
    pub fn recycle(&mut self, packet: Box<Packet>) {
        self.pool.push(packet);
    }
    /// Send a packet out by a port.
    pub fn send(&mut self, port: Port, packet: Box<Packet>) {
        self.packets.push((port, packet));
    }
    /// Send a signal to the other machines of this node.
    pub fn signal(&mut self, signal: Signal) {
        self.signals.push(signal);
    }
    /// Record an event. The event is built only when events are collected.
    #[inline]
    pub fn event(&mut self, event: impl FnOnce() -> Event) {
        if self.listening {
            self.events.push(event());
        }
    }
    /// Record the state of a queue, [`Event::Queue`], unless these events are ignored.
    #[inline]
    pub fn queue_event(&mut self, event: impl FnOnce() -> Event) {
        if self.hears_queues() {
            self.events.push(event());
        }
    }
    /// Whether the states of queues are collected.
    #[inline]
    pub fn hears_queues(&self) -> bool {
        self.listening && !self.ignores_queues
    }
    /// Collect no states of queues, which are most of all events.
    pub fn ignore_queues(&mut self) {
        self.ignores_queues = true;
    }
    /// Whether nothing follows.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty() && self.signals.is_empty() && self.events.is_empty()
    }
    /// Whether events are collected.
    pub fn is_listening(&self) -> bool {
        self.listening
    }
    /// Start or stop collecting events.
    pub fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }
}

/// Endpoint, agent, mobility daemon and link are all machines: one call is one cause with all its
/// effects, so one line of a trace.
pub trait Machine: Debug + Send {
    /// Take one input at `now` and put everything that follows from it into `out`.
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox);
    /// When to call `step` with [`Input::Wake`] if nothing else happens first; derived from the
    /// state, so it cannot go stale. A time in the past means at once; after a wake-up it has to move on,
    /// for a machine that asks for the same time for ever would stop the clock.
    fn wake_at(&self) -> Option<Instant>;
}

/// So that machines of different kinds fit into one world.
impl<M: Machine + ?Sized> Machine for Box<M> {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        (**self).step(now, input, out);
    }
    fn wake_at(&self) -> Option<Instant> {
        (**self).wake_at()
    }
}
