//! What a new release of Kubernetes needs, on small documents.

#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes snapshots this way")]

use std::fs;
use std::path::PathBuf;

use expect_test::{Expect, expect};
use sprag_conformance::{DeclarationsArgs, declarations};

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("sprag-declarations-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder can be made");
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        fs::write(&path, text).expect("a file can be written");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(words: &[&str]) -> Result<String, String> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    declarations(&DeclarationsArgs::parse(&words)?)
}

#[track_caller]
fn check(words: &[&str], expect: &Expect) {
    expect.assert_eq(&run(words).expect("the documents can be read"));
}

const OLD: &str = r##"{"swagger": "2.0", "definitions": {
  "io.k8s.api.example.v1.Widget": {
    "required": ["size"],
    "properties": {
      "size": {"type": "integer", "format": "int32"},
      "mode": {"type": "string", "enum": ["A", "B"]},
      "parts": {"type": "array", "items": {"$ref": "#/definitions/io.k8s.api.example.v1.Part"}, "x-kubernetes-list-type": "atomic"},
      "policy": {"type": "string", "default": "Never"},
      "gone": {"type": "string"}
    },
    "x-kubernetes-group-version-kind": [{"group": "example.k8s.io", "kind": "Widget", "version": "v1"}]
  },
  "io.k8s.api.example.v1.Part": {"properties": {"name": {"type": "string"}}},
  "io.k8s.api.example.v1alpha1.Widget": {
    "x-kubernetes-group-version-kind": [{"group": "example.k8s.io", "kind": "Widget", "version": "v1alpha1"}]
  }
}}"##;

const WIDGETS: &str = r##"{"openapi": "3.0.0", "components": {"schemas": {
  "io.k8s.api.example.v1.Widget": {
    "required": ["size", "policy"],
    "properties": {
      "size": {"type": "integer", "format": "int32", "default": 0},
      "mode": {"type": "string", "enum": ["A", "C"]},
      "parts": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/io.k8s.api.example.v1.Part"}], "default": {}},
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
      "policy": {"type": "string", "default": "Always"},
      "limits": {"type": "object", "additionalProperties": {"type": "string"}}
    },
    "x-kubernetes-group-version-kind": [{"group": "example.k8s.io", "kind": "Widget", "version": "v1"}]
  },
  "io.k8s.api.example.v1.Part": {"properties": {"name": {"type": "string", "default": ""}}}
}}}"##;

const GADGETS: &str = r##"{"openapi": "3.0.0", "components": {"schemas": {
  "io.k8s.api.example.v1.Gadget": {
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "when": {"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Time"}},
    "x-kubernetes-group-version-kind": [{"group": "", "kind": "Gadget", "version": "v1"}]
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"}
}}}"##;

#[test]
fn types_of_both_versions_of_openapi_are_compared() {
    let folder = Folder::new("openapi");
    let old = folder.write("old.json", OLD);
    folder.write("new/widgets.json", WIDGETS);
    folder.write("new/gadgets.json", GADGETS);
    folder.write("new/notes.txt", "not a document");
    let new = folder.0.join("new").display().to_string();
    check(
        &["--since", "1.38", "--openapi", &old, &new],
        &expect![[r#"
            example.v1.Gadget (new)
                /// +sprag:since("1.38")
                kind v1 Gadget
                name: string, required
                when: io.k8s.apimachinery.pkg.apis.meta.v1.Time
            example.v1.Widget
                /// +sprag:since("1.38")
                limits: map of string
                /// +sprag:since("1.38")
                value "C"   of mode
                /// +sprag:until("1.37")
                value "B"   of mode
                parts: x-kubernetes-list-type "atomic" becomes "map"
                parts: x-kubernetes-list-map-keys nothing becomes ["name"]
                /// +sprag:until("1.37")
                =+default="Never"   on policy
                /// +sprag:since("1.38")
                =+default="Always"   on policy
                /// +sprag:until("1.37")
                gone: string
                /// +sprag:since("1.38")
                =+k8s:required   on policy
            example.v1alpha1.Widget (gone)
                /// +sprag:until("1.37")
                kind example.k8s.io/v1alpha1 Widget (and a row of crate removals)
            io.k8s.apimachinery.pkg.apis.meta.v1.Time (new)
        "#]],
    );
    check(&["--since", "1.38", "--openapi", &old, &old], &expect!["nothing differs\n"]);
}

#[test]
fn gates_are_rows_of_the_table() {
    let folder = Folder::new("gates");
    let old = folder.write(
        "old.json",
        r#"{"HPAScaleToZero": {"stage": "BETA", "enabled": true}, "Old": {"stage": "GA", "enabled": true},
            "WorkloadWithJob": {"stage": "ALPHA", "enabled": false}}"#,
    );
    let new = folder.write(
        "new.txt",
        "# HELP kubernetes_feature_enabled\n# TYPE kubernetes_feature_enabled gauge\n\
         kubernetes_feature_enabled{name=\"HPAScaleToZero\",stage=\"\"} 1\n\
         kubernetes_feature_enabled{name=\"New\",stage=\"ALPHA\"} 0\n\
         kubernetes_feature_enabled{name=\"WorkloadWithJob\",stage=\"ALPHA\"} 0\nother_metric 1\n",
    );
    check(
        &["--since", "1.38", "--gates", &old, &new],
        &expect![[r#"
            kubernetes_gates.txt; add ! where upstream locks the default:
            HPAScaleToZero 1.38:ga+   (append)
            New 1.38:alpha-   (new row; acts, none or refused)
            Old   (gone since 1.38)
        "#]],
    );
    // What the table has already is not missing.
    let beta = folder.write("beta.json", r#"{"HPAScaleToZero": {"stage": "BETA", "enabled": true}}"#);
    let none = folder.write("none.json", "{}");
    check(&["--since", "1.37", "--gates", &none, &beta], &expect!["nothing differs\n"]);
}

#[test]
fn what_is_no_document_is_named() {
    let folder = Folder::new("wrong");
    let empty = folder.write("empty.json", "{}");
    let text = folder.write("text.txt", "nothing here\n");
    let refused = |words: &[&str]| run(words).unwrap_err().replace(&*folder.0.display().to_string(), "FOLDER");
    assert_eq!(
        refused(&["--since", "1.38", "--openapi", &empty, &empty]),
        "FOLDER/empty.json: not an OpenAPI document: there is neither definitions nor components.schemas"
    );
    assert_eq!(
        refused(&["--since", "1.38", "--gates", &text, &empty]),
        "FOLDER/text.txt: neither JSON nor the metric kubernetes_feature_enabled"
    );
    assert!(refused(&["--since", "1.38"]).starts_with("there is nothing to compare"));
    assert!(refused(&["--gates", &empty, &empty]).starts_with("--since is missing"));
    assert!(refused(&["--since", "new", "--gates", &empty, &empty]).contains("is not a version like 1.37"));
    assert!(refused(&["--since", "1.38", "--gates", &empty]).starts_with("--gates needs a value"));
}
