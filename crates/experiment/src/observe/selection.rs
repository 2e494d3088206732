//! Which events and packets are recorded: all, or those that a scenario asks for.

use super::by_element::ByElement;
use super::events::element_names;
use super::rows::Kind;
use seamline_scenario::build::Places;
use seamline_scenario::schema::{OutputSpec, Scenario};
use seamline_sim::ElementId;
use std::collections::BTreeSet;

/// Every n-th of a sequence, beginning with the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Every {
    /// How many come before the next.
    left: u32,
}

impl Every {
    /// Whether this is one of them.
    #[inline]
    pub(super) fn takes(&mut self, every: u32) -> bool {
        let takes = self.left == 0;
        self.left = if takes { every - 1 } else { self.left - 1 };
        takes
    }
}

/// The events that are recorded.
#[derive(Debug)]
pub(super) struct Selection {
    kinds: [bool; Kind::COUNT],
    /// By element: the sequence of each kind, where events are recorded.
    elements: ByElement<[Every; Kind::COUNT]>,
    every: u32,
}

impl Selection {
    /// `None` for all.
    pub(super) fn new(scenario: &Scenario, places: &Places) -> Option<Self> {
        let OutputSpec { only_events, only_at, every, .. } = &scenario.output;
        if only_events.is_none() && only_at.is_none() && *every == 1 {
            return None;
        }
        let named: Option<BTreeSet<&str>> =
            only_at.as_ref().map(|places| places.iter().map(String::as_str).collect());
        let is_in = |named: &BTreeSet<&str>, name: &str| {
            let ends = name.match_indices('/').map(|(end, _)| end).chain([name.len()]);
            ends.into_iter().any(|end| named.contains(&name[..end]))
        };
        let mut elements = ByElement::default();
        for (element, name) in element_names(scenario, places) {
            if named.as_ref().is_none_or(|named| is_in(named, &name)) {
                elements.set(element, [Every::default(); Kind::COUNT]);
            }
        }
        let is_wanted = |kind: usize| only_events.as_ref().is_none_or(|it| it.contains(&Kind::NAMES[kind]));
        Some(Selection { kinds: std::array::from_fn(is_wanted), elements, every: *every })
    }

    /// Whether any events of a kind are recorded.
    pub(super) fn includes(&self, kind: Kind) -> bool {
        self.kinds[kind as usize]
    }

    /// Whether an event is recorded.
    pub(super) fn takes(&mut self, at: ElementId, kind: Kind) -> bool {
        let Some(sequences) = self.elements.get_mut(at).filter(|_| self.kinds[kind as usize]) else {
            return false;
        };
        !kind.comes_with_packets() || sequences[kind as usize].takes(self.every)
    }
}
