//! Every system that the papers name: a TCP, a handover scheme, an agent, a link layer, a mobility protocol. One line each in [`ALL`].

/// What there is of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It can be chosen in a scenario.
    Simulated,
    /// It can be chosen in a scenario, and runs on real hosts (`seamline-host`).
    Both,
    /// It is specified, and not there yet.
    NotYet,
    /// No public text says how it works: it was searched for by its name, its authors and its title, in text and in program code.
    NoSpecificationFound,
}

impl Status {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Status::Simulated => "simulated",
            Status::Both => "both",
            Status::NotYet => "not yet",
            Status::NoSpecificationFound => "no specification found",
        }
    }
}

/// What a scenario says to choose a system: a key of a kind of table, and its value as TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The kind of table: `flow`, `agent`, `link` or `mobile`.
    pub table: &'static str,
    /// The key, with the tables in it that lead there.
    pub key: &'static str,
    /// The value.
    pub value: &'static str,
}

/// A system.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// Its name in the papers.
    pub name: &'static str,
    /// The letters of the papers that name it.
    pub papers: &'static str,
    /// What there is of it.
    pub status: Status,
    /// How it is chosen, if it can be.
    pub choice: Option<Choice>,
    /// The claims for which it runs.
    pub claims: &'static [&'static str],
}

/// `NAME, PAPERS, STATUS, TABLE KEY = VALUE, CLAIMS;`, without the choice where there is none.
macro_rules! systems {
    ($($name:literal, $papers:literal, $status:ident $(, $table:ident $key:literal = $value:literal)?, [$($claim:literal)*];)*) => {
        &[$(System {
            name: $name,
            papers: $papers,
            status: Status::$status,
            choice: systems!(@choice $($table $key $value)?),
            claims: &[$($claim),*],
        }),*]
    };
    (@choice) => { None };
    (@choice $table:ident $key:literal $value:literal) => {
        Some(Choice { table: stringify!($table), key: $key, value: $value })
    };
}

/// All of them: TCPs, handover schemes, agents and link layers, mobility protocols, each in about the order in which the papers
/// name them.
pub static ALL: &[System] = systems! {
    "Tahoe", "EL", Simulated, flow "variant" = "\"tahoe\"", ["L1" "L3" "L6"];
    "Reno", "EVLO", Simulated, flow "variant" = "\"reno\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E8" "L1" "L2" "L3" "L4" "L5" "L6" "O1" "O2" "O3" "O4" "O5" "O6" "O7" "O8" "O9" "X1" "X2" "X3" "X4"];
    "NewReno", "E", Simulated, flow "variant" = "\"newreno\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E7" "E8"];
    "SACK", "EL", Simulated, flow "variant" = "\"sack\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E7" "E8" "L1" "L6"];
    "Westwood", "E", Simulated, flow "variant" = "\"westwood\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E7" "E8" "E9"];
    "Vegas", "V", Simulated, flow "variant" = "\"vegas\"", ["V1" "V2" "V3" "V4" "V5" "V6"];
    "TCP-DCR", "O", Simulated, flow "variant" = "\"dcr\"", [];
    "T/TCP", "L", Simulated, flow "tcp.transactions" = "true", [];

    "TR-ACKs", "E", Both, flow "handover" = "\"tr-acks\"", ["E5" "E6" "E7" "E8"];
    "Freeze-TCP", "EO", Both, flow "handover" = "\"freeze\"", ["E2" "E3" "E4" "E6" "E7" "E8" "E10"];
    "Freeze-TCP with timestamps", "E", Simulated, flow "handover" = "\"freeze-timestamps\"", [];
    "EHN", "E", Both, flow "handover" = "\"ehn\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E7" "E8" "E9" "E10"];
    "ELFN", "E", Simulated, flow "handover" = "\"elfn\"", [];
    "TCP-MD", "V", Simulated, flow "handover" = "\"tcp-md\"", [];
    "TCP-R", "V", Simulated, flow "handover" = "\"tcp-r\"", [];
    "FxRTO", "V", Simulated, flow "tcp.rto_backoff" = "\"fixed\"", [];
    "ACK buffering (Omae et al.)", "V", Simulated, flow "handover" = "\"ack-buffering\"", [];
    "Demo-Vegas", "V", Simulated, flow "handover" = "\"demo-vegas\"", ["V1" "V2" "V3" "V4" "V6"];
    "Mobility-Vegas", "V", Simulated, flow "handover" = "\"mobility-vegas\"", ["V1" "V2" "V3" "V4" "V5"];
    "ECLAIR, cross-layer reset", "X", Simulated, flow "handover" = "\"cross-layer\"", ["X1" "X2" "X3" "X4"];
    "ECLAIR, restoring", "X", Simulated, flow "handover" = "\"eclair-restore\"", [];

    "I-TCP (split connections)", "EL", Both, agent "kind" = "\"split\"", ["E10" "L1" "L6"];
    "M-TCP", "E", Simulated, agent "kind" = "\"m-tcp\"", [];
    "TCP spoofing", "L", Simulated, agent "kind" = "\"spoofing\"", [];
    "Snoop", "ELO", Both, agent "kind" = "\"snoop\"", ["E10" "L1" "L2" "L5" "L6" "O1" "O2" "O3" "O4" "O5" "O6" "O7" "O9"];
    "WTCP", "E", Simulated, agent "kind" = "\"wtcp\"", [];
    "ELN", "L", Both, agent "snoop.explicit_loss_notification" = "true", [];
    "ELN-ACK", "L", Both, agent "kind" = "\"eln-ack\"", ["L1" "L2" "L3" "L5" "L6"];
    "obTCP", "O", Both, agent "kind" = "\"obtcp\"", ["O1" "O2" "O3" "O4" "O5" "O6" "O7" "O8" "O9"];
    "Delayed duplicate acknowledgments", "O", Simulated, flow "tcp.duplicate_ack_delay" = "\"50 ms\"", [];
    "Fast snoop", "O", NoSpecificationFound, [];
    "C-snoop", "O", NoSpecificationFound, [];
    "Adaptive packet combining", "O", NoSpecificationFound, [];
    "Store and apply", "O", NoSpecificationFound, [];
    "Fairness control at the mobile router", "O", Simulated, agent "kind" = "\"fairness\"", [];
    "ARQ at the link layer (AIRMAIL)", "L", Simulated, link "arq" = "{ }", [];
    "FEC at the link layer (AIRMAIL)", "L", Simulated, link "fec" = "{ }", [];

    "Mobile IPv4", "EVXL", Simulated, mobile "protocol.kind" = "\"mobile-ipv4\"", ["E1" "E2" "E3" "E4" "E5" "E6" "E7" "E8" "E9" "V1" "V2" "V3" "V4" "V5" "V6"];
    "Mobile IPv6", "EVX", Simulated, mobile "protocol.kind" = "\"mobile-ipv6\"", [];
    "Hierarchical Mobile IPv6", "EVX", Simulated, mobile "protocol.kind" = "\"hmipv6\"", [];
    "Fast handovers (FMIPv6)", "E", Simulated, mobile "protocol.kind" = "\"fmipv6-predictive\"", [];
    "Simultaneous bindings", "E", Simulated, mobile "protocol.kind" = "\"mobile-ipv4-simultaneous-bindings\"", [];
    "LMMD", "E", NoSpecificationFound, [];
    "LMMD with geographical information", "E", NoSpecificationFound, [];
    "Smooth handover by small group multicast", "E", NoSpecificationFound, [];
    "Low-latency handoffs in Mobile IPv4", "V", Simulated, mobile "protocol.kind" = "\"mobile-ipv4-pre-registration\"", [];
    "NEMO basic support", "O", Simulated, mobile "protocol.kind" = "\"nemo\"", [];
};
