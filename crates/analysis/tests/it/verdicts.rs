//! Verdicts on snapshots, with positions.

use std::sync::Arc;

use sprag_analysis::{Analysis, Batches, Choices, Snapshot, SnapshotError, Texts};

const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.dev}
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
        properties: {size: {type: integer, maximum: 10, x-kubernetes-validations: [{rule: self >= oldSelf}]}}
";

fn widget(size: i64) -> String {
    format!("apiVersion: example.dev/v1\nkind: Widget\nmetadata:\n  name: a\nsize: {size}\n")
}

/// The findings on manifests, as `line:column severity message`.
fn findings(snapshot: Snapshot) -> Vec<String> {
    let manifests = snapshot.manifests.clone();
    let analysis = Analysis::new(snapshot).unwrap();
    let reports = Batches::of(&*manifests).map(|batch| analysis.batch(batch));
    let resources = reports.flat_map(|report| report.resources);
    let shown = resources.flat_map(|resource| resource.findings).map(|finding| {
        let place = finding.place.map(|place| format!("{}:{} ", place.line, place.column)).unwrap_or_default();
        format!("{place}{} {}", finding.severity.name(), finding.message)
    });
    shown.collect()
}

fn texts(texts: &[(&'static str, String)]) -> Arc<Texts> {
    Arc::new(Texts::new(texts.iter().map(|(name, text)| (*name, text.as_str()))))
}

#[test]
fn an_object_is_validated_by_its_definition_and_its_old_version() {
    let definitions = texts(&[("crd.yaml", DEFINITION.to_owned())]);
    let manifests = texts(&[("a.yaml", widget(11))]);
    let found = findings(Snapshot { definitions: definitions.clone(), manifests, ..Snapshot::default() });
    assert_eq!(found, ["5:7 error size: Invalid value: 11: size in body should be less than or equal to 10"]);
    let manifests = texts(&[("a.yaml", widget(3))]);
    let old = texts(&[("old.yaml", widget(4))]);
    let found = findings(Snapshot { definitions, manifests, old, ..Snapshot::default() });
    assert_eq!(found, ["5:7 error size: Invalid value: 3: failed rule: self >= oldSelf"]);
}

#[test]
fn definitions_among_manifests_count() {
    let manifests = texts(&[("all.yaml", format!("{DEFINITION}---\n{}", widget(11)))]);
    let found = findings(Snapshot { manifests, ..Snapshot::default() });
    assert_eq!(found, ["22:7 error size: Invalid value: 11: size in body should be less than or equal to 10"]);
}

#[test]
fn verdicts_are_the_same_with_any_number_of_threads() {
    let definitions = texts(&[("crd.yaml", DEFINITION.to_owned())]);
    let manifests = texts(&[("a.yaml", widget(11))]);
    let with = |threads| {
        let definitions = definitions.clone();
        let manifests = manifests.clone();
        findings(Snapshot { definitions, manifests, threads, ..Snapshot::default() })
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn choices_decide_what_is_validated() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspce: {}\n".to_owned();
    let with =
        |choices| findings(Snapshot { manifests: texts(&[("a.yaml", pod.clone())]), choices, ..Snapshot::default() });
    assert!(with(Choices::default()).iter().any(|finding| finding == r#"4:1 warning unknown field "spce""#));
    let strict = with(Choices { strict: true, ..Choices::default() });
    assert!(strict.iter().any(|finding| finding == r#"4:1 error unknown field "spce""#), "{strict:?}");
    assert_eq!(with(Choices { skip: ["Pod".to_owned()].into(), ..Choices::default() }), [""; 0]);
}

#[test]
fn deprecated_versions_are_warned_of() {
    let endpoints = "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\n";
    let found = findings(Snapshot { manifests: texts(&[("a.yaml", endpoints.to_owned())]), ..Snapshot::default() });
    assert_eq!(found, ["1:13 warning v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"]);
    let deprecated =
        DEFINITION.replace("served: true", "served: true\n    deprecated: true\n    deprecationWarning: use another");
    assert_ne!(deprecated, DEFINITION);
    let found = findings(Snapshot {
        definitions: texts(&[("crd.yaml", deprecated)]),
        manifests: texts(&[("a.yaml", widget(11))]),
        ..Snapshot::default()
    });
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().any(|finding| finding.ends_with("warning use another")), "{found:?}");
}

#[test]
fn unusable_definitions_and_policies_are_errors() {
    let error = |snapshot| Analysis::new(snapshot).err();
    let definitions = texts(&[("a.yaml", widget(1))]);
    assert_eq!(error(Snapshot { definitions, ..Snapshot::default() }), Some(SnapshotError::NoDefinitions));
    let definitions = texts(&[("crd.yaml", DEFINITION.replace("scope: Namespaced", "scope: Nowhere"))]);
    let Some(SnapshotError::Definitions(problems)) = error(Snapshot { definitions, ..Snapshot::default() }) else {
        panic!("the definition is accepted");
    };
    assert!(problems[0].starts_with("crd.yaml:"), "{problems:?}");
    let policies = texts(&[("policy.yaml", widget(1))]);
    assert_eq!(error(Snapshot { policies, ..Snapshot::default() }), Some(SnapshotError::NoPolicyEngine));
}
