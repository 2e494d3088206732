//! What an agent knows of one connection.

use crate::exit::Exit;
use crate::key::Side;
use crate::passed::PassedSyn;
use seamline_wire::control::RecoveryMessage;
use seamline_wire::{Instant, Packet, Segment, SequenceNumber};
use std::fmt::Debug;

/// Makes an agent's part in each connection.
pub struct ConnectionMaker(Box<dyn Fn() -> Box<dyn Connection> + Send>);

impl ConnectionMaker {
    /// By this function.
    pub fn new(make: impl Fn() -> Box<dyn Connection> + Send + 'static) -> Self {
        ConnectionMaker(Box::new(make))
    }
    /// The part in a new connection.
    pub fn make(&self) -> Box<dyn Connection> {
        (self.0)()
    }
}

impl Debug for ConnectionMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConnectionMaker")
    }
}

/// An agent's part in one TCP connection. Its data may go either way, or both.
pub trait Connection: Debug + Send {
    /// A segment of the connection. It may be in tunnels, which stay as they are. [`Exit::forward`] forwards it, changed or not; otherwise it ends here.
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>);
    /// A message between agents about the connection. It is forwarded unless it is for this one.
    fn on_message(
        &mut self,
        _now: Instant,
        from: Side,
        _message: RecoveryMessage,
        packet: Box<Packet>,
        exit: &mut Exit<'_>,
    ) {
        exit.forward(from, packet);
    }
    /// The time of [`Connection::wake_at`] has come, or may have.
    fn on_wake(&mut self, _now: Instant, _exit: &mut Exit<'_>) {}
    /// When to be woken; [`seamline_wire::timers::NEVER`] if nothing waits.
    fn wake_at(&self) -> Instant {
        seamline_wire::timers::NEVER
    }
    /// Whether there is anything that the agent at another base station could use.
    fn moves(&self) -> bool {
        true
    }
    /// The mobile node has come here from another base station, whose agent knew the connection.
    fn on_arrival(&mut self, _now: Instant, _exit: &mut Exit<'_>) {}
    /// What the mobile node has acknowledged and what is kept for it, for an agent that nothing else can be handed over to: one in another process.
    fn kept(&self) -> (Option<SequenceNumber>, Vec<&Packet>) {
        (None, Vec::new())
    }
    /// Whether it judges itself which segments can be its own, as a kind that ends connections does. For others, [`Connections`](crate::Connections) judges by what has passed.
    fn judges(&self) -> bool {
        false
    }
    /// If it judges: whether this reset, or SYN without acknowledgment, ends it.
    fn is_ended_by(&self, _from: Side, _segment: &Segment) -> bool {
        true
    }
    /// If it judges: whether a segment can be one of the connection. Any other is shown to it, too, because an endpoint answers it, but does not keep the
    /// connection from being forgotten.
    fn credits(&self, _from: Side, _segment: &Segment) -> bool {
        true
    }
    /// Leave a new connection alone, and let these SYNs of it pass. Only for kinds that end connections.
    fn leave_alone(&mut self, _passed: PassedSyn) {}
    /// Whether the agent only knows that the connection must not be split.
    fn is_left_alone(&self) -> bool {
        false
    }
    /// Whether it has ended, and is to be forgotten.
    fn is_over(&self) -> bool {
        false
    }
    /// Release what is kept, as far as the hosts can continue without it.
    fn let_go(&mut self, _exit: &mut Exit<'_>) {}
    /// The connection is forgotten, or there is no room for it at the agent to which it was handed over: release all that is kept, and
    /// reset the hosts that cannot continue without it.
    fn end(&mut self, _now: Instant, exit: &mut Exit<'_>) {
        self.let_go(exit);
    }
}
