//! Creating objects.

use sprag_rest::{ApiError, Body, Input, Judged, Read, Request, Result, Unstored, WriteOptions, created, meta, weight};
use sprag_storage::{Error as StoreError, Write as StoreWrite};
use sprag_value::Value;

use super::{Answered, Stored};
use crate::allocate::Reserved;
use crate::encoded::encode;
use crate::registry::{Answer, Registry, Target, with_warnings};

/// Maximum attempts with generated names.
const MAX_GENERATED_NAMES: usize = 8;

/// The kind of request that creates an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CreatedBy {
    /// A POST, which was authorized for `create`.
    Create,
    /// A PUT or an apply of an object that does not exist, which was authorized for `update` or `patch`.
    Update,
}

impl Registry {
    /// Creates an object, or what a subresource creates.
    pub async fn create(&self, request: &Request<'_>, body: impl Into<Body>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let body = body.into();
        let _memory = target.reserve(weight::of(body.object())).await?;
        match &target.definition().unstored {
            None | Some(Unstored::Observed(_)) => {}
            Some(Unstored::Below(resource, subresource)) => {
                let body = body.into_object();
                let group = resource.group.as_str();
                let resource = resource.resource.as_str();
                // As upstream's registry.NamespaceKeyFunc.
                if meta::name(&body).is_empty() {
                    return Err(ApiError::bad_request("Name parameter required."));
                }
                let request = Request { group, resource, subresource, name: meta::name(&body), ..*request };
                return self.create_below(&request, &body, options).await;
            }
            Some(Unstored::Answered(answer)) => return target.answer_create(&**answer, body, options).await,
        }
        if !request.subresource.is_empty() {
            return self.create_below(request, body.object(), options).await;
        }
        let _turn = target.conversion_turn().await;
        let mut input = target.write.create_input(body, options)?;
        let warnings = input.take_warnings();
        with_warnings(target.create_from(&input).await, warnings)
    }
}

impl Registry {
    /// Creates what a subresource creates: its parent is changed, and deleted where the subresource says so.
    async fn create_below(&self, request: &Request<'_>, body: &Value, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let mut input = target.write.create_input(body.clone(), options)?;
        target.check_namespace(request.name, options.is_dry_run()).await?;
        let mut body = body.clone();
        meta::match_namespace(&mut body, target.write.namespace())?;
        let (changed, warnings) = target.mutate_below(&body, options).await?;
        let body = changed.as_ref().unwrap_or(&body);
        if changed.is_some() {
            input = target.write.create_input(body.clone(), options)?;
        }
        with_warnings(self.create_admitted_below(&target, &input, body).await, warnings)
    }

    async fn create_admitted_below(&self, target: &Target<'_>, input: &Input<'_>, body: &Value) -> Result<Answer> {
        let options = input.options();
        if let Some(sub) = target.answering()? {
            return self.answer_below(target, sub, body.clone(), options).await;
        }
        let warnings = target.admit_below(body, options).await?;
        target.ask_guards(options).await?;
        let answer = match input.delete() {
            Some(delete) => target.change_and_delete(input, delete).await?,
            None => target.update(input).await?,
        };
        Ok(Answer { object: created(), created: true, line: None, ..answer }.with_warnings(warnings))
    }
}

impl Target<'_> {
    pub(crate) async fn create_from(&self, input: &Input<'_>) -> Result<Answer> {
        let read = self.write.read(input, None)?;
        self.check_creatable(input.name(), input.options().is_dry_run()).await?;
        self.create(input, read, CreatedBy::Create).await
    }

    /// Refuses an object where none can be created: by the kind, or by the namespace.
    pub(crate) async fn check_creatable(&self, name: &str, dry_run: bool) -> Result<()> {
        if let Some(why) = self.definition().create.refuses_create() {
            return Err(ApiError::forbidden(&self.definition().resource, name, why));
        }
        self.check_namespace(name, dry_run).await
    }

    /// Creates an object, under other generated names while they are taken.
    pub(crate) async fn create(&self, input: &Input<'_>, read: Read, by: CreatedBy) -> Result<Answer> {
        let read = self.mutate(read, None, input).await?;
        let is_generated = meta::name(&read.object).is_empty() && !meta::text(&read.object, "generateName").is_empty();
        if !is_generated {
            return self.create_once(input, read, by).await;
        }
        let mut outcome = self.create_once(input, read.clone(), by).await;
        for _ in 1..MAX_GENERATED_NAMES {
            match &outcome {
                Err(error) if error.is_already_exists() => outcome = self.create_once(input, read.clone(), by).await,
                _ => break,
            }
        }
        outcome
    }

    async fn create_once(&self, input: &Input<'_>, read: Read, by: CreatedBy) -> Result<Answer> {
        let (judged, mut reserved) = self.judge(input, read, None).await?;
        let outcome = self.create_judged(input, judged, by, &mut reserved).await;
        if outcome.is_err() {
            self.give_back(reserved).await;
        }
        outcome
    }

    async fn create_judged(
        &self,
        input: &Input<'_>,
        judged: Judged,
        by: CreatedBy,
        reserved: &mut Reserved,
    ) -> Result<Answer> {
        let options = input.options();
        let judged = self.write.accepted(judged)?;
        if by == CreatedBy::Update
            && let Some(authorize) = &self.registry.0.authorize_create
            && let Err(error) = authorize(self.write.request)
        {
            return Err(error.with_warnings(judged.warnings));
        }
        let judged = self.admit(judged, None, input).await?;
        let new = judged.object;
        let warnings = judged.warnings;
        // Upstream takes what is not a resource version for none, and does not look when nothing is stored.
        let kept = if options.is_dry_run() { meta::get(&new, "resourceVersion").cloned() } else { None };
        if !options.is_dry_run() && meta::resource_version(&new).is_ok_and(|version| version != 0) {
            let error = ApiError::unknown("resourceVersion should not be set on objects to be created");
            return Err(error.with_warnings(warnings));
        }
        let name = meta::name(&new).to_owned();
        let mut stored = Stored { object: self.stored(new)?, is_complete: judged.is_complete };
        // As upstream's APIObjectVersioner.PrepareObjectForStorage.
        if !options.is_dry_run() {
            meta::remove(&mut stored.object, "selfLink");
        }
        match self.insert(&name, stored, reserved, options.is_dry_run()).await {
            Ok(Answered { mut object, line }) => {
                if let Some(version) = kept {
                    meta::set(&mut object, "resourceVersion", version);
                }
                Ok(Answer { object, warnings, created: true, line })
            }
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// Stores a new object; returns it with its resource version, in the version of the request.
    async fn insert(&self, name: &str, stored: Stored, reserved: &mut Reserved, dry_run: bool) -> Result<Answered> {
        let store = &self.registry.0.store;
        let key = self.new_key(name)?;
        if dry_run {
            let found = store.get(&key).await.map_err(|error| self.store_error(error, "create"))?;
            return match found.entry {
                Some(entry) => Err(self.exists(name, &stored.object, Some(&self.decode(&entry)?))),
                None => self.requested_back(stored).map(Answered::from),
            };
        }
        let write = reserved.guard(self.expiring(StoreWrite::create(key, encode(&stored.object))))?;
        let outcome = store.write(write).await;
        reserved.note(&outcome);
        match outcome {
            Ok(event) => self.written(&event, stored),
            Err(StoreError::Conflict { current }) => {
                let current = current.map(|entry| self.decode(&entry)).transpose()?;
                Err(self.exists(name, &stored.object, current.as_ref()))
            }
            Err(error) => Err(self.store_error(error, "create")),
        }
    }

    /// The `AlreadyExists` error. Its text depends on whether the name was generated.
    fn exists(&self, name: &str, new: &Value, current: Option<&Value>) -> ApiError {
        let resource = &self.definition().resource;
        let error = match meta::text(new, "generateName") {
            "" => ApiError::already_exists(resource, name),
            _ => ApiError::generated_name_taken(resource, name),
        };
        if !current.is_some_and(meta::is_deleting) {
            return error;
        }
        let message = format!("object is being deleted: {error}");
        error.with_message(message)
    }
}
