//! `+k8s:modeDiscriminator`, `+k8s:ifMode`: rules of a field that depend on the value of another.

use std::collections::BTreeMap;

use sprag_field::{Stage, quote};
use sprag_idl::Tag;
use sprag_idl::model::Builtin;
use sprag_program::{Check, FieldRef, Literal, Mode, ModeRule, Rule};

use crate::lower::{Context, DeferTo, Lowered, Lowerer, ModeGroup, ModeMember, ModeValue, PlacedCheck, Refusal};
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
    let lowered = lowerer.lower_tag(cx, inner)?;
    let name = lowerer.universe.field(member).field.name.clone();
    let rules = group(lowerer, cx, &modality)?.members.entry(name);
    let rules = rules.or_insert_with(|| ModeMember { field: member, rules: Vec::new() });
    rules.rules.push(ModeValue { value, lowered, stage: cx.stage });
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
        for member in group.members.into_values() {
            let mut placed =
                PlacedCheck::new(Check::new(Rule::Mode(Box::new(mode_rule(lowerer, discriminator, member)?))));
            placed.own_stages = true;
            all.checks.push(placed);
        }
    }
    Ok(all)
}

fn mode_rule(lowerer: &Lowerer<'_>, discriminator: FieldRef, member: ModeMember) -> Result<ModeRule, Refusal> {
    let universe = lowerer.universe;
    let field = universe.field(member.field);
    if universe.kind(field.ty) == Kind::Struct {
        return Err("discriminated member fields of struct type must be pointers".into());
    }
    let mut modes: BTreeMap<String, Vec<Check>> = BTreeMap::new();
    let first = member.rules.first().map_or(Stage::Stable, |rule| rule.stage);
    let uniform = member.rules.iter().all(|rule| rule.stage == first);
    for rule in member.rules {
        // Deferred rules are dropped as the reference drops them; the value still counts as having a rule.
        let checks = modes.entry(rule.value).or_default();
        for mut placed in rule.lowered.checks {
            if rule.stage != Stage::Stable {
                placed.check.stage = rule.stage;
            }
            checks.push(placed.check);
        }
    }
    let of_bool = universe.builtin(universe.field(discriminator).ty) == Some(Builtin::Bool);
    let modes = modes.into_iter().map(|(value, checks)| {
        let value = if of_bool {
            Literal::Bool(payload::parse_bool(&value).map_err(|error| {
                let value = quote::go(&value);
                format!("invalid discriminator value {value}: cannot parse {value} as bool: {error}")
            })?)
        } else {
            Literal::String(value)
        };
        Ok(Mode { value, checks })
    });
    Ok(ModeRule {
        discriminator,
        field: member.field,
        name: field.field.path_name().to_owned(),
        modes: modes.collect::<Result<_, String>>()?,
        forbidden_stage: if uniform { first } else { Stage::Stable },
    })
}
