//! `+k8s:featureGate`: a field that belongs to a feature.

use sprag_idl::Tag;
use sprag_plan::{Check, Rule};

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:featureGate",
    Stability::Beta,
    &[Scope::Field],
    "The field may be set only while the feature is on, or when the old object had it set already.",
    "+k8s:featureGate=WidgetPriority",
    lower,
)
.takes(Payload::Literal(LiteralKind::String))
.kep_only()];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    if lowerer.universe.kind(cx.ty) == Kind::Struct {
        return Err("a struct held by value is always set; make it a pointer".into());
    }
    Ok(Lowered::check(Check::stopping(Rule::FeatureGate(payload::text(tag)))))
}
