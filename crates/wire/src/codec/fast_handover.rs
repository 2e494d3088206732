//! The messages of fast handovers as bytes (RFC 5568 section 6), behind the IPv6 header: in ICMPv6 and in the Mobility
//! Header. Checksums are written by the caller.

use super::address::ipv6_address;
use super::message6::PAD_N;
use crate::control::{
    HandoverAcknowledge, HandoverInitiate, ProxyRouterAdvertisement, ProxyRouterSolicitation,
};
use crate::packet::{NodeId, Packet};

/// ICMPv6 type of RtSolPr and PrRtAdv, which their subtypes tell apart.
const FAST_HANDOVER: u8 = 154;
const NEIGHBOR_ADVERTISEMENT: u8 = 136;
const HANDOVER_INITIATE: u8 = 14;
const HANDOVER_ACKNOWLEDGE: u8 = 15;

/// Options of neighbor discovery (section 6.4.1 and 6.4.3), and of the Mobility Header (6.4.2 and 6.4.4).
const ADDRESS_OPTION: u8 = 17;
const LINK_LAYER_OPTION: u8 = 19;
const MOBILITY_LINK_LAYER_OPTION: u8 = 7;
const TARGET_LINK_LAYER_OPTION: u8 = 2;

/// Option codes: of addresses of access points, mobile nodes, new routers, and of the sender (section 6.4.3).
const ACCESS_POINT: u8 = 1;
const MOBILE_NODE: u8 = 2;
const NEW_ROUTER: u8 = 3;
const SENDER: u8 = 4;
/// The access point is unknown.
const NO_PREFIX: u8 = 6;
/// Option codes of IP addresses (section 6.4.1).
const OLD_ADDRESS: u8 = 1;
const NEW_ADDRESS: u8 = 2;
const ROUTER_ADDRESS: u8 = 3;

const LINK_LAYER_LENGTH: usize = 16;
const MAC_LENGTH: usize = 6;

/// A locally administered address of a node or, with the first bytes 2 and 1, of an access point.
fn link_layer_address([first, second]: [u8; 2], number: u32) -> [u8; MAC_LENGTH] {
    let [a, b, c, d] = number.to_be_bytes();
    [first, second, a, b, c, d]
}
fn of_node(node: NodeId) -> [u8; MAC_LENGTH] {
    link_layer_address([2, 0], node.0)
}
fn of_access_point(number: u32) -> [u8; MAC_LENGTH] {
    link_layer_address([2, 1], number)
}

fn write_link_layer(code: u8, address: [u8; MAC_LENGTH], option: &mut [u8]) {
    option[..3].copy_from_slice(&[LINK_LAYER_OPTION, 2, code]);
    option[3..3 + MAC_LENGTH].copy_from_slice(&address);
}

/// Section 6.1.1.
pub(super) fn write_solicitation(packet: &Packet, it: &ProxyRouterSolicitation, body: &mut [u8]) {
    const SUBTYPE: u8 = 2;
    body[0] = FAST_HANDOVER;
    body[4] = SUBTYPE;
    body[6..8].copy_from_slice(&it.identifier.to_be_bytes());
    let (sender, access_point) = body[8..].split_at_mut(LINK_LAYER_LENGTH);
    write_link_layer(SENDER, of_node(packet.source), sender);
    write_link_layer(ACCESS_POINT, of_access_point(it.access_point), access_point);
}

/// Section 6.1.2: Code 0 with the router, Code 2 without. The prefix is that of the router's address, so that no option of
/// its own holds it.
pub(super) fn write_advertisement(packet: &Packet, it: &ProxyRouterAdvertisement, body: &mut [u8]) {
    const SUBTYPE: u8 = 3;
    const UNKNOWN: u8 = 2;
    const PREFIX_BITS: u8 = 64;
    body[0] = FAST_HANDOVER;
    body[4] = SUBTYPE;
    body[6..8].copy_from_slice(&it.identifier.to_be_bytes());
    let (sender, rest) = body[8..].split_at_mut(LINK_LAYER_LENGTH);
    write_link_layer(SENDER, of_node(packet.source), sender);
    let (access_point, rest) = rest.split_at_mut(LINK_LAYER_LENGTH);
    let code = if it.router.is_some() { ACCESS_POINT } else { NO_PREFIX };
    write_link_layer(code, of_access_point(it.access_point), access_point);
    let Some(router) = it.router else {
        body[1] = UNKNOWN;
        return;
    };
    let (link_layer, address) = rest.split_at_mut(LINK_LAYER_LENGTH);
    write_link_layer(NEW_ROUTER, of_node(router), link_layer);
    address[..4].copy_from_slice(&[ADDRESS_OPTION, 3, ROUTER_ADDRESS, PREFIX_BITS]);
    address[8..].copy_from_slice(&ipv6_address(router).octets());
}

/// Section 6.3, RFC 4861 section 4.4: all flags are zero.
pub(super) fn write_neighbor_advertisement(target: NodeId, body: &mut [u8]) {
    body[0] = NEIGHBOR_ADVERTISEMENT;
    body[8..24].copy_from_slice(&ipv6_address(target).octets());
    body[24..26].copy_from_slice(&[TARGET_LINK_LAYER_OPTION, 1]);
    body[26..].copy_from_slice(&of_node(target));
}

/// Section 6.2.1.1, with the options aligned as sections 6.4.2 and 6.4.4 say.
pub(super) fn write_initiate(it: &HandoverInitiate, header: &mut [u8]) {
    const BUFFER: u8 = 0x40;
    const FULL_LENGTH: u8 = 128;
    header[2] = HANDOVER_INITIATE;
    header[6..8].copy_from_slice(&it.sequence.to_be_bytes());
    header[8] = BUFFER;
    header[10..13].copy_from_slice(&[MOBILITY_LINK_LAYER_OPTION, 1 + MAC_LENGTH as u8, MOBILE_NODE]);
    header[13..19].copy_from_slice(&of_node(it.previous_care_of_address));
    // Pad1 at 19.
    header[20..24].copy_from_slice(&[ADDRESS_OPTION, 18, OLD_ADDRESS, FULL_LENGTH]);
    header[24..40].copy_from_slice(&ipv6_address(it.previous_care_of_address).octets());
    header[40..42].copy_from_slice(&[PAD_N, 2]);
    header[44..48].copy_from_slice(&[ADDRESS_OPTION, 18, NEW_ADDRESS, FULL_LENGTH]);
    header[48..].copy_from_slice(&ipv6_address(it.new_care_of_address).octets());
}

/// Section 6.2.1.2.
pub(super) fn write_acknowledge(it: &HandoverAcknowledge, header: &mut [u8]) {
    header[2] = HANDOVER_ACKNOWLEDGE;
    header[6..8].copy_from_slice(&it.sequence.to_be_bytes());
    header[9] = it.code;
    header[10..12].copy_from_slice(&[PAD_N, 4]);
}
