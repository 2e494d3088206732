//! The grid of an experiment: dotted keys, their values, and the product of all axes.

use crate::codes::Code;
use crate::diagnostics::Diagnostic;
use crate::document::{Node, Table, Value};
use crate::source::Span;

/// More grid cells than this are treated as a mistake.
const MOST_CELLS: usize = 100_000;

/// The role of a variable in a grid cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sets a key and is part of the grid cell's name.
    Sets,
    /// It sets a key; the label of its group is part of the grid cell's name instead.
    SetsUnnamed,
    /// It is the label of its group and sets nothing.
    Names,
}

/// A dotted key that varies.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The key, such as `link.space.rate`, or the name of the group that it labels.
    pub path: String,
    /// Its role.
    pub role: Role,
    /// Its position in the grid table.
    pub span: Span,
    /// Its values.
    pub values: Vec<Node>,
}

/// Variables that change together: a single one, or those of a `zip` group.
#[derive(Clone, Debug)]
pub struct Axis(Vec<Variable>);

/// All axes; the slowest-varying is first.
#[derive(Clone, Debug, Default)]
pub struct Grid(Vec<Axis>);

/// The variables and their values at one point of the grid.
pub type Point<'a> = Vec<(&'a Variable, &'a Node)>;

impl Grid {
    /// Remove the table `[grid]` from a scenario and parse it.
    pub fn take(root: &mut Table, complaints: &mut Vec<Diagnostic>) -> Self {
        let Some((key, node)) = root.remove("grid") else { return Grid::default() };
        let Value::Table(mut table) = node.value else {
            complaints.push(
                Diagnostic::new(Code::GridShape, "`grid` is not a table", key.span).tip("write [grid]"),
            );
            return Grid::default();
        };
        let zips = table.remove("zip").map(|(_, node)| node);
        let mut grid = Grid::default();
        for variable in variables(&table, "", complaints) {
            grid.0.push(Axis(vec![variable]));
        }
        for group in zips.map(zip_groups).unwrap_or_default() {
            grid.add_zip(group, complaints);
        }
        grid.reject_duplicates(complaints);
        grid
    }

    fn add_zip(&mut self, group: Node, complaints: &mut Vec<Diagnostic>) {
        let Value::Table(mut table) = group.value else {
            let title = "a zip group is a table of keys that vary together";
            complaints.push(Diagnostic::new(Code::GridShape, title, group.span).tip("write [[grid.zip]]"));
            return;
        };
        let Some(label) = take_label(&mut table, complaints) else { return };
        let known = complaints.len();
        let mut group = variables(&table, "", complaints);
        if let Some(label) = label {
            if group.is_empty() && complaints.len() == known {
                let title = format!("the zip group `{}` has labels but no keys", label.path);
                let tip = "add the keys that vary together, each with one value per label";
                complaints.push(Diagnostic::new(Code::GridShape, title, label.span).tip(tip));
                return;
            }
            group.iter_mut().for_each(|variable| variable.role = Role::SetsUnnamed);
            group.insert(0, label);
        }
        let Some(first) = group.first() else { return };
        if let Some(other) = group.iter().find(|other| other.values.len() != first.values.len()) {
            let title = format!(
                "keys of one zip group need the same number of values: `{}` has {}, `{}` has {}",
                first.path,
                first.values.len(),
                other.path,
                other.values.len()
            );
            complaints.push(Diagnostic::new(Code::GridShape, title, other.span));
            return;
        }
        self.0.push(Axis(group));
    }

    fn reject_duplicates(&self, complaints: &mut Vec<Diagnostic>) {
        let mut seen: Vec<&str> = Vec::new();
        for variable in self.0.iter().flat_map(|axis| &axis.0) {
            if seen.contains(&variable.path.as_str()) {
                complaints.push(Diagnostic::new(
                    Code::GridShape,
                    format!("`{}` is in the grid twice", variable.path),
                    variable.span,
                ));
            }
            seen.push(&variable.path);
        }
    }

    /// Replace the values of a key, or with `None` stop varying it.
    pub fn replace(&mut self, path: &str, span: Span, values: Option<Vec<Node>>) {
        for axis in &mut self.0 {
            axis.0.retain(|variable| variable.path != path);
        }
        // A label without keys would repeat the same grid cell under other names.
        self.0.retain(|axis| axis.0.iter().any(|variable| variable.role != Role::Names));
        if let Some(values) = values {
            self.0.push(Axis(vec![Variable { path: path.to_owned(), role: Role::Sets, span, values }]));
        }
    }

    /// The names that each axis contributes to the name of a grid cell.
    pub fn names(&self) -> Vec<Vec<String>> {
        let named = |axis: &Axis| {
            let variables = axis.0.iter().filter(|variable| variable.role != Role::SetsUnnamed);
            variables.map(|variable| variable.path.clone()).collect()
        };
        self.0.iter().map(named).collect()
    }

    /// The number of points; without axes there is one.
    ///
    /// # Errors
    /// When there are too many.
    pub fn size(&self) -> Result<usize, Diagnostic> {
        let count = self.0.iter().map(Axis::rows).fold(1usize, usize::saturating_mul);
        if count > MOST_CELLS {
            let title = format!("the grid has {count} cells, more than {MOST_CELLS}");
            return Err(Diagnostic::new(Code::GridTooLarge, title, self.0[0].0[0].span));
        }
        Ok(count)
    }

    /// A point by its place among all; the last axis varies fastest.
    pub fn point(&self, place: usize) -> Point<'_> {
        let mut slower = place;
        let mut point: Point<'_> = Vec::new();
        for axis in self.0.iter().rev() {
            let row = slower % axis.rows();
            slower /= axis.rows();
            point.splice(0..0, axis.0.iter().map(|variable| (variable, &variable.values[row])));
        }
        point
    }
}

impl Axis {
    /// How many values each of its variables has.
    fn rows(&self) -> usize {
        self.0[0].values.len()
    }
}

/// The label of a zip group: `name = "scheme"` with `labels = ["original", "ehn"]`. The inner `None` is a group
/// without a label; the outer one an error, which has been recorded.
fn take_label(table: &mut Table, complaints: &mut Vec<Diagnostic>) -> Option<Option<Variable>> {
    let (name, labels) = match (table.remove("name"), table.remove("labels")) {
        (None, None) => return Some(None),
        (Some((_, name)), Some((_, labels))) => (name, labels),
        (Some((key, _)), None) | (None, Some((key, _))) => {
            let title = "a zip group needs both `name` and `labels`, or neither";
            complaints.push(
                Diagnostic::new(Code::GridShape, title, key.span)
                    .tip("write name = \"scheme\" and labels = [\"original\", \"ehn\"]"),
            );
            return None;
        }
    };
    match (name.value, labels.value) {
        (Value::Text(path), Value::List(values)) if !values.is_empty() => {
            Some(Some(Variable { path, role: Role::Names, span: name.span, values }))
        }
        _ => {
            let title = "the name of a zip group is a string, and its labels are a list";
            complaints.push(Diagnostic::new(Code::GridShape, title, labels.span));
            None
        }
    }
}

fn zip_groups(node: Node) -> Vec<Node> {
    match node.value {
        Value::List(groups) => groups,
        value => vec![Node { span: node.span, value }],
    }
}

/// The dotted keys of a table, quoted (`"a.b" = [..]`) or not (`a.b = [..]`).
fn variables(table: &Table, prefix: &str, complaints: &mut Vec<Diagnostic>) -> Vec<Variable> {
    let mut found = Vec::new();
    for (key, node) in table.iter() {
        let path = format!("{prefix}{}", key.name);
        match &node.value {
            Value::Table(inner) => found.extend(variables(inner, &format!("{path}."), complaints)),
            Value::List(values) if values.is_empty() => complaints.push(
                Diagnostic::new(Code::GridShape, format!("`{path}` has no values in the grid"), node.span)
                    .label("an empty list leaves nothing to run"),
            ),
            Value::List(values) => {
                found.push(Variable { path, role: Role::Sets, span: key.span, values: values.clone() });
            }
            _ => complaints.push(
                Diagnostic::new(Code::GridShape, format!("`{path}` in the grid is not a list"), node.span)
                    .label("a grid key takes a list of values")
                    .tip("a key with one value belongs in its own table"),
            ),
        }
    }
    found
}
