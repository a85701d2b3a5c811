//! `+k8s:format` and `+k8s:pattern`: what a string must look like.

use sprag_checks::Regexp;
use sprag_checks::format::Format;
use sprag_field::quote;
use sprag_idl::Tag;
use sprag_program::{Check, PatternId, Rule};

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Known, LiteralKind, Payload, Scope, Stability, TagRule};
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
    let known = formats().filter(|known| known.dialects == Known::Everywhere || lowerer.dialect == Dialect::Kep);
    let known: Vec<FormatName> = known.collect();
    let Some(found) = known.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = known.iter().map(|known| known.name).collect();
        let refusal = Refusal::from(format!("unsupported validation format {}", quote::go(&name)));
        return Err(refusal.with_help(format!("known formats: {}", names.join(", "))));
    };
    Ok(Lowered::check(Check::new(Rule::Format(found.format))))
}

/// A name that `+k8s:format` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatName {
    /// The name.
    pub name: &'static str,
    /// The format.
    pub format: Format,
    /// The dialects that know the name.
    pub dialects: Known,
}

/// Names in the text of KEP-5073 for formats that have another name by now.
const KEP_NAMES: &[(&str, Format)] = &[("dns-label", Format::ShortName), ("ip", Format::Ip)];

/// All names that `+k8s:format` takes, each format's own one before its other ones.
pub fn formats() -> impl Iterator<Item = FormatName> {
    Format::ALL.iter().flat_map(|format| {
        // The reference documents `k8s-ip`, but its formatValidators do not have it.
        let dialects = if *format == Format::Ip { Known::Kep } else { Known::Everywhere };
        let own = FormatName { name: format.name(), format: *format, dialects };
        let others = KEP_NAMES.iter().filter(move |(_, named)| named == format);
        std::iter::once(own).chain(others.map(|(name, format)| FormatName {
            name,
            format: *format,
            dialects: Known::Kep,
        }))
    })
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
