//! Refusing unknown keys in tables that share fields with others.

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// The last, flattened, field of a table: it refuses every key that no other field took. `deny_unknown_fields` does so
/// for whole structures, but not for those with flattened parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NothingElse;

impl<'de> Deserialize<'de> for NothingElse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NothingElse)
    }
}

impl<'de> Visitor<'de> for NothingElse {
    type Value = NothingElse;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no further keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NothingElse, A::Error> {
        match map.next_entry::<String, IgnoredAny>()? {
            Some((key, _)) => Err(A::Error::custom(format!("unknown field `{key}`"))),
            None => Ok(NothingElse),
        }
    }
}
