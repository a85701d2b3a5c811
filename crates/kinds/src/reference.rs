//! The declarations of each kind, for its page in the documentation.

use std::collections::BTreeSet;

use sprag_program::{Check, Cohort, DefId, FieldPlan, Rule};
use sprag_shape::{Kind, TypeId};

use crate::program::PROGRAM;

/// A kind that is served, and how much of it declarations judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindReference {
    /// The API version: `apps/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The resource: `deployments`.
    pub resource: String,
    /// The singular of the resource, and its short names: `deployment`, `deploy`.
    pub other_names: Vec<String>,
    /// True if its objects are in namespaces.
    pub namespaced: bool,
    /// Its subresources, sorted.
    pub subresources: Vec<String>,
    /// The number of fields that its types declare, metadata left out.
    pub fields: usize,
    /// The number of those that a tag has a rule for.
    pub ruled: usize,
}

/// All kinds that are served and stored, sorted by API version and kind.
pub fn reference() -> Vec<KindReference> {
    let mut kinds = Vec::new();
    for definition in crate::definitions() {
        for version in &definition.versions {
            let Some(resource) = PROGRAM.find(definition.group(), &version.name, &definition.kind) else { continue };
            let (fields, ruled) = count_fields(resource.shape);
            let mut subresources: Vec<String> =
                version.subresources.iter().map(|subresource| subresource.name.clone()).collect();
            subresources.sort();
            kinds.push(KindReference {
                api_version: definition.api_version(&version.name),
                kind: definition.kind.clone(),
                resource: definition.resource.resource.clone(),
                other_names: [&definition.singular].into_iter().chain(&definition.short_names).cloned().collect(),
                namespaced: definition.namespaced(),
                subresources,
                fields,
                ruled,
            });
        }
    }
    kinds.sort_by(|a, b| (&a.api_version, &a.kind).cmp(&(&b.api_version, &b.kind)));
    kinds
}

/// The number of fields of a type and of all below it, and of those that have rules.
fn count_fields(root: TypeId) -> (usize, usize) {
    let types = types_below(root);
    let fields = types.iter().map(|id| PROGRAM.shapes().get(*id).fields().len()).sum();
    let plans = PROGRAM.plan().types.iter().enumerate().filter_map(|(at, plan)| {
        let def = DefId(u32::try_from(at).ok()?);
        types.contains(&PROGRAM.shape_of(def)).then_some(plan.as_ref()?)
    });
    (fields, plans.flat_map(|plan| &plan.fields).filter(|field| is_ruled(field)).count())
}

/// A type and all types of its fields, metadata left out.
fn types_below(root: TypeId) -> BTreeSet<TypeId> {
    let mut found = BTreeSet::new();
    let mut work = vec![root];
    while let Some(id) = work.pop() {
        let shape = PROGRAM.shapes().get(id);
        if &*shape.name == "v1.ObjectMeta" || !found.insert(id) {
            continue;
        }
        match &shape.kind {
            Kind::List { elem, .. } => work.push(elem.id),
            Kind::Map { value, .. } => work.push(value.id),
            _ => work.extend(shape.fields().iter().map(|field| field.ty.id)),
        }
    }
    found
}

fn is_ruled(field: &FieldPlan) -> bool {
    of_cohorts(&field.cohorts).chain(&field.descend).chain(&field.changes).chain(&field.calls).any(judges)
}

fn of_cohorts(cohorts: &[Cohort]) -> impl Iterator<Item = &Check> {
    cohorts.iter().flat_map(|cohort| &cohort.checks)
}

/// Tells if a check can refuse the value itself; fields below it count on their own.
fn judges(check: &Check) -> bool {
    if check.non_error {
        return false;
    }
    match &check.rule {
        Rule::Type(def) => PROGRAM.plan().of(*def).is_some_and(|plan| of_cohorts(&plan.cohorts).any(judges)),
        rule => match rule.inner() {
            inner if inner.is_empty() => true,
            inner => inner.into_iter().any(judges),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_with_what_tags_judge() {
        let kinds = reference();
        assert!(kinds.is_sorted_by_key(|kind| (kind.api_version.clone(), kind.kind.clone())));
        let claim = kinds.iter().find(|kind| kind.kind == "ResourceClaim").expect("it is served");
        assert_eq!((claim.api_version.as_str(), claim.namespaced), ("resource.k8s.io/v1", true));
        assert_eq!(claim.subresources, ["status"]);
        assert!(claim.ruled > 20 && claim.fields > claim.ruled, "{claim:?}");
        assert!(kinds.iter().all(|kind| kind.fields >= kind.ruled));
    }
}
