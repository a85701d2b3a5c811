//! What the rules of pods depend on beside the pod: computed once from feature gates and the old pod.

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
}
