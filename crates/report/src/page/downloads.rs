//! The data of a standalone page: embedded in it, to be saved from it.

use super::html;
use crate::escape::json_in_script;
use crate::export::{self, table::Table};
use crate::provenance::Provenance;
use std::fmt::Write;

/// The section with its data. The script of the page makes files of them.
pub(crate) fn downloads(tables: &[Table], provenance: &Provenance) -> String {
    let mut data = comments(provenance);
    let mut buttons = String::new();
    for table in tables.iter().filter(|table| table.rows() > 0) {
        let name = table.name;
        let json = export::json(table, provenance);
        let _ = writeln!(
            data,
            "<script type=\"application/json\" id=\"table-{name}\">{}</script>",
            json_in_script(json.trim_end())
        );
        for ending in ["csv", "json"] {
            let _ = write!(
                buttons,
                "<button type=\"button\" class=\"save\" data-table=\"{name}\" data-as=\"{ending}\">{name}.{ending}</button>"
            );
        }
    }
    let content = format!(
        "<p class=\"caption\">This page contains its data. <code>--report DIR</code> writes it next to the page, including \
         Parquet and every segment.</p><div class=\"controls\" id=\"downloads\" hidden>{buttons}</div>\n\
         <noscript><p>Saving needs JavaScript.</p></noscript>\n{data}"
    );
    html::section("numbers", "Save the data", content)
}

/// The comment lines that every CSV file begins with.
fn comments(provenance: &Provenance) -> String {
    let text = serde_json::Value::from(export::comments(provenance)).to_string();
    let begin = "<script type=\"application/json\" id=\"csv-comments\">";
    format!("{begin}{}</script>\n", json_in_script(&text))
}
