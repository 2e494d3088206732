//! The chains of links of the reference scenarios.

use seamline_wire::{Duration, Rate};
use std::str::FromStr;

/// The chains of links of the reference scenarios, from sender to receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// Families a and c.
    ThreeHops,
    /// Family b.
    ListedDrops,
    /// Family d.
    VegasBuffers,
    /// Family e: a LAN between the base station, where the agent is, and the lossy hop.
    Snoop,
}

/// One link of a chain, the same in both directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    pub(super) rate: Rate,
    pub(super) one_way_delay: Duration,
}

impl FromStr for Chain {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "three_hops" => Ok(Chain::ThreeHops),
            "listed_drops" => Ok(Chain::ListedDrops),
            "vegas_buffers" => Ok(Chain::VegasBuffers),
            "snoop" => Ok(Chain::Snoop),
            other => Err(format!("no chain \"{other}\"")),
        }
    }
}

impl Chain {
    /// The links, from sender to receiver.
    pub(super) fn hops(self) -> Vec<Hop> {
        let hop = |kilobits: u64, micros: u64| Hop {
            rate: Rate::from_bits_per_second(kilobits * 1000),
            one_way_delay: Duration::from_micros(micros),
        };
        match self {
            Chain::ThreeHops => vec![hop(100_000, 50_000), hop(10_000, 3_000), hop(2_000, 5_000)],
            Chain::ListedDrops => vec![hop(8_000, 100), hop(800, 100_000)],
            Chain::Snoop => {
                vec![hop(100_000, 50_000), hop(10_000, 3_000), hop(100_000, 10), hop(2_000, 5_000)]
            }
            Chain::VegasBuffers => vec![hop(20_000, 22_000), hop(20_000, 2_000), hop(10_000, 1_000)],
        }
    }
    /// The slowest rate of the chain.
    pub(super) fn bottleneck(self) -> Rate {
        self.hops().iter().map(|hop| hop.rate).min().unwrap_or(Rate::ZERO)
    }
}
