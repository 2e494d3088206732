//! The messages of mobility in IPv6: router discovery (RFC 4861) with the option of a mobility anchor point (RFC
//! 5380), and the Mobility Header's bindings (RFC 6275) with the flags of a mobile router (RFC 3963), also fast ones (RFC 5568).

use super::fast_handover::{
    HandoverAcknowledge, HandoverInitiate, ProxyRouterAdvertisement, ProxyRouterSolicitation,
};
use super::return_routability::{CorrespondentAcknowledgement, CorrespondentUpdate, Test, TestInit};
use crate::packet::NodeId;
use std::fmt;

/// A message between IPv6 nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ipv6Control {
    /// "I am a router": ICMPv6 Router Advertisement (RFC 4861 section 4.2).
    RouterAdvertisement(RouterAdvertisement),
    /// "Is there a router?": ICMPv6 Router Solicitation (RFC 4861 section 4.1).
    RouterSolicitation,
    /// "Send what is for me there": Binding Update (RFC 6275 section 6.1.7).
    BindingUpdate(BindingUpdate),
    /// The answer to it: Binding Acknowledgement (RFC 6275 section 6.1.8).
    BindingAcknowledgement(BindingAcknowledgement),
    /// "Send what comes for my previous care-of address there": Fast Binding Update (RFC 5568 section 6.2.2), to the previous access
    /// router. The home address is the previous care-of address, and the lifetime is in seconds.
    FastBindingUpdate(BindingUpdate),
    /// The same from the link of the previous access router (RFC 5568 section 6.2.2): its source is the previous care-of
    /// address, and an option holds the new one.
    PredictiveBindingUpdate(BindingUpdate),
    /// The answer to both: Fast Binding Acknowledgment (RFC 5568 section 6.2.3), with its lifetime in seconds.
    FastBindingAcknowledgment(BindingAcknowledgement),
    /// "Which router is at this access point?": RtSolPr (RFC 5568 section 6.1.1).
    ProxyRouterSolicitation(ProxyRouterSolicitation),
    /// The answer to it: PrRtAdv (RFC 5568 section 6.1.2).
    ProxyRouterAdvertisement(ProxyRouterAdvertisement),
    /// "This node comes to you": HI (RFC 5568 section 6.2.1.1).
    HandoverInitiate(HandoverInitiate),
    /// The answer to it: HAck (RFC 5568 section 6.2.1.2).
    HandoverAcknowledge(HandoverAcknowledge),
    /// "I am here", with this address: Unsolicited Neighbor Advertisement (RFC 5568 section 6.3).
    NeighborAdvertisement(NodeId),
    /// Home Test Init (RFC 6275 section 6.1.3).
    HomeTestInit(TestInit),
    /// Care-of Test Init (RFC 6275 section 6.1.4).
    CareOfTestInit(TestInit),
    /// Home Test (RFC 6275 section 6.1.5).
    HomeTest(Test),
    /// Care-of Test (RFC 6275 section 6.1.6).
    CareOfTest(Test),
    /// A Binding Update to a correspondent (RFC 6275 section 11.7.2).
    CorrespondentUpdate(CorrespondentUpdate),
    /// The answer to it (RFC 6275 section 9.5.4).
    CorrespondentAcknowledgement(CorrespondentAcknowledgement),
}

/// A Router Advertisement with one prefix, whose option holds the router's own address (RFC 6275 section 7.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RouterAdvertisement {
    /// The address of the router, with the prefix that nodes on the link form their addresses from.
    pub router: NodeId,
    /// For how long it is good as a router if no other advertisement follows, in seconds.
    pub lifetime_s: u16,
    /// The mobility anchor point of its domain, if there is one (RFC 5380 section 5).
    pub mobility_anchor_point: Option<NodeId>,
}

/// A Binding Update. Its source is the care-of address, except at home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct BindingUpdate {
    /// Distinguishes updates, modulo 2^16.
    pub sequence: u16,
    /// What is asked for.
    pub flags: BindingFlags,
    /// For how long, in units of four seconds, in a fast one in seconds: zero deregisters.
    pub lifetime_units: u16,
    /// The address that stays.
    pub home_address: NodeId,
    /// Where to send what is addressed to it; the home address when the mobile node is at home.
    pub care_of_address: NodeId,
}

/// A Binding Acknowledgement. It is sent to the care-of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct BindingAcknowledgement {
    /// What came of the update.
    pub status: BindingStatus,
    /// Whether the sender serves mobile networks (R; RFC 3963 section 4.2).
    pub mobile_router: bool,
    /// As in the update; the last one that was accepted when it was out of the window.
    pub sequence: u16,
    /// For how long the binding is good, in units of four seconds, in a fast one in seconds.
    pub lifetime_units: u16,
    /// As in the update.
    pub home_address: NodeId,
    /// As in the update.
    pub care_of_address: NodeId,
}

bits! {
    /// The flags of a Binding Update.
    #[derive(Debug)]
    BindingFlags(u16):
    /// A: an acknowledgement is wanted (RFC 6275 section 6.1.7).
    ACKNOWLEDGE = 0x8000;
    /// H: the receiver shall be the home agent (RFC 6275 section 6.1.7).
    HOME_REGISTRATION = 0x4000;
    /// M: the receiver is a mobility anchor point (RFC 5380 section 4).
    MOBILITY_ANCHOR_POINT = 0x0800;
    /// R: the sender is a mobile router (RFC 3963 section 4.1).
    MOBILE_ROUTER = 0x0400;
}

/// What came of a Binding Update (RFC 6275 section 6.1.8): below 128 it was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct BindingStatus(pub u8);

impl BindingStatus {
    /// Binding Update accepted.
    pub const ACCEPTED: BindingStatus = BindingStatus(0);
    /// Administratively prohibited.
    pub const ADMINISTRATIVELY_PROHIBITED: BindingStatus = BindingStatus(129);
    /// Home registration not supported.
    pub const HOME_REGISTRATION_NOT_SUPPORTED: BindingStatus = BindingStatus(131);
    /// Not home agent for this mobile node.
    pub const NOT_HOME_AGENT: BindingStatus = BindingStatus(133);
    /// Sequence number out of window.
    pub const SEQUENCE_OUT_OF_WINDOW: BindingStatus = BindingStatus(135);
    /// Expired home nonce index.
    pub const EXPIRED_HOME_NONCE_INDEX: BindingStatus = BindingStatus(136);
    /// Expired care-of nonce index.
    pub const EXPIRED_CARE_OF_NONCE_INDEX: BindingStatus = BindingStatus(137);
    /// Expired nonces.
    pub const EXPIRED_NONCES: BindingStatus = BindingStatus(138);

    /// Whether the update was accepted.
    pub const fn is_accepted(self) -> bool {
        self.0 < 128
    }
    /// What it means, in the words of the RFCs.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ACCEPTED => "binding update accepted",
            Self::ADMINISTRATIVELY_PROHIBITED => "administratively prohibited",
            Self::HOME_REGISTRATION_NOT_SUPPORTED => "home registration not supported",
            Self::NOT_HOME_AGENT => "not home agent for this mobile node",
            Self::SEQUENCE_OUT_OF_WINDOW => "sequence number out of window",
            Self::EXPIRED_HOME_NONCE_INDEX => "expired home nonce index",
            Self::EXPIRED_CARE_OF_NONCE_INDEX => "expired care-of nonce index",
            Self::EXPIRED_NONCES => "expired nonces",
            BindingStatus(0..=127) => "binding update accepted, with a remark",
            _ => "binding update rejected",
        }
    }
}

impl fmt::Display for BindingStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (status {})", self.meaning(), self.0)
    }
}

impl BindingUpdate {
    /// Whether an Alternate Care-of Address option repeats the care-of address: in all home registrations from abroad
    /// (RFC 6275 section 11.7.1).
    pub(crate) fn has_alternate_care_of_address(&self) -> bool {
        self.flags.contains(BindingFlags::HOME_REGISTRATION) && self.is_away()
    }
    /// Whether a Home Address option says whose binding it is, because the source is the care-of address.
    pub(crate) fn is_away(&self) -> bool {
        self.home_address != self.care_of_address
    }
}

impl BindingAcknowledgement {
    /// Whether a routing header says whose binding it is, because the destination is the care-of address.
    pub(crate) fn is_away(&self) -> bool {
        self.home_address != self.care_of_address
    }
}

impl Ipv6Control {
    /// Whether access routers prepare and carry out fast handovers by it.
    pub const fn is_for_fast_handover(&self) -> bool {
        matches!(
            self,
            Ipv6Control::FastBindingUpdate(_)
                | Ipv6Control::PredictiveBindingUpdate(_)
                | Ipv6Control::HandoverInitiate(_)
                | Ipv6Control::HandoverAcknowledge(_)
                | Ipv6Control::NeighborAdvertisement(_)
        )
    }
    /// Bytes of the whole IPv6 packet that carries the message.
    pub fn wire_bytes(&self) -> u32 {
        const IPV6: u32 = 40;
        const SOLICITATION: u32 = 8;
        const ADVERTISEMENT: u32 = 16;
        const PREFIX_INFORMATION: u32 = 32;
        const MOBILITY_ANCHOR_POINT: u32 = 24;
        // A destination option with an address, or a routing header of type 2.
        const HOME_ADDRESS: u32 = 24;
        const BINDING: u32 = 16;
        const ALTERNATE_CARE_OF_ADDRESS: u32 = 16;
        // A link-layer address of 48 bits in an option of neighbor discovery, padded.
        const LINK_LAYER_ADDRESS: u32 = 16;
        const PROXY: u32 = 8;
        const ROUTER_ADDRESS: u32 = 24;
        const HANDOVER_INITIATE: u32 = 64;
        const HANDOVER_ACKNOWLEDGE: u32 = 16;
        const NEIGHBOR_ADVERTISEMENT: u32 = 24;
        const TARGET_LINK_LAYER_ADDRESS: u32 = 8;
        const TEST_INIT: u32 = 16;
        const TEST: u32 = 24;
        // Behind the fields of an update its options, behind those of an acknowledgement padding and an option.
        const AUTHORIZED_BINDING: u32 = 32;
        let given = |is_there: bool, bytes: u32| if is_there { bytes } else { 0 };
        IPV6 + match self {
            Ipv6Control::RouterSolicitation => SOLICITATION,
            Ipv6Control::RouterAdvertisement(it) => {
                ADVERTISEMENT
                    + PREFIX_INFORMATION
                    + given(it.mobility_anchor_point.is_some(), MOBILITY_ANCHOR_POINT)
            }
            Ipv6Control::BindingUpdate(it) => {
                given(it.is_away(), HOME_ADDRESS)
                    + BINDING
                    + given(it.has_alternate_care_of_address(), ALTERNATE_CARE_OF_ADDRESS)
            }
            // From the new link, whose source is the new care-of address, no option repeats it.
            Ipv6Control::FastBindingUpdate(it) => given(it.is_away(), HOME_ADDRESS) + BINDING,
            Ipv6Control::PredictiveBindingUpdate(_) => HOME_ADDRESS + BINDING + ALTERNATE_CARE_OF_ADDRESS,
            Ipv6Control::ProxyRouterSolicitation(_) => PROXY + 2 * LINK_LAYER_ADDRESS,
            // Of the sender and the access point, and, if it is known, of the router there.
            Ipv6Control::ProxyRouterAdvertisement(it) => {
                PROXY
                    + 2 * LINK_LAYER_ADDRESS
                    + given(it.router.is_some(), LINK_LAYER_ADDRESS + ROUTER_ADDRESS)
            }
            Ipv6Control::HandoverInitiate(_) => HANDOVER_INITIATE,
            Ipv6Control::HandoverAcknowledge(_) => HANDOVER_ACKNOWLEDGE,
            Ipv6Control::NeighborAdvertisement(_) => NEIGHBOR_ADVERTISEMENT + TARGET_LINK_LAYER_ADDRESS,
            Ipv6Control::BindingAcknowledgement(it) | Ipv6Control::FastBindingAcknowledgment(it) => {
                given(it.is_away(), HOME_ADDRESS) + BINDING
            }
            Ipv6Control::HomeTestInit(_) | Ipv6Control::CareOfTestInit(_) => TEST_INIT,
            Ipv6Control::HomeTest(_) | Ipv6Control::CareOfTest(_) => TEST,
            Ipv6Control::CorrespondentUpdate(CorrespondentUpdate { update, .. }) => {
                given(update.is_away(), HOME_ADDRESS) + AUTHORIZED_BINDING
            }
            Ipv6Control::CorrespondentAcknowledgement(CorrespondentAcknowledgement { answer, .. }) => {
                given(answer.is_away(), HOME_ADDRESS) + AUTHORIZED_BINDING
            }
        }
    }
}
