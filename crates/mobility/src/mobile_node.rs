//! The mobile node below its host: sends through its current radio cell, and runs its mobility protocol.

use crate::duplicates::Duplicates;
use crate::movement::{CellId, Movement, Stay};
use crate::protocol::{Action, Actions, Protocol, ProtocolEvent};
use crate::send::{lose, message_packet};
use seamline_wire::control::Ipv6Control;
use seamline_wire::{
    Control, DropCause, Event, HandoverPhase, Input, Instant, Machine, MobilityEvent, NodeId, Outbox, Packet,
    Port, Signal, Tunnel, TunnelHeader,
};

/// The configuration of a mobile node.
#[derive(Debug)]
pub struct MobileNodeConfig {
    /// Its movement.
    pub movement: Movement,
    /// The cell with the lowest number that it may come to: its ports are counted from there.
    pub first_cell: CellId,
    /// Its mobility protocol. `None` is an idealised network whose routes follow it at once.
    pub protocol: Option<Box<dyn Protocol>>,
}

/// Connects the host of a mobile node with the radio cells.
///
/// The base station receives all packets sent in its radio cell, even from a node that has not detected its movement
/// yet. While the node is in no radio cell, packets of its host are lost ([`DropCause::LinkDown`]).
///
/// # Signals
///
/// The host receives [`Signal::MovementDetected`] at the first advertisement after a move and [`Signal::Registered`]
/// at the reply. Notifications of the node's link layer (`seamline_net::notices::HandoverNotices`) are passed on, but
/// [`Signal::LinkUp`] only at once without a protocol: with one, a new link alone does not make the node reachable.
/// It is passed on when the link turns out to lead to the same mobility agent, so every link-down is followed by its
/// end; otherwise [`Signal::MovementDetected`] replaces it. So the host is notified once of each link, and later
/// link-layer notifications of the same handover are dropped. Layer 2 triggers shorten the wait: the node solicits an
/// advertisement on the new link (Mobility-Vegas, section 4.2, steps 5 to 9). Link-layer parameters of a new link are
/// passed on at once ([`Signal::LinkParametersReport`]).
///
/// # Two links
///
/// When the old link outlives the start of a move ([`crate::Stay::link_until`]), the host's packets use it until the
/// new link is in use: until it is up, or, with a protocol, registered. A protocol that tunnels the host's packets
/// uses the new link as soon as a binding update has been sent, because from its arrival on the anchor rejects the
/// old address. Packets that arrive over the old link are passed to the host; protocol messages over it count only
/// until the new link is up.
///
/// While the old link lasts the host loses nothing and is not notified of a move. It is notified of a new link:
/// without a protocol by [`Signal::LinkHandoverComplete`] instead of [`Signal::LinkUp`]; with one by
/// [`Signal::Registered`] alone, or by [`Signal::MovementDetected`] if the old link ends first. Notifications that
/// the old link is going down, or is down, are passed on only until the host knows of the new link.
#[derive(Debug)]
pub struct MobileNode {
    movement: Movement,
    first_cell: CellId,
    /// Half-moves completed: the node is in no radio cell after an odd number of them.
    done: usize,
    /// It is in a new radio cell, but the host's packets do not use it yet.
    keeps_to_old_link: bool,
    /// It has detected a move and is not registered since.
    has_moved: bool,
    /// It has detected a move; its host is notified when the old link ends.
    reports_move_later: bool,
    /// The stay in which it last detected a move.
    detected_in: usize,
    /// The stay in which it last received an advertisement of its current agent.
    located_in: usize,
    /// How many link-up and link-down notifications its link layer has given.
    reports: LinkReports,
    protocol: Option<Box<dyn Protocol>>,
    /// With simultaneous bindings.
    duplicates: Option<Duplicates>,
    actions: Actions,
    /// The link is up, but the host is not notified yet, because only an advertisement shows whether the node is
    /// reachable over it.
    kept_back: Option<Signal>,
}

/// For each handover the link layer reports once that the old link is down and once that the new one is up, in either
/// order.
#[derive(Clone, Copy, Debug, Default)]
struct LinkReports {
    up: usize,
    down: usize,
}

impl LinkReports {
    /// The number of links that are up: two while the old link outlives the start of the new one.
    fn links_up(self) -> usize {
        (1 + self.up).saturating_sub(self.down)
    }
}

impl MobileNode {
    /// To and from the host.
    pub const HOST: Port = Port(0);

    /// To and from a cell, counted from the node's [`first_cell`](MobileNodeConfig::first_cell).
    pub const fn cell_port(cell: CellId) -> Port {
        Port(1 + cell.0 as u16)
    }

    /// A node at the start of its movement.
    pub fn new(config: MobileNodeConfig) -> Self {
        let MobileNodeConfig { movement, first_cell, protocol } = config;
        MobileNode {
            movement,
            first_cell,
            done: 0,
            keeps_to_old_link: false,
            has_moved: false,
            reports_move_later: false,
            detected_in: 0,
            located_in: 0,
            reports: LinkReports::default(),
            protocol,
            duplicates: None,
            actions: Actions::default(),
            kept_back: None,
        }
    }

    /// With several bindings at its home agent: it drops packets that have come over another link already.
    #[must_use]
    pub fn with_simultaneous_bindings(mut self) -> Self {
        self.duplicates = Some(Duplicates::default());
        self
    }

    fn port_to(&self, cell: CellId) -> Port {
        Self::cell_port(CellId(cell.0 - self.first_cell.0))
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
    /// When to notify the host of a move that no agent has confirmed.
    fn reports_move_at(&self) -> Option<Instant> {
        self.last_left().filter(|_| self.reports_move_later).map(|left| left.link_until)
    }

    /// Encapsulate a packet in the tunnels that begin at the node; `false` when the nesting limit is reached.
    fn enter_tunnels(&self, packet: &mut Packet) -> bool {
        let stays_on_link = [NodeId::ALL_ROUTERS, NodeId::ALL_SYSTEMS].contains(&packet.destination);
        let Some(protocol) = self.protocol.as_ref().filter(|_| !stays_on_link) else { return true };
        let tunnels = protocol.tunnels(packet.source);
        tunnels.into_iter().flatten().all(|tunnel| packet.encapsulate_in_ipv6(tunnel))
    }

    /// Send a packet of the host from the care-of address to a correspondent that knows it; `false` when it must take the
    /// tunnels.
    fn enter_direct(&self, packet: &mut Packet) -> bool {
        let Some(protocol) = self.protocol.as_ref().filter(|_| packet.tunnels.is_empty()) else {
            return false;
        };
        let entry = protocol.direct_from(packet.source, packet.destination);
        let tunnel = |entry| Tunnel { entry, exit: packet.destination };
        entry.map(tunnel).is_some_and(|tunnel| packet.enter(tunnel, TunnelHeader::HomeAddress))
    }

    /// The radio cell for packets of its host: the old link's while that lasts and the new link is not in use.
    fn send(&self, now: Instant, mut packet: Box<Packet>, out: &mut Outbox) {
        let new = self.cell();
        let is_in_force = new.is_some() && !self.keeps_to_old_link;
        let old = if is_in_force { None } else { self.old_cell(now) };
        if !self.enter_direct(&mut packet) && !self.enter_tunnels(&mut packet) {
            return lose(out, DropCause::NoRoute, packet);
        }
        match old.or(new) {
            Some(cell) => out.send(self.port_to(cell), packet),
            None => lose(out, DropCause::LinkDown, packet),
        }
    }

    /// Step the protocol and apply its actions.
    fn step_protocol(&mut self, now: Instant, event: ProtocolEvent<'_>, out: &mut Outbox) {
        let Some(protocol) = &mut self.protocol else { return };
        protocol.on(now, event, &mut self.actions);
        let mut actions = std::mem::take(&mut self.actions);
        for action in actions.drain() {
            self.apply(now, action, out);
        }
        self.actions = actions;
    }

    fn apply(&mut self, now: Instant, action: Action, out: &mut Outbox) {
        match action {
            Action::Send { from, to, message } => self.send_message(from, to, message, out),
            Action::Heard { agent } => {
                out.event(|| Event::Mobility(MobilityEvent::AdvertisementHeard { agent }));
            }
            Action::Stayed => {
                // The agent of a radio cell may advertise again before it has answered.
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
                self.reports_move_later = self.old_cell(now).is_some();
                if !self.reports_move_later {
                    out.signal(Signal::MovementDetected);
                }
            }
            Action::Registered { care_of_address, after_move } => {
                // While it moves, or before it has a new agent, this is about its previous location.
                let is_late = self.cell().is_none() || self.located_in != self.done / 2;
                let after_move = after_move && !is_late;
                out.event(|| {
                    Event::Mobility(MobilityEvent::RegistrationAccepted { care_of_address, after_move })
                });
                if after_move {
                    self.keeps_to_old_link = false;
                    self.has_moved = false;
                    self.reports_move_later = false;
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
            // The anchor processes the update first, and rejects the old address from then on.
            self.keeps_to_old_link = false;
        }
        let mut packet = message_packet(out, from, to, message);
        if self.enter_tunnels(&mut packet) {
            out.send(self.port_to(cell), packet);
        } else {
            lose(out, DropCause::NoRoute, packet);
        }
    }

    fn on_packet(&mut self, now: Instant, port: Port, mut packet: Box<Packet>, out: &mut Outbox) {
        if port == Self::HOST {
            return self.send(now, packet, out);
        }
        let is_tunneled = !packet.tunnels.is_empty() && packet.tunnels.header(0) != TunnelHeader::HomeAddress;
        // Packets from the air are for an address of this node: tunnels end here.
        while packet.decapsulate().is_some() {}
        match packet.control() {
            // Agents use the addresses of hosts for messages between them; such a host may be behind this node.
            None | Some(Control::Recovery(_) | Control::HostUnreachable(_)) => {
                let duplicates = self.duplicates.as_mut();
                if duplicates.is_some_and(|seen| seen.is_copy(now, port, &packet)) {
                    return out.recycle(packet);
                }
                if is_tunneled {
                    self.step_protocol(now, ProtocolEvent::Tunneled { source: packet.source }, out);
                }
                out.send(Self::HOST, packet);
            }
            Some(message) => {
                let message = *message;
                out.recycle(packet);
                // Advertisements over an old link say nothing about the new one.
                let is_old = self.old_cell(now).is_some_and(|cell| port == self.port_to(cell));
                if self.cell().is_none() || !is_old {
                    self.step_protocol(now, ProtocolEvent::Message(&message), out);
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
                    self.reports.down += 1;
                    if self.reports.links_up() == 0 {
                        self.kept_back = None;
                    }
                }
                if !is_replaced {
                    out.signal(signal);
                }
                if let (Signal::LinkGoingDown { within }, Some(_)) = (signal, self.cell()) {
                    let next = self.movement.stays().get(self.done / 2 + 1).map(|stay| stay.cell);
                    self.step_protocol(now, ProtocolEvent::LinkGoingDown { next, within }, out);
                }
            }
            _ => out.signal(signal),
        }
    }

    /// Whether the host knows of a newer link than the one that goes down next, so that it need not be notified.
    fn is_replaced(&self) -> bool {
        let both_are_up = self.reports.links_up() > 1 && self.kept_back.is_none();
        let knows_of_a_newer_one = both_are_up || self.reports.down < self.detected_in;
        knows_of_a_newer_one && !self.reports_move_later
    }

    fn on_link_up(&mut self, now: Instant, signal: Signal, out: &mut Outbox) {
        self.reports.up += 1;
        let is_first_news = self.protocol.is_none();
        if is_first_news && self.reports.links_up() == 1 {
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
        if self.reports.up > self.detected_in {
            self.kept_back = Some(signal);
            self.step_protocol(now, ProtocolEvent::LinkUp, out);
        }
    }
}

impl Machine for MobileNode {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.follow(now, out);
        if self.reports_move_at().is_some_and(|at| at <= now) {
            self.reports_move_later = false;
            out.signal(Signal::MovementDetected);
        }
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            Input::Signal(signal) => self.on_signal(now, signal, out),
            Input::Wake => self.step_protocol(now, ProtocolEvent::Wake, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let due = self.protocol.as_ref().and_then(|protocol| protocol.wake_at());
        [self.next_change(), self.reports_move_at(), due].into_iter().flatten().min()
    }
}
