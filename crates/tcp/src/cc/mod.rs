//! Congestion control: how much may be in flight. One file per algorithm, one entry in `BUILT_IN`. Other crates [`add`] theirs.

use crate::ecn::EcnNeeds;
use crate::offset::Offset;
use crate::parameters::{CutBase, Growth, Parameters, WindowParameters};
use crate::view::{Tracked, View, Window};
use seamline_wire::{Duration, Instant};
use std::fmt::{self, Debug};

mod added;
mod aggregation;
mod bandwidth;
mod bbr;
mod bbr3;
mod careful;
mod cubic;
mod cubic_whole;
mod dctcp;
mod hystart;
mod hystart_plus_plus;
#[cfg(test)]
mod path;
mod prague;
mod reno;
mod reno_whole;
mod slow_start;
mod vegas;
mod westwood;
mod westwood_plus;

pub use crate::own::{OwnParameters, OwnSet};
pub use added::{add, added, is_taken};
pub use bbr::{BbrParameters, LeoCcParameters};
pub(crate) use careful::Careful;
pub use careful::{CarefulResumeParameters, SavedPath};
pub use cubic::CubicParameters;
pub use seamline_wire::registry::NameTaken;
pub use slow_start::SlowStart;
pub use vegas::VegasParameters;
pub use westwood::WestwoodParameters;
pub use westwood_plus::WestwoodPlusParameters;

/// The parameters of every congestion control that has any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CongestionControlParameters {
    /// Read by Vegas.
    pub vegas: VegasParameters,
    /// Read by Westwood.
    pub westwood: WestwoodParameters,
    /// Read by Westwood+.
    pub westwood_plus: WestwoodPlusParameters,
    /// Read by CUBIC.
    pub cubic: CubicParameters,
    /// Read by BBR, version 1.
    pub bbr: BbrParameters,
    /// Read by LeoCC.
    pub leocc: LeoCcParameters,
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

impl Acked {
    /// [`Acked::delivered`] in whole segments.
    pub fn segments(&self, view: &View) -> u32 {
        (self.delivered / u64::from(view.segment_size)) as u32
    }
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

/// Where loss recovery stands, in senders that keep a record of each segment; the states of Linux.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecoveryState {
    /// Nothing is out of order.
    #[default]
    Open,
    /// Something is out of order, and may yet arrive.
    Disorder,
    /// The window falls without a loss to repair: a congestion notification, or a loss that a probe has repaired (`CWR`).
    Reducing,
    /// Losses are being repaired.
    Recovery,
    /// After a retransmission timeout.
    Loss,
}

/// What an acknowledgment says about the rate at which the network delivers (draft-cheng-iccrg-delivery-rate-estimation).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Segments that were delivered in so much time; `None` when the acknowledgment gives no sample.
    pub rate: Option<(u64, Duration)>,
    /// Segments that had been delivered when the newest segment acknowledged was sent.
    pub prior_delivered: u64,
    /// Segments newly delivered.
    pub acknowledged: u64,
    /// Segments newly taken to be lost.
    pub lost: u64,
    /// The application limited the flow, so the network may be faster.
    pub application_limited: bool,
    /// The newest segment acknowledged was sent more than once.
    pub is_retransmission: bool,
    /// The round-trip time of the newest segment, where it was sent once.
    pub round_trip: Option<Duration>,
    /// The receiver may have delayed the acknowledgment.
    pub maybe_delayed: bool,
    /// Segments in flight before the acknowledgment.
    pub prior_in_flight: u32,
    /// Segments taken to be lost between the sending and the acknowledgment of the newest segment acknowledged.
    pub lost_since: u64,
    /// Segments in flight when that segment was sent, itself included.
    pub in_flight_at_departure: u32,
}

/// A segment that is taken to be lost, as congestion control with a model of the path sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LostSegment {
    /// Its first byte.
    pub start: Offset,
    /// The end of it.
    pub end: Offset,
    /// When it was last sent.
    pub sent: Instant,
    /// Segments in flight when it was sent, itself included.
    pub in_flight_at_departure: u32,
    /// Segments taken to be lost since it was sent, itself included.
    pub lost_since: u64,
    /// Segments delivered so far.
    pub delivered: u64,
    /// The application limited the flow when it was sent.
    pub application_limited: bool,
}

/// What a congestion control with a model of the path decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Window and threshold.
    pub window: Window,
    /// Bytes per second at which segments may leave; `u64::MAX` for no limit.
    pub pacing_rate: u64,
    /// What is outstanding is too little to say anything about the bandwidth.
    pub application_limited: bool,
}

/// How much may be in flight. The window is part of the [`View`]; what may change it returns the new one.
pub trait CongestionControl: Debug + Send {
    /// Every acknowledgment, before recovery looks at it: for bandwidth and delay estimators.
    fn observe(&mut self, _acked: &Acked, _view: &View) {}
    /// Recovery lets the window grow for this acknowledgment.
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window;
    /// Recovery has found a loss.
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window;
    /// Packets were marked in place of being dropped (RFC 3168 section 6.1.2: as a loss).
    fn on_marks(&mut self, view: &View) -> Window {
        self.on_loss(Loss::Detected, view)
    }
    /// What it needs of explicit congestion notification.
    fn ecn_needs(&self) -> EcnNeeds {
        EcnNeeds::Nothing
    }
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
    /// A path of which this is remembered is there again, and the window is the initial one. Returns whether it makes use of that.
    fn resume(&mut self, _saved: SavedPath, _view: &View) -> bool {
        false
    }
    /// Until then losses are likely those of a disruption that a handover scheme was told of.
    fn expect_losses(&mut self, _until: Instant) {}
    /// Recovery or a handover scheme has replaced the window.
    fn on_window_replaced(&mut self) {}

    // What follows is called only by senders that keep a record of each segment (recovery `rack`).

    /// An acknowledgment, when it is known what it acknowledges and what SACK reports: for estimates by counts of marked segments
    /// (`in_ack_event`). Without ECN, a sender that has no data hears of none that comes with data and tells nothing new.
    fn on_feedback(&mut self, _view: &View) {}
    /// A loss is found while the window falls for marks. Returns the window, if it is to fall further.
    fn on_loss_in_reduction(&mut self, _view: &View) -> Option<Window> {
        None
    }
    /// A new round-trip time, before anything else is decided about the acknowledgment: for algorithms that end slow start by it.
    fn on_round_trip(&mut self, _sample: Duration, _view: &View) -> Option<Window> {
        None
    }
    /// A segment is taken to be lost; what that changes in the state of recovery follows.
    fn on_segment_lost(&mut self, _lost: &LostSegment, _view: &View) {}
    /// Loss recovery has entered a state.
    fn on_state(&mut self, _state: RecoveryState, _view: &View) {}
    /// Data leaves after nothing was in flight; the last segment left so long ago.
    fn on_transmission_start(&mut self, _idle: Duration, _view: &View) -> Option<Decision> {
        None
    }
    /// Whether [`CongestionControl::on_rate_sample`] decides on window and pacing, in place of growth and of
    /// proportional rate reduction.
    fn controls_rate(&self) -> bool {
        false
    }
    /// Every acknowledgment, after losses are known, of an algorithm that controls the rate.
    fn on_rate_sample(&mut self, _sample: &RateSample, view: &View) -> Decision {
        Decision { window: view.window, pacing_rate: u64::MAX, application_limited: false }
    }
    /// The most segments that leave together at this rate in bytes per second, where the algorithm has an opinion.
    fn most_burst(&self, _pacing_rate: u64) -> Option<u32> {
        None
    }
    /// The least number of segments that leave together at this rate in bytes per second, where the algorithm has an opinion.
    fn least_burst(&self, _pacing_rate: u64) -> Option<u32> {
        None
    }
}

/// Builds a congestion control for a connection with these parameters.
pub type Build = dyn Fn(&Parameters) -> Box<dyn CongestionControl> + Sync;

/// A registered congestion control algorithm.
#[derive(Clone, Copy)]
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
    /// Builds it.
    pub build: &'static Build,
}

impl Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Algorithm").field(&self.name).finish()
    }
}

/// Recoveries that keep no record of each segment.
const NEEDS_RECORDS: &[(&str, &str)] = &crate::recovery::without_records(
    "it needs counts of segments and pacing, which only the recovery rack has: use the profile linux-6.12",
);

/// Every algorithm of this crate.
static BUILT_IN: &[&Algorithm] = &[
    &bbr::ALGORITHM,
    &bbr3::ALGORITHM,
    &cubic::ALGORITHM,
    &dctcp::ALGORITHM,
    &prague::ALGORITHM,
    bbr::LEOCC,
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
