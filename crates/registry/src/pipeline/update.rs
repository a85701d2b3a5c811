//! Replacing objects.

use std::sync::Arc;

use sprag_field::{Error, Path};
use sprag_storage::{Entry, Error as StoreError, Write as StoreWrite};
use sprag_value::{Key, Object, Value};

use super::{MAX_CONFLICTS, Stored, Written, drop_repeated_owners};
use crate::body::Body;
use crate::encoded::encode;
use crate::error::{ApiError, Result};
use crate::managed::Books;
use crate::meta;
use crate::options::{Write, WriteOptions};
use crate::registry::{Answer, Registry, Request, Target, remarked};
use crate::strategy::Strategy;
use crate::subresource::SubresourceKind;

/// What upstream says when somebody else was faster.
pub(super) const MODIFIED: &str =
    "the object has been modified; please apply your changes to the latest version and try again";

/// Makes the new object, in the version of the request, of the old one. Called again when another write gets in between.
pub(crate) type Change<'c> = dyn Fn(Option<&Value>, &mut Vec<String>) -> Result<Value> + Send + Sync + 'c;

/// How an object is changed.
pub(crate) struct Update<'c> {
    pub(crate) strategy: &'c dyn Strategy,
    pub(crate) change: &'c Change<'c>,
    /// Whether the scheme reads what the change makes, so that it has nothing which is not read back.
    pub(crate) is_read: bool,
    /// The uid that the stored object must have; empty for any.
    pub(crate) uid: &'c str,
    /// Whether an object that does not exist is created.
    pub(crate) create: bool,
    /// Whether the resource version may be left out.
    pub(crate) unconditional: bool,
    pub(crate) options: &'c WriteOptions,
}

impl Registry {
    /// Replaces an object, or the part of it that a subresource lets change.
    pub async fn update(&self, request: &Request<'_>, body: impl Into<Body>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let (mut body, is_read) = body.into().into_parts(&target.installed);
        options.validate(Write::Update)?;
        let strategy: &dyn Strategy = match target.subresource()?.map(|subresource| &subresource.kind) {
            None => &*target.definition().update,
            Some(SubresourceKind::Part(strategy)) => &**strategy,
            Some(SubresourceKind::Scale(paths)) => return target.update_scale(paths, body, options).await,
            Some(_) => return Err(ApiError::method_not_supported(&target.definition().resource, "update")),
        };
        target.check_version(&body)?;
        meta::make_room(&mut body);
        meta::match_namespace(&mut body, target.namespace())?;
        target.check_name(&body)?;
        target.check_kind(&body)?;
        let repeated = drop_repeated_owners(&mut body, "");
        target.complete(&mut body)?;
        let change = |old: Option<&Value>, _: &mut Vec<String>| Ok(target.owned(old, body.clone(), options));
        let update = Update {
            strategy,
            change: &change,
            is_read,
            uid: meta::uid(&body),
            create: strategy.allow_create_on_update(),
            unconditional: strategy.allow_unconditional_update(),
            options,
        };
        remarked(target.update(&update).await, repeated)
    }
}

/// What became of one attempt.
enum Attempt {
    Done(Written),
    /// Somebody else was faster; what is there now.
    Lost(Option<Arc<Entry>>),
}

impl Target<'_> {
    /// Refuses a body about another object than the request.
    pub(crate) fn check_name(&self, body: &Value) -> Result<()> {
        let (given, requested) = (meta::name(body), self.request.name);
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

    /// The new object with its fields attributed to the writer.
    pub(crate) fn owned(&self, old: Option<&Value>, mut new: Value, options: &WriteOptions) -> Value {
        if let Some(old) = old
            && !self.has_kind(&new)
        {
            // Nothing is known about the fields of another kind.
            meta::copy(&mut new, old, "managedFields");
            return new;
        }
        let books = Books::new(self, old.is_none());
        let live = old.or_else(|| Books::empty(self));
        books.resource(self, self.api_version()).update(live, new, &options.field_manager, self.now)
    }

    /// Changes an object, again and again until nobody gets in between.
    pub(crate) async fn update(&self, update: &Update<'_>) -> Result<Answer> {
        let name = self.request.name;
        let mut found = self.find(name, "update").await?;
        for _ in 0..MAX_CONFLICTS {
            let mut warnings = Vec::new();
            let Some(entry) = found else {
                return self.create_by_update(update, warnings).await;
            };
            match self.attempt(update, &entry, &mut warnings).await {
                Ok(Attempt::Done(Written { object, line })) => {
                    return Ok(Answer { object, warnings, created: false, line });
                }
                Ok(Attempt::Lost(current)) => found = current,
                Err(error) => return Err(error.with_warnings(warnings)),
            }
            self.registry.0.counters.count_retry();
        }
        Err(ApiError::conflict(&self.definition().resource, name, MODIFIED))
    }

    async fn create_by_update(&self, update: &Update<'_>, mut warnings: Vec<String>) -> Result<Answer> {
        let resource = &self.definition().resource;
        if !update.create || !self.request.subresource.is_empty() {
            return Err(ApiError::not_found(resource, self.request.name));
        }
        if !update.uid.is_empty() {
            let why = self.precondition_failed(update, "");
            return Err(ApiError::conflict(resource, self.request.name, &why));
        }
        let mut new = match (update.change)(None, &mut warnings) {
            Ok(new) => new,
            Err(error) => return Err(error.with_warnings(warnings)),
        };
        meta::resource_version(&new)?;
        // Upstream creates whatever state the writer has last seen.
        if !update.options.is_dry_run() {
            meta::remove(&mut new, "resourceVersion");
        }
        self.check_creatable(self.request.name).await?;
        remarked(self.create(new, update.is_read, update.options).await, warnings)
    }

    async fn attempt(&self, update: &Update<'_>, entry: &Arc<Entry>, warnings: &mut Vec<String>) -> Result<Attempt> {
        let definition = self.definition();
        let stored = self.decode(entry)?;
        if !update.uid.is_empty() && update.uid != meta::uid(&stored) {
            let why = self.precondition_failed(update, meta::uid(&stored));
            return Err(ApiError::conflict(&definition.resource, self.request.name, &why));
        }
        let old = self.convert(stored.clone(), &definition.storage_version, self.hub())?;
        let new = (update.change)(Some(&self.requested(stored.clone())?), warnings)?;
        let mut new = self.convert(new, self.request.version, self.hub())?;
        self.registry.guarded(|| definition.scheme.settle(&mut new))?;
        self.check_resource_version(update, &mut new, &old)?;
        self.prepare_update(update.strategy, &mut new, &old, warnings)?;
        keep_unchanged_times(&mut new, &old);
        if deletes_itself(&new, &old) && !self.registry.guarded(|| definition.delete.holds(&new))? {
            return self.delete_by_update(entry, new, update.options.is_dry_run()).await;
        }
        self.replace(entry, stored, new, update).await
    }

    fn check_resource_version(&self, update: &Update<'_>, new: &mut Value, old: &Value) -> Result<()> {
        let (resource, name) = (&self.definition().resource, self.request.name);
        match meta::resource_version(new)? {
            0 if update.unconditional => meta::copy(new, old, "resourceVersion"),
            0 => {
                let path = Path::new("metadata");
                let error = Error::invalid(&path.child("resourceVersion"), 0_i64, "must be specified for an update");
                return Err(ApiError::invalid(&resource.resource, &resource.group, name, &[error]));
            }
            given if given != meta::resource_version(old)? => {
                return Err(ApiError::conflict(resource, name, MODIFIED));
            }
            _ => {}
        }
        Ok(())
    }

    fn prepare_update(
        &self,
        strategy: &dyn Strategy,
        new: &mut Value,
        old: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        meta::match_namespace(new, self.namespace())?;
        meta::copy(new, old, "generation");
        self.registry.guarded(|| strategy.prepare_for_update(&self.cx(), new, old))?;
        if meta::uid(new).is_empty() {
            meta::copy(new, old, "uid");
        }
        for member in ["creationTimestamp", "deletionTimestamp"] {
            if meta::get(old, member).is_some() {
                meta::copy(new, old, member);
            }
        }
        if meta::get(new, "deletionGracePeriodSeconds").is_none() {
            meta::copy(new, old, "deletionGracePeriodSeconds");
        }
        self.validate_update(strategy, new, old, warnings)
    }

    async fn replace(&self, entry: &Arc<Entry>, old: Value, new: Value, update: &Update<'_>) -> Result<Attempt> {
        let mut stored = Stored { object: self.stored(new)?, is_complete: update.is_read };
        if update.options.is_dry_run() {
            meta::set_revision(&mut stored.object, entry.revision);
            return Ok(Attempt::Done(self.requested_back(stored)?.into()));
        }
        meta::remove(&mut stored.object, "selfLink");
        let bytes = encode(&stored.object);
        if bytes == entry.value {
            return Ok(Attempt::Done(self.unchanged(entry, old)?));
        }
        let write = self.expiring(StoreWrite::update(entry.key.clone(), entry.revision, bytes));
        match self.registry.0.store.write(write).await {
            Ok(event) => Ok(Attempt::Done(self.written(&event, stored)?)),
            Err(StoreError::Conflict { current }) => Ok(Attempt::Lost(current)),
            Err(error) => Err(self.store_error(error, "update")),
        }
    }

    /// The last finalizer of an object that is being deleted is gone, and so is the object.
    async fn delete_by_update(&self, entry: &Arc<Entry>, new: Value, dry_run: bool) -> Result<Attempt> {
        if !dry_run {
            let write = StoreWrite::delete(entry.key.clone(), entry.revision);
            match self.registry.0.store.write(write).await {
                Ok(event) => self.installed.cache.forget(&entry.key, event.revision),
                Err(StoreError::Conflict { current: None }) => {}
                Err(StoreError::Conflict { current }) => return Ok(Attempt::Lost(current)),
                Err(error) => return Err(self.store_error(error, "delete")),
            }
        }
        let object = self.convert(new, self.hub(), self.request.version)?;
        Ok(Attempt::Done(object.into()))
    }

    /// The words of upstream's storage about an object that is not the expected one.
    fn precondition_failed(&self, update: &Update<'_>, found: &str) -> String {
        let why = format!("Precondition failed: UID in precondition: {}, UID in object meta: {found}", update.uid);
        self.storage_error(&why, update.options.is_dry_run())
    }

    /// How upstream's storage says what is wrong with the object of the request. A dry run does not get as far as to the
    /// part of it that knows where its keys begin.
    pub(crate) fn storage_error(&self, why: &str, dry_run: bool) -> String {
        let mut key = String::from(if dry_run { "/" } else { "/registry/" });
        for part in [self.definition().storage_prefix.as_str(), self.namespace()] {
            if !part.is_empty() {
                key.push_str(part);
                key.push('/');
            }
        }
        key.push_str(self.request.name);
        format!("StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}")
    }
}

/// Whether an update finishes a delete that waits for finalizers only.
fn deletes_itself(new: &Value, old: &Value) -> bool {
    meta::finalizers(new).next().is_none()
        && meta::is_deleting(old)
        && meta::int(old, "deletionGracePeriodSeconds").unwrap_or(0) == 0
}

/// An update that changes nothing but the time in the books is none.
fn keep_unchanged_times(new: &mut Value, old: &Value) {
    let books = |object: &Value| meta::get(object, "managedFields").cloned();
    let (before, after) = (books(old), books(new));
    if before != after && same_but(new, old, "metadata", same_metadata) && same_books(before, after) {
        meta::copy(new, old, "managedFields");
    }
}

fn same_metadata(new: &Value, old: &Value) -> bool {
    same_but(new, old, "managedFields", |_, _| true)
}

/// Whether the books differ in their times at most.
fn same_books(before: Option<Value>, after: Option<Value>) -> bool {
    let entries = |books: Option<Value>| books.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let (before, after) = (entries(before), entries(after));
    before.len() == after.len() && before.iter().zip(&after).all(|(a, b)| same_but(a, b, "time", |_, _| true))
}

/// Whether two objects have the same members, but for one that is compared by `same`.
fn same_but(a: &Value, b: &Value, member: &str, same: impl Fn(&Value, &Value) -> bool) -> bool {
    let (Some(a), Some(b)) = (a.as_object(), b.as_object()) else { return a == b };
    let of = |object: &Object| object.get(member).cloned().unwrap_or_default();
    let is_other = |(key, _): &(&Key, &Value)| key.as_str() != member;
    a.iter().filter(is_other).eq(b.iter().filter(is_other)) && same(&of(a), &of(b))
}
