//! Deleting objects: preconditions, grace, finalizers.

use std::sync::Arc;

use sprag_rest::{
    ApiError, DeleteOptions, Details, GarbageCollection, Input, MODIFIED, Propagation, Request, Result, success,
};
use sprag_storage::{Entry, Error as StoreError, Write as StoreWrite};
use sprag_value::{Time, Value};

use super::MAX_CONFLICTS;
use crate::encoded::encode;
use crate::namespace;
use crate::registry::{Answer, Registry, Target};
use sprag_rest::meta::{self, FOREGROUND_FINALIZER, ORPHAN_FINALIZER};

/// The next step of a delete.
enum Step {
    /// It goes now.
    Remove,
    /// It is marked and stays.
    Mark(Value),
    /// It is marked and goes at once: upstream lets watchers see both.
    MarkAndRemove(Value),
}

impl Registry {
    /// Deletes an object. The answer is the object where it stays for a while, otherwise a status.
    pub async fn delete(&self, request: &Request<'_>, options: &DeleteOptions) -> Result<Answer> {
        self.delete_as(request, options, request.name).await
    }

    /// Deletes an object that plug-ins know by this name: by none where it is one of many.
    pub(crate) async fn delete_as(
        &self,
        request: &Request<'_>,
        options: &DeleteOptions,
        admitted_as: &str,
    ) -> Result<Answer> {
        let target = self.resolve(request)?;
        namespace::refuse_delete(request)?;
        if !request.subresource.is_empty() {
            return Err(ApiError::method_not_supported(&target.definition().resource, "delete"));
        }
        let definition = target.definition();
        if let Some(why) = definition.delete.refuses_delete(request.name) {
            return Err(ApiError::forbidden(&definition.resource, request.name, why));
        }
        let _turn = target.conversion_turn().await;
        target.delete(request.name, options, Some(admitted_as)).await
    }
}

impl Target<'_> {
    /// Deletes an object that plug-ins know by a name, or that they are not asked about.
    pub(crate) async fn delete(
        &self,
        name: &str,
        options: &DeleteOptions,
        admitted_as: Option<&str>,
    ) -> Result<Answer> {
        let definition = self.definition();
        let answer = |object, warnings| Answer { object, warnings, created: false, line: None };
        let mut found = self.find(name, "delete").await?;
        for _ in 0..MAX_CONFLICTS {
            let Some(entry) = found else { return Err(ApiError::not_found(&definition.resource, name)) };
            options.validate()?;
            if options.ignores_read_error() {
                return Ok(answer(self.delete_unreadable(&entry, options).await?, Vec::new()));
            }
            let stored = self.decode(&entry)?;
            let object = definition.convert_stored(stored.clone(), self.write.hub(), entry.revision.0)?;
            let mut granted = options.clone();
            let Some(step) = self.next_step(&object, &mut granted)? else {
                return Ok(answer(self.write.requested(stored)?, Vec::new()));
            };
            let warnings = match admitted_as {
                // As upstream's Store.DeleteCollection, which copies options for each object.
                Some("") => self.admit_delete(&object, options, "").await?,
                // As upstream's rest.BeforeDelete, which sets the grace period in options that plug-ins see.
                Some(name) => self.admit_delete(&object, &granted, name).await?,
                None => Vec::new(),
            };
            let outcome = match step {
                Step::Remove => self.remove(&entry, stored, options.is_dry_run()).await?,
                Step::Mark(marked) => self.mark(&entry, marked, options.is_dry_run()).await?.map(|(object, _)| object),
                Step::MarkAndRemove(marked) => self.mark_and_remove(&entry, marked, options).await?,
            };
            match outcome {
                Ok(object) => return Ok(answer(object, warnings)),
                Err(current) => found = current,
            }
            self.registry.0.counters.count_retry();
        }
        Err(ApiError::conflict(&definition.resource, name, MODIFIED))
    }

    /// Changes an object as a write says, then deletes it. A dry run changes nothing before it deletes.
    // As upstream's addConditionAndDeletePod.
    pub(crate) async fn change_and_delete(&self, input: &Input<'_>, options: &DeleteOptions) -> Result<Answer> {
        let name = self.write.request.name;
        let mut options = options.clone();
        if !options.is_dry_run() {
            let Some(entry) = self.find(name, "get").await? else {
                return Err(ApiError::not_found(&self.definition().resource, name));
            };
            self.check_preconditions(&self.decode(&entry)?, &options)?;
            let changed = self.update(input).await?;
            if options.resource_version.is_some() {
                options.resource_version = Some(meta::text(&changed.object, "resourceVersion").to_owned());
            }
        }
        self.delete(name, &options, None).await
    }

    /// Removes an object that cannot be read.
    async fn delete_unreadable(&self, entry: &Arc<Entry>, options: &DeleteOptions) -> Result<Value> {
        let resource = &self.definition().resource;
        let name = entry.key.name();
        if self.decode(entry).is_ok() {
            let why = "unsafe deletion is not allowed because the object is decodable from storage";
            return Err(ApiError::conflict(resource, name, &self.storage_error(why, false)));
        }
        let object = meta::bare("", "", name);
        match self.remove(entry, object, options.is_dry_run()).await? {
            Ok(answer) => Ok(answer),
            Err(_) => Err(ApiError::conflict(resource, name, MODIFIED)),
        }
    }

    /// The next step and its grace period; `None` if an earlier delete continues unchanged.
    fn next_step(&self, object: &Value, options: &mut DeleteOptions) -> Result<Option<Step>> {
        self.check_preconditions(object, options)?;
        let strategy = &self.definition().delete;
        if meta::is_deleting(object) && self.write.guarded(|| strategy.holds(object))? {
            return Ok(None);
        }
        if options.grace_period_seconds.is_some_and(|seconds| seconds < 0) {
            options.grace_period_seconds = Some(1);
        }
        let mut marked = object.clone();
        let graceful = match self.grace(&mut marked, options)? {
            Grace::Pending => return Ok(None),
            Grace::None => false,
            Grace::Until => true,
        };
        self.set_finalizers(&mut marked, options);
        let held = meta::finalizers(&marked).next().is_some() || self.write.guarded(|| strategy.holds(&marked))?;
        Ok(Some(match (graceful, held) {
            (false, false) => Step::Remove,
            (false, true) => {
                meta::mark_deleting(&mut marked, self.write.context.now);
                self.write.guarded(|| strategy.mark_deleting(&mut marked))?;
                Step::Mark(marked)
            }
            (true, false) if options.grace_period_seconds.unwrap_or(0) == 0 => Step::MarkAndRemove(marked),
            (true, _) => Step::Mark(marked),
        }))
    }

    fn check_preconditions(&self, object: &Value, options: &DeleteOptions) -> Result<()> {
        let definition = self.definition();
        let checks = [
            ("UID", &options.uid, meta::uid(object), "deleted and then recreated"),
            ("ResourceVersion", &options.resource_version, meta::text(object, "resourceVersion"), "modified"),
        ];
        for (what, expected, found, suspicion) in checks {
            let Some(expected) = expected.as_deref().filter(|expected| *expected != found) else { continue };
            let (resource, why) = if let Some(failed) = definition.delete.failed_precondition() {
                let why = format!("{failed}: {what} in precondition: {expected}, {what} in object meta: {found}");
                (definition.resource.clone(), why)
            } else {
                let why = format!(
                    "the {what} in the precondition ({expected}) does not match the {what} in record ({found}). The object \
                     might have been {suspicion}"
                );
                (definition.kind_as_resource(), why)
            };
            return Err(ApiError::conflict(&resource, meta::name(object), &why));
        }
        Ok(())
    }

    /// Decides on graceful deletion, and sets its deadline in the object.
    fn grace(&self, object: &mut Value, options: &mut DeleteOptions) -> Result<Grace> {
        if let Some(pending) = meta::deletion_time(object) {
            return Ok(shorten(object, pending, options.grace_period_seconds, self.write.context.now));
        }
        let strategy = &self.definition().delete;
        if !self.write.guarded(|| strategy.check_graceful_delete(&self.write.cx(), object, options))? {
            return Ok(Grace::None);
        }
        let Some(seconds) = options.grace_period_seconds else {
            return Err(ApiError::internal("options.GracePeriodSeconds should not be nil"));
        };
        meta::set(object, "deletionTimestamp", after(self.write.context.now, seconds).to_string());
        meta::set(object, "deletionGracePeriodSeconds", seconds);
        meta::bump_generation(object);
        Ok(Grace::Until)
    }

    /// Sets the finalizers by which the garbage collector learns what happens to dependents.
    fn set_finalizers(&self, object: &mut Value, options: &DeleteOptions) {
        let strategy = &self.definition().delete;
        let policy = strategy.garbage_collection();
        let present = |finalizer: &str| meta::finalizers(object).any(|present| present == finalizer);
        let propagation = match options.requested_propagation(|| strategy.unorphaned(object)) {
            _ if policy == GarbageCollection::Unsupported => Propagation::Background,
            Some(requested) => requested,
            None if present(ORPHAN_FINALIZER) => Propagation::Orphan,
            None if present(FOREGROUND_FINALIZER) => Propagation::Foreground,
            None if policy == GarbageCollection::OrphanDependents => Propagation::Orphan,
            None => Propagation::Background,
        };
        let finalizer = match propagation {
            Propagation::Orphan => Some(ORPHAN_FINALIZER),
            Propagation::Foreground => Some(FOREGROUND_FINALIZER),
            Propagation::Background => None,
        };
        let ours = |name: &str| name == ORPHAN_FINALIZER || name == FOREGROUND_FINALIZER;
        if meta::finalizers(object).filter(|name| ours(name)).eq(finalizer) {
            return;
        }
        let mut finalizers: Vec<String> =
            meta::finalizers(object).filter(|name| !ours(name)).map(str::to_owned).collect();
        finalizers.extend(finalizer.map(str::to_owned));
        meta::set_finalizers(object, finalizers);
    }

    /// Removes an object. An error inside is what is there instead.
    async fn remove(
        &self,
        entry: &Arc<Entry>,
        mut object: Value,
        dry_run: bool,
    ) -> Result<std::result::Result<Value, Option<Arc<Entry>>>> {
        if !dry_run {
            let write = StoreWrite::delete(entry.key.clone(), entry.revision);
            match self.registry.0.store.write(write).await {
                Ok(event) => {
                    self.installed.cache.forget(&entry.key, event.revision);
                    self.let_go(&self.held(&object), &object, event.revision).await;
                    meta::set_resource_version(&mut object, event.revision.0);
                }
                Err(StoreError::Conflict { current }) => return Ok(Err(current)),
                Err(error) => return Err(self.store_error(error, "delete")),
            }
        }
        let definition = self.definition();
        if definition.returns_deleted_object {
            return Ok(Ok(self.write.requested(object)?));
        }
        let details = Details {
            name: meta::name(&object).into(),
            group: definition.group().into(),
            kind: definition.resource.resource.clone(),
            uid: meta::uid(&object).into(),
            ..Details::default()
        };
        Ok(Ok(success(&details)))
    }

    /// Stores the marked object. An error inside is what is there instead.
    async fn mark(
        &self,
        entry: &Arc<Entry>,
        marked: Value,
        dry_run: bool,
    ) -> Result<std::result::Result<(Value, Arc<Entry>), Option<Arc<Entry>>>> {
        let mut stored = self.stored(marked)?;
        let bytes = encode(&stored);
        let mut entry = entry.clone();
        if !dry_run && bytes != entry.value {
            match self.registry.0.store.write(StoreWrite::update(entry.key.clone(), entry.revision, bytes)).await {
                Ok(event) => {
                    if let Some(written) = event.entry {
                        self.installed.cache.put(&written, &stored);
                        entry = written;
                    }
                }
                Err(StoreError::Conflict { current }) => return Ok(Err(current)),
                Err(error) => return Err(self.store_error(error, "delete")),
            }
        }
        meta::set_resource_version(&mut stored, entry.revision.0);
        Ok(Ok((self.write.requested(stored)?, entry)))
    }

    async fn mark_and_remove(
        &self,
        entry: &Arc<Entry>,
        marked: Value,
        options: &DeleteOptions,
    ) -> Result<std::result::Result<Value, Option<Arc<Entry>>>> {
        let mut stored = self.stored(marked.clone())?;
        match self.mark(entry, marked, options.is_dry_run()).await? {
            Ok((_, entry)) => {
                meta::set_resource_version(&mut stored, entry.revision.0);
                self.remove(&entry, stored, options.is_dry_run()).await
            }
            Err(current) => Ok(Err(current)),
        }
    }
}

/// The remaining grace period of an object.
enum Grace {
    /// None.
    None,
    /// Until the time that was set in it.
    Until,
    /// As much as it had before.
    Pending,
}

/// A second delete may only shorten the time an object has.
fn shorten(object: &mut Value, pending: Time, requested: Option<i64>, now: Time) -> Grace {
    let granted = meta::int(object, "deletionGracePeriodSeconds").unwrap_or(0);
    let granted = if granted < 0 { 1 } else { granted };
    let Some(requested) = requested.filter(|_| granted != 0) else {
        return if granted == 0 { Grace::None } else { Grace::Pending };
    };
    if requested >= granted {
        return Grace::Pending;
    }
    let mut seconds = requested;
    let mut time = after(pending, requested - granted);
    if time < now {
        time = now;
        // The time is over, and whoever watches still has to see that it was shortened.
        seconds = i64::from(requested != 0);
    }
    meta::set(object, "deletionTimestamp", time.to_string());
    meta::set(object, "deletionGracePeriodSeconds", seconds);
    Grace::Until
}

fn after(time: Time, seconds: i64) -> Time {
    Time::from_unix(time.unix_seconds().saturating_add(seconds), 0)
}
