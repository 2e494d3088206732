//! Messages of mobility in IPv6 as Wireshark reads them.

use crate::common::tshark;
use seamline_capture::{Capture, CaptureOptions};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, CorrespondentAcknowledgement,
    CorrespondentUpdate, HandoverAcknowledge, HandoverInitiate, Ipv6Control, ProxyRouterAdvertisement,
    ProxyRouterSolicitation, RouterAdvertisement, Test, TestInit,
};
use seamline_wire::{Control, Extra, Instant, NodeId, Packet, Segment, TransportPort, Tunnel, TunnelHeader};

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

/// RFC 6275 sections 6.1.3 to 6.1.6: tests and their requests.
#[test]
fn wireshark_reads_return_routability() {
    let (init, test) = (TestInit { cookie: 0x1122 }, Test { cookie: 0x1122, nonce_index: 3, token: 0x3344 });
    let packets = [
        carrying(MOBILE, ROUTER, Ipv6Control::HomeTestInit(init)),
        carrying(ON_LINK, ROUTER, Ipv6Control::CareOfTestInit(init)),
        carrying(ROUTER, MOBILE, Ipv6Control::HomeTest(test)),
        carrying(ROUTER, ON_LINK, Ipv6Control::CareOfTest(test)),
    ];
    let fields = [
        "frame.len",
        "mip6.mhtype",
        "mip6.hoti.cookie",
        "mip6.coti.cookie",
        "mip6.hot.nindex",
        "mip6.hot.token",
        "mip6.cot.nindex",
        "mip6.cot.cookie",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    assert_eq!(
        lines,
        [
            "56|1|0x0000000000001122|||||||",
            "56|2||0x0000000000001122||||||",
            "64|3|||3|0x0000000000003344||||",
            // Wireshark has one field for both kinds of token.
            "64|4||||0x0000000000003344|3|0x0000000000001122||",
        ]
    );
}

/// RFC 6275 sections 6.2.6 and 6.2.7: 6 bytes of nonce indices and 14 of authorization data end an update at 32 bytes;
/// six bytes of padding stand before the latter in an acknowledgement.
#[test]
fn wireshark_reads_bindings_of_correspondents() {
    let update = |care_of_address| {
        let update = BindingUpdate {
            sequence: 7,
            flags: BindingFlags::ACKNOWLEDGE,
            lifetime_units: 105,
            home_address: MOBILE,
            care_of_address,
        };
        let message =
            CorrespondentUpdate { update, home_nonce_index: 3, care_of_nonce_index: 4, authenticator: 0x55 };
        carrying(care_of_address, ROUTER, Ipv6Control::CorrespondentUpdate(message))
    };
    let answer = BindingAcknowledgement {
        status: BindingStatus::EXPIRED_NONCES,
        mobile_router: false,
        sequence: 7,
        lifetime_units: 0,
        home_address: MOBILE,
        care_of_address: ON_LINK,
    };
    let answer = CorrespondentAcknowledgement { correspondent: ROUTER, answer };
    let answer = carrying(ROUTER, ON_LINK, Ipv6Control::CorrespondentAcknowledgement(answer));
    let packets = [update(ON_LINK), update(MOBILE), answer];
    let fields = [
        "frame.len",
        "mip6.mhtype",
        "mip6.bu.lifetime",
        "mip6.ni.hni",
        "mip6.ni.cni",
        "mip6.bad.auth",
        "mip6.ba.status",
        "ipv6.opt.mipv6.home_address",
        "ipv6.routing.mipv6.home_address",
        "_ws.malformed",
        "_ws.expert.message",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    assert_eq!(
        lines,
        [
            "96|5|105|3|4|000000000000005500000000||fd00::5|||",
            "72|5|105|3|4|000000000000005500000000|||||",
            "96|6||||000000000000000000000000|138||fd00::5||",
        ]
    );
}

/// RFC 6275 sections 6.3 and 6.4: 24 bytes more, and checksums over the home address.
#[test]
fn wireshark_reads_data_with_a_home_address() {
    let data = |source, destination| Packet {
        source,
        destination,
        source_port: TransportPort(35001),
        destination_port: TransportPort(5001),
        wire_bytes: 1020,
        segment: Segment { length: 960, ..Segment::default() },
        ..Packet::default()
    };
    let (mut up, mut down) = (data(MOBILE, ROUTER), data(ROUTER, MOBILE));
    assert!(up.enter(Tunnel { entry: ON_LINK, exit: ROUTER }, TunnelHeader::HomeAddress));
    assert!(down.enter(Tunnel { entry: ROUTER, exit: ON_LINK }, TunnelHeader::HomeAddress));
    let mut forwarded = down.clone();
    assert!(forwarded.encapsulate_in_ipv6(Tunnel { entry: ANCHOR, exit: NodeId(0x22) }));
    let fields = [
        "frame.len",
        "ipv6.src",
        "ipv6.dst",
        "ipv6.opt.mipv6.home_address",
        "ipv6.routing.mipv6.home_address",
        "tcp.dstport",
        "tcp.len",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&capture(&[up, down, forwarded]), &fields) else { return };
    assert_eq!(
        lines,
        [
            "1044|fd00::21|fd00::3|fd00::5||5001|960|",
            "1044|fd00::3|fd00::21||fd00::5|5001|960|",
            "1084|fd00::4,fd00::3|fd00::22,fd00::21||fd00::5|5001|960|",
        ]
    );
}

/// RFC 5568 sections 6.1, 6.2.1 and 6.3: ICMPv6 type 154 with subtypes 2 and 3, Mobility Header types 14 and 15 with options
/// at 8n+4, and a Neighbor Advertisement.
#[test]
fn wireshark_reads_prepared_handovers() {
    let asked = ProxyRouterSolicitation { identifier: 4, access_point: 1 };
    let answer = |router| {
        let heard = ProxyRouterAdvertisement { identifier: 4, access_point: 1, router };
        carrying(ROUTER, ON_LINK, Ipv6Control::ProxyRouterAdvertisement(heard))
    };
    let update = BindingUpdate {
        sequence: 7,
        flags: BindingFlags::ACKNOWLEDGE | BindingFlags::HOME_REGISTRATION,
        lifetime_units: 10,
        home_address: MOBILE,
        care_of_address: ON_LINK,
    };
    let initiate =
        HandoverInitiate { sequence: 9, previous_care_of_address: MOBILE, new_care_of_address: ON_LINK };
    let acknowledge = HandoverAcknowledge { sequence: 9, code: HandoverAcknowledge::PROHIBITED };
    let packets = [
        carrying(MOBILE, ROUTER, Ipv6Control::ProxyRouterSolicitation(asked)),
        answer(Some(ANCHOR)),
        answer(None),
        carrying(MOBILE, ROUTER, Ipv6Control::PredictiveBindingUpdate(update)),
        carrying(ROUTER, ANCHOR, Ipv6Control::HandoverInitiate(initiate)),
        carrying(ANCHOR, ROUTER, Ipv6Control::HandoverAcknowledge(acknowledge)),
        carrying(ON_LINK, ANCHOR, Ipv6Control::NeighborAdvertisement(ON_LINK)),
    ];
    let fields = [
        "frame.len",
        "icmpv6.type",
        "icmpv6.fmip6.subtype",
        "icmpv6.checksum.status",
        "mip6.mhtype",
        "mip6.fbu.seqnr",
        "mip6.acoa.acoa",
        "mip6.hi.seqnr",
        "mip6.hack.code",
        "icmpv6.nd.na.target_address",
        "_ws.malformed",
    ];
    let Some(lines) = tshark(&capture(&packets), &fields) else { return };
    assert_eq!(
        lines,
        [
            "80|154|2|1|||||||",
            "120|154|3|1|||||||",
            "80|154|3|1|||||||",
            "96||||8|7|fd00::21||||",
            "104||||14|||9|||",
            "56||||15||||129||",
            "72|136||1||||||fd00::21|",
        ]
    );
}
