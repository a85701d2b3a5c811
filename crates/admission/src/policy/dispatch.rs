//! The bindings of a policy that apply to a request, and their parameters.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_registry::Attributes;
use sprag_rest::{ApiError, Definition, GroupResource, Result};
use sprag_value::Value;

use super::params::{self, Found};
use super::source::{Binding, Hook};
use crate::matching::{Matched, Namespaces};

/// A binding that a request is judged under, or why that cannot be.
pub(crate) enum Called<'h> {
    Failed { binding: Option<&'h str>, why: String },
    Binding { binding: &'h Binding, call: Call },
}

/// A request as a policy matches it, with the parameters to run the policy with.
pub(crate) struct Call {
    pub(crate) matched: Matched,
    pub(crate) params: Found,
}

/// The bindings of a policy that match a request.
// As upstream's generic.policyDispatcher.Dispatch, and the same part of validating.dispatcher.Dispatch.
pub(crate) async fn calls<'h, P>(
    hook: &'h Hook<P>,
    attributes: &Attributes<'_>,
    namespaces: &Namespaces,
) -> Vec<Called<'h>> {
    let of_policy = |why: String| {
        let why = format!("failed to configure policy: {why}");
        vec![Called::Failed { binding: None, why }]
    };
    let policy = &hook.policy;
    if let Some(flaw) = &policy.flaw {
        return of_policy(flaw.clone());
    }
    let matched = match policy.matching.matches(attributes, namespaces) {
        Ok(Some(matched)) => matched,
        Ok(None) => return Vec::new(),
        Err(error) => return of_policy(error.to_string()),
    };
    let definition = match &policy.params {
        None => None,
        Some(kind) => match params::resource(attributes.registry, kind) {
            Ok(definition) => Some(definition),
            Err(why) => return of_policy(why),
        },
    };
    let kind = policy.params.as_ref().zip(definition.as_ref());
    let mut calls = Vec::new();
    for binding in &hook.bindings {
        let failed = |why: String| {
            let why = format!("failed to configure binding: {why}");
            Called::Failed { binding: Some(&binding.name), why }
        };
        if let Some(flaw) = &binding.flaw {
            calls.push(failed(flaw.clone()));
            continue;
        }
        match binding.matching.as_ref().map(|matching| matching.matches(attributes, namespaces)) {
            None | Some(Ok(Some(_))) => {}
            Some(Ok(None)) => continue,
            Some(Err(error)) => {
                calls.push(failed(error.to_string()));
                continue;
            }
        }
        match params::collect(attributes, kind, binding.params.as_ref()).await {
            Ok(params) => calls.push(Called::Binding { binding, call: Call { matched: matched.clone(), params } }),
            Err(why) => calls.push(failed(why)),
        }
    }
    calls
}

/// The objects of a request.
pub(crate) struct Objects<'a> {
    pub(crate) object: Option<Cow<'a, Value>>,
    pub(crate) old: Option<Cow<'a, Value>>,
}

/// The objects of a request in the version that a policy matches.
// As upstream's admission.NewVersionedAttributes.
pub(crate) fn versioned<'a>(attributes: &Attributes<'a>, matched: &Matched) -> Result<Objects<'a>> {
    let convert = |object: Option<&'a Value>| {
        object.map(|object| attributes.in_version(object, matched.version(attributes))).transpose()
    };
    Ok(Objects { object: convert(attributes.object)?, old: convert(attributes.old)? })
}

/// The namespace of the object; nothing for a namespace itself and for objects without.
pub(crate) fn namespace(attributes: &Attributes<'_>, namespaces: &Namespaces) -> Result<Option<Arc<Value>>> {
    let name = attributes.namespace();
    if name.is_empty() || attributes.is_namespace() {
        return Ok(None);
    }
    match namespaces.get(name) {
        Some(namespace) => Ok(Some(namespace)),
        None => Err(ApiError::not_found(&GroupResource::new("", "namespaces"), name)),
    }
}

/// True if policies never see requests for this resource.
// As upstream's exclusion.Excluded and generic.Plugin.isExcludedFromAPIHooks.
pub(crate) fn is_excluded(definition: &Definition) -> bool {
    let resource = definition.resource.resource.as_str();
    match definition.group() {
        "authentication.k8s.io" | "authorization.k8s.io" => resource.ends_with("reviews"),
        "admissionregistration.k8s.io" => {
            resource.ends_with("admissionpolicies") || resource.ends_with("admissionpolicybindings")
        }
        _ => false,
    }
}
