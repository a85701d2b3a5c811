//! The shared parts of the reference generator's lint rules.

use sprag_idl::Tag;
use sprag_tags::{Payload, Registry};

/// True if tags of a field ask for any check beyond requiredness.
pub(crate) fn has_rule(registry: &Registry, tags: &[Tag]) -> bool {
    tags.iter().any(|tag| {
        chain(tag).last().is_some_and(|last| {
            let wrapper = registry
                .find(&last.name)
                .is_none_or(|rule| matches!(rule.payload, Payload::Tag | Payload::OptionalTag));
            !wrapper && !matches!(last.name.as_str(), "k8s:optional" | "k8s:opaqueType")
        })
    })
}

/// A tag and the tags inside it, outermost first.
pub(crate) fn chain(tag: &Tag) -> impl Iterator<Item = &Tag> {
    std::iter::successors(Some(tag), |tag| tag.inner())
}
