//! The sources of text: the scenario file, or a `--set` on the command line.

use std::path::{Path, PathBuf};

/// A byte range of one of the [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Which source.
    pub source: SourceId,
    /// First byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The index of a source in its [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceId(usize);

impl SourceId {
    /// The scenario file.
    pub const FILE: SourceId = SourceId(0);

    /// A span of this source.
    pub fn span(self, range: std::ops::Range<usize>) -> Span {
        Span { source: self, start: range.start, end: range.end }
    }
}

/// One text and its name in messages.
#[derive(Clone, Debug)]
pub struct Source {
    /// A path, or `--set`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// The folder that relative paths start from.
    pub folder: PathBuf,
}

/// The scenario file and everything that overrides it.
#[derive(Clone, Debug)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// The text of a scenario file. Relative paths in it start from its own folder.
    pub fn new(path: &Path, text: String) -> Self {
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Sources(vec![Source { name: path.display().to_string(), text, folder }])
    }
    /// Add one `--set` argument. Relative paths in it start from the working directory.
    pub fn add_override(&mut self, text: String) -> SourceId {
        self.0.push(Source { name: "--set".to_owned(), text, folder: PathBuf::new() });
        SourceId(self.0.len() - 1)
    }
    /// One of the sources.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.0[id.0]
    }
    /// All sources, the file first.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.iter()
    }
}
