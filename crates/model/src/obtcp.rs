//! Snoop and obTCP behind a mobile router: two wireless links in series.
//!
//! Fixed host --wired, d0-- base station --wireless, d1, p1-- mobile router --wireless, d2, p2-- mobile host. Snoop
//! repairs all losses from the base station, one at a time, over both links. obTCP repairs the losses of each link
//! over that link, several at once. The equations are those of Sardar, Saha and Hassan, "A new protocol to improve
//! TCP performance in network mobility" (Indian Institute of Management Calcutta, working paper 649, 2010), sections
//! V and VII. Equations 6, 7, 10 and 11 are illegible in the only available copy and were reconstructed from the
//! text.
//!
//! Assumptions: losses are independent and never hit acknowledgments, the window is constant, links have no queues
//! and unlimited rate, and repairs are sequential. Every repair adds to the round trip, so the throughput is a lower
//! bound where repairs overlap.

mod parameters;
mod point;
mod show;
mod sweep;

pub use parameters::{PARAMETERS, Parameter, Unit, Values};
pub use point::{Point, QUANTITIES, Quantity};
pub use show::{FIGURES, Results, VIEWS, View};
pub use sweep::Axis;

use seamline_report::statistics;
use std::fmt;

/// One wireless link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WirelessLink {
    /// The share of packets that are lost on it, at least 0 and below 1.
    pub loss: f64,
    /// Its one-way delay in seconds.
    pub one_way_seconds: f64,
}

/// The path of a packet; made by [`Path::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    wired_one_way_seconds: f64,
    to_router: WirelessLink,
    to_host: WirelessLink,
}

/// What limits the throughput besides the path; made by [`Window::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    packets: f64,
    repaired_per_request: [f64; 2],
}

/// A value outside the domain of the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfDomain {
    /// The quantity by its symbol in the paper: `p1`, `d0`, `W'`.
    pub symbol: &'static str,
    /// Its value.
    pub value: f64,
    /// The values that are allowed.
    pub domain: &'static str,
}

impl fmt::Display for OutOfDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, expected {}", self.symbol, self.value, self.domain)
    }
}
impl std::error::Error for OutOfDomain {}

const LOSS: &str = "a share of packets, at least 0 and below 1";
const DELAY: &str = "a time in seconds, 0 or more";
const COUNT: &str = "a number of packets, 1 or more";

fn within(
    symbol: &'static str,
    value: f64,
    domain: &'static str,
    holds: impl Fn(f64) -> bool,
) -> Result<f64, OutOfDomain> {
    if value.is_finite() && holds(value) { Ok(value) } else { Err(OutOfDomain { symbol, value, domain }) }
}

impl Window {
    /// A mean window W' in packets, and how many lost packets one request repairs: n1 between base station and mobile
    /// router, n2 between mobile router and mobile host. Only obTCP uses n1 and n2.
    ///
    /// # Errors
    /// When one of them is below 1 or infinite.
    pub fn new(packets: f64, repaired_per_request: [f64; 2]) -> Result<Self, OutOfDomain> {
        let count = |symbol, value| within(symbol, value, COUNT, |value| value >= 1.0);
        let [n1, n2] = repaired_per_request;
        Ok(Window {
            packets: count("W'", packets)?,
            repaired_per_request: [count("n1", n1)?, count("n2", n2)?],
        })
    }

    /// A mean window W' in packets where one request repairs all losses of the window on a link: W' p / (1 - (1 -
    /// p)^W') packets, the mean loss of a window with at least one loss.
    ///
    /// # Errors
    /// When the window is below 1 or infinite.
    pub fn repaired_at_once(packets: f64, path: &Path) -> Result<Self, OutOfDomain> {
        let repaired = |link: WirelessLink| {
            let any = 1.0 - libm::pow(1.0 - link.loss, packets);
            if any > 0.0 { (packets * link.loss / any).max(1.0) } else { 1.0 }
        };
        Window::new(packets, [repaired(path.to_router), repaired(path.to_host)])
    }

    /// The same where a request repairs no more than so many packets on average; less than one counts as one.
    #[must_use]
    pub fn at_most(self, repaired_per_request: [f64; 2]) -> Self {
        let [(n1, most1), (n2, most2)] =
            [0, 1].map(|link| (self.repaired_per_request[link], repaired_per_request[link]));
        Window { repaired_per_request: [n1.min(most1.max(1.0)), n2.min(most2.max(1.0))], ..self }
    }
}

impl Path {
    /// The wired path to the base station, and the links to the mobile router and to the mobile host.
    ///
    /// # Errors
    /// When a loss is not in [0, 1), a delay is negative or infinite, or all delays are zero.
    pub fn new(
        wired_one_way_seconds: f64,
        to_router: WirelessLink,
        to_host: WirelessLink,
    ) -> Result<Self, OutOfDomain> {
        let links = [("p1", "d1", to_router), ("p2", "d2", to_host)];
        let mut whole = within("d0", wired_one_way_seconds, DELAY, |value| value >= 0.0)?;
        for (loss, delay, link) in links {
            within(loss, link.loss, LOSS, |value| (0.0..1.0).contains(&value))?;
            whole += within(delay, link.one_way_seconds, DELAY, |value| value >= 0.0)?;
        }
        within("d0 + d1 + d2", whole, "more than 0 s", |value| value > 0.0)?;
        Ok(Path { wired_one_way_seconds, to_router, to_host })
    }

    /// The probability p_s that a packet is lost on at least one of the two links (equation 3).
    pub fn loss_of_both_links(&self) -> f64 {
        // p1 + p2 - p1 p2 rather than 1 - (1 - p1)(1 - p2), to keep precision for small losses.
        self.to_router.loss + self.to_host.loss - self.to_router.loss * self.to_host.loss
    }

    /// The mean number of transmissions until Snoop delivers a packet, N (equation 4).
    pub fn snoop_transmissions(&self) -> f64 {
        1.0 / self.success_on_both()
    }

    /// The time in which Snoop recovers from a loss, R_s (equation 5), in seconds.
    pub fn snoop_recovery_seconds(&self) -> f64 {
        2.0 * (self.to_router.one_way_seconds + self.to_host.one_way_seconds) * self.snoop_transmissions()
    }

    /// The time in which obTCP recovers from one loss on each link, R_o (equation 6), in seconds.
    pub fn obtcp_recovery_seconds(&self) -> f64 {
        recovery_seconds(self.to_router) + recovery_seconds(self.to_host)
    }

    /// How much sooner obTCP recovers, R_gain = R_s - R_o (equation 7), in seconds. Reduced to 2 (d2 p1 + d1 p2) /
    /// ((1 - p1)(1 - p2)), which avoids cancellation. Where only one link loses packets (equations 8 and 9), it grows with the
    /// delay of the other link, not with that of the lossy link.
    pub fn recovery_gain_seconds(&self) -> f64 {
        let Path { to_router, to_host, .. } = self;
        let repeated = to_host.one_way_seconds * to_router.loss + to_router.one_way_seconds * to_host.loss;
        2.0 * repeated / self.success_on_both()
    }

    /// The ratio of recovery times, R_s / R_o; 1 without losses. Section V (equations 10 and 11) uses it as the ratio
    /// of throughputs, because it takes a window as inversely proportional to the recovery time. `None` when there is
    /// no delay between base station and mobile host.
    pub fn recovery_ratio(&self) -> Option<f64> {
        let obtcp = self.obtcp_recovery_seconds();
        (obtcp > 0.0).then(|| self.snoop_recovery_seconds() / obtcp)
    }

    /// The mean round-trip time under Snoop (equation 14), in seconds: W' p_s losses are repaired one after another.
    pub fn snoop_round_trip_seconds(&self, window: Window) -> f64 {
        let lost = window.packets * self.loss_of_both_links();
        self.round_trip_seconds() + lost * self.snoop_recovery_seconds()
    }

    /// The throughput under Snoop (equation 16), in packets per second.
    pub fn snoop_packets_per_second(&self, window: Window) -> f64 {
        window.packets / self.snoop_round_trip_seconds(window)
    }

    /// The mean round-trip time under obTCP (equation 18), in seconds: the losses of a link, W' p1 and W' p2 (equation 17), are repaired
    /// n1 and n2 at a time.
    pub fn obtcp_round_trip_seconds(&self, window: Window) -> f64 {
        let [n1, n2] = window.repaired_per_request;
        let repair = |link: WirelessLink, repaired: f64| {
            window.packets * link.loss / repaired * recovery_seconds(link)
        };
        self.round_trip_seconds() + repair(self.to_router, n1) + repair(self.to_host, n2)
    }

    /// The throughput under obTCP (equation 20), in packets per second.
    pub fn obtcp_packets_per_second(&self, window: Window) -> f64 {
        window.packets / self.obtcp_round_trip_seconds(window)
    }

    fn round_trip_seconds(&self) -> f64 {
        2.0 * (self.wired_one_way_seconds + self.to_router.one_way_seconds + self.to_host.one_way_seconds)
    }

    fn success_on_both(&self) -> f64 {
        (1.0 - self.to_router.loss) * (1.0 - self.to_host.loss)
    }
}

/// The expected round-trip time over one link until a packet gets through.
fn recovery_seconds(link: WirelessLink) -> f64 {
    2.0 * link.one_way_seconds / (1.0 - link.loss)
}

/// Jain's fairness index of `shares` (equation 21): from 1/n when one flow takes all, to 1 when all are equal.
///
/// # Errors
/// When a share is negative or infinite, or none is above zero.
pub fn jain_index(shares: &[f64]) -> Result<f64, OutOfDomain> {
    for share in shares {
        within("x", *share, "a share of the bottleneck, 0 or more", |value| value >= 0.0)?;
    }
    let largest = shares.iter().copied().fold(0.0, f64::max);
    within("the sum of x", largest, "more than 0", |value| value > 0.0)?;
    Ok(statistics::jain_index(shares).unwrap_or(0.0))
}
