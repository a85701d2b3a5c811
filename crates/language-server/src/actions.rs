//! Fixes for findings.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use gen_lsp_types::{
    CodeAction, CodeActionKind, CreateFile, DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier,
    TextDocumentEdit, TextDocumentIdentifier, TextEdit, Uri, WorkspaceEdit,
};
use sprag_analysis::{Finding, Identity, Origin, Severity, nearest};
use sprag_decode::locate::Step;
use sprag_schema::accept::rule_costs;
use sprag_schema::crd::{Crd, KIND};
use sprag_value::{Object, Value};

use crate::fields::{Fields, members, steps, walk};
use crate::hover::{At, at};
use crate::scope::Scope;
use crate::text::Text;
use crate::uri;
use crate::worker::{Found, OpenText};

/// Limits that are offered for one rule.
const MAX_REMEDIES: usize = 5;

/// An edit of the text itself.
type Change = (Range<usize>, String);

/// Makes fixes for the findings that touch some bytes of a text.
pub(crate) struct Fixer<'a> {
    pub(crate) open: &'a OpenText,
    pub(crate) scope: &'a Scope,
    pub(crate) fields: &'a Fields,
}

impl Fixer<'_> {
    /// The fixes of all findings that touch the bytes.
    pub(crate) fn all(&self, bytes: &Range<usize>, found: &[Found]) -> Vec<CodeAction> {
        let touches = |found: &&Found| found.bytes.start <= bytes.end && bytes.start <= found.bytes.end;
        let mut actions = Vec::new();
        let mut exported = Vec::new();
        for found in found.iter().filter(touches) {
            if !found.edits.is_empty() {
                actions.push(self.action("Fix this".to_owned(), found, found.edits.clone()));
            }
            let Some(finding) = &found.finding else { continue };
            for (title, changes) in self.of_finding(finding, found) {
                actions.push(self.action(title, found, changes));
            }
            if let Some(action) = self.export(found, &mut exported) {
                actions.push(action);
            }
        }
        actions
    }

    fn text(&self) -> &Text {
        &self.open.text
    }

    fn action(&self, title: String, found: &Found, changes: Vec<Change>) -> CodeAction {
        let edit = |(bytes, new_text): Change| TextEdit { range: self.text().range(bytes), new_text };
        let edits = HashMap::from([(self.open.uri.clone(), changes.into_iter().map(edit).collect())]);
        CodeAction {
            title,
            kind: Some(CodeActionKind::QuickFix),
            diagnostics: Some(vec![found.diagnostic.clone()]),
            edit: Some(WorkspaceEdit { changes: Some(edits), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        }
    }

    fn of_finding(&self, finding: &Finding, found: &Found) -> Vec<(String, Vec<Change>)> {
        let mut fixes = Vec::new();
        fixes.extend(self.rename(finding, found));
        fixes.extend(self.meant(finding));
        if finding.origin == Origin::Lookup {
            fixes.extend(self.rewrite());
        }
        if finding.cause.as_ref().is_some_and(|cause| cause.kind == "FieldValueRequired") {
            fixes.extend(self.add_required(finding, found));
        }
        if finding.origin == Origin::Crd && finding.message.contains("cost") {
            fixes.extend(self.limits(found));
        }
        fixes
    }

    /// A field in place of an unknown one.
    fn rename(&self, finding: &Finding, found: &Found) -> Option<(String, Vec<Change>)> {
        let path = finding.message.strip_prefix("unknown field \"")?.split('"').next()?;
        let At { identity, .. } = at(self.text().as_str(), found.bytes.start)?;
        let root = self.fields.of(&self.scope.analysis, &identity)?;
        let mut steps = steps(path);
        let Some(Step::Member(wrong)) = steps.pop() else { return None };
        let near = nearest(&wrong, members(&root, &steps).iter().map(|field| field.name.as_str()))?;
        let written = &self.text().as_str()[found.bytes.clone()];
        let quote = written.chars().next().filter(|first| matches!(first, '"' | '\''));
        let quote = quote.map(String::from).unwrap_or_default();
        Some((format!("Change to {near:?}"), vec![(found.bytes.clone(), format!("{quote}{near}{quote}"))]))
    }

    /// The kind or API version that a finding about them names.
    fn meant(&self, finding: &Finding) -> Option<(String, Vec<Change>)> {
        let (_, meant) = finding.message.split_once("; did you mean ")?;
        let meant = meant.split(['?', ';']).next()?;
        let place = finding.place.as_ref()?;
        let start = self.text().offset_of(place.line, place.column);
        let at = at(self.text().as_str(), start)?;
        let place = |field: &str| Some(at.document.place_of(field).filter(|place| place.exact)?.value.bytes());
        let first = |versions: &str| versions.split([',', ' ']).next().unwrap_or_default().to_owned();
        let mut changes = Vec::new();
        if let Some(versions) = meant.strip_prefix("apiVersion: ") {
            changes.push((place("apiVersion")?, first(versions)));
        } else if let Some((kind, versions)) = meant.split_once(" (") {
            changes.push((place("kind")?, kind.to_owned()));
            changes.push((place("apiVersion")?, first(versions.trim_end_matches(')'))));
        } else {
            changes.push((place("kind")?, meant.to_owned()));
        }
        changes.retain(|(bytes, with)| self.text().as_str()[bytes.clone()] != **with);
        Some((format!("Change to {meant}"), changes))
    }

    /// The text with objects of removed API versions rewritten.
    fn rewrite(&self) -> Option<(String, Vec<Change>)> {
        let release = self.scope.analysis.built_in().offline().gates().release();
        let text = self.text().as_str();
        let rewritten = sprag_removals::rewrite(text.as_bytes(), release.version().minor);
        let first = rewritten.changed.first()?;
        let title = format!("Rewrite {} to {}", first.kind, first.to);
        let new = String::from_utf8(rewritten.text).ok()?;
        Some((title, vec![difference(text, &new)]))
    }

    /// A required field, with a value to be changed.
    fn add_required(&self, finding: &Finding, found: &Found) -> Option<(String, Vec<Change>)> {
        let field = &finding.cause.as_ref()?.field;
        let At { document, identity, .. } = at(self.text().as_str(), found.bytes.start)?;
        let mut steps = steps(field);
        let Some(Step::Member(name)) = steps.pop() else { return None };
        let parent = path_of(&steps);
        let place = document.place_of(&parent).filter(|place| place.exact)?;
        let root = self.fields.of(&self.scope.analysis, &identity)?;
        let node = walk(&root, &steps)?.field(&name);
        let value = match node.map(|node| (node.values.first(), node.default.as_deref(), node.ty.as_str())) {
            Some((Some(value), ..)) => value.clone(),
            Some((None, Some(default), _)) => default.to_owned(),
            Some((None, None, ty)) if ty.starts_with("[]") => "[]".to_owned(),
            Some((None, None, ty)) if ty.starts_with("map[") || ty == "object" => "{}".to_owned(),
            Some((None, None, ty)) if ty.contains("int") || ty == "number" => "0".to_owned(),
            Some((None, None, "boolean")) => "false".to_owned(),
            Some((None, None, ty)) if ty != "string" && node.is_some_and(|node| !node.fields.is_empty()) => {
                "{}".to_owned()
            }
            _ => "\"\"".to_owned(),
        };
        let start = place.value.start;
        let text = self.text().as_str();
        let change = match text[place.value.bytes()].chars().next() {
            Some('{') => {
                let rest = text[start.offset + 1..].trim_start();
                let comma = if rest.starts_with('}') { "" } else { ", " };
                let quoted = if text.trim_start().starts_with('{') { format!("{name:?}") } else { name.clone() };
                (start.offset + 1..start.offset + 1, format!("{quoted}: {value}{comma}"))
            }
            Some(_) => {
                let line = text[..start.offset].rfind('\n').map_or(0, |at| at + 1);
                let column = start.offset - line;
                (start.offset..start.offset, format!("{name}: {value}\n{}", " ".repeat(column)))
            }
            None => return None,
        };
        Some((format!("Add {name:?}"), vec![change]))
    }

    /// Limits that make a rule of a definition cheap enough.
    fn limits(&self, found: &Found) -> Vec<(String, Vec<Change>)> {
        let Some(At { document, identity, .. }) = at(self.text().as_str(), found.bytes.start) else {
            return Vec::new();
        };
        let Some(crd) = document.value().filter(|_| identity.kind == KIND).and_then(|value| Crd::read(value).ok())
        else {
            return Vec::new();
        };
        let release = self.scope.analysis.built_in().offline().gates().release();
        let mut fixes: Vec<(String, Vec<Change>)> = Vec::new();
        for (index, version) in crd.versions.iter().enumerate() {
            let costs = version.props().map(|props| rule_costs(props, release)).unwrap_or_default();
            for remedy in
                costs.iter().filter(|cost| cost.exceeds()).flat_map(|cost| cost.remedies.iter().take(MAX_REMEDIES))
            {
                let inner = remedy.path.replace("properties[", "properties.").replace(']', "");
                let dot = if inner.is_empty() { "" } else { "." };
                let path = format!("spec.versions[{index}].schema.openAPIV3Schema{dot}{inner}");
                let Some(place) = document.place_of(&path).filter(|place| place.exact) else { continue };
                let start = place.value.start.offset;
                let text = self.text().as_str();
                let setting = format!("{}: {}", remedy.keyword, remedy.limit);
                let change = if text[start..].starts_with('{') {
                    (start + 1..start + 1, format!("{setting}, "))
                } else {
                    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
                    (start..start, format!("{setting}\n{}", " ".repeat(start - line)))
                };
                let title = format!("Add {setting} at {}", remedy.path);
                if !fixes.iter().any(|(known, _)| *known == title) {
                    fixes.push((title, vec![change]));
                }
            }
        }
        fixes
    }

    /// A test file that expects what is found about a custom resource; each object once.
    fn export(&self, found: &Found, exported: &mut Vec<String>) -> Option<CodeAction> {
        let finding = found.finding.as_ref().filter(|finding| finding.severity == Severity::Error)?;
        finding.cause.as_ref()?;
        let At { document, identity, .. } = at(self.text().as_str(), found.bytes.start)?;
        let definition = self.scope.analysis.definition(&identity)?;
        let path = self.open.path.as_ref()?;
        let folder = path.parent()?;
        let file = folder.join(format!("{}-{}-test.yaml", identity.kind.to_lowercase(), identity.name));
        let shown = file.display().to_string();
        if file.exists() || exported.contains(&shown) || identity.name.contains('/') {
            return None;
        }
        exported.push(shown);
        let crds = relative(folder, Path::new(&**definition.file()));
        let text = test_of(document.value()?, &identity, &crds, finding);
        let new = uri::of_path(&file);
        let edit = WorkspaceEdit {
            document_changes: Some(vec![
                DocumentChange::CreateFile(CreateFile::new(new.clone(), None, None)),
                DocumentChange::TextDocumentEdit(insertion(new, text)),
            ]),
            ..WorkspaceEdit::default()
        };
        Some(CodeAction {
            title: format!("Export {} {} as a test", identity.kind, identity.name),
            kind: Some(CodeActionKind::Refactor),
            edit: Some(edit),
            ..CodeAction::default()
        })
    }
}

/// The edit that writes a new file.
fn insertion(uri: Uri, new_text: String) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            text_document_identifier: TextDocumentIdentifier { uri },
            version: None,
        },
        edits: vec![Edit::TextEdit(TextEdit { new_text, ..TextEdit::default() })],
    }
}

/// The test that an object has an error.
fn test_of(object: &Value, identity: &Identity, crds: &str, finding: &Finding) -> String {
    let object_of = |members: Vec<(&str, Value)>| {
        let mut object = Object::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        Value::Object(object)
    };
    let list = |values: Vec<Value>| Value::Array(values.into_iter().collect());
    let cause = finding.cause.as_ref();
    let expected = object_of(vec![
        ("field", Value::from(cause.map_or("", |cause| cause.field.as_str()))),
        ("detail", Value::from(cause.map_or("", |cause| cause.detail.as_str()))),
    ]);
    let test = object_of(vec![
        ("name", Value::from(format!("{} is rejected", identity.name).as_str())),
        ("given", object.clone()),
        ("errors", list(vec![expected])),
    ]);
    let file = object_of(vec![
        ("apiVersion", Value::from("sprag.dev/v1alpha1")),
        ("kind", Value::from("Test")),
        ("crds", list(vec![Value::from(crds)])),
        ("tests", list(vec![test])),
    ]);
    sprag_decode::yaml::to_string(&file)
}

/// A path as it is seen from a folder.
fn relative(folder: &Path, path: &Path) -> String {
    let common = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = path.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The path as findings have it.
fn path_of(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Member(name) if path.is_empty() => path.push_str(name),
            Step::Member(name) => {
                let _ = write!(path, ".{name}");
            }
            Step::Element(index) => {
                let _ = write!(path, "[{index}]");
            }
        }
    }
    path
}

/// The smallest edit that makes one text of another.
fn difference(old: &str, new: &str) -> Change {
    let same = |(one, other): &(char, char)| one == other;
    let begin: usize = old.chars().zip(new.chars()).take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
    let ends = old[begin..].chars().rev().zip(new[begin..].chars().rev());
    let end: usize = ends.take_while(same).map(|(letter, _)| letter.len_utf8()).sum();
    (begin..old.len() - end, new[begin..new.len() - end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_small() {
        assert_eq!(difference("a: 1\nb: 2\n", "a: 1\nb: 3\n"), (8..9, "3".to_owned()));
        assert_eq!(difference("aa", "aaa"), (2..2, "a".to_owned()));
        assert_eq!(difference("é", "è"), (0..2, "è".to_owned()));
    }

    #[test]
    fn paths_are_seen_from_folders() {
        assert_eq!(relative(Path::new("/a/b"), Path::new("/a/c/d.yaml")), "../c/d.yaml");
        assert_eq!(relative(Path::new("/a"), Path::new("/a/d.yaml")), "d.yaml");
    }
}
