//! `+k8s:default` and `+k8s:declarativeValidationNative`: facts about a field that check nothing by themselves.

use sprag_idl::Tag;

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{Payload, Scope, Stability, TagRule};
use crate::tags::presence;

/// The tag of places without a hand-written counterpart.
pub(crate) const NATIVE: &str = "k8s:declarativeValidationNative";

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:default",
        Stability::Beta,
        &[Scope::Field],
        "The JSON value an unset field gets; the same as +default. A field has a default, or is optional or required.",
        "+k8s:default=1",
        default,
    )
    .takes(Payload::Json)
    .kep_only(),
    TagRule::new(
        NATIVE,
        Stability::Beta,
        &[Scope::Type, Scope::Field],
        "No hand-written code covers the rules of this place and of its type: they are enforced in legacy shadow, too.",
        "+k8s:declarativeValidationNative",
        |_, _, _| Ok(Lowered::default()),
    )
    .kep_only(),
];

fn default(lowerer: &mut Lowerer<'_>, cx: &Context, _: &Tag) -> Result<Lowered, Refusal> {
    presence::default_of(lowerer, cx)?;
    if presence::has_tag(lowerer, cx, "k8s:optional") || presence::has_tag(lowerer, cx, "k8s:required") {
        return Err(
            "a field has a default, or is optional, or is required: drop one of them, or write +default, which \
                    may stand beside +k8s:optional"
                .into(),
        );
    }
    Ok(Lowered::default())
}
