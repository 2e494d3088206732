//! Variants: a congestion control and a recovery that belong together, by the name people use.

use crate::cc;
use crate::parameters::Parameters;
use crate::recovery;
use std::fmt;

/// A congestion control and a recovery, checked to make sense together.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// How much may be in flight.
    pub congestion_control: &'static cc::Algorithm,
    /// What to send again, and when.
    pub recovery: &'static recovery::Algorithm,
}

/// A variant's name and the algorithms it bundles.
#[derive(Clone, Copy, Debug)]
pub struct NamedVariant {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// Its congestion control.
    pub congestion_control: &'static str,
    /// Its recovery; `None` is the selective-acknowledgment recovery of the profile.
    pub recovery: Option<&'static str>,
}

/// Every variant whose algorithms are all in this crate.
static BUILT_IN: &[NamedVariant] = &[
    NamedVariant {
        name: "tahoe",
        summary: "fast retransmit, then slow start",
        cite: "Jacobson, ACM SIGCOMM 1988",
        congestion_control: "reno",
        recovery: Some("tahoe"),
    },
    NamedVariant {
        name: "reno",
        summary: "fast recovery, ended by the first new acknowledgment",
        cite: "RFC 5681",
        congestion_control: "reno",
        recovery: Some("reno"),
    },
    NamedVariant {
        name: "newreno",
        summary: "fast recovery through partial acknowledgments",
        cite: "RFC 6582",
        congestion_control: "reno",
        recovery: Some("newreno"),
    },
    NamedVariant {
        name: "sack",
        summary: "Reno's window with selective acknowledgments",
        cite: "RFC 6675",
        congestion_control: "reno",
        recovery: None,
    },
    NamedVariant {
        name: "dcr",
        summary: "TCP-DCR: Reno's window; losses count a round trip after the first duplicate acknowledgment",
        cite: "Bhandarkar et al., IEEE Transactions on Mobile Computing 4(5), 2005",
        congestion_control: "reno",
        recovery: Some("dcr"),
    },
    NamedVariant {
        name: "westwood",
        summary: "window from the estimated bandwidth after a loss, NewReno's recovery",
        cite: "Mascolo et al., ACM MobiCom 2001",
        congestion_control: "westwood",
        recovery: Some("newreno"),
    },
    NamedVariant {
        name: "westwood+",
        summary: "Westwood with one bandwidth sample per RTT",
        cite: "Grieco and Mascolo, ACM CCR 34(2), 2004",
        congestion_control: "westwood+",
        recovery: Some("newreno"),
    },
    NamedVariant {
        name: "vegas",
        summary: "delay-based window and fine-grained retransmission",
        cite: "Brakmo and Peterson, IEEE JSAC 13(8), 1995",
        congestion_control: "vegas",
        recovery: Some("vegas-fine"),
    },
    NamedVariant {
        name: "cubic",
        summary: "the Internet's default, with selective acknowledgments",
        cite: "RFC 9438",
        congestion_control: "cubic",
        recovery: None,
    },
    NamedVariant {
        name: "dctcp",
        summary: "reduces the window by the share of marked segments; for data centers",
        cite: "RFC 8257",
        congestion_control: "dctcp",
        recovery: Some("rack"),
    },
    NamedVariant {
        name: "prague",
        summary: "low latency over the Internet (L4S): paced, ECT(1), reduced by the share of marked segments",
        cite: "draft-briscoe-iccrg-prague-congestion-control-04",
        congestion_control: "prague",
        recovery: Some("rack"),
    },
    NamedVariant {
        name: "bbr",
        summary: "paces at the measured bandwidth (version 1, as in Linux)",
        cite: "Cardwell et al., ACM Queue 14(5), 2016",
        congestion_control: "bbr",
        recovery: Some("rack"),
    },
    NamedVariant {
        name: "bbr3",
        summary: "BBR, version 3: bounded by losses above 2 %, with headroom for others",
        cite: "draft-ietf-ccwg-bbr",
        congestion_control: "bbr3",
        recovery: Some("rack"),
    },
    NamedVariant {
        name: "leocc",
        summary: "BBR that measures the path again at each reconfiguration of satellites",
        cite: "Lai et al., ACM SIGCOMM 2025",
        congestion_control: "leocc",
        recovery: Some("rack"),
    },
];

/// Every named variant. A congestion control of another crate is one by its own name, with selective acknowledgments.
pub fn all() -> impl Iterator<Item = NamedVariant> {
    let own = |control: &&'static cc::Algorithm| NamedVariant {
        name: control.name,
        summary: control.summary,
        cite: control.cite,
        congestion_control: control.name,
        recovery: None,
    };
    BUILT_IN.iter().copied().chain(cc::added().iter().map(own))
}

/// Why a pair was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairError {
    /// Nothing has this name.
    Unknown {
        /// What was looked for: a congestion control, a recovery or a variant.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The two make no sense together.
    Refused {
        /// The congestion control.
        congestion_control: &'static str,
        /// The recovery.
        recovery: &'static str,
        /// Why.
        reason: &'static str,
    },
}

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PairError::Unknown { kind, name } => write!(f, "unknown {kind} \"{name}\""),
            PairError::Refused { congestion_control, recovery, reason } => {
                write!(
                    f,
                    "congestion control \"{congestion_control}\" with recovery \"{recovery}\": {reason}"
                )
            }
        }
    }
}
impl std::error::Error for PairError {}

fn unknown(kind: &'static str, name: &str) -> PairError {
    PairError::Unknown { kind, name: name.to_owned() }
}

/// The variant of this name under these parameters.
///
/// # Errors
/// When no variant has the name, or the profile's SACK recovery does not exist.
pub fn find(name: &str, parameters: &Parameters) -> Result<Variant, PairError> {
    let named = all().find(|variant| variant.name == name);
    let named = named.ok_or_else(|| unknown("variant", name))?;
    let is_reno = matches!(named.recovery, Some("reno" | "newreno"));
    let recovery = named.recovery.filter(|_| !(is_reno && parameters.recovery.shared_by_reno));
    pair(named.congestion_control, recovery.unwrap_or(parameters.recovery.sack_algorithm))
}

/// A congestion control and a recovery by name.
///
/// # Errors
/// When either does not exist or the congestion control refuses the recovery.
pub fn pair(congestion_control: &str, recovery: &str) -> Result<Variant, PairError> {
    let control =
        cc::find(congestion_control).ok_or_else(|| unknown("congestion control", congestion_control))?;
    let recovery = recovery::find(recovery).ok_or_else(|| unknown("recovery", recovery))?;
    match control.refuses.iter().find(|(refused, _)| *refused == recovery.name) {
        Some((_, reason)) => {
            Err(PairError::Refused { congestion_control: control.name, recovery: recovery.name, reason })
        }
        None => Ok(Variant { congestion_control: control, recovery }),
    }
}
