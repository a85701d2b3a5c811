//! `+k8s:opaqueType`: rules of the referenced type are not run from here.

use sprag_idl::Tag;

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Scope, Stability, TagRule};

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:opaqueType",
    Stability::Stable,
    Scope::VALUES,
    "Validation declared on the referenced type is not run from here.",
    "+k8s:opaqueType",
    lower,
)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    if lowerer.dialect == Dialect::Kep && !cx.prefix.is_empty() {
        return Err(format!("switches rules off whatever stands before it: remove {}", cx.prefix).into());
    }
    match cx.scope {
        Scope::Type => _ = lowerer.records.opaque_types.insert(lowerer.universe.native(cx.ty).base),
        Scope::Field => lowerer.records.opaque_members.extend(cx.member),
        _ => {}
    }
    Ok(Lowered { opaque: true, ..Lowered::default() })
}

/// True if rules of the type at a place are off.
pub(crate) fn is_opaque(lowerer: &Lowerer<'_>, cx: &Context) -> bool {
    cx.member.is_some_and(|member| lowerer.records.opaque_members.contains(&member))
        || lowerer.records.opaque_types.contains(&lowerer.universe.native(cx.ty).base)
}
