//! `+k8s:featureGate`: a field that belongs to a feature.

use sprag_idl::{Syntax, Tag, TagValue, parse_tag, tag_name};
use sprag_program::{Check, Rule};

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;
use crate::types::Kind;

const NAME: &str = "k8s:featureGate";

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    NAME,
    Stability::Beta,
    &[Scope::Field],
    "The field may be set only while the feature is on, or when the old object had it set already. While it is off, the \
     field has no default and is not required, and servers drop it from objects that do not use it yet.",
    "+k8s:featureGate=WidgetPriority",
    lower,
)
.takes(Payload::Literal(LiteralKind::String))
.kep_only()];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    if lowerer.universe.kind(cx.ty) == Kind::Struct {
        return Err("a struct held by value is always set; make it a pointer".into());
    }
    if !cx.prefix.is_empty() {
        return Err(format!("a field belongs to a feature whatever stands before the tag: remove {}", cx.prefix).into());
    }
    let gate = payload::text(tag);
    lowerer.gates.entry(gate.clone()).or_insert(tag.span);
    Ok(Lowered::check(Check::stopping(Rule::FeatureGate(gate))))
}

/// The features that a field belongs to.
pub(crate) fn gates_of(lowerer: &Lowerer<'_>, cx: &Context) -> impl Iterator<Item = String> {
    let field = cx.member.map(|member| &lowerer.universe.field(member).field);
    let kep = lowerer.dialect == Dialect::Kep;
    let lines = field.filter(|_| kep).map(|field| field.tags.as_slice()).unwrap_or_default().iter();
    lines.filter(|line| tag_name(&line.text) == Some(NAME)).filter_map(|line| {
        match parse_tag(&line.text, line.span, Syntax::Kep).ok()?.value {
            TagValue::Scalar(gate) => Some(gate.text()),
            _ => None,
        }
    })
}
