//! Tables as text: aligned columns for a terminal, Markdown for a page.

/// A table of text. Every row has as many cells as the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    alignment: &'static str,
}

impl TextTable {
    /// A table without rows. The alignment is as for [`aligned`].
    pub fn new(alignment: &'static str, head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        TextTable { head: head.into_iter().map(Into::into).collect(), rows: Vec::new(), alignment }
    }

    /// With these rows after the others.
    #[must_use]
    pub fn with(mut self, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        self.rows.extend(rows);
        self
    }

    /// The head and the rows as aligned lines.
    pub fn lines(&self) -> Vec<String> {
        let rows: Vec<&[String]> = [&self.head].into_iter().chain(&self.rows).map(Vec::as_slice).collect();
        aligned(&rows, self.alignment)
    }

    /// The lines, each indented by two spaces.
    pub fn to_text(&self) -> String {
        indented(&self.lines())
    }

    /// As a table in Markdown.
    pub fn to_markdown(&self) -> String {
        let rule = |column| if is_right(self.alignment, column) { "---:" } else { "---" }.to_owned();
        let rule: Vec<String> = (0..self.head.len()).map(rule).collect();
        let rows = [&self.head, &rule].into_iter().chain(&self.rows);
        rows.map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
    }
}

/// Rows as lines with aligned columns, two spaces apart. The alignment has a letter for each column, `l` or `r`; the last one holds for all
/// further columns. All rows have as many cells.
pub fn aligned<Row: AsRef<[String]>>(rows: &[Row], alignment: &str) -> Vec<String> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let width =
        |column: usize| rows.iter().map(|row| row.as_ref()[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Row| {
        let cells = row.as_ref().iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if is_right(alignment, column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Lines as a string, each indented by two spaces.
pub fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}

fn is_right(alignment: &str, column: usize) -> bool {
    alignment.chars().nth(column).or(alignment.chars().last()) == Some('r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let table =
            TextTable::new("lr", ["", "a", "µs"]).with([row(["long", "1", "23"]), row(["x", "", ""])]);
        assert_eq!(table.to_text(), "        a  µs\n  long  1  23\n  x\n");
        assert_eq!(
            table.to_markdown(),
            "|  | a | µs |\n| --- | ---: | ---: |\n| long | 1 | 23 |\n| x |  |  |\n"
        );
    }
}
