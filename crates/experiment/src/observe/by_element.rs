//! Values for some of the elements of a world.

use seamline_sim::ElementId;

/// Values by element number.
#[derive(Debug)]
pub(super) struct ByElement<T>(Vec<Option<T>>);

impl<T> Default for ByElement<T> {
    fn default() -> Self {
        ByElement(Vec::new())
    }
}

impl<T> ByElement<T> {
    /// Set the value of an element.
    pub(super) fn set(&mut self, element: ElementId, value: T) {
        let index = element.0 as usize;
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(value);
    }

    /// The value of an element.
    #[inline]
    pub(super) fn get(&self, element: ElementId) -> Option<&T> {
        self.0.get(element.0 as usize)?.as_ref()
    }

    /// The value of an element.
    #[inline]
    pub(super) fn get_mut(&mut self, element: ElementId) -> Option<&mut T> {
        self.0.get_mut(element.0 as usize)?.as_mut()
    }

    /// All values, in element order.
    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten()
    }
}
