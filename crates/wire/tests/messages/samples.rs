//! Mobile IP messages as the simulator carries them.

use seamline_wire::codec::message::REGISTRATION_PORT;
use seamline_wire::control::{
    AgentAdvertisement, AgentFlags, HandoffReply, HandoffRequest, Identification, RegistrationReply,
    RegistrationRequest, ReplyCode, RequestFlags, UndeliveredSegment,
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

const HANDOFF: HandoffRequest = HandoffRequest {
    lifetime_s: 10,
    home_address: MOBILE,
    identification: Identification(0x0000_0005_8000_0000),
};

fn handoff_reply() -> Control {
    let HandoffRequest { lifetime_s, home_address, identification } = HANDOFF;
    Control::HandoffReply(HandoffReply { code: 1, lifetime_s, home_address, identification })
}

fn packet(source: NodeId, destination: NodeId, control: Control) -> Packet {
    let in_udp = matches!(
        control,
        Control::RegistrationRequest(_)
            | Control::RegistrationReply(_)
            | Control::HandoffRequest(_)
            | Control::HandoffReply(_)
    );
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

pub(crate) fn all() -> [Packet; 9] {
    [
        packet(FOREIGN_AGENT, NodeId::ALL_SYSTEMS, Control::AgentAdvertisement(advertisement())),
        packet(MOBILE, NodeId::ALL_ROUTERS, Control::AgentSolicitation),
        packet(MOBILE, FOREIGN_AGENT, request()),
        packet(HOME_AGENT, FOREIGN_AGENT, reply()),
        packet(FOREIGN_AGENT, HOME_AGENT, unreachable()),
        packet(MOBILE, FOREIGN_AGENT, Control::ProxyAgentSolicitation(6)),
        packet(FOREIGN_AGENT, MOBILE, Control::ProxyAgentAdvertisement(6, advertisement())),
        packet(NodeId(4), FOREIGN_AGENT, Control::HandoffRequest(HANDOFF)),
        packet(FOREIGN_AGENT, NodeId(4), handoff_reply()),
    ]
}
