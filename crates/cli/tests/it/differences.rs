//! Differences between releases that a user meets: the same object, and the texts of two releases.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::run::sprag_in;
use crate::scratch::Scratch;

/// Validates a manifest by two releases one after the other, and compares the findings of both.
#[track_caller]
fn check(releases: [&str; 2], manifest: &str, expect: &Expect) {
    check_update(releases, "", manifest, expect);
}

/// The same as an update of an old object, if there is one.
#[track_caller]
fn check_update(releases: [&str; 2], old: &str, manifest: &str, expect: &Expect) {
    let place = std::panic::Location::caller();
    let folder = Scratch::new(&format!("differences-{}", place.line()));
    let mut args = vec!["validate", "-", "-o", "json"];
    if !old.is_empty() {
        folder.write("old.yaml", old);
        args.extend(["--old", "old.yaml"]);
    }
    let mut text = String::new();
    for release in releases {
        let run = sprag_in(folder.dir(), &[&*args, &["--kubernetes-version", release]].concat(), manifest);
        assert!(run.code.is_some_and(|code| code < 2), "{}{}", run.stdout, run.stderr);
        let _ = writeln!(text, "{release}:{}", findings(&run.stdout));
    }
    expect.assert_eq(&text);
}

/// The findings of a document on one line each.
fn findings(document: &str) -> String {
    let document: serde_json::Value = serde_json::from_str(document).unwrap();
    let resources = document["resources"].as_array().unwrap().iter();
    let findings = resources.flat_map(|resource| resource["findings"].as_array().unwrap());
    let mut text = String::new();
    for finding in findings {
        let _ = write!(text, "\n  {}: {}", finding["severity"].as_str().unwrap(), finding["message"].as_str().unwrap());
    }
    if text.is_empty() { " accepted".to_owned() } else { text }
}

fn pod(spec: &str) -> String {
    format!("{{apiVersion: v1, kind: Pod, metadata: {{name: web}}, spec: {spec}}}")
}

fn service(name: &str, spec: &str) -> String {
    format!("{{apiVersion: v1, kind: Service, metadata: {{name: {name}}}, spec: {spec}}}")
}

/// A definition of widgets with a property, and an object of it.
fn widgets(property: &str, rule: &str, value: &str) -> String {
    let rules =
        if rule.is_empty() { String::new() } else { format!("x-kubernetes-validations: [{{rule: {rule:?}}}], ") };
    format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: widgets.example.com}}, \
         spec: {{group: example.com, names: {{kind: Widget, plural: widgets}}, scope: Cluster, versions: [{{name: v1, served: true, \
         storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{spec: {{{rules}type: object, properties: {{x: \
         {property}}}}}}}}}}}}}]}}}}\n---\n{{apiVersion: example.com/v1, kind: Widget, metadata: {{name: one}}, spec: {{x: {value}}}}}\n"
    )
}

#[test]
fn names_of_services_may_begin_with_a_digit() {
    check(
        ["1.35", "1.36"],
        &service("1web", "{ports: [{port: 80}]}"),
        &expect![[r#"
        1.35:
          error: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
        1.36: accepted
    "#]],
    );
}

#[test]
fn fields_of_stateful_sets_that_may_not_change_are_named() {
    let set = |name: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: web}}, spec: {{serviceName: {name}, selector: {{matchLabels: \
             {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}}}"
        )
    };
    check_update(
        ["1.36", "1.37"],
        &set("a"),
        &set("b"),
        &expect![[r#"
        1.36:
          error: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden
        1.37:
          error: spec.serviceName: Invalid value: "b": field is immutable
    "#]],
    );
}

#[test]
fn addresses_are_strict() {
    let policy = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, ingress: \
                  [{from: [{ipBlock: {cidr: 010.0.0.0/8}}]}]}}";
    check(
        ["1.35", "1.36"],
        policy,
        &expect![[r#"
            1.35:
              warning: spec.ingress[0].from[0].ipBlock.cidr: non-standard CIDR value "010.0.0.0/8" will be considered invalid in a future Kubernetes release: use "10.0.0.0/8"
            1.36:
              error: spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "010.0.0.0/8": must not have leading 0s in IP or prefix length
        "#]],
    );
}

#[test]
fn functions_on_lists_are_later() {
    check(
        ["1.34", "1.35"],
        &widgets("{type: integer}", "lists.range(3).exists(i, i == self.x)", "1"),
        &expect![[r#"
            1.34:
              error: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"lists.range(3).exists(i, i == self.x)","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'lists' (in container '')
             | lists.range(3).exists(i, i == self.x)
             | ^
            ERROR: <input>:1:12: undeclared reference to 'range' (in container '')
             | lists.range(3).exists(i, i == self.x)
             | ...........^
              error: could not find schema for Widget: the API server would reject its definition
            1.35: accepted
        "#]],
    );
    let list = "{type: array, maxItems: 5, items: {type: integer}}";
    check(
        ["1.34", "1.35"],
        &widgets(list, "self.x.sort() == self.x", "[1, 2]"),
        &expect![[r#"
            1.34:
              error: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x.sort() == self.x","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:12: undeclared reference to 'sort' (in container '')
             | self.x.sort() == self.x
             | ...........^
              error: could not find schema for Widget: the API server would reject its definition
            1.35: accepted
        "#]],
    );
}

#[test]
fn matches_as_a_function_is_dear() {
    let list = "{type: array, maxItems: 100, items: {type: string}}";
    check(
        ["1.36", "1.37"],
        &widgets(list, "self.x.all(i, matches(i, '^[a-z]+$'))", "[a]"),
        &expect![[r#"
            1.36: accepted
            1.37:
              error: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 6.3x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)
              error: could not find schema for Widget: the API server would reject its definition
        "#]],
    );
}

#[test]
fn names_in_backticks_are_later() {
    check(
        ["1.36", "1.37"],
        &widgets("{type: integer}", "self.`x` > 0", "1"),
        &expect![[r#"
            1.36:
              error: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.`x` \u003e 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:6: unsupported syntax: '`'
             | self.`x` > 0
             | .....^
              error: could not find schema for Widget: the API server would reject its definition
            1.37: accepted
        "#]],
    );
}

#[test]
fn failed_rules_show_the_value() {
    let rule = "{type: integer, x-kubernetes-validations: [{rule: self > 5, message: too small}]}";
    check(
        ["1.34", "1.35"],
        &widgets(rule, "", "1"),
        &expect![[r#"
        1.34:
          error: spec.x: Invalid value: "integer": too small
        1.35:
          error: spec.x: Invalid value: 1: too small
    "#]],
    );
}

#[test]
fn formats_of_numbers_are_checked() {
    check(
        ["1.35", "1.36"],
        &widgets("{type: integer, format: int32}", "", "3000000000"),
        &expect![[r#"
        1.35: accepted
        1.36:
          error: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x
    "#]],
    );
}

#[test]
fn unknown_formats_are_warned_of() {
    check(
        ["1.33", "1.34"],
        &widgets("{type: string, format: shape}", "", "a"),
        &expect![[r#"
        1.33: accepted
        1.34:
          warning: unrecognized format "shape"
    "#]],
    );
}

#[test]
fn resource_claims_have_a_stable_version() {
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: a, \
                 exactly: {deviceClassName: b}}]}}}";
    check(
        ["1.33", "1.34"],
        claim,
        &expect![[r#"
            1.33:
              error: no matches for kind "ResourceClaim" in version "resource.k8s.io/v1": Kubernetes 1.33 does not serve it; releases that do: 1.34 and later
            1.34: accepted
        "#]],
    );
}

#[test]
fn eviction_responders_are_a_new_field() {
    let spec = "{containers: [{name: c, image: i}], evictionResponders: [{name: a.example.com, priority: 1}]}";
    check(
        ["1.36", "1.37"],
        &pod(spec),
        &expect![[r#"
        1.36:
          warning: unknown field "spec.evictionResponders"
        1.37: accepted
    "#]],
    );
}

#[test]
fn autoscalers_scale_to_zero() {
    let scaler = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {kind: Deployment, \
                  name: a, apiVersion: apps/v1}, minReplicas: 0, maxReplicas: 3, metrics: [{type: External, external: {metric: {name: q}, \
                  target: {type: Value, value: 1}}}]}}";
    check(
        ["1.36", "1.37"],
        scaler,
        &expect![[r#"
        1.36:
          error: spec.minReplicas: Invalid value: 0: must be greater than or equal to 1
        1.37: accepted
    "#]],
    );
}

#[test]
fn a_missing_maximum_is_missing() {
    let scaler = "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {scaleTargetRef: {kind: Deployment, \
                  name: a, apiVersion: apps/v1}}}";
    check(
        ["1.35", "1.36"],
        scaler,
        &expect![[r#"
        1.35:
          error: spec.maxReplicas: Invalid value: 0: must be greater than 0
          error: spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`
        1.36:
          error: spec.maxReplicas: Required value: must be set and greater than 0
          error: spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`
    "#]],
    );
}

#[test]
fn images_are_volumes() {
    // Before, they are dropped without a word, so that the objects that are stored show the difference.
    let spec = "{containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, image: {reference: \
                example.com/data:1}}]}";
    let folder = Scratch::new("differences-images");
    let args = ["upgrade", "--from", "1.34", "--to", "1.35", "-", "-o", "json"];
    let found = findings(&sprag_in(folder.dir(), &args, pod(spec)).stdout);
    let mounts = r#"note: spec.containers[0].volumeMounts: is set to [{"mountPath":"/v","name":"v"}]"#;
    let volumes = r#"note: spec.volumes: is set to [{"image":{"pullPolicy":"IfNotPresent","reference":"example.com/data:1"},"name":"v"}]"#;
    assert_eq!(found.lines().map(str::trim).collect::<Vec<_>>(), ["", mounts, volumes]);
}

#[test]
fn containers_have_rules_for_restarts() {
    let spec = "{restartPolicy: Never, containers: [{name: c, image: i, restartPolicy: Never, restartPolicyRules: [{action: Restart, \
                exitCodes: {operator: In, values: [42]}}]}]}";
    check(
        ["1.33", "1.35"],
        &pod(spec),
        &expect![[r#"
            1.33:
              error: spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers
              warning: unknown field "spec.containers[0].restartPolicyRules"
            1.35: accepted
        "#]],
    );
}

#[test]
fn roles_of_bindings_do_not_change() {
    let binding = |name: &str| {
        format!(
            "{{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {{name: a}}, roleRef: {{apiGroup: \
             rbac.authorization.k8s.io, kind: Role, name: {name}}}}}"
        )
    };
    check_update(
        ["1.36", "1.37"],
        &binding("a"),
        &binding("b"),
        &expect![[r#"
        1.36:
          error: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef
        1.37:
          error: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: field is immutable
    "#]],
    );
}

#[test]
fn labels_are_counted_in_bytes() {
    let map = format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a, labels: {{a: {}}}}}}}", "b".repeat(64));
    check(
        ["1.34", "1.35"],
        &map,
        &expect![[r#"
        1.34:
          error: metadata.labels: Invalid value: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb": must be no more than 63 characters
        1.35:
          error: metadata.labels: Invalid value: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb": must be no more than 63 bytes
    "#]],
    );
}

#[test]
fn owners_are_numbered() {
    let map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: Pod, name: p}]}}";
    check(
        ["1.36", "1.37"],
        map,
        &expect![[r#"
        1.36:
          error: metadata.ownerReferences.uid: Invalid value: "": must not be empty
        1.37:
          error: metadata.ownerReferences[0].uid: Required value: must not be empty
    "#]],
    );
}

#[test]
fn deprecated_fields_of_services_are_warned_of() {
    let spec = "{ports: [{port: 80}], externalIPs: [192.0.2.1]}";
    check(
        ["1.35", "1.36"],
        &service("web", spec),
        &expect![[r#"
        1.35: accepted
        1.36:
          warning: spec.externalIPs is deprecated and may no longer be implemented in some clusters
    "#]],
    );
}

#[test]
fn ranges_of_ports_show_their_end() {
    let policy = "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}, ingress: [{ports: \
                  [{port: 90, endPort: 80}]}]}}";
    check(
        ["1.36", "1.37"],
        policy,
        &expect![[r#"
        1.36:
          error: spec.ingress[0].ports[0].endPort: Invalid value: 90: must be greater than or equal to `port`
        1.37:
          error: spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`
    "#]],
    );
}

#[test]
fn policies_that_mutate_have_a_stable_version() {
    let policy = "{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicy, metadata: {name: a.example.com}, spec: \
                  {reinvocationPolicy: Never, matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], \
                  resources: [pods]}]}, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]}}";
    check(
        ["1.35", "1.36"],
        policy,
        &expect![[r#"
            1.35:
              error: no matches for kind "MutatingAdmissionPolicy" in version "admissionregistration.k8s.io/v1": Kubernetes 1.35 does not serve it; releases that do: 1.36 and later
            1.36: accepted
        "#]],
    );
}

#[test]
fn beta_versions_end() {
    let address =
        "{apiVersion: networking.k8s.io/v1beta1, kind: ServiceCIDR, metadata: {name: a}, spec: {cidrs: [10.9.0.0/16]}}";
    check(
        ["1.36", "1.37"],
        address,
        &expect![[r#"
            1.36:
              error: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.36 serves it only where it is switched on; 1.37 removes it; use networking.k8s.io/v1; --fix rewrites the file
            1.37:
              error: no matches for kind "ServiceCIDR" in version "networking.k8s.io/v1beta1": Kubernetes 1.37 does not serve it; it was served until 1.36; use networking.k8s.io/v1; --fix rewrites the file
        "#]],
    );
}

#[test]
fn services_prefer_the_same_node() {
    let spec = "{ports: [{port: 80}], trafficDistribution: PreferSameNode}";
    check(
        ["1.33", "1.35"],
        &service("web", spec),
        &expect![[r#"
            1.33:
              error: spec.trafficDistribution: Unsupported value: "PreferSameNode": supported values: "PreferClose"
            1.35: accepted
        "#]],
    );
}
