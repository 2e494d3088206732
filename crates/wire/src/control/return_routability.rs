//! The messages between a mobile node and a correspondent node (RFC 6275): the return routability procedure (section 5.2)
//! and the bindings that it authorizes.

use super::{BindingAcknowledgement, BindingUpdate};
use crate::packet::NodeId;

/// "Is this address yours?": Home Test Init (RFC 6275 section 6.1.3) from the home address, or Care-of Test Init (section
/// 6.1.4) from the care-of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TestInit {
    /// The answer repeats it; each message has another.
    pub cookie: u64,
}

/// The answer: Home Test (RFC 6275 section 6.1.5) to the home address, or Care-of Test (section 6.1.6) to the care-of
/// address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Test {
    /// As in the request.
    pub cookie: u64,
    /// Says which nonce of the correspondent the token was made from.
    pub nonce_index: u16,
    /// Only a node that receives packets at this address knows it.
    pub token: u64,
}

/// A Binding Update to a correspondent, with the Nonce Indices (RFC 6275 section 6.2.6) and Binding Authorization Data
/// (section 6.2.7) options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct CorrespondentUpdate {
    /// The update.
    pub update: BindingUpdate,
    /// That of the Home Test.
    pub home_nonce_index: u16,
    /// That of the Care-of Test; zero at home.
    pub care_of_nonce_index: u16,
    /// Shows that the sender knows both tokens.
    pub authenticator: u64,
}

/// A Binding Acknowledgement from a correspondent, with the Binding Authorization Data option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct CorrespondentAcknowledgement {
    /// The source address of the packet.
    pub correspondent: NodeId,
    /// The acknowledgement.
    pub answer: BindingAcknowledgement,
}

impl CorrespondentUpdate {
    /// The Authenticator for these tokens; the token of a care-of address is zero at home. The RFC takes a keyed hash of
    /// the message; the nodes of a scenario forge nothing, so that the tokens alone are compared.
    pub const fn authenticate(home_token: u64, care_of_token: u64) -> u64 {
        home_token ^ care_of_token.rotate_left(32)
    }
}
