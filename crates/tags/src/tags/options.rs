//! `+k8s:ifEnabled`, `+k8s:ifDisabled`: rules that depend on an option.

use std::rc::Rc;

use sprag_idl::Tag;
use sprag_program::Rule;

use crate::lower::{Condition, Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};
use crate::tags::payload;

const EVERYWHERE: &[Scope] = &[Scope::Const, Scope::Type, Scope::Field, Scope::ListVal, Scope::MapKey, Scope::MapVal];
const OPTION: &[ArgSpec] = &[ArgSpec::positional("The option's name.")];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:ifEnabled",
        Stability::Stable,
        EVERYWHERE,
        "Applies the wrapped tag only when the named option is defined and true.",
        "+k8s:ifEnabled(FeatureX)=+k8s:required",
        enabled,
    )
    .kep_calls(&["k8s:ifOptionEnabled"])
    .with_args(OPTION)
    .takes(Payload::Tag),
    TagRule::new(
        "k8s:ifDisabled",
        Stability::Stable,
        EVERYWHERE,
        "Applies the wrapped tag only when the named option is defined and false.",
        "+k8s:ifDisabled(FeatureX)=+k8s:forbidden",
        disabled,
    )
    .kep_calls(&["k8s:ifOptionDisabled"])
    .with_args(OPTION)
    .takes(Payload::Tag),
];

fn enabled(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, true)
}

fn disabled(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, false)
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, enabled: bool) -> Result<Lowered, Refusal> {
    let option = payload::arg(tag.positional()).ok_or("missing required option name positional argument")?;
    let inner = tag.inner().ok_or("missing validation tag")?;
    lowerer.gates.entry(option.clone()).or_insert(tag.span);
    let condition = Condition::Option { name: option.clone(), enabled };
    let cx = Context { prefix: cx.prefix.when(condition), ..cx.clone() };
    let lowered = lowerer.lower_tag(&cx, inner)?;
    let wrap: Wrap = Rc::new(move |placed: PlacedCheck, _| {
        let option = option.clone();
        placed.when(|check| Rule::IfOption { option, enabled, check })
    });
    Ok(lowered.wrap(&wrap))
}
