//! Metadata where kinds differ in what a write may change.

use sprag_value::{Object, Value};

use crate::api::{Api, Kind, shown};
use crate::certificates::BUNDLES;
use crate::devices::CLASSES;
use crate::flow_control::SCHEMAS;
use crate::jobs::JOBS;
use crate::pods::KIND as PODS;
use crate::services::SERVICES;
use crate::storage::ATTACHMENTS;
use crate::workloads::{CONTROLLERS, DAEMON_SETS};

const TEMPLATES: Kind = Kind { path: "podtemplates", api_version: "v1", name: "PodTemplate" };

const ATTACHMENT: &str = r#","spec":{"attacher":"a.b","nodeName":"n","source":{"persistentVolumeName":"p"}}"#;
const SCHEMA: &str = r#","spec":{"priorityLevelConfiguration":{"name":"low"}}"#;
const TEMPLATE: &str =
    r#""template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;

fn with(kind: &Kind, members: &str) -> Api {
    let api = Api::new();
    api.create(kind.path, &kind.body(members)).expect("the object is valid");
    api
}

fn base(name: &str) -> String {
    format!(r#"{{"metadata":{{"generateName":"{name}"}}}}"#)
}

#[test]
fn a_write_of_the_status_may_send_another_base_for_names_but_no_grace_period() {
    let api = with(&ATTACHMENTS, ATTACHMENT);
    let answer = shown(api.merge_below(ATTACHMENTS.path, "status", &base("a-")));
    assert!(answer.contains(r#""generateName":"a-""#), "{answer}");
    let answer = shown(api.merge_below(ATTACHMENTS.path, "status", &base("A_")));
    assert!(
        answer.contains(r#"metadata.generateName: Invalid value: "A_": a lowercase RFC 1123 subdomain"#),
        "{answer}"
    );
    let grace = r#"{"metadata":{"deletionGracePeriodSeconds":5,"labels":{"a":"b"}}}"#;
    let answer = shown(api.merge_below(ATTACHMENTS.path, "status", grace));
    assert!(answer.contains("metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable"), "{answer}");
    // Flow control makes all metadata the old one.
    let api = with(&SCHEMAS, SCHEMA);
    for patch in [base("A/"), grace.to_owned()] {
        let answer = shown(api.merge_below(SCHEMAS.path, "status", &patch));
        assert!(
            !answer.contains("generateName") && !answer.contains("invalid") && !answer.contains("labels"),
            "{answer}"
        );
    }
}

#[test]
fn a_base_for_names_is_part_of_a_path_even_if_the_name_is_given() {
    let spec = format!(r#","spec":{{"selector":{{"a":"b"}},{TEMPLATE}}}"#);
    for (kind, members) in [(&CLASSES, r#","spec":{}"#), (&CONTROLLERS, spec.as_str())] {
        let body = |base: &str| {
            let named = format!(r#""name":"x","generateName":"{base}""#);
            kind.body(members).replacen(r#""name":"x""#, &named, 1)
        };
        let answer = shown(Api::new().create(kind.path, &body("a/%")));
        let flaws = r#"[metadata.generateName: Invalid value: "a/%": may not contain '/', metadata.generateName: Invalid value: "a/%": may not contain '%']"#;
        assert!(answer.ends_with(flaws), "{answer}");
        let answer = shown(Api::new().create(kind.path, &body("A_")));
        assert!(answer.contains(r#""generateName":"A_""#), "{answer}");
    }
}

#[test]
fn updates_judge_the_base_for_names_of_pods_and_not_of_templates() {
    let api = with(&PODS, r#","spec":{"containers":[{"name":"c","image":"i"}]}"#);
    let flaw = r#"metadata.generateName: Invalid value: "A_": a lowercase RFC 1123 subdomain"#;
    for subresource in ["", "resize", "ephemeralcontainers"] {
        let answer = match subresource {
            "" => shown(api.strategic(PODS.path, "x", &base("A_"))),
            _ => shown(api.merge_below(PODS.path, subresource, &base("A_"))),
        };
        assert!(answer.contains(flaw), "{subresource}: {answer}");
    }
    let api = with(&TEMPLATES, &format!(",{TEMPLATE}"));
    let answer = shown(api.strategic(TEMPLATES.path, "x", &base("A_")));
    assert!(answer.contains(r#""generateName":"A_""#), "{answer}");
}

#[test]
fn names_of_trust_bundles_are_judged_before_other_metadata() {
    let body = BUNDLES.body(r#","spec":{"signerName":"a.b/c","trustBundle":""}"#);
    let body = body.replacen(r#""name":"x""#, r#""name":"x","labels":{"-":"b"}"#, 1);
    let answer = shown(Api::new().create(BUNDLES.path, &body));
    let start = r#"ClusterTrustBundle.certificates.k8s.io "x" is invalid: [metadata.name: Invalid value: "x": ClusterTrustBundle for signerName a.b/c must be named with prefix a.b:c:, metadata.labels: "#;
    assert!(answer.starts_with(start), "{answer}");
}

#[test]
fn a_status_of_a_daemon_set_keeps_the_generation_of_its_template() {
    let api = with(&DAEMON_SETS, &format!(r#","spec":{{"selector":{{"matchLabels":{{"a":"b"}}}},{TEMPLATE}}}"#));
    let answer = shown(api.merge_below(DAEMON_SETS.path, "status", r#"{"metadata":{"annotations":null}}"#));
    assert!(answer.contains(r#""annotations":{"deprecated.daemonset.template.generation":"1"}"#), "{answer}");
}

#[test]
fn managed_fields_in_a_template_are_shown_as_their_type_has_them() {
    let api = with(
        &JOBS,
        r#","spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}"#,
    );
    let patch = r#"{"spec":{"template":{"metadata":{"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1"}]}}}}"#;
    let answer = shown(api.strategic(JOBS.path, "x", patch));
    let shown = r#""managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1"}],"Spec":{"#;
    assert!(answer.contains(shown), "{answer}");
}

#[test]
fn a_service_of_another_uid_is_named_by_its_key() {
    let api = with(&SERVICES, r#","spec":{"ports":[{"port":80}]}"#);
    let body = SERVICES.body("").replacen(r#""name":"x""#, r#""name":"x","uid":"other""#, 1);
    let error = shown(api.update(SERVICES.path, "x", &body));
    assert!(error.contains("Key: /registry/services/specs/default/x"), "{error}");
}

#[test]
fn labels_of_a_job_with_a_generated_name_are_those_of_its_author() {
    let body = |metadata: &str| {
        format!(
            r#"{{"apiVersion":"batch/v1","kind":"Job","metadata":{{{metadata}}},"spec":{{"template":{{"metadata":{{"labels":{{"a":"b"}}}},"spec":{{"restartPolicy":"Never","containers":[{{"name":"c","image":"i"}}]}}}}}}}}"#
        )
    };
    let labels = |metadata: &str| {
        let job = Api::new().create(JOBS.path, &body(metadata)).unwrap();
        job.lookup(&["metadata", "labels"]).and_then(Value::as_object).map(Object::len)
    };
    assert_eq!((labels(r#""generateName":"x-""#), labels(r#""name":"x""#)), (Some(1), Some(5)));
    let plain =
        JOBS.body(r#","spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}"#);
    // Without labels of its author it has the generated ones, which are judged only where they are generated.
    let job = Api::new().create(JOBS.path, &plain).unwrap();
    assert_eq!(job.lookup(&["metadata", "labels"]).and_then(Value::as_object).map(Object::len), Some(4));
    let answer = shown(Api::new().create(JOBS.path, &plain.replacen(r#""name":"x""#, r#""name":"-x""#, 1)));
    assert!(answer.contains("spec.template.labels: Invalid") && !answer.contains(" metadata.labels"), "{answer}");
}

#[test]
fn a_generated_name_of_a_namespace_becomes_its_label() {
    let body =
        |base: &str| format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"generateName":"{base}"}}}}"#);
    let namespace = Api::new().create("namespaces", &body("x-")).unwrap();
    let label = namespace.lookup(&["metadata", "labels", "kubernetes.io/metadata.name"]).and_then(Value::as_str);
    assert_eq!(label, namespace.lookup(&["metadata", "name"]).and_then(Value::as_str));
    let answer = shown(Api::new().create("namespaces", &body("-x")));
    assert!(answer.contains("metadata.generateName: Invalid") && !answer.contains("metadata.labels"), "{answer}");
}
