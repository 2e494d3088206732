//! The optimizing subsystem: hands each event to the optimizers that are switched on, each of which knows one adaptation, and
//! settles what they ask for.

use super::CrossLayerParameters;
use super::tuning::{Event, Flow, Tunings};
use crate::view::{View, Window};

/// The optimizers that are switched on.
#[derive(Debug)]
pub(super) struct OptimizingSubsystem {
    parameters: CrossLayerParameters,
    restore: Restore,
}

impl OptimizingSubsystem {
    pub(super) fn new(parameters: &CrossLayerParameters) -> Self {
        OptimizingSubsystem { parameters: parameters.clone(), restore: Restore::default() }
    }
    /// What all of them together ask for; where they disagree, the more cautious wins ([`Tunings::and`]), so that their order
    /// does not matter.
    pub(super) fn on(&mut self, event: Event, view: &View) -> Tunings {
        let switched = &self.parameters;
        let asked = [
            switched.freeze.then(|| freeze(event)),
            switched.reset_round_trip.then(|| reset_round_trip(event)),
            switched.restart.then(|| restart(event, view, switched.without_product.threshold())),
            switched.restore.then(|| self.restore.on(event, view)),
        ];
        asked.into_iter().flatten().fold(Tunings::default(), Tunings::and)
    }
}

/// Freezes the flow while an access router is changed (cross-layer-handover, section V.A): it fills no queue that is
/// not emptied, and does not mistake what was in flight for lost to congestion. The handover is hard, so what was in flight when it
/// began is lost (section II).
fn freeze(event: Event) -> Tunings {
    let (flow, go_back) = match event {
        Event::ChangeBegins => (Some(Flow::Frozen), false),
        Event::ChangeEnds { was_away, .. } => (Some(Flow::Running), was_away),
        Event::ChangeCancelled => (Some(Flow::Running), false),
        Event::Timeout | Event::Progress => (None, false),
    };
    Tunings { flow, go_back, ..Tunings::default() }
}

/// Forgets the smoothed round-trip time, which was that of another link (cross-layer-handover, section V.B).
fn reset_round_trip(event: Event) -> Tunings {
    let forget_round_trip = matches!(event, Event::ChangeEnds { .. });
    Tunings { forget_round_trip, ..Tunings::default() }
}

/// Begins again with one segment and slow start right up to the new link's bandwidth-delay product (cross-layer-handover, section
/// V.C). Slow start begins with what is not acknowledged, if that is lost: with a window of one segment nothing else could
/// be sent. `without_product` is the threshold when the product is not known; `None` leaves it as it is.
fn restart(event: Event, view: &View, without_product: Option<f64>) -> Tunings {
    /// RFC 5681, equation 4.
    const LEAST_THRESHOLD: f64 = 2.0;
    let Event::ChangeEnds { product, was_away } = event else { return Tunings::default() };
    let segments =
        product.map(|bytes| (f64::from(bytes.get()) / f64::from(view.segment_size)).max(LEAST_THRESHOLD));
    Tunings {
        congestion: Some(1.0),
        threshold: segments.or(without_product),
        go_back: was_away,
        ..Tunings::default()
    }
}

/// Restores window and threshold from before the change, as the original ECLAIR does (cross-layer-handover, section IV), and so takes
/// back what a timeout has cut meanwhile.
#[derive(Debug, Default)]
struct Restore {
    before: Option<Window>,
    changing: bool,
}

impl Restore {
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
