//! The messages of fast handovers that are prepared on the old link (RFC 5568): the router of the next link, the handover
//! between both routers, and the announcement on the new link.

use crate::packet::NodeId;

/// A Router Solicitation for Proxy Advertisement (RFC 5568 section 6.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ProxyRouterSolicitation {
    /// The answer repeats it.
    pub identifier: u16,
    /// The access point that the sender is about to move to, by the number of its radio cell.
    pub access_point: u32,
}

/// A Proxy Router Advertisement (RFC 5568 section 6.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ProxyRouterAdvertisement {
    /// As in the solicitation.
    pub identifier: u16,
    /// As in the solicitation.
    pub access_point: u32,
    /// The router there, with the prefix that nodes on its link form their addresses from; `None` when the access point is
    /// unknown (Code 2).
    pub router: Option<NodeId>,
}

/// A Handover Initiate message of the previous to the new access router (RFC 5568 section 6.2.1.1), with Code 0 and the
/// U flag: keep packets for the new care-of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HandoverInitiate {
    /// The answer repeats it.
    pub sequence: u16,
    /// The address on the link of the previous access router.
    pub previous_care_of_address: NodeId,
    /// The address on the link of the new access router.
    pub new_care_of_address: NodeId,
}

/// A Handover Acknowledge message (RFC 5568 section 6.2.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HandoverAcknowledge {
    /// As in the request.
    pub sequence: u16,
    /// Below 128 the handover is accepted; 0: the new care-of address is valid.
    pub code: u8,
}

impl HandoverAcknowledge {
    /// Administratively prohibited.
    pub const PROHIBITED: u8 = 129;

    /// Whether the handover was accepted.
    pub const fn is_accepted(&self) -> bool {
        self.code < 128
    }
}
