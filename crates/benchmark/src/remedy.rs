//! What helps connections over a handover, or claims to.

use seamline_wire::Duration;

/// A remedy: what is done for connections, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// Its name, unique.
    pub name: &'static str,
    /// A line about it.
    pub description: &'static str,
    /// The kernel's congestion control at the server.
    pub congestion_control: &'static str,
    /// The longest retransmission timeout at the server (`TCP_RTO_MAX_MS`).
    pub longest_retransmission_timeout: Option<Duration>,
    /// The policy of `seamline-host mobile` at the phone; `None`: it does not run.
    pub mobile_policy: Option<&'static str>,
    /// Whether `seamline-host sender` runs at the server.
    pub has_sender: bool,
    /// What notice the phone gets of the outage.
    pub notice: Notice,
    /// Whether the connection is MPTCP with a second path.
    pub is_mptcp: bool,
}

/// The notice that the phone gets of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// None.
    None,
    /// The link goes down after this time, as announced.
    Correct(Duration),
    /// The link goes down after `actual` instead of `announced`.
    Wrong {
        /// The announced time.
        announced: Duration,
        /// The actual time.
        actual: Duration,
    },
}

/// No remedy.
const STOCK: Remedy = Remedy {
    name: "cubic",
    description: "stock Linux, CUBIC",
    congestion_control: "cubic",
    longest_retransmission_timeout: None,
    mobile_policy: None,
    has_sender: false,
    notice: Notice::None,
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
        description: "CUBIC; `seamline-host mobile` at the phone repeats the last acknowledgment three times",
        mobile_policy: Some("[default]\nrepeat = \"three\"\n"),
        ..STOCK
    },
    Remedy {
        name: "disruption",
        description: "the same, and `seamline-host mobile` notifies the server of the outage by ICMP",
        mobile_policy: Some("[default]\nrepeat = \"three\"\ndisruption = true\n"),
        ..STOCK
    },
    Remedy {
        name: "ehn",
        description: "CUBIC; `seamline-host mobile` marks an acknowledgment, `seamline-host sender` at the server acts on it",
        mobile_policy: Some("[default]\nrepeat = \"marked\"\n"),
        has_sender: true,
        ..STOCK
    },
    Remedy {
        name: "freeze",
        description: "CUBIC; `seamline-host mobile` closes the window in time: notified 400 ms before the outage",
        mobile_policy: Some("[default]\nrepeat = \"three\"\nfreeze = true\n"),
        notice: Notice::Correct(LEAD),
        ..STOCK
    },
    Remedy {
        name: "freeze-wrong",
        description: "the same, but the link goes down after 300 ms of the announced 400 ms, while the window is being closed",
        mobile_policy: Some("[default]\nrepeat = \"three\"\nfreeze = true\n"),
        notice: Notice::Wrong { announced: LEAD, actual: Duration::from_millis(300) },
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
    /// Whether it takes the eBPF programs of `seamline-host`.
    pub fn needs_ebpf(&self) -> bool {
        self.has_sender || self.notice != Notice::None
    }

    /// Whether it takes `seamline-host`.
    pub fn needs_host(&self) -> bool {
        self.has_sender || self.mobile_policy.is_some()
    }
}
