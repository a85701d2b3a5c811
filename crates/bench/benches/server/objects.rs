//! The objects of the reference's runs: a custom resource and a config map of about 1 KB.

use std::fmt;

use crate::Outcome;
use crate::client::Client;
use crate::load_object as load;

/// The kind of objects written and read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Custom,
    ConfigMap,
}

/// CPU per request of the reference in ms, by operation: custom resource and config map with 1 and 8 connections.
const REFERENCE: [(&str, [&str; 4]); 7] = [
    ("POST", ["4.1", "3.5", "1.9", "1.1"]),
    ("PUT", ["4.2", "3.0", "2.2", "2.0"]),
    ("GET", ["1.6", "1.1", "1.1", "0.6"]),
    ("merge-PATCH", ["6.2", "4.6", "2.4", "1.9"]),
    ("apply-PATCH", ["7.4", "5.5", "2.5", "1.6"]),
    ("LIST 1000", ["98", "66", "13.3", "12.8"]),
    ("DELETE", ["5.0", "2.7", "1.9", "1.2"]),
];

impl Kind {
    /// Makes the namespaces and, if need be, the definition.
    pub(crate) fn prepare(self, client: &mut Client) -> Outcome<()> {
        for namespace in ["bench", "listed"] {
            let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{namespace}"}}}}"#);
            client.send("POST", "/api/v1/namespaces", Some("application/json"), body.as_bytes())?;
        }
        if self == Kind::Custom {
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            client.send("POST", path, Some("application/json"), load::DEFINITION.as_bytes())?;
        }
        Ok(())
    }

    /// The path of all objects in a namespace.
    pub(crate) fn collection(self, namespace: &str) -> String {
        match self {
            Kind::Custom => format!("/apis/bench.example.com/v1/namespaces/{namespace}/loads"),
            Kind::ConfigMap => format!("/api/v1/namespaces/{namespace}/configmaps"),
        }
    }

    /// An object, without its resource version.
    pub(crate) fn body(self, name: &str, round: usize) -> String {
        self.versioned_body(name, round, None)
    }

    /// An object as of a resource version.
    pub(crate) fn versioned_body(self, name: &str, round: usize, version: Option<&str>) -> String {
        match self {
            Kind::Custom => load::body(name, round, version),
            Kind::ConfigMap => {
                let data: Vec<String> = (0..7).map(|i| format!(r#""key-{i}":"{round}{}""#, "v".repeat(99))).collect();
                format!(
                    r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"{}}},"data":{{{}}}}}"#,
                    load::version_member(version),
                    data.join(",")
                )
            }
        }
    }

    /// A merge patch that changes one value.
    pub(crate) fn merge_patch(self, round: usize) -> String {
        match self {
            Kind::Custom => format!(r#"{{"spec":{{"replicas":{round}}}}}"#),
            Kind::ConfigMap => format!(r#"{{"data":{{"key-0":"{round}"}}}}"#),
        }
    }

    /// Returns the figure of the reference.
    pub(crate) fn reference(self, operation: &str, connections: usize) -> Option<&'static str> {
        let column = match (self, connections) {
            (Kind::Custom, 1) => 0,
            (Kind::Custom, 8) => 1,
            (Kind::ConfigMap, 1) => 2,
            (Kind::ConfigMap, 8) => 3,
            _ => return None,
        };
        REFERENCE.iter().find(|(name, _)| *name == operation).and_then(|(_, times)| times.get(column).copied())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Custom => "custom resource",
            Kind::ConfigMap => "config map",
        })
    }
}
