//! What a reference run was configured with: ns-2's settings by the names that the reference files
//! use, over the defaults of their family.

use super::mrg32k3a::clock_phase;
use seamline_wire::{Duration, Rate};
use serde::Deserialize;
use serde::de::value::{self, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use std::str::FromStr;

/// The chains of links of the reference scenarios, from sender to receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    one_way_delay: Duration,
    is_ethernet: bool,
}

impl Hop {
    /// How long a packet takes besides its own bytes: Ethernet adds a header and fills short frames up (`mac/mac-802_3.h`).
    pub(super) fn one_way_delay(&self, packet_bytes: u32) -> Duration {
        const HEADER_BYTES: u32 = 14;
        const LEAST_BYTES: u32 = 64;
        let added = (packet_bytes + HEADER_BYTES).max(LEAST_BYTES) - packet_bytes;
        let framing = if self.is_ethernet { self.rate.time_for(u64::from(added)) } else { Duration::ZERO };
        self.one_way_delay + framing
    }
}

impl Chain {
    /// The links, from sender to receiver.
    pub(super) fn hops(self) -> Vec<Hop> {
        let hop = |kilobits: u64, micros: u64| Hop {
            rate: Rate::from_bits_per_second(kilobits * 1000),
            one_way_delay: Duration::from_micros(micros),
            is_ethernet: false,
        };
        // The link layer's delay of 10 us at both ends, and 4 us of the channel between them.
        let lan = Hop { is_ethernet: true, ..hop(100_000, 24) };
        match self {
            Chain::ThreeHops => vec![hop(100_000, 50_000), hop(10_000, 3_000), hop(2_000, 5_000)],
            Chain::ListedDrops => vec![hop(8_000, 100), hop(800, 100_000)],
            Chain::Snoop => {
                vec![hop(100_000, 50_000), hop(10_000, 3_000), lan, hop(2_000, 5_000)]
            }
            Chain::VegasBuffers => vec![hop(20_000, 22_000), hop(20_000, 2_000), hop(10_000, 1_000)],
        }
    }
}

/// A variant by ns-2's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(super) enum Variant {
    /// Agent/TCP.
    Tahoe,
    /// Agent/TCP/Reno.
    Reno,
    /// Agent/TCP/Newreno.
    Newreno,
    /// Agent/TCP/Sack1.
    Sack1,
    /// Agent/TCP/Vegas.
    Vegas,
}

impl Variant {
    /// Our name for it.
    pub(super) fn ours(self) -> &'static str {
        match self {
            Variant::Tahoe => "tahoe",
            Variant::Reno => "reno",
            Variant::Newreno => "newreno",
            Variant::Sack1 => "sack",
            Variant::Vegas => "vegas",
        }
    }
}

/// The settings of a run as one table: the field, its default, its name in the reference files, and how its value is read.
macro_rules! settings {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr, $($name:literal)|+, $read:expr;)*) => {
        /// The settings of one run.
        #[derive(Clone, Debug, PartialEq)]
        pub(super) struct Setup {
            pub(super) chain: Chain,
            $($(#[$doc])* pub(super) $field: $type,)*
        }

        impl Setup {
            /// What all families have in common unless a file says otherwise.
            pub(super) fn common(chain: Chain) -> Setup {
                Setup { chain, $($field: $default,)* }
            }

            /// Take one setting by its name in the files; `Ok(false)` when there is no such setting.
            pub(super) fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
                match name {
                    "chain" => self.chain = named(name, value)?,
                    $($($name)|+ => self.$field = $read(name, value)?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

settings! {
    /// The sender.
    variant: Variant = Variant::Newreno, "variant", named;
    /// The release of ns-2 whose profile is compared.
    release: String = "2010".to_owned(), "release", |_: &str, value: &str| Ok::<_, String>(value.trim().to_owned());
    /// Decides the sender's clock phase, and the losses of family a.
    seed: u32 = 1, "seed", number;
    /// Packet size in bytes.
    pkt: u32 = 1000, "pkt", number;
    /// Whether 40 bytes of headers come on top of it.
    useheaders: bool = false, "useheaders", flag;
    /// Window limit and initial slow start threshold, in packets.
    window: u32 = 64, "window", number;
    /// Limit of every queue, in ns-2's meaning.
    qlim: u32 = 50, "qlim", number;
    /// Length of a clock tick in seconds.
    tick: f64 = 0.01, "tick", number;
    /// Minimum retransmission timeout in seconds.
    minrto: f64 = 0.2, "minrto", number;
    limtx: bool = true, "limtx", flag;
    /// Whether the connection opens with a SYN.
    syn: bool = false, "syn", flag;
    /// Initial window in packets.
    iw: u32 = 1, "iw", number;
    /// Vegas: lower bound of packets kept in queues.
    alpha: f64 = 1.0, "alpha", number;
    /// Vegas: upper bound of packets kept in queues.
    beta: f64 = 3.0, "beta", number;
    /// Vegas: bound that ends slow start.
    gamma: f64 = 1.0, "gamma", number;
    /// Simulated time in seconds.
    dur: f64 = 300.0, "dur" | "stop", number;
    per: f64 = 0.0, "per", number;
    /// Ratio of acknowledgments lost on the last hop, which is their first.
    ackper: f64 = 0.0, "ackper", number;
    /// Whether ns-2's Snoop agent is at the base station.
    snoop: bool = false, "snoop", flag;
    /// Family e: the sender is the mobile node.
    up: bool = false, "up", flag;
    /// Family e: the sender acts on notifications of losses over the air.
    eln: bool = false, "eln", flag;
    /// Whether packets are lost before the queue ("head") or after propagation ("end").
    loss_at_head: bool = false, "lossat", choice("end", "head");
    /// Arrival indices of the packets to lose (family b).
    droplist: Vec<u64> = Vec::new(), "droplist", drop_list;
    /// Length of an outage in seconds.
    out: f64 = 0.0, "out", number;
    /// Time between the starts of outages in seconds.
    period: f64 = 5.0, "period", number;
    /// Whether the start of an outage empties the queue of the last hop.
    outage_empties_queue: bool = false, "mode", choice("err", "dual");
}

impl Setup {
    /// The parameters of ns-2 before 2002.
    #[must_use]
    pub(super) fn classic(self) -> Setup {
        Setup { tick: 0.1, minrto: 1.0, limtx: false, iw: 1, syn: false, useheaders: false, ..self }
    }
    /// The parameters of ns-2.35 as it comes.
    #[must_use]
    pub(super) fn default_of_2_35(self) -> Setup {
        Setup { tick: 0.01, minrto: 0.2, limtx: true, iw: 2, syn: true, useheaders: true, ..self }
    }
    /// The phase of the sender's clock at time zero, as a fraction of a tick.
    pub(super) fn clock_phase(&self) -> f64 {
        clock_phase(self.seed, self.variant == Variant::Vegas)
    }
    /// Whether the run opens with a SYN: ns-2's Vegas has none.
    pub(super) fn opens_with_syn(&self) -> bool {
        self.syn && self.variant != Variant::Vegas
    }
    /// Whether packets are lost before the queue of the last hop.
    pub(super) fn loses_before_queue(&self) -> bool {
        self.loss_at_head || self.chain == Chain::ListedDrops
    }
    /// Bytes of a data packet on the wire: ns-2's Vegas counts no headers.
    pub(super) fn wire_bytes(&self) -> u32 {
        let headers = if self.useheaders && self.variant != Variant::Vegas { super::HEADER_BYTES } else { 0 };
        self.pkt + headers
    }
}

fn number<T: FromStr>(name: &str, value: &str) -> Result<T, String> {
    value.trim().parse().map_err(|_| format!("{name}={value}: not a number that fits"))
}

/// One of the cases of an enum, by its name.
fn named<T: DeserializeOwned>(name: &str, value: &str) -> Result<T, String> {
    let value: StrDeserializer<'_, value::Error> = value.into_deserializer();
    T::deserialize(value).map_err(|error| format!("{name}: {error}"))
}

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.trim() {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        other => Err(format!("{name}={other}: neither true nor false")),
    }
}

fn choice(no: &str, yes: &str) -> impl Fn(&str, &str) -> Result<bool, String> {
    move |name, value| match value.trim() {
        chosen if chosen == yes => Ok(true),
        chosen if chosen == no => Ok(false),
        other => Err(format!("{name}={other}: neither {no} nor {yes}")),
    }
}

/// Indices separated by blanks; they are counted, so their order does not matter.
fn drop_list(_: &str, value: &str) -> Result<Vec<u64>, String> {
    let mut indices: Vec<u64> =
        value.split_whitespace().map(|index| number("droplist", index)).collect::<Result<_, _>>()?;
    indices.sort_unstable();
    Ok(indices)
}
