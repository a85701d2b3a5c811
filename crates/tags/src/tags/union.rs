//! `+k8s:unionMember`, `+k8s:unionDiscriminator`, `+k8s:zeroOrOneOfMember`: of several fields, one.

use std::collections::BTreeMap;

use sprag_idl::Tag;
use sprag_program::{Check, Demand, Literal, Members, Rule, UnionRule};

use crate::dialect::Dialect;
use crate::lower::{
    Context, DeferTo, Discriminator, Lowered, Lowerer, PlacedCheck, Prefix, Refusal, UnionMember, UnionRecord,
};
use crate::registry::{ArgSpec, Scope, Stability, TagRule};
use crate::tags::item;
use crate::tags::payload;
use crate::types::Kind;

const SCOPES: &[Scope] = &[Scope::Field, Scope::ListVal];
const UNION: ArgSpec = ArgSpec::named("union", "Which of several unions is meant.");
const MEMBER: &[ArgSpec] =
    &[UNION, ArgSpec::named("memberName", "The discriminator value of the member; its Go name by default.")];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:unionDiscriminator",
        Stability::Beta,
        SCOPES,
        "Marks the string field that says which union member is active.",
        "+k8s:unionDiscriminator",
        discriminator,
    )
    .with_args(&[UNION]),
    TagRule::new(
        "k8s:unionMember",
        Stability::Stable,
        SCOPES,
        "Makes the field, or the selected list item, a member of a union of which exactly one must be set.",
        "+k8s:unionMember",
        member,
    )
    .with_args(MEMBER),
    TagRule::new(
        "k8s:zeroOrOneOfMember",
        Stability::Stable,
        SCOPES,
        "Makes the field, or the selected list item, a member of a union of which at most one may be set.",
        "+k8s:zeroOrOneOfMember",
        zero_or_one,
    )
    .with_args(MEMBER),
];

/// The kind of union that a tag adds to.
#[derive(Clone, Copy)]
enum Family {
    Union,
    ZeroOrOneOf,
}

impl Family {
    fn records<'l>(self, lowerer: &'l mut Lowerer<'_>) -> &'l mut BTreeMap<String, BTreeMap<String, UnionRecord>> {
        match self {
            Family::Union => &mut lowerer.records.unions,
            Family::ZeroOrOneOf => &mut lowerer.records.zero_or_one,
        }
    }
}

fn discriminator(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    if !universe.is_string(cx.ty) {
        let name = universe.root_type_name(cx.ty);
        return Err(format!("can only be used on string types ({name})").into());
    }
    let discriminator = cx.member.map(|field| Discriminator { field, prefix: cx.prefix.clone(), span: tag.span });
    record(lowerer, cx, tag, Family::Union).discriminator = discriminator;
    Ok(Lowered::default())
}

fn member(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    add_member(lowerer, cx, tag, Family::Union)
}

fn zero_or_one(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    add_member(lowerer, cx, tag, Family::ZeroOrOneOf)
}

fn record<'l>(lowerer: &'l mut Lowerer<'_>, cx: &Context, tag: &Tag, family: Family) -> &'l mut UnionRecord {
    let name = payload::arg(tag.named("union")).unwrap_or_default();
    family.records(lowerer).entry(cx.parent_path.clone()).or_default().entry(name).or_default()
}

fn add_member(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, family: Family) -> Result<Lowered, Refusal> {
    let value = payload::arg(tag.named("memberName"));
    match (cx.scope, &cx.selector) {
        (Scope::Field, _) => add_field(lowerer, cx, tag, family, value)?,
        (_, Some(selector)) if !selector.is_empty() => {
            let label = cx.path.rsplit('.').next().unwrap_or_default().to_owned();
            let selector = selector.clone();
            let union = record(lowerer, cx, tag, family);
            let value = value.unwrap_or_default();
            let prefix = cx.prefix.clone();
            union.members.push(UnionMember { label: label.clone(), value, prefix, span: tag.span });
            if union.items.insert(label.clone(), selector).is_some() {
                return Err(format!("list-item union member {label:?} already exists").into());
            }
        }
        _ => return Err("list-item union member has no list selector in context".into()),
    }
    let cx = cx.clone();
    Ok(Lowered::later(DeferTo::Parent, move |lowerer| all_unions(lowerer, &cx, family)))
}

fn add_field(
    lowerer: &mut Lowerer<'_>,
    cx: &Context,
    tag: &Tag,
    family: Family,
    value: Option<String>,
) -> Result<(), Refusal> {
    let universe = lowerer.universe;
    let member = cx.member.ok_or("struct-field union member has no member info in context")?;
    let kind = universe.kind(cx.ty);
    if !matches!(kind, Kind::Pointer | Kind::Map | Kind::Slice | Kind::Builtin) {
        return Err(format!("can only be used on nilable and primitive types ({})", kind.name()).into());
    }
    let field = &universe.field(member).field;
    if field.inline || field.ignored {
        return Err(format!("field {:?} is a union member but has no JSON name", field.name).into());
    }
    let label = field.path_name().to_owned();
    let value = value.unwrap_or_else(|| field.name.clone());
    let union = record(lowerer, cx, tag, family);
    union.members.push(UnionMember { label, value, prefix: cx.prefix.clone(), span: tag.span });
    union.fields.push(member);
    Ok(())
}

/// The checks of all unions of a struct or list; the first member to ask gets them.
fn all_unions(lowerer: &mut Lowerer<'_>, cx: &Context, family: Family) -> Result<Lowered, Refusal> {
    let Some(unions) = family.records(lowerer).remove(&cx.parent_path) else { return Ok(Lowered::default()) };
    let mut all = Lowered::default();
    for union in unions.into_values() {
        let prefix = common_prefix(lowerer.dialect, &union)?;
        let rule = Rule::Union(Box::new(union_rule(lowerer, cx, union, family)?));
        all.checks.push(PlacedCheck::under(&prefix, Check::new(rule)));
    }
    Ok(all)
}

/// Advice for members whose prefixes differ.
pub(super) fn same_prefix_help(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Kubernetes => {
            "the union is one rule with one stage: put the same +k8s:alpha= or +k8s:beta=, or none, before the tags of all \
             members and of the discriminator"
        }
        Dialect::Kep => {
            "the union is one rule: put the same stage and conditions, or none, before the tags of all members and of the \
             discriminator"
        }
    }
}

/// Returns the prefix of a union. Its members must agree on the stage: one of them cannot switch off, or enforce, the rule of the
/// others. In the kep dialect they agree on conditions, too; with the reference, those of the first member hold for all.
fn common_prefix(dialect: Dialect, union: &UnionRecord) -> Result<Prefix, Refusal> {
    let members = union.members.iter().map(|member| (member.label.as_str(), &member.prefix, member.span));
    let discriminator = union.discriminator.iter().map(|found| ("its discriminator", &found.prefix, found.span));
    let Some((first, known, _)) = members.clone().next() else { return Ok(Prefix::default()) };
    for (label, prefix, span) in members.chain(discriminator) {
        let (differs, mode) = match dialect {
            Dialect::Kubernetes => (prefix.stage != known.stage, false),
            Dialect::Kep => (prefix != known, prefix.has_mode()),
        };
        if differs {
            let message =
                format!("members of a union must have the same prefix: {first} has {known}, {label} has {prefix}");
            return Err(Refusal::at(span, message).with_help(same_prefix_help(dialect)));
        }
        if mode {
            return Err("a member of a union cannot depend on a mode: put +k8s:ifMode on rules of the member".into());
        }
    }
    Ok(known.clone())
}

fn union_rule(lowerer: &Lowerer<'_>, cx: &Context, union: UnionRecord, family: Family) -> Result<UnionRule, Refusal> {
    let universe = lowerer.universe;
    if !union.fields.is_empty() && !union.items.is_empty() {
        return Err("cannot have both field members and item members".into());
    }
    let demand = match (family, union.discriminator.as_ref().map(|found| found.field)) {
        (Family::ZeroOrOneOf, _) => Demand::AtMostOne,
        (Family::Union, None) => Demand::ExactlyOne,
        (Family::Union, Some(field)) => Demand::Discriminated {
            field,
            name: universe.field(field).field.path_name().to_owned(),
            values: union.members.iter().map(|member| member.value.clone()).collect(),
        },
    };
    let members = if union.items.is_empty() {
        Members::Fields(union.fields)
    } else {
        Members::Items(item_members(lowerer, cx, &union)?)
    };
    let labels = union.members.into_iter().map(|member| member.label).collect();
    Ok(UnionRule { demand, labels, members })
}

/// The selectors of item members.
fn item_members(
    lowerer: &Lowerer<'_>,
    cx: &Context,
    union: &UnionRecord,
) -> Result<Vec<Vec<sprag_program::Term>>, Refusal> {
    let list = cx.parent_ty.ok_or("list-item union member has no list")?;
    let elem = lowerer.universe.elem(list).ok_or("list-item union member has no list")?;
    let mut members = Vec::new();
    // The reference looks at items in the order of their labels, while it names them in the order of their tags.
    for selector in union.items.values() {
        let mut criteria: Vec<(&str, Literal)> =
            selector.iter().map(|(key, value)| (key.as_str(), as_text(value))).collect();
        criteria.sort_by_key(|(key, _)| *key);
        members.push(item::select(lowerer, elem, criteria.iter().map(|(key, value)| (*key, value)))?);
    }
    Ok(members)
}

/// Item members are compared as strings, so that only string keys are admitted.
fn as_text(value: &Literal) -> Literal {
    Literal::String(match value {
        Literal::String(text) => text.clone(),
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
    })
}
