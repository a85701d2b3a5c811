//! Verdicts of several releases at once, in all forms of output, and releases that are wrong.

use expect_test::{Expect, expect};

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

/// A service whose name only later releases accept, a claim whose version older ones do not serve, and a pod that none accepts.
const MANIFESTS: &str = "\
apiVersion: v1
kind: Service
metadata:
  name: 1web
spec:
  ports:
  - port: 80
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: gpu
---
apiVersion: v1
kind: Pod
metadata:
  name: Web
spec:
  containers:
  - name: web
    image: web
";

fn validate(args: &[&str], stdin: &str) -> Run {
    let folder = Scratch::new(&format!("releases-{}", args.join("").replace(['/', '.', ','], "-")));
    sprag_in(folder.dir(), &[&["validate", "-"], args].concat(), stdin)
}

#[track_caller]
fn check(args: &[&str], stdin: &str, expect: &Expect) {
    let run = validate(args, stdin);
    let stderr = if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    expect.assert_eq(&format!("{}{stderr}--- exit {}\n", run.stdout, run.code.unwrap()));
}

#[test]
fn findings_name_the_releases_that_have_them() {
    check(
        &["--kubernetes-version", "1.33..1.37"],
        MANIFESTS,
        &expect![[r#"
            error: rejected up to 1.35: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
             --> stdin:4:9
              |
            4 |   name: 1web
              |         ^^^^
              |
              = Service 1web (v1)

            error: rejected by 1.33: no matches for kind "ResourceClaim" in version "resource.k8s.io/v1": Kubernetes 1.33 does not serve it; releases that do: 1.34 and later
              --> stdin:10:7
               |
            10 | kind: ResourceClaim
               |       ^^^^^^^^^^^^^
               |
               = ResourceClaim gpu (resource.k8s.io/v1)

            error: metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
              --> stdin:17:9
               |
            17 |   name: Web
               |         ^^^
               |
               = Pod Web (v1)

            Summary: 3 resources found parsing stdin - Valid: 0, Invalid: 2, Errors: 1, Skipped: 0, Warnings: 0, Ratcheted: 0
            Judged by the rules of Kubernetes 1.33 (v1.33.13), 1.34 (v1.34.11), 1.35 (v1.35.8), 1.36 (v1.36.4), 1.37 (v1.37.0-rc.1): 3
            --- exit 1
        "#]],
    );
}

#[test]
fn a_list_of_releases_is_a_range_with_gaps() {
    check(
        &["--kubernetes-version", "1.36,1.33", "-o", "tap"],
        MANIFESTS,
        &expect![[r#"
            TAP version 13
            not ok 1 - stdin (v1/Service//1web): rejected by 1.33: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
            not ok 2 - stdin: rejected by 1.33: no matches for kind "ResourceClaim" in version "resource.k8s.io/v1": Kubernetes 1.33 does not serve it; releases that do: 1.34 and later
            not ok 3 - stdin (v1/Pod//Web): metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')
            1..3
            --- exit 1
        "#]],
    );
}

#[test]
fn all_forms_of_output_name_the_releases() {
    let service = &MANIFESTS[..MANIFESTS.find("---").unwrap()];
    for (form, expected) in [
        (
            "json",
            expect![[r#"
        {
          "resources": [
            {
              "filename": "stdin",
              "kind": "Service",
              "name": "1web",
              "namespace": "",
              "version": "v1",
              "status": "statusInvalid",
              "msg": "rejected by 1.34, 1.35: metadata.name: Invalid value: \"1web\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
              "validationErrors": [
                {
                  "path": "metadata.name",
                  "msg": "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
                }
              ],
              "findings": [
                {
                  "severity": "error",
                  "source": "metadata",
                  "message": "metadata.name: Invalid value: \"1web\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
                  "type": "FieldValueInvalid",
                  "field": "metadata.name",
                  "value": "1web",
                  "detail": "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
                  "line": 4,
                  "column": 9,
                  "releases": [
                    "1.34",
                    "1.35"
                  ]
                }
              ]
            }
          ],
          "summary": {
            "valid": 0,
            "invalid": 1,
            "errors": 0,
            "skipped": 0,
            "warnings": 0,
            "ratcheted": 0,
            "kubernetes": [
              "v1.34.11",
              "v1.35.8",
              "v1.36.4"
            ]
          }
        }
        --- exit 1
    "#]],
        ),
        (
            "junit",
            expect![[r#"
        <testsuites name="sprag" tests="1" failures="1" disabled="0" errors="0">
          <testsuite name="stdin" id="1" tests="1" failures="1" errors="0" disabled="0" skipped="0">
            <testcase name="1web" classname="Service@v1" time="0">
              <failure message="rejected by 1.34, 1.35: metadata.name: Invalid value: &quot;1web&quot;: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')" type="metadata"></failure>
            </testcase>
          </testsuite>
        </testsuites>
        --- exit 1
    "#]],
        ),
        (
            "github",
            expect![[r#"
        ::error file=stdin,line=4,col=9,title=Service 1web (v1)::rejected by 1.34, 1.35: metadata.name: Invalid value: "1web": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')
        Summary: 1 resource found parsing stdin - Valid: 0, Invalid: 1, Errors: 0, Skipped: 0
        --- exit 1
    "#]],
        ),
    ] {
        check(&["--kubernetes-version", "1.34..1.36", "--summary", "-o", form], service, &expected);
    }
    let run = validate(&["--kubernetes-version", "1.34..1.36", "-o", "sarif"], service);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let result = &document["runs"][0]["results"][0];
    assert!(
        result["message"]["text"].as_str().unwrap().starts_with("rejected by 1.34, 1.35: metadata.name: "),
        "{result}"
    );
    assert_eq!(result["properties"]["releases"], serde_json::json!(["1.34", "1.35"]));
}

#[test]
fn one_release_of_a_list_is_as_that_release_alone() {
    let alone = validate(&["--kubernetes-version", "1.34"], MANIFESTS);
    let listed = validate(&["--kubernetes-version", "1.34,1.34.x,v1.34.2"], MANIFESTS);
    assert_eq!((alone.stdout, alone.code), (listed.stdout, listed.code));
}

#[test]
fn settings_choose_several_releases() {
    let folder = Scratch::new("releases-settings");
    folder.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  kubernetesVersion: 1.35..1.36\n",
    );
    let run = sprag_in(folder.dir(), &["validate", "-"], MANIFESTS);
    assert!(run.stdout.contains("error: rejected by 1.35: metadata.name: Invalid value: \"1web\""), "{}", run.stdout);
    assert!(
        run.stdout.contains("Judged by the rules of Kubernetes 1.35 (v1.35.8), 1.36 (v1.36.4): 3"),
        "{}",
        run.stdout
    );
    folder.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  kubernetesVersion: 1.36..1.35\n",
    );
    let run = sprag_in(folder.dir(), &["validate", "-"], MANIFESTS);
    expect![[r#"
        error: .sprag.yaml: validate.kubernetesVersion: the range 1.36..1.35 is upside down: write 1.35..1.36
    "#]]
    .assert_eq(&run.stderr);
}

#[test]
fn definitions_have_to_be_accepted_by_all_releases() {
    let folder = Scratch::new("releases-definitions");
    folder.write(
        "crds.yaml",
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, \
         spec: {group: example.com, names: {kind: Widget, plural: widgets}, scope: Cluster, versions: [{name: v1, served: true, \
         storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-validations: [{rule: \
         'lists.range(3).size() > 0'}]}}}}}]}}\n",
    );
    let widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: one}, spec: {}}";
    let args = ["validate", "-", "--crds", "crds.yaml", "--kubernetes-version"];
    let run = sprag_in(folder.dir(), &[&args[..], &["1.35,1.36"]].concat(), widget);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""), "{}", run.stdout);
    let run = sprag_in(folder.dir(), &[&args[..], &["1.34,1.36"]].concat(), widget);
    expect![[r#"
        error: crds.yaml:1: the API server of Kubernetes 1.34 would refuse the definition widgets.example.com: spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"lists.range(3).size() \u003e 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'lists' (in container '')
                 |  | lists.range(3).size() > 0
                 |  | ^
                 | ERROR: <input>:1:12: undeclared reference to 'range' (in container '')
                 |  | lists.range(3).size() > 0
                 |  | ...........^
        --- exit 2
    "#]].assert_eq(&format!("{}--- exit {}\n", run.stderr, run.code.unwrap()));
}

#[test]
fn wrong_releases_are_refused() {
    let refused = |version: &str| {
        let run = validate(&["--kubernetes-version", version], MANIFESTS);
        assert_eq!((run.code, &*run.stdout), (Some(2), ""));
        run.stderr.lines().next().unwrap().to_owned()
    };
    expect![[r#"
        error: invalid value '1.30' for '--kubernetes-version <VERSIONS>': Kubernetes 1.30 is older than the oldest known release, 1.33 (known: 1.33, 1.34, 1.35, 1.36, 1.37)
        error: invalid value '1.99' for '--kubernetes-version <VERSIONS>': Kubernetes 1.99 is newer than the newest known release, 1.37 (known: 1.33, 1.34, 1.35, 1.36, 1.37)
        error: invalid value 'master' for '--kubernetes-version <VERSIONS>': "master" is not a version such as 1.37 or v1.37.2
        error: invalid value '1.36..1.34' for '--kubernetes-version <VERSIONS>': the range 1.36..1.34 is upside down: write 1.34..1.36
        error: invalid value '1.34..' for '--kubernetes-version <VERSIONS>': "" is not a version such as 1.37 or v1.37.2
        error: invalid value '1.34;1.35' for '--kubernetes-version <VERSIONS>': "1.34;1.35" is not a version such as 1.37 or v1.37.2
        error: invalid value '' for '--kubernetes-version <VERSIONS>': "" is not a version such as 1.37 or v1.37.2"#]]
        .assert_eq(&["1.30", "1.99", "master", "1.36..1.34", "1.34..", "1.34;1.35", ""].map(refused).join("\n"));
}

#[test]
fn gates_belong_to_releases() {
    let refused = |args: &[&str]| validate(args, MANIFESTS).stderr;
    expect![[r#"
        error: --feature-gates: unrecognized feature gate: EvictionRequestAPI: Kubernetes 1.34 does not have it; releases that do: 1.37
    "#]].assert_eq(&refused(&[
        "--kubernetes-version",
        "1.34,1.37",
        "--feature-gates",
        "EvictionRequestAPI=true",
    ]));
    expect![[r#"
        error: --feature-gates: unrecognized feature gate: Nonsense
    "#]]
    .assert_eq(&refused(&["--kubernetes-version", "1.36", "--feature-gates", "Nonsense=true"]));
}

/// A folder with a type that has a field of later releases, and a rule of earlier ones.
fn typed(test: &str) -> Scratch {
    let folder = Scratch::new(test);
    folder.write("go.mod", "module example.com/api\n");
    let types = "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
                 type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\
                 \tSpec WidgetSpec `json:\"spec\"`\n}\n\ntype WidgetSpec struct {\n\t// +sprag:until(\"1.35\")=+k8s:maxLength=3\n\
                 \t// +k8s:optional\n\tName string `json:\"name,omitempty\"`\n\n\t// +sprag:since(\"1.36\")\n\t// +k8s:optional\n\
                 \tColor string `json:\"color,omitempty\"`\n}\n";
    folder.write("v1/types.go", types);
    folder.write(
        "old/v1/types.go",
        &types.replace("+sprag:until(\"1.35\")=", "").replace("\t// +sprag:since(\"1.36\")\n", ""),
    );
    folder
}

#[test]
fn types_of_ones_own_know_releases() {
    let folder = typed("releases-types");
    let widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {name: large, color: red}}";
    let run = |args: &[&str]| {
        let run = sprag_in(folder.dir(), &[&["check", "-f", "-", "--types"], args].concat(), widget);
        format!("{}{}exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        spec.name: Too long: may not be more than 3 characters
        warning: unknown field "spec.color"
        exit 1
    "#]]
    .assert_eq(&run(&["v1", "--kubernetes-version", "1.35"]));
    expect![[r#"
        exit 0
    "#]]
    .assert_eq(&run(&["v1", "--kubernetes-version", "1.36"]));
    expect![[r#"
        error: --kubernetes-version 1.36: no tag of Widget names a release (+sprag:since, +sprag:until): leave it out
        exit 2
    "#]]
    .assert_eq(&run(&["old/v1", "--kubernetes-version", "1.36"]));
}

#[test]
fn explanations_name_releases() {
    let folder = Scratch::new("releases-explain");
    let explain = |what: &str| sprag_in(folder.dir(), &["explain", what, "--depth", "0"], "").stdout;
    expect![[r#"
        evictionResponders: []EvictionResponder, since 1.37
          - at most 10 elements: +k8s:maxItems=10 (own tag)
          - may be left out: +k8s:optional (own tag)
          - no two elements with the same name: +k8s:listMapKey=name (own tag)

        Pod is in v1. Rules that no tag says are those of the functions that types name.
    "#]]
    .assert_eq(&explain("pods.spec.evictionResponders"));
    expect![[r#"
        ResourceClaim: object, since 1.34

        ResourceClaim is in resource.k8s.io/v1. Rules that no tag says are those of the functions that types name.
    "#]]
    .assert_eq(&explain("resourceclaims"));
    let json = sprag_in(folder.dir(), &["explain", "pods.spec.evictionResponders", "--json"], "").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["releases"], "since 1.37");
}

const SORTED: &str = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.com}, spec: {group: \
     example.com, names: {kind: Widget, plural: widgets}, scope: Cluster, versions: [{name: v1, served: true, storage: true, schema: \
     {openAPIV3Schema: {type: object, properties: {spec: {type: array, maxItems: 5, items: {type: integer}, x-kubernetes-validations: \
     [{rule: 'self.sort() == self'}]}}}}}]}}\n";

#[test]
fn definitions_are_linted_and_tested_by_a_release() {
    let folder = Scratch::new("releases-definition-tools");
    folder.write("crds/widgets.yaml", SORTED);
    folder.write(
        "tests/widgets.yaml",
        "{apiVersion: sprag.dev/v1alpha1, kind: Test, crds: [../crds], tests: [{name: sorted, given: {apiVersion: example.com/v1, kind: \
         Widget, metadata: {name: a}, spec: [1, 2]}}]}\n",
    );
    let run = |args: &[&str]| {
        let run = sprag_in(folder.dir(), args, "");
        format!("{}{}exit {}\n", run.stdout, run.stderr, run.code.unwrap())
    };
    expect![[r#"
        TAP version 13
        not ok 1 - crds/widgets.yaml (apiextensions.k8s.io/v1/CustomResourceDefinition//widgets.example.com): spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.sort() == self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:10: undeclared reference to 'sort' (in container '')\\n | self.sort() == self\\n | .........^
        1..1
        exit 1
    "#]].assert_eq(&run(&["crd", "lint", "crds", "--kubernetes-version", "1.34", "-o", "tap"]));
    expect![[r#"
        TAP version 13
        ok 1 - crds/widgets.yaml (apiextensions.k8s.io/v1/CustomResourceDefinition//widgets.example.com)
        1..1
        exit 0
    "#]]
    .assert_eq(&run(&["crd", "lint", "crds", "--kubernetes-version", "1.35", "-o", "tap"]));
    expect![[r#"
        error: tests/widgets.yaml:1: tests[0] needs `valid: true` or `errors`
        exit 2
    "#]]
    .assert_eq(&run(&["test", "tests", "--kubernetes-version", "1.35"]));
    expect![[r#"
        error: tests/widgets.yaml:1: tests[0] needs `valid: true` or `errors`
        exit 2
    "#]]
    .assert_eq(&run(&["test", "tests", "--kubernetes-version", "1.34"]));
}

#[test]
fn generated_rules_are_taken_by_the_releases() {
    let folder = Scratch::new("releases-generated");
    folder.write("go.mod", "module example.com/api\n");
    folder.write(
        "v1/types.go",
        "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\
         \tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\t// +k8s:immutable\n\
         \tSpec string `json:\"spec\"`\n}\n",
    );
    let run = |releases: &[&str]| sprag_in(folder.dir(), &[&["gen", "crd", "v1"], releases].concat(), "");
    let all = run(&[]);
    assert_eq!((all.code, &*all.stderr), (Some(0), ""));
    folder.write("crd.yaml", &all.stdout);
    let check = sprag_in(folder.dir(), &["crd", "check", "crd.yaml", "--kubernetes-version", "1.33..1.37"], "");
    assert_eq!((check.code, &*check.stdout), (Some(0), "1 definition accepted\n"), "{}", check.stderr);
    let refused = run(&["--kubernetes-version", "1.32"]);
    assert!(
        refused.code == Some(2) && refused.stderr.contains("older than the oldest known release"),
        "{}",
        refused.stderr
    );
}
