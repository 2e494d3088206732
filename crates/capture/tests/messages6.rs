//! Messages of mobility in IPv6 as Wireshark reads them.

mod common;

use common::tshark;
use seamline_capture::{Capture, CaptureOptions};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, Ipv6Control, RouterAdvertisement,
};
use seamline_wire::{Control, Extra, Instant, NodeId, Packet, Segment, TransportPort, Tunnel};

const ROUTER: NodeId = NodeId(3);
const HOME_AGENT: NodeId = NodeId(2);
const ANCHOR: NodeId = NodeId(4);
const MOBILE: NodeId = NodeId(5);
const ON_LINK: NodeId = NodeId(0x21);

fn carrying(source: NodeId, destination: NodeId, message: Ipv6Control) -> Packet {
    let control = Control::Ipv6(message);
    let wire_bytes = control.wire_bytes();
    Packet { source, destination, wire_bytes, extra: Extra::control(control), ..Packet::default() }
}

fn capture(packets: &[Packet]) -> Vec<u8> {
    let mut capture =
        Capture::new(Vec::new(), &CaptureOptions::default()).expect("a vector takes everything");
    let air = capture.interface("air").expect("a name");
    for packet in packets {
        capture.packet(air, Instant::ZERO, packet, None).expect("a sound packet");
    }
    capture.finish()
}

fn update(flags: BindingFlags, care_of_address: NodeId) -> Packet {
    let update = BindingUpdate {
        sequence: 7,
        flags: flags | BindingFlags::ACKNOWLEDGE,
        lifetime_units: 450,
        home_address: MOBILE,
        care_of_address,
    };
    carrying(care_of_address, HOME_AGENT, Ipv6Control::BindingUpdate(update))
}

/// Sizes by the RFCs: 40 bytes of IPv6; a binding update of 16 (12 and padding), 16 more with an alternate care-of address (RFC
/// 6275 section 6.2.5); 24 for the Home Address option.
#[test]
fn wireshark_reads_binding_updates() {
    let packets = [
        update(BindingFlags::MOBILITY_ANCHOR_POINT, ON_LINK),
        update(BindingFlags::HOME_REGISTRATION | BindingFlags::MOBILE_ROUTER, ON_LINK),
        update(BindingFlags::HOME_REGISTRATION, MOBILE),
    ];
    let fields = [
        "frame.len",
        "mip6.mhtype",
        "mip6.bu.seqnr",
        "mip6.bu.a_flag",
        "mip6.bu.h_flag",
        "mip6.bu.m_flag",
        "mip6.nemo.bu.r_flag",
        "mip6.bu.lifetime",
        "mip6.acoa.acoa",
        "ipv6.opt.mipv6.home_address",
        "ipv6.src",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    let lines: Vec<String> =
        lines.iter().map(|line| line.replace("True", "1").replace("False", "0")).collect();
    assert_eq!(
        lines,
        [
            "80|5|7|1|0|1|0|450||fd00::5|fd00::21||",
            "96|5|7|1|1|0|1|450|fd00::21|fd00::5|fd00::21||",
            "56|5|7|1|1|0|0|450|||fd00::5||",
        ]
    );
}

#[test]
fn wireshark_reads_binding_acknowledgements() {
    let answer = |status, mobile_router, care_of_address| {
        let answer = BindingAcknowledgement {
            status,
            mobile_router,
            sequence: 7,
            lifetime_units: 450,
            home_address: MOBILE,
            care_of_address,
        };
        carrying(HOME_AGENT, care_of_address, Ipv6Control::BindingAcknowledgement(answer))
    };
    let packets = [
        answer(BindingStatus::ACCEPTED, true, ON_LINK),
        answer(BindingStatus::SEQUENCE_OUT_OF_WINDOW, false, MOBILE),
    ];
    let fields = [
        "frame.len",
        "mip6.mhtype",
        "mip6.ba.status",
        "mip6.nemo.ba.r_flag",
        "mip6.ba.seqnr",
        "mip6.ba.lifetime",
        "ipv6.routing.mipv6.home_address",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    let lines: Vec<String> =
        lines.iter().map(|line| line.replace("True", "1").replace("False", "0")).collect();
    assert_eq!(lines, ["80|6|0|1|7|450|fd00::5||", "56|6|135|0|7|450|||"]);
}

/// Mobility Header types 8 and 9 (RFC 5568 sections 6.2.2 and 6.2.3), with the Home Address option from the new link, and without
/// back on the previous one.
#[test]
fn wireshark_reads_fast_bindings() {
    let update = |care_of_address| {
        let update = BindingUpdate {
            sequence: 7,
            flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
            lifetime_units: 10,
            home_address: MOBILE,
            care_of_address,
        };
        carrying(care_of_address, ROUTER, Ipv6Control::FastBindingUpdate(update))
    };
    let answer = BindingAcknowledgement {
        status: BindingStatus::ACCEPTED,
        mobile_router: false,
        sequence: 7,
        lifetime_units: 10,
        home_address: MOBILE,
        care_of_address: ON_LINK,
    };
    let answer = carrying(ROUTER, ON_LINK, Ipv6Control::FastBindingAcknowledgment(answer));
    let packets = [update(ON_LINK), update(MOBILE), answer];
    let fields = [
        "frame.len",
        "mip6.mhtype",
        "mip6.fbu.seqnr",
        "mip6.fbu.a_flag",
        "mip6.fbu.h_flag",
        "mip6.fbu.lifetime",
        "mip6.fback.status",
        "mip6.fback.seqnr",
        "mip6.fback.lifetime",
        "ipv6.opt.mipv6.home_address",
        "ipv6.routing.mipv6.home_address",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    let lines: Vec<String> =
        lines.iter().map(|line| line.replace("True", "1").replace("False", "0")).collect();
    assert_eq!(lines, ["80|8|7|1|1|10||||fd00::5|||", "56|8|7|1|1|10|||||||", "80|9|||||0|7|10||fd00::5||"]);
}

#[test]
fn wireshark_reads_router_discovery() {
    let advertisement = |mobility_anchor_point| {
        let advertisement = RouterAdvertisement { router: ROUTER, lifetime_s: 3, mobility_anchor_point };
        carrying(ROUTER, NodeId::ALL_SYSTEMS, Ipv6Control::RouterAdvertisement(advertisement))
    };
    let packets = [
        advertisement(None),
        advertisement(Some(ANCHOR)),
        carrying(MOBILE, NodeId::ALL_ROUTERS, Ipv6Control::RouterSolicitation),
    ];
    let fields = [
        "frame.len",
        "ipv6.dst",
        "ipv6.hlim",
        "icmpv6.type",
        "icmpv6.nd.ra.router_lifetime",
        "icmpv6.opt.prefix",
        "icmpv6.opt.map.global_address",
        "icmpv6.checksum.status",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    assert_eq!(
        lines,
        [
            "88|ff02::1|255|134|3|fd00::3||1|",
            "112|ff02::1|255|134|3|fd00::3|fd00::4|1|",
            "48|ff02::2|255|133||||1|",
        ]
    );
}

/// From the home agent to the regional address, and from the anchor to the address on the link: 40 bytes each.
#[test]
fn wireshark_sees_through_tunnels_of_ipv6() {
    let mut data = Packet {
        source: NodeId(1),
        destination: MOBILE,
        source_port: TransportPort(35001),
        destination_port: TransportPort(5001),
        wire_bytes: 1000,
        segment: Segment { length: 960, ..Segment::default() },
        ..Packet::default()
    };
    assert!(data.encapsulate_in_ipv6(Tunnel { entry: HOME_AGENT, exit: NodeId(0x31) }));
    assert!(data.encapsulate_in_ipv6(Tunnel { entry: ANCHOR, exit: ON_LINK }));
    let mut message = update(BindingFlags::HOME_REGISTRATION, NodeId(0x31));
    assert!(message.encapsulate_in_ipv6(Tunnel { entry: ON_LINK, exit: ANCHOR }));
    let fields = ["frame.len", "ipv6.nxt", "ipv6.src", "ipv6.dst", "ip.dst", "mip6.mhtype", "_ws.malformed"];
    let file = capture(&[data.clone(), message]);
    let Some(lines) = tshark(&file, &fields) else { return };
    assert_eq!(
        lines,
        [
            "1080|41,4|fd00::4,fd00::2|fd00::21,fd00::31|10.0.0.5||",
            "136|41,60|fd00::21,fd00::31|fd00::4,fd00::2||5|",
        ]
    );
    data.decapsulate();
    data.decapsulate();
    assert_eq!(data.wire_bytes, 1000);
}
