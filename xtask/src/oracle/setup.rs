//! What a reference run was configured with: ns-2's settings by the names that the reference files
//! use, over the defaults of their family.

use super::chain::Chain;
use super::mrg32k3a::clock_phase;
use std::str::FromStr;

/// A variant by ns-2's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

impl FromStr for Variant {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "Tahoe" => Ok(Variant::Tahoe),
            "Reno" => Ok(Variant::Reno),
            "Newreno" => Ok(Variant::Newreno),
            "Sack1" => Ok(Variant::Sack1),
            "Vegas" => Ok(Variant::Vegas),
            other => Err(format!("variant \"{other}\" has no counterpart here")),
        }
    }
}

/// The settings of one run. Fields carry the names of the reference files.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setup {
    /// The links.
    pub(super) chain: Chain,
    /// The sender.
    pub(super) variant: Variant,
    /// Decides the sender's clock phase, and the losses of family a.
    pub(super) seed: u32,
    /// Packet size in bytes.
    pub(super) pkt: u32,
    /// Whether 40 bytes of headers come on top of it.
    pub(super) useheaders: bool,
    /// Window limit and initial slow start threshold, in packets.
    pub(super) window: u32,
    /// Limit of every queue, in ns-2's meaning.
    pub(super) qlim: u32,
    /// Length of a clock tick in seconds.
    pub(super) tick: f64,
    /// Minimum retransmission timeout in seconds.
    pub(super) minrto: f64,
    pub(super) limtx: bool,
    /// Whether the connection opens with a SYN.
    pub(super) syn: bool,
    /// Initial window in packets.
    pub(super) iw: u32,
    /// Vegas: lower bound of packets kept in queues.
    pub(super) alpha: f64,
    /// Vegas: upper bound of packets kept in queues.
    pub(super) beta: f64,
    /// Vegas: bound that ends slow start.
    pub(super) gamma: f64,
    /// Simulated time in seconds.
    pub(super) dur: f64,
    pub(super) per: f64,
    /// Ratio of acknowledgments lost on the last hop, which is their first.
    pub(super) ackper: f64,
    /// Whether ns-2's Snoop agent is at the base station.
    pub(super) snoop: bool,
    /// Family e: the sender is the mobile node.
    pub(super) up: bool,
    /// Family e: the sender heeds notifications of losses over the air.
    pub(super) eln: bool,
    /// Whether packets are lost before the queue ("head") or after propagation ("end").
    pub(super) loss_at_head: bool,
    /// Arrival indices of the packets to lose (family b).
    pub(super) droplist: Vec<u64>,
    /// Length of an outage in seconds.
    pub(super) out: f64,
    /// Time between the starts of outages in seconds.
    pub(super) period: f64,
    /// Whether the start of an outage empties the queue of the last hop.
    pub(super) outage_empties_queue: bool,
}

impl Setup {
    /// What all families have in common unless a file says otherwise.
    pub(super) fn common(chain: Chain) -> Setup {
        Setup {
            chain,
            variant: Variant::Newreno,
            seed: 1,
            pkt: 1000,
            useheaders: false,
            window: 64,
            qlim: 50,
            tick: 0.01,
            minrto: 0.2,
            limtx: true,
            syn: false,
            iw: 1,
            alpha: 1.0,
            beta: 3.0,
            gamma: 1.0,
            dur: 300.0,
            per: 0.0,
            ackper: 0.0,
            snoop: false,
            up: false,
            eln: false,
            loss_at_head: false,
            droplist: Vec::new(),
            out: 0.0,
            period: 5.0,
            outage_empties_queue: false,
        }
    }
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
    /// Take one setting by its name in the files; `Ok(false)` when it is none.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<bool, String> {
        match name {
            "chain" => self.chain = value.parse()?,
            "variant" => self.variant = value.parse()?,
            "seed" => self.seed = number(name, value)?,
            "pkt" => self.pkt = number(name, value)?,
            "useheaders" => self.useheaders = flag(name, value)?,
            "window" => self.window = number(name, value)?,
            "qlim" => self.qlim = number(name, value)?,
            "tick" => self.tick = number(name, value)?,
            "minrto" => self.minrto = number(name, value)?,
            "limtx" => self.limtx = flag(name, value)?,
            "syn" => self.syn = flag(name, value)?,
            "iw" => self.iw = number(name, value)?,
            "alpha" => self.alpha = number(name, value)?,
            "beta" => self.beta = number(name, value)?,
            "gamma" => self.gamma = number(name, value)?,
            "dur" | "stop" => self.dur = number(name, value)?,
            "per" => self.per = number(name, value)?,
            "ackper" => self.ackper = number(name, value)?,
            "snoop" => self.snoop = flag(name, value)?,
            "eln" => self.eln = flag(name, value)?,
            "up" => self.up = flag(name, value)?,
            "lossat" => self.loss_at_head = choice(name, value, "end", "head")?,
            "droplist" => self.droplist = drop_list(value)?,
            "out" => self.out = number(name, value)?,
            "period" => self.period = number(name, value)?,
            "mode" => self.outage_empties_queue = choice(name, value, "err", "dual")?,
            _ => return Ok(false),
        }
        Ok(true)
    }
    /// Where the sender's clock stands at time zero, as a fraction of a tick.
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

fn flag(name: &str, value: &str) -> Result<bool, String> {
    match value.trim() {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        other => Err(format!("{name}={other}: neither true nor false")),
    }
}

fn choice(name: &str, value: &str, no: &str, yes: &str) -> Result<bool, String> {
    match value.trim() {
        chosen if chosen == yes => Ok(true),
        chosen if chosen == no => Ok(false),
        other => Err(format!("{name}={other}: neither {no} nor {yes}")),
    }
}

/// Indices separated by blanks; they are counted, so their order does not matter.
fn drop_list(value: &str) -> Result<Vec<u64>, String> {
    let mut indices: Vec<u64> =
        value.split_whitespace().map(|index| number("droplist", index)).collect::<Result<_, _>>()?;
    indices.sort_unstable();
    Ok(indices)
}
