//! The mutable scheduling fields of a pod.

use std::collections::HashMap;

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_value::Value;
use sprag_value::view::{List, Map, View};

use super::super::PodOptions;
use super::super::seen::Seen;
use super::tolerations::validate_tolerations;
use crate::core::internal::{Field, Form, internal_value};
use crate::views::core_v1::{NodeAffinity, NodeSelectorRequirement, NodeSelectorTerm, PodSchedulingGate, Toleration};

/// `core.NodeSelectorRequirement`.
const REQUIREMENT_FIELDS: &[Field] =
    &[("Key", "key", Form::Text), ("Operator", "operator", Form::Text), ("Values", "values", Form::Plain)];

/// `core.NodeSelectorTerm`.
pub(crate) const NODE_SELECTOR_TERM_FIELDS: &[Field] = &[
    ("MatchExpressions", "matchExpressions", Form::Structs(REQUIREMENT_FIELDS)),
    ("MatchFields", "matchFields", Form::Structs(REQUIREMENT_FIELDS)),
];

/// As upstream's `validation.validateOnlyAddedTolerations`.
pub(crate) fn validate_only_added_tolerations(
    new: List<'_, Toleration<'_>>,
    old: List<'_, Toleration<'_>>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let is_kept = |old: Toleration<'_>| new.iter().any(|new| fields(new) == fields(old));
    if !old.iter().all(is_kept) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        return errors.push(Error::forbidden(at, detail));
    }
    validate_tolerations(new, at, options, errors);
}

/// All but `tolerationSeconds`.
fn fields(toleration: Toleration<'_>) -> [&str; 4] {
    [toleration.key(), toleration.operator(), toleration.value(), toleration.effect()]
}

/// As upstream's `validation.validateOnlyDeletedSchedulingGates`.
pub(crate) fn validate_only_deleted_gates(
    new: List<'_, PodSchedulingGate<'_>>,
    old: List<'_, PodSchedulingGate<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let old: Seen<&str> = old.iter().map(PodSchedulingGate::name).collect();
    let names = || new.iter().map(PodSchedulingGate::name).enumerate().filter(|(_, name)| !old.contains(name));
    // As upstream: of a gate that occurs twice the last index counts.
    let last: HashMap<&str, usize> = names().map(|(index, name)| (name, index)).collect();
    let mut said = Seen::new();
    for (index, name) in names().filter(|(_, name)| said.insert(*name)).map(|(_, name)| (last[name], name)) {
        let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
        errors.push(Error::forbidden(&at.index(index).child("name"), detail));
    }
}

/// As upstream's `validation.validateNodeSelectorMutation`; `at` is the path of `nodeSelector`.
pub(crate) fn validate_node_selector_mutation(
    new: Map<'_, &str>,
    old: Map<'_, &str>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    if old.iter().any(|(key, value)| new.get(key) != Some(value)) {
        let shown = new.object().map(|object| Value::Object(object.clone()));
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.push(Error::invalid(at, internal_value(shown.as_ref(), Form::Plain), detail));
    }
}

/// As upstream's `validation.validateNodeAffinityMutation`; `at` is the path of `nodeAffinity`.
pub(crate) fn validate_node_affinity_mutation(
    new: Option<NodeAffinity<'_>>,
    old: Option<NodeAffinity<'_>>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    let new = required_terms(new);
    let old = required_terms(old);
    let old: List<'_, NodeSelectorTerm<'_>> = View::view(old);
    if old.is_empty() {
        return;
    }
    let required = at.child("requiredDuringSchedulingIgnoredDuringExecution");
    let at = required.child("nodeSelectorTerms");
    let new_terms: List<'_, NodeSelectorTerm<'_>> = View::view(new);
    if new_terms.len() != old.len() {
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        return errors.push(Error::invalid(&at, internal_value(new, Form::Structs(NODE_SELECTOR_TERM_FIELDS)), detail));
    }
    for (index, (new, old)) in new_terms.iter().zip(old.iter()).enumerate() {
        if !has_only_additions(new, old) {
            let shown = internal_value(Some(new.as_value()), Form::Struct(NODE_SELECTOR_TERM_FIELDS));
            let detail = "only additions are allowed (no mutations or deletions)";
            errors.push(Error::invalid(&at.index(index), shown, detail));
        }
    }
}

/// The terms that nodes must match; `None` where there are none at all.
fn required_terms(affinity: Option<NodeAffinity<'_>>) -> Option<&Value> {
    let required = affinity?.required_during_scheduling_ignored_during_execution()?;
    required.as_value().get("nodeSelectorTerms")
}

/// As upstream's `validation.validateNodeSelectorTermHasOnlyAdditions`: an empty term, which matches nothing, stays empty.
fn has_only_additions(new: NodeSelectorTerm<'_>, old: NodeSelectorTerm<'_>) -> bool {
    let is_empty = |term: NodeSelectorTerm<'_>| term.match_expressions().is_empty() && term.match_fields().is_empty();
    if is_empty(old) {
        return is_empty(new);
    }
    starts_with(new.match_expressions(), old.match_expressions()) && starts_with(new.match_fields(), old.match_fields())
}

fn starts_with(new: List<'_, NodeSelectorRequirement<'_>>, old: List<'_, NodeSelectorRequirement<'_>>) -> bool {
    let same = |(new, old): (NodeSelectorRequirement<'_>, NodeSelectorRequirement<'_>)| {
        new.key() == old.key() && new.operator() == old.operator() && new.values().iter().eq(old.values().iter())
    };
    new.len() >= old.len() && new.iter().zip(old.iter()).all(same)
}

#[cfg(test)]
mod tests {
    use sprag_value::json;

    use super::*;

    #[track_caller]
    fn check(new: &str, old: &str, expected: &[&str]) {
        let affinity = |terms: &str| {
            let text =
                format!(r#"{{"requiredDuringSchedulingIgnoredDuringExecution":{{"nodeSelectorTerms":{terms}}}}}"#);
            json::parse(text.as_bytes()).unwrap()
        };
        let (new, old, mut errors) = (affinity(new), affinity(old), Errors::new());
        validate_node_affinity_mutation(View::view(Some(&new)), View::view(Some(&old)), &Path::new("a"), &mut errors);
        let shown = |error: &Error| error.to_string().replace("requiredDuringSchedulingIgnoredDuringExecution", "r");
        assert_eq!(errors.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn required_terms_only_get_narrower() {
        const OLD: &str = r#"[{"matchExpressions":[{"key":"a","operator":"In","values":["x"]}]}]"#;
        check(OLD, OLD, &[]);
        check(OLD, "[]", &[]);
        check(&OLD.replace("}]}]", r#"},{"key":"b","operator":"Exists"}]}]"#), OLD, &[]);
        check(
            "[]",
            OLD,
            &[
                "a.r.nodeSelectorTerms: Invalid value: []: no additions/deletions to non-empty NodeSelectorTerms list are allowed",
            ],
        );
        check(
            "[{}]",
            OLD,
            &[
                r#"a.r.nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":null,"MatchFields":null}: only additions are allowed (no mutations or deletions)"#,
            ],
        );
        check(
            OLD,
            "[{}]",
            &[
                r#"a.r.nodeSelectorTerms[0]: Invalid value: {"MatchExpressions":[{"Key":"a","Operator":"In","Values":["x"]}],"MatchFields":null}: only additions are allowed (no mutations or deletions)"#,
            ],
        );
    }
}
