//! Dotted keys such as `link.space.rate`, as used by the grid and `--set`. An element of a list of named tables
//! (`[[link]]`) is addressed by name, of unnamed tables by kind.

use crate::codes::Code;
use crate::diagnostics::{Diagnostic, suggestion};
use crate::document::{Key, Node, Table, Value};
use crate::source::Span;

/// Set the value that a dotted key addresses. Missing tables on the way are created at `span`, so that the reader of
/// the result rejects unknown ones there.
///
/// # Errors
/// When the key leads through something that is not a table, or to a name that does not exist.
pub fn set(table: &mut Table, path: &str, span: Span, value: Node) -> Result<(), Diagnostic> {
    let mut table = table;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        if part.is_empty() {
            return Err(Diagnostic::new(Code::BadPath, format!("`{path}` is not a dotted key"), span));
        }
        if parts.peek().is_none() {
            table.set(Key { name: part.to_owned(), span }, value);
            return Ok(());
        }
        if table.get(part).is_none() {
            let made = Node { span, value: Value::Table(Table::default()) };
            table.set(Key { name: part.to_owned(), span }, made);
        }
        let node = table.get_mut(part).map(|node| &mut node.value);
        table = match node {
            Some(Value::Table(inner)) => inner,
            Some(Value::List(items)) => item(items, part, parts.next().unwrap_or_default(), span)?,
            _ => {
                return Err(Diagnostic::new(
                    Code::BadPath,
                    format!("`{path}`: `{part}` is not a table"),
                    span,
                ));
            }
        };
        if parts.peek().is_none() {
            let title = format!("`{path}` is a whole table");
            return Err(Diagnostic::new(Code::BadPath, title, span).label("append the key to set"));
        }
    }
    Ok(())
}

/// The table with this name in a list.
fn item<'a>(items: &'a mut [Node], list: &str, name: &str, span: Span) -> Result<&'a mut Table, Diagnostic> {
    let Some(place) = items.iter().position(|item| name_of(item) == Some(name)) else {
        let names: Vec<&str> = items.iter().filter_map(name_of).collect();
        let title = format!("no {list} is named `{name}`");
        return Err(Diagnostic::new(Code::UnknownName, title, span).tips(suggestion("name", name, &names)));
    };
    match &mut items[place].value {
        Value::Table(table) => Ok(table),
        _ => Err(Diagnostic::new(Code::BadPath, format!("`{list}` is not a list of tables"), span)),
    }
}

fn name_of(node: &Node) -> Option<&str> {
    let Value::Table(table) = &node.value else { return None };
    match &table.get("name").or_else(|| table.get("kind"))?.value {
        Value::Text(name) => Some(name),
        _ => None,
    }
}
