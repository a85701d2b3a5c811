//! `+k8s:neq`: one value the scalar may not have.

use sprag_idl::model::Builtin;
use sprag_idl::{Scalar, Tag, TagValue};
use sprag_program::{Check, Literal, Rule};

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Payload, Scope, Stability, TagRule};
use crate::tags::payload;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:neq",
    Stability::Alpha,
    Scope::VALUES,
    "The scalar may not equal one given value.",
    "+k8s:neq=\"none\"",
    lower,
)
.takes(Payload::Raw)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let universe = lowerer.universe;
    let Some(builtin) = universe.builtin(cx.ty) else {
        let name = universe.root_type_name(cx.ty);
        if universe.is_directly_comparable(universe.native(cx.ty).base) {
            return Err(format!("unsupported type for 'neq' tag: {name}").into());
        }
        return Err(format!("can only be used on comparable types (e.g. string, int, bool), but got {name}").into());
    };
    let got = match &tag.value {
        TagValue::Scalar(scalar) => scalar,
        TagValue::Tag(_) => return Err(mismatch(builtin, "tag")),
        TagValue::None => return Err("missing required payload".into()),
    };
    let literal = match (builtin, got) {
        (Builtin::String, Scalar::String(text)) => Literal::String(text.clone()),
        (Builtin::Bool, Scalar::Bool(value)) => Literal::Bool(*value),
        (builtin, Scalar::Int(text)) if builtin.is_integer() => {
            let value =
                payload::parse_int(text).map_err(|error| format!("invalid integer value for payload: {error}"))?;
            Literal::Int(value.into())
        }
        (builtin, got) => return Err(mismatch(builtin, got.kind())),
    };
    Ok(Lowered::check(Check::new(Rule::NotEqual(literal))))
}

fn mismatch(builtin: Builtin, got: &str) -> Refusal {
    let want = match builtin {
        Builtin::String => "a string",
        Builtin::Bool => "a bool",
        _ if builtin.is_integer() => "an integer",
        _ => return format!("unsupported type for 'neq' tag: {}", builtin.go_name()).into(),
    };
    format!("type mismatch: field is {want}, but payload is of type {got}").into()
}
