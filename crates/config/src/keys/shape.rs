//! What keys are, as plain data.

use crate::units::Quantity;

/// What a value may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Any text.
    Text,
    /// A name of something in the file.
    Name,
    /// `true` or `false`.
    Boolean,
    /// A whole number within bounds.
    Integer {
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// A number within bounds.
    Number {
        /// The smallest.
        least: f64,
        /// The largest.
        most: f64,
    },
    /// A number with its unit, or one of these words.
    Quantity(Quantity, &'static [&'static str]),
    /// One of these names.
    Choice(Vec<Choice>),
    /// One of these names, or another one: some of those, and what they are.
    OpenChoice(Vec<Choice>, &'static [&'static str], &'static str),
    /// A value, or a list of such values.
    OneOrMany(Box<Shape>),
    /// A value, or a list of the lowest and the highest.
    Range(Box<Shape>),
    /// A list of two values.
    Pair(Box<Shape>),
    /// A table.
    Table(TableShape),
    /// A JSON Schema of the value, and its name in text.
    Other(serde_json::Value, &'static str),
}

/// A name to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The name.
    pub name: &'static str,
    /// What it is; may be empty.
    pub about: &'static str,
    /// Its source; may be empty.
    pub cite: &'static str,
    /// Whether only comparisons with older work need it: lists, the reference and the JSON Schema leave it out.
    pub is_historical: bool,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableShape {
    /// The name under which it is described once.
    pub definition: Option<&'static str>,
    /// A remark about the whole table; may be empty.
    pub about: &'static str,
    /// Its keys.
    pub keys: Vec<KeyShape>,
}

/// A key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyShape {
    /// The key.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What it takes.
    pub takes: Shape,
    /// Its value when it is absent, as it would be written.
    pub default: Option<String>,
    /// Whether the table needs it.
    pub is_required: bool,
    /// Whether only comparisons with older work need it, as for a [`Choice`].
    pub is_historical: bool,
    /// The further keys that each value of this one brings.
    pub kinds: Vec<KindShape>,
}

/// The keys of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindShape {
    /// Its name, what it is, and its source.
    pub choice: Choice,
    /// Its own keys.
    pub table: TableShape,
}

impl Choice {
    /// A name alone.
    pub const fn bare(name: &'static str) -> Self {
        Choice { name, about: "", cite: "", is_historical: false }
    }
}

impl From<(&'static str, &'static str, &'static str)> for Choice {
    fn from((name, about, cite): (&'static str, &'static str, &'static str)) -> Self {
        Choice { about, cite, ..Choice::bare(name) }
    }
}

impl From<(&'static str, &'static str)> for Choice {
    fn from((name, about): (&'static str, &'static str)) -> Self {
        Choice { about, ..Choice::bare(name) }
    }
}

impl KeyShape {
    /// An optional key without a default.
    pub fn new(name: &'static str, about: &'static str, takes: Shape) -> Self {
        let (is_required, is_historical) = (false, false);
        KeyShape { name, about, takes, default: None, is_required, is_historical, kinds: Vec::new() }
    }
}

impl TableShape {
    /// A key by its name, those of all kinds included.
    pub fn key(&self, name: &str) -> Option<&KeyShape> {
        let kinds = || self.keys.iter().flat_map(|key| &key.kinds);
        let own = self.keys.iter().find(|key| key.name == name);
        own.or_else(|| kinds().find_map(|kind| kind.table.key(name)))
    }

    /// Without the keys and names that only comparisons with older work need.
    pub fn drop_historical(&mut self) {
        self.keys.retain(|key| !key.is_historical);
        for key in &mut self.keys {
            key.takes.drop_historical();
            key.kinds.iter_mut().for_each(|kind| kind.table.drop_historical());
        }
    }
}

impl Shape {
    fn drop_historical(&mut self) {
        match self {
            Shape::Choice(choices) | Shape::OpenChoice(choices, ..) => {
                choices.retain(|choice| !choice.is_historical)
            }
            Shape::OneOrMany(item) | Shape::Range(item) | Shape::Pair(item) => item.drop_historical(),
            Shape::Table(table) => table.drop_historical(),
            _ => {}
        }
    }

    /// The table that a value is, or that each item of a list is.
    pub fn table(&self) -> Option<&TableShape> {
        match self {
            Shape::Table(table) => Some(table),
            Shape::OneOrMany(item) => item.table(),
            _ => None,
        }
    }

    /// The names to choose from, if it is a choice.
    pub fn choices(&self) -> Option<&[Choice]> {
        match self {
            Shape::Choice(choices) | Shape::OpenChoice(choices, ..) => Some(choices),
            _ => None,
        }
    }

    /// The description of such a value in text.
    pub fn text(&self) -> String {
        match self {
            Shape::Text => "text".to_owned(),
            Shape::Name => "name".to_owned(),
            Shape::Boolean => "`true` or `false`".to_owned(),
            Shape::Integer { least, most } if *most == i64::MAX => format!("whole number from {least}"),
            Shape::Integer { least, most } => format!("whole number, {least} to {most}"),
            Shape::Number { least, most } => format!("number, {least} to {most}"),
            Shape::Quantity(quantity, words) => {
                let words: String = words.iter().map(|word| format!(", or `\"{word}\"`")).collect();
                quantity.name().to_owned() + &words
            }
            Shape::Choice(choices) => {
                let names: Vec<String> =
                    choices.iter().map(|choice| format!("`\"{}\"`", choice.name)).collect();
                names.join(", ")
            }
            Shape::OpenChoice(choices, _, others) => {
                format!("{}; or {others}", Shape::Choice(choices.clone()).text())
            }
            Shape::OneOrMany(item) if item.table().is_some() => "table, or list of tables".to_owned(),
            Shape::OneOrMany(item) => format!("{}; or a list", item.text()),
            Shape::Range(item) => format!("{}; or `[lowest, highest]`", item.text()),
            Shape::Pair(item) => format!("list of two: {}", item.text()),
            Shape::Table(_) => "table".to_owned(),
            Shape::Other(_, text) => (*text).to_owned(),
        }
    }
}
