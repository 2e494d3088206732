//! `--set key=value`: a value from the command line that replaces the file's.

use crate::codes::Code;
use crate::diagnostics::Diagnostic;
use crate::document::{Node, Table, Value, parse_value};
use crate::grid::Grid;
use crate::path;
use crate::source::{SourceId, Sources};

/// Apply the `--set` argument with the source `id`. A key that varies in the grid stops varying; `grid.key=[...]`
/// replaces its values.
pub fn apply(
    sources: &Sources,
    id: SourceId,
    root: &mut Table,
    grid: &mut Grid,
    complaints: &mut Vec<Diagnostic>,
) {
    let text = &sources.get(id).text;
    let Some((key, value)) = text.split_once('=') else {
        let whole = id.span(0..text.len());
        complaints.push(
            Diagnostic::new(Code::BadOverride, "expected key=value", whole)
                .tip("write --set link.name.rate=\"2 Mbit/s\""),
        );
        return;
    };
    let span = id.span(0..key.len());
    let key = key.trim();
    let node = read_value(id, value, span.end + 1);
    if let Some(path) = key.strip_prefix("grid.") {
        return match node.value {
            Value::List(values) if !values.is_empty() => grid.replace(path, span, Some(values)),
            _ => complaints.push(Diagnostic::new(
                Code::GridShape,
                "a grid key takes a list of values",
                node.span,
            )),
        };
    }
    grid.replace(key, span, None);
    if let Err(complaint) = path::set(root, key, span, node) {
        complaints.push(complaint);
    }
}

/// Parse a TOML value; anything else is an unquoted string.
fn read_value(id: SourceId, text: &str, offset: usize) -> Node {
    let offset = offset + text.len() - text.trim_start().len();
    let text = text.trim();
    let span = id.span(offset..offset + text.len());
    parse_value(id, text, offset).unwrap_or_else(|| Node { span, value: Value::Text(text.to_owned()) })
}
