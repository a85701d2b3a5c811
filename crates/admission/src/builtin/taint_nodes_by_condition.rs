//! The plug-in `TaintNodesByCondition`: new nodes get no pods until they are ready.

use sprag_registry::{AdmissionPlugin, Admitted, Attributes, Mutation};
use sprag_value::{Object, Value};

use super::members::{push, spec};
use super::request::{creates, is, mutated};

const KEY: &str = "node.kubernetes.io/not-ready";
const EFFECT: &str = "NoSchedule";

/// Adds the taint `not-ready` to new nodes.
// As upstream's plugin/pkg/admission/nodetaint.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaintNodesByCondition;

impl AdmissionPlugin for TaintNodesByCondition {
    fn handles(&self, attributes: &Attributes<'_>) -> bool {
        creates(attributes) && is(attributes, "", "nodes")
    }

    fn keeps_form(&self) -> bool {
        true
    }

    fn mutate<'a>(&'a self, attributes: Attributes<'a>) -> Admitted<'a, Mutation> {
        let node = attributes.new_object();
        let is_taint = |taint: &Value| taint.text("key") == KEY && taint.text("effect") == EFFECT;
        if spec(node).list("taints").iter().any(is_taint) {
            return mutated(Ok(None));
        }
        let mut node = node.clone();
        let mut spec = node.remove("spec").unwrap_or_default();
        push(&mut spec, "taints", Object::from([("key", KEY), ("effect", EFFECT)]));
        node.insert("spec", spec);
        mutated(Ok(Some(node)))
    }
}
