//! Mobile IP messages as the simulator carries them.

use seamline_wire::codec::message::REGISTRATION_PORT;
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, Identification, RegistrationReply, RegistrationRequest, ReplyCode,
    UndeliveredSegment,
    RequestFlags,
};
use seamline_wire::{Control, Extra, NodeId, Packet, SequenceNumber, TransportPort};

pub(crate) const MOBILE: NodeId = NodeId(5);
pub(crate) const HOME_AGENT: NodeId = NodeId(2);
pub(crate) const FOREIGN_AGENT: NodeId = NodeId(3);

fn advertisement() -> AgentAdvertisement {
    AgentAdvertisement {
        agent: FOREIGN_AGENT,
        lifetime_s: 3,
        sequence: 7,
        registration_lifetime_s: 1800,
        flags: AgentFlags::FOREIGN_AGENT | AgentFlags::REGISTRATION_REQUIRED,
        care_of_address: Some(FOREIGN_AGENT),
    }
}

fn request() -> Control {
    Control::RegistrationRequest(RegistrationRequest {
        flags: RequestFlags::SIMULTANEOUS_BINDINGS,
        lifetime_s: 1800,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        care_of_address: FOREIGN_AGENT,
        identification: Identification(0x0000_0005_8000_0000),
    })
}

fn reply() -> Control {
    Control::RegistrationReply(RegistrationReply {
        code: ReplyCode::IDENTIFICATION_MISMATCH,
        lifetime_s: 60,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        identification: Identification(0x0000_0006_8000_0000),
    })
}

fn unreachable() -> Control {
    Control::HostUnreachable(UndeliveredSegment {
        source: HOME_AGENT,
        destination: MOBILE,
        source_port: TransportPort(35001),
        destination_port: TransportPort(5001),
        sequence: SequenceNumber(0x0102_0304),
        wire_bytes: 1000,
    })
}

fn packet(source: NodeId, destination: NodeId, control: Control) -> Packet {
    let in_udp = matches!(control, Control::RegistrationRequest(_) | Control::RegistrationReply(_));
    let port = if in_udp { REGISTRATION_PORT } else { TransportPort(0) };
    Packet {
        source,
        destination,
        source_port: port,
        destination_port: port,
        wire_bytes: control.wire_bytes(),
        extra: Extra::control(control),
        ..Packet::default()
    }
}

pub(crate) fn all() -> [Packet; 7] {
    [
        packet(FOREIGN_AGENT, NodeId::ALL_SYSTEMS, Control::AgentAdvertisement(advertisement())),
        packet(MOBILE, NodeId::ALL_ROUTERS, Control::AgentSolicitation),
        packet(MOBILE, FOREIGN_AGENT, request()),
        packet(HOME_AGENT, FOREIGN_AGENT, reply()),
        packet(FOREIGN_AGENT, HOME_AGENT, unreachable()),
        packet(MOBILE, FOREIGN_AGENT, Control::ProxyAgentSolicitation(6)),
        packet(FOREIGN_AGENT, MOBILE, Control::ProxyAgentAdvertisement(6, advertisement())),
    ]
}
