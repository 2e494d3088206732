//! The mobile node, below its TCP: sends by the cell it is in, and keeps its home agent informed.

use crate::agent_discovery::{AgentDiscovery, Place};
use crate::movement::{CellId, Movement};
use crate::registration::{Answer, MobileIpConfig, Registration, ToSend};
use crate::send::{control, lose};
use seamline_wire::control::{AgentAdvertisement, RegistrationReply};
use seamline_wire::{
    Control, DropCause, Event, HandoverPhase, Input, Instant, Machine, MobilityEvent, NodeId, Outbox, Packet,
    Port, Signal,
};

/// What makes a mobile node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MobileNodeConfig {
    /// The node; its address is the home address.
    pub node: NodeId,
    /// When it is in which cell.
    pub movement: Movement,
    /// How it keeps reachable. `None`: an idealised network, whose routes follow it at once.
    pub mobile_ip: Option<MobileIpConfig>,
}

#[derive(Debug)]
struct MobileIp {
    discovery: AgentDiscovery,
    registration: Registration,
    layer_2_triggers: bool,
    /// The link is up, and the host has not heard of it, because only an advertisement tells whether the node is
    /// reachable over it.
    kept_back: Option<Signal>,
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
/// (`seamline_net::notices::HandoverNotices`) is passed on, but [`Signal::LinkUp`] at once only without Mobile IP: with
/// it a new link alone makes nobody reachable. It is passed on when the link turns out to lead to the same agent as
/// before, so that whoever has heard of a link that is down hears of its end; otherwise
/// [`Signal::MovementDetected`] takes its place. So the host hears once of each link. Layer 2 triggers shorten
/// the wait: the node asks the new link for an advertisement (Mobility-Vegas, section 4.2, steps 5 to 9).
#[derive(Debug)]
pub struct MobileNode {
    node: NodeId,
    movement: Movement,
    /// Half moves done: the node is on its way after an odd number of them.
    done: usize,
    mobile_ip: Option<MobileIp>,
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
        let MobileNodeConfig { node, movement, mobile_ip } = config;
        let mobile_ip = mobile_ip.map(|config| MobileIp {
            discovery: AgentDiscovery::new(config.movement_detection, config.registered_with),
            registration: Registration::new(node, config),
            layer_2_triggers: config.layer_2_triggers,
            kept_back: None,
        });
        MobileNode { node, movement, done: 0, mobile_ip }
    }

    /// The cell it is in, `None` on its way to another.
    fn cell(&self) -> Option<CellId> {
        match self.done {
            0 => Some(self.movement.start()),
            done if done % 2 == 0 => Some(self.movement.moves()[done / 2 - 1].to),
            _ => None,
        }
    }

    /// When the next move begins or ends.
    fn next_change(&self) -> Option<Instant> {
        let begins = self.movement.moves().get(self.done / 2)?.at;
        let on_its_way = self.done % 2 == 1;
        Some(if on_its_way { begins + self.movement.interruption() } else { begins })
    }

    /// Go wherever it should be by now.
    fn follow(&mut self, now: Instant, out: &mut Outbox) {
        while self.next_change().is_some_and(|at| at <= now) {
            self.done += 1;
            match self.cell() {
                None => out.event(|| Event::Handover(HandoverPhase::Started)),
                Some(CellId(cell)) => {
                    out.event(|| Event::Mobility(MobilityEvent::CellEntered { cell }));
                    if self.mobile_ip.is_none() {
                        out.event(|| Event::Handover(HandoverPhase::Completed));
                    }
                }
            }
        }
    }

    fn send(&self, packet: Box<Packet>, out: &mut Outbox) {
        match self.cell() {
            Some(cell) => out.send(Self::cell_port(cell), packet),
            None => lose(out, DropCause::LinkDown, packet),
        }
    }

    fn solicit(&self, out: &mut Outbox) {
        if let Some(cell) = self.cell() {
            control(out, Self::cell_port(cell), self.node, NodeId::ALL_ROUTERS, Control::AgentSolicitation);
        }
    }

    fn send_request(&self, to_send: Option<ToSend>, out: &mut Outbox) {
        let (Some(cell), Some(ToSend { request, agent })) = (self.cell(), to_send) else { return };
        let care_of_address = request.care_of_address;
        out.event(|| Event::Mobility(MobilityEvent::RegistrationRequested { care_of_address }));
        control(out, Self::cell_port(cell), self.node, agent, Control::RegistrationRequest(request));
    }

    fn on_control(&mut self, now: Instant, message: &Control, out: &mut Outbox) {
        match message {
            Control::AgentAdvertisement(advertisement) => self.on_advertisement(now, advertisement, out),
            Control::RegistrationReply(reply) => self.on_reply(now, reply, out),
            Control::AgentSolicitation | Control::RegistrationRequest(_) => {}
        }
    }

    fn on_advertisement(&mut self, now: Instant, advertisement: &AgentAdvertisement, out: &mut Outbox) {
        let Some(mobile_ip) = &mut self.mobile_ip else { return };
        let agent = advertisement.agent;
        out.event(|| Event::Mobility(MobilityEvent::AdvertisementHeard { agent }));
        match mobile_ip.discovery.heard(now, advertisement) {
            Place::Same => return out.signals.extend(mobile_ip.kept_back.take()),
            Place::Uncertain => return,
            Place::Another => mobile_ip.kept_back = None,
        }
        out.event(|| Event::Mobility(MobilityEvent::MovementDetected { agent }));
        out.signal(Signal::MovementDetected);
        let to_send = mobile_ip.registration.moved_to(now, advertisement);
        self.send_request(to_send, out);
    }

    fn on_reply(&mut self, now: Instant, reply: &RegistrationReply, out: &mut Outbox) {
        let Some(mobile_ip) = &mut self.mobile_ip else { return };
        match mobile_ip.registration.on_reply(now, reply) {
            Answer::Stale => {}
            Answer::Accepted { care_of_address, after_move } => {
                out.event(|| Event::Mobility(MobilityEvent::RegistrationAccepted { care_of_address }));
                if after_move {
                    out.signal(Signal::Registered);
                }
            }
            Answer::Refused(to_send) => {
                let code = reply.code;
                out.event(|| Event::Mobility(MobilityEvent::RegistrationRefused { code }));
                self.send_request(to_send, out);
            }
        }
    }

    fn on_packet(&mut self, now: Instant, port: Port, packet: Box<Packet>, out: &mut Outbox) {
        if port == Self::HOST {
            return self.send(packet, out);
        }
        match &packet.control {
            None => out.send(Self::HOST, packet),
            Some(message) => {
                let message = **message;
                out.recycle(packet);
                self.on_control(now, &message, out);
            }
        }
    }

    fn on_signal(&mut self, signal: Signal, out: &mut Outbox) {
        if let Some(mobile_ip) = &mut self.mobile_ip {
            match signal {
                Signal::LinkUp { .. } => {
                    mobile_ip.kept_back = Some(signal);
                    if mobile_ip.layer_2_triggers {
                        self.solicit(out);
                    }
                    return;
                }
                Signal::LinkDown => mobile_ip.kept_back = None,
                _ => {}
            }
        }
        out.signal(signal);
    }
}

impl Machine for MobileNode {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.follow(now, out);
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            Input::Signal(signal) => self.on_signal(signal, out),
            Input::Wake => {
                let due = self.mobile_ip.as_mut().and_then(|it| it.registration.on_wake(now));
                self.send_request(due, out);
            }
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let due = self.mobile_ip.as_ref().and_then(|mobile_ip| mobile_ip.registration.wake_at());
        self.next_change().into_iter().chain(due).min()
    }
}
