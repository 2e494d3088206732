//! Input files that a document names. Each is read once, however many grid cells use it.

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::reader::Context;
use crate::units::Complaint;
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files read so far.
#[derive(Debug, Default)]
pub struct Files {
    /// By path and format: a `Result<T, Complaint>`.
    values: Mutex<BTreeMap<(PathBuf, String), Box<dyn Any + Send>>>,
    contents: Mutex<BTreeMap<PathBuf, blake3::Hash>>,
}

impl Files {
    /// Read the file whose path is at `node`; results depend on its content from now on. `format` names everything
    /// else that `read` depends on, and always goes with the same type `T`.
    ///
    /// # Errors
    /// When `node` is not a path, or with the error of `read`.
    pub fn read<T: Clone + Send + 'static>(
        &self,
        context: &Context<'_>,
        node: &Node,
        format: &str,
        read: impl FnOnce(&Path) -> Result<T, Complaint>,
    ) -> Result<T, Complaint> {
        let path = path_at(context, node)?;
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry((path.clone(), format.to_owned())).or_insert_with(|| Box::new(read(&path)));
        let value = value.downcast_ref::<Result<T, Complaint>>();
        value.expect("a format stands for one type").clone()
    }

    /// The BLAKE3 hash of the content of a file; of empty content when it cannot be read.
    pub fn content(&self, path: &Path) -> blake3::Hash {
        let mut known = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        // Devices and pipes have no end.
        let bytes = || if path.is_file() { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        let read = || blake3::hash(&bytes());
        *known.entry(path.to_owned()).or_insert_with(read)
    }
}

/// The path at a node, relative to the folder of the text that names it.
fn path_at(context: &Context<'_>, node: &Node) -> Result<PathBuf, Complaint> {
    match &node.value {
        Value::Text(path) if !path.is_empty() => {
            let path = context.sources.get(node.span.source).folder.join(path);
            context.depends_on(path.clone());
            Ok(path)
        }
        Value::Text(_) => Err(Complaint::new("expected the path of a recording").code(Code::Unreadable)),
        other => Err(Complaint::expected("a path", other)),
    }
}
