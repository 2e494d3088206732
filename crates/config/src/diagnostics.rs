//! The errors of a scenario, reported all at once, each with its position and a fix.

use crate::codes::Code;
use crate::source::{Sources, Span};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// One error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The kind of error.
    pub code: Code,
    /// What is wrong.
    pub title: String,
    /// Its position.
    pub span: Span,
    /// The text at the caret; may be empty.
    pub label: String,
    /// How to fix it.
    pub tips: Vec<String>,
}

impl Diagnostic {
    /// An error at a position.
    pub fn new(code: Code, title: impl Into<String>, span: Span) -> Self {
        Diagnostic { code, title: title.into(), span, label: String::new(), tips: Vec::new() }
    }
    /// Set the text at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }
    /// Add a fix.
    #[must_use]
    pub fn tip(mut self, tip: impl Into<String>) -> Self {
        self.tips.push(tip.into());
        self
    }
    /// Add any number of fixes.
    #[must_use]
    pub fn tips(mut self, tips: impl IntoIterator<Item = String>) -> Self {
        self.tips.extend(tips);
        self
    }
}

/// Where an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file, or `--set`.
    pub source: &'a str,
    /// The line, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
}

/// More errors are only counted: a grid may have one in each of its values, and each of them is shown with its line.
const MOST_LISTED: usize = 20;

/// All errors of a scenario: at least one, in text order, without duplicates.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    sources: Sources,
    all: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Sort errors in text order; `None` when there are none.
    pub fn new(sources: &Sources, mut all: Vec<Diagnostic>) -> Option<Self> {
        all.sort_by(|a, b| (a.span, &a.title, &a.label).cmp(&(b.span, &b.title, &b.label)));
        all.dedup();
        (!all.is_empty()).then(|| Diagnostics { sources: sources.clone(), all })
    }
    /// The errors.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter()
    }
    /// Where an error is, for people.
    pub fn place(&self, diagnostic: &Diagnostic) -> Place<'_> {
        let source = self.sources.get(diagnostic.span.source);
        let start = source.text.floor_char_boundary(diagnostic.span.start.min(source.text.len()));
        let before = &source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            source: &source.name,
            line: 1 + before.matches('\n').count(),
            column: 1 + before[line_start..].chars().count(),
        }
    }
    /// The number of errors, at least one.
    pub fn count(&self) -> usize {
        self.all.len()
    }
    /// Format the errors for a terminal, with or without colour, and how to read more.
    pub fn render(&self, colour: bool) -> String {
        let plural = if self.all.len() == 1 { "" } else { "s" };
        let mut text = self.list(colour);
        text += &format!("{} error{plural}; nothing was run\n", self.all.len());
        text += &format!("more about an error: seamline explain {}\n", self.all[0].code);
        text
    }
    /// Format the errors alone: of many the first ones, and how many there are beyond these.
    pub fn list(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii);
        let mut text = String::new();
        for diagnostic in self.all.iter().take(MOST_LISTED) {
            text += &self.render_one(diagnostic, &renderer);
            text += "\n\n";
        }
        if self.all.len() > MOST_LISTED {
            text += &format!("... and {} more\n\n", self.all.len() - MOST_LISTED);
        }
        text
    }

    fn render_one(&self, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
        let source = self.sources.get(diagnostic.span.source);
        let label = (!diagnostic.label.is_empty()).then_some(diagnostic.label.as_str());
        let caret = AnnotationKind::Primary.span(visible(diagnostic.span, &source.text)).label(label);
        let snippet = Snippet::source(source.text.as_str()).path(source.name.as_str()).annotation(caret);
        let tip = Level::HELP.with_name("tip");
        let code = diagnostic.code.to_string();
        let title = Level::ERROR.primary_title(diagnostic.title.as_str()).id(code.as_str());
        let group = title.element(snippet);
        let group = group.elements(diagnostic.tips.iter().map(|text| tip.clone().message(text.as_str())));
        renderer.render(&[group])
    }
}

/// The part of the span on its first line, clamped to the text and to character boundaries.
fn visible(span: Span, text: &str) -> std::ops::Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.min(text.len())).max(start);
    let first_line = text[start..end].find('\n').map_or(end, |length| start + length);
    start..first_line
}

/// The known name that was most likely meant, if one is similar enough.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let normal = |name: &str| name.to_lowercase().replace(['-', ' '], "_");
    let given = normal(given);
    let allowed = 1 + given.chars().count() / 4;
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given, &normal(name)), name))
        .filter(|(distance, name)| *distance <= allowed && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// "a similar key exists: ...", or else the list of known names.
pub fn suggestion(what: &str, given: &str, known: &[&str]) -> Option<String> {
    match nearest(given, known.iter().copied()) {
        Some(name) => Some(format!("a similar {what} exists: `{name}`")),
        None if known.is_empty() => None,
        None => Some(format!("available {what}s: {}", known.join(", "))),
    }
}
