//! `+k8s:item`: a rule for the one list element with given keys.

use std::rc::Rc;

use sprag_field::quote;
use sprag_idl::{Scalar, Tag};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, PlacedCheck, Refusal, Semantic, Step, Wrap};
use crate::registry::{Payload, Scope, Stability, TagRule};
use crate::tags::each::inside;
use crate::tags::payload;
use crate::types::Kind;
use sprag_idl::model::Builtin;
use sprag_program::{Check, Literal, Rule, Term, TypeId};

pub(crate) static RULES: &[TagRule] = &[{
    let mut rule = TagRule::new(
        "k8s:item",
        Stability::Stable,
        Scope::VALUES,
        "Applies the wrapped tag to the one list element with the given key values; needs map semantics.",
        "+k8s:item(type: \"Approved\")=+k8s:immutable",
        lower,
    )
    .kep_calls(&["k8s:listMapItem"])
    .takes(Payload::Tag);
    rule.unknown_args = true;
    rule
}];

type Criteria = Vec<(String, Literal)>;

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    if universe.pointee_kind(cx.ty) != Kind::Slice {
        return Err("can only be used on list types".into());
    }
    let elem = universe.elem(cx.ty).ok_or("can only be used on list types")?;
    if universe.pointee_kind(elem) != Kind::Struct {
        return Err("can only be used on lists of structs".into());
    }
    let inner = tag.inner().ok_or("requires a validation tag as its value payload")?;
    let criteria = criteria(lowerer.dialect, tag)?;
    if criteria.is_empty() {
        return Err("no selection criteria was specified".into());
    }
    let cohort = selector_text(&criteria);
    let path = format!("{}[{cohort}]", cx.path);
    let selection = Selection { list: cx.path.clone(), ty: cx.ty, scope: cx.scope, criteria, cohort, elem };
    let item_cx = Context {
        scope: Scope::ListVal,
        ty: universe.native(elem).base,
        path,
        selector: Some(selection.criteria.clone()),
        owner: cx.owner.as_ref().map(|owner| owner.then(Step::Item(selection.clone()))),
        list_member: cx.member,
        ..inside(cx)
    };
    let lowered = lowerer.lower_tag(&item_cx, inner)?;
    Ok(later(lowered, &selection))
}

/// The list item that a tag selects.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The path of the list.
    list: String,
    /// The type of the list.
    ty: TypeId,
    scope: Scope,
    criteria: Criteria,
    cohort: String,
    elem: TypeId,
}

/// Wraps what the inner tag came to, once the list's keys are known.
fn later(lowered: Lowered, selection: &Selection) -> Lowered {
    let Lowered { checks, deferred, kept_item, noted, .. } = lowered;
    let mut result = Lowered { noted, ..Lowered::default() };
    if !checks.is_empty() || kept_item.is_some() {
        let selection = selection.clone();
        result.add(Lowered::later(DeferTo::Here, move |lowerer| {
            let terms = terms(lowerer, &selection)?;
            let wrap = wrap_item(terms.clone(), selection.cohort);
            let mut lowered = Lowered { checks, ..Lowered::default() }.wrap(&wrap);
            if let Some(stage) = kept_item {
                // Clearing the list removes the item too, so this is the list's own check, not the item's.
                let check = Check { stage, ..Check::stopping(Rule::ItemKept(terms)) };
                lowered.checks.push(PlacedCheck::new(check));
            }
            Ok(lowered)
        }));
    }
    for work in deferred {
        if work.to == DeferTo::Owner {
            result.deferred.push(work);
            continue;
        }
        let selection = selection.clone();
        let to = work.to;
        result.add(Lowered::later(DeferTo::Here, move |lowerer| {
            let resolved = (work.run)(lowerer)?;
            let terms = terms(lowerer, &selection)?;
            Ok(resolved.wrap_as(&wrap_item(terms, selection.cohort), to))
        }));
    }
    result
}

fn wrap_item(terms: Vec<Term>, cohort: String) -> Wrap {
    Rc::new(move |placed: PlacedCheck, to| {
        if to != DeferTo::Here {
            return placed;
        }
        let terms = terms.clone();
        placed.wrapped(|check| Rule::Item(terms, check)).in_cohort(&cohort)
    })
}

fn criteria(dialect: Dialect, tag: &Tag) -> Result<Criteria, Refusal> {
    let mut criteria: Criteria = Vec::new();
    let mut args: Vec<(Option<String>, Scalar)> =
        tag.args.iter().map(|arg| (arg.name.clone(), arg.value.clone())).collect();
    if dialect == Dialect::Kep
        && let [(Some(name), Scalar::List(pairs))] = &args[..]
        && name == "pairs"
    {
        args = pairs.iter().map(pair).collect::<Result<_, _>>()?;
    }
    for (name, value) in args {
        let name = name.ok_or("all arguments must be named")?;
        if criteria.iter().any(|(known, _)| *known == name) {
            return Err(format!("duplicate argument: {name:?}").into());
        }
        let value = match value {
            Scalar::String(text) => Literal::String(text),
            Scalar::Bool(value) => Literal::Bool(value),
            Scalar::Int(text) => Literal::Int(
                payload::parse_int(&text)
                    .map_err(|error| format!("invalid value for argument {name:?}: invalid integer: {error}"))?
                    .into(),
            ),
            Scalar::List(_) => return Err(format!("invalid value for argument {name:?}: a list is no key").into()),
        };
        criteria.push((name, value));
    }
    Ok(criteria)
}

/// One `[key, value]` of the KEP's `pairs` argument.
fn pair(scalar: &Scalar) -> Result<(Option<String>, Scalar), Refusal> {
    match scalar {
        Scalar::List(items) => match &items[..] {
            [key, value] => Ok((Some(key.text()), value.clone())),
            _ => Err("pairs: wants a list of [key, value]".into()),
        },
        _ => Err("pairs: wants a list of [key, value]".into()),
    }
}

/// The selector checked against the list's keys, in key order.
pub(crate) fn terms(lowerer: &Lowerer<'_>, selection: &Selection) -> Result<Vec<Term>, Refusal> {
    let universe = lowerer.universe;
    let Selection { list: path, ty, scope, criteria, elem, .. } = selection;
    let own = lowerer.records.lists.get(path);
    let list = match scope {
        Scope::Field => lowerer.records.list(universe, path, *ty),
        _ => own,
    };
    let list = list
        .filter(|list| list.semantic == Some(Semantic::Map) && !list.keys.is_empty())
        .ok_or("found items with no list metadata - item tags require listType=map or unique=map with listMapKey")?;
    if criteria.len() != list.keys.len() {
        let got = criteria.len();
        let want = list.keys.len();
        return Err(format!("number of arguments ({got}) does not match number of listMapKey fields ({want})").into());
    }
    let mut terms = Vec::new();
    let mut missing = Vec::new();
    for key in &list.keys {
        let name = universe.field(*key).field.path_name();
        match criteria.iter().find(|(criterion, _)| criterion == name) {
            Some((_, value)) => terms.push((name, value)),
            None => missing.push(name),
        }
    }
    if !missing.is_empty() {
        return Err(format!("missing required listMapKey fields: [{}]", missing.join(" ")).into());
    }
    select(lowerer, *elem, terms.into_iter())
}

/// Terms over the fields of an element, with values of the fields' types.
pub(crate) fn select<'c>(
    lowerer: &Lowerer<'_>,
    elem: TypeId,
    criteria: impl Iterator<Item = (&'c str, &'c Literal)>,
) -> Result<Vec<Term>, Refusal> {
    let universe = lowerer.universe;
    let def = universe.struct_of(elem).ok_or("can only be used on lists of structs")?;
    let mut terms = Vec::new();
    for (name, value) in criteria {
        let field = universe.member(def, name).ok_or_else(|| format!("no field with JSON name {name:?}"))?;
        let builtin = universe.builtin(universe.field(field).ty);
        let wants = match (builtin, value) {
            (Some(Builtin::String), Literal::String(_)) | (Some(Builtin::Bool), Literal::Bool(_)) => None,
            (Some(builtin), Literal::Int(_)) if builtin.is_integer() => None,
            (Some(Builtin::String), _) => Some("string"),
            (Some(Builtin::Bool), _) => Some("bool"),
            (Some(builtin), _) if builtin.is_integer() => Some("int"),
            _ => {
                let ty = universe.type_name(universe.field(field).ty);
                return Err(format!("unsupported type {ty} for field {name}").into());
            }
        };
        if let Some(wants) = wants {
            return Err(format!("type mismatch, field is {wants} but value is not: {}", plain(value)).into());
        }
        terms.push(Term { field, value: value.clone() });
    }
    Ok(terms)
}

/// The selector in labels and cohort names.
pub(crate) fn selector_text(criteria: &Criteria) -> String {
    let pairs: Vec<String> = criteria
        .iter()
        .map(|(key, value)| {
            let value = match value {
                Literal::String(text) => quote::go(text).to_string(),
                other => plain(other),
            };
            format!("{}: {value}", quote::go(key))
        })
        .collect();
    format!("{{{}}}", pairs.join(", "))
}

fn plain(value: &Literal) -> String {
    match value {
        Literal::String(text) => text.clone(),
        Literal::Int(number) => number.to_string(),
        Literal::Bool(value) => value.to_string(),
    }
}
