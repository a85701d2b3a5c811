//! Tags and markers in Go and Rust sources.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::{
    Code, CompletionItem, CompletionItemKind, Diagnostic, DiagnosticSeverity, Documentation, Hover, InsertTextFormat,
    MarkupContent, MarkupKind, Message, TextEdit,
};
use sprag_build::load::{LoadOptions, load};
use sprag_idl::Span;
use sprag_lint::{At, Edit, Level, Packages, lint_packages};
use sprag_tags::{Registry, TagRule};

use crate::diagnostics::{SOURCE, link};
use crate::host::Settings;
use crate::hover::{markdown, page};
use crate::text::Text;
use crate::worker::Found;

/// A source without any of these is none of an API, and gets nothing.
const MARKS: [&str; 3] = ["+k8s:", "+kubebuilder:", "+sprag:"];

/// True for a source that has tags or markers.
pub(crate) fn has_tags(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Returns what the rules find in an open source, given the unsaved texts of all.
pub(crate) fn findings(
    path: &Path,
    text: &Text,
    unsaved: BTreeMap<PathBuf, Arc<str>>,
    settings: &Settings,
) -> Vec<Found> {
    if !has_tags(text.as_str()) {
        return Vec::new();
    }
    let is_go = path.extension().is_some_and(|ending| ending == "go");
    // A Go package is a folder, a Rust module a file.
    let given = if is_go { path.parent().unwrap_or(path) } else { path };
    let options = LoadOptions { module_cache: settings.module_cache.clone(), unsaved, ..LoadOptions::default() };
    let Ok(loaded) = load(&[given.to_owned()], &options) else { return Vec::new() };
    let read = Packages {
        sources: &loaded.sources,
        packages: loaded.packages,
        given: &loaded.given,
        findings: loaded.findings,
    };
    let mut found = Vec::new();
    for (finding, level) in lint_packages(read, &settings.lint) {
        let At::Span(span) = finding.at else { continue };
        let is_here = loaded.sources.get(span.file).is_some_and(|file| Path::new(&file.name) == path);
        if level == Level::Off || !is_here {
            continue;
        }
        let bytes = bytes_of(span, text);
        let help = finding.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let diagnostic = Diagnostic {
            range: text.range(bytes.clone()),
            severity: Some(if level == Level::Error { DiagnosticSeverity::Error } else { DiagnosticSeverity::Warning }),
            code: Some(Code::String(finding.rule.name.to_owned())),
            code_description: link("docs/lint.md", finding.rule.name),
            source: Some(SOURCE.to_owned()),
            message: Message::String(format!("{}{help}", finding.message)),
            ..Diagnostic::default()
        };
        let edits = finding.edits.iter().filter(|edit| edit.span().file == span.file);
        let edits = edits.filter_map(|edit| replacement(edit, text)).collect();
        found.push(Found { bytes, finding: None, diagnostic, edits });
    }
    found
}

fn bytes_of(span: Span, text: &Text) -> std::ops::Range<usize> {
    let cut = |at: u32| {
        let mut at = usize::try_from(at).unwrap_or(usize::MAX).min(text.as_str().len());
        while !text.as_str().is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    cut(span.start)..cut(span.end)
}

/// The bytes that an edit replaces, and with what.
fn replacement(edit: &Edit, text: &Text) -> Option<(std::ops::Range<usize>, String)> {
    let bytes = bytes_of(edit.span(), text);
    let text = text.as_str();
    match edit {
        Edit::Replace(_, with) => Some((bytes, with.clone())),
        Edit::RemoveLine(_) => {
            let first = text[..bytes.start].rfind('\n').map_or(0, |at| at + 1);
            let last = text[bytes.end..].find('\n').map_or(text.len(), |at| bytes.end + at + 1);
            // A line with anything but the comment stays.
            text[first..last].trim_start().starts_with("//").then(|| (first..last, String::new()))
        }
    }
}

/// The tag at a byte: the bytes of its name.
fn tag_at(text: &str, offset: usize) -> Option<std::ops::Range<usize>> {
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    let line = &text[start..end];
    if !line.trim_start().starts_with("//") {
        return None;
    }
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, ':' | '-' | '_' | '.');
    // Tags may be inside of others: `+k8s:eachVal=+k8s:maxLength=3`.
    let names = line.match_indices('+').map(|(at, _)| {
        let name = &line[at + 1..];
        let length = name.find(|letter| !is_name(letter)).unwrap_or(name.len());
        start + at + 1..start + at + 1 + length
    });
    names.rev().find(|name| name.start - 1 <= offset && offset <= name.end)
}

/// Returns the documentation of the tag at a byte.
pub(crate) fn hover(text: &Text, offset: usize, registry: &Registry) -> Option<Hover> {
    let bytes = tag_at(text.as_str(), offset)?;
    let rule = registry.find(&text.as_str()[bytes.clone()])?;
    Some(markdown(described(rule), Some(text.range(bytes))))
}

fn described(rule: &TagRule) -> String {
    let scopes: Vec<&str> = rule.scopes.iter().map(|scope| scope.name()).collect();
    let args: Vec<String> =
        rule.args().iter().filter_map(|arg| Some(format!("- `{}`: {}\n", arg.name?, arg.docs))).collect();
    format!(
        "**+{}**\n\n{}\n\nOn: {}. Value: {}.\n{}\n```\n{}\n```\n{}",
        rule.name,
        rule.summary,
        scopes.join(", "),
        rule.payload.kind(),
        args.concat(),
        rule.example.trim_end(),
        page("docs/tags.md", &rule.name.replace(':', "").to_lowercase())
    )
}

/// Returns tags where one is typed in a comment.
pub(crate) fn complete(text: &Text, offset: usize, registry: &Registry, snippets: bool) -> Vec<CompletionItem> {
    let whole = text.as_str();
    let start = whole[..offset].rfind('\n').map_or(0, |at| at + 1);
    let before = &whole[start..offset];
    let Some(plus) = before.rfind('+').filter(|_| before.trim_start().starts_with("//")) else { return Vec::new() };
    let typed = &before[plus + 1..];
    if typed.contains([' ', '=', '(']) {
        return Vec::new();
    }
    let range = text.range(start + plus + 1..offset);
    let item = |rule: &TagRule| {
        let takes_value = rule.payload.is_required();
        let value = match (takes_value, snippets) {
            (true, true) => "=${1}",
            (true, false) => "=",
            _ => "",
        };
        let edit = TextEdit { range, new_text: format!("{}{value}", rule.name) };
        let doc = MarkupContent { kind: MarkupKind::Markdown, value: described(rule) };
        CompletionItem {
            label: rule.name.to_string(),
            kind: Some(CompletionItemKind::Keyword),
            documentation: Some(Documentation::MarkupContent(doc)),
            text_edit: Some(edit.into()),
            insert_text_format: (takes_value && snippets).then_some(InsertTextFormat::Snippet),
            ..CompletionItem::default()
        }
    };
    registry.rules().iter().filter(|rule| rule.name.starts_with(typed)).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_tag_is_found() {
        let text = "a\n// +k8s:eachVal=+k8s:maxLength=3\n";
        let name = |offset: usize| tag_at(text, offset).map(|bytes| text[bytes].to_owned());
        assert_eq!(name(8).as_deref(), Some("k8s:eachVal"));
        assert_eq!(name(24).as_deref(), Some("k8s:maxLength"));
        assert_eq!(name(0), None);
    }
}
