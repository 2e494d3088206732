//! The optimizing subsystem: hands each event to the optimizers, and settles what they ask for.

use super::CrossLayerParameters;
use super::optimizer::{Freeze, Optimizer, ResetRoundTrip, Restart, Restore};
use super::tuning::{Event, Tunings};
use crate::view::View;

/// The optimizers that are switched on.
#[derive(Debug)]
pub(super) struct OptimizingSubsystem {
    optimizers: Vec<Box<dyn Optimizer>>,
}

impl OptimizingSubsystem {
    pub(super) fn new(parameters: &CrossLayerParameters) -> Self {
        let mut optimizers: Vec<Box<dyn Optimizer>> = Vec::new();
        if parameters.freeze {
            optimizers.push(Box::new(Freeze));
        }
        if parameters.reset_round_trip {
            optimizers.push(Box::new(ResetRoundTrip));
        }
        if parameters.restart {
            optimizers.push(Box::new(Restart { without_product: parameters.without_product.threshold() }));
        }
        if parameters.restore {
            optimizers.push(Box::new(Restore::default()));
        }
        OptimizingSubsystem { optimizers }
    }
    /// What all of them together ask for; where they disagree, the more cautious wins ([`Tunings::and`]), so that the
    /// order in which they were switched on does not matter.
    pub(super) fn on(&mut self, event: Event, view: &View) -> Tunings {
        let asked = self.optimizers.iter_mut().map(|optimizer| optimizer.on(event, view));
        asked.fold(Tunings::default(), Tunings::and)
    }
}
