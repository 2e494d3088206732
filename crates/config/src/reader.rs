//! Reads a table key by key. Keys that have been requested are known; all others are refused at the end, with the nearest
//! known key.

use crate::codes::Code;
use crate::diagnostics::{Diagnostic, nearest, suggestion};
use crate::document::{Key, Node, Table, Value};
use crate::files::Files;
use crate::source::{Sources, Span};
use crate::units::Complaint;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The name of the outermost table in messages.
pub const WHOLE: &str = "the scenario";
/// The same in a file other than a scenario.
pub const FILE: &str = "the file";

/// What all readers of one scenario share.
#[derive(Debug)]
pub struct Context<'a> {
    /// The texts.
    pub sources: &'a Sources,
    /// Input files that have been read so far.
    pub files: &'a Files,
    complaints: RefCell<Vec<Diagnostic>>,
    inputs: RefCell<BTreeSet<PathBuf>>,
}

impl<'a> Context<'a> {
    /// A fresh context.
    pub fn new(sources: &'a Sources, files: &'a Files) -> Self {
        Context { sources, files, complaints: RefCell::default(), inputs: RefCell::default() }
    }
    /// Note an error.
    pub fn complain(&self, diagnostic: Diagnostic) {
        self.complaints.borrow_mut().push(diagnostic);
    }
    /// The number of errors noted so far.
    pub fn noted(&self) -> usize {
        self.complaints.borrow().len()
    }
    /// Whether no error was noted.
    pub fn is_clean(&self) -> bool {
        self.noted() == 0
    }
    /// Note a file that results depend on.
    pub fn depends_on(&self, path: PathBuf) {
        self.inputs.borrow_mut().insert(path);
    }
    /// The files noted, each once, in alphabetical order.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.inputs.borrow().iter().cloned().collect()
    }
    /// All errors noted.
    pub fn into_complaints(self) -> Vec<Diagnostic> {
        self.complaints.into_inner()
    }
}

/// Reads one table.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    /// What the readers share.
    pub context: &'a Context<'a>,
    /// What the table is, for messages: `link "space"`.
    pub what: String,
    /// Where to point when something is missing.
    pub span: Span,
    table: &'a Table,
    known: Vec<&'static str>,
    wrong: Vec<&'static str>,
    is_unfinished: bool,
}

impl<'a> Reader<'a> {
    /// A reader of `table`, which messages call `what`.
    pub fn new(context: &'a Context<'a>, table: &'a Table, what: impl Into<String>, span: Span) -> Self {
        Reader {
            context,
            what: what.into(),
            span,
            table,
            known: Vec::new(),
            wrong: Vec::new(),
            is_unfinished: false,
        }
    }

    /// The value of a key as it is in the document.
    pub fn node(&mut self, key: &'static str) -> Option<&'a Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// The value of a key and the key as written.
    pub fn entry(&mut self, key: &'static str) -> Option<(&'a Key, &'a Node)> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.table.entry(key)
    }

    /// Whether the key is there. The key does not become known by this.
    pub fn has(&self, key: &str) -> bool {
        self.table.get(key).is_some()
    }

    /// The value of a key that may be absent. `None` also when it is wrong, which has been noted then.
    pub fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&Node) -> Result<T, Complaint>,
    ) -> Option<T> {
        let node = self.node(key)?;
        match read(node) {
            Ok(value) => Some(value),
            Err(complaint) => {
                self.wrong.push(key);
                self.refuse(key, node.span, complaint);
                None
            }
        }
    }

    /// The value of a key that must be there. `None` when it is absent or wrong, which has been noted.
    pub fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&Node) -> Result<T, Complaint>,
    ) -> Option<T> {
        if self.node(key).is_none() {
            self.missing(key);
        }
        self.optional(key, read)
    }

    /// A reader of the table under a key; `None` when it is absent or no table, which has been noted.
    pub fn table(&mut self, key: &'static str) -> Option<Reader<'a>> {
        let (written, node) = self.entry(key)?;
        let what = self.name_of(key, None);
        match &node.value {
            Value::Table(table) => Some(Reader::new(self.context, table, what, written.span)),
            other => {
                let complaint = Complaint::expected("a table", other);
                self.refuse(key, node.span, complaint);
                None
            }
        }
    }

    /// Readers of the tables of a list under a key (`[[key]]`); a single table counts as a list of one.
    pub fn tables(&mut self, key: &'static str) -> Vec<Reader<'a>> {
        let Some((written, node)) = self.entry(key) else { return Vec::new() };
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let single = items.len() == 1;
        let mut readers = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let what = self.name_of(key, (!single).then_some(place));
            match &item.value {
                Value::Table(table) => {
                    let span = if single { written.span } else { item.span };
                    readers.push(Reader::new(self.context, table, what, span));
                }
                other => {
                    let complaint = Complaint::expected("a table", other);
                    self.refuse(key, item.span, complaint);
                }
            }
        }
        readers
    }

    /// How many items a key lists; a single value counts as one.
    pub fn count(&self, key: &str) -> usize {
        match self.table.get(key).map(|node| &node.value) {
            Some(Value::List(items)) => items.len(),
            Some(_) => 1,
            None => 0,
        }
    }

    /// Note that a key was replaced, if it is there.
    pub fn refuse_replaced(&mut self, key: &'static str, by: &str) {
        if let Some((written, _)) = self.table.entry(key) {
            self.known.push(key);
            let title = format!("unknown key `{key}` in {}", self.what);
            let complaint = Diagnostic::new(Code::UnknownKey, title, written.span);
            self.context.complain(complaint.label("this key has been replaced").tip(format!("use {by}")));
        }
    }

    /// Note that what a key holds has been refused, if it is there.
    pub(crate) fn mark_wrong(&mut self, key: &'static str) {
        if self.has(key) {
            self.wrong.push(key);
        }
    }

    /// Whether the value of a key was refused when it was read.
    pub fn is_wrong(&self, key: &str) -> bool {
        self.wrong.contains(&key)
    }

    /// The value made from a key; `None` when that failed, which is noted.
    pub fn accept<T>(&mut self, key: &'static str, value: Result<T, Complaint>) -> Option<T> {
        value.map_err(|complaint| self.refuse_value(key, complaint)).ok()
    }

    /// Note that a key is missing.
    pub fn missing(&self, key: &str) {
        let title = format!("{} has no `{key}`", self.what);
        let unknown = self.table.iter().map(|(key, _)| key.name.as_str());
        let meant =
            unknown.filter(|name| !self.known.contains(name)).find(|name| nearest(name, [key]).is_some());
        let tip = meant.map(|name| format!("is `{name}` a misspelling of it?"));
        let complaint =
            Diagnostic::new(Code::Missing, title, self.span).label(format!("`{key}` is missing here"));
        self.context.complain(complaint.tips(tip));
    }

    /// Note that a key is missing, unless it is there.
    pub fn need(&self, key: &str) {
        if !self.has(key) {
            self.missing(key);
        }
    }

    /// What messages call the table under a key, or one of several.
    fn name_of(&self, key: &str, place: Option<usize>) -> String {
        let number = place.map(|place| format!(" {}", place + 1)).unwrap_or_default();
        if [WHOLE, FILE].contains(&self.what.as_str()) {
            format!("{key}{number}")
        } else {
            format!("{key}{number} of {}", self.what)
        }
    }

    /// Where the first of these keys has its value; the table itself when none is there.
    pub fn span_of(&mut self, keys: &[&'static str]) -> Span {
        keys.iter().find_map(|key| self.node(key)).map_or(self.span, |node| node.span)
    }

    /// Note that the value of a key is wrong.
    pub fn refuse(&self, key: &str, span: Span, complaint: Complaint) {
        if complaint.label.is_empty() {
            return;
        }
        let title = format!("invalid `{key}` in {}", self.what);
        let span = complaint.span.unwrap_or(span);
        let diagnostic = Diagnostic::new(complaint.code, title, span);
        self.context.complain(diagnostic.label(complaint.label).tips(complaint.tips));
    }

    /// Note that the value of a key is wrong as a whole.
    pub fn refuse_value(&mut self, key: &'static str, complaint: Complaint) {
        let span = self.span_of(&[key]);
        self.refuse(key, span, complaint);
    }

    /// Do not refuse keys that were not requested, because it is unknown which keys there are.
    pub fn leave_unfinished(&mut self) {
        self.is_unfinished = true;
    }

    /// Refuse every key that was not requested.
    pub fn finish(self) {
        if self.is_unfinished {
            return;
        }
        for (key, _) in self.table.iter() {
            if self.known.contains(&key.name.as_str()) {
                continue;
            }
            let title = format!("unknown key `{}` in {}", key.name, self.what);
            let mut known = self.known.clone();
            known.sort_unstable();
            let tip = suggestion("key", &key.name, &known);
            self.context
                .complain(Diagnostic::new(Code::UnknownKey, title, key.span).label("no such key").tips(tip));
        }
    }
}

/// A string.
///
/// # Errors
/// When the value is anything else.
pub fn text(node: &Node) -> Result<String, Complaint> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        other => Err(Complaint::expected("a string", other)),
    }
}

/// `true` or `false`.
///
/// # Errors
/// When the value is anything else.
pub fn boolean(node: &Node) -> Result<bool, Complaint> {
    match &node.value {
        Value::Boolean(truth) => Ok(*truth),
        other => Err(Complaint::expected("true or false", other)),
    }
}

/// A whole number within bounds.
pub fn integer(least: i64, most: i64) -> impl Fn(&Node) -> Result<i64, Complaint> {
    move |node| match &node.value {
        Value::Integer(number) if (least..=most).contains(number) => Ok(*number),
        Value::Integer(_) => Err(Complaint::out_of_bounds(format!("must be between {least} and {most}"))),
        other => Err(Complaint::expected("a whole number", other)),
    }
}

/// A number within bounds.
pub fn number(least: f64, most: f64) -> impl Fn(&Node) -> Result<f64, Complaint> {
    move |node| {
        let number = match &node.value {
            Value::Integer(number) => *number as f64,
            Value::Float(number) => *number,
            other => return Err(Complaint::expected("a number", other)),
        };
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        Err(Complaint::out_of_bounds(format!("must be between {least} and {most}")))
    }
}

/// A list, each item read alike; a single item counts as a list of one.
pub fn list<T>(read: impl Fn(&Node) -> Result<T, Complaint>) -> impl Fn(&Node) -> Result<Vec<T>, Complaint> {
    move |node| match &node.value {
        Value::List(items) => {
            items.iter().map(|item| read(item).map_err(|complaint| complaint.at(item.span))).collect()
        }
        _ => read(node).map(|item| vec![item]),
    }
}
