//! Registries that other crates may add to while the program runs.

use std::fmt;
use std::sync::{PoisonError, RwLock};

/// What other crates have added to a registry. Entries stay until the process ends.
#[derive(Debug)]
pub struct Registry<T: 'static> {
    name: fn(&T) -> &'static str,
    added: RwLock<&'static [&'static T]>,
}

impl<T> Registry<T> {
    /// Nothing yet. `name` is that of an entry.
    pub const fn new(name: fn(&T) -> &'static str) -> Self {
        Registry { name, added: RwLock::new(&[]) }
    }

    /// Everything that was added, in that order.
    pub fn all(&self) -> &'static [&'static T] {
        *self.added.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Add entries.
    ///
    /// # Errors
    /// When a name `is_taken`, or two entries have it; then none is added.
    pub fn add(&self, entries: &[&'static T], is_taken: impl Fn(&str) -> bool) -> Result<(), NameTaken> {
        refuse_taken(entries.iter().map(|entry| (self.name)(entry)), is_taken)?;
        let mut all = self.added.write().unwrap_or_else(PoisonError::into_inner);
        *all = [*all, entries].concat().leak();
        Ok(())
    }
}

/// Refuse names for new entries.
///
/// # Errors
/// When a name `is_taken`, or is there twice.
pub fn refuse_taken(
    names: impl Iterator<Item = &'static str>,
    is_taken: impl Fn(&str) -> bool,
) -> Result<(), NameTaken> {
    let mut earlier = Vec::new();
    for name in names {
        if earlier.contains(&name) || is_taken(name) {
            return Err(NameTaken(name));
        }
        earlier.push(name);
    }
    Ok(())
}

/// Something was not added, because something else has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken(pub &'static str);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name \"{}\" is taken\ntip: choose another name", self.0)
    }
}

impl std::error::Error for NameTaken {}
