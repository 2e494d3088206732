//! Registries that other crates may add to while the program runs.

use std::sync::{PoisonError, RwLock};

/// What other crates have added to a registry. Entries stay until the process ends.
#[derive(Debug)]
pub struct Registry<T: 'static>(RwLock<&'static [&'static T]>);

impl<T> Registry<T> {
    /// Nothing yet.
    #[expect(clippy::new_without_default, reason = "registries are static")]
    pub const fn new() -> Self {
        Registry(RwLock::new(&[]))
    }

    /// Everything that was added, in that order.
    pub fn all(&self) -> &'static [&'static T] {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Add entries.
    pub fn add(&self, entries: &[&'static T]) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *all = [*all, entries].concat().leak();
    }
}
