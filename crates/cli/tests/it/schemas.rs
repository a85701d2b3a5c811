//! JSON schemas on disk, as kubeconform and flux-schema take them, and fields that are taken out.

use crate::run::sprag_in;
use crate::scratch::Scratch;

/// As `openapi2jsonschema` makes it of a definition.
const ISSUER: &str = r#"{
  "type": "object",
  "required": ["spec"],
  "additionalProperties": false,
  "properties": {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"type": "object"},
    "spec": {
      "type": "object",
      "additionalProperties": false,
      "required": ["size"],
      "properties": {
        "size": {"type": "integer", "minimum": 1},
        "port": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        "name": {"type": ["string", "null"]}
      },
      "x-kubernetes-validations": [{"rule": "self.size < 100", "message": "too large"}]
    }
  }
}"#;

fn issuer(spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Issuer\nmetadata: {{name: a, namespace: b}}\nspec: {spec}\n")
}

#[track_caller]
fn check(scratch: &Scratch, args: &[&str], code: i32, texts: &[&str]) {
    let run = sprag_in(scratch.dir(), &[&["validate", "a.yaml"], args].concat(), "");
    assert_eq!(run.code, Some(code), "{}{}", run.stdout, run.stderr);
    for text in texts {
        assert!(run.stdout.contains(text) || run.stderr.contains(text), "{text}: {}{}", run.stdout, run.stderr);
    }
}

#[test]
fn schemas_on_disk_are_definitions() {
    let scratch = Scratch::new("schemas");
    scratch.write("catalog/example.com/issuer_v1.json", ISSUER);
    scratch.write("versions/master-standalone-strict/issuer-example-v1.json", ISSUER);
    scratch.write("a.yaml", &issuer("{size: 0, port: [], name: null, other: 1}"));
    let template = "catalog/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json";
    let found = [
        "error: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1\n",
        "error: spec.port: Invalid value: \"array\": spec.port in body must be of type integer,string: \"array\"\n",
        "warning: unknown field \"spec.other\"\n",
        "Judged by the rules of JSON schemas: 1\n",
    ];
    for location in [template, "catalog", "catalog/", "versions", "catalog/{{.Group}}/{{ .Kind }}_{{ .Version }}.json"]
    {
        check(&scratch, &["--schema-location", location], 1, &found);
        check(&scratch, &["-schema-location", "default", "-schema-location", location], 1, &found);
    }
    scratch.write("a.yaml", &issuer("{size: 100, port: http}"));
    check(&scratch, &["-s", "catalog"], 1, &["error: spec: Invalid value: too large"]);
    scratch.write("a.yaml", &issuer("{size: 1, port: 80, name: null}"));
    check(&scratch, &["-s", "catalog", "--require-schemas"], 0, &["Valid: 1,"]);
    // Without a schema for the kind, the object is passed over.
    scratch.write("a.yaml", &issuer("{}").replace("Issuer", "Other"));
    check(&scratch, &["-s", "catalog"], 0, &["1 Other (example.com/v1): kubectl get crd"]);
    check(&scratch, &["-s", "catalog", "--require-schemas"], 1, &["could not find schema for Other"]);
}

#[test]
fn schemas_do_not_speak_for_kubernetes() {
    let scratch = Scratch::new("schemas-built-in");
    scratch.write("catalog/extensions/ingress_v1beta1.json", "{\"type\": \"object\"}");
    scratch.write("catalog/apps/deployment_v1.json", "{\"type\": \"object\"}");
    scratch.write("a.yaml", "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n");
    check(
        &scratch,
        &["-s", "catalog"],
        1,
        &["it was served until 1.21", "spec.selector: Required value", "Invalid: 1, Errors: 1"],
    );
}

#[test]
fn schemas_that_cannot_be_used_are_errors() {
    let scratch = Scratch::new("schemas-unusable");
    scratch.write("a.yaml", &issuer("{}"));
    for (text, reason) in [
        ("secret: [", "is not JSON"),
        ("{\"$ref\": \"_definitions.json#/x\"}", "has \"$ref\", which schemas of definitions cannot have"),
        ("{\"properties\": {\"kind\": {\"enum\": [\"ISSUER\"]}}}", "is the schema of \"ISSUER\""),
        ("{\"type\": \"objekt\"}", "Invalid value: \"objekt\": must be object at the root"),
    ] {
        scratch.write("catalog/example.com/issuer_v1.json", text);
        let expected = "error: the schema catalog/example.com/issuer_v1.json cannot be used: ";
        check(&scratch, &["-s", "catalog"], 1, &[expected, reason]);
    }
    check(&scratch, &["-s", "nowhere"], 2, &["--schema-location: there is no folder nowhere"]);
    check(&scratch, &["-s", "catalog/{{.Nme}}.json"], 2, &["there is no variable \".Nme\"; known: .Group"]);
    // What an object says cannot lead out of the place.
    scratch.write("catalog/issuer_v1.json", ISSUER);
    scratch.write("a.yaml", "apiVersion: ./v1\nkind: Issuer\nmetadata: {name: a}\n");
    check(&scratch, &["-s", "catalog", "--require-schemas"], 1, &["could not find schema for Issuer"]);
}

#[test]
fn fields_are_taken_out_where_the_command_line_says_so() {
    let scratch = Scratch::new("schemas-skipped");
    scratch.write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nsops: 1\ndata: {a: 1}\n");
    check(&scratch, &["--strict"], 1, &["cannot be handled as a ConfigMap"]);
    check(
        &scratch,
        &["--strict", "--skip-json-path", "/data/a", "--skip-json-path", "v1/ConfigMap:/sops"],
        0,
        &["Valid: 1"],
    );
    check(
        &scratch,
        &["--strict", "--skip-json-path", "/data/a", "--skip-json-path=Secret:/sops"],
        1,
        &["unknown field \"sops\""],
    );
    check(&scratch, &["--skip-json-path", "/kind"], 2, &["apiVersion and kind say what an object is"]);
}
