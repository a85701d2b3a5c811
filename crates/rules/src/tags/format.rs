//! `+k8s:format` and `+k8s:pattern`: what a string must look like.

use sprag_field::quote;
use sprag_idl::Tag;
use sprag_plan::{Check, PatternId, Rule};
use sprag_validate::Regexp;
use sprag_validate::format::Format;

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::tags::size_limits::want_string;

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:format",
        Stability::Stable,
        Scope::VALUES,
        "The string has to satisfy a named format.",
        "+k8s:format=k8s-short-name",
        format,
    )
    .takes(TEXT),
    TagRule::new(
        "k8s:pattern",
        Stability::Alpha,
        Scope::VALUES,
        "The string has to match a regular expression, in Go's syntax.",
        "+k8s:pattern=\"^[a-z]+$\"",
        pattern,
    )
    .takes(TEXT)
    .kep_only(),
];

const TEXT: Payload = Payload::Literal(LiteralKind::String);

fn format(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_string(lowerer, cx)?;
    let name = payload::text(tag);
    let format: Format = name.parse().map_err(|_| format!("unsupported validation format {}", quote::go(&name)))?;
    Ok(Lowered::check(Check::new(Rule::Format(format))))
}

fn pattern(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_string(lowerer, cx)?;
    let id = pattern_id(&mut lowerer.patterns, &payload::text(tag))?;
    Ok(Lowered::check(Check::new(Rule::Pattern(id))))
}

/// The position of a pattern among those of the plan; a new one is compiled.
fn pattern_id(patterns: &mut Vec<Regexp>, text: &str) -> Result<PatternId, Refusal> {
    let known = patterns.iter().position(|pattern| pattern.as_str() == text);
    let at = known.unwrap_or(patterns.len());
    if known.is_none() {
        patterns.push(Regexp::new(text).map_err(|error| error.to_string())?);
    }
    Ok(PatternId(u32::try_from(at).map_err(|_| "too many patterns")?))
}
