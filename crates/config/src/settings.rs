//! The configuration file of a program, read with a table of keys.

use crate::diagnostics::Diagnostics;
use crate::document;
use crate::files::Files;
use crate::keys::Keys;
use crate::reader::{Context, FILE, Reader};
use crate::source::{SourceId, Sources};
use std::path::Path;

/// Read the text of the file at `path` into `target`, which keeps its values where the file has no key.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read<T: 'static>(
    path: &Path,
    text: &str,
    keys: &Keys<'_, T>,
    target: &mut T,
) -> Result<(), Diagnostics> {
    let sources = Sources::new(path, text.to_owned());
    let files = Files::default();
    let context = Context::new(&sources, &files);
    let (table, mut complaints) = document::parse(SourceId::FILE, text);
    let mut reader = Reader::new(&context, &table, FILE, SourceId::FILE.span(0..0));
    keys.read(&mut reader, target);
    reader.finish();
    complaints.extend(context.into_complaints());
    Diagnostics::new(&sources, complaints).map_or(Ok(()), Err)
}
