//! Updates of built-in kinds of which both manifests are known: as `kubectl apply` of one after the other has them on a cluster. The
//! answers are those of kube-apiserver.

use crate::run::sprag_in;
use crate::scratch::Scratch;

const SERVICE: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]";
const JOB: &str = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {restartPolicy: Never, containers: \
                   [{name: a, image: i}]}}";
const POD_TEMPLATE: &str = "selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: i}]}}";

/// Checks the errors of the update from one manifest to another. Both have the same beginning and may each have more fields in their
/// spec.
#[track_caller]
fn check(scratch: &Scratch, beginning: &str, (old, new): (&str, &str), expected: &[&str]) {
    scratch.write("old.yaml", &format!("{beginning}{old}}}\n"));
    scratch.write("new.yaml", &format!("{beginning}{new}}}\n"));
    let run = sprag_in(scratch.dir(), &["validate", "new.yaml", "--old", "old.yaml"], "");
    let errors: Vec<&str> = run.stdout.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
    assert_eq!(errors, expected, "{old} -> {new}: {}", run.stderr);
}

#[test]
fn services_keep_the_addresses_they_were_given() {
    let scratch = Scratch::new("updates-services");
    check(&scratch, SERVICE, ("", ""), &[]);
    let other = "spec.clusterIPs[0]: Invalid value: [\"10.96.0.11\"]: may not change once set";
    check(&scratch, SERVICE, ("", ", clusterIP: 10.96.0.11"), &[other]);
    check(&scratch, SERVICE, (", clusterIP: 10.96.0.10", ", clusterIP: 10.96.0.11"), &[other]);
    check(&scratch, SERVICE, (", clusterIP: 10.96.0.10", ""), &[]);
    check(
        &scratch,
        SERVICE,
        ("", ", clusterIP: None"),
        &["spec.clusterIPs[0]: Invalid value: [\"None\"]: may not change once set"],
    );
    check(&scratch, SERVICE, (", clusterIP: None", ""), &[]);
    let family =
        "spec.clusterIPs[0]: Invalid value: \"10.0.0.0\": expected an IPv6 value as indicated by `ipFamilies[0]`";
    check(&scratch, SERVICE, ("", ", ipFamilies: [IPv6]"), &[family]);
    check(&scratch, SERVICE, ("", ", type: ExternalName, externalName: a.b"), &[]);
    check(&scratch, SERVICE, (", type: ExternalName, externalName: a.b", ""), &[]);
    check(&scratch, SERVICE, (", type: NodePort", ", type: ClusterIP"), &[]);
}

#[test]
fn jobs_keep_the_selector_they_were_given() {
    let scratch = Scratch::new("updates-jobs");
    check(&scratch, JOB, ("", ""), &[]);
    check(&scratch, JOB, ("", ", parallelism: 2"), &[]);
    check(&scratch, JOB, ("", ", completions: 2"), &["spec.completions: Invalid value: 2: field is immutable"]);
    let uid = "12121212-1212-4212-9212-121212121212";
    let labels = format!(
        r#"spec.template.metadata.labels: Invalid value: {{"batch.kubernetes.io/controller-uid":"{uid}","batch.kubernetes.io/job-name":"j","controller-uid":"{uid}","job-name":"j"}}: `selector` does not match template `labels`"#
    );
    let selector = format!(
        r#"spec.selector: Invalid value: {{"matchLabels":{{"a":"b","batch.kubernetes.io/controller-uid":"{uid}"}}}}: field is immutable"#
    );
    check(&scratch, JOB, ("", ", selector: {matchLabels: {a: b}}"), &[&labels, &selector]);
}

#[test]
fn defaults_stay_unless_their_struct_retains_keys() {
    let scratch = Scratch::new("updates-defaults");
    let deployment = format!("apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec: {{{POD_TEMPLATE}");
    check(&scratch, &deployment, ("", ", strategy: {type: Recreate}"), &[]);
    check(&scratch, &deployment, (", strategy: {type: Recreate}", ""), &[]);
    let set = deployment.replace("Deployment", "StatefulSet");
    let kept = "spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":0,\"MaxUnavailable\":1}: only allowed for \
                updateStrategy 'RollingUpdate'";
    check(&scratch, &set, ("", ", updateStrategy: {type: OnDelete}"), &[kept]);
    check(&scratch, &set, (", updateStrategy: {type: OnDelete}", ""), &[]);
}

#[test]
fn objects_of_a_server_may_say_what_was_applied() {
    let scratch = Scratch::new("updates-server");
    let labels = "{controller-uid: 4ff2b2b5-21a7-4a8c-a1d3-1a0b3c6d7e8f}";
    let stored = |annotations: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: j, uid: 4ff2b2b5-21a7-4a8c-a1d3-1a0b3c6d7e8f, annotations: \
             {{{annotations}}}}}\nspec: {{parallelism: 3, selector: {{matchLabels: {labels}}}, template: {{metadata: {{labels: {labels}}}, \
             spec: {{restartPolicy: Never, containers: [{{name: a, image: i}}]}}}}}}\n"
        )
    };
    let applied = r#"'kubectl.kubernetes.io/last-applied-configuration': '{"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":3,"template":{"spec":{}}}}'"#;
    scratch.write("new.yaml", &format!("{JOB}}}\n"));
    scratch.write("old.yaml", &stored(applied));
    let validate = || sprag_in(scratch.dir(), &["validate", "new.yaml", "--old", "old.yaml"], "");
    // Without a parallelism there are completions, and those cannot change.
    let said = validate().stdout;
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(errors, ["error: spec.completions: Invalid value: 1: field is immutable"]);
    // Without it the manifest is the whole object.
    scratch.write("old.yaml", &stored(""));
    let said = validate().stdout;
    assert!(said.contains("error: spec.selector: Required value"), "{said}");
}

#[test]
fn an_object_of_any_kind_that_does_not_change_is_judged_as_a_new_one() {
    let scratch = Scratch::new("updates-same");
    let kinds = concat!(env!("CARGO_MANIFEST_DIR"), "/../testing/src/enforce/kubernetes.yaml");
    scratch.write("kinds.yaml", &std::fs::read_to_string(kinds).unwrap());
    let new = sprag_in(scratch.dir(), &["validate", "kinds.yaml", "--summary"], "");
    let unchanged = sprag_in(scratch.dir(), &["validate", "kinds.yaml", "--old", "kinds.yaml", "--summary"], "");
    assert!(new.stdout.contains("Valid: 55, Invalid: 1, Errors: 1,"), "{}", new.stdout);
    assert_eq!(unchanged.stdout, new.stdout);
}
