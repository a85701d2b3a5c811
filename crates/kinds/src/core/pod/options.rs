//! The options of pod validation: computed once from feature gates and the old pod.

use sprag_checks::At;
use sprag_checks::content::{env_var_name, relaxed_env_var_name};
use sprag_field::{Errors, Path};
use sprag_rest::FeatureGates;
use sprag_value::view::View;
use sprag_value::{Quantity, Value};

use super::aggregate::is_sidecar;
use super::drop::{uses_file_key_ref, uses_restart_rules};
use super::metadata::has_bad_deletion_cost;
use super::resources::{is_divisible, is_huge_pages};
use super::scheduling::{has_bad_node_selector_values, validate_match_label_keys, validate_match_label_keys_legacy};
use super::security::has_host_sysctl;
use super::visit::visit_containers;
use super::volumes::validate_local_path;
use crate::core::ip::LegacyIps;
use crate::meta::validate_label_selector;
use crate::views::core_v1::{Container, PodAffinityTerm, PodSpec, PodTemplateSpec, WeightedPodAffinityTerm};
use crate::views::meta_v1::LabelSelector;

/// Options of pod rules, as upstream's `validation.PodValidationOptions`, where each is explained.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, as upstream has them")]
pub(crate) struct PodOptions {
    pub(crate) allow_invalid_pod_deletion_cost: bool,
    pub(crate) allow_invalid_label_value_in_selector: bool,
    pub(crate) allow_indivisible_huge_pages_values: bool,
    pub(crate) allow_invalid_topology_spread_constraint_label_selector: bool,
    pub(crate) allow_non_local_projected_token_path: bool,
    pub(crate) allow_namespaced_sysctls_for_host_net_and_host_ipc: bool,
    /// The object is a pod, not one that has a pod template.
    pub(crate) resource_is_pod: bool,
    pub(crate) allow_relaxed_environment_variable_validation: bool,
    pub(crate) allow_only_recursive_selinux_change_policy: bool,
    pub(crate) pod_level_resources_enabled: bool,
    pub(crate) in_place_pod_level_resources_vertical_scaling_enabled: bool,
    pub(crate) in_place_pod_vertical_scaling_memory_backed_volumes_enabled: bool,
    pub(crate) allow_sidecar_resize_policy: bool,
    pub(crate) allow_invalid_label_value_in_required_node_affinity: bool,
    pub(crate) allow_match_label_keys_in_pod_topology_spread: bool,
    pub(crate) allow_match_label_keys_in_pod_topology_spread_selector_merge: bool,
    pub(crate) old_pod_violates_match_label_keys_validation: bool,
    pub(crate) old_pod_violates_legacy_match_label_keys_validation: bool,
    pub(crate) allow_env_files_validation: bool,
    pub(crate) allow_container_restart_policy_rules: bool,
    pub(crate) allow_existing_restart_container_for_non_sidecar_init_container: bool,
    pub(crate) allow_user_namespaces_with_volume_devices: bool,
    pub(crate) allow_taint_toleration_comparison_operators: bool,
    pub(crate) allow_user_namespaces_host_network_support: bool,
    pub(crate) allow_restart_all_containers: bool,
    pub(crate) allow_image_volume_with_digest: bool,
    pub(crate) allow_empty_image_volume_reference: bool,
    pub(crate) allow_sys_admin_when_privilege_escalation_false: bool,
    pub(crate) ips: LegacyIps,
}

impl PodOptions {
    /// As upstream's `pod.GetValidationOptionsFromPodTemplate`.
    pub(crate) fn from_template(
        gates: &FeatureGates,
        new: Option<PodTemplateSpec<'_>>,
        old: Option<PodTemplateSpec<'_>>,
        root: &At<'_>,
    ) -> PodOptions {
        PodOptions::new(gates, new.map(PodTemplateSpec::as_value), old.map(PodTemplateSpec::as_value), root)
    }

    /// The options for a pod, as the strategies of upstream's registry fill them.
    pub(crate) fn from_pod(gates: &FeatureGates, new: &Value, old: Option<&Value>, root: &At<'_>) -> PodOptions {
        PodOptions { resource_is_pod: true, ..PodOptions::new(gates, Some(new), old, root) }
    }

    /// As upstream's `pod.GetValidationOptionsFromPodSpecAndMeta`, of pods or templates.
    fn new(gates: &FeatureGates, new: Option<&Value>, old: Option<&Value>, root: &At<'_>) -> PodOptions {
        let mut options = PodOptions::from_gates(gates);
        if let Some(old) = old {
            let annotations = old.get("metadata").and_then(|metadata| metadata.get("annotations"));
            options.allow_invalid_pod_deletion_cost |= has_bad_deletion_cost(View::view(annotations));
            options.keep_what_was_valid(spec_of(old), new.map(spec_of), root);
        }
        options
    }

    /// Returns the options that depend on gates alone.
    fn from_gates(gates: &FeatureGates) -> PodOptions {
        PodOptions {
            allow_invalid_pod_deletion_cost: !gates.enabled("PodDeletionCost"),
            pod_level_resources_enabled: gates.enabled("PodLevelResources"),
            allow_sidecar_resize_policy: gates.enabled("InPlacePodVerticalScaling"),
            allow_match_label_keys_in_pod_topology_spread: gates.enabled("MatchLabelKeysInPodTopologySpread"),
            allow_match_label_keys_in_pod_topology_spread_selector_merge: gates
                .enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge"),
            in_place_pod_level_resources_vertical_scaling_enabled: gates
                .enabled("InPlacePodLevelResourcesVerticalScaling"),
            in_place_pod_vertical_scaling_memory_backed_volumes_enabled: gates
                .enabled("InPlacePodVerticalScalingMemoryBackedVolumes"),
            allow_container_restart_policy_rules: gates.enabled("ContainerRestartRules"),
            allow_restart_all_containers: gates.enabled("RestartAllContainersOnContainerExits"),
            allow_image_volume_with_digest: gates.enabled("ImageVolumeWithDigest"),
            allow_relaxed_environment_variable_validation: gates.enabled("RelaxedEnvironmentVariableValidation"),
            allow_env_files_validation: gates.enabled("EnvFiles"),
            allow_user_namespaces_host_network_support: gates.enabled("UserNamespacesHostNetworkSupport"),
            allow_only_recursive_selinux_change_policy: !gates.enabled("SELinuxMount"),
            allow_taint_toleration_comparison_operators: gates.enabled("TaintTolerationComparisonOperators"),
            ips: LegacyIps::of(gates),
            ..PodOptions::default()
        }
    }

    /// Lets a changed spec keep what the old one has, even if it would not be let in today.
    fn keep_what_was_valid(&mut self, old: PodSpec<'_>, new: Option<PodSpec<'_>>, root: &At<'_>) {
        let value = old.as_value();
        self.allow_existing_restart_container_for_non_sidecar_init_container = restarts_init_container(old);
        self.allow_relaxed_environment_variable_validation |= new.is_some_and(|new| keeps_relaxed_name(new, old));
        self.allow_env_files_validation |= uses_file_key_ref(value);
        self.allow_user_namespaces_host_network_support |= old.host_network() && old.host_users() == Some(false);
        let policy = old.security_context().and_then(|context| context.se_linux_change_policy());
        self.allow_only_recursive_selinux_change_policy &= policy.is_none();
        let mut tolerations = old.tolerations().iter();
        self.allow_taint_toleration_comparison_operators |=
            tolerations.any(|toleration| matches!(toleration.operator(), "Lt" | "Gt"));
        self.allow_indivisible_huge_pages_values = has_indivisible_huge_pages(old);
        self.allow_invalid_label_value_in_selector = has_bad_affinity_selector(old, root);
        self.allow_invalid_label_value_in_required_node_affinity = has_bad_node_affinity_value(old);
        self.keep_topology_spread(old, root);
        self.allow_non_local_projected_token_path = has_non_local_token_path(old);
        self.allow_namespaced_sysctls_for_host_net_and_host_ipc = has_host_sysctl(old);
        let resized = |container: Container<'_>| is_sidecar(container) && !container.resize_policy().is_empty();
        self.allow_sidecar_resize_policy |= old.init_containers().iter().any(resized);
        self.allow_container_restart_policy_rules |= uses_restart_rules(value);
        self.allow_restart_all_containers |= restarts_all_containers(old);
        self.allow_user_namespaces_with_volume_devices = old.host_users() == Some(false)
            && any_container(old, &mut |container| !container.volume_devices().is_empty());
        self.allow_empty_image_volume_reference = old
            .volumes()
            .iter()
            .any(|volume| volume.volume_source().image().is_some_and(|image| image.reference().is_empty()));
        self.allow_sys_admin_when_privilege_escalation_false = any_container(old, &mut adds_sys_admin);
    }

    fn keep_topology_spread(&mut self, old: PodSpec<'_>, root: &At<'_>) {
        let constraints = || old.topology_spread_constraints().iter();
        self.allow_invalid_topology_spread_constraint_label_selector =
            constraints().any(|constraint| is_bad_selector(constraint.label_selector(), root));
        if !self.allow_match_label_keys_in_pod_topology_spread {
            return;
        }
        if self.allow_match_label_keys_in_pod_topology_spread_selector_merge {
            self.old_pod_violates_match_label_keys_validation = constraints().any(|constraint| {
                let keys = constraint.match_label_keys();
                let selector = constraint.label_selector();
                fails(|errors| validate_match_label_keys(keys, None, selector, &Path::ROOT, errors))
            });
        } else {
            self.old_pod_violates_legacy_match_label_keys_validation = constraints().any(|constraint| {
                let keys = constraint.match_label_keys();
                let selector = constraint.label_selector();
                fails(|errors| validate_match_label_keys_legacy(keys, selector, &Path::ROOT, errors))
            });
        }
    }
}

fn spec_of(pod: &Value) -> PodSpec<'_> {
    View::view(pod.get("spec"))
}

/// Tells if a rule has something to say.
fn fails(rule: impl FnOnce(&mut Errors)) -> bool {
    let mut errors = Errors::new();
    rule(&mut errors);
    !errors.is_empty()
}

fn any_container(spec: PodSpec<'_>, test: &mut dyn FnMut(Container<'_>) -> bool) -> bool {
    let mut found = false;
    visit_containers(spec, &Path::ROOT, &mut |container, _| found = found || test(container));
    found
}

/// As upstream's `pod.hasRestartContainerForNonSidecarInitContainer`.
fn restarts_init_container(spec: PodSpec<'_>) -> bool {
    let mut plain = spec.init_containers().iter().filter(|container| !is_sidecar(*container));
    plain.any(|container| container.resize_policy().iter().any(|policy| policy.restart_policy() == "RestartContainer"))
}

/// As upstream's `pod.useRelaxedEnvironmentVariableValidation` without the gate: a name that only relaxed rules allow was
/// there before.
fn keeps_relaxed_name(new: PodSpec<'_>, old: PodSpec<'_>) -> bool {
    let is_relaxed = |name: &str| {
        let mut strict = true;
        let mut relaxed = true;
        env_var_name(name, &mut |_| strict = false);
        relaxed_env_var_name(name, &mut |_| relaxed = false);
        relaxed && !strict
    };
    any_name(new, &mut |name| is_relaxed(name) && any_name(old, &mut |other| other == name))
}

/// Names of variables and prefixes of names, as upstream's `pod.gatherPodEnvVarNames`.
fn any_name(spec: PodSpec<'_>, test: &mut dyn FnMut(&str) -> bool) -> bool {
    any_container(spec, &mut |container| {
        container.env().iter().any(|var| test(var.name()))
            || container.env_from().iter().any(|source| test(source.prefix()))
    })
}

/// As upstream's `pod.usesIndivisibleHugePagesValues`.
fn has_indivisible_huge_pages(spec: PodSpec<'_>) -> bool {
    let is_bad = |(name, amount): (&str, Quantity)| is_huge_pages(name) && !is_divisible(name, &amount);
    any_container(spec, &mut |container| {
        let resources = container.resources();
        resources.limits().iter().chain(resources.requests().iter()).any(is_bad)
    }) || spec.overhead().iter().any(is_bad)
}

fn is_bad_selector(selector: Option<LabelSelector<'_>>, root: &At<'_>) -> bool {
    selector.is_some_and(|selector| fails(|errors| validate_label_selector(selector, false, root, errors)))
}

/// As upstream's `pod.hasInvalidLabelValueInAffinitySelector`.
fn has_bad_affinity_selector(spec: PodSpec<'_>, root: &At<'_>) -> bool {
    let is_bad = |term: PodAffinityTerm<'_>| {
        is_bad_selector(term.label_selector(), root) || is_bad_selector(term.namespace_selector(), root)
    };
    let is_bad_weighted = |term: WeightedPodAffinityTerm<'_>| is_bad(term.pod_affinity_term());
    let Some(affinity) = spec.affinity() else { return false };
    affinity.pod_affinity().is_some_and(|affinity| {
        affinity.required_during_scheduling_ignored_during_execution().iter().any(is_bad)
            || affinity.preferred_during_scheduling_ignored_during_execution().iter().any(is_bad_weighted)
    }) || affinity.pod_anti_affinity().is_some_and(|affinity| {
        affinity.required_during_scheduling_ignored_during_execution().iter().any(is_bad)
            || affinity.preferred_during_scheduling_ignored_during_execution().iter().any(is_bad_weighted)
    })
}

/// As upstream's `pod.hasInvalidLabelValueInRequiredNodeAffinity`.
fn has_bad_node_affinity_value(spec: PodSpec<'_>) -> bool {
    let affinity = spec.affinity().and_then(|affinity| affinity.node_affinity());
    let required = affinity.and_then(|affinity| affinity.required_during_scheduling_ignored_during_execution());
    required.is_some_and(has_bad_node_selector_values)
}

/// As upstream's `pod.hasNonLocalProjectedTokenPath`.
fn has_non_local_token_path(spec: PodSpec<'_>) -> bool {
    let mut projected = spec.volumes().iter().filter_map(|volume| volume.volume_source().projected());
    projected.any(|volume| {
        let mut tokens = volume.sources().iter().filter_map(|source| source.service_account_token());
        tokens.any(|token| fails(|errors| validate_local_path(token.path(), &Path::ROOT, errors)))
    })
}

/// As upstream's `pod.restartAllContainersActionInUse`.
fn restarts_all_containers(spec: PodSpec<'_>) -> bool {
    let has_action = |container: Container<'_>| {
        container.restart_policy_rules().iter().any(|rule| rule.action() == "RestartAllContainers")
    };
    let is_ruled = |container: Container<'_>| is_sidecar(container) && !container.restart_policy_rules().is_empty();
    spec.containers().iter().any(has_action)
        || spec.init_containers().iter().any(|container| has_action(container) || is_ruled(container))
}

/// As upstream's `pod.hasSysAdminAndPrivilegeEscalationFalse`.
fn adds_sys_admin(container: Container<'_>) -> bool {
    let context = container.security_context();
    let context = context.filter(|context| context.allow_privilege_escalation() != Some(true));
    let added = context.and_then(|context| context.capabilities()).map(|capabilities| capabilities.add());
    added.is_some_and(|added| added.iter().any(|name| name == "CAP_SYS_ADMIN"))
}

#[cfg(test)]
mod tests {
    use sprag_checks::Request;

    use super::*;
    use sprag_value::json;

    #[track_caller]
    fn options(old: &str) -> PodOptions {
        let old = json::parse(format!(r#"{{"spec":{old}}}"#).as_bytes()).unwrap();
        PodOptions::from_pod(&FeatureGates::default(), &old, Some(&old), &At::root(&Request::create()))
    }

    #[test]
    fn gates_decide_about_new_pods() {
        let pod = Value::object();
        let default = PodOptions::from_pod(&FeatureGates::default(), &pod, None, &At::root(&Request::create()));
        assert!(default.resource_is_pod && default.pod_level_resources_enabled && default.allow_env_files_validation);
        assert!(!default.allow_taint_toleration_comparison_operators && !default.allow_invalid_pod_deletion_cost);
        let mut gates = FeatureGates::default();
        gates.set("PodDeletionCost=false,PodLevelResources=false").unwrap();
        let template = PodOptions::from_template(&gates, None, None, &At::root(&Request::create()));
        assert!(!template.resource_is_pod && !template.pod_level_resources_enabled);
        assert!(template.allow_invalid_pod_deletion_cost);
    }

    #[test]
    fn old_pods_keep_what_they_have() {
        assert!(options(r#"{"tolerations":[{"operator":"Lt"}]}"#).allow_taint_toleration_comparison_operators);
        let capabilities = r#"{"containers":[{"securityContext":{"capabilities":{"add":["CAP_SYS_ADMIN"]}}}]}"#;
        assert!(options(capabilities).allow_sys_admin_when_privilege_escalation_false);
        let pages = r#"{"containers":[{"resources":{"limits":{"hugepages-2Mi":"1Mi"}}}]}"#;
        assert!(options(pages).allow_indivisible_huge_pages_values);
        let token = r#"{"volumes":[{"projected":{"sources":[{"serviceAccountToken":{"path":"../a"}}]}}]}"#;
        assert!(options(token).allow_non_local_projected_token_path);
        let sysctl = r#"{"hostNetwork":true,"securityContext":{"sysctls":[{"name":"net.core.somaxconn"}]}}"#;
        assert!(options(sysctl).allow_namespaced_sysctls_for_host_net_and_host_ipc);
        let devices = r#"{"hostUsers":false,"containers":[{"volumeDevices":[{"name":"a"}]}]}"#;
        assert!(options(devices).allow_user_namespaces_with_volume_devices);
        let none = options(r#"{"containers":[{"name":"a"}],"tolerations":[{"operator":"Equal"}]}"#);
        assert!(!none.allow_taint_toleration_comparison_operators && !none.allow_indivisible_huge_pages_values);
    }
}
