//! `+k8s:eachVal`, `+k8s:eachKey`: a rule for every element, value or key.

use std::rc::Rc;

use sprag_idl::Tag;
use sprag_program::{Rule, TypeId};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, PlacedCheck, Refusal, Step, Wrap};

use crate::registry::{Payload, Scope, Stability, TagRule};
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:eachVal",
        Stability::Stable,
        Scope::VALUES,
        "Applies the wrapped tag to every element of a list or every value of a map.",
        "+k8s:eachVal=+k8s:maxLength=63",
        each_val,
    )
    .takes(Payload::Tag),
    TagRule::new(
        "k8s:eachKey",
        Stability::Stable,
        Scope::VALUES,
        "Applies the wrapped tag to every key of a map.",
        "+k8s:eachKey=+k8s:format=k8s-label-key",
        each_key,
    )
    .takes(Payload::Tag),
];

fn each_val(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let kind = universe.kind(cx.ty);
    let (Kind::Slice | Kind::Array | Kind::Map, Some(elem)) = (kind, universe.elem(cx.ty)) else {
        return Err(format!("can only be used on list or map types ({})", kind.name()).into());
    };
    let inner = tag.inner().ok_or("missing validation tag")?;
    let list = kind != Kind::Map;
    let elem_cx = Context {
        scope: if list { Scope::ListVal } else { Scope::MapVal },
        ty: elem,
        path: format!("{}[(vals)]", cx.path),
        selector: list.then(Vec::new),
        owner: cx.owner.as_ref().map(|owner| owner.then(Step::Each { path: cx.path.clone(), ty: cx.ty })),
        ..inside(cx)
    };
    let mut lowered = lowerer.lower_tag(&elem_cx, inner)?;
    let mut result = Lowered { opaque_val: lowered.opaque, noted: lowered.noted, ..Lowered::default() };
    if lowerer.dialect == Dialect::Kep {
        let (hoisted, rest) = lowered.deferred.into_iter().partition(|work| work.to != DeferTo::Here);
        result.deferred = hoisted;
        lowered.deferred = rest;
    }
    let path = cx.path.clone();
    let ty = cx.ty;
    defer(&mut result, lowered, move |lowerer, lowered| wrap_each_val(lowerer, lowered, &path, ty));
    if result.is_empty() {
        return Err("no validation functions found".into());
    }
    Ok(result)
}

fn wrap_each_val(lowerer: &Lowerer<'_>, mut lowered: Lowered, path: &str, ty: TypeId) -> Result<Lowered, Refusal> {
    let is_list = lowerer.universe.kind(ty) != Kind::Map;
    if lowerer.dialect == Dialect::Kep && is_list && lowerer.declared_identity(path, ty).is_none() {
        refuse_transitions(&lowered)?;
    }
    if lowerer.dialect == Dialect::Kep {
        // They end the checks of one element, where there are no others.
        lowered.checks.retain(|placed| !placed.check.non_error);
        lowered.noted = true;
    }
    let identity = lowerer.identity(path, ty);
    let wrap: Wrap = Rc::new(move |placed: PlacedCheck, to| {
        if to == DeferTo::Owner {
            return placed;
        }
        let identity = identity.clone();
        placed.wrapped(|check| Rule::EachVal(identity, check))
    });
    Ok(lowered.wrap(&wrap))
}

/// Refuses rules about what becomes of an element: in an atomic list, no element is known to be the one before.
fn refuse_transitions(lowered: &Lowered) -> Result<(), Refusal> {
    let judges = |placed: &PlacedCheck| !placed.check.non_error && placed.check.rule.judges_transitions();
    if lowered.checks.iter().any(judges) {
        return Err("elements of an atomic list cannot be correlated on update: declare +k8s:listType=map, \
                    +k8s:listType=set or +k8s:unique, or put +k8s:immutable on the list itself"
            .into());
    }
    Ok(())
}

fn each_key(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let kind = universe.kind(cx.ty);
    let (Kind::Map, Some(key)) = (kind, universe.key(cx.ty)) else {
        return Err(format!("can only be used on map types ({})", kind.name()).into());
    };
    let inner = tag.inner().ok_or("missing validation tag")?;
    let key_cx =
        Context { scope: Scope::MapKey, ty: key, path: format!("{}[(keys)]", cx.path), owner: None, ..inside(cx) };
    let mut lowered = lowerer.lower_tag(&key_cx, inner)?;
    let mut result = Lowered { opaque_key: lowered.opaque, noted: lowered.noted, ..Lowered::default() };
    let checks = std::mem::take(&mut lowered.checks);
    result.add(wrap_each_key(Lowered { checks, ..Lowered::default() }));
    defer(&mut result, lowered, |_, lowered| Ok(wrap_each_key(lowered)));
    if result.is_empty() {
        return Err("no validation functions found".into());
    }
    Ok(result)
}

fn wrap_each_key(lowered: Lowered) -> Lowered {
    let wrap: Wrap = Rc::new(move |placed: PlacedCheck, _| placed.wrapped(Rule::EachKey));
    lowered.wrap(&wrap)
}

/// The context of a value inside the one at hand.
pub(crate) fn inside(cx: &Context) -> Context {
    Context {
        member: None,
        selector: None,
        parent_path: cx.path.clone(),
        parent_ty: Some(cx.ty),
        def: None,
        ..cx.clone()
    }
}

/// Wraps checks and deferred work once all tags of the place were seen.
fn defer(
    result: &mut Lowered,
    lowered: Lowered,
    wrap: impl Fn(&Lowerer<'_>, Lowered) -> Result<Lowered, Refusal> + Clone + 'static,
) {
    let Lowered { checks, deferred, .. } = lowered;
    if !checks.is_empty() {
        let wrap = wrap.clone();
        result
            .add(Lowered::later(DeferTo::Here, move |lowerer| wrap(lowerer, Lowered { checks, ..Lowered::default() })));
    }
    if !deferred.is_empty() {
        result.add(Lowered::later(DeferTo::Here, move |lowerer| {
            let resolved = Lowered { deferred, ..Lowered::default() }.resolve(lowerer)?;
            wrap(lowerer, resolved)
        }));
    }
}
