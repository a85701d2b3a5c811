//! `+k8s:subfield`: a rule for a field of this struct, from the outside.

use std::rc::Rc;

use sprag_field::{Stage, quote};
use sprag_idl::Tag;
use sprag_program::{FieldRef, Rule};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Deferred, Lowered, Lowerer, PlacedCheck, Refusal, Refusals, Step, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};
use crate::tags::each::inside;
use crate::tags::{opaque, payload, presence};
use crate::types::Type;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:subfield",
    Stability::Stable,
    Scope::VALUES,
    "Applies the wrapped tag to a direct child field of this struct, from the outside.",
    "+k8s:subfield(name)=+k8s:format=k8s-short-name",
    lower,
)
.with_args(&[ArgSpec::positional("The JSON name of the field.")])
.takes(Payload::Tag)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let inner = tag.inner().ok_or("missing validation tag")?;
    if lowerer.dialect == Dialect::Kubernetes
        && std::iter::successors(Some(inner), |tag| tag.inner()).any(|tag| tag.name == "k8s:subfield")
    {
        return Err(
            "nested +k8s:subfield tags are unsupported; apply validations directly to the nested type instead".into()
        );
    }
    let Some(def) = universe.struct_of(cx.ty) else {
        let kind = universe.pointee_kind(cx.ty).name();
        let refusal = Refusal::from(format!("can only be used on struct types: {kind}"));
        return Err(match universe.ty(universe.native(cx.ty).base) {
            Type::Foreign(name) => refusal.with_help(format!("the fields of {name} are not known: it was not read")),
            _ => refusal,
        });
    };
    let name = payload::arg(tag.positional()).unwrap_or_default();
    let field = universe.member(def, &name).ok_or_else(|| format!("no field for json name {}", quote::go(&name)))?;
    let sub_cx = Context {
        scope: Scope::Field,
        ty: universe.field(field).ty,
        path: format!("{}.{name}", cx.path),
        member: Some(field),
        owner: cx.owner.as_ref().map(|owner| owner.then(Step::Field(field))),
        ..inside(cx)
    };
    let lowered = lowerer.lower_tag(&sub_cx, inner)?;
    let stage = stage_of(inner);
    let cx = cx.clone();
    Ok(Lowered::later(DeferTo::Here, move |lowerer| {
        let mut all = lowered;
        if lowerer.dialect == Dialect::Kep {
            all = where_set(lowerer, &sub_cx, all)?;
        } else if !opaque::is_opaque(lowerer, &cx) {
            all.add(inherit(lowerer, &sub_cx, stage)?);
        }
        let mut wrapped = all.wrap(&wrap_subfield(field, name));
        for work in wrapped.deferred.iter_mut().filter(|work| work.to == DeferTo::Parent) {
            work.to = DeferTo::Here;
        }
        Ok(wrapped)
    }))
}

fn wrap_subfield(field: FieldRef, name: String) -> Wrap {
    Rc::new(move |placed: PlacedCheck, to| {
        if to != DeferTo::Here {
            return placed;
        }
        placed.wrapped(|check| Rule::Subfield(field, check)).in_cohort(&name)
    })
}

/// Checks of a field from the outside, which leave it alone while it is unset: its own declaration says whether it may be.
///
/// The reference repeats the declaration's stopping checks instead (`extractMemberShortCircuits`). Around elements they would stop
/// the rules of the whole list as soon as one element has the field unset.
fn where_set(lowerer: &Lowerer<'_>, cx: &Context, lowered: Lowered) -> Result<Lowered, Refusal> {
    if !presence::may_be_unset(lowerer, cx)? {
        return Ok(lowered);
    }
    let wrap: Wrap = Rc::new(|placed: PlacedCheck, to| {
        if to != DeferTo::Here || placed.check.short_circuit {
            return placed;
        }
        placed.wrapped(Rule::IfSet)
    });
    Ok(lowered.wrap(&wrap))
}

/// The least mature stage inside of a tag.
fn stage_of(tag: &Tag) -> Stage {
    let stages = std::iter::successors(Some(tag), |tag| tag.inner()).map(|tag| match tag.name.as_str() {
        "k8s:alpha" => Stage::Alpha,
        "k8s:beta" => Stage::Beta,
        _ => Stage::Stable,
    });
    stages.min().unwrap_or_default()
}

/// The stopping checks from the field's own declaration, as non-errors, once per place and stage: they come with a rule of this
/// stage, so they stop no more mature ones.
fn inherit(lowerer: &mut Lowerer<'_>, cx: &Context, stage: Stage) -> Result<Lowered, Refusal> {
    let stage = stage.min(cx.prefix.stage);
    if !lowerer.records.inherited.insert((cx.path.clone(), stage)) {
        return Ok(Lowered::default());
    }
    let Some(member) = cx.member else { return Ok(Lowered::default()) };
    let universe = lowerer.universe;
    let mut refusals = Refusals::default();
    let lowered = lowerer.lower_lines(cx, &universe.field(member).field.tags, &mut refusals);
    refusals.or(stops_only(lowered, stage))
}

fn stops_only(lowered: Lowered, stage: Stage) -> Lowered {
    let checks = lowered.checks.into_iter().filter(|placed| placed.check.short_circuit).map(|mut placed| {
        placed.check.non_error = true;
        placed.check.stage = placed.check.stage.min(stage);
        placed
    });
    let deferred = lowered.deferred.into_iter().map(|work| Deferred {
        to: work.to,
        run: Box::new(move |lowerer| Ok(stops_only((work.run)(lowerer)?, stage))),
    });
    Lowered { checks: checks.collect(), deferred: deferred.collect(), ..Lowered::default() }
}
