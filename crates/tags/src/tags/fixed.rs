//! `+k8s:validateTrue`, `+k8s:validateFalse`, `+k8s:validateError`: fixed results, for tests of rule sets.

use sprag_field::quote;
use sprag_idl::{Scalar, Tag, TagValue};
use sprag_program::{Check, Rule};

use crate::lower::{Context, Lowered, Lowerer, Refusal};
use crate::registry::{ArgSpec, LiteralKind, Payload, Scope, Stability, TagRule};
use crate::tags::payload;

const TEXT: Payload = Payload::OptionalLiteral(LiteralKind::String);
const ARGS: &[ArgSpec] = &[
    ArgSpec::named("flags", "`ShortCircuit`, `NonError`, or both separated by a comma."),
    ArgSpec::named("typeArg", "The Go type to name explicitly."),
    ArgSpec::named("cohort", "The group of checks it belongs to."),
];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:validateTrue",
        Stability::Alpha,
        Scope::VALUES,
        "Never yields an error but still counts as a validation; for tests.",
        "+k8s:validateTrue=\"why\"",
        passes,
    )
    .with_args(ARGS)
    .takes(TEXT),
    TagRule::new(
        "k8s:validateTrueAlpha",
        Stability::Alpha,
        Scope::VALUES,
        "Same as validateTrue, with alpha tag stability; for lint tests.",
        "+k8s:validateTrueAlpha",
        passes,
    )
    .with_args(ARGS)
    .takes(TEXT),
    TagRule::new(
        "k8s:validateTrueBeta",
        Stability::Beta,
        Scope::VALUES,
        "Same as validateTrue, with beta tag stability; for lint tests.",
        "+k8s:validateTrueBeta",
        passes,
    )
    .with_args(ARGS)
    .takes(TEXT),
    TagRule::new(
        "k8s:validateFalse",
        Stability::Alpha,
        Scope::VALUES,
        "Always yields one error; for tests.",
        "+k8s:validateFalse=\"why\"",
        fails,
    )
    .with_args(ARGS)
    .takes(TEXT),
    TagRule::new(
        "k8s:validateError",
        Stability::Alpha,
        Scope::VALUES,
        "Makes the generator itself fail; for tests.",
        "+k8s:validateError=\"why\"",
        refuses,
    )
    .takes(TEXT),
];

fn passes(_: &mut Lowerer<'_>, _: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(tag, true)
}

fn fails(_: &mut Lowerer<'_>, _: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(tag, false)
}

fn refuses(_: &mut Lowerer<'_>, _: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    Err(format!("forced error: {}", quote::go(&payload::text(tag))).into())
}

fn lower(tag: &Tag, passes: bool) -> Result<Lowered, Refusal> {
    let message = match &tag.value {
        TagValue::Scalar(Scalar::String(text)) => text.clone(),
        _ => String::new(),
    };
    let mut check = Check::new(Rule::Fixed { passes, message });
    if let Some(flags) = tag.named("flags") {
        for flag in flags.text().split(',') {
            match flag.trim() {
                "ShortCircuit" => check.short_circuit = true,
                "NonError" => check.non_error = true,
                other => {
                    return Err(format!("can't decode tag payload: unknown flag: {}", quote::go(other)).into());
                }
            }
        }
    }
    if check.non_error && !check.short_circuit {
        return Err("a check whose errors are dropped and that stops nothing has no effect".into());
    }
    let mut lowered = Lowered::check(check);
    if let Some(cohort) = payload::arg(tag.named("cohort")) {
        lowered.checks[0].cohort = cohort;
    }
    Ok(lowered)
}
