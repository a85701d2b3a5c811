//! Semantics of writes, without a store.
//!
//! [`Write::input`] and [`Write::read`] make the new object: decode, patch or apply, default, prune, managed fields.
//! [`Write::judge`] prepares and validates it. Mutating admission belongs between `read` and `judge`, validating admission
//! after `judge`; the caller drives both, and calls [`Write::read`] and [`Write::judge`] again when another write got in
//! between.

mod decode;
mod input;
mod internal;
mod judge;
mod mutated;
mod patch;
mod resource_version;
mod scale;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use sprag_decode::typed::Unprinted;
use sprag_effort::Effort;
use sprag_field::{Error, Path};
use sprag_value::Value;

use crate::definition::{Definition, Version};
use crate::error::{ApiError, Result};
use crate::info::ResourceInfo;
use crate::managed::FieldOwners;
use crate::meta;
use crate::options::WriteOptions;
use crate::request::{Context, Request};
use crate::strategy::{Cx, Strategy};
use crate::subresource::{Subresource, SubresourceKind};
use crate::weight;

pub use self::decode::UNVERSIONED_KINDS;
pub use self::input::{Input, Read, Scaled};
pub use self::judge::{Judged, Old};
pub use self::patch::Patch;
pub use self::resource_version::MODIFIED;

/// One write request against a resource.
pub struct Write<'a> {
    /// The resource.
    pub info: Arc<ResourceInfo>,
    /// The request.
    pub request: &'a Request<'a>,
    /// The environment of the write.
    pub context: Context<'a>,
    /// The work of the request so far.
    pub effort: Effort,
    /// As rules see it: `/` for the object itself.
    subresource: Cow<'static, str>,
    namespace_labels: OnceLock<Value>,
}

impl<'a> Write<'a> {
    /// A request against a resource. Whether its version is served is up to the caller.
    pub fn new(info: Arc<ResourceInfo>, request: &'a Request<'a>, context: Context<'a>) -> Write<'a> {
        let subresource = match request.subresource {
            "" => Cow::Borrowed("/"),
            name => Cow::Owned(format!("/{name}")),
        };
        Write { info, request, context, effort: Effort::default(), subresource, namespace_labels: OnceLock::new() }
    }

    /// The definition of the resource.
    pub fn definition(&self) -> &Definition {
        &self.info.definition
    }

    /// The version of the request, if the resource has it.
    pub fn version(&self) -> Option<&Version> {
        self.definition().version(self.request.version)
    }

    /// Lets rules know the labels of the namespace. Those that are known already stay.
    pub fn learn_namespace_labels(&self, labels: Value) {
        self.namespace_labels.get_or_init(|| labels);
    }

    /// The request context of strategies.
    pub fn cx(&self) -> Cx<'_> {
        Cx {
            definition: self.definition(),
            version: self.request.version,
            subresource: &self.subresource,
            namespace: self.request.namespace,
            namespace_labels: self.namespace_labels.get(),
            name: self.request.name,
            user: self.request.user,
            gates: self.context.gates,
            now: self.context.now,
            counters: self.context.counters,
            observer: self.context.observer,
            called: sprag_checks::Request::create()
                .with_options(self.context.gates.options())
                .with_subresource(&self.subresource),
        }
    }

    /// Sets the defaults of an object that was sent, unless it is too large for that. Values that are not printed are there if
    /// defaults depend on them.
    pub(crate) fn complete(&self, object: &mut Value, unprinted: &[Unprinted]) -> Result<()> {
        weight::check(object)?;
        self.definition().complete_read(self.request.version, object, unprinted)?;
        self.definition().scheme.stamp(object, self.context.now);
        Ok(())
    }

    /// The namespace that objects of the request have.
    pub fn namespace(&self) -> &'a str {
        if self.definition().namespaced() { self.request.namespace } else { "" }
    }

    /// The version that hooks see.
    pub fn hub(&self) -> &str {
        self.definition().scheme.hub(self.request.version)
    }

    /// The `apiVersion` in the version of the request.
    pub fn api_version(&self) -> &str {
        self.info.api_version(self.request.version)
    }

    /// The subresource of the request; none for the object itself.
    pub fn subresource(&self) -> Result<Option<&Subresource>> {
        let name = self.request.subresource;
        if name.is_empty() {
            return Ok(None);
        }
        // Upstream claims that the object itself is missing.
        let found = self.version().and_then(|version| version.subresource(name));
        found.map(Some).ok_or_else(|| self.not_found())
    }

    /// The strategy of updates through this endpoint.
    fn update_strategy(&self) -> Result<&dyn Strategy> {
        Ok(match self.subresource()?.map(|subresource| &subresource.kind) {
            Some(SubresourceKind::Part(strategy)) => &**strategy,
            _ => &*self.definition().update,
        })
    }

    /// The object in the version of the request, of one in the storage version.
    pub fn requested(&self, stored: Value) -> Result<Value> {
        let definition = self.definition();
        definition.convert(stored, &definition.storage_version, self.request.version)
    }

    /// Runs code of an API author: a panic is counted and answered.
    pub fn guarded<R>(&self, code: impl FnOnce() -> R) -> Result<R> {
        self.context.counters.guarded(code).ok_or_else(ApiError::panicked)
    }

    /// The new object with its fields attributed to the writer.
    fn owned(&self, old: Option<&Value>, mut new: Value, options: &WriteOptions) -> Value {
        if !self.context.manages_fields {
            meta::remove(&mut new, "managedFields");
            return new;
        }
        if let Some(old) = old
            && !self.has_kind(&new)
        {
            // Nothing is known about the fields of another kind.
            meta::copy(&mut new, old, "managedFields");
            return new;
        }
        let owners = FieldOwners::new(self, old.is_none());
        let live = old.or_else(|| FieldOwners::empty(self));
        owners.resource(self).update(live, new, &options.field_manager, self.context.now)
    }

    fn not_found(&self) -> ApiError {
        ApiError::not_found(&self.definition().resource, self.request.name)
    }

    /// Refuses an object of another version.
    fn check_version(&self, object: &Value) -> Result<()> {
        let given = type_member(object, "apiVersion");
        let expected = self.api_version();
        if given == expected {
            return Ok(());
        }
        let given = given.strip_prefix('/').unwrap_or(given);
        Err(ApiError::bad_request(format!(
            "the API version in the data ({given}) does not match the expected API version ({expected})"
        )))
    }

    /// True if an object says that it is of the kind of the resource.
    fn has_kind(&self, object: &Value) -> bool {
        type_member(object, "kind") == self.definition().kind
    }

    /// Refuses an object of another kind, unless that is left to validation.
    fn check_kind(&self, object: &Value) -> Result<()> {
        let kind = type_member(object, "kind");
        let definition = self.definition();
        if !definition.conventions.refuses_other_kinds_early || self.has_kind(object) {
            return Ok(());
        }
        let error = Error::invalid(&Path::new("kind"), kind, format!("must be {}", definition.kind));
        Err(ApiError::invalid(kind, definition.group(), meta::name(object), &[error]))
    }

    /// Refuses a body about another object than the request.
    fn check_name(&self, body: &Value) -> Result<()> {
        let given = meta::name(body);
        let requested = self.request.name;
        if given.is_empty() {
            return Err(ApiError::bad_request(format!(
                "the name of the object ({requested} based on URL) was undeterminable: name must be provided"
            )));
        }
        if given != requested {
            return Err(ApiError::bad_request(format!(
                "the name of the object ({given}) does not match the name on the URL ({requested})"
            )));
        }
        Ok(())
    }
}

/// `apiVersion` or `kind` of an object.
pub(crate) fn type_member<'v>(object: &'v Value, member: &str) -> &'v str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Drops references to owners that are there already and returns the warning about that.
// As upstream's handlers.dedupOwnerReferencesAndAddWarning.
fn drop_repeated_owners(object: &mut Value, when: &str) -> Result<Option<String>> {
    weight::check_count(meta::owner_references(object).len())?;
    let uids = meta::drop_repeated_owners(object);
    let warning = || {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and \
             may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        )
    };
    Ok((!uids.is_empty()).then(warning))
}
