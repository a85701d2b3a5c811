//! A finding with its place in a file.

use sprag_analysis::{Place, excerpt};
use sprag_idl::Sources;
use sprag_lint::{At, Edit, Finding, Level, LintRule};

/// A finding, ready to be printed.
pub(super) struct Found {
    pub(super) rule: &'static LintRule,
    pub(super) level: Level,
    /// Empty for a finding about no file.
    pub(super) file: String,
    pub(super) place: Option<Place>,
    /// The name of its subject.
    pub(super) subject: String,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// The fix: byte ranges of the file and their replacements.
    pub(super) edits: Vec<(std::ops::Range<usize>, String)>,
}

impl Found {
    /// A finding about types.
    pub(super) fn in_source(finding: Finding, level: Level, sources: &Sources) -> Found {
        let At::Span(span) = finding.at else { return Found::bare(finding, level) };
        let Some(file) = sources.get(span.file) else { return Found::bare(finding, level) };
        let located = sources.locate(span);
        let bytes = usize::try_from(span.start).unwrap_or(0)..usize::try_from(span.end).unwrap_or(0);
        let place = located.map(|location| Place {
            line: location.line,
            column: location.column,
            length: file
                .text
                .get(bytes.clone())
                .map_or(0, |text| text.lines().next().unwrap_or_default().chars().count()),
            excerpt: excerpt(file.text.as_bytes(), bytes),
        });
        let edits = finding.edits.iter().filter(|edit| edit.span().file == span.file);
        let edits = edits.filter_map(|edit| replacement(edit, &file.text)).collect();
        Found { file: file.name.clone(), place, edits, ..Found::bare(finding, level) }
    }

    fn bare(finding: Finding, level: Level) -> Found {
        Found {
            rule: finding.rule,
            level,
            file: String::new(),
            place: None,
            subject: finding.subject,
            message: finding.message,
            help: finding.help,
            edits: Vec::new(),
        }
    }
}

/// The bytes that an edit replaces, and with what.
fn replacement(edit: &Edit, text: &str) -> Option<(std::ops::Range<usize>, String)> {
    let span = edit.span();
    let start = usize::try_from(span.start).ok()?;
    let end = usize::try_from(span.end).ok()?;
    match edit {
        Edit::Replace(_, with) => text.get(start..end).map(|_| (start..end, with.clone())),
        Edit::RemoveLine(_) => {
            let first = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
            let last = text.get(end..)?.find('\n').map_or(text.len(), |at| end + at + 1);
            // A line with anything but the comment stays.
            text.get(first..last)?.trim_start().starts_with("//").then(|| (first..last, String::new()))
        }
    }
}
