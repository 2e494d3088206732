//! What packets and events are called in a message chart.

use seamline_report::messages::MessageKind;
use seamline_wire::control::{Control, Ipv6Control, MissingBytes, RecoveryMessage};
use seamline_wire::{Flags, LossCause, Mark, MobilityEvent, NodeId, Packet, SequenceNumber};
use std::borrow::Cow;

/// The kind of a packet, and what it says beyond that. `number` gives the number of the segment with a sequence number.
pub(super) fn packet_text(
    packet: &Packet,
    repeated: bool,
    number: impl Fn(SequenceNumber) -> Option<u64>,
) -> (MessageKind, Cow<'static, str>) {
    if let Some(control) = packet.control() {
        return control_text(control, number);
    }
    if let Some(text) = marked(packet, number) {
        return (MessageKind::Marked, text.into());
    }
    let kind = match (packet.has_payload(), repeated) {
        (true, true) => MessageKind::Retransmission,
        (true, false) => MessageKind::Data,
        (false, _) => MessageKind::Acknowledgment,
    };
    (kind, "".into())
}

fn marked(packet: &Packet, number: impl Fn(SequenceNumber) -> Option<u64>) -> Option<String> {
    let segment = &packet.segment;
    for (flag, name) in [(Flags::SYN, "SYN"), (Flags::FIN, "FIN")] {
        if segment.flags.contains(flag) {
            return Some(name.to_owned());
        }
    }
    let what = match segment.mark {
        Some(Mark::Handover) => "handover mark",
        Some(Mark::WillHandover) => "mark \"I will hand off\"",
        Some(Mark::HandoverCancelled) => "mark \"handoff cancelled\"",
        Some(Mark::NewLink { .. }) => "mark \"new link\"",
        Some(Mark::Losses(losses)) if !losses.is_empty() => {
            let listed = losses
                .iter()
                .filter_map(|loss| Some((number(loss.sequence(segment.acknowledgment))?, loss.cause)));
            return Some(format!("ACK with losses {}", by_cause(&listed.collect::<Vec<_>>())));
        }
        Some(Mark::MadeBeforeBreak { .. }) => "mark \"made before break\"",
        _ if segment.window == 0 && segment.flags.contains(Flags::ACK) => "a window of zero",
        _ => return None,
    };
    let kind = if packet.has_payload() { "data" } else { "ACK" };
    Some(format!("{kind} with {what}"))
}

fn control_text(
    control: &Control,
    number: impl Fn(SequenceNumber) -> Option<u64>,
) -> (MessageKind, Cow<'static, str>) {
    use MessageKind::{Advertisement, Signalling};
    let (kind, text) = match control {
        Control::AgentAdvertisement(_) => (Advertisement, "Agent Advertisement"),
        Control::AgentSolicitation => (Signalling, "Agent Solicitation"),
        Control::RegistrationRequest(_) => (Signalling, "Registration Request"),
        Control::RegistrationReply(_) => (Signalling, "Registration Reply"),
        Control::HostUnreachable(_) => (Signalling, "Host Unreachable"),
        Control::ProxyAgentSolicitation(_) => (Signalling, "Proxy Router Solicitation"),
        Control::ProxyAgentAdvertisement(..) => (Signalling, "Proxy Router Advertisement"),
        Control::HandoffRequest(_) => (Signalling, "Handoff Request"),
        Control::HandoffReply(_) => (Signalling, "Handoff Reply"),
        Control::Ipv6(Ipv6Control::RouterAdvertisement(_)) => (Advertisement, "Router Advertisement"),
        Control::Ipv6(message) => (Signalling, ipv6_text(message)),
        Control::Recovery(message) => return (Signalling, recovery(message, number).into()),
    };
    (kind, text.into())
}

/// What agents tell each other about missing segments, with their numbers.
fn recovery(message: &RecoveryMessage, number: impl Fn(SequenceNumber) -> Option<u64>) -> String {
    let about = match message.about {
        MissingBytes::Request => "SNACK",
        MissingBytes::LostByCongestion => "lost by congestion",
    };
    let range = |range: &seamline_wire::control::SequenceRange| {
        let (first, last) = (number(range.first)?, number(range.end + u32::MAX)?);
        Some(if first == last { first.to_string() } else { format!("{first}–{last}") })
    };
    let named = message.ranges.as_slice().iter().filter(|range| range.first != range.end);
    let ranges: Vec<String> = named.filter_map(range).collect();
    if ranges.is_empty() { format!("{about}: nothing") } else { format!("{about} {}", ranges.join(", ")) }
}

/// `30, 28 (congestion: 1), 26 (air: 0)`.
fn by_cause(losses: &[(u64, LossCause)]) -> String {
    let group = |group: &[(u64, LossCause)]| {
        let bit = match group[0].1 {
            LossCause::Congestion => "congestion: 1",
            LossCause::Air => "air: 0",
        };
        let numbers: Vec<String> = group.iter().map(|(number, _)| number.to_string()).collect();
        format!("{} ({bit})", numbers.join(", "))
    };
    losses.chunk_by(|one, other| one.1 == other.1).map(group).collect::<Vec<_>>().join(", ")
}

fn ipv6_text(message: &Ipv6Control) -> &'static str {
    match message {
        Ipv6Control::RouterAdvertisement(_) => "Router Advertisement",
        Ipv6Control::RouterSolicitation => "Router Solicitation",
        Ipv6Control::BindingUpdate(_) => "Binding Update",
        Ipv6Control::BindingAcknowledgement(_) => "Binding Acknowledgement",
        Ipv6Control::FastBindingUpdate(_) => "Fast Binding Update",
        Ipv6Control::PredictiveBindingUpdate(_) => "Fast Binding Update, predictive",
        Ipv6Control::FastBindingAcknowledgment(_) => "Fast Binding Acknowledgment",
        Ipv6Control::ProxyRouterSolicitation(_) => "Proxy Router Solicitation",
        Ipv6Control::ProxyRouterAdvertisement(_) => "Proxy Router Advertisement",
        Ipv6Control::HandoverInitiate(_) => "Handover Initiate",
        Ipv6Control::HandoverAcknowledge(_) => "Handover Acknowledge",
        Ipv6Control::NeighborAdvertisement(_) => "Neighbor Advertisement",
        Ipv6Control::HomeTestInit(_) => "Home Test Init",
        Ipv6Control::CareOfTestInit(_) => "Care-of Test Init",
        Ipv6Control::HomeTest(_) => "Home Test",
        Ipv6Control::CareOfTest(_) => "Care-of Test",
        Ipv6Control::CorrespondentUpdate(_) => "Binding Update",
        Ipv6Control::CorrespondentAcknowledgement(_) => "Binding Acknowledgement",
    }
}

/// What a mobility protocol did; nothing where its messages tell the same.
pub(super) fn mobility(what: MobilityEvent, name: impl Fn(NodeId) -> String) -> Option<Cow<'static, str>> {
    Some(match what {
        MobilityEvent::MovementDetected { .. } => "movement detected".into(),
        MobilityEvent::RegistrationAccepted { after_move: true, .. } => "registered".into(),
        MobilityEvent::RegistrationRefused { .. } => "registration refused".into(),
        MobilityEvent::BindingRefused { .. } => "binding refused".into(),
        MobilityEvent::BindingChanged { care_of_address: Some(to), .. } => {
            format!("binding changed: tunnel to {}", name(to)).into()
        }
        MobilityEvent::BindingAdded { care_of_address: to, .. } => {
            format!("binding added: tunnel to {} as well", name(to)).into()
        }
        MobilityEvent::BindingChanged { care_of_address: None, .. } => "binding removed: no tunnel".into(),
        _ => return None,
    })
}
