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
    assert_eq!(run("explain-form", &["explain", "v1"]).code, Some(2));
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
