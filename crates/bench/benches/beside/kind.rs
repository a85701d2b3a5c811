//! The objects that are written and read.

use std::fmt;
use std::fs;
use std::path::Path;

use sprag_decode::yaml;
use sprag_value::json;

use crate::load_object::{deployment, one_line, version_member};

/// A kind of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Widget,
    HttpRoute,
    ConfigMap,
    Pod,
    Deployment,
}

const WIDGETS: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"widgets.bench.example.com"},
"spec":{"group":"bench.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","required":["size"],"properties":{
"size":{"type":"integer","minimum":1},"replicas":{"type":"integer","default":1},
"color":{"type":"string","enum":["red","green"]},"owner":{"type":"string","maxLength":63,"pattern":"^[a-z-]+$"}},
"x-kubernetes-validations":[{"rule":"self.size < 5000 || self.color == 'red'"}]}}}}}]}}"#;

impl Kind {
    pub(crate) const ALL: [Kind; 5] = [Kind::Widget, Kind::HttpRoute, Kind::ConfigMap, Kind::Pod, Kind::Deployment];

    /// The definition of the kind as JSON, where it needs one; nothing where that is missing.
    #[expect(clippy::option_option, reason = "it needs none, or it is missing")]
    pub(crate) fn definition(self) -> Option<Option<String>> {
        match self {
            Kind::Widget => Some(Some(WIDGETS.to_owned())),
            Kind::HttpRoute => {
                let file = "../../../shared/corpus/crds/gateway-api-gateway.networking.k8s.io_httproutes.yaml";
                let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).ok()?;
                Some(Some(json::to_string(&yaml::decode(&text).ok()?)))
            }
            _ => Some(None),
        }
    }

    /// The path of all objects in a namespace.
    pub(crate) fn collection(self, namespace: &str) -> String {
        let [group, resource] = match self {
            Kind::Widget => ["apis/bench.example.com/v1", "widgets"],
            Kind::HttpRoute => ["apis/gateway.networking.k8s.io/v1", "httproutes"],
            Kind::ConfigMap => ["api/v1", "configmaps"],
            Kind::Pod => ["api/v1", "pods"],
            Kind::Deployment => ["apis/apps/v1", "deployments"],
        };
        format!("/{group}/namespaces/{namespace}/{resource}")
    }

    /// The text of an object, another one in each round, as of a resource version.
    pub(crate) fn body(self, name: &str, round: usize, version: Option<&str>) -> String {
        let member = version_member(version);
        one_line(&match self {
            Kind::Widget => format!(
                r#"{{"apiVersion":"bench.example.com/v1","kind":"Widget","metadata":{{"name":"{name}"{member}}},"spec":{{"size":{round},"color":"red","owner":"team-a"}}}}"#
            ),
            Kind::HttpRoute => route(name, round, &member),
            Kind::ConfigMap => {
                let data: Vec<String> = (0..7).map(|at| format!(r#""key-{at}":"{round}{}""#, "v".repeat(99))).collect();
                let data = data.join(",");
                format!(
                    r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"{member}}},"data":{{{data}}}}}"#
                )
            }
            Kind::Pod => pod(name, round, &member),
            Kind::Deployment => return deployment(name, round, version),
        })
    }

    /// A merge patch that changes one value.
    pub(crate) fn merge_patch(self, round: usize) -> String {
        match self {
            Kind::Widget => format!(r#"{{"spec":{{"size":{round}}}}}"#),
            Kind::HttpRoute => format!(r#"{{"spec":{{"hostnames":["h{round}.example.com"]}}}}"#),
            Kind::ConfigMap => format!(r#"{{"data":{{"key-0":"{round}"}}}}"#),
            Kind::Pod => format!(r#"{{"metadata":{{"labels":{{"round":"{round}"}}}}}}"#),
            Kind::Deployment => format!(r#"{{"spec":{{"replicas":{round}}}}}"#),
        }
    }
}

/// A route with six rules.
fn route(name: &str, round: usize, version: &str) -> String {
    let rule = |at: usize| {
        format!(
            r#"{{"matches":[{{"path":{{"type":"PathPrefix","value":"/app-{at}"}},"headers":[{{"name":"x-version","value":"v{at}"}}],"method":"GET"}}],
"filters":[{{"type":"RequestHeaderModifier","requestHeaderModifier":{{"set":[{{"name":"x-env","value":"prod"}}]}}}}],
"backendRefs":[{{"name":"app-{at}","port":8080,"weight":90}},{{"name":"app-{at}-canary","port":8080,"weight":10}}],"timeouts":{{"request":"10s"}}}}"#
        )
    };
    let rules = (0..6).map(rule).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{{"name":"{name}"{version}}},
"spec":{{"parentRefs":[{{"name":"gateway"}}],"hostnames":["h{round}.example.com"],"rules":[{rules}]}}}}"#
    )
}

/// A pod with two containers.
fn pod(name: &str, round: usize, version: &str) -> String {
    let container = |name: &str| {
        format!(
            r#"{{"name":"{name}","image":"registry.example/{name}:1","args":["--x"],"ports":[{{"name":"{name}","containerPort":8080}}],
"env":[{{"name":"MODE","value":"prod"}},{{"name":"NODE","valueFrom":{{"fieldRef":{{"fieldPath":"spec.nodeName"}}}}}}],
"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},
"livenessProbe":{{"httpGet":{{"path":"/healthz","port":8080}}}},"volumeMounts":[{{"name":"cfg","mountPath":"/etc/cfg"}}]}}"#
        )
    };
    let containers = ["app", "proxy"].map(container).join(",");
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}"{version},"labels":{{"app":"web","round":"{round}"}}}},
"spec":{{"containers":[{containers}],"volumes":[{{"name":"cfg","configMap":{{"name":"web"}}}}]}}}}"#
    )
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Widget => "small custom resource",
            Kind::HttpRoute => "HTTPRoute",
            Kind::ConfigMap => "ConfigMap",
            Kind::Pod => "Pod",
            Kind::Deployment => "Deployment",
        })
    }
}
