//! A judgement as a reader sees it.

use crate::escape::Text;

/// A judgement in words, and how good it is. Who judges is the caller's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Badge {
    /// The judgement: `reproduced`.
    pub words: String,
    /// How good it is.
    pub tone: Tone,
}

/// How good a judgement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// As it should be.
    Good,
    /// Partly as it should be.
    Partly,
    /// Not as it should be.
    Bad,
    /// Nobody can tell.
    Open,
}

impl Tone {
    /// A sign next to the word, so that a table can be read at a glance and without colour.
    pub fn sign(self) -> &'static str {
        match self {
            Tone::Good => "✓",
            Tone::Partly => "≈",
            Tone::Bad => "✗",
            Tone::Open => "?",
        }
    }

    /// The class that gives it its colour.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Good => "better",
            Tone::Partly => "partly",
            Tone::Bad => "worse",
            Tone::Open => "open",
        }
    }
}

impl Badge {
    /// As HTML: sign and words.
    pub(crate) fn html(&self) -> String {
        let (class, sign) = (self.tone.class(), self.tone.sign());
        format!("<span class=\"badge {class}\">{sign}&nbsp;{}</span>", Text(&self.words))
    }
}
