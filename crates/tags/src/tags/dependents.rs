//! `+k8s:dependentRequired`, `+k8s:dependentForbidden`: a field that forces or forbids a sibling.

use sprag_idl::Tag;
use sprag_program::{Check, DependentRule, FieldRef, Rule};

use crate::lower::{Context, DeferTo, Lowered, Lowerer, Refusal};
use crate::registry::{ArgSpec, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

const SIBLING: &[ArgSpec] = &[ArgSpec::positional("The JSON name of the sibling.")];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:dependentRequired",
        Stability::Alpha,
        &[Scope::Field],
        "If this field is set, the named sibling must be set as well.",
        "+k8s:dependentRequired(endPort)",
        required,
    )
    .with_args(SIBLING),
    TagRule::new(
        "k8s:dependentForbidden",
        Stability::Alpha,
        &[Scope::Field],
        "If this field is set, the named sibling may not be set.",
        "+k8s:dependentForbidden(hostPort)",
        forbidden,
    )
    .with_args(SIBLING),
];

fn required(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, true)
}

fn forbidden(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, false)
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, required: bool) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let trigger = cx.member.ok_or("must be used on a struct field")?;
    let sibling = payload::arg(tag.positional()).unwrap_or_default();
    let dependent =
        universe.member(trigger.def, &sibling).ok_or_else(|| format!("no sibling field with JSON name {sibling:?}"))?;
    if dependent == trigger {
        return Err(format!("trigger and dependent field must be different (both are {sibling:?})").into());
    }
    if universe.field(trigger).field.inline {
        return Err(format!("trigger field {:?} has no JSON name", universe.field(trigger).field.name).into());
    }
    check_kind(lowerer, "trigger", trigger)?;
    check_kind(lowerer, "dependent", dependent)?;
    let rule = DependentRule { trigger, dependent, required };
    Ok(Lowered::later(DeferTo::Parent, move |_| Ok(Lowered::check(Check::new(Rule::Dependent(rule))))))
}

fn check_kind(lowerer: &Lowerer<'_>, role: &str, field: FieldRef) -> Result<(), Refusal> {
    let field = lowerer.universe.field(field);
    match lowerer.universe.kind(field.ty) {
        Kind::Pointer | Kind::Map | Kind::Slice | Kind::Builtin => Ok(()),
        kind => Err(format!("{role} field {:?} has unsupported type kind {}", field.field.name, kind.name()).into()),
    }
}
