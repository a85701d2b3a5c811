//! Changing objects: replacing, patching, applying.

use std::pin::pin;
use std::sync::Arc;

use sprag_rest::{
    ApiError, Body, Input, Judged, MODIFIED, Old, Patch, Request, Result, SubresourceKind, WriteOptions, meta,
    read_scale, weight,
};
use sprag_storage::{Entry, Error as StoreError, Revision, Write as StoreWrite};
use sprag_value::Value;

use super::create::CreatedBy;
use super::{Answered, MAX_CONFLICTS, Stored};
use crate::allocate::Reserved;
use crate::encoded::encode;
use crate::registry::{Answer, Registry, Target, with_warnings};

impl Registry {
    /// Replaces an object, or the part of it that a subresource lets change.
    pub async fn update(&self, request: &Request<'_>, body: impl Into<Body>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let _turn = target.conversion_turn().await;
        let mut input = target.write.update_input(body, options)?;
        let warnings = input.take_warnings();
        with_warnings(target.update_endpoint(&input).await, warnings)
    }

    /// Changes an object, or the part of it that a subresource lets change. Apply creates it if need be.
    pub async fn patch(&self, request: &Request<'_>, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer> {
        match self.patch_found(request, patch, options).await {
            Err(error) if error.is_not_found() => Err(patch.syntax_error(self.gates().release()).unwrap_or(error)),
            outcome => outcome,
        }
    }

    async fn patch_found(&self, request: &Request<'_>, patch: Patch<'_>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let _turn = target.conversion_turn().await;
        let input = target.write.patch_input(patch, options)?;
        target.update_endpoint(&input).await
    }
}

/// The result of one attempt.
enum Attempt {
    Done(Answer),
    /// Another write got in between; what is there now.
    Lost(Option<Arc<Entry>>),
}

impl Target<'_> {
    /// Changes an object and answers with what the endpoint shows of it.
    async fn update_endpoint(&self, input: &Input<'_>) -> Result<Answer> {
        let mut answer = self.update(input).await?;
        if let Some(SubresourceKind::Scale(paths)) = self.write.subresource()?.map(|subresource| &subresource.kind) {
            answer.object = read_scale(&answer.object, paths)?.0;
            answer.line = None;
        }
        Ok(answer)
    }

    /// Changes an object, retrying on conflicts.
    pub(crate) async fn update(&self, input: &Input<'_>) -> Result<Answer> {
        let name = self.write.request.name;
        let mut found = self.find(name, "update").await?;
        for _ in 0..MAX_CONFLICTS {
            let Some(entry) = found else { return self.create_by_update(input).await };
            let _memory = self.reserve(input.weight() + weight::of_text(&entry.value)).await?;
            let attempt = pin!(self.attempt(input, &entry));
            match self.heavy(entry.value.len(), attempt).await? {
                Attempt::Done(answer) => return Ok(answer),
                Attempt::Lost(current) => found = current,
            }
            self.registry.counters().count_retry();
        }
        Err(ApiError::conflict(&self.definition().resource, name, MODIFIED))
    }

    async fn create_by_update(&self, input: &Input<'_>) -> Result<Answer> {
        let resource = &self.definition().resource;
        let name = self.write.request.name;
        if !self.write.allows_create(input)? {
            return Err(ApiError::not_found(resource, name));
        }
        if !input.uid().is_empty() {
            return Err(ApiError::conflict(resource, name, &self.precondition_failed(input, "")));
        }
        let _memory = self.reserve(input.weight()).await?;
        let mut read = self.write.read(input, None)?;
        meta::resource_version(&read.object)?;
        // Upstream creates whatever state the writer has last seen.
        if !input.options().is_dry_run() {
            meta::remove(&mut read.object, "resourceVersion");
        }
        self.check_creatable(name, input.options().is_dry_run()).await?;
        self.create(input, read, CreatedBy::Update).await
    }

    async fn attempt(&self, input: &Input<'_>, entry: &Arc<Entry>) -> Result<Attempt> {
        let definition = self.definition();
        let options = input.options();
        let stored = self.decode(entry)?;
        if !input.uid().is_empty() && input.uid() != meta::uid(&stored) {
            let why = self.precondition_failed(input, meta::uid(&stored));
            return Err(ApiError::conflict(&definition.resource, self.write.request.name, &why));
        }
        let expected = input.resource_version();
        let found = entry.revision.0.to_string();
        if !expected.is_empty() && expected != found {
            let why = format!(
                "Precondition failed: ResourceVersion in precondition: {expected}, ResourceVersion in object meta: {found}"
            );
            let why = self.storage_error(&why, options.is_dry_run());
            return Err(ApiError::conflict(&definition.resource, self.write.request.name, &why));
        }
        let old = self.write.old(stored.clone()).map_err(|error| {
            if !definition.converts_remotely(&definition.storage_version, self.write.request.version) {
                return error;
            }
            let why = format!("object not decodable revision={}: {error}", entry.revision.0);
            error.with_message(why)
        })?;
        let read = self.write.read(input, Some(&old.requested))?;
        let read = self.mutate(read, Some(&old), input).await?;
        let (judged, mut reserved) = self.judge(input, read, Some(&old)).await?;
        let outcome = self.store_judged(input, entry, (stored, &old), judged, &mut reserved).await;
        if !matches!(outcome, Ok(Attempt::Done(_))) {
            self.give_back(reserved).await;
        }
        outcome
    }

    async fn store_judged(
        &self,
        input: &Input<'_>,
        entry: &Arc<Entry>,
        (stored, old): (Value, &Old),
        judged: Judged,
        reserved: &mut Reserved,
    ) -> Result<Attempt> {
        let dry_run = input.options().is_dry_run();
        let judged = self.admit(self.write.accepted(judged)?, Some(old), input).await?;
        let Judged { object: new, warnings, is_complete, .. } = judged;
        let definition = self.definition();
        let outcome = if deletes_itself(&new, &old.hub) && !self.write.guarded(|| definition.delete.holds(&new))? {
            self.delete_by_update(entry, new, dry_run).await
        } else {
            let kept = self.held(&new);
            let replaced = self.replace(entry, stored, Stored { object: new, is_complete }, reserved, dry_run).await;
            if let Ok(Ok(answered)) = &replaced
                && !dry_run
            {
                let mut freed = self.held(&old.hub);
                freed.retain(|claim| !kept.contains(claim));
                let at = Revision(meta::resource_version(&answered.object)?);
                self.let_go(&freed, &old.hub, at).await;
            }
            replaced
        };
        match outcome {
            Ok(Ok(Answered { object, line })) => Ok(Attempt::Done(Answer { object, warnings, created: false, line })),
            Ok(Err(current)) => Ok(Attempt::Lost(current)),
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// Stores a changed object, unless another write got in between: then what is there now.
    async fn replace(
        &self,
        entry: &Arc<Entry>,
        old: Value,
        new: Stored,
        reserved: &mut Reserved,
        dry_run: bool,
    ) -> Result<Result<Answered, Option<Arc<Entry>>>> {
        let mut stored = Stored { object: self.stored(new.object)?, is_complete: new.is_complete };
        if dry_run {
            meta::set_resource_version(&mut stored.object, entry.revision.0);
            return Ok(Ok(self.requested_back(stored)?.into()));
        }
        meta::remove(&mut stored.object, "selfLink");
        let bytes = encode(&stored.object);
        if bytes == entry.value {
            return Ok(Ok(self.unchanged(entry, old)?));
        }
        let write = self.expiring(StoreWrite::update(entry.key.clone(), entry.revision, bytes));
        let write = reserved.guard(write)?;
        let outcome = self.registry.0.store.write(write).await;
        reserved.note(&outcome);
        match outcome {
            Ok(event) => Ok(Ok(self.written(&event, stored)?)),
            Err(StoreError::Conflict { current }) => Ok(Err(current)),
            Err(error) => Err(self.store_error(error, "update")),
        }
    }

    /// Removes an object that is being deleted and whose last finalizer is gone.
    async fn delete_by_update(
        &self,
        entry: &Arc<Entry>,
        new: Value,
        dry_run: bool,
    ) -> Result<Result<Answered, Option<Arc<Entry>>>> {
        if !dry_run {
            let write = StoreWrite::delete(entry.key.clone(), entry.revision);
            match self.registry.0.store.write(write).await {
                Ok(event) => {
                    self.installed.cache.forget(&entry.key, event.revision);
                    self.let_go(&self.held(&new), &new, event.revision).await;
                }
                Err(StoreError::Conflict { current: None }) => {}
                Err(StoreError::Conflict { current }) => return Ok(Err(current)),
                Err(error) => return Err(self.store_error(error, "delete")),
            }
        }
        let object = self.definition().convert(new, self.write.hub(), self.write.request.version)?;
        Ok(Ok(object.into()))
    }

    /// The words of upstream's storage about an object that is not the expected one.
    fn precondition_failed(&self, input: &Input<'_>, found: &str) -> String {
        let why = format!("Precondition failed: UID in precondition: {}, UID in object meta: {found}", input.uid());
        self.storage_error(&why, input.options().is_dry_run())
    }

    /// Wraps an error about the object of the request as upstream's storage does. A dry run does not get as far as to
    /// the part of it that knows where its keys begin.
    pub(crate) fn storage_error(&self, why: &str, dry_run: bool) -> String {
        let mut key = String::from(if dry_run { "/" } else { "/registry/" });
        for part in [self.definition().storage_prefix.as_str(), self.write.namespace()] {
            if !part.is_empty() {
                key.push_str(part);
                key.push('/');
            }
        }
        key.push_str(self.write.request.name);
        format!("StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}")
    }
}

/// True if an update finishes a delete that waits for finalizers only.
fn deletes_itself(new: &Value, old: &Value) -> bool {
    meta::finalizers(new).next().is_none()
        && meta::is_deleting(old)
        && meta::int(old, "deletionGracePeriodSeconds").unwrap_or(0) == 0
}
