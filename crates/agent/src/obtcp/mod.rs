//! obTCP (Sardar, Saha and Hassan, "A new protocol to improve TCP performance in network mobility", IIM Calcutta working paper 649,
//! 2010): two agents, at the base station and at the mobile router, so that losses on each of two wireless links in a row are repaired over that link.
//!
//! The mobile router sees gaps in what comes from the base station, and asks for all that is missing in one message (SNACK); the base
//! station sends it again at once. The mobile router itself repairs the link to its hosts, going back to what a duplicate acknowledgment asks
//! for. The base station reports to it what was lost before the base station (congestion packet): duplicates for that are forwarded to the sender.
//!
//! Section III.A, the agent at the base station, is lost in the only copy there is; it is read from sections III.B and IV. The paper says
//! nothing of losses of its own messages, of the last packets of a burst, of estimates of round-trip times, or of bounds: what is done
//! about them is documented where it is used, and has a parameter.

mod base_station;
mod echoes;
mod gaps;
mod mobile_router;

use crate::Kind;
use crate::connection::ConnectionMaker;
use base_station::BaseStation;
use mobile_router::MobileRouter;
use seamline_wire::Duration;

pub(super) static KIND: Kind = Kind {
    name: "obtcp",
    summary: "repairs each of two wireless links in a row separately: one agent at the base station, one at the mobile router",
    cite: "Sardar, Saha and Hassan, IIM Calcutta working paper 649, 2010",
    traits: crate::AT_THE_AIR_LINK,
    ends_connections: false,
    runs_on_real_hosts: true,
    split: None,
    kept_packets: |parameters| parameters.obtcp.cache,
    state_bytes: gaps::MOST * 48,
    connection: &|parameters| {
        let own = parameters.obtcp.clone();
        ConnectionMaker::new(move || match own.role {
            Role::BaseStation => Box::new(BaseStation::new(own.clone())),
            Role::MobileRouter => Box::new(MobileRouter::new(own.clone())),
        })
    },
};

/// Role of an obTCP agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// At the base station, before the link to the mobile router.
    BaseStation,
    /// At the mobile router, before the link to its hosts.
    MobileRouter,
}

/// What of obTCP can be set.
#[derive(Clone, Debug, PartialEq)]
pub struct ObtcpParameters {
    /// Where it stands.
    pub role: Role,
    /// Packets kept of each connection.
    pub cache: u32,
    /// How often at most the mobile router asks for the same bytes; then duplicates go on to the sender.
    pub requests: u32,
    /// How often at most a packet is sent again unasked, or on duplicates, unless it comes once more from the wired side.
    pub local_retransmissions: u32,
    /// The shortest time after which something is asked for or sent again without a sign.
    pub minimum_timeout: Duration,
    /// A timer waits at least so much longer than the smoothed round-trip time (RFC 6298 section 2.3, G).
    pub timer_granularity: Duration,
    /// The base station sends the oldest packet again when nothing is acknowledged or asked for within its timeout: when the last packets
    /// are lost, nothing behind them shows the mobile router a gap.
    pub base_station_timer: bool,
    /// After such a timeout the base station sends everything again that was under way, as acknowledgments come; otherwise one packet at each timeout, however
    /// many are lost.
    pub goes_on_after_timeouts: bool,
}

impl Default for ObtcpParameters {
    /// Cache and retransmissions are those of Snoop. The timers are finer: Snoop's 100 ms are longer than the round trips over a wireless link,
    /// so that it depends on their ratio, not on the delay, how long a repair that is lost again takes.
    fn default() -> Self {
        ObtcpParameters {
            role: Role::MobileRouter,
            cache: 100,
            requests: 10,
            local_retransmissions: 10,
            minimum_timeout: Duration::from_millis(10),
            timer_granularity: Duration::from_millis(10),
            base_station_timer: true,
            goes_on_after_timeouts: true,
        }
    }
}
