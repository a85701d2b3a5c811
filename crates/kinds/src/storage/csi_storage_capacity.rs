//! CSI storage capacities: what is left for volumes.

use sprag_checks::At;
use sprag_checks::object_meta::dns_subdomain;
use sprag_field::{Error, Errors, Path};
use sprag_rest::{Column, Definition, Release, StrategyConfig};
use sprag_value::Value;
use sprag_value::view::View;

use super::GROUP;
use crate::core::pod::deprecated_node_label;
use crate::meta::{is_valid_selector, validate_finalizers, validate_generate_name, validate_label_selector};
use crate::program;
use crate::views::storage_v1::CSIStorageCapacity;

/// The definition of `csistoragecapacities`.
pub(super) fn csi_storage_capacities(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|cx, new, errors| {
            validate_finalizers(new, errors);
            validate(capacity(new), false, &cx.root(), errors);
        })
        .validate_update(|cx, new, old, errors| {
            validate_generate_name(new, &dns_subdomain, errors);
            validate_finalizers(new, errors);
            let allow_bad_values =
                capacity(old).node_topology().is_some_and(|topology| !is_valid_selector(topology, &cx.root()));
            validate(capacity(new), allow_bad_values, &cx.root(), errors);
            validate_finalizers(new, errors);
            capacity(new).check_node_topology_update(capacity(old), &cx.root(), errors);
            capacity(new).check_storage_class_name_update(capacity(old), &cx.root(), errors);
        })
        .warnings_on_create(|_, new| warnings(capacity(new)))
        .warnings_on_update(|_, new, _| warnings(capacity(new)))
        .allow_unconditional_update(false)
        .without_generation();
    let mut definition = program::resource(release, GROUP, "v1", "CSIStorageCapacity").strategy(strategy).define();
    definition.versions[0].columns = vec![Column::created_at()];
    definition
}

fn capacity(object: &Value) -> CSIStorageCapacity<'_> {
    View::view(Some(object))
}

/// As upstream's `validation.ValidateCSIStorageCapacity`.
fn validate(capacity: CSIStorageCapacity<'_>, allow_bad_values: bool, root: &At<'_>, errors: &mut Errors) {
    if let Some(topology) = capacity.node_topology() {
        validate_label_selector(topology, allow_bad_values, &root.child("nodeTopology"), errors);
    }
    capacity.check_storage_class_name(root, errors);
    if let Some(amount) = capacity.capacity().filter(|amount| amount.sign().is_lt()) {
        let detail = "must be greater than or equal to 0";
        errors.push(Error::invalid(&root.child("capacity"), amount.to_string(), detail));
    }
}

/// As upstream's `node.GetWarningsForNodeSelector`.
fn warnings(capacity: CSIStorageCapacity<'_>) -> Vec<String> {
    let Some(topology) = capacity.node_topology() else { return Vec::new() };
    let at = Path::new("nodeTopology");
    let expressions = at.child("matchExpressions");
    let labels = at.child("matchLabels");
    let requirements = topology.match_expressions().iter().enumerate().filter_map(|(index, requirement)| {
        let message = deprecated_node_label(requirement.key())?;
        Some(format!("{}: {} is {message}", expressions.index(index).child("key"), requirement.key()))
    });
    let keys = topology.match_labels().keys();
    let keys = keys.filter_map(|key| Some(format!("{}: {}", labels.child(key), deprecated_node_label(key)?)));
    requirements.chain(keys).collect()
}
