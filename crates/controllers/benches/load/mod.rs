//! The custom resource of about 1 KB that the reference was measured with, for benches in process and over HTTP.

/// Its definition.
pub(crate) const DEFINITION: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"loads.bench.example.com"},
"spec":{"group":"bench.example.com","scope":"Namespaced","names":{"plural":"loads","singular":"load","kind":"Load"},
"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{
"replicas":{"type":"integer","minimum":0,"default":1},
"mode":{"type":"string","enum":["auto","manual"],"default":"auto"},
"tags":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string","maxLength":64}},
"notes":{"type":"array","items":{"type":"string"}},
"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"size":{"type":"integer"},
"protocol":{"type":"string","default":"TCP"}}}}}},
"status":{"type":"object","properties":{"replicas":{"type":"integer"},"phase":{"type":"string"}}}}}}}]}}"#;

/// The text of an object, another one in each round, as of a resource version.
pub(crate) fn body(name: &str, round: usize, version: Option<&str>) -> String {
    let items: Vec<String> = (0..6).map(|i| format!(r#"{{"name":"item-{i}","size":{}}}"#, i + round)).collect();
    let notes = vec![format!(r#""{}""#, "n".repeat(100)); 4];
    format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Load","metadata":{{"name":"{name}"{}}},"spec":{{"replicas":{round},"tags":["red","green","blue"],"notes":[{}],"items":[{}]}}}}"#,
        version_member(version),
        notes.join(","),
        items.join(",")
    )
}

/// The resource version as a further member of the metadata.
pub(crate) fn version_member(version: Option<&str>) -> String {
    version.map(|version| format!(r#","resourceVersion":"{version}""#)).unwrap_or_default()
}
