//! Columns of text for a terminal.

/// Rows as lines whose columns stand below each other: the first `left` begin there, the others end there. All rows have as many columns.
pub fn aligned(rows: &[Vec<String>], left: usize) -> Vec<String> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let words = row.iter().zip(&widths).enumerate().map(|(place, (word, &width))| {
            if place < left { format!("{word:<width$}") } else { format!("{word:>width$}") }
        });
        words.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
