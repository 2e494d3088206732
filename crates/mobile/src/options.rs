//! TCP options without which a segment means something else to the other end, and that only the kernel can compute.

use std::fmt;

/// Why a connection is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// The MD5 signature of RFC 2385: what is not signed is thrown away.
    Md5,
    /// The authentication option of RFC 5925.
    Authentication,
    /// Multipath TCP (RFC 8684): an acknowledgment says what of the whole stream has arrived.
    Multipath,
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Needed::Md5 => "MD5 signatures",
            Needed::Authentication => "TCP-AO",
            Needed::Multipath => "MPTCP",
        })
    }
}

/// The first such option of a TCP header, which may be cut off and have anything behind it.
pub fn needed(tcp: &[u8]) -> Option<Needed> {
    const FIXED: usize = 20;
    let length = usize::from(tcp.get(12)? >> 4) * 4;
    let mut options = tcp.get(FIXED..length.min(tcp.len()))?;
    loop {
        let (&kind, rest) = options.split_first()?;
        options = match kind {
            0 => return None,
            1 => rest,
            19 => return Some(Needed::Md5),
            29 => return Some(Needed::Authentication),
            30 => return Some(Needed::Multipath),
            _ => options.get(usize::from(*rest.first()?).max(2)..)?,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(options: &[u8]) -> Option<Needed> {
        let mut tcp = [0; 60];
        tcp[12] = ((20 + options.len()).div_ceil(4) as u8) << 4;
        tcp[20..20 + options.len()].copy_from_slice(options);
        needed(&tcp)
    }

    #[test]
    fn they_are_found_behind_others() {
        let timestamps = [1, 1, 8, 10, 0, 0, 0, 1, 30, 29, 19, 0];
        assert_eq!(with(&timestamps), None, "numbers within another option");
        let behind = |option: &[u8]| with(&[&timestamps, option].concat());
        assert_eq!(behind(&[30, 8, 0x20, 1, 0, 0, 0, 9]), Some(Needed::Multipath));
        assert_eq!(behind(&[29, 4, 1, 1]), Some(Needed::Authentication));
        assert_eq!(behind(&[19, 18]), Some(Needed::Md5));
        assert_eq!(behind(&[0, 19, 2, 0]), None, "behind the end of the options");
    }

    #[test]
    fn damaged_headers_have_none() {
        assert_eq!((needed(&[]), needed(&[0xff; 13]), with(&[8])), (None, None, None));
        assert_eq!(with(&[7, 0, 7, 1]), None, "lengths of nothing");
    }
}
