//! `sprag explain`, `sprag docs api` and `sprag gen openapi`.

use expect_test::expect;
use serde_json::Value;

use crate::run::{Run, sprag_in};
use crate::scratch::Scratch;

const TYPES: &str = r#"// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a widget.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says what is wanted.
	// +k8s:subfield(size)=+k8s:maximum=9
	Spec Spec `json:"spec"`
}

type Spec struct {
	// size is the <size>.
	// +k8s:optional
	// +k8s:beta=+k8s:minimum=1
	Size *int32 `json:"size,omitempty"`

	// +k8s:required
	Name Name `json:"name"`
}

// +k8s:maxLength=63
type Name string
"#;

fn run(name: &str, args: &[&str]) -> Run {
    let scratch = Scratch::new(name);
    scratch.write("v1/types.go", TYPES);
    sprag_in(scratch.dir(), args, "")
}

#[test]
fn rules_are_shown_with_where_they_come_from() {
    let shown = run("explain-text", &["explain", "v1::Widget.spec"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    expect![[r#"
        spec: Spec
          size: int32
            - may be left out: +k8s:optional (own tag, v1/types.go:18:6)
            - at least 1 [beta]: +k8s:beta=+k8s:minimum=1 (own tag, v1/types.go:19:6)
            - at most 9: +k8s:subfield(size)=+k8s:maximum=9 (subfield of spec, v1/types.go:12:6)
          name: Name, required
            - must be set: +k8s:required (own tag, v1/types.go:22:6)
            - at most 63 characters: +k8s:maxLength=63 (type Name, v1/types.go:26:5)
    "#]]
    .assert_eq(&shown.stdout);
}

#[test]
fn documents_are_for_programs() {
    let shown = run("explain-json", &["explain", "v1::Spec.size", "--json"]);
    let node: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!((&node["name"], &node["rules"][1]["stage"]), (&"size".into(), &"beta".into()));
}

#[test]
fn names_that_are_not_there_are_errors() {
    let shown = run("explain-typo", &["explain", "v1::Spec.sice"]);
    assert_eq!(
        (shown.code, shown.stderr.as_str()),
        (Some(2), "error: Spec has no field \"sice\"; did you mean size?\n")
    );
    assert_eq!(run("explain-type", &["explain", "v1::Wigdet"]).code, Some(2));
}

#[test]
fn a_path_without_a_type_lists_the_types() {
    let shown = run("explain-path", &["explain", "v1"]);
    assert_eq!(
        (shown.code, shown.stderr.as_str()),
        (Some(2), "error: \"v1\" has no type: write v1::Widget, v1::Spec, v1::Name\n")
    );
}

#[test]
fn built_in_kinds_are_explained_by_any_of_their_names() {
    let shown = run("explain-built-in", &["explain", "Deployment.spec"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    expect![[r#"
        spec: DeploymentSpec, required
          - passes upstream's function ValidateDeploymentSpec: +sprag:validatedBy=ValidateDeploymentSpec (type DeploymentSpec, rules that no tag says)
          replicas: int32, default 1
            - at least 0: +k8s:minimum=0 (own tag, run by hand-written validation)
          selector: LabelSelector, required
            - must be set: +k8s:required (own tag, run by hand-written validation)
            - cannot be changed: +kinds:immutable (own tag, run by hand-written validation)
            - passes upstream's function ValidateLabelSelector: +sprag:validatedBy=ValidateLabelSelector (type LabelSelector, rules that no tag says)
          template: PodTemplateSpec, required
            - passes upstream's function ValidatePodTemplateSpec: +sprag:validatedBy=ValidatePodTemplateSpec (type PodTemplateSpec, rules that no tag says)
          strategy: DeploymentStrategy
            - passes upstream's function ValidateDeploymentStrategy: +sprag:validatedBy=ValidateDeploymentStrategy (type DeploymentStrategy, rules that no tag says)
          minReadySeconds: int32
            - at least 0: +k8s:minimum=0 (own tag, run by hand-written validation)
          revisionHistoryLimit: int32, default 10
            - at least 0: +k8s:minimum=0 (own tag, run by hand-written validation)
          paused: boolean
          progressDeadlineSeconds: int32, default 600
            - at least 0: +k8s:minimum=0 (own tag, run by hand-written validation)

        Deployment is in apps/v1. Rules that no tag says are those of the functions that types name.
    "#]]
    .assert_eq(&shown.stdout);
    for name in [
        "deployments",
        "deploy",
        "deployment",
        "apps/v1/Deployment",
        "apps/v1.Deployment",
        "deployments.apps",
        "deployments.v1.apps",
    ] {
        let other = run("explain-names", &["explain", &format!("{name}.spec")]);
        assert_eq!(other.stdout, shown.stdout, "{name}: {}", other.stderr);
    }
    let autoscaler = run("explain-versions", &["explain", "hpa.spec.minReplicas"]).stdout;
    assert!(autoscaler.contains("is in autoscaling/v2, also in autoscaling/v1."), "{autoscaler}");
    let policy = run("explain-default", &["explain", "pod.spec.restartPolicy"]).stdout;
    assert!(policy.contains("restartPolicy: RestartPolicy, default \"Always\""), "{policy}");
    let event = run("explain-group", &["explain", "events.events.k8s.io.note"]).stdout;
    assert!(event.contains("Event is in events.k8s.io/v1"), "{event}");
}

#[test]
fn rules_of_built_in_kinds_have_stage_and_origin() {
    let name = run("explain-custom", &["explain", "pods.spec.evictionResponders.name"]).stdout;
    assert!(name.contains("passes the function ValidateCustom_EvictionResponder_name"), "{name}");
    let mode =
        run("explain-stage", &["explain", "resourceclaims.spec.devices.requests.exactly.allocationMode", "--json"]);
    let node: Value = serde_json::from_str(&mode.stdout).unwrap();
    let rule = &node["rules"][1];
    assert_eq!((&rule["stage"], &rule["origin"]), (&"beta".into(), &"type DeviceAllocationMode".into()));
    let metadata = run("explain-metadata", &["explain", "pods.metadata.uid"]).stdout;
    assert!(metadata.contains("- cannot be changed [alpha]: +k8s:immutable (own tag, since 1.37)"), "{metadata}");
}

#[test]
fn misspelt_built_in_kinds_and_fields_get_a_suggestion() {
    for (what, message) in [
        ("Deploymnet", "there is no built-in kind \"Deploymnet\"; did you mean Deployment?"),
        ("apps/v2/Deployment", "there is no built-in kind \"Deployment\" in apps/v2; it is in apps/v1"),
        ("deploy.sepc", "Deployment has no field \"sepc\"; did you mean spec?"),
        ("pods.spec.containers.imagePolicy", "containers has no field \"imagePolicy\"; did you mean imagePullPolicy?"),
    ] {
        let shown = run("explain-built-in-typo", &["explain", what]);
        assert_eq!(shown.code, Some(2));
        assert!(shown.stderr.contains(message), "{}", shown.stderr);
    }
}

#[test]
fn the_reference_of_built_in_kinds_has_their_rules() {
    let page = run("docs-built-in", &["docs", "api", "--builtin", "apps/v1"]);
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    assert!(page.stdout.contains("## apps/v1 ControllerRevision"), "{}", page.stdout);
    assert!(page.stdout.contains("| `revision` | int64 |  |  | at least 0 |"), "{}", page.stdout);
    let unknown = run("docs-built-in-typo", &["docs", "api", "--builtin", "app/v1"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("apps/v1"), "{}", unknown.stderr);
    assert_eq!(run("docs-nothing", &["docs", "api"]).code, Some(2));
}

#[test]
fn the_reference_says_all_about_an_api() {
    let page = run("docs-api", &["docs", "api", "v1"]);
    assert_eq!(page.code, Some(0), "{}", page.stderr);
    expect![[r#"
        # API reference

        ## Widget

        Widget is a widget.

        | field | type | required | default | rules |
        |---|---|---|---|---|
        | `kind` | string |  |  |  |
        | `apiVersion` | string |  |  |  |
        | `metadata` | ObjectMeta |  |  |  |
        | `spec` | Spec |  |  |  |
        | `spec.size` | int32 |  |  | may be left out; at least 1; at most 9 |
        | `spec.name` | Name | yes |  | must be set; at most 63 characters |

        ## Spec

        | field | type | required | default | rules |
        |---|---|---|---|---|
        | `size` | int32 |  |  | may be left out; at least 1 |
        | `name` | Name | yes |  | must be set; at most 63 characters |

        ## Name

        - at most 63 characters (`+k8s:maxLength=63`)
    "#]]
    .assert_eq(&page.stdout);
    let html = run("docs-api-html", &["docs", "api", "v1", "--format", "html"]).stdout;
    assert!(html.contains("size is the &lt;size&gt;.") && html.contains("at least 1"), "{html}");
    assert!(!html.contains("src=") && !html.contains("href="), "the page needs nothing else");
}

#[test]
fn one_document_has_the_schemas_of_all_kinds() {
    let shown = run("gen-openapi", &["gen", "openapi", "v1"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    let document: Value = serde_json::from_str(&shown.stdout).unwrap();
    let schema = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(schema["properties"]["spec"]["properties"]["name"]["maxLength"], 63);
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["kind"], "Widget");
}

#[test]
fn groups_of_built_in_kinds_have_documents_but_no_definitions() {
    let types = "type Run struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
        \t// +k8s:optional\n\t// +k8s:minimum=1\n\tSize *int32 `json:\"size,omitempty\"`\n}\n";
    for (group, name) in [("batch", "batch.v1.Run"), ("", "v1.Run")] {
        let scratch = Scratch::new(&format!("gen-openapi-group-{group}"));
        let source = format!(
            "// +groupName={group}\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{types}"
        );
        scratch.write("v1/types.go", &source);
        let shown = sprag_in(scratch.dir(), &["gen", "openapi", "v1"], "");
        assert_eq!(shown.code, Some(0), "{}", shown.stderr);
        let document: Value = serde_json::from_str(&shown.stdout).unwrap();
        let schema = &document["components"]["schemas"][name];
        assert_eq!(schema["properties"]["size"]["minimum"], 1, "{document}");
        assert_eq!(schema["x-kubernetes-group-version-kind"][0]["group"], group);
        assert_eq!(sprag_in(scratch.dir(), &["gen", "crd", "v1"], "").code, Some(1));
    }
    let help = sprag_in(Scratch::new("gen-openapi-help").dir(), &["gen", "openapi", "--help"], "").stdout;
    assert!(
        help.contains("sprag gen openapi ./api/v1") && !help.contains("gen crd") && !help.contains("--out"),
        "{help}"
    );
}
