//! What of split connections can be set.

use seamline_tcp::{Parameters, Variant, profile, variant};
use seamline_wire::Duration;
use std::sync::Arc;

/// When the host that opens a connection gets its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handshake {
    /// At once, from the agent, while it opens the other connection (I-TCP).
    NearSideAlone,
    /// When the other host has answered the agent: what is refused there is refused here, nothing waits for a host that
    /// is not there, and each byte has the same sequence number on both sides. So when the mobile host moves its state must be there
    /// as soon as it is: bytes that pass before are acknowledged by the other host itself, and the agent waits for them for ever.
    FarSideFirst,
}

/// The TCP that the agent itself runs on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AgentTcp {
    /// The name of a variant ([`variant::all`]); NewReno unless given.
    pub variant: Option<&'static str>,
    /// The name of a profile ([`profile::ALL`]); [`profile::RFC`] unless given.
    pub profile: Option<&'static str>,
    /// The shortest retransmission timeout; `None` is the profile's.
    pub minimum_timeout: Option<Duration>,
}

impl AgentTcp {
    /// The parameters of the profile.
    ///
    /// # Panics
    /// When there is no such profile.
    pub fn parameters(&self) -> Parameters {
        let found = self.profile.map_or(Some(&profile::RFC), profile::find);
        (found.expect("a registered profile").parameters)()
    }
}

/// What of split connections can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitParameters {
    /// Towards the mobile node.
    pub wireless: AgentTcp,
    /// Towards the fixed host.
    pub wired: AgentTcp,
    /// Bytes that wait at the agent in each direction at most, from their arrival until the other host has
    /// acknowledged them; also the largest window that it offers, once as much has come and while there is memory. At least 1;
    /// [`SplitParameters::USUAL_BUFFER`] unless given.
    pub buffer: Option<u32>,
    /// When the host that opens a connection gets its answer.
    pub handshake: Handshake,
    /// What the agent's own initial sequence numbers are derived from (RFC 6528). On real hosts it must be secret.
    pub secret: u64,
}

impl SplitParameters {
    /// The buffer when nothing else is known, in bytes.
    pub const USUAL_BUFFER: u32 = 256_000;

    /// Of TCP spoofing: both hosts take part in one handshake.
    pub fn spoofing() -> Self {
        SplitParameters { handshake: Handshake::FarSideFirst, ..Self::default() }
    }

    /// The buffer in bytes, at least 1.
    pub fn buffer(&self) -> u32 {
        self.buffer.unwrap_or(SplitParameters::USUAL_BUFFER).max(1)
    }
}

impl Default for SplitParameters {
    /// As I-TCP, with today's TCP on both sides.
    fn default() -> Self {
        SplitParameters {
            wireless: AgentTcp::default(),
            wired: AgentTcp::default(),
            buffer: None,
            handshake: Handshake::NearSideAlone,
            secret: 0,
        }
    }
}

/// What the endpoints of one side are made from.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) parameters: Arc<Parameters>,
    pub(super) variant: Variant,
}

impl Made {
    /// # Panics
    /// When there is no such profile or variant.
    pub(super) fn new(tcp: &AgentTcp, buffer: u32) -> Self {
        let mut parameters = tcp.parameters();
        if let Some(least) = tcp.minimum_timeout {
            parameters.round_trip.minimum_timeout = least;
        }
        // No coarser than it must be: a small buffer is otherwise less than one unit of the window field.
        parameters.segments.window_scale = parameters.segments.window_scale.map(|_| 0);
        parameters.set_receive_buffer(buffer);
        if parameters.connection.time_wait.is_zero() {
            // ns-2 has no such state. Here a FIN that comes again would pass to the other host, with foreign numbers.
            parameters.connection.time_wait = (profile::RFC.parameters)().connection.time_wait;
        }
        // The ends have joined small segments by Nagle's algorithm already; here they would only wait once more.
        parameters.segments.nagle = false;
        let variant =
            variant::find(tcp.variant.unwrap_or("newreno"), &parameters).expect("a registered variant");
        Made { parameters: Arc::new(parameters), variant }
    }
}
