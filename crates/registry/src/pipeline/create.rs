//! Creating objects.

use sprag_storage::{Error as StoreError, Write as StoreWrite};
use sprag_value::{Object, Value};

use super::{Stored, Written, drop_repeated_owners};
use crate::body::Body;
use crate::encoded::encode;
use crate::error::{ApiError, Result};
use crate::meta;
use crate::options::{Write, WriteOptions};
use crate::registry::{Answer, Registry, Request, Target, remarked};

/// How many made-up names are tried.
const MAX_GENERATED_NAMES: usize = 8;

impl Registry {
    /// Creates an object, or what a subresource creates.
    pub async fn create(&self, request: &Request<'_>, body: impl Into<Body>, options: &WriteOptions) -> Result<Answer> {
        let target = self.resolve(request)?;
        let (mut body, is_read) = body.into().into_parts(&target.installed);
        options.validate(Write::Create)?;
        if !request.subresource.is_empty() {
            return target.create_below(body, options).await;
        }
        target.check_version(&body)?;
        target.check_kind(&body)?;
        let warnings = drop_repeated_owners(&mut body, "");
        meta::make_room(&mut body);
        meta::match_namespace(&mut body, target.namespace())?;
        meta::wipe_system_fields(&mut body);
        target.complete(&mut body)?;
        body = target.owned(None, body, options);
        let outcome = match target.check_creatable(meta::name(&body)).await {
            Ok(()) => target.create(body, is_read, options).await,
            Err(error) => Err(error),
        };
        remarked(outcome, warnings)
    }
}

impl Target<'_> {
    /// Refuses an object where none can be created: by the kind, or by the namespace.
    pub(crate) async fn check_creatable(&self, name: &str) -> Result<()> {
        if let Some(why) = self.definition().create.refuses_create() {
            return Err(ApiError::forbidden(&self.definition().resource, name, why));
        }
        self.check_namespace(name).await
    }

    /// Creates an object that is complete, owned and in the version of the request; `is_read` if the scheme read it, so that
    /// it has nothing which is not read back.
    pub(crate) async fn create(&self, body: Value, is_read: bool, options: &WriteOptions) -> Result<Answer> {
        let new = self.convert(body, self.request.version, self.hub())?;
        let generated = meta::name(&new).is_empty() && !meta::text(&new, "generateName").is_empty();
        if !generated {
            return self.create_once(new, is_read, options).await;
        }
        let mut outcome = self.create_once(new.clone(), is_read, options).await;
        for _ in 1..MAX_GENERATED_NAMES {
            match &outcome {
                Err(error) if error.is_already_exists() => {
                    outcome = self.create_once(new.clone(), is_read, options).await;
                }
                _ => break,
            }
        }
        outcome
    }

    async fn create_once(&self, mut new: Value, is_read: bool, options: &WriteOptions) -> Result<Answer> {
        let definition = self.definition();
        let entropy = &*self.registry.0.entropy;
        meta::wipe_system_fields(&mut new);
        meta::fill_system_fields(&mut new, self.now, entropy);
        let base = meta::text(&new, "generateName");
        let generated = meta::name(&new).is_empty() && !base.is_empty();
        if generated {
            let name = self.registry.guarded(|| definition.name_generator.generate(base, entropy))?;
            meta::set(&mut new, "name", name);
        }
        let mut warnings = Vec::new();
        let members = new.as_object().map(Object::len);
        self.registry.guarded(|| definition.create.prepare_for_create(&self.cx(), &mut new))?;
        self.registry.guarded(|| definition.scheme.settle(&mut new))?;
        if let Err(error) = self.validate_create(&new, &mut warnings) {
            return Err(error.with_warnings(warnings));
        }
        // Upstream takes what is no resource version for none, and does not look when nothing is stored.
        let kept = if options.is_dry_run() { meta::get(&new, "resourceVersion").cloned() } else { None };
        if !options.is_dry_run() && meta::resource_version(&new).is_ok_and(|version| version != 0) {
            let error = ApiError::unknown("resourceVersion should not be set on objects to be created");
            return Err(error.with_warnings(warnings));
        }
        let name = meta::name(&new).to_owned();
        // A member that was taken away may have a default.
        let is_complete = is_read && new.as_object().map(Object::len) == members;
        let stored = Stored { object: self.stored(new)?, is_complete };
        match self.insert(&name, stored, options.is_dry_run()).await {
            Ok(Written { mut object, line }) => {
                if let Some(version) = kept {
                    meta::set(&mut object, "resourceVersion", version);
                }
                Ok(Answer { object, warnings, created: true, line })
            }
            Err(error) => Err(error.with_warnings(warnings)),
        }
    }

    /// Stores a new object; returns it with its resource version, in the version of the request.
    async fn insert(&self, name: &str, stored: Stored, dry_run: bool) -> Result<Written> {
        let store = &self.registry.0.store;
        let key = self.key(name)?;
        if dry_run {
            let found = store.get(&key).await.map_err(|error| self.store_error(error, "create"))?;
            return match found.entry {
                Some(entry) => Err(self.exists(name, &stored.object, Some(&self.decode(&entry)?))),
                None => self.requested_back(stored).map(Written::from),
            };
        }
        match store.write(self.expiring(StoreWrite::create(key, encode(&stored.object)))).await {
            Ok(event) => self.written(&event, stored),
            Err(StoreError::Conflict { current }) => {
                let current = current.map(|entry| self.decode(&entry)).transpose()?;
                Err(self.exists(name, &stored.object, current.as_ref()))
            }
            Err(error) => Err(self.store_error(error, "create")),
        }
    }

    /// Why an object cannot be created where there is one. One that could have any name has bad luck, whoever named it.
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
