//! The facts: which version of which kind was removed when, and what to use.
// As upstream's `APILifecycleRemoved` of k8s.io/api, and for what is older, its deprecated API migration guide.

use crate::convert;

/// Kinds of one version that a release of Kubernetes stopped serving, or will.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The group, without a name for the core group.
    pub group: &'static str,
    /// The version that is not served any more.
    pub version: &'static str,
    /// The kinds.
    pub kinds: &'static [&'static str],
    /// The minor release that does not serve it any more: 22 for Kubernetes 1.22.
    pub removed: u32,
    /// The API version to use, if the kind is still there.
    pub replacement: Option<&'static str>,
    /// The differences that manifests have to follow, each a phrase.
    pub changes: &'static [&'static str],
}

impl Removal {
    /// The last minor release that served it.
    pub fn served_until(&self) -> u32 {
        self.removed - 1
    }

    /// The API version that is not served any more.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }
}

/// The removal of a version of a kind; none for what is still served, and for what never was.
pub fn removal(group: &str, version: &str, kind: &str) -> Option<&'static Removal> {
    all().find(|removal| removal.group == group && removal.version == version && removal.kinds.contains(&kind))
}

/// All removals, by group.
pub fn all() -> impl Iterator<Item = &'static Removal> {
    TABLE.iter()
}

/// True if [`rewrite`](crate::rewrite) converts manifests of this version and kind.
pub fn is_converted(group: &str, version: &str, kind: &str) -> bool {
    removal(group, version, kind).is_some_and(|removal| convert::is_known(removal, kind))
}

const fn gone(
    group: &'static str,
    version: &'static str,
    kinds: &'static [&'static str],
    removed: u32,
    replacement: Option<&'static str>,
    changes: &'static [&'static str],
) -> Removal {
    Removal { group, version, kinds, removed, replacement, changes }
}

const SELECTOR_DEFAULT: &str =
    "`spec.selector` is required: it is not derived from the labels of the template any more";
const ROLLBACK: &str = "`spec.rollbackTo` is gone";
const LIMITS: &str =
    "the defaults of `progressDeadlineSeconds`, `revisionHistoryLimit`, `maxSurge` and `maxUnavailable` are others";
const ON_DELETE: &str = "`spec.updateStrategy.type` defaults to RollingUpdate, not OnDelete";
const INGRESS: &[&str] = &[
    "`pathType` is required for each path",
    "`backend.serviceName` is `backend.service.name`",
    "`backend.servicePort` is `backend.service.port.number` or `.name`",
    "`spec.backend` is `spec.defaultBackend`",
];
const WEBHOOKS: &[&str] = &[
    "`webhooks[*].sideEffects` and `admissionReviewVersions` are required",
    "`failurePolicy` defaults to Fail, `matchPolicy` to Equivalent, `timeoutSeconds` to 10",
];
const NO_PSP: &[&str] = &["Pod Security Admission takes its place: labels of namespaces in place of objects"];
const FLOWS: &[&str] = &["`spec.limited.assuredConcurrencyShares` is `spec.limited.nominalConcurrencyShares`"];
const EVENTS: &[&str] = &[
    "`involvedObject` is `regarding`, and `eventTime`, `action`, `reason`, `reportingController` and `reportingInstance` are required",
];
const RESOURCES: &[&str] = &["the fields of a request for exactly one device are below `exactly`"];
const REQUESTS: &[&str] =
    &["`spec.pkixPublicKey` and `spec.proofOfPossession` are gone: `spec.stubPKCS10Request` takes their place"];
const DEFINITIONS: &[&str] = &[
    "`spec.versions` and a structural schema for each are required",
    "`spec.version`, `validation`, `subresources` and `additionalPrinterColumns` move into `spec.versions`",
    "`JSONPath` of columns is `jsonPath`",
    "`spec.preserveUnknownFields` must be false",
];

static TABLE: &[Removal] = &[
    gone(
        "admissionregistration.k8s.io",
        "v1alpha1",
        &["InitializerConfiguration"],
        14,
        None,
        &["webhooks of admission take its place"],
    ),
    gone(
        "admissionregistration.k8s.io",
        "v1alpha1",
        &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
        32,
        Some("admissionregistration.k8s.io/v1"),
        &[],
    ),
    gone(
        "admissionregistration.k8s.io",
        "v1alpha1",
        &["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"],
        38,
        Some("admissionregistration.k8s.io/v1"),
        &[],
    ),
    gone(
        "admissionregistration.k8s.io",
        "v1beta1",
        &["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
        22,
        Some("admissionregistration.k8s.io/v1"),
        WEBHOOKS,
    ),
    gone(
        "admissionregistration.k8s.io",
        "v1beta1",
        &["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
        34,
        Some("admissionregistration.k8s.io/v1"),
        &[],
    ),
    gone(
        "admissionregistration.k8s.io",
        "v1beta1",
        &["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"],
        40,
        Some("admissionregistration.k8s.io/v1"),
        &[],
    ),
    gone(
        "apiextensions.k8s.io",
        "v1beta1",
        &["CustomResourceDefinition"],
        22,
        Some("apiextensions.k8s.io/v1"),
        DEFINITIONS,
    ),
    gone("apiregistration.k8s.io", "v1beta1", &["APIService"], 22, Some("apiregistration.k8s.io/v1"), &[]),
    gone("apps", "v1beta1", &["ControllerRevision"], 16, Some("apps/v1"), &[]),
    gone("apps", "v1beta1", &["Deployment"], 16, Some("apps/v1"), &[SELECTOR_DEFAULT, ROLLBACK, LIMITS]),
    gone("apps", "v1beta1", &["StatefulSet"], 16, Some("apps/v1"), &[SELECTOR_DEFAULT, ON_DELETE]),
    gone("apps", "v1beta2", &["ControllerRevision", "ReplicaSet", "StatefulSet"], 16, Some("apps/v1"), &[]),
    gone("apps", "v1beta2", &["DaemonSet"], 16, Some("apps/v1"), &["`spec.templateGeneration` is gone"]),
    gone("apps", "v1beta2", &["Deployment"], 16, Some("apps/v1"), &[LIMITS]),
    gone("auditregistration.k8s.io", "v1alpha1", &["AuditSink"], 19, None, &[]),
    gone("authentication.k8s.io", "v1alpha1", &["SelfSubjectReview"], 32, Some("authentication.k8s.io/v1"), &[]),
    gone("authentication.k8s.io", "v1beta1", &["TokenReview"], 22, Some("authentication.k8s.io/v1"), &[]),
    gone("authentication.k8s.io", "v1beta1", &["SelfSubjectReview"], 33, Some("authentication.k8s.io/v1"), &[]),
    gone(
        "authorization.k8s.io",
        "v1beta1",
        &["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"],
        22,
        Some("authorization.k8s.io/v1"),
        &[],
    ),
    gone(
        "autoscaling",
        "v2beta1",
        &["HorizontalPodAutoscaler"],
        25,
        Some("autoscaling/v2"),
        &[
            "`targetAverageUtilization` of a resource is `target.averageUtilization` with `target.type: Utilization`, and so on for all metrics",
        ],
    ),
    gone("autoscaling", "v2beta2", &["HorizontalPodAutoscaler"], 26, Some("autoscaling/v2"), &[]),
    gone("batch", "v1beta1", &["CronJob"], 25, Some("batch/v1"), &[]),
    gone("batch", "v2alpha1", &["CronJob"], 21, Some("batch/v1"), &[]),
    gone("certificates.k8s.io", "v1alpha1", &["ClusterTrustBundle"], 37, Some("certificates.k8s.io/v1"), &[]),
    gone("certificates.k8s.io", "v1alpha1", &["PodCertificateRequest"], 40, Some("certificates.k8s.io/v1"), REQUESTS),
    gone(
        "certificates.k8s.io",
        "v1beta1",
        &["CertificateSigningRequest"],
        22,
        Some("certificates.k8s.io/v1"),
        &["`spec.signerName` is required, kubernetes.io/legacy-unknown is not accepted, `spec.usages` is required"],
    ),
    gone("certificates.k8s.io", "v1beta1", &["ClusterTrustBundle"], 40, Some("certificates.k8s.io/v1"), &[]),
    gone("certificates.k8s.io", "v1beta1", &["PodCertificateRequest"], 40, Some("certificates.k8s.io/v1"), REQUESTS),
    gone("coordination.k8s.io", "v1alpha2", &["LeaseCandidate"], 38, None, &[]),
    gone("coordination.k8s.io", "v1beta1", &["Lease"], 22, Some("coordination.k8s.io/v1"), &[]),
    gone("coordination.k8s.io", "v1beta1", &["LeaseCandidate"], 39, None, &[]),
    gone(
        "discovery.k8s.io",
        "v1beta1",
        &["EndpointSlice"],
        25,
        Some("discovery.k8s.io/v1"),
        &["`topology` of endpoints is `nodeName` and `zone`"],
    ),
    gone("events.k8s.io", "v1beta1", &["Event"], 25, Some("events.k8s.io/v1"), EVENTS),
    gone(
        "extensions",
        "v1beta1",
        &["DaemonSet"],
        16,
        Some("apps/v1"),
        &[SELECTOR_DEFAULT, ON_DELETE, "`spec.templateGeneration` is gone"],
    ),
    gone("extensions", "v1beta1", &["Deployment"], 16, Some("apps/v1"), &[SELECTOR_DEFAULT, ROLLBACK, LIMITS]),
    gone("extensions", "v1beta1", &["NetworkPolicy"], 16, Some("networking.k8s.io/v1"), &[]),
    gone("extensions", "v1beta1", &["PodSecurityPolicy"], 16, None, NO_PSP),
    gone("extensions", "v1beta1", &["ReplicaSet"], 16, Some("apps/v1"), &[SELECTOR_DEFAULT]),
    gone(
        "extensions",
        "v1beta1",
        &["ThirdPartyResource"],
        8,
        None,
        &["CustomResourceDefinition of apiextensions.k8s.io/v1 takes its place"],
    ),
    gone("extensions", "v1beta1", &["Ingress"], 22, Some("networking.k8s.io/v1"), INGRESS),
    gone("flowcontrol.apiserver.k8s.io", "v1beta1", &["FlowSchema"], 26, Some("flowcontrol.apiserver.k8s.io/v1"), &[]),
    gone(
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        &["PriorityLevelConfiguration"],
        26,
        Some("flowcontrol.apiserver.k8s.io/v1"),
        FLOWS,
    ),
    gone("flowcontrol.apiserver.k8s.io", "v1beta2", &["FlowSchema"], 29, Some("flowcontrol.apiserver.k8s.io/v1"), &[]),
    gone(
        "flowcontrol.apiserver.k8s.io",
        "v1beta2",
        &["PriorityLevelConfiguration"],
        29,
        Some("flowcontrol.apiserver.k8s.io/v1"),
        FLOWS,
    ),
    gone("flowcontrol.apiserver.k8s.io", "v1beta3", &["FlowSchema"], 32, Some("flowcontrol.apiserver.k8s.io/v1"), &[]),
    gone(
        "flowcontrol.apiserver.k8s.io",
        "v1beta3",
        &["PriorityLevelConfiguration"],
        32,
        Some("flowcontrol.apiserver.k8s.io/v1"),
        &["`nominalConcurrencyShares: 0` means none, not the default of 30"],
    ),
    gone("lifecycle.k8s.io", "v1alpha1", &["EvictionRequest"], 43, None, &[]),
    gone("networking.k8s.io", "v1alpha1", &["IPAddress", "ServiceCIDR"], 33, Some("networking.k8s.io/v1"), &[]),
    gone("networking.k8s.io", "v1beta1", &["Ingress"], 22, Some("networking.k8s.io/v1"), INGRESS),
    gone("networking.k8s.io", "v1beta1", &["IngressClass"], 22, Some("networking.k8s.io/v1"), &[]),
    gone("networking.k8s.io", "v1beta1", &["IPAddress", "ServiceCIDR"], 37, Some("networking.k8s.io/v1"), &[]),
    gone("node.k8s.io", "v1beta1", &["RuntimeClass"], 25, Some("node.k8s.io/v1"), &[]),
    gone(
        "policy",
        "v1beta1",
        &["PodDisruptionBudget"],
        25,
        Some("policy/v1"),
        &["an empty `spec.selector` selects all pods of the namespace, not none"],
    ),
    gone("policy", "v1beta1", &["PodSecurityPolicy"], 25, None, NO_PSP),
    gone(
        "rbac.authorization.k8s.io",
        "v1beta1",
        &["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
        22,
        Some("rbac.authorization.k8s.io/v1"),
        &[],
    ),
    gone("resource.k8s.io", "v1alpha3", &["DeviceClass", "ResourceSlice"], 37, Some("resource.k8s.io/v1"), &[]),
    gone(
        "resource.k8s.io",
        "v1alpha3",
        &["ResourceClaim", "ResourceClaimTemplate"],
        37,
        Some("resource.k8s.io/v1"),
        RESOURCES,
    ),
    gone("resource.k8s.io", "v1alpha3", &["DeviceTaintRule"], 39, Some("resource.k8s.io/v1"), &[]),
    gone("resource.k8s.io", "v1alpha3", &["ResourcePoolStatusRequest"], 42, None, &[]),
    gone("resource.k8s.io", "v1beta1", &["DeviceClass", "ResourceSlice"], 38, Some("resource.k8s.io/v1"), &[]),
    gone(
        "resource.k8s.io",
        "v1beta1",
        &["ResourceClaim", "ResourceClaimTemplate"],
        38,
        Some("resource.k8s.io/v1"),
        RESOURCES,
    ),
    gone(
        "resource.k8s.io",
        "v1beta2",
        &["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
        39,
        Some("resource.k8s.io/v1"),
        &[],
    ),
    gone("resource.k8s.io", "v1beta2", &["DeviceTaintRule"], 42, Some("resource.k8s.io/v1"), &[]),
    gone("scheduling.k8s.io", "v1beta1", &["PriorityClass"], 22, Some("scheduling.k8s.io/v1"), &[]),
    gone("scheduling.k8s.io", "v1beta1", &["PodGroup", "Workload"], 43, None, &[]),
    gone("settings.k8s.io", "v1alpha1", &["PodPreset"], 20, None, &[]),
    gone("storage.k8s.io", "v1alpha1", &["CSIStorageCapacity", "VolumeAttachment"], 24, Some("storage.k8s.io/v1"), &[]),
    gone("storage.k8s.io", "v1alpha1", &["VolumeAttributesClass"], 35, Some("storage.k8s.io/v1"), &[]),
    gone(
        "storage.k8s.io",
        "v1beta1",
        &["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
        22,
        Some("storage.k8s.io/v1"),
        &[],
    ),
    gone("storage.k8s.io", "v1beta1", &["CSIStorageCapacity"], 27, Some("storage.k8s.io/v1"), &[]),
    gone("storage.k8s.io", "v1beta1", &["VolumeAttributesClass"], 37, Some("storage.k8s.io/v1"), &[]),
    gone(
        "storagemigration.k8s.io",
        "v1alpha1",
        &["StorageVersionMigration"],
        36,
        Some("storagemigration.k8s.io/v1"),
        &["`spec.resource.version` and `spec.continueToken` are gone"],
    ),
    gone(
        "storagemigration.k8s.io",
        "v1beta1",
        &["StorageVersionMigration"],
        40,
        Some("storagemigration.k8s.io/v1"),
        &[],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_names_each_kind_once() {
        let keys: Vec<_> =
            all().flat_map(|row| row.kinds.iter().map(move |kind| (row.group, row.version, *kind))).collect();
        let mut unique = keys.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), keys.len());
        assert!(all().map(|row| (row.group, row.version)).is_sorted());
    }

    #[test]
    fn what_takes_a_place_is_not_removed_itself() {
        for row in all() {
            let Some((group, version)) = row.replacement.and_then(|replacement| replacement.split_once('/')) else {
                continue;
            };
            assert!(row.kinds.iter().all(|kind| removal(group, version, kind).is_none()), "{row:?}");
        }
    }

    #[test]
    fn removals_say_until_when_a_version_was_served() {
        let ingress = removal("extensions", "v1beta1", "Ingress").unwrap();
        assert_eq!((ingress.served_until(), ingress.replacement), (21, Some("networking.k8s.io/v1")));
        assert_eq!(ingress.api_version(), "extensions/v1beta1");
        assert_eq!(removal("policy", "v1beta1", "PodSecurityPolicy").unwrap().replacement, None);
        assert_eq!(removal("apps", "v1", "Deployment"), None);
    }
}
