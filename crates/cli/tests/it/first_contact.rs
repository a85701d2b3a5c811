//! The first minutes with the command: `sprag` alone, and `sprag doctor`.

use serde_json::Value;

use crate::run::sprag_in;
use crate::scratch::Scratch;

const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
";
const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";

/// The commands that `sprag` alone proposes.
fn proposed(scratch: &Scratch) -> Vec<String> {
    let run = sprag_in(scratch.dir(), &[], "");
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert!(lines[0].starts_with("sprag "), "{}", lines[0]);
    lines[1..].iter().map(|line| line.trim().split("  ").next().unwrap().to_owned()).collect()
}

#[test]
fn alone_it_names_commands_that_work_in_the_folder() {
    let scratch = Scratch::new("welcome");
    assert_eq!(proposed(&scratch), ["sprag run -- kubectl get namespaces", "sprag doctor", "sprag --help"]);
    scratch.write("deploy/app/map.yaml", MAP);
    scratch.write("config/crd/widgets.yaml", CRD);
    assert_eq!(proposed(&scratch)[..2], ["sprag validate .", "sprag crd lint config/crd"]);
    for command in &proposed(&scratch)[..2] {
        let args: Vec<&str> = command.split(' ').skip(1).collect();
        let run = sprag_in(scratch.dir(), &args, "");
        assert!(matches!(run.code, Some(0 | 1)), "{command}: {}", run.stderr);
    }
}

#[test]
fn alone_it_knows_suites_of_envtest_types_and_crates() {
    let scratch = Scratch::new("welcome-go");
    scratch.write("go.mod", "module example.com/a\n");
    assert_eq!(proposed(&scratch)[0], "sprag run -- go test ./...");
    scratch.write("api/v1/types.go", "package v1\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n}\n");
    scratch
        .write("internal/suite_test.go", "package internal\n\nimport \"sigs.k8s.io/controller-runtime/pkg/envtest\"\n");
    let commands = proposed(&scratch);
    assert_eq!(
        commands[..2],
        ["KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...", "sprag lint api/v1"],
        "{commands:?}"
    );
    let scratch = Scratch::new("welcome-rust");
    scratch.write("Cargo.toml", "[package]\nname = \"a\"\n");
    // What others made is not looked at.
    scratch.write("target/debug/map.yaml", MAP);
    scratch.write("node_modules/a/map.yaml", MAP);
    assert_eq!(proposed(&scratch)[0], "sprag run -- cargo test");
}

fn doctor(scratch: &Scratch, code: i32) -> Value {
    let run = sprag_in(scratch.dir(), &["doctor", "-o", "json"], "");
    assert_eq!((run.code, &*run.stderr), (Some(code), ""), "{}", run.stdout);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn the_doctor_says_what_counts_and_why() {
    let scratch = Scratch::new("doctor");
    scratch.write("deploy/map.yaml", MAP);
    scratch.write("deploy/values.yaml", "a: 1\n");
    scratch.write("deploy/crd.yaml", CRD);
    let document = doctor(&scratch, 0);
    assert_eq!(document["kubernetes"], serde_json::json!(["1.37"]));
    assert_eq!(document["settings"], Value::Null);
    assert_eq!(document["definitions"]["amongManifests"][0]["name"], "widgets.example.com");
    assert_eq!(document["definitions"]["named"], serde_json::json!([]));
    scratch.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  kubernetesVersion: \"1.34\"\n  crds: [deploy/crd.yaml]\n  featureGates: {HPAScaleToZero: true}\n",
    );
    let document = doctor(&scratch, 0);
    assert_eq!(document["kubernetes"], serde_json::json!(["1.34"]));
    assert_eq!(document["settings"], ".sprag.yaml");
    assert_eq!(document["definitions"]["named"][0]["name"], "widgets.example.com");
    assert_eq!(document["gates"], serde_json::json!(["HPAScaleToZero=true"]));
    let text = sprag_in(scratch.dir(), &["doctor"], "").stdout;
    assert!(text.contains("1.34: validate.kubernetesVersion of the settings"), "{text}");
}

#[test]
fn the_doctor_names_what_cannot_be_used() {
    let scratch = Scratch::new("doctor-ill");
    scratch.write(".sprag.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {crd: [a]}\n");
    let document = doctor(&scratch, 1);
    assert!(document["problems"][0].as_str().unwrap().starts_with(".sprag.yaml:3: "), "{document}");
    scratch.write(
        ".sprag.yaml",
        "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate:\n  featureGates: {Nothing: true}\n",
    );
    let document = doctor(&scratch, 1);
    assert!(document["problems"][0].as_str().unwrap().contains("Nothing"), "{document}");
    let scratch = Scratch::new("doctor-crd");
    scratch.write(".sprag.yaml", "apiVersion: sprag.dev/v1alpha1\nkind: Config\nvalidate: {crds: [crd.yaml]}\n");
    scratch.write("crd.yaml", &CRD.replace("scope: Namespaced", "scope: Nowhere"));
    let document = doctor(&scratch, 1);
    assert!(document["problems"][0].as_str().unwrap().contains("scope"), "{document}");
}
