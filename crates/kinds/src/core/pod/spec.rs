//! The spec of a pod as a whole.

use sprag_field::{BadValue, Error, Errors, Path, quote};
use sprag_validate::content::in_range;
use sprag_validate::object_meta::{Usage, dns_subdomain};
use sprag_value::Value;

use super::PodOptions;
use super::containers::{validate_containers, validate_ephemeral_containers, validate_init_containers};
use super::env::validate_file_key_ref_volumes;
use super::network::{
    validate_dns_config, validate_dns_policy, validate_host_aliases, validate_host_network, validate_hostname,
    validate_hostname_override,
};
use super::resources::{validate_overhead, validate_pod_resource_claims, validate_pod_resources};
use super::scheduling::{
    KeyFormat, validate_affinity, validate_node_name, validate_node_selector, validate_preemption_policy,
    validate_priority_class_name, validate_readiness_gates, validate_runtime_class_name, validate_scheduling_gates,
    validate_scheduling_group, validate_tolerations, validate_topology_spread_constraints,
};
use super::security::{
    validate_host_users, validate_os, validate_pod_security_context, validate_share_process_namespace,
    validate_windows_host_process,
};
use super::volumes::validate_volumes;
use crate::views::core_v1::PodSpec;

/// In the order in which errors list them, which is not sorted.
const RESTART_POLICIES: &[&str] = &["Always", "OnFailure", "Never"];

/// As upstream's `validation.ValidatePodSpec`; `metadata` is that of a pod, not of a template.
pub(crate) fn validate_pod_spec(
    spec: PodSpec<'_>,
    metadata: Option<&Value>,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    if spec.termination_grace_period_seconds().is_none() {
        errors.push(Error::required(&at.child("terminationGracePeriodSeconds"), ""));
    }
    validate_parts(spec, metadata, at, options, errors);
    validate_host_network(spec, at, options, errors);
    validate_restart_policy(spec.restart_policy(), &at.child("restartPolicy"), errors);
    validate_dns_policy(spec.dns_policy(), &at.child("dnsPolicy"), errors);
    validate_node_selector(spec, at, errors);
    if let Some(context) = spec.security_context() {
        validate_pod_security_context(context, spec, &at.child("securityContext"), options, errors);
    }
    validate_share_process_namespace(spec, at, errors);
    if let Some(affinity) = spec.affinity() {
        validate_affinity(affinity, &at.child("affinity"), options, errors);
    }
    validate_dns_config(spec.dns_config(), spec.dns_policy(), &at.child("dnsConfig"), errors);
    validate_readiness_gates(spec.readiness_gates(), &at.child("readinessGates"), errors);
    validate_scheduling_gates(spec.scheduling_gates(), &at.child("schedulingGates"), errors);
    let constraints = spec.topology_spread_constraints();
    validate_topology_spread_constraints(constraints, &at.child("topologySpreadConstraints"), options, errors);
    validate_windows_host_process(spec, at, errors);
    validate_host_users(spec, at, options, errors);
    validate_hostname_override(spec, at, errors);
    validate_service_account(spec, at, errors);
    validate_node_name(spec, at, errors);
    validate_deadline(spec, at, errors);
    validate_hostname(spec, at, errors);
    validate_tolerations(spec.tolerations(), KeyFormat::Declared, &at.child("tolerations"), options, errors);
    validate_host_aliases(spec.host_aliases(), &at.child("hostAliases"), errors);
    validate_priority_class_name(spec, at, errors);
    if let Some(name) = spec.runtime_class_name() {
        validate_runtime_class_name(name, &at.child("runtimeClassName"), errors);
    }
    if let Some(policy) = spec.preemption_policy() {
        validate_preemption_policy(policy, &at.child("preemptionPolicy"), errors);
    }
    validate_overhead(spec.overhead(), &at.child("overhead"), options, errors);
    validate_os(spec, at, errors);
    validate_scheduling_group(spec, at, errors);
    validate_file_key_ref_volumes(spec, at, errors);
}

/// Judges volumes, claims, containers and what they need together.
fn validate_parts(
    spec: PodSpec<'_>,
    metadata: Option<&Value>,
    at: &Path<'_>,
    options: &PodOptions,
    errors: &mut Errors,
) {
    let volumes = &validate_volumes(spec.volumes(), metadata, &at.child("volumes"), options, errors);
    validate_pod_resource_claims(spec.resource_claims(), metadata, &at.child("resourceClaims"), errors);
    validate_containers(spec.containers(), spec, volumes, &at.child("containers"), options, errors);
    let (init, ephemeral) = (spec.init_containers(), spec.ephemeral_containers());
    validate_init_containers(init, spec, volumes, &at.child("initContainers"), options, errors);
    validate_ephemeral_containers(ephemeral, spec, volumes, &at.child("ephemeralContainers"), options, errors);
    if options.pod_level_resources_enabled {
        validate_pod_resources(spec, at, options, errors);
    }
}

/// As upstream's `validation.validateRestartPolicy`.
fn validate_restart_policy(policy: &str, at: &Path<'_>, errors: &mut Errors) {
    if policy.is_empty() {
        errors.push(Error::required(at, ""));
    } else if !RESTART_POLICIES.contains(&policy) {
        errors.push(Error::not_supported(at, BadValue::json_str(policy), RESTART_POLICIES));
    }
}

/// Judges both names of the service account; `at` is the path of the spec.
fn validate_service_account(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    let (name, alias) = (spec.service_account_name(), spec.deprecated_service_account());
    if !name.is_empty() {
        dns_subdomain(name, Usage::Name, &mut |detail| {
            errors.push(Error::invalid(&at.child("serviceAccountName"), name, detail));
        });
    }
    if alias != name {
        // As upstream: the path has the name of the Go field.
        let detail = format!("must be the same as serviceAccountName: {}", quote::go(name));
        errors.push(Error::invalid(&at.child("deprecatedServiceAccount"), alias, detail));
    }
}

fn validate_deadline(spec: PodSpec<'_>, at: &Path<'_>, errors: &mut Errors) {
    if let Some(seconds) = spec.active_deadline_seconds() {
        in_range(seconds, 1, i32::MAX.into(), &mut |detail| {
            errors.push(Error::invalid(&at.child("activeDeadlineSeconds"), seconds, detail));
        });
    }
}
