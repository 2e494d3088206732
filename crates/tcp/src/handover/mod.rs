//! What TCP does about a move. One file or folder per scheme, one entry in [`ALL`].
//!
//! The same scheme runs at both ends. At the end that moves it receives the [`Signal`]s of its node and notifies
//! the peer; at the other end it hears the peer's marks. It sees what [`HandoverEvent`] and the [`View`], and answers
//! with [`Action`]s, which the endpoint carries out in the order given.

use crate::cc::{NameTaken, OwnSet, SavedPath};
use crate::parameters::Parameters;
use crate::recovery;
use crate::view::{View, Window};
use seamline_wire::registry::Registry;
use seamline_wire::{Duration, Instant, Mark, Signal};
use std::fmt::{self, Debug};

mod ack_buffering;
mod attachment;
mod careful_resume;
mod cross_layer;
mod demo_vegas;
mod ehn;
mod elfn;
mod freeze;
mod mobility_vegas;
mod notice;
mod satcp;
mod tcp_r;
mod tr_acks;

pub use ack_buffering::AckBufferingParameters;
pub use cross_layer::{CrossLayerParameters, WithoutProduct};
pub use demo_vegas::DemoVegasParameters;
pub use ehn::{EhnParameters, ResumeWith};
pub use elfn::ElfnParameters;
pub use freeze::FreezeParameters;
pub use mobility_vegas::{GoOnWith, MobilityVegasParameters, OnePerRoundTrip, Release};
pub use satcp::SatcpParameters;
pub use tr_acks::{AfterReconnection, TrAcksParameters};

parameters! {
    /// The parameters of every handover scheme.
    pub struct HandoverParameters {
        /// Read by the mobile node extension that buffers acknowledgments.
        pub ack_buffering: AckBufferingParameters = Default::default(),
        /// Read by the cross-layer adaptations.
        pub cross_layer: CrossLayerParameters = Default::default(),
        /// Read by the original ECLAIR.
        pub eclair_restore: CrossLayerParameters = CrossLayerParameters::restoring(),
        /// Read by Demo-Vegas.
        pub demo_vegas: DemoVegasParameters = Default::default(),
        /// Read by Explicit Handover Notification.
        pub ehn: EhnParameters = Default::default(),
        /// Read by Explicit Link Failure Notification.
        pub elfn: ElfnParameters = Default::default(),
        /// Read by Mobility-Vegas.
        pub mobility_vegas: MobilityVegasParameters = Default::default(),
        /// Read by SaTCP.
        pub satcp: SatcpParameters = Default::default(),
        /// Read by TCP-MD, which closes and opens the window as Freeze-TCP does.
        pub tcp_md: FreezeParameters = Default::default(),
        /// Read by TCP-R, which does so too.
        pub tcp_r: FreezeParameters = Default::default(),
        /// Read by TR-ACKs.
        pub tr_acks: TrAcksParameters = Default::default(),
        /// Read by Freeze-TCP, without and with timestamps.
        pub freeze: FreezeParameters = Default::default(),
        /// Read by those that other crates add.
        pub own: OwnSet = OwnSet::default(),
    }
}

/// What a scheme hears of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HandoverEvent {
    /// A layer below, on this node, has news.
    Below(Signal),
    /// A segment with a mark has arrived, and its acknowledgment has been taken in.
    Marked {
        /// The mark.
        mark: Mark,
        /// Whether it carries payload.
        payload: bool,
        /// How long the segment was on its way by its timestamp, when both ends use timestamps; right only
        /// when their clocks agree, as paper ehn-2004 (section 3) assumes.
        one_way_delay: Option<Duration>,
    },
    /// The network reports by ICMP that it could not deliver a segment that is outstanding.
    Unreachable,
    /// The retransmission timer has expired; the window is still what it was before.
    Timeout,
    /// An acknowledgment has advanced SND.UNA. One that the scheme decides about first ([`Handover::decides_on`]) is
    /// reported as [`HandoverEvent::Marked`] alone.
    Progress {
        /// The mark it carries, which is reported next.
        mark: Option<Mark>,
    },
    /// A segment with payload and without a mark has arrived.
    Data,
    /// The time of [`Handover::wake_at`] has come.
    Wake,
}

impl HandoverEvent {
    /// Whether this node can send again from a new place, and what was sent to the old one is lost: its link is up, or,
    /// where a mobility protocol runs, the network layer has noticed the move. Of one move it hears one of the two: what the
    /// sender sent after the first would reach the old place, where the new one is not registered yet, or be sent twice.
    pub fn is_move(self) -> bool {
        matches!(self, HandoverEvent::Below(Signal::LinkUp { .. } | Signal::MovementDetected))
    }

    /// Whether from now on what is addressed to this node finds it at its new place: its link is up, or has taken the place of
    /// another, or, where a mobility protocol runs, its registration is confirmed. Until then what it sends is answered to
    /// the old place.
    pub fn is_arrival(self) -> bool {
        let HandoverEvent::Below(signal) = self else { return false };
        matches!(signal, Signal::LinkUp { .. } | Signal::LinkHandoverComplete | Signal::Registered)
    }
}

/// What a scheme wants done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Send the last acknowledgment again.
    Acknowledge {
        /// How often.
        times: u32,
        /// With this mark.
        mark: Option<Mark>,
    },
    /// Put this mark on the next segments sent, whatever they are.
    Mark {
        /// The mark.
        mark: Mark,
        /// How many segments.
        segments: u32,
    },
    /// Offer a window of zero from now on, whatever room there is. What is under way is still taken.
    CloseWindow,
    /// Offer the true window again.
    OpenWindow,
    /// Echo timestamps as if what arrives from now on had left after the disconnection that ends now: so the peer's samples of the
    /// round-trip time leave the disconnection out.
    AdvanceEcho,
    /// Keep acknowledgments back that nothing else carries, in order; except those without news.
    HoldAcknowledgments,
    /// Send what [`Action::HoldAcknowledgments`] has kept back, or the last of it, and one of now.
    ReleaseAcknowledgments(Release),
    /// Stop the timers of the sender, which keeps sending what its window allows.
    HaltTimer,
    /// Send nothing and stop all timers of the sender.
    Freeze,
    /// Send one segment, if window and data allow it, although the sender is frozen.
    SendOne,
    /// Send the first outstanding segment again, although the sender is frozen, for the sake of its acknowledgment.
    Probe,
    /// End [`Action::Freeze`] and [`Action::HaltTimer`].
    Thaw,
    /// Forget what is known of the round-trip time, and with it the timeout and its back-off.
    ForgetRoundTrip,
    /// Replace the congestion window.
    SetWindow(Window),
    /// Begin again from one segment, with the threshold that the congestion control sets after a timeout.
    SlowStart,
    /// The path is another one: what is outstanding gives no round-trip samples for congestion control, which may make
    /// use of the new path's round-trip time or measure it again.
    RenewPath {
        /// Round-trip time of the new path, if it is known.
        round_trip_time: Option<Duration>,
    },
    /// Until then losses are likely those of a disruption that was announced: congestion control may come back from them faster.
    ExpectLosses {
        /// When that ends.
        until: Instant,
    },
    /// A path of which this is remembered is there again: begin with the initial window, and return to that carefully where the
    /// recovery keeps records of segments (RFC 9959).
    Resume(SavedPath),
    /// What is outstanding was lost, and not to congestion: SND.NXT = SND.UNA, timer and back-off reset,
    /// send what the window allows.
    GoBack,
}

impl Action {
    /// Whether it changes what is sent or when, other than by one segment or by ending what another action has begun.
    pub fn changes_sending(self) -> bool {
        match self {
            Action::HoldAcknowledgments
            | Action::HaltTimer
            | Action::Freeze
            | Action::ForgetRoundTrip
            | Action::SetWindow(_)
            | Action::SlowStart
            | Action::RenewPath { .. }
            | Action::CloseWindow
            | Action::ExpectLosses { .. }
            | Action::Resume(_)
            | Action::GoBack => true,
            Action::Acknowledge { .. }
            | Action::Mark { .. }
            | Action::OpenWindow
            | Action::AdvanceEcho
            | Action::ReleaseAcknowledgments(_)
            | Action::SendOne
            | Action::Probe
            | Action::Thaw => false,
        }
    }
    /// Whether the window is another one after it, or what is under way is, for other reasons than losses.
    pub(crate) fn renews_window(self) -> bool {
        matches!(
            self,
            Action::SetWindow(_)
                | Action::SlowStart
                | Action::RenewPath { .. }
                | Action::Resume(_)
                | Action::GoBack
        )
    }
    /// Its name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Action::Acknowledge { mark: Some(_), .. } => "marked acknowledgment",
            Action::Acknowledge { mark: None, .. } => "repeated acknowledgment",
            Action::Mark { .. } => "segments marked",
            Action::CloseWindow => "window closed",
            Action::OpenWindow => "window opened",
            Action::AdvanceEcho => "echo advanced",
            Action::HoldAcknowledgments => "acknowledgments held",
            Action::ReleaseAcknowledgments(_) => "acknowledgments released",
            Action::HaltTimer => "timer halted",
            Action::Freeze => "frozen",
            Action::SendOne => "one segment",
            Action::Probe => "probe",
            Action::Thaw => "thawed",
            Action::ForgetRoundTrip => "round-trip time forgotten",
            Action::SetWindow(_) => "window set",
            Action::SlowStart => "slow start",
            Action::RenewPath { .. } => "path renewed",
            Action::ExpectLosses { .. } => "losses expected",
            Action::Resume(_) => "path resumed",
            Action::GoBack => "go back",
        }
    }
}

/// The actions that a scheme asks for, in order; reused.
pub type Actions = Vec<Action>;

/// What TCP does about a move.
pub trait Handover: Debug + Send {
    /// Something happened.
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions);
    /// Whether the scheme knows this mark. Others are as good as none.
    fn acts_on(&self, mark: Mark) -> bool;
    /// Whether the scheme is to decide from where to continue before anything is sent that an acknowledgment with this mark
    /// lets go. Such an acknowledgment counts neither as a duplicate nor as a sample of the round-trip time.
    fn decides_on(&self, mark: Mark) -> bool {
        mark == Mark::Handover
    }
    /// When [`HandoverEvent::Wake`] is wanted.
    fn wake_at(&self) -> Option<Instant> {
        None
    }
}

/// What a scheme supports and needs: the rows of Table 1 of paper ehn-2004.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// It does something about handovers.
    pub supports_handover: bool,
    /// It holds its throughput at high bit error rates.
    pub robust_to_bit_errors: bool,
    /// It works when the TCP header is encrypted on the way.
    pub supports_encrypted_traffic: bool,
    /// A node between the ends must take part.
    pub needs_intermediate_node: bool,
    /// An acknowledgment means that the far end has the data.
    pub keeps_end_to_end_semantics: bool,
    /// It survives long disconnections.
    pub robust_to_long_disconnection: bool,
    /// Acknowledgments may take another way than data.
    pub acknowledgments_may_take_another_path: bool,
    /// It must know of a disconnection beforehand.
    pub needs_prediction: bool,
}

/// What schemes support and need that act at the ends alone, after the fact.
pub const END_TO_END: Traits = Traits {
    supports_handover: true,
    robust_to_bit_errors: false,
    supports_encrypted_traffic: true,
    needs_intermediate_node: false,
    keeps_end_to_end_semantics: true,
    robust_to_long_disconnection: true,
    acknowledgments_may_take_another_path: true,
    needs_prediction: false,
};

/// The ends at which a scheme must be installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    /// Only the end that moves: any peer will do.
    MobileEnd,
    /// Both ends.
    BothEnds,
}

/// Builds a scheme for one end of a connection with these parameters.
pub type Build = dyn Fn(&Parameters) -> Box<dyn Handover> + Sync;

/// A registered scheme.
#[derive(Clone, Copy)]
pub struct Scheme {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// What it supports and needs.
    pub traits: Traits,
    /// Where it must be installed.
    pub installed: Installed,
    /// Recoveries it makes no sense with, each with the reason.
    pub refuses: &'static [(&'static str, &'static str)],
    /// Builds it.
    pub build: &'static Build,
}

impl Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scheme").field(&self.name).finish()
    }
}

/// Every scheme of this crate.
pub static ALL: &[&Scheme] = &[
    &ack_buffering::SCHEME,
    &careful_resume::SCHEME,
    &cross_layer::SCHEME,
    &cross_layer::RESTORE,
    &demo_vegas::SCHEME,
    &ehn::SCHEME,
    &elfn::SCHEME,
    &freeze::SCHEME,
    &freeze::TIMESTAMPS,
    &mobility_vegas::SCHEME,
    &satcp::SCHEME,
    &tcp_r::TCP_MD,
    &tcp_r::TCP_R,
    &tr_acks::SCHEME,
];

/// Recoveries that Careful Resume makes no sense with, with the reason.
pub const NEEDS_PACING: &[(&str, &str)] = &recovery::without_records(
    "Careful Resume needs pacing, which only the recovery rack has: use the profile linux-6.12",
);

static ADDED: Registry<Scheme> = Registry::new(|scheme| scheme.name);

/// Add schemes of other crates, before any scenario that names them is read. They stay until the process ends. Their parameters are in
/// [`HandoverParameters::own`].
///
/// # Errors
/// When a name is that of another scheme; then none is added.
pub fn add(schemes: &[&'static Scheme]) -> Result<(), NameTaken> {
    ADDED.add(schemes, |name| find(name).is_some())
}

/// Every scheme, those of other crates last.
pub fn all() -> impl Iterator<Item = &'static Scheme> {
    ALL.iter().chain(ADDED.all()).copied()
}

/// The scheme of this name.
pub fn find(name: &str) -> Option<&'static Scheme> {
    all().find(|scheme| scheme.name == name)
}
