//! `+sprag:called`: rules that run where hand-written code calls them.

use std::rc::Rc;

use sprag_idl::model::TagLine;
use sprag_idl::{Syntax, Tag, parse_tag, tag_name};

use crate::lower::{Context, DeferTo, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{Payload, Scope, Stability, TagRule};

const CALLED: &str = "sprag:called";

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    CALLED,
    Stability::Stable,
    &[Scope::Type, Scope::Field],
    "The rules of the type or field, or the wrapped one of a field, run where hand-written code calls them, in its order and on \
     unchanged values too.",
    "+sprag:called=+k8s:minimum=0",
    lower,
)
.takes(Payload::OptionalTag)];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    // Without a rule it is about the whole declaration, see `is_called`.
    let Some(inner) = tag.inner() else { return Ok(Lowered::default()) };
    if cx.scope != Scope::Field {
        return Err("can wrap rules of fields only".into());
    }
    let lowered = lowerer.lower_tag(cx, inner)?;
    if lowered.deferred.iter().any(|work| work.to != DeferTo::Here) {
        return Err("can wrap rules about the field alone".into());
    }
    let wrap: Wrap = Rc::new(|placed: PlacedCheck, _| PlacedCheck { is_called: true, ..placed });
    Ok(lowered.wrap(&wrap))
}

/// True if hand-written code calls all rules of a declaration with these tags.
pub(crate) fn is_called(tags: &[TagLine]) -> bool {
    tags.iter()
        .filter(|line| tag_name(&line.text) == Some(CALLED))
        .any(|line| parse_tag(&line.text, line.span, Syntax::Kep).is_ok_and(|tag| tag.inner().is_none()))
}
