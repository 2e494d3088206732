//! I-TCP (Bakre and Badrinath, "I-TCP: Indirect TCP for mobile hosts", IEEE ICDCS 1995): a connection is split in two at
//! the base station. Towards each host the agent is the other host, with its address and port; bytes go through its buffer.
//! Each connection recovers from its own losses, with its own timer and window.
//!
//! What an acknowledgment no longer means is that the far end has the data: a host may have sent everything and closed
//! while bytes are still at the agent. So a connection depends on the agent that split it; its state has to go along when the
//! mobile node goes to another base station.
//!
//! Signals between the ends besides the bytes (marks of handovers, lists of losses) end at the agent, which is a plain TCP. Only
//! schemes that any peer will do for work across it (Freeze-TCP, TR-ACKs), with the agent as the peer.
//!
//! Sequence numbers from the host that opens the connection are the same on both sides. Those from the other host
//! are by [`Handshake::FarSideFirst`] only: else the agent has to begin before it knows them.

mod halves;
mod parameters;
mod windows;

pub use parameters::{AgentTcp, Handshake, SplitParameters};

use crate::Kind;
use crate::connection::{Connection, ConnectionMaker};
use crate::exit::Exit;
use crate::guard::Guard;
use crate::key::Side;
use crate::passed::PassedSyn;
use halves::Halves;
use parameters::Made;
use seamline_wire::timers::NEVER;
use seamline_wire::{Duration, Flags, Instant, Packet, Segment};
use std::sync::Arc;

pub(super) static KIND: Kind = Kind {
    name: "split",
    summary: "answers each host in place of the other, with a connection of its own over the air; forwards the bytes but no marks",
    cite: "Bakre and Badrinath, IEEE ICDCS 1995",
    traits: crate::AT_THE_AIR_LINK,
    ends_connections: true,
    runs_on_real_hosts: true,
    kept_packets: |_| 0,
    state_bytes: 0,
    split: Some(|parameters| &mut parameters.split),
    connection: &|parameters| connections(&parameters.split),
};

/// TCP spoofing (eln-ack, section II; RFC 2757, section 4.2, and RFC 3135 describe it in front of satellites): the gateway acknowledges in place
/// of the far host, and from then on it alone is responsible for the bytes. It is a split connection in which each byte has the same number on both
/// sides, because hosts on both sides take part in one handshake.
pub(super) static SPOOFING: Kind = Kind {
    name: "spoofing",
    summary: "a gateway that acknowledges early in place of the far host, and sends again what is lost behind it",
    cite: "RFC 3135, section 3.1",
    runs_on_real_hosts: false,
    split: Some(|parameters| &mut parameters.spoofing),
    connection: &|parameters| connections(&parameters.spoofing),
    ..KIND
};

fn connections(parameters: &SplitParameters) -> ConnectionMaker {
    let shared = Arc::new(Shared::new(parameters));
    ConnectionMaker::new(move || Box::new(Split { shared: Arc::clone(&shared), part: Part::New }))
}

/// What all connections of an agent share.
#[derive(Debug)]
struct Shared {
    /// By side.
    endpoints: [Made; 2],
    buffer: u32,
    handshake: Handshake,
    secret: u64,
}

impl Shared {
    fn new(parameters: &SplitParameters) -> Self {
        Shared {
            endpoints: [&parameters.wired, &parameters.wireless]
                .map(|tcp| Made::new(tcp, parameters.buffer())),
            buffer: parameters.buffer(),
            handshake: parameters.handshake,
            secret: parameters.secret,
        }
    }
    /// How long segments of an ended connection may still come, from either side.
    fn time_wait(&self) -> Duration {
        let [wired, wireless] = self.endpoints.each_ref().map(|it| it.parameters.connection.time_wait);
        wired.max(wireless)
    }
}

#[derive(Debug)]
struct Split {
    shared: Arc<Shared>,
    part: Part,
}

/// The agent's part in a connection.
#[derive(Debug)]
enum Part {
    /// Nothing has come yet.
    New,
    /// None: it had begun before, or there was no room.
    Untouched(Box<Untouched>),
    /// Both ends.
    Ends(Box<Halves>),
}

/// A connection that passes.
#[derive(Debug)]
struct Untouched {
    /// When it comes again, it passes again: the other host may have answered it.
    syn: PassedSyn,
    /// There was no room for it.
    lacks_room: bool,
    /// What its numbers can be: who guesses them must not end it, for what follows would be split in its middle.
    guard: Guard,
}

impl Untouched {
    fn part(syn: PassedSyn, lacks_room: bool) -> Part {
        Part::Untouched(Box::new(Untouched { syn, lacks_room, guard: Guard::default() }))
    }
    fn is_ended_by(&self, from: Side, segment: &Segment) -> bool {
        let is_reset = segment.flags.contains(Flags::RST);
        let begins_again = !is_reset && !self.syn.is(segment) && !self.guard.has_heard(from.other());
        begins_again || self.guard.is_ended_by(from, segment)
    }
}

impl Split {
    fn begin(&self, now: Instant, from: Side, packet: &Packet, exit: &mut Exit<'_>) -> Part {
        let segment = &packet.segment;
        if !segment.flags.contains(Flags::SYN) || segment.flags.intersects(Flags::ACK | Flags::FIN) {
            return Untouched::part(PassedSyn::shown_by(segment), false);
        }
        match Halves::new(now, from, packet, &self.shared, exit) {
            None => Untouched::part(PassedSyn::shown_by(segment), true),
            Some(halves) => {
                exit.counters.split += 1;
                Part::Ends(Box::new(halves))
            }
        }
    }
}

impl Connection for Split {
    fn moves(&self) -> bool {
        match self.part {
            Part::Ends(_) => true,
            Part::Untouched(ref it) => it.syn != PassedSyn::None,
            Part::New => false,
        }
    }
    fn on_segment(&mut self, now: Instant, from: Side, packet: Box<Packet>, exit: &mut Exit<'_>) {
        if let Part::New = self.part {
            self.part = self.begin(now, from, &packet, exit);
        }
        match &mut self.part {
            Part::Ends(halves) => {
                halves.on_packet(now, from, &packet, exit);
                exit.absorb(packet);
            }
            Part::Untouched(it) => {
                exit.counters.unknown += u64::from(it.lacks_room);
                it.guard.judge(from, &packet.segment);
                exit.forward(from, packet);
            }
            Part::New => exit.forward(from, packet),
        }
    }
    fn on_wake(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if let Part::Ends(halves) = &mut self.part {
            halves.on_wake(now, exit);
        }
    }
    fn on_arrival(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if let Part::Ends(halves) = &mut self.part {
            halves.on_arrival(now, exit);
        }
    }
    fn wake_at(&self) -> Instant {
        match &self.part {
            Part::Ends(halves) => halves.wake_at(),
            Part::New | Part::Untouched(_) => NEVER,
        }
    }
    fn judges(&self) -> bool {
        true
    }
    fn is_ended_by(&self, from: Side, segment: &Segment) -> bool {
        let is_reset = segment.flags.contains(Flags::RST);
        match &self.part {
            Part::Ends(halves) => !is_reset && halves.are_replaced_by(from, segment),
            Part::New => is_reset,
            Part::Untouched(it) => it.is_ended_by(from, segment),
        }
    }
    fn credits(&self, from: Side, segment: &Segment) -> bool {
        match &self.part {
            Part::Ends(halves) => halves.credit(from, segment),
            Part::Untouched(it) => it.guard.admits(from, segment),
            Part::New => true,
        }
    }
    fn leave_alone(&mut self, passed: PassedSyn) {
        self.part = Untouched::part(passed, false);
    }
    fn is_left_alone(&self) -> bool {
        matches!(self.part, Part::Untouched(_))
    }
    fn is_over(&self) -> bool {
        matches!(&self.part, Part::Ends(halves) if halves.are_over())
    }
    fn end(&mut self, now: Instant, exit: &mut Exit<'_>) {
        if let Part::Ends(halves) = &mut self.part {
            halves.abort(now, exit);
        }
        self.part = Part::New;
    }
}
