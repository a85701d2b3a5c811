//! `+k8s:alpha`, `+k8s:beta`: the life-cycle stage of a rule.

use std::rc::Rc;

use sprag_field::Stage;
use sprag_idl::Tag;
use sprag_release::Releases;

use crate::dialect::Dialect;
use crate::lower::{Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};

const SINCE: &[ArgSpec] = &[ArgSpec::named("since", "The release in which the rule got this stage.")];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        "k8s:alpha",
        Stability::Beta,
        Scope::VALUES,
        "Runs the wrapped tag but labels every error it yields as alpha, so that it is only observed.",
        "+k8s:alpha(since: \"1.35\")=+k8s:minimum=1",
        alpha,
    )
    .with_args(SINCE)
    .takes(Payload::Tag),
    TagRule::new(
        "k8s:beta",
        Stability::Beta,
        Scope::VALUES,
        "Runs the wrapped tag but labels every error it yields as beta, enforced only while the beta gate is on.",
        "+k8s:beta(since: \"1.36\")=+k8s:minimum=1",
        beta,
    )
    .with_args(SINCE)
    .takes(Payload::Tag),
];

fn alpha(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, Stage::Alpha)
}

fn beta(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    lower(lowerer, cx, tag, Stage::Beta)
}

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag, stage: Stage) -> Result<Lowered, Refusal> {
    let inner = tag.inner().ok_or("requires a validation tag as its value payload")?;
    if tag.args.len() > 1 {
        return Err("at most one optional kubernetes version argument is supported".into());
    }
    // Before that release the rule was less mature or not there, and hand-written code decided.
    let mut releases = Releases::ALL;
    if let Some(arg) = tag.args.first() {
        let version = arg.value.text();
        let plain = match lowerer.dialect {
            Dialect::Kubernetes => version.as_str(),
            Dialect::Kep => version.strip_prefix('v').unwrap_or(&version),
        };
        if !is_version(plain) {
            return Err(format!("invalid kubernetes version format, expected <major>.<minor>, got {version}").into());
        }
        releases = plain.parse().map_or(Releases::ALL, Releases::since);
    }
    let cx = Context { prefix: cx.prefix.at(stage).within(releases), ..cx.clone() };
    let lowered = lowerer.lower_tag(&cx, inner)?;
    let wrap: Wrap = Rc::new(move |mut placed: PlacedCheck, _| {
        if !placed.has_prefix {
            placed.check.stage = placed.check.stage.min(stage);
            placed.check.releases = placed.check.releases.and(releases);
        }
        placed
    });
    Ok(lowered.wrap(&wrap))
}

fn is_version(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| digits(major) && digits(minor))
}
