//! `+k8s:modeDiscriminator`, `+k8s:ifMode`: rules of a field that depend on the value of another.

use std::collections::BTreeMap;

use sprag_field::{Stage, quote};
use sprag_idl::Tag;
use sprag_idl::model::Builtin;
use sprag_program::{Check, FieldRef, Literal, Mode, ModeRule, Rule};

use crate::dialect::Dialect;
use crate::lower::{
    Condition, Context, DeferTo, Lowered, Lowerer, ModeGroup, ModeMember, ModeValue, PlacedCheck, Prefix, Refusal,
};
use crate::registry::{ArgSpec, LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

const MODALITY: ArgSpec = ArgSpec::named("modality", "Which of several discriminators is meant.");

/// The name under which the unnamed modality sorts.
const UNNAMED: &str = "default";

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:modeDiscriminator",
        Stability::Stable,
        &[Scope::Field],
        "Marks the string or bool field whose value picks the ifMode rules, optionally for a named modality.",
        "+k8s:modeDiscriminator",
        discriminator,
    )
    .with_args(&[MODALITY]),
    TagRule::new(
        "k8s:ifMode",
        Stability::Stable,
        &[Scope::Field],
        "Applies the wrapped tag to this field only for one value of a mode discriminator; for values without any \
         rule the field is forbidden.",
        "+k8s:ifMode(\"Static\")=+k8s:required",
        if_mode,
    )
    .with_args(&[
        ArgSpec { name: None, kind: LiteralKind::String, required: false, docs: "The discriminator value." },
        MODALITY,
        ArgSpec::named("mode", "The discriminator value."),
    ])
    .takes(Payload::Tag),
];

fn discriminator(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    if universe.kind(cx.ty) == Kind::Pointer {
        return Err("can only be used on non-pointer types".into());
    }
    if !matches!(universe.builtin(cx.ty), Some(Builtin::String | Builtin::Bool)) {
        let name = universe.root_type_name(cx.ty);
        return Err(format!("can only be used on string or bool types ({name})").into());
    }
    let name = payload::arg(tag.named("modality")).unwrap_or_default();
    if !name.is_empty() && !is_group_name(&name) {
        return Err(
            format!("discriminator group name must match ^[a-zA-Z][a-zA-Z0-9_]*$, got {}", quote::go(&name)).into()
        );
    }
    let group = group(lowerer, cx, &name)?;
    if group.discriminator.is_some_and(|known| Some(known) != cx.member) {
        return Err(format!("duplicate discriminator: {}", quote::go(&name)).into());
    }
    group.discriminator = cx.member;
    Ok(Lowered::default())
}

fn group<'l>(lowerer: &'l mut Lowerer<'_>, cx: &Context, name: &str) -> Result<&'l mut ModeGroup, Refusal> {
    if name == UNNAMED {
        return Err(format!("discriminator group name {} is reserved", quote::go(name)).into());
    }
    let name = if name.is_empty() { UNNAMED } else { name };
    let groups = lowerer.records.modes.entry(cx.parent_path.clone()).or_default();
    Ok(groups.entry(name.to_owned()).or_default())
}

fn is_group_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn if_mode(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let inner = tag.inner().ok_or("missing required payload")?;
    let modality = payload::arg(tag.named("modality")).unwrap_or_default();
    let value = payload::arg(tag.named("mode").or(tag.positional())).ok_or("missing required mode")?;
    let member = cx.member.ok_or("must be used on a struct field")?;
    group(lowerer, cx, &modality)?;
    let inner_cx = Context { prefix: cx.prefix.when(Condition::Mode(value.clone())), ..cx.clone() };
    let lowered = lowerer.lower_tag(&inner_cx, inner)?;
    if lowerer.dialect == Dialect::Kep && lowered.deferred.iter().any(|work| work.to != DeferTo::Here) {
        return Err("a rule about several fields cannot depend on a mode: put +k8s:ifMode on rules of one field".into());
    }
    let name = lowerer.universe.field(member).field.name.clone();
    let rules = group(lowerer, cx, &modality)?.members.entry(name);
    let rules = rules.or_insert_with(|| ModeMember { field: member, rules: Vec::new() });
    rules.rules.push(ModeValue { value, lowered, prefix: cx.prefix.clone() });
    let cx = cx.clone();
    Ok(Lowered::later(DeferTo::Parent, move |lowerer| all_modes(lowerer, &cx)))
}

/// The checks of all modalities of a struct; the first field to ask gets them.
fn all_modes(lowerer: &mut Lowerer<'_>, cx: &Context) -> Result<Lowered, Refusal> {
    let Some(groups) = lowerer.records.modes.remove(&cx.parent_path) else { return Ok(Lowered::default()) };
    let mut all = Lowered::default();
    for (name, group) in groups {
        let Some(discriminator) = group.discriminator else {
            if group.members.is_empty() {
                continue;
            }
            return Err(match name.as_str() {
                UNNAMED => "missing discriminator".into(),
                name => format!("missing discriminator for group {}", quote::go(name)).into(),
            });
        };
        for mut member in group.members.into_values() {
            if lowerer.dialect == Dialect::Kep {
                resolve(lowerer, &mut member)?;
            }
            let conditions = common_conditions(lowerer.dialect, &member.rules)?;
            let rule = Rule::Mode(Box::new(mode_rule(lowerer, discriminator, member)?));
            all.checks.push(PlacedCheck::under(&conditions, Check::new(rule)));
        }
    }
    Ok(all)
}

/// Runs the work that rules of modes left for later. The reference drops it, and with it the rule.
fn resolve(lowerer: &mut Lowerer<'_>, member: &mut ModeMember) -> Result<(), Refusal> {
    let name = lowerer.universe.field(member.field).field.name.clone();
    for rule in &mut member.rules {
        lowerer.run_deferred(&mut rule.lowered, None, &format!("mode {} of {name}", quote::go(&rule.value)))?;
    }
    Ok(())
}

fn mode_rule(lowerer: &Lowerer<'_>, discriminator: FieldRef, member: ModeMember) -> Result<ModeRule, Refusal> {
    let universe = lowerer.universe;
    let field = universe.field(member.field);
    if universe.kind(field.ty) == Kind::Struct {
        return Err("discriminated member fields of struct type must be pointers".into());
    }
    let mut modes: BTreeMap<String, (Stage, Vec<Check>)> = BTreeMap::new();
    let forbidden_stage = forbidden_stage(lowerer.dialect, &member.rules);
    for rule in member.rules {
        // With the reference, deferred rules are dropped; the value still counts as having a rule.
        let (stage, checks) = modes.entry(rule.value).or_insert((Stage::Alpha, Vec::new()));
        *stage = rule.prefix.stage.max(*stage);
        for mut placed in rule.lowered.checks {
            placed.check.stage = placed.check.stage.min(rule.prefix.stage);
            checks.push(placed.check);
        }
    }
    let of_bool = universe.builtin(universe.field(discriminator).ty) == Some(Builtin::Bool);
    let modes = modes.into_iter().map(|(value, (stage, checks))| {
        let value = if of_bool {
            Literal::Bool(payload::parse_bool(&value).map_err(|error| {
                let value = quote::go(&value);
                format!("invalid discriminator value {value}: cannot parse {value} as bool: {error}")
            })?)
        } else {
            Literal::String(value)
        };
        // With the reference, a rule of any stage says that the field may be set.
        let stage = if lowerer.dialect == Dialect::Kubernetes { Stage::Stable } else { stage };
        Ok(Mode { value, stage, checks })
    });
    Ok(ModeRule {
        discriminator,
        field: member.field,
        name: field.field.path_name().to_owned(),
        modes: modes.collect::<Result<_, String>>()?,
        forbidden_stage,
    })
}

/// Returns the conditions of a field's rules of modes, which must agree on them; their stages are those of single checks. With
/// the reference, the conditions of the first rule hold for all.
fn common_conditions(dialect: Dialect, rules: &[ModeValue]) -> Result<Prefix, Refusal> {
    let mut prefixes = rules.iter().map(|rule| rule.prefix.at_stage(Stage::Stable));
    let Some(first) = prefixes.next() else { return Ok(Prefix::default()) };
    match prefixes.find(|prefix| dialect == Dialect::Kep && *prefix != first) {
        None => Ok(first),
        Some(other) => {
            Err(format!("rules of modes of a field must have the same conditions: one has {first}, one {other}").into())
        }
    }
}

/// The stage of the error for a value without rules: the field has rules of modes as soon as one of them is enforced. The
/// reference takes rules of different stages for a stable one.
fn forbidden_stage(dialect: Dialect, rules: &[ModeValue]) -> Stage {
    let stages = || rules.iter().map(|rule| rule.prefix.stage);
    match (dialect, stages().min(), stages().max()) {
        (Dialect::Kubernetes, least, most) if least != most => Stage::Stable,
        (_, _, most) => most.unwrap_or_default(),
    }
}
