//! The plug-in `DefaultTolerationSeconds`: pods leave nodes that are not ready or unreachable after a while.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_value::{Object, Value};

use super::members::{push, spec};
use super::request::{mutated, writes_pod};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
const NO_EXECUTE: &str = "NoExecute";

/// Adds tolerations of `not-ready` and `unreachable` to pods that have none.
// As upstream's plugin/pkg/admission/defaulttolerationseconds.
#[derive(Clone, Copy, Debug)]
pub struct DefaultTolerationSeconds {
    /// Toleration seconds for a node that is not ready.
    pub not_ready: i64,
    /// Toleration seconds for an unreachable node.
    pub unreachable: i64,
}

impl Default for DefaultTolerationSeconds {
    fn default() -> Self {
        DefaultTolerationSeconds { not_ready: 300, unreachable: 300 }
    }
}

impl AdmissionPlugin for DefaultTolerationSeconds {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        writes_pod(attributes)
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let pod = attributes.new_object();
        let wanted = [(NOT_READY, self.not_ready), (UNREACHABLE, self.unreachable)];
        let missing: Vec<_> = wanted.into_iter().filter(|(key, _)| !tolerates(pod, key)).collect();
        if missing.is_empty() || pod.get("spec").is_none() {
            return mutated(Ok(None));
        }
        let mut pod = pod.clone();
        for (key, seconds) in missing {
            if let Some(spec) = pod.get_mut("spec") {
                push(spec, "tolerations", toleration(key, seconds));
            }
        }
        mutated(Ok(Some(pod)))
    }
}

fn tolerates(pod: &Value, key: &str) -> bool {
    spec(pod).list("tolerations").iter().any(|toleration| {
        ["", key].contains(&toleration.text("key")) && ["", NO_EXECUTE].contains(&toleration.text("effect"))
    })
}

fn toleration(key: &str, seconds: i64) -> Value {
    Value::Object(Object::from([
        ("key", Value::from(key)),
        ("operator", Value::from("Exists")),
        ("effect", Value::from(NO_EXECUTE)),
        ("tolerationSeconds", Value::from(seconds)),
    ]))
}
