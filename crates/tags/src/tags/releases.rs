//! `+sprag:since`, `+sprag:until`: the releases of Kubernetes in which a declaration or a rule holds.

use std::rc::Rc;

use sprag_idl::model::TagLine;
use sprag_idl::{Syntax, Tag, parse_tag, tag_name};
use sprag_release::{Release, Releases};

use crate::lower::{Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::registry::{ArgSpec, Payload, Scope, Stability, TagRule};
use crate::tags::payload;

const SINCE: &str = "sprag:since";
const UNTIL: &str = "sprag:until";
const EVERYWHERE: &[Scope] = &[Scope::Const, Scope::Type, Scope::Field, Scope::ListVal, Scope::MapKey, Scope::MapVal];

pub(crate) static RULES: &[TagRule] = &[
    TagRule::new(
        SINCE,
        Stability::Stable,
        EVERYWHERE,
        "The kind, field, value or wrapped tag holds from this release of Kubernetes on.",
        "+sprag:since(\"1.36\")=+k8s:maxLength=253",
        lower,
    )
    .with_args(&[ArgSpec::positional("The first release.")])
    .takes(Payload::OptionalTag),
    TagRule::new(
        UNTIL,
        Stability::Stable,
        EVERYWHERE,
        "The kind, field, value or wrapped tag holds up to this release of Kubernetes.",
        "+sprag:until(\"1.35\")=+k8s:maxLength=63",
        lower,
    )
    .with_args(&[ArgSpec::positional("The last release.")])
    .takes(Payload::OptionalTag),
];

fn lower(lowerer: &mut Lowerer<'_>, cx: &Context, tag: &Tag) -> Result<Lowered, Refusal> {
    let releases = range(tag)?;
    let Some(inner) = tag.inner() else { return Ok(Lowered::default()) };
    let cx = Context { prefix: cx.prefix.within(releases), ..cx.clone() };
    let lowered = lowerer.lower_tag(&cx, inner)?;
    let wrap: Wrap = Rc::new(move |mut placed: PlacedCheck, _| {
        if !placed.has_prefix {
            placed.check.releases = placed.check.releases.and(releases);
        }
        placed
    });
    Ok(lowered.wrap(&wrap))
}

fn range(tag: &Tag) -> Result<Releases, String> {
    let text = payload::arg(tag.positional()).ok_or("names no release")?;
    let release: Release = text.parse().map_err(|error| format!("{error}"))?;
    Ok(if tag.name == UNTIL { Releases::until(release) } else { Releases::since(release) })
}

/// The releases in which a declaration with these tags holds. What is malformed is an error of lowering.
pub fn releases_of(tags: &[TagLine]) -> Releases {
    let of_line = |line: &TagLine| {
        tag_name(&line.text).filter(|name| [SINCE, UNTIL].contains(name))?;
        let tag = parse_tag(&line.text, line.span, Syntax::Kep).ok()?;
        if tag.inner().is_some() { None } else { range(&tag).ok() }
    };
    tags.iter().filter_map(of_line).fold(Releases::ALL, Releases::and)
}
