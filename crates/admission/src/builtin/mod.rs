//! The plug-ins that upstream compiles in, one file each.

mod always;
mod always_pull_images;
mod amounts;
mod certificates;
mod default_ingress_class;
mod default_storage_class;
mod default_toleration_seconds;
mod deny_service_external_ips;
mod escalation;
mod event_rate_limit;
mod extended_resource_toleration;
mod limit_pod_hard_anti_affinity_topology;
mod limit_ranger;
mod members;
mod namespace_auto_provision;
mod node_declared_feature_validator;
mod node_restriction;
mod owner_references;
mod persistent_volume_claim_resize;
mod pod_group_protection;
mod pod_node_selector;
mod pod_resize_validator;
mod pod_security;
mod pod_toleration_restriction;
mod pod_topology_labels;
mod priority;
mod quota;
mod request;
mod runtime_class;
mod service_account;
mod storage_object_in_use_protection;
mod taint_nodes_by_condition;
mod tolerations;

pub use self::always::{AlwaysAdmit, AlwaysDeny};
pub use self::always_pull_images::AlwaysPullImages;
pub use self::certificates::{
    CertificateApproval, CertificateSigning, CertificateSubjectRestriction, ClusterTrustBundleAttest,
    PodCertificateSigning,
};
pub use self::default_ingress_class::DefaultIngressClass;
pub use self::default_storage_class::DefaultStorageClass;
pub use self::default_toleration_seconds::DefaultTolerationSeconds;
pub use self::deny_service_external_ips::DenyServiceExternalIps;
pub use self::escalation::EscalationCheck;
pub use self::event_rate_limit::EventRateLimit;
pub use self::extended_resource_toleration::ExtendedResourceToleration;
pub use self::limit_pod_hard_anti_affinity_topology::LimitPodHardAntiAffinityTopology;
pub use self::limit_ranger::LimitRanger;
pub use self::namespace_auto_provision::NamespaceAutoProvision;
pub use self::node_declared_feature_validator::NodeDeclaredFeatureValidator;
pub use self::node_restriction::NodeRestriction;
pub use self::owner_references::OwnerReferencesPermissionEnforcement;
pub use self::persistent_volume_claim_resize::PersistentVolumeClaimResize;
pub use self::pod_group_protection::PodGroupProtection;
pub use self::pod_node_selector::PodNodeSelector;
pub use self::pod_resize_validator::PodResizeValidator;
pub use self::pod_security::PodSecurity;
pub use self::pod_toleration_restriction::PodTolerationRestriction;
pub use self::pod_topology_labels::PodTopologyLabels;
pub use self::priority::Priority;
pub use self::quota::{QuotaController, QuotaNamespaces, ResourceQuota};
pub use self::runtime_class::RuntimeClass;
pub use self::service_account::ServiceAccount;
pub use self::storage_object_in_use_protection::StorageObjectInUseProtection;
pub use self::taint_nodes_by_condition::TaintNodesByCondition;
