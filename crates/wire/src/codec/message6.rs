//! Messages of mobility in IPv6 as bytes: ICMPv6 (RFC 4443, RFC 4861) and the Mobility Header (RFC 6275 section
//! 6.1) behind an IPv6 header, with the Home Address option and the routing header of type 2 where they belong.

use super::address::{ip_header, ipv6_address};
use super::error::EncodeError;
use super::ip::{IpHeader, IpVersion};
use super::ipv6::Ipv6Header;
use crate::control::{BindingAcknowledgement, BindingUpdate, Ipv6Control, RouterAdvertisement};
use crate::packet::{NodeId, Packet};

const ICMPV6: u8 = 58;
const MOBILITY_HEADER: u8 = 135;
const DESTINATION_OPTIONS: u8 = 60;
const ROUTING: u8 = 43;
const NO_NEXT_HEADER: u8 = 59;
/// Neighbor Discovery comes from the link only (RFC 4861 section 3.1).
const ON_LINK_HOP_LIMIT: u8 = 255;

const ROUTER_SOLICITATION: u8 = 133;
const ROUTER_ADVERTISEMENT: u8 = 134;
const PREFIX_INFORMATION: u8 = 3;
const MOBILITY_ANCHOR_POINT: u8 = 23;
const ADVERTISEMENT_LENGTH: usize = 16;
const PREFIX_OPTION_LENGTH: usize = 32;

const BINDING_UPDATE: u8 = 5;
const BINDING_ACKNOWLEDGEMENT: u8 = 6;
const FAST_BINDING_UPDATE: u8 = 8;
const FAST_BINDING_ACKNOWLEDGMENT: u8 = 9;
const PAD_N: u8 = 1;
const ALTERNATE_CARE_OF_ADDRESS: u8 = 3;
const HOME_ADDRESS_OPTION: u8 = 201;
const ADDRESS_LENGTH: usize = 16;
/// A destination option with an address, or a routing header of type 2.
const EXTENSION_LENGTH: usize = 24;

/// Write a message to the front of `out` and return its length, which is [`Ipv6Control::wire_bytes`].
pub(super) fn encode(packet: &Packet, control: &Ipv6Control, out: &mut [u8]) -> Result<usize, EncodeError> {
    let needed = control.wire_bytes() as usize;
    let place = out.get_mut(..needed).ok_or(EncodeError::BufferTooSmall { needed })?;
    let (ip_place, body) = place.split_at_mut(Ipv6Header::LENGTH);
    body.fill(0);
    let mut ip = Ipv6Header::new(ipv6_address(packet.source), ipv6_address(packet.destination));
    let next_header = match control {
        Ipv6Control::RouterSolicitation => {
            body[0] = ROUTER_SOLICITATION;
            ICMPV6
        }
        Ipv6Control::RouterAdvertisement(advertisement) => {
            write_advertisement(advertisement, body);
            ICMPV6
        }
        Ipv6Control::BindingUpdate(update) => {
            let repeats = update.has_alternate_care_of_address();
            write_update(packet, update, (BINDING_UPDATE, repeats), body)
        }
        Ipv6Control::FastBindingUpdate(update) => {
            write_update(packet, update, (FAST_BINDING_UPDATE, false), body)
        }
        Ipv6Control::BindingAcknowledgement(answer) => {
            write_acknowledgement(packet, answer, BINDING_ACKNOWLEDGEMENT, body)
        }
        Ipv6Control::FastBindingAcknowledgment(answer) => {
            write_acknowledgement(packet, answer, FAST_BINDING_ACKNOWLEDGMENT, body)
        }
    };
    if next_header == ICMPV6 {
        ip.hop_limit = ON_LINK_HOP_LIMIT;
        let sum = IpHeader::V6(ip).pseudo_header(ICMPV6, body.len()).over(body).field();
        body[2..4].copy_from_slice(&sum.to_be_bytes());
    }
    ip_place.copy_from_slice(&ip.write(next_header, needed - Ipv6Header::LENGTH)?);
    Ok(needed)
}

fn write_advertisement(advertisement: &RouterAdvertisement, body: &mut [u8]) {
    const UNSPECIFIED_HOP_LIMIT: u8 = 0;
    const PREFIX_BITS: u8 = 64;
    /// On-link, autonomous address configuration, router address (RFC 6275 section 7.2).
    const FLAGS: u8 = 0x80 | 0x40 | 0x20;
    let lifetime = u32::from(advertisement.lifetime_s).to_be_bytes();
    body[0] = ROUTER_ADVERTISEMENT;
    body[4] = UNSPECIFIED_HOP_LIMIT;
    body[6..8].copy_from_slice(&advertisement.lifetime_s.to_be_bytes());
    let (prefix, rest) = body[ADVERTISEMENT_LENGTH..].split_at_mut(PREFIX_OPTION_LENGTH);
    prefix[..4].copy_from_slice(&[PREFIX_INFORMATION, 4, PREFIX_BITS, FLAGS]);
    prefix[4..8].copy_from_slice(&lifetime);
    prefix[8..12].copy_from_slice(&lifetime);
    prefix[16..].copy_from_slice(&ipv6_address(advertisement.router).octets());
    if let Some(anchor) = advertisement.mobility_anchor_point {
        /// Distance one, the highest preference.
        const DISTANCE_AND_PREFERENCE: u8 = 0x1f;
        /// R: a regional care-of address is to be formed from the prefix of the anchor.
        const REGIONAL: u8 = 0x80;
        rest[..4].copy_from_slice(&[MOBILITY_ANCHOR_POINT, 3, DISTANCE_AND_PREFERENCE, REGIONAL]);
        rest[4..8].copy_from_slice(&lifetime);
        rest[8..].copy_from_slice(&ipv6_address(anchor).octets());
    }
}

/// Returns the number of the first header written.
fn write_update(
    packet: &Packet,
    update: &BindingUpdate,
    (kind, repeats_care_of_address): (u8, bool),
    body: &mut [u8],
) -> u8 {
    let (extension, header) = body.split_at_mut(if update.is_away() { EXTENSION_LENGTH } else { 0 });
    header[2] = kind;
    header[6..8].copy_from_slice(&update.sequence.to_be_bytes());
    header[8..10].copy_from_slice(&update.flags.0.to_be_bytes());
    header[10..12].copy_from_slice(&update.lifetime_units.to_be_bytes());
    if repeats_care_of_address {
        header[12..14].copy_from_slice(&[PAD_N, 0]);
        header[14..16].copy_from_slice(&[ALTERNATE_CARE_OF_ADDRESS, ADDRESS_LENGTH as u8]);
        header[16..].copy_from_slice(&ipv6_address(update.care_of_address).octets());
    } else {
        header[12..14].copy_from_slice(&[PAD_N, 2]);
    }
    // The Home Address option is the source as far as the checksum goes (RFC 6275 section 6.1.1).
    finish_mobility_header(header, update.home_address, packet.destination);
    if extension.is_empty() {
        return MOBILITY_HEADER;
    }
    extension[..4].copy_from_slice(&[MOBILITY_HEADER, 2, PAD_N, 2]);
    extension[6..8].copy_from_slice(&[HOME_ADDRESS_OPTION, ADDRESS_LENGTH as u8]);
    extension[8..].copy_from_slice(&ipv6_address(update.home_address).octets());
    DESTINATION_OPTIONS
}

/// Returns the number of the first header written.
fn write_acknowledgement(packet: &Packet, answer: &BindingAcknowledgement, kind: u8, body: &mut [u8]) -> u8 {
    const MOBILE_ROUTER: u8 = 0x40;
    const TYPE_2: u8 = 2;
    let is_away = answer.home_address != answer.care_of_address;
    let (extension, header) = body.split_at_mut(if is_away { EXTENSION_LENGTH } else { 0 });
    header[2] = kind;
    header[6] = answer.status.0;
    header[7] = if answer.mobile_router { MOBILE_ROUTER } else { 0 };
    header[8..10].copy_from_slice(&answer.sequence.to_be_bytes());
    header[10..12].copy_from_slice(&answer.lifetime_units.to_be_bytes());
    header[12..14].copy_from_slice(&[PAD_N, 2]);
    // With a routing header the last destination counts (RFC 8200 section 8.1).
    finish_mobility_header(header, packet.source, answer.home_address);
    if extension.is_empty() {
        return MOBILITY_HEADER;
    }
    extension[..4].copy_from_slice(&[MOBILITY_HEADER, 2, TYPE_2, 1]);
    extension[8..].copy_from_slice(&ipv6_address(answer.home_address).octets());
    ROUTING
}

fn finish_mobility_header(header: &mut [u8], source: NodeId, destination: NodeId) {
    header[0] = NO_NEXT_HEADER;
    header[1] = (header.len() / 8 - 1) as u8;
    let pseudo = ip_header(IpVersion::V6, source, destination).pseudo_header(MOBILITY_HEADER, header.len());
    let sum = pseudo.over(header).field();
    header[4..6].copy_from_slice(&sum.to_be_bytes());
}
