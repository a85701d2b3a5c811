//! `+k8s:immutable`: a value that never changes.

use std::rc::Rc;

use sprag_idl::Tag;
use sprag_plan::{Check, Identity, Rule};
use sprag_validate::update::Constraint;

use crate::dialect::Dialect;
use crate::lower::{Context, DeferTo, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{Scope, Stability, TagRule};
use crate::tags::update;
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:immutable",
    Stability::Stable,
    &[Scope::Type, Scope::Field, Scope::ListVal, Scope::MapVal],
    "Any change of the value on update is an error.",
    "+k8s:immutable",
    lower,
)
.kep_stands(&[Scope::Field, Scope::ListVal, Scope::MapVal])];

const SCALAR: &[Constraint] = &[Constraint::NoSet, Constraint::NoUnset, Constraint::NoModify];
const COLLECTION: &[Constraint] = &[Constraint::NoSet, Constraint::NoAddItem, Constraint::NoRemoveItem];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    if lowerer.dialect == Dialect::Kubernetes {
        return Ok(Lowered::check(Check::stopping(Rule::Immutable)));
    }
    match (cx.scope, lowerer.universe.pointee_kind(cx.ty)) {
        (Scope::Field, Kind::Slice | Kind::Map) => Ok(collection(cx)),
        (Scope::Field, Kind::Struct) if !lowerer.universe.is_pointer(cx.ty) => {
            Ok(update::update(lowerer.dialect, vec![Constraint::NoModify], None, cx.stage))
        }
        (Scope::ListVal, _) => {
            let selected = cx.is_item();
            let mut lowered = update::update(lowerer.dialect, vec![Constraint::NoModify], None, cx.stage);
            lowered.keep_item = selected;
            Ok(lowered)
        }
        _ => Ok(update::update(lowerer.dialect, SCALAR.to_vec(), None, cx.stage)),
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
            return Ok(update::update(lowerer.dialect, SCALAR.to_vec(), None, cx.stage));
        }
        let mut lowered = update::update(lowerer.dialect, COLLECTION.to_vec(), identity.clone(), cx.stage);
        // Elements that are told apart by value cannot be modified, only replaced.
        if identity != Some(Identity::Value) {
            let elements = update::update(lowerer.dialect, vec![Constraint::NoModify], None, cx.stage);
            let dialect = lowerer.dialect;
            let wrap: Wrap = Rc::new(move |placed: PlacedCheck, _| {
                let identity = identity.clone();
                placed.wrapped(dialect, |check| Rule::EachVal(identity, check))
            });
            lowered.add(elements.wrap(&wrap));
        }
        Ok(lowered)
    })
}
