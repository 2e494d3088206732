//! Cross-layer adaptations at a handover between links that differ (cross-layer-handover: Fanni, Luglio, Roseti and Zampognaro, "A
//! cross-layer based handover for TCP applications", sections IV and V), after ECLAIR (Raisinghani and Iyer 2004).
//!
//! Tuning layers stand next to the layers of the stack: those of link and network make events of signals ([`Attachment`]
//! and this file), that of transport makes events of the peer's marks and carries tunings out ([`tuning`]). Between them
//! the optimizing subsystem asks the optimizers ([`optimizer`]) and settles their conflicts.
//!
//! All of it is local when the mover is the sender. A mover that receives notifies the sender by marks: "I will hand off" as
//! soon as it knows, and from its new place the new link's bandwidth-delay product. The paper is silent about how a
//! remote sender hears.

mod optimizer;
mod tuning;

use super::attachment::{Attachment, Change};
use super::notice::Notice;
use super::{Action, Actions, END_TO_END, Handover, HandoverEvent, Installed, Scheme, Traits};
use crate::view::View;
use optimizer::OptimizingSubsystem;
use seamline_wire::{Duration, Instant, Mark, Rate, Signal};
use std::num::NonZeroU32;
use tuning::{Event, Flow};

pub(super) static SCHEME: Scheme = Scheme {
    name: "cross-layer",
    summary: "freeze, discard the round-trip time, then slow start from one segment to the new link's bandwidth-delay product",
    cite: "Fanni, Luglio, Roseti and Zampognaro, A cross-layer based handover for TCP applications",
    traits: Traits { needs_prediction: true, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(CrossLayer::new(&parameters.handover.cross_layer)),
};

pub(super) static RESTORE: Scheme = Scheme {
    name: "eclair-restore",
    summary: "freeze, and restore the window from before the handover",
    cite: "Raisinghani and Iyer, ECLAIR, World Wireless Congress 2004",
    traits: Traits { needs_prediction: true, ..END_TO_END },
    installed: Installed::BothEnds,
    refuses: &[],
    build: &|parameters| Box::new(CrossLayer::new(&parameters.handover.eclair_restore)),
};

/// The slow start threshold when the new link's bandwidth-delay product is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutProduct {
    /// That of the old link.
    AsItWas,
    /// As at the begin of a connection (RFC 5681 section 3.1).
    ArbitrarilyHigh,
}

impl WithoutProduct {
    fn threshold(self) -> Option<f64> {
        match self {
            WithoutProduct::AsItWas => None,
            WithoutProduct::ArbitrarilyHigh => Some(f64::INFINITY),
        }
    }
}

parameters! {
    /// What of the scheme can be set.
    pub struct CrossLayerParameters {
        /// Freeze the flow while an access router is changed (section V.A).
        pub freeze: bool = true,
        /// Forget the smoothed round-trip time after a change (section V.B).
        pub reset_round_trip: bool = true,
        /// Begin with one segment and the threshold at the new link's bandwidth-delay product (section V.C).
        pub restart: bool = true,
        /// Restore window and threshold from before the change (the original ECLAIR).
        pub restore: bool = false,
        /// The threshold of `restart` when the product is not known.
        pub without_product: WithoutProduct = WithoutProduct::ArbitrarilyHigh,
        /// How often at most the mover announces its new link until the peer answers.
        pub notices: u32 = 3,
        /// How long after the first the second one follows; the time doubles then.
        pub notice_interval: Duration = Duration::from_secs(1),
        /// A change that has not come so long after its predicted time was a false alarm.
        pub timeout: Duration = Duration::from_secs(1),
        /// A change lasts at most so long; then the news of its end must have been lost.
        pub longest_disconnection: Duration = Duration::from_secs(30),
    }
}

impl CrossLayerParameters {
    /// Those of the original ECLAIR.
    pub fn restoring() -> Self {
        CrossLayerParameters { reset_round_trip: false, restart: false, restore: true, ..Self::default() }
    }
}

#[derive(Debug)]
struct CrossLayer {
    own: Attachment,
    /// The bandwidth-delay product of this node's link, when the link layer reports it.
    product: Option<NonZeroU32>,
    /// That of the peer's, when it has moved and announced it.
    peer_product: Option<NonZeroU32>,
    notice: Notice,
    /// The peer changes its access router, and is believed to until this time.
    peer_away_until: Option<Instant>,
    longest_disconnection: Duration,
    subsystem: OptimizingSubsystem,
}

impl CrossLayer {
    fn new(parameters: &CrossLayerParameters) -> Self {
        CrossLayer {
            own: Attachment::new(parameters.timeout, parameters.longest_disconnection),
            product: None,
            peer_product: None,
            notice: Notice::new(parameters.notices, parameters.notice_interval),
            peer_away_until: None,
            longest_disconnection: parameters.longest_disconnection,
            subsystem: OptimizingSubsystem::new(parameters),
        }
    }

    fn notify(&mut self, event: Event, view: &View, actions: &mut Actions) {
        let mut tunings = self.subsystem.on(event, view);
        // Data flows when both ends are where they can be reached.
        let away = self.own.is_away() || self.peer_away_until.is_some();
        if tunings.flow == Some(Flow::Running) && away {
            tunings.flow = None;
        }
        tunings.apply_all(view.window, actions);
    }

    /// The tuning layers of link and network.
    fn on_own(&mut self, change: Change, view: &View, actions: &mut Actions) {
        match change {
            Change::WillLeave => {
                self.notice.end();
                actions.push(Action::Mark { mark: Mark::WillHandover, segments: u32::MAX });
                actions.push(Action::Acknowledge { times: 1, mark: None });
            }
            Change::Left => self.notify(Event::ChangeBegins, view, actions),
            Change::Arrived { was_away } => {
                let bandwidth_delay_product = self.product;
                let mark = match was_away {
                    true => Mark::NewLink { bandwidth_delay_product },
                    false => Mark::MadeBeforeBreak { bandwidth_delay_product },
                };
                actions.push(Action::Mark { mark: Mark::WillHandover, segments: 0 });
                self.notice.announce(mark, view.now, actions);
                self.change_ends(was_away, view, actions);
            }
            Change::Stayed => {
                actions.push(Action::Mark { mark: Mark::WillHandover, segments: 0 });
                self.notice.announce(Mark::HandoverCancelled, view.now, actions);
            }
        }
    }

    /// The tuning layer of transport, as far as the peer is concerned.
    fn on_mark(&mut self, mark: Mark, view: &View, actions: &mut Actions) {
        match mark {
            // Who says it again is not away for longer: else nothing would bound what repeats it.
            Mark::WillHandover if self.peer_away_until.is_none() => {
                self.peer_away_until = Some(view.now + self.longest_disconnection);
                self.notify(Event::ChangeBegins, view, actions);
            }
            Mark::NewLink { bandwidth_delay_product } => {
                self.peer_arrived(bandwidth_delay_product, true, view, actions);
            }
            Mark::MadeBeforeBreak { bandwidth_delay_product } => {
                self.peer_arrived(bandwidth_delay_product, false, view, actions);
            }
            Mark::HandoverCancelled => self.peer_stays(view, actions),
            _ => {}
        }
    }
    fn peer_arrived(
        &mut self,
        product: Option<NonZeroU32>,
        was_away: bool,
        view: &View,
        actions: &mut Actions,
    ) {
        self.peer_away_until = None;
        self.peer_product = product;
        self.change_ends(was_away, view, actions);
    }
    fn change_ends(&mut self, was_away: bool, view: &View, actions: &mut Actions) {
        self.notify(Event::ChangeEnds { product: self.smaller_product(), was_away }, view, actions);
    }
    fn peer_stays(&mut self, view: &View, actions: &mut Actions) {
        if self.peer_away_until.take().is_some() {
            self.notify(Event::ChangeCancelled, view, actions);
        }
    }
    /// With a mobility protocol the new link is announced before the node is reachable over it, and the end of the old one may
    /// come after that.
    fn note_link(&mut self, signal: Signal) {
        if let Signal::LinkUp { rate, round_trip_time }
        | Signal::LinkParametersReport { rate, round_trip_time } = signal
        {
            self.product = product(rate, round_trip_time);
        }
    }
    /// What the path holds that both links are on, as far as is known.
    fn smaller_product(&self) -> Option<NonZeroU32> {
        self.product.into_iter().chain(self.peer_product).min()
    }
}

/// What a link holds, in bytes.
fn product(rate: Option<Rate>, round_trip_time: Option<Duration>) -> Option<NonZeroU32> {
    let bytes = rate?.bandwidth_delay_product(round_trip_time?);
    NonZeroU32::new(u32::try_from(bytes).unwrap_or(u32::MAX))
}

impl Handover for CrossLayer {
    fn on(&mut self, happened: HandoverEvent, view: &View, actions: &mut Actions) {
        if let HandoverEvent::Below(signal) = happened {
            self.note_link(signal);
        }
        if let Some(change) = self.own.on(happened, view.now) {
            self.on_own(change, view, actions);
        }
        match happened {
            HandoverEvent::Marked { mark, payload, .. } => {
                if payload {
                    self.notice.end();
                }
                self.on_mark(mark, view, actions);
            }
            HandoverEvent::Progress { mark } => {
                self.notice.end();
                if mark.is_none() {
                    self.peer_stays(view, actions);
                }
                self.notify(Event::Progress, view, actions);
            }
            HandoverEvent::Data => {
                self.notice.end();
                self.peer_stays(view, actions);
            }
            HandoverEvent::Timeout => self.notify(Event::Timeout, view, actions),
            HandoverEvent::Wake => {
                self.notice.on_wake(view.now, actions);
                if self.peer_away_until.is_some_and(|until| until <= view.now) {
                    self.peer_stays(view, actions);
                }
            }
            HandoverEvent::Below(_) | HandoverEvent::Unreachable => {}
        }
    }
    fn acts_on(&self, mark: Mark) -> bool {
        matches!(
            mark,
            Mark::WillHandover
                | Mark::HandoverCancelled
                | Mark::NewLink { .. }
                | Mark::MadeBeforeBreak { .. }
        )
    }
    fn decides_on(&self, mark: Mark) -> bool {
        let announces = mark == Mark::WillHandover && self.peer_away_until.is_none();
        announces || matches!(mark, Mark::NewLink { .. } | Mark::MadeBeforeBreak { .. })
    }
    fn wake_at(&self) -> Option<Instant> {
        [self.own.wake_at(), self.notice.wake_at(), self.peer_away_until].into_iter().flatten().min()
    }
}
