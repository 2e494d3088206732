//! The mobile node, below its TCP: sends by the cell it is in, and does what its protocol wants to keep it reachable.

use crate::movement::{CellId, Movement, Stay};
use crate::protocol::{Action, Actions, Happened, Protocol};
use crate::send::{lose, message_packet};
use seamline_wire::control::Ipv6Control;
use seamline_wire::{
    Control, DropCause, Event, HandoverPhase, Input, Instant, Machine, MobilityEvent, NodeId, Outbox, Packet,
    Port, Signal,
};

/// What makes a mobile node.
#[derive(Debug)]
pub struct MobileNodeConfig {
    /// When it is in which cell.
    pub movement: Movement,
    /// How it keeps reachable. `None`: an idealised network, whose routes follow it at once.
    pub protocol: Option<Box<dyn Protocol>>,
}

/// Stands between the host of a mobile node and the cells.
///
/// The base station takes in whatever is sent in its cell, also from a node that has not noticed yet where it
/// is. While the node is in no cell, what its host sends is lost ([`DropCause::LinkDown`]).
///
/// # Signals
///
/// To the host go [`Signal::MovementDetected`] at the first advertisement after a move and
/// [`Signal::Registered`] at the reply. What the link layer of the node tells
/// (`seamline_net::notices::HandoverNotices`) is passed on, but [`Signal::LinkUp`] at once only without a protocol: with
/// one a new link alone makes nobody reachable. It is passed on when the link turns out to lead to the same agent as
/// before, so that whoever has heard of a link that is down hears of its end; otherwise
/// [`Signal::MovementDetected`] takes its place. So the host hears once of each link, and what the link layer tells of a
/// handover after that is news no more. Layer 2 triggers shorten
/// the wait: the node asks the new link for an advertisement (Mobility-Vegas, section 4.2, steps 5 to 9).
/// What the link layer knows of a new link is told at once ([`Signal::LinkParametersReport`]), also when the rest waits.
///
/// # Two links
///
/// Where the old link outlives the turning to another cell ([`crate::Stay::link_until`]), what the host sends goes by the
/// old one until the new one is in force: until it is up, or, with a protocol, registered. A protocol that tunnels what
/// the host sends has the new one in force as soon as a binding update has left, because from its arrival on the anchor takes
/// nothing more from the old address. What arrives by the old one is
/// handed on to the host; to messages of the protocol it counts only until the new one is up.
///
/// As long as the old link lasts the host loses nothing, and hears of no move: of a new link, without a protocol, as
/// [`Signal::LinkHandoverComplete`] in place of [`Signal::LinkUp`]; with one, of [`Signal::Registered`] alone, or of
/// [`Signal::MovementDetected`] when the old link ends before that. That the old link is going down, or is down, it hears
/// only while it has not heard of the new one.
#[derive(Debug)]
pub struct MobileNode {
    movement: Movement,
    /// Half moves done: the node is in no cell after an odd number of them.
    done: usize,
    /// It is in a new cell, and what its host sends does not go by that yet.
    keeps_to_old_link: bool,
    /// It has found out that it has moved, and is not registered since.
    has_moved: bool,
    /// It has found out that it has moved, and its host hears of that when the old link ends.
    tells_move_later: bool,
    /// The stay in which it last found out that it has moved.
    detected_in: usize,
    /// The stay in which it last heard the agent that it takes for its own.
    located_in: usize,
    /// How often its link layer has told that a link is up, and that one is down.
    told: LinksTold,
    protocol: Option<Box<dyn Protocol>>,
    actions: Actions,
    /// The link is up, and the host has not heard of it, because only an advertisement tells whether the node is
    /// reachable over it.
    kept_back: Option<Signal>,
}

/// Of each handover the link layer tells once that the old link is down and once that the new one is up, in either order.
#[derive(Clone, Copy, Debug, Default)]
struct LinksTold {
    up: usize,
    down: usize,
}

impl LinksTold {
    /// How many are up: two while the old link outlives the coming up of the new one.
    fn links_up(self) -> usize {
        (1 + self.up).saturating_sub(self.down)
    }
}

impl MobileNode {
    /// To and from the host.
    pub const HOST: Port = Port(0);

    /// To and from a cell.
    pub const fn cell_port(cell: CellId) -> Port {
        Port(1 + cell.0 as u16)
    }

    /// A node at the start of its way.
    pub fn new(config: MobileNodeConfig) -> Self {
        let MobileNodeConfig { movement, protocol } = config;
        MobileNode {
            movement,
            done: 0,
            keeps_to_old_link: false,
            has_moved: false,
            tells_move_later: false,
            detected_in: 0,
            located_in: 0,
            told: LinksTold::default(),
            protocol,
            actions: Actions::default(),
            kept_back: None,
        }
    }

    /// The cell it is in, `None` on its way to another.
    fn cell(&self) -> Option<CellId> {
        self.done.is_multiple_of(2).then(|| self.movement.stays()[self.done / 2].cell)
    }

    /// When the next move begins or ends.
    fn next_change(&self) -> Option<Instant> {
        let on_its_way = self.done % 2;
        let stay = self.movement.stays().get(self.done / 2 + on_its_way)?;
        Some(if on_its_way == 1 { stay.from } else { stay.until }).filter(|at| *at < Instant::MAX)
    }

    /// Go wherever it should be by now.
    fn follow(&mut self, now: Instant, out: &mut Outbox) {
        while self.next_change().is_some_and(|at| at <= now) {
            self.done += 1;
            match self.cell() {
                None => out.event(|| Event::Handover(HandoverPhase::Started)),
                Some(CellId(cell)) => {
                    self.keeps_to_old_link = self.protocol.is_some();
                    out.event(|| Event::Mobility(MobilityEvent::CellEntered { cell }));
                    if self.protocol.is_none() {
                        out.event(|| Event::Handover(HandoverPhase::Completed));
                    }
                }
            }
        }
    }

    /// The cell that it has turned away from, while its link there lasts.
    fn old_cell(&self, now: Instant) -> Option<CellId> {
        self.last_left().filter(|left| now < left.link_until).map(|left| left.cell)
    }
    fn last_left(&self) -> Option<Stay> {
        let place = (self.done + 1).checked_sub(2)? / 2;
        Some(self.movement.stays()[place])
    }
    /// When the host is to hear of a move that nobody has confirmed.
    fn tells_move_at(&self) -> Option<Instant> {
        self.last_left().filter(|_| self.tells_move_later).map(|left| left.link_until)
    }

    /// Put a packet into the tunnels that begin at the node; `false` when it is in too many already.
    fn enter_tunnels(&self, packet: &mut Packet) -> bool {
        let stays_on_link = [NodeId::ALL_ROUTERS, NodeId::ALL_SYSTEMS].contains(&packet.destination);
        let Some(protocol) = self.protocol.as_ref().filter(|_| !stays_on_link) else { return true };
        let tunnels = protocol.tunnels(packet.source);
        tunnels.into_iter().flatten().all(|tunnel| packet.encapsulate_in_ipv6(tunnel))
    }

    /// Where what its host sends goes: by the old link as long as there is one and the new one is not in force.
    fn send(&self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        let new = self.cell();
        let is_in_force = new.is_some() && !self.keeps_to_old_link;
        let old = if is_in_force { None } else { self.old_cell(now) };
        if !self.enter_tunnels(&mut packet) {
            return lose(out, DropCause::NoRoute, packet);
        }
        match old.or(new) {
            Some(cell) => out.send(Self::cell_port(cell), packet),
            None => lose(out, DropCause::LinkDown, packet),
        }
    }

    /// Ask the protocol, and carry out what it wants.
    fn happened(&mut self, now: Instant, happened: Happened<'_>, out: &mut Outbox) {
        let Some(protocol) = &mut self.protocol else { return };
        protocol.on(now, happened, &mut self.actions);
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain() {
            self.obey(now, action, out);
        }
        self.actions = actions;
    }

    fn obey(&mut self, now: Instant, action: Action, out: &mut Outbox) {
        match action {
            Action::Send { from, to, message } => self.send_message(from, to, message, out),
            Action::Heard { agent } => {
                out.event(|| Event::Mobility(MobilityEvent::AdvertisementHeard { agent }));
            }
            Action::Stayed => {
                // The agent of a cell may advertise again before it has answered.
                self.keeps_to_old_link &= self.has_moved;
                self.located_in = self.done / 2;
                out.signals.extend(self.kept_back.take());
            }
            Action::Moved { agent } => {
                self.has_moved = true;
                self.detected_in = self.done / 2;
                self.located_in = self.done / 2;
                self.kept_back = None;
                out.event(|| Event::Mobility(MobilityEvent::MovementDetected { agent }));
                self.tells_move_later = self.old_cell(now).is_some();
                if !self.tells_move_later {
                    out.signal(Signal::MovementDetected);
                }
            }
            Action::Registered { care_of_address, after_move } => {
                // On its way elsewhere, or there without an agent yet, it hears late of where it was.
                let is_late = self.cell().is_none() || self.located_in != self.done / 2;
                let after_move = after_move && !is_late;
                out.event(|| {
                    Event::Mobility(MobilityEvent::RegistrationAccepted { care_of_address, after_move })
                });
                if after_move {
                    self.keeps_to_old_link = false;
                    self.has_moved = false;
                    self.tells_move_later = false;
                    out.signal(Signal::Registered);
                }
            }
            Action::Refused { code } => {
                out.event(|| Event::Mobility(MobilityEvent::RegistrationRefused { code }));
            }
            Action::BindingRefused { status } => {
                out.event(|| Event::Mobility(MobilityEvent::BindingRefused { status }));
            }
        }
    }

    fn send_message(&mut self, from: NodeId, to: NodeId, message: Control, out: &mut Outbox) {
        let Some(cell) = self.cell() else { return };
        let asked_for = match &message {
            Control::RegistrationRequest(request) => Some(request.care_of_address),
            Control::Ipv6(Ipv6Control::BindingUpdate(update)) => Some(update.care_of_address),
            _ => None,
        };
        if let Some(care_of_address) = asked_for {
            out.event(|| Event::Mobility(MobilityEvent::RegistrationRequested { care_of_address }));
        }
        if matches!(message, Control::Ipv6(Ipv6Control::BindingUpdate(_)))
            && self.detected_in == self.done / 2
        {
            // The anchor takes in the update first, and from then on nothing from the old address.
            self.keeps_to_old_link = false;
        }
        let mut packet = message_packet(out, from, to, message);
        if self.enter_tunnels(&mut packet) {
            out.send(Self::cell_port(cell), packet);
        } else {
            lose(out, DropCause::NoRoute, packet);
        }
    }

    fn on_packet(&mut self, now: Instant, port: Port, mut packet: Box<Packet>, out: &mut Outbox) {
        if port == Self::HOST {
            return self.send(now, packet, out);
        }
        // What comes by the air is for an address of this node: tunnels end here.
        while packet.decapsulate().is_some() {}
        match packet.control() {
            // Agents have the addresses of hosts when they speak to each other: one may stand behind this node.
            None | Some(Control::Recovery(_)) => out.send(Self::HOST, packet),
            Some(message) => {
                let message = *message;
                out.recycle(packet);
                // What is still heard over an old link says nothing about the new one.
                let is_old = self.old_cell(now).is_some_and(|cell| port == Self::cell_port(cell));
                if self.cell().is_none() || !is_old {
                    self.happened(now, Happened::Message(&message), out);
                }
            }
        }
    }

    fn on_signal(&mut self, now: Instant, signal: Signal, out: &mut Outbox) {
        match signal {
            Signal::LinkUp { .. } => self.on_link_up(now, signal, out),
            Signal::LinkDown | Signal::LinkGoingDown { .. } => {
                let is_replaced = self.is_replaced();
                if signal == Signal::LinkDown {
                    self.told.down += 1;
                    if self.told.links_up() == 0 {
                        self.kept_back = None;
                    }
                }
                if !is_replaced {
                    out.signal(signal);
                }
            }
            _ => out.signal(signal),
        }
    }

    /// Whether the link that goes down next is one that the host need not hear of, because it knows of a newer one.
    fn is_replaced(&self) -> bool {
        let both_are_up = self.told.links_up() > 1 && self.kept_back.is_none();
        let knows_of_a_newer_one = both_are_up || self.told.down < self.detected_in;
        knows_of_a_newer_one && !self.tells_move_later
    }

    fn on_link_up(&mut self, now: Instant, signal: Signal, out: &mut Outbox) {
        self.told.up += 1;
        let is_first_news = self.protocol.is_none();
        if is_first_news && self.told.links_up() == 1 {
            return out.signal(signal);
        }
        if let Signal::LinkUp { rate, round_trip_time } = signal
            && (rate.is_some() || round_trip_time.is_some())
        {
            out.signal(Signal::LinkParametersReport { rate, round_trip_time });
        }
        if is_first_news {
            return out.signal(Signal::LinkHandoverComplete);
        }
        // The link layer may be slower than the first advertisement.
        if self.told.up > self.detected_in {
            self.kept_back = Some(signal);
            self.happened(now, Happened::LinkUp, out);
        }
    }
}

impl Machine for MobileNode {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.follow(now, out);
        if self.tells_move_at().is_some_and(|at| at <= now) {
            self.tells_move_later = false;
            out.signal(Signal::MovementDetected);
        }
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            Input::Signal(signal) => self.on_signal(now, signal, out),
            Input::Wake => self.happened(now, Happened::Wake, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let due = self.protocol.as_ref().and_then(|protocol| protocol.wake_at());
        [self.next_change(), self.tells_move_at(), due].into_iter().flatten().min()
    }
}
