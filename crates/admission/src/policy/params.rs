//! The parameters of a policy: objects of any kind, named or selected by a binding.

use sprag_registry::{Attributes, Registry};
use sprag_rest::{Definition, ListOptions, Request, User};
use sprag_value::Value;
use std::sync::Arc;

use super::source::{ParamKind, ParamRef};

/// The resource of a kind of parameters.
// As upstream's policySource.ensureParamsForPolicyLocked.
pub(crate) fn resource(registry: &Registry, kind: &ParamKind) -> Result<Arc<Definition>, String> {
    let ParamKind { group, version, kind } = kind;
    let is_kind = |definition: &Definition| {
        definition.group() == group
            && definition.kind == *kind
            && definition.version(version).is_some_and(|version| version.served)
    };
    let found = registry.definitions_like(is_kind).into_iter().next();
    found.ok_or_else(|| format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'"))
}

/// The parameters that a binding uses for a request: nothing stands for a policy that is run once without any.
// As upstream's generic.CollectParams.
pub(crate) async fn collect(
    attributes: &Attributes<'_>,
    kind: Option<(&ParamKind, &Definition)>,
    reference: Option<&ParamRef>,
) -> Result<Vec<Option<Value>>, String> {
    let (Some((kind, definition)), Some(reference)) = (kind, reference) else { return Ok(vec![None]) };
    let namespace = match (definition.namespaced(), reference.namespace.as_str(), attributes.namespace()) {
        (false, "", _) => "",
        (false, ..) => {
            return Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned());
        }
        (true, "", "") => {
            let why = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(why.to_owned());
        }
        (true, "", namespace) | (true, namespace, _) => namespace,
    };
    let user = User::default();
    let request = Request {
        group: &kind.group,
        version: &kind.version,
        resource: &definition.resource.resource,
        namespace,
        name: &reference.name,
        subresource: "",
        user: &user,
    };
    let params = match (&reference.selector, reference.name.as_str()) {
        (None, "") => return Err("one of name or selector must be provided".to_owned()),
        (Some(_), name) if !name.is_empty() => {
            return Err("paramRef.name and paramRef.selector are mutually exclusive".to_owned());
        }
        (None, _) => match attributes.registry.get(&request, "").await {
            Ok(object) => vec![Some(object)],
            Err(error) if error.is_not_found() => Vec::new(),
            Err(error) => return Err(error.to_string()),
        },
        (Some(selector), _) => {
            let selector = selector.as_ref().map_err(Clone::clone)?;
            let list = attributes.registry.list(&request, &ListOptions::default()).await;
            let items = list.map_err(|error| error.to_string())?.items;
            items.into_iter().filter(|item| crate::matching::has_labels(selector, item)).map(Some).collect()
        }
    };
    if params.is_empty() && reference.denies_missing {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    Ok(params)
}
