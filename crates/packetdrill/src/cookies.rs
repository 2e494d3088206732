//! Cookies of TCP Fast Open (RFC 7413): what a host keeps and checks, and their option, which the endpoint leaves to it.

use crate::settings::fast_open_keys;
use seamline_wire::codec::Checksum;
use std::net::Ipv4Addr;

const KIND: u8 = 34;
/// The kind for experiments (RFC 6994), and the identifier that was used before the option had a kind.
const EXPERIMENT: u8 = 254;
const IDENTIFIER: [u8; 2] = [0xf9, 0x89];
const LONGEST_COOKIE: usize = 16;
const NO_OPERATION: u8 = 1;
const IP_HEADER: usize = 20;
const TCP_HEADER: usize = 20;

/// The option: a cookie, or without bytes a request for one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CookieOption {
    /// The cookie.
    pub(crate) cookie: Vec<u8>,
    /// Whether it has the form of the experiment.
    pub(crate) is_experiment: bool,
}

/// What is known of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// Its cookie, empty for none.
    pub(crate) option: CookieOption,
    /// The MSS that it offered.
    pub(crate) segment_size: Option<u16>,
    /// Forms of a request that it has not answered: 1 for the present one, 2 for both.
    tried: u8,
}

impl Known {
    /// The option of the next SYN, and whether data may go along.
    pub(crate) fn next_option(&self) -> (CookieOption, bool) {
        let has_cookie = !self.option.cookie.is_empty();
        let is_experiment = self.option.is_experiment || (!has_cookie && self.tried == 1);
        (CookieOption { is_experiment, ..self.option.clone() }, has_cookie)
    }
    /// A SYN with `sent` was answered by a SYN that had this option, if any.
    /// What `was_resent` may have lost its option, so that its absence says nothing.
    pub(crate) fn learn(
        &mut self,
        sent: &CookieOption,
        was_resent: bool,
        answer: Option<CookieOption>,
        segment_size: Option<u16>,
    ) {
        self.segment_size = segment_size.or(self.segment_size);
        match answer.filter(|answer| !answer.cookie.is_empty()) {
            Some(answer) => self.option = answer,
            None if !was_resent && sent.cookie.is_empty() && self.option.cookie.is_empty() => {
                self.tried = self.tried.max(if sent.is_experiment { 2 } else { 1 });
            }
            None => {}
        }
    }
}

impl CookieOption {
    /// That of a packet of IPv4 and TCP.
    pub(crate) fn of(packet: &[u8]) -> Option<CookieOption> {
        let tcp = packet.get(IP_HEADER..)?;
        let end = 4 * usize::from(tcp.get(12)? >> 4);
        let mut options = tcp.get(TCP_HEADER..end)?;
        let mut found = None;
        while let [kind, rest @ ..] = options {
            if *kind <= NO_OPERATION {
                options = rest;
                continue;
            }
            let length = usize::from(*rest.first()?);
            let body = options.get(2..length)?;
            found = CookieOption::read(*kind, body).or(found);
            options = options.get(length..)?;
        }
        found
    }
    fn read(kind: u8, body: &[u8]) -> Option<CookieOption> {
        let (cookie, is_experiment) = match (kind, body) {
            (KIND, cookie) => (cookie, false),
            (EXPERIMENT, [first, second, cookie @ ..]) if [*first, *second] == IDENTIFIER => (cookie, true),
            _ => return None,
        };
        let fits = cookie.is_empty() || (4..=LONGEST_COOKIE).contains(&cookie.len());
        (fits && cookie.len().is_multiple_of(2))
            .then(|| CookieOption { cookie: cookie.to_vec(), is_experiment })
    }
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = match self.is_experiment {
            true => vec![EXPERIMENT, 0, IDENTIFIER[0], IDENTIFIER[1]],
            false => vec![KIND, 0],
        };
        bytes.extend(&self.cookie);
        bytes[1] = bytes.len() as u8;
        bytes.resize(bytes.len().next_multiple_of(4), NO_OPERATION);
        bytes
    }
    /// Add it to the end of a packet's options.
    pub(crate) fn add_to(&self, packet: &mut Vec<u8>) {
        let option = self.bytes();
        let end = IP_HEADER + 4 * usize::from(packet[IP_HEADER + 12] >> 4);
        let words = (option.len() / 4) as u8;
        packet.splice(end..end, option);
        packet[IP_HEADER + 12] += words << 4;
        let length = packet.len() as u16;
        packet[2..4].copy_from_slice(&length.to_be_bytes());
        put_sum(packet, 10, Checksum::new(), 0..IP_HEADER);
        let segment = length - IP_HEADER as u16;
        let pseudo = Checksum::new()
            .over(&packet[12..20])
            .over(&[0, packet[9]])
            .combine(Checksum::new().over(&u32::from(segment).to_be_bytes()));
        put_sum(packet, IP_HEADER + 16, pseudo, IP_HEADER..usize::from(length));
    }
}

fn put_sum(packet: &mut [u8], place: usize, start: Checksum, range: std::ops::Range<usize>) {
    packet[place..place + 2].fill(0);
    let sum = start.over(&packet[range]).field();
    packet[place..place + 2].copy_from_slice(&sum.to_be_bytes());
}

/// A key for cookies.
pub(crate) type Key = [u8; 16];

/// The cookies that a client at `client` may show, the present one first.
pub(crate) fn valid_cookies(own_keys: Option<&[Key]>, client: Ipv4Addr, server: Ipv4Addr) -> Vec<Vec<u8>> {
    let message =
        u64::from(u32::from_le_bytes(client.octets())) | u64::from(u32::from_le_bytes(server.octets())) << 32;
    let keys = own_keys.map_or_else(fast_open_keys, <[Key]>::to_vec);
    keys.iter().map(|key| sip_hash(key, message).to_le_bytes().to_vec()).collect()
}

/// SipHash-2-4 of eight bytes (Aumasson and Bernstein, INDOCRYPT 2012).
fn sip_hash(key: &Key, message: u64) -> u64 {
    let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|n| key[at + n]));
    let (k0, k1) = (half(0), half(8));
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    for word in [message, 8 << 56] {
        v[3] ^= word;
        sip_rounds(&mut v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    sip_rounds(&mut v, 4);
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

fn sip_rounds(v: &mut [u64; 4], rounds: u32) {
    for _ in 0..rounds {
        v[0] = v[0].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(13) ^ v[0];
        v[0] = v[0].rotate_left(32);
        v[2] = v[2].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(16) ^ v[2];
        v[0] = v[0].wrapping_add(v[3]);
        v[3] = v[3].rotate_left(21) ^ v[0];
        v[2] = v[2].wrapping_add(v[1]);
        v[1] = v[1].rotate_left(17) ^ v[2];
        v[2] = v[2].rotate_left(32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of the authors: key 00 01 .. 0f, message 00 01 .. 07.
    #[test]
    fn the_hash_is_that_of_its_authors() {
        let key = std::array::from_fn(|n| n as u8);
        assert_eq!(
            sip_hash(&key, 0x0706_0504_0302_0100).to_le_bytes(),
            [0x62, 0x24, 0x93, 0x9a, 0x79, 0xf5, 0xf5, 0x93]
        );
    }

    #[test]
    fn an_option_comes_back_as_it_was_added() {
        let syn = seamline_wire::Segment { flags: seamline_wire::Flags::SYN, ..Default::default() };
        let headers = seamline_wire::codec::Headers {
            ip: seamline_wire::codec::IpHeader::v4(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)),
            source_port: seamline_wire::TransportPort(1),
            destination_port: seamline_wire::TransportPort(2),
            segment: seamline_wire::Segment { length: 3, ..syn },
        };
        let bare = seamline_wire::codec::encode_to_vec(&headers, &[1, 2, 3]).expect("a packet");
        for is_experiment in [false, true] {
            let option = CookieOption { cookie: vec![1, 2, 3, 4], is_experiment };
            let mut packet = bare.clone();
            option.add_to(&mut packet);
            assert_eq!(CookieOption::of(&packet), Some(option));
            let decoded = seamline_wire::codec::decode(&packet).expect("sums that are right");
            assert_eq!(decoded.headers.segment.length, 3);
        }
        assert_eq!(CookieOption::of(&bare), None);
    }
}
