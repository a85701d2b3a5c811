//! `/binding` and `bindings`: the assignment of a pod to a node.

use std::sync::Arc;

use sprag_checks::object_meta::{Usage, dns_subdomain};
use sprag_field::{Error, Errors, Path};
use sprag_rest::{
    ApiError, CreateSubresource, Cx, Definition, Fact, GroupResource, GroupVersionKind, Release, Result,
    StrategyConfig, Unstored, meta,
};
use sprag_shape::{Shapes, TypeId};
use sprag_value::Value;
use sprag_value::view::{Map, View};

use super::conditions::set_condition;
use super::drop::drop_init_container_annotations;
use crate::program;
use crate::views::core_v1::{Binding, Pod};

/// The definition of `bindings`, which is older than the subresource. A server passes writes on to that; its rules are here for
/// manifests.
pub(crate) fn bindings(release: Release) -> Definition {
    let strategy = StrategyConfig::new()
        .validate(|_, new, errors| validate_binding(View::view(Some(new)), errors))
        .without_generation();
    let mut definition = program::resource(release, "", "v1", "Binding").strategy(strategy).define();
    definition.unstored = Some(Unstored::Below(GroupResource::new("", "pods"), "binding"));
    definition
}

/// The subresource `binding`.
pub(super) struct BindingSubresource {
    shape: (Arc<Shapes>, TypeId),
}

impl BindingSubresource {
    pub(super) fn new(release: Release) -> BindingSubresource {
        BindingSubresource { shape: program::resource(release, "", "v1", "Binding").shape() }
    }
}

impl CreateSubresource for BindingSubresource {
    fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::new("", "v1", "Binding")
    }

    fn shape(&self) -> Option<(&Shapes, TypeId)> {
        Some((&self.shape.0, self.shape.1))
    }

    fn check(&self, cx: &Cx<'_>, body: &Value) -> Result<()> {
        if meta::name(body) != cx.name {
            return Err(ApiError::bad_request("name in URL does not match name in Binding object"));
        }
        let mut errors = Errors::of(cx.gates.release());
        validate_binding(View::view(Some(body)), &mut errors);
        // As upstream, which passes the errors on as they are.
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        match texts.as_slice() {
            [] => Ok(()),
            [one] => Err(ApiError::unknown(one.as_str())),
            _ => Err(ApiError::unknown(format!("[{}]", texts.join(", ")))),
        }
    }

    /// As upstream's `BindingREST.setPodNodeAndMetadata`.
    fn apply(&self, cx: &Cx<'_>, body: &Value, parent: &mut Value) -> Result<()> {
        let binding: Binding<'_> = View::view(Some(body));
        if let Some(why) = refusal(View::view(Some(&*parent)), cx.name) {
            return Err(ApiError::conflict(&GroupResource::new("", "pods/binding"), cx.name, &why));
        }
        if let Some(spec) = parent.get_mut("spec") {
            spec.insert("nodeName", binding.target().name());
        }
        merge(parent, body, "annotations");
        drop_init_container_annotations(parent);
        if cx.gates.enabled("PodTopologyLabelsAdmission") {
            merge(parent, body, "labels");
        }
        let mut status = parent.remove("status").filter(|status| !status.is_null()).unwrap_or_else(Value::object);
        if cx.gates.enabled("ClearingNominatedNodeNameAfterBinding") {
            status.remove("nominatedNodeName");
        }
        let mut condition = Value::object();
        condition.insert("type", "PodScheduled");
        condition.insert("status", "True");
        set_condition(&mut status, condition, cx.now);
        parent.insert("status", status);
        Ok(())
    }

    fn bypasses_strategy(&self) -> bool {
        true
    }
}

/// As upstream's `validation.ValidatePodBinding`.
fn validate_binding(binding: Binding<'_>, errors: &mut Errors) {
    let (target, at) = (binding.target(), Path::new("target"));
    let is_node = matches!(target.kind(), "" | "Node");
    if !is_node {
        errors.push(Error::not_supported(&at.child("kind"), target.kind(), &["Node", "<empty>"]));
    }
    let name = target.name();
    if name.is_empty() {
        errors.push(Error::required(&at.child("name"), ""));
    } else if is_node && errors.release().has(Fact::BindingsCheckNodeNames) {
        let path = at.child("name");
        dns_subdomain(name, Usage::Name, &mut |flaw| errors.push(Error::invalid(&path, name, flaw)));
    }
}

/// Returns the reason why a pod cannot be bound.
fn refusal(pod: Pod<'_>, name: &str) -> Option<String> {
    let (spec, node) = (pod.spec(), pod.spec().node_name());
    if meta::is_deleting(pod.as_value()) {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if !node.is_empty() {
        return Some(format!("pod {name} is already assigned to node {}", sprag_field::quote::go(node)));
    }
    (!spec.scheduling_gates().is_empty()).then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

/// Adds labels or annotations of the binding to those of the pod.
fn merge(pod: &mut Value, binding: &Value, member: &str) {
    let added: Map<'_, &str> = View::view(meta::get(binding, member));
    if added.is_empty() {
        return;
    }
    let mut merged = meta::get(pod, member).cloned().filter(|it| !it.is_null()).unwrap_or_else(Value::object);
    for (key, value) in added.iter() {
        merged.insert(key, value);
    }
    meta::set(pod, member, merged);
}
