//! A sans-IO TCP: one full-duplex [`Endpoint`] with exchangeable congestion control ([`cc`]) and loss
//! recovery ([`recovery`]), and [`Host`], the machine that holds endpoints and their applications.
//!
//! Strategies get a read-only [`view::View`] and return orders; the sender alone changes its state. A
//! *variant* ([`variant`]) is a named pair of strategies, a *profile* ([`profile`]) a named set of
//! orthogonal [`parameters::Parameters`]; no code asks which profile it is.

pub mod application;
pub mod cc;
mod emit;
pub mod endpoint;
pub mod handover;
mod held;
pub mod host;
pub mod loss_notification;
#[cfg(feature = "ns2")]
pub mod ns2;
#[cfg(not(feature = "ns2"))]
#[allow(unreachable_pub, reason = "public with the feature")]
mod ns2;
pub mod offset;
pub mod parameters;
pub mod profile;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
pub mod send_log;
mod sender;
pub mod variant;
pub mod view;

pub use application::Application;
pub use emit::Address;
pub use endpoint::{CloseReason, Endpoint, EndpointConfig, MarkCounts, Opening, State};
pub use host::Host;
pub use offset::Offset;
pub use parameters::Parameters;
pub use sender::SenderStatistics;
pub use variant::{PairError, Variant};
