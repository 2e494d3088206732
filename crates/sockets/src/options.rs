//! What the TCP of a socket is like.

use crate::error::Error;
use seamline_tcp::handover::{self, Scheme};
use seamline_tcp::{Parameters, Variant, profile, variant};
use std::sync::Arc;

/// The TCP of a socket: by default that of Linux 6.12 with CUBIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    profile: String,
    variant: String,
    handover: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options { profile: profile::DEFAULT.name.to_owned(), variant: "cubic".to_owned(), handover: None }
    }
}

impl Options {
    /// The default.
    pub fn new() -> Self {
        Options::default()
    }
    /// A set of parameters, such as `"freebsd"`; `seamline list profiles` names them.
    #[must_use]
    pub fn profile(self, name: &str) -> Self {
        Options { profile: name.to_owned(), ..self }
    }
    /// A variant, such as `"bbr"`; `seamline list variants` names them.
    #[must_use]
    pub fn variant(self, name: &str) -> Self {
        Options { variant: name.to_owned(), ..self }
    }
    /// A handover scheme; `seamline list handover` names them.
    #[must_use]
    pub fn handover(self, name: &str) -> Self {
        Options { handover: Some(name.to_owned()), ..self }
    }

    pub(crate) fn resolve(&self) -> Result<Tcp, Error> {
        let unknown = |what: &str, name: &str, list: &str| {
            Error::Options(format!("there is no {what} \"{name}\"\ntip: seamline list {list}"))
        };
        let found =
            profile::find(&self.profile).ok_or_else(|| unknown("profile", &self.profile, "profiles"))?;
        let parameters = (found.parameters)();
        let variant = variant::find(&self.variant, &parameters);
        let variant = variant.map_err(|error| Error::Options(error.to_string()))?;
        let scheme =
            |name: &String| handover::find(name).ok_or_else(|| unknown("handover scheme", name, "handover"));
        let handover = self.handover.as_ref().map(scheme).transpose()?;
        let refused =
            handover.and_then(|it| it.refuses.iter().find(|(name, _)| *name == variant.recovery.name));
        if let Some((recovery, reason)) = refused {
            return Err(Error::Options(format!("recovery \"{recovery}\": {reason}")));
        }
        Ok(Tcp { parameters: Arc::new(parameters), variant, handover })
    }
}

/// The same, found.
#[derive(Clone, Debug)]
pub(crate) struct Tcp {
    pub(crate) parameters: Arc<Parameters>,
    pub(crate) variant: Variant,
    pub(crate) handover: Option<&'static Scheme>,
}
