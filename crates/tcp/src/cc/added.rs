//! Congestion controls of other crates, and their parameters.

use super::Algorithm;
use crate::variant;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

static ADDED: OnceLock<Vec<&'static Algorithm>> = OnceLock::new();

/// The congestion controls of other crates.
pub fn added() -> &'static [&'static Algorithm] {
    ADDED.get().map_or(&[], Vec::as_slice)
}

/// Add congestion controls of other crates, once and before any scenario is read.
///
/// # Errors
/// When a name is that of another congestion control or of a variant, or when some have been added before.
pub fn add(algorithms: Vec<&'static Algorithm>) -> Result<(), AddError> {
    for (place, Algorithm { name, .. }) in algorithms.iter().enumerate() {
        let is_earlier = algorithms[..place].iter().any(|other| other.name == *name);
        if is_earlier || is_taken(name) {
            return Err(AddError::NameTaken(name));
        }
    }
    ADDED.set(algorithms).map_err(|_| AddError::Twice)
}

/// Whether a congestion control or a variant has this name.
pub fn is_taken(name: &str) -> bool {
    super::find(name).is_some() || variant::all().any(|variant| variant.name == name)
}

/// Why congestion controls were not added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddError {
    /// Something else has this name.
    NameTaken(&'static str),
    /// Some have been added before.
    Twice,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::NameTaken(name) => {
                write!(f, "the name \"{name}\" is taken\ntip: give the congestion control another name")
            }
            AddError::Twice => f.write_str("congestion controls are added once, all together"),
        }
    }
}

impl std::error::Error for AddError {}

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
