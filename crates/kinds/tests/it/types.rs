//! The types as Rust structs: what upstream's codec fixtures hold survives reading and writing.

#![expect(clippy::unwrap_used, reason = "tests fail where their material is not what it should be")]

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sprag_kinds::{
    apps, authentication, authorization, autoscaling, batch, core, discovery, networking, node, policy, resource,
    scheduling, storage, storagemigration,
};
use sprag_value::{Value, from_value, json, to_value};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/conformance/native/codec-fixtures");

#[track_caller]
fn check<T: Serialize + DeserializeOwned>(name: &str) {
    let path = Path::new(FIXTURES).join(format!("{name}.json"));
    let text = std::fs::read(&path).unwrap();
    let mut expected = json::parse(&text).unwrap();
    let object: T = from_value(&expected).unwrap();
    let actual = to_value(&object).unwrap();
    // The server knows the type of an object.
    for member in ["apiVersion", "kind"] {
        if actual.get(member).is_none() {
            expected.remove(member);
        }
    }
    let members =
        |value: &Value| value.as_object().unwrap().iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>();
    assert_eq!(members(&actual), members(&expected), "{name}");
    for member in members(&expected) {
        let text = |value: &Value| json::to_string(value.get(&member).unwrap());
        assert_eq!(text(&actual), text(&expected), "{name} {member}");
    }
}

#[test]
fn objects_with_every_field_set_survive() {
    if !Path::new(FIXTURES).is_dir() {
        eprintln!("skipped: shared/conformance/native/codec-fixtures is missing");
        return;
    }
    check::<core::v1::Binding>("core.v1.Binding");
    check::<core::v1::ComponentStatus>("core.v1.ComponentStatus");
    check::<core::v1::Endpoints>("core.v1.Endpoints");
    check::<core::v1::LimitRange>("core.v1.LimitRange");
    check::<core::v1::Node>("core.v1.Node");
    check::<core::v1::PersistentVolume>("core.v1.PersistentVolume");
    check::<core::v1::PersistentVolumeClaim>("core.v1.PersistentVolumeClaim");
    check::<core::v1::Pod>("core.v1.Pod");
    check::<core::v1::PodTemplate>("core.v1.PodTemplate");
    check::<core::v1::ReplicationController>("core.v1.ReplicationController");
    check::<core::v1::ResourceQuota>("core.v1.ResourceQuota");
    check::<core::v1::Service>("core.v1.Service");
    check::<apps::v1::ControllerRevision>("apps.v1.ControllerRevision");
    check::<apps::v1::DaemonSet>("apps.v1.DaemonSet");
    check::<apps::v1::Deployment>("apps.v1.Deployment");
    check::<apps::v1::ReplicaSet>("apps.v1.ReplicaSet");
    check::<apps::v1::StatefulSet>("apps.v1.StatefulSet");
    check::<authentication::v1::SelfSubjectReview>("authentication.k8s.io.v1.SelfSubjectReview");
    check::<authentication::v1::TokenRequest>("authentication.k8s.io.v1.TokenRequest");
    check::<authentication::v1::TokenReview>("authentication.k8s.io.v1.TokenReview");
    check::<authorization::v1::LocalSubjectAccessReview>("authorization.k8s.io.v1.LocalSubjectAccessReview");
    check::<authorization::v1::SelfSubjectAccessReview>("authorization.k8s.io.v1.SelfSubjectAccessReview");
    check::<authorization::v1::SelfSubjectRulesReview>("authorization.k8s.io.v1.SelfSubjectRulesReview");
    check::<authorization::v1::SubjectAccessReview>("authorization.k8s.io.v1.SubjectAccessReview");
    check::<autoscaling::v1::Scale>("autoscaling.v1.Scale");
    check::<autoscaling::v1::HorizontalPodAutoscaler>("autoscaling.v1.HorizontalPodAutoscaler");
    check::<autoscaling::v2::HorizontalPodAutoscaler>("autoscaling.v2.HorizontalPodAutoscaler");
    check::<batch::v1::CronJob>("batch.v1.CronJob");
    check::<batch::v1::Job>("batch.v1.Job");
    check::<resource::v1::DeviceClass>("resource.k8s.io.v1.DeviceClass");
    check::<resource::v1::DeviceTaintRule>("resource.k8s.io.v1.DeviceTaintRule");
    check::<resource::v1::ResourceClaim>("resource.k8s.io.v1.ResourceClaim");
    check::<resource::v1::ResourceClaimTemplate>("resource.k8s.io.v1.ResourceClaimTemplate");
    check::<resource::v1::ResourceSlice>("resource.k8s.io.v1.ResourceSlice");
    check::<discovery::v1::EndpointSlice>("discovery.k8s.io.v1.EndpointSlice");
    check::<networking::v1::IPAddress>("networking.k8s.io.v1.IPAddress");
    check::<networking::v1::Ingress>("networking.k8s.io.v1.Ingress");
    check::<networking::v1::IngressClass>("networking.k8s.io.v1.IngressClass");
    check::<networking::v1::NetworkPolicy>("networking.k8s.io.v1.NetworkPolicy");
    check::<networking::v1::ServiceCIDR>("networking.k8s.io.v1.ServiceCIDR");
    check::<node::v1::RuntimeClass>("node.k8s.io.v1.RuntimeClass");
    check::<policy::v1::Eviction>("policy.v1.Eviction");
    check::<policy::v1::PodDisruptionBudget>("policy.v1.PodDisruptionBudget");
    check::<scheduling::v1::PriorityClass>("scheduling.k8s.io.v1.PriorityClass");
    check::<storage::v1::CSIDriver>("storage.k8s.io.v1.CSIDriver");
    check::<storage::v1::CSINode>("storage.k8s.io.v1.CSINode");
    check::<storage::v1::CSIStorageCapacity>("storage.k8s.io.v1.CSIStorageCapacity");
    check::<storage::v1::StorageClass>("storage.k8s.io.v1.StorageClass");
    check::<storage::v1::VolumeAttachment>("storage.k8s.io.v1.VolumeAttachment");
    check::<storage::v1::VolumeAttributesClass>("storage.k8s.io.v1.VolumeAttributesClass");
    check::<storagemigration::v1::StorageVersionMigration>("storagemigration.k8s.io.v1.StorageVersionMigration");
}
