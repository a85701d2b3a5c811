//! `+k8s:minimum`, `+k8s:maximum` and their exclusive forms: bounds on integers, given as numbers or by field.

use sprag_idl::model::Builtin;
use sprag_idl::{Scalar, Tag, TagValue};
use sprag_program::{BoundSide, Check, DefId, FieldRef, IntegerBoundByField, Rule, TypeId};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, Refusal, Step};
use crate::registry::{ArgSpec, LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::{item, payload, presence};
use crate::types::Kind;

const INT: Payload = Payload::Literal(LiteralKind::Int);
const BOUND: Payload = Payload::Loose(LiteralKind::Int);
const CONSTRAINT: &[ArgSpec] = &[ArgSpec::named(
    "constraint",
    "The field that holds the bound: JSON names joined by dots, from the struct that the tag is written in.",
)];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:minimum",
        Stability::Stable,
        Scope::VALUES,
        "The integer may not be below the bound.",
        "+k8s:minimum=0",
        minimum,
    )
    .takes(INT)
    .kep_spells(CONSTRAINT, BOUND),
    TagRule::new(
        "k8s:maximum",
        Stability::Stable,
        Scope::VALUES,
        "The integer may not be above the bound.",
        "+k8s:maximum=65535",
        maximum,
    )
    .takes(INT)
    .kep_spells(CONSTRAINT, BOUND),
    TagRule::new(
        "k8s:exclusiveMinimum",
        Stability::Beta,
        Scope::VALUES,
        "The integer must be above the bound.",
        "+k8s:exclusiveMinimum=0",
        exclusive_minimum,
    )
    .with_args(CONSTRAINT)
    .takes(BOUND)
    .kep_only(),
    TagRule::new(
        "k8s:exclusiveMaximum",
        Stability::Beta,
        Scope::VALUES,
        "The integer must be below the bound.",
        "+k8s:exclusiveMaximum=100",
        exclusive_maximum,
    )
    .with_args(CONSTRAINT)
    .takes(BOUND)
    .kep_only(),
];

fn minimum(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, BoundSide::Minimum)
}

fn maximum(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, BoundSide::Maximum)
}

fn exclusive_minimum(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, BoundSide::ExclusiveMinimum)
}

fn exclusive_maximum(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, BoundSide::ExclusiveMaximum)
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, side: BoundSide) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let Some((bits, signed)) = universe.builtin(cx.ty).and_then(Builtin::int_bits) else {
        let name = universe.root_type_name(cx.ty);
        return Err(format!("can only be used on integer types ({name})").into());
    };
    if let Some(path) = bound_field(lowerer, tag)? {
        return lower_by_field(lowerer, cx, side, &path);
    }
    // The reference takes an int8 for an unsigned byte.
    let signed = signed && (bits > 8 || lowerer.dialect == Dialect::Kep);
    let bound = payload::parse_sized(&payload::text(tag), bits, signed)
        .map_err(|error| format!("failed to parse tag payload: {error}"))?;
    Ok(Lowered::check(Check::new(Rule::IntegerBound(side, bound))))
}

/// The field that holds the bound, where one is named.
fn bound_field(lowerer: &Lowerer<'_>, tag: &Tag) -> Result<Option<String>, Refusal> {
    if lowerer.dialect == Dialect::Kubernetes {
        return Ok(None);
    }
    match (tag.named("constraint"), &tag.value) {
        (Some(path), TagValue::None) => Ok(Some(path.text())),
        (None, TagValue::Scalar(Scalar::String(path))) => Ok(Some(path.clone())),
        (None, TagValue::Scalar(_)) => Ok(None),
        (Some(_), _) => Err("the bound is given twice".into()),
        (None, _) => Err("missing the bound: a number, or constraint: with the name of a field".into()),
    }
}

fn lower_by_field(lowerer: &mut Lowerer<'_>, cx: &Context, side: BoundSide, path: &str) -> Result<Lowered, Refusal> {
    let Some(owner) = cx.owner.clone() else {
        return Err("a bound by field needs a struct that holds both fields".into());
    };
    if cx.prefix.has_mode() {
        return Err(
            "a bound by field cannot depend on a mode: it is judged at the struct that holds both fields".into()
        );
    }
    let bound = resolve(lowerer, owner.def, path).map_err(|refusal| at_the_field_itself(lowerer, cx, path, refusal))?;
    let last = lowerer.universe.field(*bound.last().expect("a path has at least one field"));
    if !lowerer.universe.builtin(last.ty).is_some_and(Builtin::is_integer) {
        return Err(format!("field {path:?} is not an integer and cannot be a bound").into());
    }
    let stage = cx.prefix.stage;
    let cx = cx.clone();
    Ok(Lowered::later(DeferTo::Owner, move |lowerer| {
        let check = Box::new(way(lowerer, &cx, &owner.steps, Check::new(Rule::IntegerBoundOfOwner(side)))?);
        let rule = IntegerBoundByField { side, bound, check };
        Ok(Lowered::check(Check { stage, ..Check::new(Rule::IntegerBoundByField(rule)) }))
    }))
}

/// A check of a value below a struct as one of the struct.
fn way(lowerer: &Lowerer<'_>, cx: &Context, steps: &[Step], check: Check) -> Result<Check, Refusal> {
    steps.iter().rev().try_fold(check, |check, step| {
        let check = Box::new(check);
        Ok(Check::new(match step {
            Step::Field(field) => {
                let is_bound = matches!(check.rule, Rule::IntegerBoundOfOwner(_));
                let cx = Context { member: Some(*field), ..cx.clone() };
                let check = if is_bound && presence::may_be_unset(lowerer, &cx)? {
                    Box::new(Check::new(Rule::IfSet(check)))
                } else {
                    check
                };
                Rule::Subfield(*field, check)
            }
            Step::Each { path, ty } => Rule::EachVal(lowerer.identity(path, *ty), check),
            Step::Item(selection) => Rule::Item(item::terms(lowerer, selection)?, check),
        }))
    })
}

/// Says where to put a tag whose bound is next to the value, and not in the struct that the tag is written in.
fn at_the_field_itself(lowerer: &Lowerer<'_>, cx: &Context, path: &str, refusal: Refusal) -> Refusal {
    let universe = lowerer.universe;
    let Some(member) = cx.member.filter(|_| !cx.is_own_field()) else { return refusal };
    if resolve(lowerer, member.def, path).is_err() {
        return refusal;
    }
    let def = universe.def_name(member.def);
    let name = universe.field(member).field.path_name();
    refusal.with_help(format!(
        "constraint: names a field of the struct that the tag is written in; for {path:?} of {def}, put the tag on {name} there"
    ))
}

/// The fields a dotted path of JSON names leads through.
fn resolve(lowerer: &Lowerer<'_>, from: DefId, path: &str) -> Result<Vec<FieldRef>, Refusal> {
    let universe = lowerer.universe;
    let mut fields = Vec::new();
    let mut at: Option<DefId> = Some(from);
    for name in path.split('.') {
        let Some(def) = at else {
            return Err(format!("{name:?} in {path:?} is not below a struct").into());
        };
        let Some(way) = way_to(lowerer, def, name, MAX_EMBEDDED) else {
            let def = universe.def_name(def);
            return Err(format!("no field with JSON name {name:?} in {def} (from {path:?})").into());
        };
        at = way.last().and_then(|field| struct_below(lowerer, universe.field(*field).ty));
        fields.extend(way);
    }
    Ok(fields)
}

/// Structs embedded more than this deep have no members for bounds.
const MAX_EMBEDDED: usize = 16;

/// The field with a JSON name, after the embedded structs that hold it.
fn way_to(lowerer: &Lowerer<'_>, def: DefId, name: &str, depth: usize) -> Option<Vec<FieldRef>> {
    let universe = lowerer.universe;
    if let Some(field) = universe.member(def, name) {
        return Some(vec![field]);
    }
    let embedded = universe.fields(def).iter().enumerate().filter(|(_, field)| field.field.inline);
    embedded.filter(|_| depth > 0).find_map(|(index, field)| {
        let inside = struct_below(lowerer, field.ty)?;
        let mut way = way_to(lowerer, inside, name, depth - 1)?;
        way.insert(0, FieldRef { def, index });
        Some(way)
    })
}

fn struct_below(lowerer: &Lowerer<'_>, ty: TypeId) -> Option<DefId> {
    match lowerer.universe.pointee_kind(ty) {
        Kind::Struct => lowerer.universe.struct_of(ty),
        _ => None,
    }
}
