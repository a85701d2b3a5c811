//! `+k8s:required`, `+k8s:optional`, `+k8s:forbidden`: whether a field must, may or must not be set.

use sprag_field::quote;
use sprag_idl::model::Builtin;
use sprag_idl::{Tag, raw_value, tag_name};
use sprag_program::{Check, Rule};
use sprag_value::{Value, json};

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, PlacedCheck, Refusal};
use crate::registry::{Scope, Stability, TagRule};
use crate::tags::feature;
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:required",
        Stability::Stable,
        &[Scope::Field],
        "The field must be set; when it is not, its other checks are skipped. A field with a feature gate must be set only \
         while that is on.",
        "+k8s:required",
        required,
    ),
    TagRule::new(
        "k8s:optional",
        Stability::Stable,
        &[Scope::Field],
        "The field may be unset, in which case its other checks are skipped silently; with a default that is not the \
         zero value it behaves like required.",
        "+k8s:optional",
        optional,
    ),
    TagRule::new(
        "k8s:forbidden",
        Stability::Beta,
        &[Scope::Field],
        "The field must be unset; stops other checks of the field either way.",
        "+k8s:forbidden",
        forbidden,
    )
    .kep_on_items(),
];

fn required(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    refuse_struct(lowerer, cx, "k8s:required")?;
    // Under a prefix, or from the outside, it tightens what the field itself says.
    if lowerer.dialect == Dialect::Kep && cx.prefix.is_empty() && cx.is_own_field() {
        for (tag, other) in [("k8s:optional", "optional"), ("k8s:forbidden", "forbidden")] {
            if has_tag(lowerer, cx, tag) {
                return Err(format!("a field is either required or {other}").into());
            }
        }
    }
    Ok(Lowered::check(must_be_set(lowerer, cx)))
}

/// Demands a value. Of a field that belongs to a feature, only while that is on.
fn must_be_set(lowerer: &Lowerer<'_>, cx: &Context) -> Check {
    let required = Check::stopping(Rule::Required);
    feature::gates_of(lowerer, cx).fold(required, |check, gate| check.wrapped(|check| Rule::IfFeature { gate, check }))
}

fn optional(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    match default_of(lowerer, cx)? {
        Some(Default::Zero) => return Ok(Lowered { noted: true, ..Lowered::default() }),
        Some(Default::Set) => {
            refuse_struct(lowerer, cx, "k8s:required")?;
            return Ok(Lowered::check(must_be_set(lowerer, cx)));
        }
        None => {}
    }
    refuse_struct(lowerer, cx, "k8s:optional")?;
    Ok(Lowered::check(Check::quiet(Rule::Optional)))
}

fn forbidden(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    if cx.is_item() {
        return Ok(Lowered::check(Check::stopping(Rule::Forbidden)));
    }
    refuse_struct(lowerer, cx, "k8s:forbidden")?;
    let checks =
        vec![PlacedCheck::new(Check::stopping(Rule::Forbidden)), PlacedCheck::new(Check::quiet(Rule::Optional))];
    Ok(Lowered { checks, ..Lowered::default() })
}

fn refuse_struct(lowerer: &Lowerer<'_>, cx: &Context, tag: &str) -> Result<(), Refusal> {
    if lowerer.universe.kind(cx.ty) == Kind::Struct {
        return Err(format!("non-pointer structs cannot use the {tag:?} tag").into());
    }
    Ok(())
}

/// Tells if the field has a tag with this name.
pub(crate) fn has_tag(lowerer: &Lowerer<'_>, cx: &Context, name: &str) -> bool {
    cx.member.is_some_and(|member| {
        lowerer.universe.field(member).field.tags.iter().any(|line| tag_name(&line.text) == Some(name))
    })
}

/// True if a field's own declaration says what holds while it is unset, and no default sets it.
pub(crate) fn may_be_unset(lowerer: &Lowerer<'_>, cx: &Context) -> Result<bool, Refusal> {
    let says = ["k8s:optional", "k8s:required", "k8s:featureGate"].iter().any(|tag| has_tag(lowerer, cx, tag));
    Ok(says && default_of(lowerer, cx)?.is_none())
}

/// The effect of a field's default on its requiredness.
pub(crate) enum Default {
    /// The zero value of a value type.
    Zero,
    /// Anything else.
    Set,
}

/// The default that a field declares.
pub(crate) fn default_of(lowerer: &Lowerer<'_>, cx: &Context) -> Result<Option<Default>, Refusal> {
    let Some(member) = cx.member else { return Ok(None) };
    let field = &lowerer.universe.field(member).field;
    let kep = lowerer.dialect == Dialect::Kep;
    let payloads: Vec<&str> = field
        .tags
        .iter()
        .filter(|line| match tag_name(&line.text) {
            Some("default") => true,
            Some("k8s:default") => kep,
            _ => false,
        })
        .map(|line| raw_value(&line.text).unwrap_or_default())
        .collect();
    let payload = match payloads[..] {
        [] => return Ok(None),
        [payload] => payload,
        _ => {
            let names = vec!["\"default\""; payloads.len()].join(" ");
            return Err(format!("+default tag with multiple values: [{names}]").into());
        }
    };
    let parsed = json::parse(payload.as_bytes())
        .map_err(|error| format!("failed to parse default value {}: {error}", quote::go(payload)))?;
    if parsed.is_null() {
        return Err(format!("failed to parse default value {}: unmarshalled to nil", quote::go(payload)).into());
    }
    if lowerer.universe.is_nilable(cx.ty) {
        return Ok(Some(Default::Set));
    }
    let Some(builtin) = lowerer.universe.builtin(cx.ty) else {
        let name = lowerer.universe.type_name(lowerer.universe.native(cx.ty).base);
        return Err(format!("unknown zero-value for type {name}").into());
    };
    Ok(Some(if is_zero(builtin, &parsed) { Default::Zero } else { Default::Set }))
}

fn is_zero(builtin: Builtin, value: &Value) -> bool {
    match builtin {
        Builtin::String => value.as_str() == Some(""),
        Builtin::Bool => value.as_bool() == Some(false),
        _ => value.as_f64() == Some(0.0),
    }
}
