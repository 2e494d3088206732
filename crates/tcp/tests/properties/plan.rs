//! What happens in a case: drawn by proptest, so that a failing one is reduced to its essentials.

use proptest::prelude::*;
use seamline_tcp::handover::Scheme;
use seamline_tcp::loss_notification::{LossNotification, LossNotificationParameters, Repeat};
use seamline_wire::{Duration, Rate, Signal};

/// What one end's application does.
#[derive(Clone, Debug)]
pub(crate) struct AppPlan {
    /// Bytes it sends.
    pub(crate) bytes: u64,
    /// It supplies them in so many pieces, at this interval.
    pub(crate) pieces: u64,
    /// Milliseconds between pieces.
    pub(crate) supply_interval: u64,
    /// Its receive buffer in bytes.
    pub(crate) buffer: u32,
    /// It reads so much at a time; zero is everything as it arrives.
    pub(crate) read: u64,
    /// Milliseconds between reads.
    pub(crate) read_interval: u64,
    /// Whether it offers window scaling.
    pub(crate) scaled: bool,
    /// Whether it offers timestamps.
    pub(crate) timestamps: bool,
    /// Whether it offers SACK.
    pub(crate) sack: bool,
    /// Its initial sequence number.
    pub(crate) initial: u32,
    /// Whether it opens actively (one of the two always does).
    pub(crate) active: bool,
    /// It aborts at this time, in milliseconds.
    pub(crate) abort_at: Option<u64>,
}

/// What the network does in one direction until it becomes good.
#[derive(Clone, Debug)]
pub(crate) struct PipePlan {
    /// Percentage of packets lost.
    pub(crate) loss: u64,
    /// Percentage of packets that arrive twice.
    pub(crate) duplication: u64,
    /// Percentage of packets held back, so that others overtake them.
    pub(crate) reordering: u64,
    /// One-way delay in milliseconds, before and after.
    pub(crate) one_way_delay: u64,
    /// Up to so many milliseconds more, at random.
    pub(crate) jitter: u64,
    /// Times of outage in milliseconds: beginning and length.
    pub(crate) outages: Vec<(u64, u64)>,
}

/// A case.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) apps: [AppPlan; 2],
    pub(crate) pipes: [PipePlan; 2],
    /// When the network becomes good, in milliseconds.
    pub(crate) good_from: u64,
    pub(crate) seed: u64,
    /// What both ends do about moves.
    pub(crate) handover: Option<&'static Scheme>,
    /// What both ends do about losses whose cause is reported, which is drawn on the way.
    pub(crate) loss_notification: LossNotificationParameters,
    /// As in ns-2.
    pub(crate) first_marked_duplicate_repairs: bool,
    /// What the layers below tell, in order of time; it need not be true.
    pub(crate) signals: Vec<Notice>,
}

/// What a layer below tells an end.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) at: u64,
    pub(crate) side: usize,
    pub(crate) signal: Signal,
}

fn initial_sequence() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (0u32..40_000).prop_map(|n| u32::MAX - n), Just(0), Just(1 << 31)]
}

fn app() -> impl Strategy<Value = AppPlan> {
    let sends = (prop_oneof![Just(0u64), 1u64..3000, 3000u64..60_000], 1u64..6, 0u64..3000);
    let receives =
        (prop_oneof![2500u32..9000, Just(200_000u32)], prop_oneof![Just(0u64), 1u64..5000], 1u64..400);
    let offers = (any::<bool>(), any::<bool>(), any::<bool>(), initial_sequence(), any::<bool>());
    (sends, receives, offers).prop_map(|(sends, receives, offers)| AppPlan {
        bytes: sends.0,
        pieces: sends.1,
        supply_interval: sends.2,
        buffer: receives.0,
        read: receives.1,
        read_interval: receives.2,
        scaled: offers.0,
        timestamps: offers.1,
        sack: offers.2,
        initial: offers.3,
        active: offers.4,
        abort_at: None,
    })
}

fn pipe() -> impl Strategy<Value = PipePlan> {
    let percentage = || prop_oneof![Just(0u64), 1u64..40];
    let outages = prop::collection::vec((0u64..15_000, 100u64..6000), 0..3);
    let delays = (1u64..300, prop_oneof![Just(0u64), 1u64..400]);
    (percentage(), percentage(), percentage(), delays, outages).prop_map(
        |(loss, duplication, reordering, (one_way_delay, jitter), outages)| PipePlan {
            loss,
            duplication,
            reordering,
            one_way_delay,
            jitter,
            outages,
        },
    )
}

/// Any case without an abort.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    ([app(), app()], [pipe(), pipe()], 0u64..20_000, any::<u64>()).prop_map(
        |(apps, pipes, good_from, seed)| Plan {
            apps,
            pipes,
            good_from,
            seed,
            handover: None,
            loss_notification: LossNotificationParameters::default(),
            first_marked_duplicate_repairs: false,
            signals: Vec::new(),
        },
    )
}

fn notices() -> impl Strategy<Value = Notice> {
    let signal = prop_oneof![
        (0u64..2000).prop_map(|within| Signal::LinkGoingDown { within: Duration::from_millis(within) }),
        Just(Signal::LinkDown),
        Just(Signal::LinkUp { rate: None, round_trip_time: None }),
        (1u64..1_000_000_000, 0u64..2000).prop_map(|(bits, millis)| Signal::LinkUp {
            rate: Some(Rate::from_bits_per_second(bits)),
            round_trip_time: Some(Duration::from_millis(millis)),
        }),
        Just(Signal::LinkHandoverComplete),
        Just(Signal::MovementDetected),
        Just(Signal::Registered),
    ];
    (0u64..25_000, 0usize..2, signal).prop_map(|(at, side, signal)| Notice { at, side, signal })
}

/// One handover: which ends, when, how long nothing passes, how long before it is predicted, whether a mobility protocol
/// runs, and which of its notices are given, how late.
#[derive(Clone, Debug)]
struct Move {
    sides: &'static [usize],
    begins: u64,
    interruption: u64,
    lead: u64,
    registers: bool,
    notices: [bool; 5],
    late: u64,
}

impl Move {
    fn signals(&self) -> Vec<Notice> {
        let ends = self.begins + self.interruption;
        let within = Duration::from_millis(self.lead);
        let up = Signal::LinkUp { rate: None, round_trip_time: None };
        let detected = if self.registers { Signal::MovementDetected } else { up };
        let notices = [
            (self.begins - self.lead, Signal::LinkGoingDown { within }),
            (self.begins, Signal::LinkDown),
            (ends + self.late, detected),
            (ends + self.late + 100, Signal::Registered),
            (ends + self.late + 200, Signal::Registered),
        ];
        let notices = notices.iter().zip(self.notices).enumerate().filter(|(place, (_, notices))| {
            let of_registration = *place >= 3;
            *notices && (self.registers || !of_registration)
        });
        let notices: Vec<_> = notices.map(|(_, (notices, _))| *notices).collect();
        let each = |side: &usize| {
            notices.clone().into_iter().map(move |(at, signal)| (*side, at, signal)).collect::<Vec<_>>()
        };
        self.sides.iter().flat_map(each).map(|(side, at, signal)| Notice { at, side, signal }).collect()
    }
}

fn handover() -> impl Strategy<Value = Move> {
    const ENDS: [&[usize]; 3] = [&[0], &[1], &[0, 1]];
    let times = (2500u64..20_000, 100u64..5000, 0u64..2000, prop_oneof![Just(0u64), 0u64..1000]);
    let notices = [
        prop::bool::weighted(0.7),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.9),
        prop::bool::weighted(0.8),
        prop::bool::weighted(0.3),
    ];
    (0usize..3, times, any::<bool>(), notices).prop_map(
        |(ends, (begins, interruption, lead, late), registers, notices)| Move {
            sides: ENDS[ends],
            begins,
            interruption,
            lead,
            registers,
            notices,
            late,
        },
    )
}

/// A case in which either end or both move, and hear of it as from a real link and a real mobility protocol, though perhaps
/// late, twice or not at all; nothing passes meanwhile.
pub(crate) fn plan_with_handovers(scheme: &'static Scheme) -> impl Strategy<Value = Plan> {
    (plan(), prop::collection::vec(handover(), 1..4)).prop_map(move |(mut plan, moves)| {
        plan.handover = Some(scheme);
        plan.signals = moves.iter().flat_map(Move::signals).collect();
        plan.signals.sort_by_key(|notices| notices.at);
        for pipe in &mut plan.pipes {
            pipe.outages.extend(moves.iter().map(|it| (it.begins, it.interruption)));
        }
        plan
    })
}

/// A case in which layers below tell of moves: notices come early, late, twice, falsely or not at all.
pub(crate) fn plan_with_moves(scheme: &'static Scheme) -> impl Strategy<Value = Plan> {
    (plan(), prop::collection::vec(notices(), 0..12)).prop_map(move |(mut plan, mut signals)| {
        signals.sort_by_key(|notices| notices.at);
        plan.handover = Some(scheme);
        plan.signals = signals;
        plan
    })
}

/// A case in which acknowledgments list losses, and the network says of each what it likes.
pub(crate) fn plan_with_notified_losses() -> impl Strategy<Value = Plan> {
    (plan(), any::<[bool; 3]>()).prop_map(|(mut plan, choices)| {
        let [repeats, duplicates_let_segments_go, as_ns2] = choices;
        let repeat = if repeats { Repeat::AfterRoundTrip { variations: 0 } } else { Repeat::Never };
        let scheme = LossNotification::ListAndActOn;
        plan.loss_notification = LossNotificationParameters { scheme, repeat, duplicates_let_segments_go };
        plan.first_marked_duplicate_repairs = as_ns2;
        plan
    })
}

/// A case in which one end or both abort.
pub(crate) fn plan_with_abort() -> impl Strategy<Value = Plan> {
    (plan(), prop::option::of(0u64..10_000), 0u64..10_000).prop_map(|(mut plan, first, second)| {
        plan.apps[0].abort_at = first;
        plan.apps[1].abort_at = Some(second);
        plan
    })
}
