//! The configuration file of a program that reads one table of keys.

use crate::diagnostics::Diagnostics;
use crate::document;
use crate::files::Files;
use crate::reader::{Context, FILE, Reader};
use crate::source::{SourceId, Sources};
use std::path::Path;

/// Read the text of the file at `path`. Keys that `keys` does not ask for are refused.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(path: &Path, text: &str, keys: impl FnOnce(&mut Reader<'_>)) -> Result<(), Diagnostics> {
    let sources = Sources::new(path, text.to_owned());
    let files = Files::default();
    let context = Context::new(&sources, &files);
    let (table, mut complaints) = document::parse(SourceId::FILE, text);
    let mut reader = Reader::new(&context, &table, FILE, SourceId::FILE.span(0..0));
    keys(&mut reader);
    reader.finish();
    complaints.extend(context.into_complaints());
    Diagnostics::new(&sources, complaints).map_or(Ok(()), Err)
}
