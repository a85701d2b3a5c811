//! Completion in manifests: kinds, fields, values, expressions.

use gen_lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind, Range, TextEdit,
};
use sprag_analysis::apidoc::Node;
use sprag_analysis::{Analysis, Documents, Identity};
use sprag_decode::locate::Step;
use std::fmt::Write as _;

use crate::cursor::{Part, Place, place};
use crate::expressions;
use crate::fields::{Fields, kind_of, members, walk};
use crate::hover::describe;
use crate::text::Text;

/// Levels of required fields that are written for a field.
const MAX_LEVELS: usize = 6;

/// Maximum number of completions.
const MAX_ITEMS: usize = 500;

/// What a completion depends on.
pub(crate) struct Asked<'a> {
    pub(crate) text: &'a Text,
    pub(crate) offset: usize,
    pub(crate) analysis: &'a Analysis,
    pub(crate) fields: &'a Fields,
    /// True if the client knows texts with places to fill in.
    pub(crate) snippets: bool,
}

/// Returns the completions at a byte.
pub(crate) fn complete(asked: &Asked<'_>) -> Vec<CompletionItem> {
    let Some(place) = place(asked.text.as_str(), asked.offset) else { return Vec::new() };
    let mut items = match place.part {
        Part::Key => asked.keys(&place),
        Part::Value => asked.values(&place),
    };
    items.truncate(MAX_ITEMS);
    items
}

fn identity(place: &Place) -> Identity {
    kind_of(place.api_version.as_deref().unwrap_or_default(), place.kind.as_deref().unwrap_or_default())
}

impl Asked<'_> {
    fn range(&self, place: &Place) -> Range {
        self.text.range(place.start..self.offset)
    }

    fn item(&self, place: &Place, label: String, text: String, kind: CompletionItemKind) -> CompletionItem {
        let edit = TextEdit { range: self.range(place), new_text: text };
        CompletionItem { kind: Some(kind), text_edit: Some(edit.into()), label, ..CompletionItem::default() }
    }

    fn keys(&self, place: &Place) -> Vec<CompletionItem> {
        let identity = identity(place);
        if identity.kind.is_empty() || identity.api_version.is_empty() {
            return if place.steps.is_empty() { self.objects(place) } else { Vec::new() };
        }
        let Some(root) = self.fields.of(self.analysis, &identity) else { return Vec::new() };
        let is_element = matches!(place.steps.last(), Some(Step::Element(_)));
        let fields = members(&root, &place.steps);
        if fields.is_empty() && is_element {
            let values = walk(&root, &place.steps).map(|node| node.values.as_slice()).unwrap_or_default();
            return values
                .iter()
                .map(|value| self.item(place, value.clone(), value.clone(), CompletionItemKind::EnumMember))
                .collect();
        }
        let missing = fields.iter().filter(|field| !place.siblings.contains(&field.name));
        missing.map(|field| self.field(place, field, &identity)).collect()
    }

    fn field(&self, place: &Place, field: &Node, identity: &Identity) -> CompletionItem {
        let mut stops = 0;
        let text = if place.has_colon {
            field.name.clone()
        } else {
            let mut lines = String::new();
            self.write_field(field, place.column, 0, &mut stops, &mut lines);
            lines
        };
        let order = i32::from(!field.required);
        let doc = MarkupContent { kind: MarkupKind::Markdown, value: describe(field, &field.name, identity) };
        CompletionItem {
            detail: Some(field.ty.clone()),
            documentation: Some(Documentation::MarkupContent(doc)),
            sort_text: Some(format!("{order}{}", field.name)),
            insert_text_format: self.format(stops),
            ..self.item(place, field.name.clone(), text, CompletionItemKind::Field)
        }
    }

    fn format(&self, stops: usize) -> Option<InsertTextFormat> {
        (self.snippets && stops > 0).then_some(InsertTextFormat::Snippet)
    }

    /// A place to fill in, where the client knows such.
    fn stop(&self, stops: &mut usize, text: &mut String) {
        *stops += 1;
        if self.snippets {
            let _ = write!(text, "${{{stops}}}");
        }
    }

    /// Writes a field with what is required below it.
    fn write_field(&self, field: &Node, column: usize, level: usize, stops: &mut usize, text: &mut String) {
        text.push_str(&field.name);
        text.push(':');
        if field.fields.is_empty() && !field.is_list() && !field.is_map() && field.ty != "object" {
            text.push(' ');
            return match (&field.default, field.values.as_slice()) {
                (_, [only]) => text.push_str(only),
                _ => self.stop(stops, text),
            };
        }
        let mut column = column + 2;
        if field.is_list() {
            // An element begins in the column of the list, as kubectl prints it.
            column -= 2;
            let _ = write!(text, "\n{}- ", " ".repeat(column));
            column += 2;
        } else {
            let _ = write!(text, "\n{}", " ".repeat(column));
        }
        let required: Vec<&Node> = field.fields.iter().filter(|inner| inner.required).collect();
        if required.is_empty() || level == MAX_LEVELS || (field.is_map() && !field.is_list()) {
            return self.stop(stops, text);
        }
        for (index, inner) in required.into_iter().enumerate() {
            if index > 0 {
                let _ = write!(text, "\n{}", " ".repeat(column));
            }
            self.write_field(inner, column, level + 1, stops, text);
        }
    }

    /// Whole objects of all kinds, and the keys that every object begins with.
    fn objects(&self, place: &Place) -> Vec<CompletionItem> {
        let mut items = Vec::new();
        for name in ["apiVersion", "kind", "metadata"] {
            if !place.siblings.contains(name) {
                items.push(self.item(place, name.to_owned(), format!("{name}: "), CompletionItemKind::Keyword));
            }
        }
        if !place.siblings.is_empty() {
            return items;
        }
        for (api_version, kind) in self.analysis.kinds() {
            let identity = kind_of(&api_version, &kind);
            let mut stops = 0;
            let mut text = format!("apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: ");
            self.stop(&mut stops, &mut text);
            text.push('\n');
            // The tree of a kind is large, and there are hundreds of kinds.
            let is_typed =
                kind.to_lowercase().starts_with(&self.typed(place).to_lowercase()) && !self.typed(place).is_empty();
            if let Some(root) = self.fields.of(self.analysis, &identity).filter(|_| is_typed)
                && let Some(spec) = root.field("spec")
            {
                self.write_field(spec, 0, 0, &mut stops, &mut text);
                text.push('\n');
            }
            items.push(CompletionItem {
                detail: Some(api_version.clone()),
                sort_text: Some(format!("2{kind}")),
                filter_text: Some(kind.clone()),
                insert_text_format: self.format(stops),
                ..self.item(place, format!("{kind} ({api_version})"), text, CompletionItemKind::Class)
            });
        }
        items
    }

    fn typed(&self, place: &Place) -> &str {
        self.text.as_str().get(place.start..self.offset).unwrap_or_default()
    }

    fn values(&self, place: &Place) -> Vec<CompletionItem> {
        let identity = identity(place);
        if let [Step::Member(name)] = place.steps.as_slice() {
            match name.as_str() {
                "kind" => return self.kinds(place),
                "apiVersion" => return self.api_versions(place),
                _ => {}
            }
        }
        if let Some(items) = self.expression(place, &identity) {
            return items;
        }
        let Some(root) = self.fields.of(self.analysis, &identity) else { return Vec::new() };
        let Some(node) = walk(&root, &place.steps) else { return Vec::new() };
        let values: Vec<String> = match (node.values.is_empty(), node.ty.as_str()) {
            (false, _) => node.values.clone(),
            (true, "boolean") => vec!["true".to_owned(), "false".to_owned()],
            _ => node.default.clone().into_iter().collect(),
        };
        values
            .into_iter()
            .map(|value| {
                let value = value.trim_matches('"').to_owned();
                self.item(place, value.clone(), value, CompletionItemKind::EnumMember)
            })
            .collect()
    }

    /// Kinds, of the API version if there is one. Another API version comes with its kind.
    fn kinds(&self, place: &Place) -> Vec<CompletionItem> {
        let mut items = Vec::new();
        for (api_version, kind) in self.analysis.kinds() {
            let is_same = place.api_version.as_deref() == Some(&api_version);
            let edits = if is_same { None } else { self.set_api_version(place, &api_version) };
            if !is_same && (edits.is_none() || place.api_version.is_some()) {
                continue;
            }
            items.push(CompletionItem {
                detail: Some(api_version.clone()),
                filter_text: Some(kind.clone()),
                additional_text_edits: edits,
                ..self.item(
                    place,
                    if is_same { kind.clone() } else { format!("{kind} ({api_version})") },
                    kind,
                    CompletionItemKind::Class,
                )
            });
        }
        items
    }

    /// The edit that writes the API version above the kind, where there is none.
    fn set_api_version(&self, place: &Place, api_version: &str) -> Option<Vec<TextEdit>> {
        if place.siblings.contains("apiVersion") {
            return None;
        }
        let mut start = self.text.position(place.start);
        start.character = 0;
        Some(vec![TextEdit { range: Range { start, end: start }, new_text: format!("apiVersion: {api_version}\n") }])
    }

    fn api_versions(&self, place: &Place) -> Vec<CompletionItem> {
        let all = self.analysis.kinds();
        let of_kind = |wanted: &str| {
            let fitting = all.iter().filter(|(_, kind)| wanted.is_empty() || kind == wanted);
            let mut versions: Vec<String> = fitting.map(|(version, _)| version.clone()).collect();
            versions.dedup();
            versions
        };
        let mut versions = of_kind(place.kind.as_deref().unwrap_or_default());
        if versions.is_empty() {
            versions = of_kind("");
        }
        versions.sort();
        versions.dedup();
        versions
            .into_iter()
            .map(|version| self.item(place, version.clone(), version, CompletionItemKind::Module))
            .collect()
    }

    /// Names in an expression.
    fn expression(&self, place: &Place, identity: &Identity) -> Option<Vec<CompletionItem>> {
        let typed = self.typed(place);
        let document = Documents::new(self.text.as_str().as_bytes(), 1).find(|document| {
            document.bytes().is_some_and(|bytes| bytes.start <= place.start && place.start <= bytes.end)
        });
        let value = document.as_ref().and_then(|document| document.value());
        let completion = expressions::completion(&place.steps, value, identity, self.analysis)?;
        let expression = typed.trim_start_matches(['"', '\'']);
        let (start, words) = completion.complete(expression);
        let range = self.text.range(self.offset - (expression.len() - start)..self.offset);
        let item = |word: String| {
            let kind = if word.ends_with('(') { CompletionItemKind::Function } else { CompletionItemKind::Variable };
            let edit = TextEdit { range, new_text: word.clone() };
            CompletionItem { kind: Some(kind), text_edit: Some(edit.into()), label: word, ..CompletionItem::default() }
        };
        Some(words.into_iter().map(item).collect())
    }
}
