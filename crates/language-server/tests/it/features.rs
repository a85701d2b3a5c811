//! Hover, completion, definition, fixes.

use serde_json::{Value, json};

use crate::client::{Client, Folder};
use crate::diagnostics::{DEFINITION, widget};

/// Opens a text whose bar is the cursor, and returns its address and position.
fn open(client: &mut Client, folder: &Folder, name: &str, text: &str) -> (String, u32, u32) {
    let at = text.find('|').unwrap();
    let line = text[..at].matches('\n').count();
    let character = text[..at].rsplit('\n').next().unwrap().encode_utf16().count();
    let uri = folder.uri(name);
    client.open(&uri, &text.replacen('|', "", 1));
    client.diagnostics(&uri);
    (uri, u32::try_from(line).unwrap(), u32::try_from(character).unwrap())
}

fn hover(text: &str) -> String {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let (uri, line, character) = open(&mut client, &folder, "a.yaml", text);
    let answer = client.at("textDocument/hover", &uri, line, character);
    answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

/// The completions at the bar, as labels with what they insert.
fn complete(name: &str, text: &str) -> Vec<(String, String)> {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let (uri, line, character) = open(&mut client, &folder, name, text);
    let answer = client.at("textDocument/completion", &uri, line, character);
    let item = |item: &Value| {
        let text = item["textEdit"]["newText"].as_str().unwrap().to_owned();
        (item["label"].as_str().unwrap().to_owned(), text)
    };
    answer.as_array().unwrap().iter().map(item).collect()
}

fn labels(name: &str, text: &str) -> Vec<String> {
    complete(name, text).into_iter().map(|(label, _)| label).collect()
}

#[test]
fn fields_are_documented() {
    let text = hover("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  repl|icas: 1\n");
    assert!(text.starts_with("**spec.replicas** `int32`, default `1`"), "{text}");
    let text = hover("apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  si|ze: 1\n");
    assert!(text.starts_with("**spec.size** `integer`, required"), "{text}");
    assert!(text.contains("How large it is.") && text.contains("at most 10"), "{text}");
    let text = hover("apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec: {class|: x}\n");
    assert!(text.contains("immutable"), "{text}");
    let text = hover("apiVersion: v1\nkind: Pod\nmetadata:\n  na|me: a\n");
    assert!(text.starts_with("**metadata.name**"), "{text}");
    assert_eq!(hover("a: |b\n"), "");
}

#[test]
fn expressions_have_types_and_costs() {
    let text = DEFINITION.replace("rule: self == oldSelf", "rule: self =|= oldSelf");
    let text = hover(&text);
    assert!(text.contains("`self` is `string`") && text.contains("Estimated cost"), "{text}");
}

#[test]
fn fields_are_completed() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: b\n    im|\n";
    let found = complete("pod.yaml", pod);
    assert!(found.contains(&("image".to_owned(), "image: ${1}".to_owned())), "{found:?}");
    assert!(!found.iter().any(|(label, _)| label == "name"), "{found:?}");
    let found = complete("a.yaml", "apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\n|\n");
    assert!(found.contains(&("spec".to_owned(), "spec:\n  size: ${1}".to_owned())), "{found:?}");
    let found = labels("a.yaml", "apiVersion: example.dev/v1\nkind: Widget\nspec:\n  |\n  size: 1\n");
    assert_eq!(found, ["class", "mode"]);
}

#[test]
fn values_are_completed() {
    let found = labels("a.yaml", "apiVersion: example.dev/v1\nkind: Widget\nspec:\n  mode: |\n");
    assert_eq!(found, ["Fast", "Slow"]);
    let pod = "apiVersion: v1\nkind: Pod\nspec:\n  restartPolicy: |\n";
    let found = labels("pod.yaml", pod);
    assert!(found.contains(&"OnFailure".to_owned()), "{found:?}");
    let found = labels("pod.yaml", "apiVersion: v1\nkind: Pod\nspec:\n  hostNetwork: |\n");
    assert_eq!(found, ["true", "false"]);
}

#[test]
fn kinds_come_with_their_versions() {
    let found = labels("a.yaml", "apiVersion: apps/v1\nkind: |\n");
    assert!(found.contains(&"Deployment".to_owned()) && !found.contains(&"Pod".to_owned()), "{found:?}");
    let found = labels("a.yaml", "apiVersion: |\nkind: Widget\n");
    assert_eq!(found, ["example.dev/v1"]);
    let found = complete("a.yaml", "Dep|");
    let (_, text) = found.iter().find(|(label, _)| label == "Deployment (apps/v1)").unwrap();
    assert!(text.starts_with("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${1}\nspec:\n"), "{text}");
    let found = labels("a.yaml", "kind: Widget|");
    assert!(found.contains(&"Widget (example.dev/v1)".to_owned()), "{found:?}");
}

#[test]
fn expressions_are_completed() {
    let text = DEFINITION.replace("rule: self == oldSelf", "rule: self.si|");
    let found = labels("crd.yaml", &text);
    assert!(found.contains(&"size(".to_owned()), "{found:?}");
}

#[test]
fn tags_are_known_in_sources() {
    let go = "package v1\n\n// +k8s:openapi-gen=true\ntype Widget struct {\n\t// +k8s:maxL|ength=3\n\tName string `json:\"name\"`\n}\n";
    let folder = Folder::new();
    folder.write("types.go", &go.replacen('|', "", 1));
    let mut client = Client::start(&folder);
    let (uri, line, character) = open(&mut client, &folder, "types.go", go);
    let answer = client.at("textDocument/hover", &uri, line, character);
    assert!(answer["contents"]["value"].as_str().unwrap().starts_with("**+k8s:maxLength**"), "{answer}");
    let answer = client.at("textDocument/completion", &uri, line, character);
    assert_eq!(answer[0]["label"], "k8s:maxLength");
    // An unsaved text is what counts.
    client.replace(&uri, &go.replacen("maxL|ength=3", "maxLenght=3", 1));
    let found = client.shown(&uri);
    assert!(found.iter().any(|line| line.starts_with("4:") && line.contains("maxLenght")), "{found:?}");
    let plain = folder.uri("main.go");
    client.open(&plain, "package main\n\ntype A struct { B bool }\n");
    assert_eq!(client.shown(&plain), [""; 0]);
}

#[test]
fn fields_lead_to_their_definition() {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let text = "apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  si|ze: 1\n";
    let (uri, line, character) = open(&mut client, &folder, "a.yaml", text);
    let answer = client.at("textDocument/definition", &uri, line, character);
    assert_eq!(answer["uri"], folder.uri("crds/widgets.yaml"));
    let row = DEFINITION.lines().position(|line| line.trim() == "size:").unwrap();
    assert_eq!(answer["range"]["start"]["line"], row);
}

/// The text after the first fix whose title begins like this.
fn fixed(text: &str, line: u32, title: &str) -> String {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let uri = folder.uri("a.yaml");
    client.open(&uri, text);
    client.diagnostics(&uri);
    let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 200}});
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}}),
    );
    let action = actions.as_array().unwrap().iter().find(|action| action["title"].as_str().unwrap().starts_with(title));
    let action = action.unwrap_or_else(|| panic!("no {title:?}: {actions}"));
    let mut lines: String = text.to_owned();
    let edits = action["edit"]["changes"][&uri].as_array().unwrap();
    let offset = |lines: &str, position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let start: usize = lines.split_inclusive('\n').take(line).map(str::len).sum();
        start + usize::try_from(position["character"].as_u64().unwrap()).unwrap()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let start = offset(&lines, &edit["range"]["start"]);
            (start, offset(&lines, &edit["range"]["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_by_key(|(start, ..)| std::cmp::Reverse(*start));
    for (start, end, with) in edits {
        lines.replace_range(start..end, with);
    }
    client.edit(&uri, json!([{"text": lines}]));
    client.diagnostics(&uri);
    lines
}

#[test]
fn slips_are_mended() {
    let text = fixed(&widget("{siez: 1}"), 4, "Change to \"size\"");
    assert!(text.ends_with("spec: {size: 1}\n"), "{text}");
    let text = fixed("apiVersion: apps/v1\nkind: Deploymnt\nmetadata: {name: a}\n", 1, "Change to Deployment");
    assert!(text.contains("kind: Deployment\n"), "{text}");
    let text = fixed("apiVersion: v1\nkind: Deployment\nmetadata: {name: a}\n", 1, "Change to apiVersion: apps/v1");
    assert!(text.starts_with("apiVersion: apps/v1\n"), "{text}");
}

#[test]
fn required_fields_are_added() {
    let text = fixed(&widget("{mode: Fast}"), 4, "Add \"size\"");
    assert!(text.ends_with("spec: {size: 0, mode: Fast}\n"), "{text}");
    let block = "apiVersion: example.dev/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  mode: Fast\n";
    let text = fixed(block, 3, "Add \"size\"");
    assert!(text.ends_with("spec:\n  size: 0\n  mode: Fast\n"), "{text}");
}

#[test]
fn removed_versions_are_rewritten() {
    let text = "apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: a}\n";
    assert!(fixed(text, 1, "Rewrite CronJob to batch/v1").starts_with("apiVersion: batch/v1\n"));
}

#[test]
fn limits_are_added_that_a_costly_rule_needs() {
    let text = DEFINITION.replace(
        "              class:\n                type: string\n                maxLength: 10\n                x-kubernetes-validations:\n                - rule: self == oldSelf\n                  message: class cannot be changed\n",
        "              class:\n                type: array\n                items: {type: string}\n                x-kubernetes-validations:\n                - rule: self.all(a, self.all(b, a != b || self.all(c, c != a)))\n",
    );
    let row = text.lines().position(|line| line.contains("self.all")).unwrap();
    let mended = fixed(&text, u32::try_from(row).unwrap(), "Add maxItems");
    assert!(mended.contains("maxItems: "), "{mended}");
}

#[test]
fn findings_are_exported_as_tests() {
    let folder = Folder::new();
    folder.write("crds/widgets.yaml", DEFINITION);
    let mut client = Client::start(&folder);
    let uri = folder.uri("objects/a.yaml");
    client.open(&uri, &widget("{size: 11}"));
    client.diagnostics(&uri);
    let range = json!({"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 20}});
    let actions = client.request(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}}),
    );
    let action =
        actions.as_array().unwrap().iter().find(|action| action["title"] == "Export Widget a as a test").unwrap();
    let changes = &action["edit"]["documentChanges"];
    assert_eq!(changes[0]["uri"], folder.uri("objects/widget-a-test.yaml"));
    let text = changes[1]["edits"][0]["newText"].as_str().unwrap();
    assert!(text.contains("../crds/widgets.yaml") && text.contains("field: spec.size"), "{text}");
}
