//! What helps connections over a handover, or is said to.

use seamline_wire::Duration;

/// What is done for connections, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// Its name, unique.
    pub name: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// The kernel's congestion control at the server.
    pub congestion_control: &'static str,
    /// The longest retransmission timeout at the server (`TCP_RTO_MAX_MS`).
    pub longest_retransmission_timeout: Option<Duration>,
    /// The policy of `seamline mobile` at the phone, where it runs there.
    pub mobile_policy: Option<&'static str>,
    /// Whether `seamline sender` runs at the server.
    pub has_sender: bool,
    /// The notice that the phone gets before the link goes down.
    pub foretold: Foretold,
    /// Whether the connection is one of MPTCP, with a second path.
    pub is_mptcp: bool,
}

/// The notice that the phone gets before the link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foretold {
    /// Nothing.
    Nothing,
    /// That it goes after this long, which is true.
    Truly(Duration),
    /// That it goes after `said`; it does after `actual`.
    Wrongly {
        /// The announced time.
        said: Duration,
        /// What happens.
        actual: Duration,
    },
}

/// Nothing.
const STOCK: Remedy = Remedy {
    name: "cubic",
    description: "stock Linux, CUBIC",
    congestion_control: "cubic",
    longest_retransmission_timeout: None,
    mobile_policy: None,
    has_sender: false,
    foretold: Foretold::Nothing,
    is_mptcp: false,
};

const LEAD: Duration = Duration::from_millis(400);

/// All of them, in the order of tables.
pub const ALL: &[Remedy] = &[
    STOCK,
    Remedy { name: "bbr", description: "stock Linux, BBR", congestion_control: "bbr", ..STOCK },
    Remedy {
        name: "rto-max",
        description: "CUBIC, with the server's retransmission timeout limited to 1 s (TCP_RTO_MAX_MS)",
        longest_retransmission_timeout: Some(Duration::from_secs(1)),
        ..STOCK
    },
    Remedy {
        name: "acknowledgments",
        description: "CUBIC; `seamline mobile` at the phone repeats the last acknowledgment three times",
        mobile_policy: Some("[default]\nrepeat = \"three\"\n"),
        ..STOCK
    },
    Remedy {
        name: "disruption",
        description: "the same, and `seamline mobile` tells the server by ICMP that there was an outage",
        mobile_policy: Some("[default]\nrepeat = \"three\"\ndisruption = true\n"),
        ..STOCK
    },
    Remedy {
        name: "ehn",
        description: "CUBIC; `seamline mobile` marks an acknowledgment, `seamline sender` at the server acts on it",
        mobile_policy: Some("[default]\nrepeat = \"marked\"\n"),
        has_sender: true,
        ..STOCK
    },
    Remedy {
        name: "freeze",
        description: "CUBIC; `seamline mobile` closes the window in time: notified 400 ms before, correctly",
        mobile_policy: Some("[default]\nrepeat = \"three\"\nfreeze = true\n"),
        foretold: Foretold::Truly(LEAD),
        ..STOCK
    },
    Remedy {
        name: "freeze-wrong",
        description: "the same, notified of 400 ms when the link goes down after 300 ms, while the window is being closed",
        mobile_policy: Some("[default]\nrepeat = \"three\"\nfreeze = true\n"),
        foretold: Foretold::Wrongly { said: LEAD, actual: Duration::from_millis(300) },
        ..STOCK
    },
    Remedy {
        name: "mptcp",
        description: "for comparison: MPTCP (RFC 8684) with a second path for backup, 10 Mbit/s and 40 ms each way",
        is_mptcp: true,
        ..STOCK
    },
];

/// The remedy of this name.
pub fn find(name: &str) -> Option<&'static Remedy> {
    ALL.iter().find(|remedy| remedy.name == name)
}

impl Remedy {
    /// Whether it takes eBPF programs of ours.
    pub fn needs_ebpf(&self) -> bool {
        self.has_sender || self.foretold != Foretold::Nothing
    }
}
