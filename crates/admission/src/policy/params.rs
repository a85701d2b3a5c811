//! The parameters of a policy: objects of any kind, named or selected by a binding.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sprag_registry::{Attributes, HEAVY_BYTES, Listing, Registry};
use sprag_rest::selector::LabelSelector;
use sprag_rest::{ApiError, Definition, ListOptions, Request, User};
use sprag_value::Value;

use super::source::{ParamKind, ParamRef};

/// Some of the parameters that a policy is run with, one after the other: nothing stands for a policy that is run once without any.
pub(crate) type Few = Cow<'static, [Option<Arc<Value>>]>;

/// The parameters that a policy is run with.
pub(crate) enum Found<'b> {
    /// These.
    Known(Few),
    /// Those that a selector picks. There may be many, so that only some of them are decoded at once.
    Selected(Box<Selected<'b>>),
}

/// A policy is run once, without parameters.
pub(crate) const NONE: Found<'static> = Found::Known(Cow::Borrowed(&[None]));

/// Parameters that a selector picks, as far as they were not read yet.
pub(crate) struct Selected<'b> {
    listing: Listing,
    selector: &'b LabelSelector,
    /// True if missing parameters are an error.
    must_be: bool,
}

/// Approximate number of bytes of parameters that are decoded at once: below the size that has to leave the threads of the runtime.
const PIECE: usize = HEAVY_BYTES - 1;

impl Found<'_> {
    /// The next parameters, or none of them yet; nothing at the end.
    pub(crate) async fn next(&mut self, attributes: &Attributes<'_>) -> Result<Option<Few>, String> {
        match self {
            Found::Known(few) if few.is_empty() => Ok(None),
            Found::Known(few) => Ok(Some(std::mem::take(few))),
            Found::Selected(selected) => selected.next(attributes).await,
        }
    }
}

impl Selected<'_> {
    async fn next(&mut self, attributes: &Attributes<'_>) -> Result<Option<Few>, String> {
        let bytes = self.listing.next_bytes(PIECE);
        let read = || self.listing.next_items(PIECE);
        let read = attributes.registry.heavy(&attributes.request.user.name, bytes, read).await;
        let items = read.unwrap_or_else(|| Err(ApiError::internal("work was given up")));
        let items = items.map_err(|error| error.to_string())?;
        if items.is_empty() {
            return if self.must_be { Err(MISSING.to_owned()) } else { Ok(None) };
        }
        attributes.registry.give_way().await;
        let picked = items.into_iter().filter(|item| crate::matching::has_labels(self.selector, item));
        let few: Vec<_> = picked.map(Arc::new).map(Some).collect();
        self.must_be &= few.is_empty();
        Ok(Some(Cow::Owned(few)))
    }
}

const MISSING: &str = "no params found for policy binding with `Deny` parameterNotFoundAction";

/// Maximum number of namespaces whose parameters a binding keeps.
const MAX_KEPT: usize = 256;

/// The object that a binding names, by namespace, decoded once for each of its revisions.
#[derive(Default)]
pub(crate) struct Kept(Mutex<HashMap<String, One>>);

#[derive(Clone)]
struct One {
    definition: Arc<Definition>,
    version: String,
    revision: u64,
    object: Arc<Value>,
}

impl Kept {
    /// The object of a request, which may have been read before.
    async fn get(
        &self,
        registry: &Registry,
        definition: &Arc<Definition>,
        request: &Request<'_>,
    ) -> Result<Arc<Value>, ApiError> {
        let is_same = |one: &&One| Arc::ptr_eq(&one.definition, definition) && one.version == request.version;
        let kept =
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get(request.namespace).filter(is_same).cloned();
        let newer = registry.get_newer(request, kept.as_ref().map(|one| one.revision)).await?;
        let (revision, object) = match (newer, kept) {
            (None, Some(kept)) => return Ok(kept.object),
            (Some(newer), _) => newer,
            (None, None) => return Err(ApiError::internal("parameters without a revision")),
        };
        let definition = definition.clone();
        let version = request.version.to_owned();
        let object = Arc::new(object);
        let one = One { definition, version, revision, object: object.clone() };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(request.namespace.to_owned(), one);
        Ok(object)
    }
}

/// The resource of a kind of parameters.
// As upstream's policySource.ensureParamsForPolicyLocked.
pub(crate) fn resource(registry: &Registry, kind: &ParamKind) -> Result<Arc<Definition>, String> {
    let ParamKind { group, version, kind } = kind;
    let is_kind = |definition: &Definition| {
        definition.kind == *kind && definition.version(version).is_some_and(|version| version.served)
    };
    let found = registry.first_of_group(group, is_kind);
    found.ok_or_else(|| format!("failed to find resource referenced by paramKind: '{group}/{version}, Kind={kind}'"))
}

/// The parameters that a binding uses for a request.
// As upstream's generic.CollectParams.
pub(crate) async fn collect<'b>(
    attributes: &Attributes<'_>,
    (kind, definition): (&ParamKind, &Arc<Definition>),
    reference: &'b ParamRef,
) -> Result<Found<'b>, String> {
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
        (None, _) => match reference.kept.get(attributes.registry, definition, &request).await {
            Ok(object) => vec![Some(object)],
            Err(error) if error.is_not_found() => Vec::new(),
            Err(error) => return Err(error.to_string()),
        },
        (Some(selector), _) => {
            let selector = selector.as_ref().map_err(Clone::clone)?;
            let listing = attributes.registry.listing(&request, &ListOptions::default()).await;
            let listing = listing.map_err(|error| error.to_string())?;
            return Ok(Found::Selected(Box::new(Selected { listing, selector, must_be: reference.denies_missing })));
        }
    };
    if params.is_empty() && reference.denies_missing {
        return Err(MISSING.to_owned());
    }
    Ok(Found::Known(Cow::Owned(params)))
}
