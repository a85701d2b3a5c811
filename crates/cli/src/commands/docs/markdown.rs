//! Pages as Markdown.

use std::fmt::{self, Write};

use sprag_tags::{ArgSpec, Known, Payload, Registry, Scope, TagRule};

const TAGS_HEAD: &str = "\
<!-- Printed by `sprag docs tags`; do not edit. -->

# Tags

A tag is a comment line that starts with `+`, above a type, a field or a constant. Go and Rust use the same tags.
A tag that takes arguments has them in parentheses, one that takes a payload has it after `=`; a payload may be
another tag. Stability says how firm a tag's meaning is. Most tags are known to both dialects, `kubernetes` (the
default for Go) and `kep` (the default for Rust).

A tag that would have no effect is an error: one of an unknown name that begins with `k8s:`, one on an alias, one in a comment
that belongs to no declaration (in Rust, any but `///` and `//!`).

Tags of your own run functions of yours. A file declares them, for `Config::tags_file` in `build.rs` and for `--tags` of
`sprag gen`, `check`, `validate` and `docs tags`:

```yaml
apiVersion: sprag.dev/v1alpha1
kind: Tags
tags:
- name: acme:color
  function: crate::checks::color
  scopes: [field, listVal]
  summary: The string has to be a colour of a palette.
  args:
  - {name: palette, type: string, required: true, summary: The palette.}
  payload: {type: int}
```

The function gets the place, the new and the old value, then the arguments in this order and the payload (`&str`, an integer or a
`bool`; in an `Option` unless required), then the sink for errors, and returns whether it found any:
`fn color(at: &At<'_>, new: Option<&String>, old: Option<&String>, palette: &str, most: Option<i64>, errors: &mut Errors) -> bool`.
With `shortCircuit: true` the other checks of the place are skipped where it found errors, as after `+k8s:required`.
`words: \"at most {payload} of {palette}\"` is what `sprag explain` shows for the rule. With `constants: true` and `payload: {type: string}`, a tag
without payload passes the values of the type's declared constants, with commas between them.
With `onChange: true`, of fields only, the rule is about the change of an update: views of the type (`Config::compile_program`) call the
function with a `Change` in place of the value where hand-written code calls `check_<field>_update`. Nothing else runs it.
";

/// The reference of all tags, sorted by name, then what is not a rule.
pub(super) fn tags(registry: &Registry) -> String {
    let mut page = TAGS_HEAD.to_owned();
    let rules = registry.rules().iter().try_for_each(|rule| tag(&mut page, rule));
    rules
        .and_then(|()| markers(&mut page))
        .and_then(|()| formats(&mut page))
        .expect("writing to a string does not fail");
    page
}

fn formats(page: &mut String) -> fmt::Result {
    writeln!(page, "\n# Formats\n\nThe names that `+k8s:format` takes.\n\n| name | dialects | texts |\n|---|---|---|")?;
    for name in sprag_tags::formats() {
        writeln!(page, "| `{}` | {} | {} |", name.name, dialects(name.dialects), name.format.summary())?;
    }
    Ok(())
}

fn markers(page: &mut String) -> fmt::Result {
    writeln!(
        page,
        "\n# Tags that are no rules\n\nBoth dialects know them.\n\n| tag | stands on | says |\n|---|---|---|"
    )?;
    for marker in sprag_tags::MARKERS {
        writeln!(page, "| `{}` | {} | {} |", marker.example, marker.place, marker.summary)?;
    }
    Ok(())
}

fn dialects(known: Known) -> &'static str {
    match known {
        Known::Everywhere => "kubernetes, kep",
        Known::Kep => "kep",
    }
}

fn tag(page: &mut String, rule: &TagRule) -> fmt::Result {
    writeln!(page, "\n## `+{}`\n\n{}\n", rule.name, rule.summary)?;
    writeln!(page, "- Stability: {}", rule.stability)?;
    writeln!(page, "- Dialects: {}", dialects(rule.known))?;
    if let Some(function) = rule.function() {
        writeln!(page, "- Calls: `{function}`")?;
    }
    writeln!(page, "- Scopes: {}", scopes(&rule.scopes))?;
    if rule.kep_scopes() != &*rule.scopes || rule.kep_on_items {
        let item = if rule.kep_on_items { ", one selected list item" } else { "" };
        writeln!(page, "- Scopes (kep): {}{item}", scopes(rule.kep_scopes()))?;
    }
    if !rule.kep_aliases.is_empty() {
        let aliases: Vec<String> = rule.kep_aliases.iter().map(|alias| format!("`+{alias}`")).collect();
        writeln!(page, "- Also spelled (kep): {}", aliases.join(", "))?;
    }
    spelling(page, rule.args(), rule.payload, "")?;
    if rule.unknown_args {
        writeln!(page, "- Other named arguments are accepted")?;
    }
    if let Some((args, kep_payload)) = rule.kep_spelling {
        spelling(page, args, kep_payload, " (kep)")?;
    }
    if !rule.example.is_empty() {
        writeln!(page, "\n```\n{}\n```", rule.example)?;
    }
    Ok(())
}

fn scopes(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", ")
}

fn spelling(page: &mut String, args: &[ArgSpec], payload: Payload, dialect: &str) -> fmt::Result {
    if args.is_empty() {
        writeln!(page, "- Arguments{dialect}: none")?;
    } else {
        writeln!(page, "- Arguments{dialect}:")?;
    }
    for arg in args {
        let name = arg.name.map_or("positional".to_owned(), |name| format!("`{name}`"));
        let need = if arg.required { "required" } else { "optional" };
        writeln!(page, "  - {name} ({}, {need}): {}", arg.kind.name(), arg.docs)?;
    }
    let payload = match payload {
        Payload::None => "none".to_owned(),
        Payload::Literal(kind) => kind.name().to_owned(),
        Payload::OptionalLiteral(kind) => format!("{}, may be left out", kind.name()),
        Payload::Loose(kind) => format!("{}, a name, or left out", kind.name()),
        Payload::Raw => "any literal".to_owned(),
        Payload::Json => "a JSON value".to_owned(),
        Payload::Tag => "a tag".to_owned(),
        Payload::OptionalTag => "a tag, or nothing".to_owned(),
    };
    writeln!(page, "- Payload{dialect}: {payload}")
}
