//! Checks that are relaxed because the old definition already violates them.

use std::collections::{HashMap, HashSet};

use sprag_release::{Fact, Release};

use super::hub::Hub;
use super::{conversion, defaults, lists, structural, walk};
use crate::props::Props;

/// The most selectable fields of a version.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;
pub(super) const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Options of the checks.
#[expect(clippy::struct_excessive_bools, reason = "each is a tolerance of its own")]
pub(super) struct Options<'c> {
    /// The release whose rules hold.
    pub(super) release: Release,
    /// A conversion webhook must support a known review version.
    pub(super) recognized_review_version: bool,
    /// Every version must have a schema.
    pub(super) require_schema: bool,
    /// Types must be known ones.
    pub(super) valid_types: bool,
    /// Schemas must be structural.
    pub(super) structural: bool,
    /// Defaults must not hold unknown fields.
    pub(super) pruned_defaults: bool,
    /// Elements of sets must be atomic.
    pub(super) atomic_sets: bool,
    /// Keys of keyed lists must be there, and elements not null.
    pub(super) list_keys: bool,
    /// A CA bundle may be anything.
    pub(super) any_ca_bundle: bool,
    /// Expressions that the old definition has.
    pub(super) known: KnownExpressions<'c>,
    /// Versions whose schema is what it was; their expressions may cost what they like.
    pub(super) unchanged_schemas: HashSet<&'c str>,
    /// Versions that may have too many selectable fields; the empty name is the definition itself.
    pub(super) many_selectable_fields: HashSet<&'c str>,
}

/// Expressions that were accepted before: whatever any Kubernetes version knows may occur in them.
#[derive(Default)]
pub(super) struct KnownExpressions<'c> {
    pub(super) rules: HashSet<&'c str>,
    pub(super) messages: HashSet<&'c str>,
}

impl<'c> Options<'c> {
    /// A new definition is judged strictly.
    pub(super) fn create(release: Release) -> Self {
        Options {
            release,
            recognized_review_version: true,
            require_schema: true,
            valid_types: true,
            structural: true,
            pruned_defaults: true,
            atomic_sets: true,
            list_keys: true,
            // A definition that is not established yet may still wait for its certificate.
            any_ca_bundle: true,
            known: KnownExpressions::default(),
            unchanged_schemas: HashSet::new(),
            many_selectable_fields: HashSet::new(),
        }
    }

    /// Relaxes the checks that the old definition violates.
    pub(super) fn update(new: &Hub<'c>, old: &Hub<'c>, release: Release) -> Self {
        let none = |found: &dyn Fn(&Props) -> bool| !old.all_props().any(|props| walk::any(props, found));
        Options {
            release,
            recognized_review_version: old.crd.conversion.as_ref().is_none_or(conversion::speaks_known_version),
            require_schema: has_all_schemas(old),
            valid_types: none(&|props| !props.ty.is_empty() && !TYPES.contains(&props.ty.as_str())),
            structural: !old.all_props().any(structural::is_not_structural),
            pruned_defaults: !old.all_props().any(|props| defaults::has_unpruned(props, release)),
            atomic_sets: none(&lists::is_set_of_changeable),
            list_keys: none(&lists::has_loose_keys),
            any_ca_bundle: conversion::may_have_any_ca_bundle(old.crd),
            known: KnownExpressions::of(old),
            unchanged_schemas: unchanged_schemas(new, old),
            many_selectable_fields: many_selectable_fields(new, old, release),
        }
    }
}

impl<'c> KnownExpressions<'c> {
    fn of(old: &Hub<'c>) -> Self {
        let mut known = KnownExpressions::default();
        for props in old.all_props() {
            walk::each(props, &mut |props| {
                known.rules.extend(props.validations.iter().map(|rule| rule.rule.as_str()));
                let messages = props.validations.iter().map(|rule| rule.message_expression.as_str());
                known.messages.extend(messages.filter(|message| !message.is_empty()));
            });
        }
        known
    }
}

fn has_all_schemas(old: &Hub<'_>) -> bool {
    old.props().is_some() || old.versions().all(|version| version.props().is_some())
}

fn unchanged_schemas<'c>(new: &Hub<'c>, old: &Hub<'c>) -> HashSet<&'c str> {
    let schemas = new.schemas();
    let old_schemas = old.schemas();
    let names = new.crd.versions.iter().map(|version| version.name.as_str());
    names.filter(|name| schemas.agree(&old_schemas, name)).collect()
}

fn many_selectable_fields<'c>(new: &Hub<'c>, old: &Hub<'c>, release: Release) -> HashSet<&'c str> {
    let mut allowed = HashSet::new();
    if !release.has(Fact::KeepsManySelectableFields) {
        return allowed;
    }
    if old.selectable_fields.len() > MAX_SELECTABLE_FIELDS && new.selectable_fields == old.selectable_fields {
        allowed.insert("");
    }
    let before: HashMap<_, _> =
        old.versions().map(|version| (version.version.name.as_str(), version.selectable_fields)).collect();
    for version in new.versions() {
        let fields = before.get(version.version.name.as_str()).copied().unwrap_or_default();
        if fields.len() > MAX_SELECTABLE_FIELDS && fields == version.selectable_fields {
            allowed.insert(version.version.name.as_str());
        }
    }
    allowed
}
