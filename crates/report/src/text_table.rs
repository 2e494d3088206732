//! Tables as text: aligned columns for a terminal, Markdown for a page.

/// A table of words. Every row has as many cells as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// So many columns from the left are aligned left, the others right.
    pub left: usize,
}

impl TextTable {
    /// A table without rows.
    pub fn new(left: usize, head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        TextTable { head: head.into_iter().map(Into::into).collect(), rows: Vec::new(), left }
    }

    /// Add a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The table with these rows.
    #[must_use]
    pub fn with(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// The head and the rows as aligned lines, each behind `indent`.
    pub fn to_text(&self, indent: &str) -> String {
        self.to_lines()
            .into_iter()
            .map(|line| format!("{indent}{line}").trim_end().to_owned() + "\n")
            .collect()
    }

    /// The head and the rows as aligned lines.
    pub fn to_lines(&self) -> Vec<String> {
        let rows: Vec<&[String]> = [&self.head].into_iter().chain(&self.rows).map(Vec::as_slice).collect();
        aligned(&rows, self.left)
    }

    /// As a table in Markdown.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = |column| if column < self.left { "---" } else { "---:" }.to_owned();
        let rule: Vec<String> = (0..self.head.len()).map(rule).collect();
        let rows = [&self.head, &rule].into_iter().chain(&self.rows);
        rows.map(|row| line(row)).collect()
    }
}

/// Rows as lines with aligned columns, two spaces apart: the first `left` columns are aligned left, the others right. All rows have as many
/// cells.
pub fn aligned<Row: AsRef<[String]>>(rows: &[Row], left: usize) -> Vec<String> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let width =
        |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Row| {
        let cells = row.as_ref().iter().zip(&widths).enumerate().map(|(place, (cell, &width))| {
            if place < left { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
