//! `+sprag:since`, `+sprag:until`: the releases of Kubernetes in which a declaration, a rule or a marker holds.

use std::borrow::Cow;
use std::rc::Rc;

use sprag_idl::model::TagLine;
use sprag_idl::{Syntax, Tag, parse_tag, raw_value, tag_name};
use sprag_release::{Release, Releases};

use crate::lower::{Context, Lowered, Lowerer, PlacedCheck, Refusal, Wrap};
use crate::markers::is_marker;
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
    // Markers are read with the shapes.
    let Some(inner) = tag.inner().filter(|inner| !is_marker(&inner.name)) else { return Ok(Lowered::default()) };
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
        tag_name(&line.text).filter(|name| is_range(name))?;
        let tag = parse_tag(&line.text, line.span, Syntax::Kep).ok()?;
        if tag.inner().is_some() { None } else { range(&tag).ok() }
    };
    tags.iter().filter_map(of_line).fold(Releases::ALL, Releases::and)
}

/// The tags of a declaration in a release: those that hold in some releases first, so that they are found before the others of their
/// name, and without their range.
pub(crate) fn tags_in(tags: &[TagLine], release: Release) -> Cow<'_, [TagLine]> {
    if !tags.iter().any(|line| wrapped(&line.text).is_some()) {
        return Cow::Borrowed(tags);
    }
    let mut found = Vec::new();
    for line in tags {
        let mut text = line.text.as_str();
        let mut holds = wrapped(text).is_some();
        while let Some(inner) = wrapped(text) {
            let tag = parse_tag(text, line.span, Syntax::Kep);
            holds &= tag.is_ok_and(|tag| range(&tag).is_ok_and(|releases| releases.contains(release)));
            text = inner;
        }
        if holds {
            found.push(TagLine { text: text.to_owned(), ..line.clone() });
        }
    }
    found.extend(tags.iter().filter(|line| wrapped(&line.text).is_none()).cloned());
    Cow::Owned(found)
}

/// True if a tag says in which releases something holds.
pub(crate) fn is_range(name: &str) -> bool {
    [SINCE, UNTIL].contains(&name)
}

/// The tag that a range stands before.
fn wrapped(text: &str) -> Option<&str> {
    tag_name(text).filter(|name| is_range(name))?;
    raw_value(text)?.strip_prefix('+')
}
