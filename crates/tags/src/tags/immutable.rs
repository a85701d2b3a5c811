//! `+k8s:immutable`: a value that never changes.

use std::rc::Rc;

use sprag_checks::update::Constraint;
use sprag_program::{Check, Identity, Rule};

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, PlacedCheck, Wrap};
use crate::registry::{Scope, Stability, TagRule};
use crate::tags::update;
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:immutable",
    Stability::Stable,
    &[Scope::Type, Scope::Field, Scope::ListVal, Scope::MapVal],
    "Any change of the value on update is an error.",
    "+k8s:immutable",
    |lowerer, cx, _| Ok(lower(lowerer, cx)),
)
.kep_stands(&[Scope::Field, Scope::ListVal, Scope::MapVal])];

const SCALAR: &[Constraint] = &[Constraint::NoSet, Constraint::NoUnset, Constraint::NoModify];
const COLLECTION: &[Constraint] = &[Constraint::NoSet, Constraint::NoAddItem, Constraint::NoRemoveItem];

fn lower(lowerer: &Lowerer<'_>, cx: &Context) -> Lowered {
    if lowerer.dialect == Dialect::Kubernetes {
        return Lowered::check(Check::stopping(Rule::Immutable));
    }
    let update =
        |constraints: &[Constraint]| update::update(lowerer.dialect, constraints.to_vec(), None, cx.prefix.stage);
    match (cx.scope, lowerer.universe.pointee_kind(cx.ty)) {
        (Scope::Field, Kind::Slice | Kind::Map) => collection(cx),
        (Scope::Field, Kind::Struct) if !lowerer.universe.is_pointer(cx.ty) => update(&[Constraint::NoModify]),
        (Scope::ListVal, _) => {
            Lowered { kept_item: cx.is_item().then_some(cx.prefix.stage), ..update(&[Constraint::NoModify]) }
        }
        _ => update(SCALAR),
    }
}

/// `NoSet`, `NoAddItem`, `NoRemoveItem`, and immutable elements.
///
/// A list whose elements have no identity can only be replaced as a whole, so it is immutable like a scalar.
fn collection(cx: &Context) -> Lowered {
    let cx = cx.clone();
    Lowered::later(DeferTo::Here, move |lowerer| {
        let identity = lowerer.declared_identity(&cx.path, cx.ty);
        if identity.is_none() && lowerer.universe.pointee_kind(cx.ty) == Kind::Slice {
            return Ok(update::update(lowerer.dialect, SCALAR.to_vec(), None, cx.prefix.stage));
        }
        let mut lowered = update::update(lowerer.dialect, COLLECTION.to_vec(), identity.clone(), cx.prefix.stage);
        // Elements identified by value cannot be modified, only replaced.
        if identity != Some(Identity::Value) {
            let elements = update::update(lowerer.dialect, vec![Constraint::NoModify], None, cx.prefix.stage);
            let wrap: Wrap = Rc::new(move |placed: PlacedCheck, _| {
                let identity = identity.clone();
                placed.wrapped(|check| Rule::EachVal(identity, check))
            });
            lowered.add(elements.wrap(&wrap));
        }
        Ok(lowered)
    })
}
