//! Congestion control: how much may be in flight. One file per algorithm, one entry in `BUILT_IN`. Other crates [`add`] theirs.

use crate::offset::Offset;
use crate::parameters::{CutBase, Growth, Parameters, WindowParameters};
use crate::view::{View, Window};
use seamline_wire::{Duration, Instant};
use std::fmt::Debug;

mod added;
mod cubic;
mod reno;
mod vegas;
mod westwood;
mod westwood_plus;

pub use added::{AddError, OwnParameters, OwnSet, add, added, is_taken};
pub use cubic::CubicParameters;
pub use vegas::VegasParameters;
pub use westwood::WestwoodParameters;
pub use westwood_plus::WestwoodPlusParameters;

/// The parameters of every congestion control that has any.
#[derive(Clone, Debug, Default)]
pub struct CongestionControlParameters {
    /// Read by Vegas.
    pub vegas: VegasParameters,
    /// Read by Westwood.
    pub westwood: WestwoodParameters,
    /// Read by Westwood+.
    pub westwood_plus: WestwoodPlusParameters,
    /// Read by CUBIC.
    pub cubic: CubicParameters,
    /// Read by those that other crates add.
    pub own: OwnSet,
}

/// An acknowledgment as congestion control sees it.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// Bytes newly acknowledged cumulatively; zero for a duplicate.
    pub bytes: u64,
    /// Bytes newly reported as arrived, cumulatively or by SACK.
    pub delivered: u64,
    /// Whether it is a duplicate acknowledgment (RFC 5681 section 2).
    pub duplicate: bool,
    /// Round-trip time in seconds of the newest segment acknowledged, by the fine clock, when it was sent
    /// exactly once; only when the send log is kept.
    pub fine_round_trip: Option<f64>,
    /// Whether loss recovery is under way.
    pub in_recovery: bool,
}

/// A loss as congestion control sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Found from acknowledgments: the flow continues.
    Detected,
    /// The acknowledgment clock is gone (retransmission timeout), or the variant starts over at any
    /// loss (Tahoe): begin again from one segment.
    Collapsed,
}

/// How much may be in flight. The window is part of the [`View`]; what may change it returns the new one.
pub trait CongestionControl: Debug + Send {
    /// Every acknowledgment, before recovery looks at it: for bandwidth and delay estimators.
    fn observe(&mut self, _acked: &Acked, _view: &View) {}
    /// Recovery lets the window grow for this acknowledgment.
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window;
    /// Recovery has found a loss.
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window;
    /// A cut follows that may turn out to have been needless: keep what it changes in addition to the window.
    fn keep(&mut self) {}
    /// What followed [`CongestionControl::keep`] was needless, and the window was `before`: what it was comes back, and never less
    /// than it is now, for it may have grown meanwhile (RFC 4015 section 3, with the window itself in place of slow start up to
    /// it, as in Linux).
    fn restore(&mut self, before: Window, view: &View) -> Window {
        view.window.at_least(before)
    }
    /// The path is another one, with this round-trip time, if it is known. What was sent before gives no fine samples.
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) -> Window {
        view.window
    }
    /// Recovery or a handover scheme has replaced the window.
    fn on_window_replaced(&mut self) {}
}

/// A registered congestion control algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// Recoveries it makes no sense with, each with the reason.
    pub refuses: &'static [(&'static str, &'static str)],
    /// Whether it needs [`View::sent`].
    pub needs_send_log: bool,
    /// Builds it for a connection with these parameters.
    pub build: fn(&Parameters) -> Box<dyn CongestionControl>,
}

/// Every algorithm of this crate.
static BUILT_IN: &[&Algorithm] = &[
    &cubic::ALGORITHM,
    &reno::ALGORITHM,
    &vegas::ALGORITHM,
    &westwood::ALGORITHM,
    &westwood_plus::ALGORITHM,
];

/// Every congestion control algorithm, those of other crates last.
pub fn all() -> impl Iterator<Item = &'static Algorithm> {
    BUILT_IN.iter().chain(added()).copied()
}

/// The algorithm of this name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    all().find(|algorithm| algorithm.name == name)
}
