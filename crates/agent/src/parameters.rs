//! What of agents can be set.

use crate::connections::Limits;
use crate::snoop::SnoopParameters;
use crate::split::SplitParameters;

/// The parameters of all agents; each reads its own and the limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// What an agent may hold.
    pub limits: Limits,
    /// Of Snoop.
    pub snoop: SnoopParameters,
    /// Of split connections.
    pub split: SplitParameters,
}
