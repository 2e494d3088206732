//! Messages of mobility in IPv6 as bytes: ICMPv6 (RFC 4443, RFC 4861) and the Mobility Header (RFC 6275 section
//! 6.1) behind an IPv6 header, with the Home Address option and the routing header of type 2 where they belong.

use super::address::{ip_header, ipv6_address};
use super::error::EncodeError;
use super::fast_handover;
use super::home_address::{self, EXTENSION_LENGTH};
use super::ip::{IpHeader, IpVersion};
use super::ipv6::Ipv6Header;
use crate::control::{
    BindingAcknowledgement, BindingUpdate, CorrespondentAcknowledgement, CorrespondentUpdate, Ipv6Control,
    RouterAdvertisement, Test,
};
use crate::packet::{NodeId, Packet};

const ICMPV6: u8 = 58;
const MOBILITY_HEADER: u8 = 135;
const NO_NEXT_HEADER: u8 = 59;
/// Neighbor Discovery comes from the link only (RFC 4861 section 3.1).
const ON_LINK_HOP_LIMIT: u8 = 255;

const ROUTER_SOLICITATION: u8 = 133;
const ROUTER_ADVERTISEMENT: u8 = 134;
const PREFIX_INFORMATION: u8 = 3;
const MOBILITY_ANCHOR_POINT: u8 = 23;
const ADVERTISEMENT_LENGTH: usize = 16;
const PREFIX_OPTION_LENGTH: usize = 32;

const HOME_TEST_INIT: u8 = 1;
const CARE_OF_TEST_INIT: u8 = 2;
const HOME_TEST: u8 = 3;
const CARE_OF_TEST: u8 = 4;
const BINDING_UPDATE: u8 = 5;
const BINDING_ACKNOWLEDGEMENT: u8 = 6;
const FAST_BINDING_UPDATE: u8 = 8;
const FAST_BINDING_ACKNOWLEDGMENT: u8 = 9;
/// Bytes of an update or an acknowledgement before its options.
const BINDING_LENGTH: usize = 12;
pub(super) const PAD_N: u8 = 1;
const NONCE_INDICES: u8 = 4;
const AUTHORIZATION_DATA: u8 = 5;
/// Bytes of the authorization data option; it ends a message.
const AUTHORIZATION_LENGTH: usize = 14;
const ALTERNATE_CARE_OF_ADDRESS: u8 = 3;
const ADDRESS_LENGTH: usize = 16;

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
            let options = match update.has_alternate_care_of_address() {
                true => Options::AlternateCareOfAddress,
                false => Options::None,
            };
            write_update(packet, update, (BINDING_UPDATE, options), body)
        }
        Ipv6Control::FastBindingUpdate(update) => {
            write_update(packet, update, (FAST_BINDING_UPDATE, Options::None), body)
        }
        Ipv6Control::PredictiveBindingUpdate(update) => {
            write_update(packet, update, (FAST_BINDING_UPDATE, Options::AlternateCareOfAddress), body)
        }
        Ipv6Control::ProxyRouterSolicitation(solicitation) => {
            fast_handover::write_solicitation(packet, solicitation, body);
            ICMPV6
        }
        Ipv6Control::ProxyRouterAdvertisement(advertisement) => {
            fast_handover::write_advertisement(packet, advertisement, body);
            ICMPV6
        }
        Ipv6Control::NeighborAdvertisement(target) => {
            fast_handover::write_neighbor_advertisement(*target, body);
            ICMPV6
        }
        Ipv6Control::HandoverInitiate(initiate) => {
            fast_handover::write_initiate(initiate, body);
            finish_mobility_header(body, packet.source, packet.destination);
            MOBILITY_HEADER
        }
        Ipv6Control::HandoverAcknowledge(acknowledge) => {
            fast_handover::write_acknowledge(acknowledge, body);
            finish_mobility_header(body, packet.source, packet.destination);
            MOBILITY_HEADER
        }
        Ipv6Control::BindingAcknowledgement(answer) => {
            write_acknowledgement(packet, answer, (BINDING_ACKNOWLEDGEMENT, Options::None), body)
        }
        Ipv6Control::FastBindingAcknowledgment(answer) => {
            write_acknowledgement(packet, answer, (FAST_BINDING_ACKNOWLEDGMENT, Options::None), body)
        }
        Ipv6Control::HomeTestInit(init) => write_test_init(packet, HOME_TEST_INIT, init.cookie, body),
        Ipv6Control::CareOfTestInit(init) => write_test_init(packet, CARE_OF_TEST_INIT, init.cookie, body),
        Ipv6Control::HomeTest(test) => write_test(packet, HOME_TEST, test, body),
        Ipv6Control::CareOfTest(test) => write_test(packet, CARE_OF_TEST, test, body),
        Ipv6Control::CorrespondentUpdate(message) => {
            write_update(packet, &message.update, (BINDING_UPDATE, Options::Authorization(message)), body)
        }
        Ipv6Control::CorrespondentAcknowledgement(CorrespondentAcknowledgement { answer, .. }) => {
            write_acknowledgement(packet, answer, (BINDING_ACKNOWLEDGEMENT, Options::Authorized), body)
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

/// The mobility options behind the fields of an update or an acknowledgement.
#[derive(Clone, Copy)]
enum Options<'a> {
    None,
    AlternateCareOfAddress,
    /// Nonce indices and authorization data.
    Authorization(&'a CorrespondentUpdate),
    /// Authorization data, whose content is not modelled.
    Authorized,
}

impl Options<'_> {
    fn write(self, update: &BindingUpdate, options: &mut [u8]) {
        match self {
            Options::None => options.copy_from_slice(&[PAD_N, 2, 0, 0]),
            Options::AlternateCareOfAddress => {
                options[..2].copy_from_slice(&[PAD_N, 0]);
                options[2..4].copy_from_slice(&[ALTERNATE_CARE_OF_ADDRESS, ADDRESS_LENGTH as u8]);
                options[4..].copy_from_slice(&ipv6_address(update.care_of_address).octets());
            }
            Options::Authorization(message) => {
                options[..2].copy_from_slice(&[NONCE_INDICES, 4]);
                options[2..4].copy_from_slice(&message.home_nonce_index.to_be_bytes());
                options[4..6].copy_from_slice(&message.care_of_nonce_index.to_be_bytes());
                write_authorization(message.authenticator, &mut options[6..]);
            }
            Options::Authorized => {
                options[..2].copy_from_slice(&[PAD_N, 4]);
                write_authorization(0, &mut options[6..]);
            }
        }
    }
}

fn write_authorization(authenticator: u64, option: &mut [u8]) {
    option[..2].copy_from_slice(&[AUTHORIZATION_DATA, AUTHORIZATION_LENGTH as u8 - 2]);
    option[2..10].copy_from_slice(&authenticator.to_be_bytes());
}

/// Returns the number of the first header written.
fn write_test_init(packet: &Packet, kind: u8, cookie: u64, header: &mut [u8]) -> u8 {
    header[2] = kind;
    header[8..].copy_from_slice(&cookie.to_be_bytes());
    finish_mobility_header(header, packet.source, packet.destination);
    MOBILITY_HEADER
}

/// Returns the number of the first header written.
fn write_test(packet: &Packet, kind: u8, test: &Test, header: &mut [u8]) -> u8 {
    header[2] = kind;
    header[6..8].copy_from_slice(&test.nonce_index.to_be_bytes());
    header[8..16].copy_from_slice(&test.cookie.to_be_bytes());
    header[16..].copy_from_slice(&test.token.to_be_bytes());
    finish_mobility_header(header, packet.source, packet.destination);
    MOBILITY_HEADER
}

/// Returns the number of the first header written.
fn write_update(
    packet: &Packet,
    update: &BindingUpdate,
    (kind, options): (u8, Options<'_>),
    body: &mut [u8],
) -> u8 {
    let (extension, header) = body.split_at_mut(if update.is_away() { EXTENSION_LENGTH } else { 0 });
    header[2] = kind;
    header[6..8].copy_from_slice(&update.sequence.to_be_bytes());
    header[8..10].copy_from_slice(&update.flags.0.to_be_bytes());
    header[10..12].copy_from_slice(&update.lifetime_units.to_be_bytes());
    options.write(update, &mut header[BINDING_LENGTH..]);
    // The Home Address option is the source as far as the checksum goes (RFC 6275 section 6.1.1).
    finish_mobility_header(header, update.home_address, packet.destination);
    if extension.is_empty() {
        return MOBILITY_HEADER;
    }
    home_address::write_option(MOBILITY_HEADER, ipv6_address(update.home_address), extension)
}

/// Returns the number of the first header written.
fn write_acknowledgement(
    packet: &Packet,
    answer: &BindingAcknowledgement,
    (kind, options): (u8, Options<'_>),
    body: &mut [u8],
) -> u8 {
    const MOBILE_ROUTER: u8 = 0x40;
    let (extension, header) = body.split_at_mut(if answer.is_away() { EXTENSION_LENGTH } else { 0 });
    header[2] = kind;
    header[6] = answer.status.0;
    header[7] = if answer.mobile_router { MOBILE_ROUTER } else { 0 };
    header[8..10].copy_from_slice(&answer.sequence.to_be_bytes());
    header[10..12].copy_from_slice(&answer.lifetime_units.to_be_bytes());
    options.write(&BindingUpdate::default(), &mut header[BINDING_LENGTH..]);
    // With a routing header the last destination counts (RFC 8200 section 8.1).
    finish_mobility_header(header, packet.source, answer.home_address);
    if extension.is_empty() {
        return MOBILITY_HEADER;
    }
    home_address::write_routing_header(MOBILITY_HEADER, ipv6_address(answer.home_address), extension)
}

fn finish_mobility_header(header: &mut [u8], source: NodeId, destination: NodeId) {
    header[0] = NO_NEXT_HEADER;
    header[1] = (header.len() / 8 - 1) as u8;
    let pseudo = ip_header(IpVersion::V6, source, destination).pseudo_header(MOBILITY_HEADER, header.len());
    let sum = pseudo.over(header).field();
    header[4..6].copy_from_slice(&sum.to_be_bytes());
}
