//! Something for some of the elements of a world.

use seamline_sim::ElementId;

/// What some elements have, found by their number.
#[derive(Debug)]
pub(super) struct ByElement<T>(Vec<Option<T>>);

impl<T> Default for ByElement<T> {
    fn default() -> Self {
        ByElement(Vec::new())
    }
}

impl<T> ByElement<T> {
    /// What this element has from now on.
    pub(super) fn set(&mut self, element: ElementId, value: T) {
        let place = element.0 as usize;
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place] = Some(value);
    }

    /// What this element has.
    #[inline]
    pub(super) fn get(&self, element: ElementId) -> Option<&T> {
        self.0.get(element.0 as usize)?.as_ref()
    }

    /// What this element has.
    #[inline]
    pub(super) fn get_mut(&mut self, element: ElementId) -> Option<&mut T> {
        self.0.get_mut(element.0 as usize)?.as_mut()
    }

    /// All there is, in the order of the elements.
    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }
}
