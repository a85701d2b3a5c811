//! `+k8s:monotonic`: an integer that never gets smaller.

use sprag_idl::Tag;
use sprag_idl::model::Builtin;
use sprag_program::{Check, Rule};

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Scope, Stability, TagRule};

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:monotonic",
    Stability::Alpha,
    &[Scope::Type, Scope::Field],
    "On update the integer may not get smaller.",
    "+k8s:monotonic",
    lower,
)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    if !lowerer.universe.builtin(cx.ty).is_some_and(Builtin::is_integer) {
        let name = lowerer.universe.root_type_name(cx.ty);
        return Err(format!("must be an integer type (got {name})").into());
    }
    Ok(Lowered::check(Check::new(Rule::Monotonic)))
}
