//! The documentation of what is at a place of a manifest.

use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind};
use sprag_analysis::apidoc::Node;
use sprag_analysis::{Analysis, Document, Documents, Identity};
use sprag_decode::locate::Cursor;
use std::fmt::Write as _;

use crate::diagnostics::link;
use crate::expressions;
use crate::fields::{Fields, walk};
use crate::text::Text;

/// Longer documentation is cut.
const MAX_DOC: usize = 4_000;

/// Rules that are listed of one field.
const MAX_RULES: usize = 12;

/// The object of a document at a byte, with the place in it.
pub(crate) struct At<'t> {
    pub(crate) document: Document<'t>,
    pub(crate) identity: Identity,
    pub(crate) cursor: Cursor,
}

/// Finds the object at a byte of a text; none in documents that cannot be read.
pub(crate) fn at(text: &str, offset: usize) -> Option<At<'_>> {
    let holds =
        |document: &Document<'_>| document.bytes().is_some_and(|bytes| bytes.start <= offset && offset <= bytes.end);
    let document = Documents::new(text.as_bytes(), 1).filter(holds).last()?;
    let identity = Identity::of(document.value()?);
    let cursor = document.at(offset)?;
    Some(At { document, identity, cursor })
}

/// Returns the documentation at a byte.
pub(crate) fn hover(text: &Text, offset: usize, analysis: &Analysis, fields: &Fields) -> Option<Hover> {
    let at = at(text.as_str(), offset)?;
    let shown = if at.cursor.is_key { at.cursor.key? } else { at.cursor.value }.bytes();
    if offset > shown.end {
        return None;
    }
    let range = Some(text.range(shown));
    if let Some(shown) = expressions::hover(&at, analysis) {
        return Some(markdown(shown, range));
    }
    let root = fields.of(analysis, &at.identity)?;
    let node = walk(&root, &at.cursor.steps)?;
    let title = if at.cursor.steps.is_empty() { at.identity.kind.clone() } else { at.cursor.path() };
    Some(markdown(describe(node, &title, &at.identity), range))
}

/// Text as the client shows it.
pub(crate) fn markdown(value: String, range: Option<gen_lsp_types::Range>) -> Hover {
    Hover { contents: Contents::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }), range }
}

/// A field in words.
pub(crate) fn describe(node: &Node, title: &str, identity: &Identity) -> String {
    let mut facts = Vec::new();
    if !node.ty.is_empty() {
        facts.push(format!("`{}`", node.ty));
    }
    if node.required {
        facts.push("required".to_owned());
    }
    if let Some(default) = &node.default {
        facts.push(format!("default `{default}`"));
    }
    if node.rules.iter().any(is_immutable) {
        facts.push("immutable".to_owned());
    }
    let mut text = format!("**{title}** {}\n\n{} ({})\n", facts.join(", "), identity.kind, identity.api_version);
    if !node.doc.is_empty() {
        let end = node.doc.char_indices().nth(MAX_DOC).map_or(node.doc.len(), |(at, _)| at);
        let _ = write!(text, "\n{}\n", &node.doc[..end]);
    }
    if !node.values.is_empty() {
        let values: Vec<String> = node.values.iter().map(|value| format!("`{value}`")).collect();
        let _ = write!(text, "\nOne of {}.\n", values.join(", "));
    }
    let rules = node.rules.iter().filter(|rule| !rule.words.is_empty());
    let lines: Vec<String> =
        rules.take(MAX_RULES).map(|rule| format!("- {} (`{}`)", rule.words, first_line(&rule.rule))).collect();
    if !lines.is_empty() {
        let _ = write!(text, "\n{}\n", lines.join("\n"));
    }
    text
}

fn is_immutable(rule: &sprag_analysis::apidoc::RuleNote) -> bool {
    rule.words.contains("cannot be changed") || rule.rule.contains("self == oldSelf")
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().replace('`', "'")
}

/// The page of a tag or lint, if there is one.
pub(crate) fn page(page: &str, part: &str) -> String {
    link(page, part).map(|link| format!("\n[{page}]({})\n", link.href.0)).unwrap_or_default()
}
