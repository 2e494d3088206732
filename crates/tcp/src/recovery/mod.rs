//! Loss recovery: what to send again, and when. One file per algorithm, one entry in [`ALL`].
//!
//! A recovery sees each acknowledgment and the [`View`], and answers with [`Command`]s, which the
//! endpoint carries out in the order given.

use crate::cc::Loss;
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::scoreboard::News;
use crate::view::{View, Window};
use seamline_wire::{Duration, Instant};
use std::cmp::Ordering;
use std::fmt::Debug;

mod dcr;
mod newreno;
mod reduction;
mod sack;
mod sack_pipe;
mod spurious;
mod tahoe;
mod vegas_fine;

pub use dcr::DcrParameters;
pub use spurious::SpuriousDetection;
pub(crate) use spurious::{Evidence, Spurious};

/// An acknowledgment as recovery sees it, after SND.UNA has advanced.
#[derive(Clone, Copy, Debug)]
pub struct AckSeen {
    /// What was unacknowledged before.
    pub previous: Offset,
    /// Whether it advanced SND.UNA.
    pub advanced: bool,
    /// Whether it is a duplicate acknowledgment: no advance, no payload, window unchanged, data
    /// outstanding (RFC 5681 section 2).
    pub duplicate: bool,
    /// What was new in its SACK blocks.
    pub sack: News,
    /// Bytes it newly reports as arrived, cumulatively or by SACK (DeliveredData of RFC 9937).
    pub delivered: u64,
    /// Round-trip time in seconds of the newest segment acknowledged, by the fine clock, when it was sent
    /// exactly once; only when the send log is kept.
    pub fine_round_trip: Option<f64>,
}

/// What a recovery wants done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// New data was acknowledged, and nothing is known to be lost: take the sample, restart the retransmission timer and let congestion
    /// control grow the window.
    Proceed,
    /// Finish timing the segment being timed, take the sample and end the back-off (Karn).
    SampleRoundTrip,
    /// Finish timing without taking the sample, but end the back-off.
    EndTiming,
    /// Give up timing: what is being timed is sent again (Karn).
    AbandonTiming,
    /// End the back-off.
    ResetBackoff,
    /// Double the retransmission timeout.
    BackOff,
    /// Restart the retransmission timer.
    RestartTimer,
    /// Call [`Recovery::on_wake`] at this time, and not at any set before.
    WakeAt(Option<Instant>),
    /// Let congestion control grow the window for this acknowledgment.
    Grow,
    /// Let congestion control cut the window.
    Cut(Loss),
    /// Keep the window, which is about to be cut, in case that turns out to be needless; before the cut.
    KeepWindow,
    /// Let congestion control take a cut back: the window was this before it.
    RestoreWindow(Window),
    /// Replace the window.
    SetWindow(Window),
    /// Set the number of segments that inflate the window.
    Inflate(u32),
    /// SND.NXT = SND.UNA.
    Rewind,
    /// SND.NXT = the end of what has ever been sent: nothing is to be sent again.
    Resume,
    /// Send the one segment that begins here, now.
    Retransmit(Offset),
    /// Send one new segment although the window is full, within duplicates received (RFC 3042).
    LimitedTransmit {
        /// Duplicate acknowledgments so far.
        duplicates: u32,
    },
    /// Send what [`Recovery::next`] allows, at most this many segments.
    Send {
        /// Most segments to send.
        most: u32,
    },
    /// Let congestion control make use of what is known of a new path.
    RenewPath {
        /// Its round-trip time, if it is known.
        round_trip_time: Option<Duration>,
    },
    /// Forget what SACK has reported.
    ClearScoreboard,
    /// Recovery begins (for counters and traces).
    NoteRecovery,
}

impl Command {
    /// Send all that is allowed.
    pub const SEND: Command = Command::Send { most: u32::MAX };
}

/// Commands for the sender, in order; reused, so that an acknowledgment allocates nothing.
pub type Commands = Vec<Command>;

/// What to send again, and when.
pub trait Recovery: Debug + Send {
    /// An acknowledgment at or beyond the previous one arrived.
    fn on_ack(&mut self, ack: &AckSeen, view: &View, commands: &mut Commands);
    /// The retransmission timer expired with data outstanding.
    fn on_timeout(&mut self, view: &View, commands: &mut Commands);
    /// The time of [`Command::WakeAt`] has come.
    fn on_wake(&mut self, _view: &View, _commands: &mut Commands) {}
    /// What is outstanding was lost to a move, not to congestion: begin again from the first outstanding
    /// byte, with the window as it is.
    fn on_path_lost(&mut self, view: &View, commands: &mut Commands);
    /// The recovery that began with [`Command::KeepWindow`] was spurious, and its cut is taken back: end it.
    fn on_spurious(&mut self, _view: &View, _commands: &mut Commands) {}
    /// The offset to send next, if the window allows one; the caller sends it.
    fn next(&mut self, view: &View) -> Option<Offset> {
        view.permits(view.usable_bytes()).then_some(view.next)
    }
    /// A segment of so much sequence space has left, by whatever command.
    fn note_sent(&mut self, _length: u64) {}
    /// A duplicate acknowledgment that was no sign of congestion counts as one all the same, and asks for nothing
    /// ([`crate::loss_notification`]).
    fn note_duplicate(&mut self) {}
    /// Duplicate acknowledgments counted so far, for traces.
    fn duplicate_acks(&self) -> u32;
    /// Whether fast recovery is under way.
    fn in_recovery(&self) -> bool;
}

parameters! {
    /// Parameters that several recoveries share.
    pub struct RecoveryParameters {
        /// Duplicate acknowledgments that mean a loss (RFC 5681 section 3.2: 3).
        pub duplicate_threshold: u32 = 3,
        /// Send new segments on the first duplicate acknowledgments (RFC 3042).
        pub limited_transmit: bool = true,
        /// The first segment of a connection without handshake may be sent again on duplicate acknowledgments:
        /// `recover` begins before the first byte (RFC 6582 section 3.2, step 1). In ns-2 it begins at the
        /// first segment, which therefore waits for the timer.
        pub fast_retransmit_of_first_segment: bool = true,
        /// Segments that may be sent on one duplicate acknowledgment in fast recovery.
        pub burst_in_recovery: u32 = u32::MAX,
        /// On a partial acknowledgment deflate the window by what was acknowledged (RFC 6582 section 3.2,
        /// step 3), instead of dropping all inflation.
        pub partial_ack_deflates: bool = true,
        /// Duplicate acknowledgments beyond the threshold inflate the window also where they have begun no recovery, as after a timeout
        /// (ns-2 before July 2003, `exitFastRetrans_`). Read by the recoveries `reno` and `newreno`.
        pub inflates_outside_recovery: bool = false,
        /// Restart the retransmission timer for the first partial acknowledgment only (RFC 6582
        /// section 4: the Impatient variant), instead of for each (Slow-but-Steady).
        pub impatient: bool = true,
        /// On leaving fast recovery bound the window by what is outstanding (RFC 6582 section 3.2, step 3, option 1).
        pub bound_window_on_exit: bool = true,
        /// Spread what fast recovery sends over the acknowledgments it receives, in proportion to the cut
        /// (RFC 9937); read by the recovery of RFC 6675.
        pub proportional_rate_reduction: bool = true,
        /// By what a recovery is found to have been spurious, whose cut is then taken back; read for the recoveries `reno`,
        /// `newreno` and `sack`.
        pub spurious_detection: SpuriousDetection = SpuriousDetection::None,
        /// Read by the recovery `dcr`.
        pub dcr: DcrParameters = DcrParameters::default(),
        /// Which selective-acknowledgment recovery the variant `sack` means: `sack` (RFC 6675),
        /// `sack-pipe` (Fall and Floyd 1996) or `rack` (RFC 8985).
        pub sack_algorithm: &'static str = "sack",
        /// Whether the variants `reno` and `newreno` recover by selective acknowledgments as well, as on a host whose loss recovery is
        /// the same for all of its congestion controls.
        pub shared_by_reno: bool = false,
        /// The clock of a sender's timers ticks so often, and timers of more than a few ticks are coarser still (Linux's timer wheel);
        /// zero for exact timers. Read by the recovery `rack`.
        pub timer_tick: Duration = Duration::ZERO,
    }
}

/// A registered recovery.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// Whether it needs SACK from the receiver.
    pub needs_sack: bool,
    /// Whether it needs [`View::sent`].
    pub needs_send_log: bool,
    /// How it works.
    pub engine: Engine,
}

/// How a recovery works.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// By acknowledgments and commands: builds it for a connection whose first unacknowledged offset is given.
    Commands(fn(&Parameters, Offset) -> Box<dyn Recovery>),
    /// By a record of each segment, which the sender keeps itself.
    Records,
}

impl Algorithm {
    /// The recovery for a connection whose first unacknowledged offset is `first`. One that works by records stands by with NewReno, for
    /// a peer without selective acknowledgments.
    pub(crate) fn build(&self, parameters: &Parameters, first: Offset) -> Box<dyn Recovery> {
        match self.engine {
            Engine::Commands(build) => build(parameters, first),
            Engine::Records => WITHOUT_SACK.build(parameters, first),
        }
    }
}

/// Every recovery.
pub static ALL: &[&Algorithm] = &[
    &dcr::ALGORITHM,
    &newreno::NEWRENO,
    &newreno::RENO,
    &RACK,
    &sack::ALGORITHM,
    &sack_pipe::ALGORITHM,
    &tahoe::ALGORITHM,
    &vegas_fine::ALGORITHM,
];

/// Every recovery that keeps no records of segments, each refused for this reason.
pub const fn without_records(reason: &'static str) -> [(&'static str, &'static str); 7] {
    [
        ("dcr", reason),
        ("newreno", reason),
        ("reno", reason),
        ("sack", reason),
        ("sack-pipe", reason),
        ("tahoe", reason),
        ("vegas-fine", reason),
    ]
}

static RACK: Algorithm = Algorithm {
    name: "rack",
    summary: "losses found by time, tail loss probes, proportional rate reduction, F-RTO and undoing, as in Linux",
    cite: "RFC 8985, 9937, 5682, 4015, 3708; Linux, tcp_input.c and tcp_recovery.c",
    needs_sack: true,
    needs_send_log: false,
    engine: Engine::Records,
};

/// What stands in for a recovery that needs SACK when the peer does not have it.
pub(crate) static WITHOUT_SACK: &Algorithm = &newreno::NEWRENO;

/// The recovery of this name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALL.iter().copied().find(|algorithm| algorithm.name == name)
}

/// Where a duplicate acknowledgment stands in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duplicate {
    /// Too few to mean anything yet.
    Early,
    /// The one that means a loss.
    AtThreshold,
    /// One more, which shows that another segment has left the network.
    Later,
}

/// Count a duplicate acknowledgment; an early one may send a new segment (RFC 3042).
fn count_duplicate(
    duplicates: &mut u32,
    parameters: &RecoveryParameters,
    commands: &mut Commands,
) -> Duplicate {
    *duplicates += 1;
    match (*duplicates).cmp(&parameters.duplicate_threshold) {
        Ordering::Equal => Duplicate::AtThreshold,
        Ordering::Greater => Duplicate::Later,
        Ordering::Less => {
            if parameters.limited_transmit {
                commands.push(Command::LimitedTransmit { duplicates: *duplicates });
            }
            Duplicate::Early
        }
    }
}

/// What every recovery does when a move has taken what was outstanding: go back without a cut, and end the
/// back-off, because the path is there (as RFC 6069 section 5 does on other evidence).
fn go_back(commands: &mut Commands) {
    commands.extend([
        Command::Inflate(0),
        Command::ResetBackoff,
        Command::Rewind,
        Command::AbandonTiming,
        Command::RestartTimer,
        Command::SEND,
    ]);
}

/// What is done when a recovery turns out to have been spurious: what it would still have sent again has arrived, so new data is next
/// (RFC 4015 section 3).
fn resume(commands: &mut Commands) {
    commands.extend([Command::Inflate(0), Command::Resume]);
}

/// What every recovery does when the acknowledgment clock is gone: go back to the first outstanding
/// byte and begin again (RFC 5681 section 3.1, RFC 6298 section 5).
fn start_over(commands: &mut Commands) {
    commands.extend([
        Command::Inflate(0),
        Command::Cut(Loss::Collapsed),
        Command::BackOff,
        Command::RestartTimer,
        Command::Rewind,
        Command::AbandonTiming,
        Command::SEND,
    ]);
}
