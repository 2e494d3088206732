//! A table as columns.

/// A table: columns of the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What it is called.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it is called, with its unit.
    pub name: String,
    /// What is in it.
    pub data: Data,
}

/// The values of a column; `None` is an empty cell.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Data {
    /// Words.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Other numbers.
    Real(Vec<Option<f64>>),
    /// Yes or no.
    Truth(Vec<bool>),
}

impl Data {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Text(values) => values.len(),
            Data::Whole(values) => values.len(),
            Data::Real(values) => values.len(),
            Data::Truth(values) => values.len(),
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// A table without columns.
    pub fn new(name: &'static str) -> Self {
        Table { name, columns: Vec::new() }
    }
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }
    /// With a column of words.
    #[must_use]
    pub fn text(self, name: impl Into<String>, values: impl Iterator<Item = String>) -> Self {
        self.with(name, Data::Text(values.map(Some).collect()))
    }
    /// With a column of whole numbers. What does not fit into 63 bits is left empty.
    #[must_use]
    pub fn whole(self, name: impl Into<String>, values: impl Iterator<Item = u64>) -> Self {
        self.with(name, Data::Whole(values.map(|value| i64::try_from(value).ok()).collect()))
    }
    /// With a column of numbers that may be absent. What is not finite is left empty.
    #[must_use]
    pub fn real(self, name: impl Into<String>, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.with(name, Data::Real(values.map(|value| value.filter(|value| value.is_finite())).collect()))
    }
    /// With a column of truths.
    #[must_use]
    pub fn truth(self, name: impl Into<String>, values: impl Iterator<Item = bool>) -> Self {
        self.with(name, Data::Truth(values.collect()))
    }

    /// With any column.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, data: Data) -> Self {
        self.columns.push(Column { name: name.into(), data });
        self
    }
}
