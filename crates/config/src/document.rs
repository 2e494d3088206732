//! A scenario file as a tree of values with their positions.

use crate::codes::Code;
use crate::diagnostics::Diagnostic;
use crate::source::{SourceId, Span};
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it is written.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// The TOML values that a scenario may use.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text; also every quantity with a unit.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Table),
    /// A date or a time of day, which no key takes.
    Date,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Where it is written.
    pub span: Span,
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct Table {
    entries: Vec<(Key, Node)>,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|(_, node)| node)
    }
    /// A key and its value.
    pub fn entry(&self, name: &str) -> Option<(&Key, &Node)> {
        self.iter().find(|(key, _)| key.name == name)
    }
    /// Mutable access to the value of a key.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.entries.iter_mut().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }
    /// Set a key, replacing an old value.
    pub fn set(&mut self, key: Key, node: Node) {
        match self.entries.iter_mut().find(|(old, _)| old.name == key.name) {
            Some(entry) => *entry = (key, node),
            None => self.entries.push((key, node)),
        }
    }
    /// Remove a key.
    pub fn remove(&mut self, name: &str) -> Option<(Key, Node)> {
        let place = self.entries.iter().position(|(key, _)| key.name == name)?;
        Some(self.entries.remove(place))
    }
    /// The same for JSON.
    pub fn to_json(&self) -> serde_json::Map<String, serde_json::Value> {
        self.iter().map(|(key, node)| (key.name.clone(), node.value.to_json())).collect()
    }
    /// All keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Node)> {
        self.entries.iter().map(|(key, node)| (key, node))
    }
}

impl Value {
    /// The kind of value, with its article, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a string",
            Value::Integer(_) | Value::Float(_) => "a number",
            Value::Boolean(_) => "a boolean",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Date => "a date",
        }
    }
    /// The same for JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Text(text) => text.as_str().into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Boolean(truth) => (*truth).into(),
            Value::List(items) => items.iter().map(|item| item.value.to_json()).collect(),
            Value::Table(table) => serde_json::Value::Object(table.to_json()),
            Value::Date => serde_json::Value::Null,
        }
    }
}

/// Formats the value for tables: strings without quotation marks.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number}"),
            Value::Boolean(truth) => write!(f, "{truth}"),
            Value::List(items) => {
                let items: Vec<String> = items.iter().map(|item| item.value.to_string()).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Value::Table(table) => {
                let entries: Vec<String> =
                    table.iter().map(|(key, node)| format!("{} = {}", key.name, node.value)).collect();
                write!(f, "{{ {} }}", entries.join(", "))
            }
            Value::Date => f.write_str("a date"),
        }
    }
}

/// Parse a TOML text. Returns everything that could be parsed, and the errors.
pub fn parse(source: SourceId, text: &str) -> (Table, Vec<Diagnostic>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut complaints: Vec<Diagnostic> = errors
        .iter()
        .map(|error| {
            let range = error.span().unwrap_or(0..0);
            let complaint = Diagnostic::new(Code::NotToml, "this is not valid TOML", source.span(range));
            complaint.label(error.message().trim())
        })
        .collect();
    let table = convert_table(source, table.get_ref(), &mut complaints);
    (table, complaints)
}

/// Parse one TOML value, the right-hand side of a `--set`; `None` when it is not TOML. `offset` is the position of
/// the value in its source.
pub fn parse_value(source: SourceId, text: &str, offset: usize) -> Option<Node> {
    let value = DeValue::parse(text).ok()?;
    let mut complaints = Vec::new();
    let mut node = convert(source, &value, &mut complaints);
    shift(&mut node, offset);
    complaints.is_empty().then_some(node)
}

fn shift(node: &mut Node, offset: usize) {
    node.span.start += offset;
    node.span.end += offset;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| shift(item, offset)),
        Value::Table(table) => table.entries.iter_mut().for_each(|(key, node)| {
            key.span.start += offset;
            key.span.end += offset;
            shift(node, offset);
        }),
        _ => {}
    }
}

fn convert_table(source: SourceId, table: &DeTable<'_>, complaints: &mut Vec<Diagnostic>) -> Table {
    let mut entries: Vec<(Key, Node)> = table
        .iter()
        .map(|(key, value)| {
            let key = Key { name: key.get_ref().to_string(), span: source.span(key.span()) };
            (key, convert(source, value, complaints))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    Table { entries }
}

fn convert(source: SourceId, value: &Spanned<DeValue<'_>>, complaints: &mut Vec<Diagnostic>) -> Node {
    let span = source.span(value.span());
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            Err(_) => {
                complaints.push(Diagnostic::new(Code::OutOfBounds, "this number is too large", span));
                Value::Integer(0)
            }
        },
        DeValue::Float(number) => Value::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Value::Boolean(*truth),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| convert(source, item, complaints)).collect())
        }
        DeValue::Table(table) => Value::Table(convert_table(source, table, complaints)),
    };
    Node { span, value }
}
