//! The wire form given by serde attributes.

use std::collections::BTreeMap;

use crate::span::Finding;

use super::attrs::Meta;

/// The renaming of names on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "lowercase" => Case::Lower,
            "UPPERCASE" => Case::Upper,
            "PascalCase" => Case::Pascal,
            "camelCase" => Case::Camel,
            "snake_case" => Case::Snake,
            "SCREAMING_SNAKE_CASE" => Case::ScreamingSnake,
            "kebab-case" => Case::Kebab,
            "SCREAMING-KEBAB-CASE" => Case::ScreamingKebab,
            _ => return None,
        })
    }

    /// Changes a field's name, which is in snake case.
    pub(super) fn of_field(self, name: &str) -> String {
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_ascii_uppercase(),
            Case::Pascal => pascal(name),
            Case::Camel => lower_first(&pascal(name)),
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// Changes a variant's name, which is in Pascal case.
    pub(super) fn of_variant(self, name: &str) -> String {
        match self {
            Case::Pascal => name.to_owned(),
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Camel => lower_first(name),
            Case::Snake => snake(name),
            Case::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Case::Kebab => snake(name).replace('_', "-"),
            Case::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn pascal(name: &str) -> String {
    let capitalise = |word: &str| {
        let mut chars = word.chars();
        chars.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
    };
    name.split('_').map(capitalise).collect()
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + chars.as_str())
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.char_indices() {
        if at > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The serde attributes of a struct or enum.
#[derive(Debug, Default)]
pub(super) struct Container {
    pub(super) rename_all: Option<Case>,
    pub(super) transparent: bool,
    /// The reason why the declaration does not show the wire form.
    pub(super) opaque: Option<String>,
}

impl Container {
    pub(super) fn read(metas: &[Meta], findings: &mut Vec<Finding>) -> Self {
        let mut out = Container::default();
        for meta in metas {
            match meta.name.as_str() {
                "rename_all" => out.rename_all = case(meta, findings),
                "transparent" => out.transparent = true,
                "from" | "try_from" | "into" | "remote" | "untagged" | "tag" | "content" => {
                    out.opaque = Some(format!("its wire form is decided by serde({})", meta.name));
                }
                _ => {}
            }
        }
        out
    }
}

/// The serde attributes of a field or variant.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent attribute")]
pub(super) struct Member {
    pub(super) rename: Option<String>,
    pub(super) skip: bool,
    pub(super) flatten: bool,
    pub(super) omitempty: bool,
    /// A zero value is left out, whatever its type.
    pub(super) omitzero: bool,
    pub(super) untagged: bool,
    /// All attributes, by name.
    pub(super) all: BTreeMap<String, String>,
}

impl Member {
    pub(super) fn read(metas: &[Meta], findings: &mut Vec<Finding>) -> Self {
        let mut out = Member::default();
        for meta in metas {
            let value = directed(meta, findings).unwrap_or_default();
            match meta.name.as_str() {
                "rename" => out.rename = Some(value.clone()),
                "skip" => out.skip = true,
                "flatten" => out.flatten = true,
                "skip_serializing_if" => {
                    out.omitempty = true;
                    out.omitzero = value.rsplit("::").next() == Some("is_zero");
                }
                "untagged" => out.untagged = true,
                _ => {}
            }
            let entry = out.all.entry(meta.name.clone()).or_default();
            if !entry.is_empty() {
                entry.push(',');
            }
            entry.push_str(&value);
        }
        out.skip |= out.all.contains_key("skip_serializing") && out.all.contains_key("skip_deserializing");
        out
    }
}

fn case(meta: &Meta, findings: &mut Vec<Finding>) -> Option<Case> {
    let text = directed(meta, findings)?;
    let case = Case::parse(&text);
    if case.is_none() {
        findings.push(Finding::error(meta.span, format!("serde knows no case {text:?}")));
    }
    case
}

/// The value of an attribute that may differ by direction: what is written wins.
fn directed(meta: &Meta, findings: &mut Vec<Finding>) -> Option<String> {
    let find =
        |name: &str| meta.nested.iter().find(|nested| nested.name == name).and_then(|nested| nested.value.clone());
    let written = find("serialize");
    let read = find("deserialize");
    if let (Some(written), Some(read)) = (&written, &read)
        && written != read
    {
        let message = format!("written as {written:?} but read as {read:?}: rules see only the former");
        findings.push(Finding::warning(meta.span, message));
    }
    meta.value.clone().or(written).or(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_as_serde_changes_them() {
        for (case, field, variant) in [
            ("lowercase", "very_tasty", "verytasty"),
            ("UPPERCASE", "VERY_TASTY", "VERYTASTY"),
            ("PascalCase", "VeryTasty", "VeryTasty"),
            ("camelCase", "veryTasty", "veryTasty"),
            ("snake_case", "very_tasty", "very_tasty"),
            ("SCREAMING_SNAKE_CASE", "VERY_TASTY", "VERY_TASTY"),
            ("kebab-case", "very-tasty", "very-tasty"),
            ("SCREAMING-KEBAB-CASE", "VERY-TASTY", "VERY-TASTY"),
        ] {
            let case = Case::parse(case).unwrap();
            assert_eq!(case.of_field("very_tasty"), field, "{case:?}");
            assert_eq!(case.of_variant("VeryTasty"), variant, "{case:?}");
        }
        assert_eq!(Case::Camel.of_field("_x__y1"), "xY1");
        assert_eq!(Case::Snake.of_variant("IPv4"), "i_pv4");
        assert_eq!(Case::parse("Camel"), None);
    }
}
