//! `+k8s:warn`: the same check, as a warning.

use std::rc::Rc;

use sprag_idl::Tag;
use sprag_program::Warning;

use crate::lower::{Condition, Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};
use crate::tags::payload;

pub(crate) static RULES: &[TagRule] = &[TagRule::new(
    "k8s:warn",
    Stability::Alpha,
    Scope::VALUES,
    "Runs the wrapped tag but yields warnings in place of errors; nothing is stopped.",
    "+k8s:warn(message: \"more than 100 replicas are slow\")=+k8s:maximum=100",
    lower,
)
.with_args(&[ArgSpec::named("message", "The text of the warning; the error's own text by default.")])
.takes(Payload::Tag)
.kep_only()];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let inner = tag.inner().ok_or("missing validation tag")?;
    let message = payload::arg(tag.named("message"));
    let cx = Context { prefix: cx.prefix.when(Condition::Warn(message.clone())), ..cx.clone() };
    let lowered = lowerer.lower_tag(&cx, inner)?;
    let wrap: Wrap = Rc::new(move |mut placed: PlacedCheck, _| {
        if !placed.has_prefix {
            placed.check.short_circuit = false;
            placed.check.warning = Some(Warning { message: message.clone() });
        }
        placed
    });
    Ok(lowered.wrap(&wrap))
}
