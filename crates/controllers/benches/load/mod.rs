//! The objects of benches in process and over HTTP: the custom resource of about 1 KB that the reference was measured with,
//! and a Deployment.

/// The definition of the custom resource.
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

/// The text of a custom resource, another one in each round, as of a resource version.
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

/// The text of a Deployment with three containers, another one in each round, as of a resource version.
pub(crate) fn deployment(name: &str, round: usize, version: Option<&str>) -> String {
    let env: Vec<String> = (0..12).map(|at| format!(r#"{{"name":"E{at}","value":"v{at}"}}"#)).collect();
    let container = |name: &str| {
        let text = format!(
            r#"{{"name":"{name}","image":"registry.example/{name}:1","args":["--x","--y"],
            "ports":[{{"name":"http","containerPort":8080,"protocol":"TCP"}}],"env":[{env}],
            "resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},
            "livenessProbe":{{"httpGet":{{"path":"/healthz","port":8080}},"periodSeconds":10}},
            "volumeMounts":[{{"name":"cfg","mountPath":"/etc/cfg"}},{{"name":"tmp","mountPath":"/tmp"}}]}}"#,
            env = env.join(",")
        );
        one_line(&text)
    };
    let text = format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{name}","labels":{{"app":"web"}}{}}},
        "spec":{{"replicas":{round},"selector":{{"matchLabels":{{"app":"web"}}}},
        "strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxSurge":"25%","maxUnavailable":0}}}},
        "template":{{"metadata":{{"labels":{{"app":"web"}},"annotations":{{"a":"b"}}}},
        "spec":{{"serviceAccountName":"web","containers":[{}],
        "volumes":[{{"name":"cfg","configMap":{{"name":"web"}}}},{{"name":"tmp","emptyDir":{{}}}}]}}}}}}}}"#,
        version_member(version),
        ["app", "proxy", "log"].map(container).join(",")
    );
    one_line(&text)
}

/// The text as clients send it, without line breaks and indentation.
pub(crate) fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect()
}

/// The resource version as a further member of the metadata.
pub(crate) fn version_member(version: Option<&str>) -> String {
    version.map(|version| format!(r#","resourceVersion":"{version}""#)).unwrap_or_default()
}
