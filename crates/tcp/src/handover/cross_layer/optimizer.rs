//! The optimizers: each knows one adaptation, and what it needs to hear for it.

use super::tuning::{Event, Flow, Tunings};
use crate::view::{View, Window};
use std::fmt::Debug;

/// One adaptation.
pub(super) trait Optimizer: Debug + Send {
    /// What it asks for when this happens.
    fn on(&mut self, event: Event, view: &View) -> Tunings;
}

/// Freezes the flow while an access router is changed (cross-layer-handover, section V.A): neither are queues filled that nobody
/// empties, nor is what was in flight taken for lost to congestion. The handover is hard, so what was in flight when it
/// began is lost (section II).
#[derive(Debug)]
pub(super) struct Freeze;

impl Optimizer for Freeze {
    fn on(&mut self, event: Event, _view: &View) -> Tunings {
        match event {
            Event::ChangeBegins => Tunings { flow: Some(Flow::Frozen), ..Tunings::default() },
            Event::ChangeEnds { was_away, .. } => {
                Tunings { flow: Some(Flow::Running), go_back: was_away, ..Tunings::default() }
            }
            Event::ChangeCancelled => Tunings { flow: Some(Flow::Running), ..Tunings::default() },
            Event::Timeout | Event::Progress => Tunings::default(),
        }
    }
}

/// Forgets the smoothed round-trip time, which was that of another link (cross-layer-handover, section V.B).
#[derive(Debug)]
pub(super) struct ResetRoundTrip;

impl Optimizer for ResetRoundTrip {
    fn on(&mut self, event: Event, _view: &View) -> Tunings {
        let forget_round_trip = matches!(event, Event::ChangeEnds { .. });
        Tunings { forget_round_trip, ..Tunings::default() }
    }
}

/// Begins again with one segment and slow start right up to the new link's bandwidth-delay product (cross-layer-handover, section
/// V.C). Slow start begins with what is not acknowledged, if that is lost: with a window of one segment nothing else could
/// be sent.
#[derive(Debug)]
pub(super) struct Restart {
    /// The threshold when the product is not known; `None` leaves it as it is.
    pub(super) without_product: Option<f64>,
}

impl Optimizer for Restart {
    fn on(&mut self, event: Event, view: &View) -> Tunings {
        /// RFC 5681, equation 4.
        const LEAST_THRESHOLD: f64 = 2.0;
        let Event::ChangeEnds { product, was_away } = event else { return Tunings::default() };
        let segments =
            product.map(|bytes| (f64::from(bytes.get()) / f64::from(view.segment_size)).max(LEAST_THRESHOLD));
        Tunings {
            congestion: Some(1.0),
            threshold: segments.or(self.without_product),
            go_back: was_away,
            ..Tunings::default()
        }
    }
}

/// Restores window and threshold from before the change, as the original ECLAIR does (cross-layer-handover, section IV), and so takes
/// back what a timeout has cut meanwhile.
#[derive(Debug, Default)]
pub(super) struct Restore {
    before: Option<Window>,
    changing: bool,
}

impl Optimizer for Restore {
    fn on(&mut self, event: Event, view: &View) -> Tunings {
        match event {
            Event::ChangeBegins => {
                self.changing = true;
                self.before.get_or_insert(view.window);
            }
            Event::Timeout => {
                self.before.get_or_insert(view.window);
            }
            // What arrives while the link goes says nothing; afterwards a cut stands.
            Event::Progress if self.changing => {}
            Event::Progress => self.before = None,
            Event::ChangeCancelled => *self = Restore::default(),
            Event::ChangeEnds { was_away, .. } => {
                let before = std::mem::take(self).before;
                return Tunings {
                    congestion: before.map(|window| window.congestion),
                    threshold: before.map(|window| window.threshold),
                    go_back: was_away,
                    ..Tunings::default()
                };
            }
        }
        Tunings::default()
    }
}
