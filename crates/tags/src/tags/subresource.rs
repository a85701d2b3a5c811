//! `+k8s:ifSubresource`, `+k8s:ifNotSubresource`: rules that depend on the subresource of the request.

use std::rc::Rc;

use sprag_idl::Tag;
use sprag_program::Rule;

use crate::lower::{Condition, Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};
use crate::tags::payload;

const PATH: &[ArgSpec] = &[ArgSpec::positional("The subresource, such as `/status`.")];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:ifSubresource",
        Stability::Alpha,
        Scope::VALUES,
        "Applies the wrapped tag only to requests for this subresource.",
        "+k8s:ifSubresource(\"/status\")=+k8s:required",
        matching,
    )
    .with_args(PATH)
    .takes(Payload::Tag)
    .kep_only(),
    TagRule::new(
        "k8s:ifNotSubresource",
        Stability::Alpha,
        Scope::VALUES,
        "Applies the wrapped tag only to requests that are not for this subresource.",
        "+k8s:ifNotSubresource(\"/resize\")=+k8s:immutable",
        other,
    )
    .with_args(PATH)
    .takes(Payload::Tag)
    .kep_only(),
];

fn matching(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, true)
}

fn other(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, false)
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, matches: bool) -> Result<Lowered, Refusal> {
    let inner = tag.inner().ok_or("missing validation tag")?;
    let path = payload::arg(tag.positional()).unwrap_or_default();
    let path = format!("/{}", path.trim_start_matches('/'));
    let condition = Condition::Subresource { path: path.clone(), matches };
    let cx = Context { prefix: cx.prefix.when(condition), ..cx.clone() };
    let lowered = lowerer.lower_tag(&cx, inner)?;
    let wrap: Wrap = Rc::new(move |placed: PlacedCheck, _| {
        let path = path.clone();
        placed.when(|check| Rule::IfSubresource { path, matches, check })
    });
    Ok(lowered.wrap(&wrap))
}
