//! Row by row comparison of a reference trace with ours.

use super::trace::{Row, VARIABLES};

/// Most that two times may differ, in seconds: ns-2 prints microseconds.
const TIME_TOLERANCE: f64 = 2e-6 + 1e-12;
/// Rows shown before and after a difference.
const CONTEXT: usize = 3;

/// The first place where two traces differ.
#[derive(Debug)]
pub(super) struct Difference {
    /// Index of the row.
    pub(super) row: usize,
    /// Name of the column; "row" when one trace has no such row.
    pub(super) column: &'static str,
    pub(super) theirs: String,
    pub(super) ours: String,
}

/// How two traces compare.
#[derive(Debug)]
pub(super) struct Verdict {
    /// First difference in time, event, sequence number or congestion window.
    pub(super) difference: Option<Difference>,
    /// First difference in the remaining columns, among rows that agree otherwise.
    pub(super) other_difference: Option<Difference>,
}

pub(super) fn rows(theirs: &[Row], ours: &[Row]) -> Verdict {
    let other_difference = theirs.iter().zip(ours).enumerate().find_map(|(n, (a, b))| other_columns(n, a, b));
    let difference = theirs
        .iter()
        .zip(ours)
        .enumerate()
        .find_map(|(n, (a, b))| main_columns(n, a, b))
        .or_else(|| missing_row(theirs, ours));
    Verdict { difference, other_difference }
}

fn main_columns(row: usize, a: &Row, b: &Row) -> Option<Difference> {
    let differ = |column, theirs: String, ours: String| Some(Difference { row, column, theirs, ours });
    if (a.time - b.time).abs() > TIME_TOLERANCE {
        return differ("time", format!("{:.6}", a.time), format!("{:.6}", b.time));
    }
    if a.kind != b.kind {
        return differ("event", a.kind.name().to_owned(), b.kind.name().to_owned());
    }
    if a.seq != b.seq {
        return differ("seq", a.seq.to_string(), b.seq.to_string());
    }
    variable(row, 0, a, b)
}

fn other_columns(row: usize, a: &Row, b: &Row) -> Option<Difference> {
    (1..VARIABLES.len()).find_map(|n| variable(row, n, a, b))
}

/// Whether `theirs`, printed with `decimals`, is `ours`; always when it had not been reported yet.
pub(super) fn same_as_printed(decimals: usize, theirs: f64, ours: f64) -> bool {
    let half_unit = (0..decimals).fold(0.5, |unit, _| unit / 10.0);
    theirs.is_nan() || (theirs - ours).abs() <= half_unit * (1.0 + 1e-6) + theirs.abs() * 1e-12
}

fn variable(row: usize, n: usize, a: &Row, b: &Row) -> Option<Difference> {
    let ((column, decimals), theirs, ours) = (VARIABLES[n], a.variables[n], b.variables[n]);
    if same_as_printed(decimals, theirs, ours) {
        return None;
    }
    Some(Difference { row, column, theirs: format!("{theirs:.decimals$}"), ours: format!("{ours:.5}") })
}

fn missing_row(theirs: &[Row], ours: &[Row]) -> Option<Difference> {
    if theirs.len() == ours.len() {
        return None;
    }
    let row = theirs.len().min(ours.len());
    let show = |rows: &[Row]| rows.get(row).map_or("(no such row)".to_owned(), Row::to_string);
    Some(Difference { row, column: "row", theirs: show(theirs), ours: show(ours) })
}

/// Both traces around a row, side by side.
pub(super) fn context(theirs: &[Row], ours: &[Row], row: usize, first_line: usize) -> Vec<String> {
    let width = 62;
    let show = |rows: &[Row], n: usize| rows.get(n).map_or("-".to_owned(), Row::to_string);
    (row.saturating_sub(CONTEXT)..=row + CONTEXT)
        .filter(|n| *n < theirs.len().max(ours.len()))
        .map(|n| {
            let mark = if n == row { '>' } else { ' ' };
            format!("{mark}{:>5}  {:<width$}| {}", n + first_line, show(theirs, n), show(ours, n))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::trace::Kind;
    use super::*;

    fn row(time: f64, kind: Kind, seq: i64, cwnd: f64) -> Row {
        Row { time, kind, seq, variables: [cwnd, 28.0, 0.0, 0.2, 0.1, 1.0] }
    }

    #[test]
    fn each_column_can_differ() {
        let base = [row(1.0, Kind::Send, 5, 2.125)];
        let column = |other: Row| rows(&base, &[other]).difference.map(|d| d.column);
        assert_eq!(column(row(1.000_002, Kind::Send, 5, 2.125_4)), None);
        assert_eq!(column(row(1.000_003, Kind::Send, 5, 2.125)), Some("time"));
        assert_eq!(column(row(1.0, Kind::Rexmit, 5, 2.125)), Some("event"));
        assert_eq!(column(row(1.0, Kind::Send, 6, 2.125)), Some("seq"));
        assert_eq!(column(row(1.0, Kind::Send, 5, 2.126)), Some("cwnd"));
        assert_eq!(rows(&base, &[]).difference.map(|d| d.column), Some("row"));
        let mut other = base[0];
        other.variables[5] = 2.0;
        let verdict = rows(&base, &[other]);
        assert!(verdict.difference.is_none());
        assert_eq!(verdict.other_difference.map(|d| d.column), Some("backoff"));
    }

    #[test]
    fn unreported_values_match_anything() {
        assert!(
            rows(&[row(0.0, Kind::Send, 0, f64::NAN)], &[row(0.0, Kind::Send, 0, 1.0)]).difference.is_none()
        );
    }
}
