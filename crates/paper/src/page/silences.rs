//! Where a paper is silent, and what was read into it.

use crate::deviations::Deviations;
use seamline_report::paper::{Entry, Listing, Part, Section};

/// All readings with their reasons.
pub(super) fn section(deviations: &Deviations) -> Section {
    let columns =
        ["The paper does not say", "Read as", "Because", "Other readings tried", "Key of the scenario"];
    let rows = deviations.deviation.iter().map(|deviation| {
        let tried: Vec<&str> = deviation.r#try.iter().map(|other| other.reading.as_str()).collect();
        let tried = if tried.is_empty() { "–".to_owned() } else { tried.join("; ") };
        vec![
            Entry::Named(deviation.id.clone(), deviation.silent.clone()),
            Entry::Plain(deviation.reading.clone()),
            Entry::Plain(deviation.reason.clone()),
            Entry::Plain(tried),
            Entry::Code(deviation.key.clone()),
        ]
    });
    let listing = Listing { columns: columns.map(str::to_owned).to_vec(), words: 5, rows: rows.collect() };
    Section {
        id: "silences",
        title: "What was read into the paper, and why".to_owned(),
        parts: vec![Part::Table(listing)],
    }
}
