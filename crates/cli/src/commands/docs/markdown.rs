//! Pages as Markdown.

use std::fmt::{self, Write};

use sprag_rules::{ArgSpec, Known, Payload, Registry, TagRule};

const TAGS_HEAD: &str = "\
<!-- Printed by `sprag docs tags`; do not edit. -->

# Tags

A tag is a comment line that starts with `+`, above a type, a field or a constant. Go and Rust use the same tags.
A tag that takes arguments has them in parentheses, one that takes a payload has it after `=`; a payload may be
another tag. Stability says how firm a tag's meaning is. Most tags are known to both dialects, `kubernetes` (the
default for Go) and `kep` (the default for Rust).
";

/// The reference of all tags, sorted by name.
pub(super) fn tags(registry: &Registry) -> String {
    let mut page = TAGS_HEAD.to_owned();
    let written = registry.rules().iter().try_for_each(|rule| tag(&mut page, rule));
    written.expect("writing to a string does not fail");
    page
}

fn tag(page: &mut String, rule: &TagRule) -> fmt::Result {
    writeln!(page, "\n## `+{}`\n\n{}\n", rule.name, rule.summary)?;
    let scopes: Vec<&str> = rule.scopes.iter().map(|scope| scope.name()).collect();
    let dialects = match rule.known {
        Known::Everywhere => "kubernetes, kep",
        Known::Kep => "kep",
    };
    writeln!(page, "- Stability: {}", rule.stability)?;
    writeln!(page, "- Dialects: {dialects}")?;
    writeln!(page, "- Scopes: {}", scopes.join(", "))?;
    if rule.kep_on_items {
        writeln!(page, "- Scopes (kep): {}, one selected list item", scopes.join(", "))?;
    }
    if !rule.kep_aliases.is_empty() {
        let aliases: Vec<String> = rule.kep_aliases.iter().map(|alias| format!("`+{alias}`")).collect();
        writeln!(page, "- Also spelled (kep): {}", aliases.join(", "))?;
    }
    spelling(page, rule.args, rule.payload, "")?;
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
        Payload::Tag => "a tag".to_owned(),
    };
    writeln!(page, "- Payload{dialect}: {payload}")
}
