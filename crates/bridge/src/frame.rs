//! What stands before the IP header of a frame.

use seamline_wire::codec::IpVersion;

/// What frames of an interface begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Medium {
    /// Ethernet II (RFC 894), with or without tags of IEEE 802.1Q.
    #[default]
    Ethernet,
    /// The IP header itself: tunnels and cellular modems.
    Bare,
}

/// Two addresses and a type.
const ETHERNET: usize = 14;
const TAG: usize = 4;
/// A customer's tag in a provider's (IEEE 802.1ad).
const MOST_TAGS: usize = 2;
pub(crate) const TAGGED: [u16; 2] = [0x8100, 0x88a8];
pub(crate) const IPV4: u16 = 0x0800;
pub(crate) const IPV6: u16 = 0x86dd;
/// The twelve bits of a tag that name the VLAN.
const VLAN: u16 = 0x0fff;

/// The longest header.
pub(crate) const MAX_LINK_HEADER: usize = ETHERNET + MOST_TAGS * TAG;

/// What stands before the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct LinkHeader {
    bytes: [u8; MAX_LINK_HEADER],
    length: u8,
}

impl LinkHeader {
    /// As it stands in a frame.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// The VLANs that it names, the outer one in the high half; zero where it has no tag.
    pub(crate) fn vlans(&self) -> u32 {
        let tags = self.as_slice().get(ETHERNET..).unwrap_or_default().chunks_exact(TAG);
        // The type of the first tag stands where the type of an untagged frame would, so tags begin two bytes before.
        tags.map(|tag| u32::from(u16::from_be_bytes([tag[0], tag[1]]) & VLAN))
            .fold(0, |all, tag| all << 16 | tag)
    }

    fn of(bytes: &[u8]) -> Self {
        let mut header = LinkHeader { length: bytes.len() as u8, ..LinkHeader::default() };
        header.bytes[..bytes.len()].copy_from_slice(bytes);
        header
    }
}

/// Take a frame apart, if it holds an IP packet. What lies behind that packet in the frame, as short ones are padded, stays with it.
pub(crate) fn split(medium: Medium, frame: &[u8]) -> Option<(LinkHeader, &[u8])> {
    let (length, expected) = match medium {
        Medium::Bare => (0, None),
        Medium::Ethernet => link_header(frame).map(|(length, version)| (length, Some(version)))?,
    };
    let (header, packet) = frame.split_at_checked(length)?;
    let version = IpVersion::of(packet).ok()?;
    let agrees = expected.is_none_or(|expected| expected == version);
    agrees.then(|| (LinkHeader::of(header), packet))
}

/// The length of an IP packet as its header states it, in bytes: what lies behind is no part of it.
pub(crate) fn ip_length(packet: &[u8]) -> Option<usize> {
    let (before, at) = match IpVersion::of(packet).ok()? {
        IpVersion::V4 => (0, 2),
        IpVersion::V6 => (IpVersion::V6.header_length(), 4),
    };
    let stated = u16::from_be_bytes(*packet.get(at..)?.first_chunk()?);
    Some(before + usize::from(stated))
}

/// Its length, and the version of IP that its type announces.
fn link_header(frame: &[u8]) -> Option<(usize, IpVersion)> {
    let mut length = ETHERNET;
    loop {
        let kind = u16::from_be_bytes(*frame.get(length - 2..)?.first_chunk()?);
        match kind {
            IPV4 => return Some((length, IpVersion::V4)),
            IPV6 => return Some((length, IpVersion::V6)),
            _ if TAGGED.contains(&kind) && length < MAX_LINK_HEADER => length += TAG,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(middle: &[u8], packet: &[u8]) -> Vec<u8> {
        [&[2; 6][..], &[4; 6], middle, packet].concat()
    }

    #[test]
    fn tags_are_gone_by_and_name_the_vlan() {
        let packet = [0x45, 0, 0, 20];
        for (middle, vlans) in [
            (&[8, 0][..], 0),
            (&[0x81, 0, 0x60, 7, 8, 0], 7),
            (&[0x88, 0xa8, 0, 9, 0x81, 0, 0, 7, 8, 0], 9 << 16 | 7),
        ] {
            let bytes = frame(middle, &packet);
            let (header, rest) = split(Medium::Ethernet, &bytes).unwrap();
            assert_eq!((header.as_slice(), rest), (&bytes[..12 + middle.len()], &packet[..]));
            assert_eq!(header.vlans(), vlans);
        }
        let bare = split(Medium::Bare, &packet).unwrap();
        assert_eq!((bare.0.as_slice(), bare.0.vlans(), bare.1), (&[][..], 0, &packet[..]));
    }

    #[test]
    fn whatever_holds_no_ip_is_left_alone() {
        let packet = [0x45, 0, 0, 20];
        let three_tags = [0x81, 0, 0, 1, 0x81, 0, 0, 2, 0x81, 0, 0, 3, 8, 0];
        for (middle, packet) in [
            (&[8, 6][..], &packet[..]),
            (&[0, 46], &packet),
            (&three_tags, &packet),
            (&[0x86, 0xdd], &packet),
            (&[8, 0], &[]),
            (&[], &[]),
        ] {
            assert_eq!(split(Medium::Ethernet, &frame(middle, packet)), None, "{middle:?}");
        }
        assert_eq!(split(Medium::Bare, &[0x15; 60]), None);
    }
}
