//! Positions in source files, and what readers report about them.

use std::fmt;

/// The file of a [`Sources`] table that a span points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A byte range in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span of things that were not read from a file, such as a model built by hand.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// True if this span points into a file.
    pub fn is_some(self) -> bool {
        self.file.0 != u32::MAX
    }
}

/// One source text with the name to show for it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name users know the file by.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// The files behind a set of packages; spans index into it.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and returns its id.
    ///
    /// # Panics
    /// When more than `u32::MAX - 1` files are added.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = u32::try_from(self.files.len()).expect("fewer than u32::MAX source files");
        self.files.push(SourceFile { name: name.into(), text: text.into() });
        FileId(id)
    }

    /// The file with this id, unless the id is foreign.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(usize::try_from(id.0).ok()?)
    }

    /// File name, line and column (both from 1, columns in characters) of a span's start.
    pub fn locate(&self, span: Span) -> Option<Location<'_>> {
        let file = self.get(span.file)?;
        let start = usize::try_from(span.start).ok()?.min(file.text.len());
        let before = file.text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some(Location {
            file: &file.name,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        })
    }
}

/// A place for people: file, line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The file's name.
    pub file: &'a str,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; output is still produced.
    Warning,
    /// No output is produced from this source.
    Error,
}

/// Something a reader or a rule has to say about a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its severity.
    pub severity: Severity,
    /// The position; [`Span::NONE`] if the source is not a file.
    pub span: Span,
    /// The message, in lower case and without a full stop.
    pub message: String,
    /// The fix, if known.
    pub help: Option<String>,
}

impl Finding {
    /// A finding that stops output.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Error, span, message: message.into(), help: None }
    }

    /// A finding that does not stop output.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Warning, span, message: message.into(), help: None }
    }

    /// Adds how to mend it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
