//! `+k8s:minLength`, `+k8s:maxItems` and the like: limits on the length of strings and the size of lists and maps.

use sprag_idl::Tag;
use sprag_program::{Check, Rule};

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

const INT: Payload = Payload::Literal(LiteralKind::Int);
const LISTS: &[Scope] = &[Scope::Type, Scope::Field, Scope::ListVal, Scope::MapVal];
const MAPS: &[Scope] = &[Scope::Type, Scope::Field];

/// The largest bound on the number of map entries.
const MAX_PROPERTIES: u64 = 100_000;

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:minLength",
        Stability::Stable,
        Scope::VALUES,
        "The string must hold at least this many characters; zero or less checks nothing.",
        "+k8s:minLength=1",
        min_length,
    )
    .takes(INT),
    TagRule::new(
        "k8s:maxLength",
        Stability::Stable,
        Scope::VALUES,
        "The string may hold at most this many characters.",
        "+k8s:maxLength=63",
        max_length,
    )
    .takes(INT),
    TagRule::new(
        "k8s:maxBytes",
        Stability::Stable,
        Scope::VALUES,
        "The string may take at most this many bytes.",
        "+k8s:maxBytes=1024",
        max_bytes,
    )
    .takes(INT),
    TagRule::new(
        "k8s:minItems",
        Stability::Stable,
        LISTS,
        "The list must have at least this many elements.",
        "+k8s:minItems=1",
        min_items,
    )
    .takes(INT),
    TagRule::new(
        "k8s:maxItems",
        Stability::Stable,
        LISTS,
        "The list may have at most this many elements; more stop the other checks of the field.",
        "+k8s:maxItems=16",
        max_items,
    )
    .takes(INT),
    TagRule::new(
        "k8s:minProperties",
        Stability::Stable,
        MAPS,
        "The map must have at least this many entries.",
        "+k8s:minProperties=1",
        min_properties,
    )
    .takes(INT),
    TagRule::new(
        "k8s:maxProperties",
        Stability::Stable,
        MAPS,
        "The map may have at most this many entries; more stop the other checks of the field.",
        "+k8s:maxProperties=16",
        max_properties,
    )
    .takes(INT),
];

fn min_length(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_string(lowerer, cx)?;
    Ok(match u64::try_from(payload::int(tag)?) {
        Err(_) | Ok(0) => Lowered::default(),
        Ok(min) => Lowered::check(Check::new(Rule::MinLength(min))),
    })
}

fn max_length(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_string(lowerer, cx)?;
    Ok(Lowered::check(Check::new(Rule::MaxLength(payload::size(tag)?))))
}

fn max_bytes(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_string(lowerer, cx)?;
    Ok(Lowered::check(Check::new(Rule::MaxBytes(payload::size(tag)?))))
}

fn min_items(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_list(lowerer, cx)?;
    Ok(Lowered::check(Check::new(Rule::MinItems(payload::size(tag)?))))
}

fn max_items(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_list(lowerer, cx)?;
    Ok(Lowered::check(Check::stopping(Rule::MaxItems(payload::size(tag)?))))
}

fn min_properties(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_map(lowerer, cx)?;
    Ok(Lowered::check(Check::new(Rule::MinProperties(properties(tag)?))))
}

fn max_properties(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    want_map(lowerer, cx)?;
    Ok(Lowered::check(Check::stopping(Rule::MaxProperties(properties(tag)?))))
}

fn properties(tag: &Tag) -> Result<u64, Refusal> {
    let bound = payload::size(tag)?;
    if bound > MAX_PROPERTIES {
        return Err(format!("must be less than or equal to {MAX_PROPERTIES}").into());
    }
    Ok(bound)
}

/// Refuses anything but strings.
pub(crate) fn want_string(lowerer: &Lowerer<'_>, cx: &Context) -> Result<(), Refusal> {
    if lowerer.universe.is_string(cx.ty) {
        return Ok(());
    }
    Err(format!("can only be used on string types ({})", lowerer.universe.root_type_name(cx.ty)).into())
}

fn want_list(lowerer: &Lowerer<'_>, cx: &Context) -> Result<(), Refusal> {
    if matches!(lowerer.universe.kind(cx.ty), Kind::Slice | Kind::Array) {
        return Ok(());
    }
    Err(format!("can only be used on list types ({})", lowerer.universe.native_type_name(cx.ty)).into())
}

fn want_map(lowerer: &Lowerer<'_>, cx: &Context) -> Result<(), Refusal> {
    let universe = lowerer.universe;
    let name = universe.native_type_name(cx.ty);
    if universe.kind(cx.ty) != Kind::Map {
        return Err(format!("can only be used on map types ({name})").into());
    }
    if !universe.key(cx.ty).is_some_and(|key| universe.is_string(key)) {
        return Err(format!("can only be used on map types with string-based keys ({name})").into());
    }
    Ok(())
}
