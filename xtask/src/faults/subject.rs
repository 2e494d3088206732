//! What is put under stress.

use super::network::Network;
use seamline_host::namespace::Namespace;

/// An agent or a daemon, or nothing at all in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Subject {
    Snoop,
    ElnAck,
    ObtcpBaseStation,
    ObtcpMobileRouter,
    Split,
    Mobile,
    Sender,
}

/// What forwards between both hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Middle {
    /// The agent itself.
    Agent,
    /// The kernel's bridge.
    Bridge,
    /// The kernel's router.
    Router,
}

impl Subject {
    /// Those that take turns in episodes: connections through them, or next to them.
    pub(super) const IN_TURN: [Subject; 6] = [
        Subject::Snoop,
        Subject::ElnAck,
        Subject::ObtcpBaseStation,
        Subject::ObtcpMobileRouter,
        Subject::Split,
        Subject::Mobile,
    ];

    /// What forwards while it is there, or in the same network `without` it.
    pub(super) fn middle(self, without: bool) -> Middle {
        match self {
            Subject::Split => Middle::Router,
            Subject::Mobile | Subject::Sender => Middle::Bridge,
            _ if without => Middle::Bridge,
            _ => Middle::Agent,
        }
    }

    /// Where it runs.
    pub(super) fn host(self, network: &Network) -> &Namespace {
        match self {
            Subject::Mobile => &network.mobile,
            Subject::Sender => &network.fixed,
            _ => &network.middle,
        }
    }

    /// Whether connections end with it: both their halves are its own.
    pub(super) fn holds_connections(self) -> bool {
        self == Subject::Split
    }

    /// The arguments of `seamline-host` that name it.
    pub(super) fn arguments(self) -> &'static [&'static str] {
        match self {
            Subject::Snoop => &["agent", "snoop"],
            Subject::ElnAck => &["agent", "eln-ack"],
            Subject::ObtcpBaseStation => &["agent", "obtcp", "--role", "base-station"],
            Subject::ObtcpMobileRouter => &["agent", "obtcp", "--role", "mobile-router"],
            Subject::Split => &["agent", "split"],
            Subject::Mobile => &["mobile"],
            Subject::Sender => &["sender"],
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::support::name(self))
    }
}
