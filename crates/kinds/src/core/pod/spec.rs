//! The spec of a pod as a whole.

use sprag_checks::At;
use sprag_field::{Error, Errors, quote};
use sprag_value::Value;

use super::PodOptions;
use super::containers::{validate_containers, validate_ephemeral_containers, validate_init_containers};
use super::env::validate_file_key_ref_volumes;
use super::network::{validate_dns, validate_host_aliases, validate_host_network, validate_hostname_override};
use super::resources::{validate_overhead, validate_pod_resource_claims, validate_pod_resources};
use super::scheduling::{
    validate_affinity, validate_scheduling_gates, validate_scheduling_group, validate_tolerations,
    validate_topology_spread_constraints,
};
use super::security::{
    validate_host_users, validate_os, validate_pod_security_context, validate_share_process_namespace,
    validate_windows_host_process,
};
use super::volumes::validate_volumes;
use crate::views::core_v1::PodSpec;

/// As upstream's `validation.ValidatePodSpec`; `metadata` is that of a pod, not of a template.
pub(crate) fn validate_pod_spec(
    spec: PodSpec<'_>,
    metadata: Option<&Value>,
    at: &At<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    spec.check_termination_grace_period_seconds(at, errors);
    validate_parts(spec, metadata, at, options, errors);
    validate_host_network(spec, at, options, errors);
    spec.check_restart_policy(at, errors);
    spec.check_dns_policy(at, errors);
    spec.check_node_selector(at, errors);
    if let Some(context) = spec.security_context() {
        validate_pod_security_context(context, spec, &at.child("securityContext"), options, errors);
    }
    validate_share_process_namespace(spec, at, errors);
    if let Some(affinity) = spec.affinity() {
        validate_affinity(affinity, &at.child("affinity"), options, errors);
    }
    validate_dns(spec, at, options, errors);
    spec.check_readiness_gates(at, errors);
    validate_scheduling_gates(spec.scheduling_gates(), &at.child("schedulingGates"), errors);
    let constraints = spec.topology_spread_constraints();
    validate_topology_spread_constraints(constraints, &at.child("topologySpreadConstraints"), options, errors);
    validate_windows_host_process(spec, at, errors);
    validate_host_users(spec, at, options, errors);
    validate_hostname_override(spec, at, errors);
    validate_service_account(spec, at, errors);
    spec.check_node_name(at, errors);
    spec.check_active_deadline_seconds(at, errors);
    spec.check_hostname(at, errors);
    spec.check_subdomain(at, errors);
    validate_tolerations(spec.tolerations(), &at.child("tolerations"), options, errors);
    validate_host_aliases(spec.host_aliases(), &at.child("hostAliases"), options, errors);
    spec.check_priority_class_name(at, errors);
    spec.check_runtime_class_name(at, errors);
    if spec.preemption_policy() == Some("") {
        errors.push(Error::required(&at.child("preemptionPolicy"), ""));
    } else {
        spec.check_preemption_policy(at, errors);
    }
    validate_overhead(spec.overhead(), &at.child("overhead"), options, errors);
    validate_os(spec, at, errors);
    validate_scheduling_group(spec, at, errors);
    validate_file_key_ref_volumes(spec, at, errors);
}

/// Judges volumes, claims, containers and what they need together.
fn validate_parts(spec: PodSpec<'_>, metadata: Option<&Value>, at: &At<'_>, options: &PodOptions, errors: &mut Errors) {
    let volumes = &validate_volumes(spec.volumes(), metadata, &at.child("volumes"), options, errors);
    validate_pod_resource_claims(spec.resource_claims(), metadata, &at.child("resourceClaims"), errors);
    spec.check_containers(at, errors);
    validate_containers(spec.containers(), spec, volumes, &at.child("containers"), options, errors);
    let init = spec.init_containers();
    let ephemeral = spec.ephemeral_containers();
    validate_init_containers(init, spec, volumes, &at.child("initContainers"), options, errors);
    validate_ephemeral_containers(ephemeral, spec, volumes, &at.child("ephemeralContainers"), options, errors);
    if options.pod_level_resources_enabled {
        validate_pod_resources(spec, at, options, errors);
    }
}

/// Judges both names of the service account; `at` is the path of the spec.
fn validate_service_account(spec: PodSpec<'_>, at: &At<'_>, errors: &mut Errors) {
    let name = spec.service_account_name();
    let alias = spec.deprecated_service_account();
    spec.check_service_account_name(at, errors);
    if alias != name {
        // As upstream: the path has the name of the Go field.
        let detail = format!("must be the same as serviceAccountName: {}", quote::go(name));
        errors.push(Error::invalid(&at.child("deprecatedServiceAccount"), alias, detail));
    }
}
