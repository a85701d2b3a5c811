//! Findings as diagnostics.

use std::ops::Range;
use std::path::Path;

use gen_lsp_types::{
    Code, CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, Message, Position,
    Uri,
};
use sprag_analysis::{Finding, Place, RulePlace, Severity};

use crate::text::Text;
use crate::uri;

/// The name shown with diagnostics.
pub(crate) const SOURCE: &str = "sprag";

/// The repository of this build, if it is known; its pages explain codes.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Returns a finding as a diagnostic, with the bytes that it is about.
pub(crate) fn of_finding(finding: &Finding, text: &Text) -> (Range<usize>, Diagnostic) {
    let bytes = bytes_of(finding.place.as_ref(), text);
    let code = finding.origin.name();
    let related = finding.rule.as_ref().map(|rule| vec![related(rule)]);
    let diagnostic = Diagnostic {
        range: text.range(bytes.clone()),
        severity: Some(severity(finding.severity)),
        code: Some(Code::String(code.to_owned())),
        code_description: link("docs/editor.md", code),
        source: Some(SOURCE.to_owned()),
        message: Message::String(finding.message.clone()),
        related_information: related,
        ..Diagnostic::default()
    };
    (bytes, diagnostic)
}

/// The link to the part of a page that explains a code.
pub(crate) fn link(page: &str, part: &str) -> Option<CodeDescription> {
    let href = (!REPOSITORY.is_empty()).then(|| format!("{REPOSITORY}/blob/main/{page}#{part}"))?;
    Some(CodeDescription { href: Uri(href) })
}

/// The bytes at a place; the first line for a finding without one.
pub(crate) fn bytes_of(place: Option<&Place>, text: &Text) -> Range<usize> {
    let Some(place) = place else { return 0..text.line(0).len() };
    let start = text.offset_of(place.line, place.column);
    // A value of several lines is marked on its first.
    let length = if place.length == 0 { usize::MAX } else { place.length };
    start..text.behind(start, length)
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Ratcheted => DiagnosticSeverity::Hint,
        Severity::Note => DiagnosticSeverity::Information,
    }
}

fn related(rule: &RulePlace) -> DiagnosticRelatedInformation {
    let line = u32::try_from(rule.place.line.saturating_sub(1)).unwrap_or(0);
    let start = Position { line, character: u32::try_from(rule.place.column.saturating_sub(1)).unwrap_or(0) };
    DiagnosticRelatedInformation {
        location: Location {
            uri: uri::of_path(Path::new(&*rule.file)),
            range: gen_lsp_types::Range { start, end: start },
        },
        message: "the rule".to_owned(),
    }
}
