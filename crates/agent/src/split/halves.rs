//! The two connections that one has become, and the bytes between them.

use super::{Handshake, Shared, windows};
use crate::exit::Exit;
use crate::key::Side;
use seamline_tcp::{Address, CloseReason, Endpoint, EndpointConfig, Opening, State};
use seamline_wire::random::Stream;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Outbox, Packet, Segment, SequenceNumber};
use std::sync::Arc;

/// Time between two initial sequence numbers (RFC 9293 section 3.4.1).
const INITIAL_SEQUENCE_TICK: Duration = Duration::from_micros(4);

/// Both connections. What has arrived on one side is supplied to the other at once, but read only when the host there has
/// acknowledged it: so the window that is offered on one side is what is free of one buffer between the two.
#[derive(Debug)]
pub(super) struct Halves {
    /// By side: the endpoint that stands for the host of the other side.
    endpoints: [Endpoint; 2],
    /// The side from which the connection was opened.
    opener: Side,
    /// The SYN that waits for the other host's answer.
    unanswered: Option<Box<Packet>>,
    /// The initial sequence number of the host that was asked, from its SYN.
    answer: Option<SequenceNumber>,
    shared: Arc<Shared>,
    /// Of both directions.
    first_window: u32,
    /// Memory for what has come from each side and waits, and for what may still come because it was offered.
    set_aside: [u64; 2],
    /// After a reset: what is late until then is answered here. It would reach the other host with the numbers of another
    /// connection.
    lingers_until: Option<Instant>,
}

impl Halves {
    /// A SYN has come from this side; it has yet to be taken in by [`Halves::on_packet`]. `None` when there is no room.
    pub(super) fn new(
        now: Instant,
        opener: Side,
        syn: &Packet,
        shared: &Arc<Shared>,
        exit: &mut Exit<'_>,
    ) -> Option<Self> {
        let first_window = windows::first(exit.left(), shared.buffer);
        let set_aside = [u64::from(first_window); 2];
        if !exit.set_aside(set_aside.iter().sum()) {
            return None;
        }
        let endpoint = |side: Side, initial| endpoint(shared, [side, opener], syn, initial, first_window);
        let near = endpoint(opener, own_initial_sequence(now, syn, shared.secret));
        let far = endpoint(opener.other(), syn.segment.sequence);
        let endpoints = if opener == Side::Wired { [near, far] } else { [far, near] };
        let mut halves = Halves {
            endpoints,
            opener,
            unanswered: None,
            answer: None,
            shared: Arc::clone(shared),
            first_window,
            set_aside,
            lingers_until: None,
        };
        match shared.handshake {
            Handshake::NearSideAlone => {
                halves.act(opener, exit, |near, out| near.open(now, Opening::Passive, out));
            }
            Handshake::FarSideFirst => halves.unanswered = Some(Box::new(syn.clone())),
        }
        halves.act(opener.other(), exit, |far, out| far.open(now, Opening::Active, out));
        Some(halves)
    }

    /// A packet from the host of this side.
    pub(super) fn on_packet(&mut self, now: Instant, from: Side, packet: &Packet, exit: &mut Exit<'_>) {
        let begins = packet.segment.flags.contains(Flags::SYN) && !packet.segment.flags.contains(Flags::ACK);
        let waits_for_other = match self.at(from).state() {
            // What the last connection has left here is still on its way to the other host.
            State::Closed => begins || self.unanswered.is_some() && from == self.opener,
            _ => false,
        };
        if waits_for_other {
            return;
        }
        if packet.segment.flags.contains(Flags::SYN) && self.at(from).state() == State::SynSent {
            self.answer = Some(packet.segment.sequence);
        }
        self.act(from, exit, |endpoint, out| endpoint.on_packet(now, packet, out));
        self.settle(now, exit);
    }

    /// The mobile host is at another base station. What was under way over the old air is lost, and so are acknowledgments of
    /// the fixed host that went there.
    pub(super) fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.lingers_until.is_none() {
            self.act(Side::Wireless, exit, |endpoint, out| endpoint.resume(now, out));
            self.act(Side::Wired, exit, |endpoint, out| endpoint.ask_again(now, out));
            self.settle(now, exit);
        }
    }

    pub(super) fn wake_at(&self) -> Instant {
        let [wired, wireless] = self.endpoints.each_ref().map(|it| it.wake_at().unwrap_or(Instant::MAX));
        wired.min(wireless).min(self.lingers_until.unwrap_or(NEVER))
    }

    pub(super) fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.lingers_until.is_some() {
            self.lingers_until = self.lingers_until.filter(|until| *until > now);
            return;
        }
        for side in Side::BOTH {
            if self.at(side).wake_at().is_some_and(|at| at <= now) {
                self.act(side, exit, |endpoint, out| endpoint.on_wake(now, out));
            }
        }
        self.settle(now, exit);
    }

    /// Whether a SYN from this side begins another connection: the old one is over on both sides (in TIME-WAIT by RFC
    /// 6191 section 2), or its host has restarted it before it was open (RFC 9293 section 3.10.7.4). An open one
    /// challenges the SYN itself (RFC 5961 section 4).
    pub(super) fn are_replaced_by(&self, from: Side, syn: &Segment) -> bool {
        if let Some(first) = self.unanswered.as_ref().filter(|_| from == self.opener) {
            return first.segment.sequence != syn.sequence;
        }
        let endpoint = self.at(from);
        let is_over_there = matches!(self.at(from.other()).state(), State::Closed | State::TimeWait);
        match endpoint.state() {
            State::Closed => is_over_there,
            State::TimeWait => is_over_there && endpoint.next_expected().is_before(syn.sequence),
            State::SynReceived => endpoint.next_expected() != syn.sequence + 1,
            _ => false,
        }
    }

    /// Whether the endpoint of this side can take a segment for one of its peer's.
    pub(super) fn credit(&self, from: Side, segment: &Segment) -> bool {
        self.at(from).takes(segment)
    }

    /// Whether both connections have ended, and nothing of them is expected any more.
    pub(super) fn are_over(&self) -> bool {
        self.lingers_until.is_none() && self.endpoints.iter().all(|it| it.state() == State::Closed)
    }

    /// Tell both hosts that their connection is gone, where they still have it.
    pub(super) fn abort(&mut self, now: Instant, exit: &mut Exit<'_>) {
        for side in Side::BOTH {
            self.act(side, exit, |endpoint, out| endpoint.abort(now, out));
        }
        self.unanswered = None;
        exit.free(std::mem::take(&mut self.set_aside).iter().sum());
    }

    fn at(&self, side: Side) -> &Endpoint {
        &self.endpoints[side.index()]
    }

    fn at_mut(&mut self, side: Side) -> &mut Endpoint {
        &mut self.endpoints[side.index()]
    }

    fn act(&mut self, side: Side, exit: &mut Exit<'_>, act: impl FnOnce(&mut Endpoint, &mut Outbox)) {
        exit.act(side, |out| act(self.at_mut(side), out));
    }

    /// What happened on one side has its effect on the other.
    fn settle(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if self.lingers_until.is_some() {
            return;
        }
        for side in Side::BOTH {
            if self.is_broken(side) {
                return self.break_off(now, side.other(), exit);
            }
        }
        if self.unanswered.is_some() && self.at(self.opener.other()).state().is_synchronized() {
            self.answer_opener(now, exit);
        }
        for to in Side::BOTH {
            self.relay(now, to, exit);
        }
    }

    /// Whether the connection there has ended otherwise than by both its ends closing. One that listens again was
    /// reset, or given up, before it was open.
    fn is_broken(&self, side: Side) -> bool {
        let endpoint = self.at(side);
        let reason = endpoint.close_reason().filter(|_| endpoint.state() == State::Closed);
        reason.is_some_and(|reason| reason != CloseReason::Finished) || endpoint.state() == State::Listen
    }

    /// The other host has answered: now the one that opens may have its answer, with the same numbers.
    fn answer_opener(&mut self, now: Instant, exit: &mut Exit<'_>) {
        let (Some(syn), Some(answer)) = (self.unanswered.take(), self.answer) else { return };
        let near = endpoint(&self.shared, [self.opener; 2], &syn, answer, self.first_window);
        *self.at_mut(self.opener) = near;
        self.act(self.opener, exit, |near, out| {
            near.open(now, Opening::Passive, out);
            near.on_packet(now, &syn, out);
        });
    }

    /// The connection on the other side of this one is gone; so is this one.
    fn break_off(&mut self, now: Instant, side: Side, exit: &mut Exit<'_>) {
        let refused = self.at(side.other()).close_reason() == Some(CloseReason::Refused);
        let unanswered = self.unanswered.take();
        self.abort(now, exit);
        self.lingers_until = Some(now + self.shared.time_wait());
        if let Some(syn) = unanswered.filter(|_| refused) {
            // An endpoint that is closed answers a SYN with a reset.
            self.act(side, exit, |near, out| near.on_packet(now, &syn, out));
        }
    }

    /// Bytes and FIN that have arrived on the other side go on over this one; what is acknowledged here makes room there.
    fn relay(&mut self, now: Instant, to: Side, exit: &mut Exit<'_>) {
        let (from, sender) = (self.at(to.other()), self.at(to));
        let delivered = from.statistics().bytes_delivered;
        let acknowledged = sender.statistics().bytes_acknowledged;
        let takes = sender.state() != State::Closed;
        let supply = delivered - (acknowledged + sender.buffered());
        let read = from.readable() - (delivered - acknowledged);
        let closes = from.peer_has_closed()
            && matches!(sender.state(), State::SynReceived | State::Established | State::CloseWait);
        if takes && supply > 0 {
            self.act(to, exit, |sender, out| sender.supply(now, supply, out));
        }
        if closes {
            self.act(to, exit, |sender, out| sender.close(now, out));
        }
        if takes && supply > 0 {
            self.widen(to.other(), exit);
        }
        if read > 0 {
            self.act(to.other(), exit, |from, out| from.consume(now, read, out));
        }
        self.free_what_cannot_come(to.other(), exit);
    }

    /// New data has come from this side: it may be worth a larger window, or need a smaller one.
    fn widen(&mut self, from: Side, exit: &mut Exit<'_>) {
        let endpoint = self.at(from);
        let (before, delivered) = (endpoint.receive_buffer(), endpoint.statistics().bytes_delivered);
        let wanted = windows::next(self.first_window, delivered, exit.left(), self.shared.buffer);
        let more = u64::from(wanted).saturating_sub(self.set_aside[from.index()]);
        if wanted != before && exit.set_aside(more) {
            self.set_aside[from.index()] += more;
            self.at_mut(from).set_receive_buffer(wanted);
        }
    }

    /// Give back what was set aside for bytes that have passed, unless others may come in their place.
    fn free_what_cannot_come(&mut self, from: Side, exit: &mut Exit<'_>) {
        let endpoint = self.at(from);
        let needed = match endpoint.peer_has_closed() {
            true => endpoint.readable(),
            false => endpoint.committed().max(endpoint.receive_buffer().into()),
        };
        let set_aside = &mut self.set_aside[from.index()];
        debug_assert!(needed <= *set_aside, "{needed} may come, {set_aside} are set aside");
        exit.free(set_aside.saturating_sub(needed));
        *set_aside = needed.min(*set_aside);
    }
}

/// The endpoint of one side, which stands for the host of the other. The SYN came from the opener's side.
fn endpoint(
    shared: &Shared,
    [side, opener]: [Side; 2],
    syn: &Packet,
    initial_sequence: SequenceNumber,
    first_window: u32,
) -> Endpoint {
    let asking = Address { node: syn.source, port: syn.source_port };
    let asked = Address { node: syn.destination, port: syn.destination_port };
    let [local, remote] = if side == opener { [asked, asking] } else { [asking, asked] };
    let made = &shared.endpoints[side.index()];
    let mut endpoint = Endpoint::new(EndpointConfig {
        local,
        remote,
        parameters: Arc::clone(&made.parameters),
        variant: made.variant,
        handover: None,
        initial_sequence,
    });
    endpoint.set_receive_buffer(first_window);
    endpoint
}

/// An initial sequence number of the agent's own: a clock plus a secret number (RFC 6528 section 3).
fn own_initial_sequence(now: Instant, syn: &Packet, secret: u64) -> SequenceNumber {
    let ticks = now.as_nanos() / INITIAL_SEQUENCE_TICK.as_nanos();
    let ends = [syn.source, syn.destination].map(|node| node.0);
    let ports = [syn.source_port, syn.destination_port].map(|port| port.0);
    let hidden = Stream::new(secret, &format!("split/{ends:?}/{ports:?}")).bits();
    SequenceNumber((ticks as u32).wrapping_add((hidden >> 32) as u32))
}
