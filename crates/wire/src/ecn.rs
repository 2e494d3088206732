//! Explicit congestion notification in the IP header.

/// The ECN field of an IP header (RFC 3168 section 5, RFC 8311 section 2), with its bits on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: the sender does not understand marks, so a queue has to drop.
    #[default]
    NotEct = 0b00,
    /// ECT(1): ECN-capable, and asks for the low-latency service (RFC 9331).
    Ect1 = 0b01,
    /// ECT(0): ECN-capable.
    Ect0 = 0b10,
    /// CE, congestion experienced: a queue has marked the packet.
    Ce = 0b11,
}

impl Ecn {
    /// The field with these bits; higher ones are ignored.
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
    /// The bits of the field.
    pub const fn bits(self) -> u8 {
        self as u8
    }
    /// Whether a queue may mark the packet in place of dropping it.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Ecn::NotEct)
    }
    /// Mark the packet if it is ECN-capable; returns whether it is marked now.
    pub const fn mark(&mut self) -> bool {
        if self.is_capable() {
            *self = Ecn::Ce;
        }
        self.is_capable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_capable_packets_are_marked() {
        for bits in 0..4 {
            let mut ecn = Ecn::from_bits(bits);
            assert_eq!((ecn.bits(), ecn.is_capable()), (bits, bits != 0));
            assert_eq!(ecn.mark(), bits != 0);
            assert_eq!(ecn, if bits == 0 { Ecn::NotEct } else { Ecn::Ce });
        }
        assert_eq!(Ecn::from_bits(0xfc | 0b10), Ecn::Ect0);
    }
}
