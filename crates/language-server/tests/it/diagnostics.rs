//! Diagnostics of manifests, definitions and updates.

use serde_json::json;

use crate::client::{Client, Folder};

pub(crate) const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.dev
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: The wanted state.
            required: [size]
            properties:
              size:
                type: integer
                maximum: 10
                description: How large it is.
              mode:
                type: string
                enum: [Fast, Slow]
              class:
                type: string
                maxLength: 10
                x-kubernetes-validations:
                - rule: self == oldSelf
                  message: class cannot be changed
";

pub(crate) fn widget(spec: &str) -> String {
    format!("apiVersion: example.dev/v1\nkind: Widget\nmetadata:\n  name: a\nspec: {spec}\n")
}

#[test]
fn a_manifest_is_checked_while_it_is_typed() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let uri = folder.uri("pod.yaml");
    client.open(&uri, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: Big\n");
    let found = client.shown(&uri);
    assert!(found[0].starts_with("3:8-3:11 error metadata.name: Invalid value: \"Big\""), "{found:?}");
    let range = json!({"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 11}});
    client.edit(&uri, json!([{"range": range, "text": "small"}]));
    let found = client.shown(&uri);
    assert!(!found.iter().any(|line| line.contains("metadata.name")), "{found:?}");
    client.stop();
}

#[test]
fn positions_count_as_the_protocol_counts() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(
        &uri,
        "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata: {name: a}\r\ndata: {\"\u{1F600}\": \"\u{6F22}\", b: 1}\r\n",
    );
    let found = client.shown(&uri);
    assert!(found[0].starts_with("3:21-3:22 error"), "{found:?}");
}

#[test]
fn definitions_of_the_folder_and_of_open_texts_count() {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let object = folder.uri("a.yaml");
    client.open(&object, &widget("{size: 11}"));
    let expected = "4:13-4:15 error spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10";
    assert_eq!(client.shown(&object), [expected]);
    // An unsaved definition judges an open object.
    let definition = folder.uri("crds/widgets.yaml");
    client.open(&definition, DEFINITION);
    client.replace(&definition, &DEFINITION.replace("maximum: 10", "maximum: 12"));
    assert_eq!(client.shown(&definition), [""; 0]);
    assert_eq!(client.shown(&object), [""; 0]);
    client.close(&definition);
    client.settle(&object);
    assert_eq!(client.shown(&object), [expected]);
}

#[test]
fn changes_on_disk_are_noticed_without_watching() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let object = folder.uri("a.yaml");
    client.open(&object, &widget("{size: 11}"));
    assert_eq!(client.shown(&object), [""; 0]);
    folder.write("crds/widgets.yaml", DEFINITION);
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": object}}));
    assert_eq!(client.shown(&object).len(), 1);
    std::fs::remove_file(folder.path().join("crds/widgets.yaml")).unwrap();
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": object}}));
    assert_eq!(client.shown(&object), [""; 0]);
}

#[test]
fn objects_are_updates_of_the_last_commit() {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    folder.write("a.yaml", &widget("{size: 11, class: red}"));
    if !folder.commit() {
        println!("skipped: git is not installed");
        return;
    }
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, &widget("{size: 11, class: blue}"));
    let found = client.shown(&uri);
    assert_eq!(
        found,
        [
            "4:24-4:28 error spec.class: Invalid value: \"blue\": class cannot be changed",
            "4:13-4:15 hint spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10",
        ]
    );
    // A file that was moved has the same objects.
    let moved = folder.uri("moved/b.yaml");
    client.open(&moved, &widget("{size: 1, class: green}"));
    let is_found = |found: &[String]| found.iter().any(|line| line.contains("class cannot be changed"));
    let mut found = client.shown(&moved);
    for _ in 0..50 {
        if is_found(&found) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        found = client.shown(&moved);
    }
    assert!(is_found(&found), "{found:?}");
}

#[test]
fn other_documents_are_checked_beside_a_broken_one() {
    let folder = Folder::new();
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    let bad = "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\n";
    client.open(&uri, &format!("{bad}---\napiVersion: v1\nkind: [\n---\n{bad}"));
    let found = client.shown(&uri);
    let of_name = |line: &str| found.iter().filter(|found| found.starts_with(line)).count();
    assert_eq!(
        (of_name("2:17-2:18 error metadata.name"), of_name("9:17-9:18 error metadata.name")),
        (1, 1),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.starts_with('4') || line.starts_with('5') || line.starts_with('6')),
        "{found:?}"
    );
}

#[test]
fn what_is_no_manifest_gets_nothing() {
    let folder = Folder::new();
    folder.write("chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n");
    folder.write("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: patch.yaml}]\n");
    folder.write(".gitignore", "out/\n");
    let mut client = Client::start(&folder);
    let bad = "apiVersion: v1\nkind: Pod\nmetadata: {name: A}\n";
    for (name, text) in [
        ("chart/Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("chart/values.yaml", "a: {{"),
        ("chart/templates/a.yaml", bad),
        ("template.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {{ .Values.x }}\n"),
        ("kustomization.yaml", "resources: [a.yaml]\npatches: [{path: patch.yaml}]\n"),
        ("patch.yaml", bad),
        ("out/a.yaml", bad),
        (".github/workflows/a.yaml", bad),
        ("docker-compose.yaml", "services: {a: {image: b}}\n"),
        ("unknown.yaml", "apiVersion: example.com/v1\nkind: Unknown\nmetadata: {name: A}\n"),
    ] {
        folder.write(name, text);
        let uri = folder.uri(name);
        client.open(&uri, text);
        assert_eq!(client.shown(&uri), [""; 0], "{name}");
    }
}
