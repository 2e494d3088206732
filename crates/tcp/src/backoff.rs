//! How the retransmission timeout grows while nothing is acknowledged. One entry per rule in [`ALL`].
//!
//! Back-off spares a congested path. After a handover it costs time: a path that is there again stays unused until the timer expires,
//! which by then takes twice, four times, eight times as long. Two papers leave it out, each for losses that are no congestion:
//!
//! - FxRTO (Mohamed, Fisal and Mohd, SCOReD 2002), for Mobile IP handoffs: the timeout is fixed. Only the abstract of that paper is
//!   public, and what paper mobility-vegas-2020 (section 3) says of it. It does not say whether the timeout is measured at all; here the
//!   estimator is as before and only the back-off is left out. With `minimum_rto` and `maximum_rto` at one value it is a constant.
//! - fixed-RTO (Dyer and Boppana, ACM MobiHoc 2001), for route failures: the first timeout doubles it, as may be right after congestion;
//!   those that follow without an acknowledgment do not.
//!
//! The rule is of segments that are sent again. Probes of a closed window back off as ever (RFC 9293 section 3.8.6.1).

/// A registered rule of back-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// How often timeouts in a row double the timeout.
    pub most_doublings: u32,
}

/// Every rule of back-off.
pub static ALL: &[Backoff] = &[
    Backoff {
        name: "exponential",
        summary: "each timeout in a row doubles the retransmission timeout",
        cite: "RFC 6298 section 5.5",
        most_doublings: u32::MAX,
    },
    Backoff {
        name: "fixed",
        summary: "FxRTO: the retransmission timeout is never doubled",
        cite: "Mohamed, Fisal and Mohd, SCOReD 2002",
        most_doublings: 0,
    },
    Backoff {
        name: "fixed-after-first",
        summary: "fixed-RTO: the first timeout doubles the retransmission timeout, those after it in a row do not",
        cite: "Dyer and Boppana, ACM MobiHoc 2001",
        most_doublings: 1,
    },
];

/// The rule of this name.
pub fn find(name: &str) -> Option<&'static Backoff> {
    ALL.iter().find(|backoff| backoff.name == name)
}
