//! Tables of features that papers print, compared with the traits that the schemes and agents declare.

use seamline_report::text_table::TextTable;
use seamline_tcp::handover::{self, Traits};

/// The feature of a row.
type Feature = fn(&Traits) -> bool;

/// A row: its name in the paper, its field of [`Traits`], the paper's entries.
type Row = (&'static str, Feature, [bool; 4]);

/// The columns of Table 1 of paper ehn-2004.
pub const TABLE_1_SYSTEMS: [&str; 4] = ["I-TCP", "Snoop", "Freeze TCP", "TCP with EHN"];

/// Its rows.
pub const TABLE_1: [Row; 8] = [
    ("Handover support", |t| t.supports_handover, [false, false, true, true]),
    ("High BER robustness", |t| t.robust_to_bit_errors, [true, true, false, false]),
    ("Encrypted traffic support", |t| t.supports_encrypted_traffic, [false, false, true, true]),
    ("Need intermediate node", |t| t.needs_intermediate_node, [true, true, false, false]),
    ("End-to-end semantics", |t| t.keeps_end_to_end_semantics, [false, false, true, true]),
    ("Long disconnection robustness", |t| t.robust_to_long_disconnection, [false, false, true, true]),
    (
        "ACKs can be routed along different paths from data",
        |t| t.acknowledgments_may_take_another_path,
        [false, false, true, true],
    ),
    ("Need impending disconnection prediction", |t| t.needs_prediction, [false, false, true, false]),
];

/// The traits that the systems of the columns declare.
fn traits() -> Option<[Traits; 4]> {
    let scheme = |name| handover::find(name).map(|scheme| scheme.traits);
    let agent = |name| seamline_agent::find(name).map(|kind| kind.traits);
    Some([agent("split")?, agent("snoop")?, scheme("freeze")?, scheme("ehn")?])
}

/// How many entries of a table agree with the paper; `None` for an unknown table.
pub fn matches(table: &str) -> Option<f64> {
    let rows = if table == "table1" { rows() } else { Vec::new() };
    let agreeing = rows.iter().flat_map(|(_, entries)| entries).filter(|(own, paper)| own == paper).count();
    (!rows.is_empty()).then_some(agreeing as f64)
}

/// A row of a table: its name, and for each system the own entry and the paper's.
pub type Compared = (&'static str, [(bool, bool); 4]);

/// Table 1: the traits that the schemes declare, and the paper's.
pub fn rows() -> Vec<Compared> {
    let Some(traits) = traits() else { return Vec::new() };
    let row = |(name, feature, paper): Row| {
        (name, std::array::from_fn(|system| (feature(&traits[system]), paper[system])))
    };
    TABLE_1.into_iter().map(row).collect()
}

/// `yes`, or `yes [paper: no]` where they differ.
pub fn entry((own, paper): (bool, bool)) -> String {
    let word = |yes: bool| if yes { "yes" } else { "no" };
    if own == paper { word(own).to_owned() } else { format!("{} [paper: {}]", word(own), word(paper)) }
}

/// Table 1 as text; where the paper differs, its entry follows in brackets.
pub fn table_1() -> String {
    let rows = rows()
        .into_iter()
        .map(|(name, entries)| std::iter::once(name.to_owned()).chain(entries.map(entry)).collect());
    TextTable::new("lr", [""].into_iter().chain(TABLE_1_SYSTEMS)).with(rows).to_text()
}
