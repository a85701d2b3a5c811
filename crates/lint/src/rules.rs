//! The rules: each looks at the tags of one place and says at most one thing.

use sprag_idl::Tag;
use sprag_plan::TypeId;
use sprag_rules::types::{Kind, Universe};
use sprag_rules::{Payload, Registry, Stability};

use crate::coverage::{Coverage, Opacity};

const REQUIREDNESS: [&str; 3] = ["k8s:optional", "k8s:required", "k8s:forbidden"];

/// Life-cycle stages stand outermost.
pub(crate) fn alpha_beta_inside(tags: &[Tag]) -> Option<String> {
    let is_alpha_beta = |tag: &Tag| matches!(tag.name.as_str(), "k8s:alpha" | "k8s:beta");
    for tag in tags {
        let mut inner = tag.inner();
        while let Some(tag) = inner {
            if is_alpha_beta(tag) {
                return Some(format!("tag {:?} can't be used in between", tag.name));
            }
            inner = tag.inner();
        }
    }
    None
}

/// A tag is at least as stable as the rule it makes.
pub(crate) fn unstable_tag(registry: &Registry, tags: &[Tag], version: &str) -> Option<String> {
    let of_package = if version.contains("alpha") {
        Stability::Alpha
    } else if version.contains("beta") {
        Stability::Beta
    } else {
        Stability::Stable
    };
    tags.iter().find_map(|tag| {
        let (mut want, tag) = match (tag.name.as_str(), tag.inner()) {
            ("k8s:alpha" | "k8s:beta", None) => return None,
            ("k8s:alpha", Some(inner)) => (Stability::Alpha, inner),
            ("k8s:beta", Some(inner)) => (Stability::Beta, inner),
            _ => (of_package, tag),
        };
        if matches!(tag.name.as_str(), "k8s:ifEnabled" | "k8s:ifDisabled") {
            want = want.min(Stability::Beta);
        }
        chain(tag).map_while(|tag| Some((tag, registry.find(&tag.name)?.stability))).find_map(|(tag, stability)| {
            (stability < want).then(|| {
                format!("tag {:?} with stability level \"{stability}\" cannot be used in {want} validation", tag.name)
            })
        })
    })
}

/// A field with rules says whether it must be set.
pub(crate) fn missing_requiredness(
    universe: &Universe,
    registry: &Registry,
    coverage: &mut Coverage,
    ty: TypeId,
    tags: &[Tag],
) -> Option<String> {
    if universe.kind(ty) == Kind::Struct {
        return None;
    }
    if tags.iter().flat_map(chain).any(|tag| REQUIREDNESS.contains(&tag.name.as_str())) {
        return None;
    }
    let checked = has_rule(registry, tags) || coverage.has_rules(universe, registry, ty, Opacity::of(registry, tags));
    checked.then(|| "field with validation must have +k8s:optional, +k8s:required or +k8s:forbidden".to_owned())
}

/// Whether tags of a field ask for any check beyond requiredness.
pub(crate) fn has_rule(registry: &Registry, tags: &[Tag]) -> bool {
    tags.iter().any(|tag| {
        chain(tag).last().is_some_and(|last| {
            let wrapper = registry.find(&last.name).is_none_or(|rule| rule.payload == Payload::Tag);
            !wrapper && !matches!(last.name.as_str(), "k8s:optional" | "k8s:opaqueType")
        })
    })
}

/// A tag and the tags inside it, outermost first.
pub(crate) fn chain(tag: &Tag) -> impl Iterator<Item = &Tag> {
    std::iter::successors(Some(tag), |tag| tag.inner())
}
