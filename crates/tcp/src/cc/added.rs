//! Congestion controls of other crates, and their parameters.

use super::Algorithm;
use crate::variant;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

static ADDED: RwLock<&[&Algorithm]> = RwLock::new(&[]);

/// The congestion controls of other crates.
pub fn added() -> &'static [&'static Algorithm] {
    *ADDED.read().unwrap_or_else(PoisonError::into_inner)
}

/// Add congestion controls of other crates, before any scenario that names them is read. They stay until the process ends.
///
/// # Errors
/// When a name is that of another congestion control or of a variant; then none is added.
pub fn add(algorithms: Vec<&'static Algorithm>) -> Result<(), NameTaken> {
    for (place, Algorithm { name, .. }) in algorithms.iter().enumerate() {
        let is_earlier = algorithms[..place].iter().any(|other| other.name == *name);
        if is_earlier || is_taken(name) {
            return Err(NameTaken(name));
        }
    }
    let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
    *added = [*added, &algorithms].concat().leak();
    Ok(())
}

/// Whether a congestion control or a variant has this name.
pub fn is_taken(name: &str) -> bool {
    super::find(name).is_some() || variant::all().any(|variant| variant.name == name)
}

/// Congestion controls were not added, because something else has the name of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameTaken(pub &'static str);

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name \"{}\" is taken\ntip: give the congestion control another name", self.0)
    }
}

impl std::error::Error for NameTaken {}

/// Parameters of a congestion control of another crate.
pub trait OwnParameters: Any + fmt::Debug + Send + Sync {
    /// A copy.
    fn boxed(&self) -> Box<dyn OwnParameters>;
}

impl<P: Any + Clone + fmt::Debug + Send + Sync> OwnParameters for P {
    fn boxed(&self) -> Box<dyn OwnParameters> {
        Box::new(self.clone())
    }
}

/// The parameters of congestion controls of other crates: one value of each type.
#[derive(Debug, Default)]
pub struct OwnSet(BTreeMap<TypeId, Box<dyn OwnParameters>>);

impl OwnSet {
    /// Those of this type; the default unless they were set.
    pub fn get<P: OwnParameters + Clone + Default>(&self) -> P {
        let own = self.0.get(&TypeId::of::<P>()).map(|own| &**own as &dyn Any);
        own.and_then(|own| own.downcast_ref::<P>()).cloned().unwrap_or_default()
    }

    /// Those of this type, to set them.
    pub fn get_mut<P: OwnParameters + Default>(&mut self) -> &mut P {
        let own = self.0.entry(TypeId::of::<P>()).or_insert_with(|| Box::new(P::default()));
        let own: &mut dyn Any = &mut **own;
        own.downcast_mut().unwrap_or_else(|| unreachable!("each value is stored under its type"))
    }
}

impl Clone for OwnSet {
    fn clone(&self) -> Self {
        OwnSet(self.0.iter().map(|(of, own)| (*of, (**own).boxed())).collect())
    }
}
