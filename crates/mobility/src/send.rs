//! Packet helpers for all machines of this crate.

use seamline_wire::codec::message::REGISTRATION_PORT;
use seamline_wire::{
    Control, DropCause, Event, Extra, MobilityEvent, NodeId, Outbox, Packet, Port, TransportPort,
};

/// Send a control message out by a port.
pub(crate) fn control(out: &mut Outbox, port: Port, source: NodeId, destination: NodeId, control: Control) {
    let packet = message_packet(out, source, destination, control);
    out.send(port, packet);
}

/// A packet with a control message.
pub(crate) fn message_packet(
    out: &mut Outbox,
    source: NodeId,
    destination: NodeId,
    control: Control,
) -> Box<Packet> {
    let in_udp = matches!(
        control,
        Control::RegistrationRequest(_)
            | Control::RegistrationReply(_)
            | Control::HandoffRequest(_)
            | Control::HandoffReply(_)
    );
    let transport_port = if in_udp { REGISTRATION_PORT } else { TransportPort(0) };
    let mut packet = out.packet();
    *packet = Packet {
        source,
        destination,
        source_port: transport_port,
        destination_port: transport_port,
        wire_bytes: control.wire_bytes(),
        extra: Extra::control(control),
        ..Packet::default()
    };
    packet
}

/// A packet is lost.
#[cold]
pub(crate) fn lose(out: &mut Outbox, cause: DropCause, packet: Box<Packet>) {
    out.event(|| Event::dropped(cause, &packet));
    out.recycle(packet);
}

/// Report a new binding of an address, or that it has none any more.
pub(crate) fn report_binding(home_address: NodeId, care_of_address: Option<NodeId>, out: &mut Outbox) {
    out.event(|| Event::Mobility(MobilityEvent::BindingChanged { home_address, care_of_address }));
}

/// Report one binding more of an address.
pub(crate) fn report_further_binding(home_address: NodeId, care_of_address: NodeId, out: &mut Outbox) {
    out.event(|| Event::Mobility(MobilityEvent::BindingAdded { home_address, care_of_address }));
}
