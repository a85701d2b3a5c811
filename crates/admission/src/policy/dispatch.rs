//! The bindings of a policy that apply to a request, and their parameters.

use std::borrow::Cow;
use std::sync::Arc;

use sprag_registry::Attributes;
use sprag_rest::{ApiError, Definition, GroupResource, Result};
use sprag_value::Value;

use super::params::{self, Found};
use super::source::{Binding, Hook};
use crate::matching::{Matched, Namespaces};

/// A request as a policy matches it, with the resource of the parameters of the policy.
pub(crate) struct Call {
    pub(crate) matched: Matched,
    definition: Option<Arc<Definition>>,
}

/// The request as a policy matches it, if it does, or why that cannot be said.
// As upstream's generic.policyDispatcher.Dispatch, and the same part of validating.dispatcher.Dispatch.
pub(crate) fn call<P>(
    hook: &Hook<P>,
    attributes: &Attributes<'_>,
    namespaces: &Namespaces,
) -> Result<Option<Call>, String> {
    let of_policy = |why: String| format!("failed to configure policy: {why}");
    let policy = &hook.policy;
    if let Some(flaw) = &policy.flaw {
        return Err(of_policy(flaw.clone()));
    }
    let matched = policy.matching.matches(attributes, namespaces).map_err(|error| of_policy(error.to_string()))?;
    let Some(matched) = matched else { return Ok(None) };
    let definition = policy.params.as_ref().map(|kind| params::resource(attributes.registry, kind));
    Ok(Some(Call { matched, definition: definition.transpose().map_err(of_policy)? }))
}

/// The reason for which a binding cannot be used.
pub(crate) fn of_binding(why: impl std::fmt::Display) -> String {
    format!("failed to configure binding: {why}")
}

impl Call {
    /// The parameters to run the policy with under a binding; nothing if the binding does not match the request.
    pub(crate) async fn params<'b, P>(
        &self,
        hook: &Hook<P>,
        binding: &'b Binding,
        attributes: &Attributes<'_>,
        namespaces: &Namespaces,
    ) -> Result<Option<Found<'b>>, String> {
        if let Some(flaw) = &binding.flaw {
            return Err(of_binding(flaw));
        }
        if let Some(matching) = &binding.matching {
            let matched = matching.matches(attributes, namespaces).map_err(of_binding)?;
            if matched.is_none() {
                return Ok(None);
            }
        }
        let kind = hook.policy.params.as_ref().zip(self.definition.as_ref());
        let Some((kind, reference)) = kind.zip(binding.params.as_ref()) else { return Ok(Some(params::NONE)) };
        // Reading parameters takes much room, which policies without any do not pay for.
        let found = Box::pin(params::collect(attributes, kind, reference)).await;
        found.map(Some).map_err(of_binding)
    }
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
