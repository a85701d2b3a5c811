use sprag_field::{Error, Path};

use super::*;

/// An error about an object of a kind, as it is printed.
#[track_caller]
fn check(kind: (&str, &str), path: &str, value: BadValue, expected: &str) {
    let program = program::of_release(Release::V1_33);
    let root = program.find(kind.0, "v1", kind.1).unwrap().shape;
    let mut errors = [Error::invalid(&Path::new(path), value, "")];
    show_values(root, &mut errors);
    assert_eq!(errors[0].value.to_string(), expected);
}

fn json(text: &str) -> BadValue {
    BadValue::Json(text.to_owned())
}

const POD: (&str, &str) = ("", "Pod");
const DEPLOYMENT: (&str, &str) = ("apps", "Deployment");

#[test]
fn values_have_the_types_that_paths_lead_to() {
    check(
        DEPLOYMENT,
        "spec.selector",
        json(r#"{"matchLabels":{"b":"2","a":"1"}}"#),
        r#"v1.LabelSelector{MatchLabels:map[string]string{"a":"1", "b":"2"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}"#,
    );
    check(
        DEPLOYMENT,
        "spec.strategy",
        json(r#"{"Type":"x","RollingUpdate":null}"#),
        r#"apps.DeploymentStrategy{Type:"x", RollingUpdate:(*apps.RollingUpdateDeployment)(nil)}"#,
    );
    check(
        POD,
        "status.podIPs",
        json(r#"[{"IP":"::1"},{"IP":""}]"#),
        r#"[]core.PodIP{core.PodIP{IP:"::1"}, core.PodIP{IP:""}}"#,
    );
    check(
        POD,
        "spec.containers[0].resources.requests",
        json(r#"{"cpu":"100m","memory":"64Mi"}"#),
        r#"core.ResourceList{"cpu":resource.Quantity{i:resource.int64Amount{value:100, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"100m", Format:"DecimalSI"}, "memory":resource.Quantity{i:resource.int64Amount{value:67108864, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"BinarySI"}}"#,
    );
    check(
        ("events.k8s.io", "Event"),
        "involvedObject",
        json(r#"{"kind":"Pod"}"#),
        r#"core.ObjectReference{Kind:"Pod", Namespace:"", Name:"", UID:"", APIVersion:"", ResourceVersion:"", FieldPath:""}"#,
    );
}

#[test]
fn values_may_be_around_the_place_or_inside() {
    let labels = r#"map[string]string{"a":"1"}"#;
    check(DEPLOYMENT, "spec.template.metadata.labels[a]", json(r#"{"a":"1"}"#), labels);
    check(("", "Service"), "spec.clusterIPs[1]", json(r#"["::1"]"#), r#"[]string{"::1"}"#);
    check(
        POD,
        "metadata.ownerReferences",
        json(r#"{"apiVersion":"v1","kind":"Event","controller":true}"#),
        r#"v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"", UID:"", Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}"#,
    );
    check(
        ("", "Node"),
        "metadata.taints[0]",
        json(r#"{"Key":"k","Value":"","Effect":"NoSchedule","TimeAdded":null}"#),
        r#"core.Taint{Key:"k", Value:"", Effect:"NoSchedule", TimeAdded:<nil>}"#,
    );
    check(
        ("", "PersistentVolume"),
        "nodeAffinity",
        json(r#"{"Required":null}"#),
        "core.VolumeNodeAffinity{Required:(*core.NodeSelector)(nil)}",
    );
}

#[test]
fn nothing_is_null_or_has_a_type() {
    check(DEPLOYMENT, "spec.selector", BadValue::Nil, r#""null""#);
    check(DEPLOYMENT, "spec.template.metadata.labels", BadValue::Nil, "map[string]string(nil)");
    check(POD, "status.podIPs", json("null"), "[]core.PodIP(nil)");
    check(POD, "no.such.field", json("null"), r#""null""#);
}

#[test]
fn scalars_print_themselves() {
    check(POD, "spec.restartPolicy", json(r#""x""#), r#""x""#);
    check(POD, "spec.overhead.limits[k]", json(r#""k""#), "k");
    check(("", "LimitRange"), "spec.limits[0].min[a/b]", json(r#""a/b""#), "a/b");
    check(
        ("batch", "Job"),
        "status.completionTime",
        json(r#""2024-01-02T00:00:00Z""#),
        "2024-01-02 00:00:00 +0000 UTC",
    );
    check(
        DEPLOYMENT,
        "spec.strategy.rollingUpdate.maxSurge",
        json("1"),
        r#"intstr.IntOrString{Type:0, IntVal:1, StrVal:""}"#,
    );
    check(POD, "no.such.field", json(r#"["a",1]"#), r#"[]string{"a", 1}"#);
}

#[test]
fn internal_structs_have_their_own_members() {
    let template = json::parse(
        br#"{"metadata":{"labels":{"a":"b"}},"spec":{"hostNetwork":true,"containers":[],"activeDeadlineSeconds":3}}"#,
    );
    let text = super::super::internal_struct(Release::V1_33, "v1.PodTemplateSpec", template.ok().as_ref()).to_string();
    assert!(
        text.starts_with(
            r#"core.PodTemplateSpec{ObjectMeta:v1.ObjectMeta{Name:"", GenerateName:"", Namespace:"", SelfLink:"", UID:"", "#
        ),
        "{text}"
    );
    assert!(text.contains("CreationTimestamp:time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), "), "{text}");
    assert!(text.contains("Spec:core.PodSpec{Volumes:[]core.Volume(nil), "), "{text}");
    assert!(text.contains("Containers:[]core.Container{}, "), "{text}");
    assert!(text.contains("ActiveDeadlineSeconds:(*int64)(0xc000000000), "), "{text}");
    assert!(!text.contains("HostNetwork"), "it is behind a pointer: {text}");
}
