//! Nodes from which a volume can be reached.

use sprag_checks::At;
use sprag_field::{Error, Errors, Path};
use sprag_value::view::{List, View};

use super::spec::VolumeOptions;
use crate::core::internal::{Field, Form, internal_value};
use crate::core::pod::{NODE_SELECTOR_TERM_FIELDS, validate_required_node_selector};
use crate::views::core_v1::{NodeSelectorRequirement, NodeSelectorTerm, VolumeNodeAffinity};

/// `core.NodeSelector`.
const SELECTOR_FIELDS: &[Field] =
    &[("NodeSelectorTerms", "nodeSelectorTerms", Form::Structs(NODE_SELECTOR_TERM_FIELDS))];

/// `core.VolumeNodeAffinity`.
const AFFINITY_FIELDS: &[Field] = &[("Required", "required", Form::Struct(SELECTOR_FIELDS))];

/// Labels of nodes that have other names by now, as upstream's `validation.betaToGALabel`.
const RENAMED_LABELS: [(&str, &str); 5] = [
    ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
    ("beta.kubernetes.io/os", "kubernetes.io/os"),
    ("beta.kubernetes.io/arch", "kubernetes.io/arch"),
    ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"),
];

/// As upstream's `validation.validateVolumeNodeAffinity`.
pub(super) fn validate_node_affinity(
    affinity: Option<VolumeNodeAffinity<'_>>,
    options: VolumeOptions,
    at: &At<'_>,
    errors: &mut Errors,
) {
    let Some(affinity) = affinity else { return };
    match affinity.required() {
        Some(required) => {
            let allow_bad_values = options.allow_invalid_label_value_in_required_node_affinity;
            validate_required_node_selector(required, allow_bad_values, &at.child("required"), errors);
        }
        None => errors.push(Error::required(&at.child("required"), "must specify required node constraints")),
    }
}

/// As upstream's `validation.validatePvNodeAffinity`.
pub(super) fn validate_change(
    new: Option<VolumeNodeAffinity<'_>>,
    old: VolumeNodeAffinity<'_>,
    at: &Path<'_>,
    errors: &mut Errors,
) {
    if new.is_some_and(|new| is_same(new, old)) {
        return;
    }
    let shown = internal_value(new.map(|new| new.as_value()), Form::Struct(AFFINITY_FIELDS));
    errors.push(Error::invalid(at, shown, "field is immutable, except for updating from beta label to GA"));
}

fn is_same(new: VolumeNodeAffinity<'_>, old: VolumeNodeAffinity<'_>) -> bool {
    match (new.required(), old.required()) {
        (Some(new), Some(old)) => same(new.node_selector_terms(), old.node_selector_terms(), is_same_term),
        (new, old) => new.is_none() && old.is_none(),
    }
}

fn is_same_term(new: NodeSelectorTerm<'_>, old: NodeSelectorTerm<'_>) -> bool {
    same(new.match_expressions(), old.match_expressions(), is_same_requirement)
        && same(new.match_fields(), old.match_fields(), is_same_requirement)
}

fn is_same_requirement(new: NodeSelectorRequirement<'_>, old: NodeSelectorRequirement<'_>) -> bool {
    // As upstream, where a label that was not renamed has the empty name in the map, so that the key may go.
    let is_renamed = || {
        let renamed = RENAMED_LABELS.iter().find(|(label, _)| *label == old.key());
        new.key() == renamed.map_or("", |(_, name)| name)
    };
    (new.key() == old.key() || is_renamed())
        && new.operator() == old.operator()
        && new.values().iter().eq(old.values().iter())
}

/// Compares two lists element by element.
fn same<'v, T: View<'v>>(new: List<'v, T>, old: List<'v, T>, is_same: impl Fn(T, T) -> bool) -> bool {
    new.len() == old.len() && new.iter().zip(old.iter()).all(|(new, old)| is_same(new, old))
}
