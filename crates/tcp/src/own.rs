//! Parameters of what other crates add to a registry.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;

/// Parameters of something that another crate has added.
pub trait OwnParameters: Any + fmt::Debug + Send + Sync {
    /// A copy.
    fn boxed(&self) -> Box<dyn OwnParameters>;
}

impl<P: Any + Clone + fmt::Debug + Send + Sync> OwnParameters for P {
    fn boxed(&self) -> Box<dyn OwnParameters> {
        Box::new(self.clone())
    }
}

/// The parameters of what other crates have added: one value of each type.
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

/// Two sets are equal when they show the same.
impl PartialEq for OwnSet {
    fn eq(&self, other: &Self) -> bool {
        let shown = |set: &OwnSet| set.0.values().map(|own| format!("{own:?}")).collect::<Vec<_>>();
        self.0.keys().eq(other.0.keys()) && shown(self) == shown(other)
    }
}

impl Clone for OwnSet {
    fn clone(&self) -> Self {
        OwnSet(self.0.iter().map(|(of, own)| (*of, (**own).boxed())).collect())
    }
}
