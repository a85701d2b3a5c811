//! The one way of every request: accept, prepare, validate, store, answer.
//!
//! Each file adds one family of operations to [`Registry`](crate::Registry); this one has the steps they share.

mod create;
mod delete;
mod get;
mod internal;
mod list;
mod patch;
mod read;
mod sub;
mod update;
mod watch;

use std::sync::Arc;

use sprag_field::{Error, Errors, Path, Source};
use sprag_storage::{Entry, Error as StoreError, Event, Key, Scope, Write};
use sprag_validate::object_meta::{self, Rules, Usage};
use sprag_value::Value;

use crate::cache::{self, convert};
use crate::encoded::Line;
use crate::error::{ApiError, Result};
use crate::meta;
use crate::names::{GroupResource, split_api_version};
use crate::observer::{Observer, timed};
use crate::registry::Target;
use crate::strategy::{Cx, Strategy, Views};

pub use self::list::List;
pub use self::patch::Patch;
pub use self::read::UNVERSIONED_KINDS;
pub(crate) use self::update::Update;
pub use self::watch::{INITIAL_EVENTS_END, WatchEvent, WatchKind, WatchLine, WatchStream};

/// How often a write is tried again when others get in between.
pub(crate) const MAX_CONFLICTS: usize = 64;

/// An object that was written, and its text where that is at hand.
pub(crate) struct Written {
    pub(crate) object: Value,
    pub(crate) line: Option<Line>,
}

/// An object as it is stored.
pub(crate) struct Stored {
    pub(crate) object: Value,
    /// Whether it is known to have all its defaults, and nothing that is dropped when it is read.
    pub(crate) is_complete: bool,
}

impl From<Value> for Written {
    fn from(object: Value) -> Written {
        Written { object, line: None }
    }
}

impl<'r> Target<'r> {
    pub(crate) fn cx(&self) -> Cx<'_> {
        Cx {
            definition: self.definition(),
            version: self.request.version,
            subresource: &self.subresource,
            namespace: self.request.namespace,
            name: self.request.name,
            user: self.request.user,
            gates: self.registry.gates(),
            now: self.now,
            counters: self.registry.counters(),
            observer: self.observer(),
        }
    }

    fn observer(&self) -> Option<&dyn Observer> {
        self.registry.0.observer.as_deref()
    }

    /// The namespace that objects of the request have.
    pub(crate) fn namespace(&self) -> &'r str {
        if self.definition().namespaced() { self.request.namespace } else { "" }
    }

    pub(crate) fn hub(&self) -> &str {
        self.definition().scheme.hub(self.request.version)
    }

    /// Sets the defaults of an object in the version of the request.
    pub(crate) fn complete(&self, object: &mut Value) -> Result<()> {
        cache::complete(self.definition(), self.request.version, object)
    }

    pub(crate) fn convert(&self, object: Value, from: &str, to: &str) -> Result<Value> {
        convert(self.definition(), object, from, to)
    }

    /// Whether objects are stored in the version that was asked for.
    fn stores_requested(&self) -> bool {
        self.definition().storage_version == self.request.version
    }

    /// The object in the version that was asked for.
    pub(crate) fn requested(&self, stored: Value) -> Result<Value> {
        self.convert(stored, &self.definition().storage_version, self.request.version)
    }

    /// The same for an object that is to be stored: as it would be read, which may differ from how it was sent.
    pub(crate) fn requested_back(&self, stored: Stored) -> Result<Value> {
        let definition = self.definition();
        let mut object = stored.object;
        if (definition.custom && !stored.is_complete) || !self.stores_requested() {
            cache::complete_stored(definition, &definition.storage_version, &mut object)?;
        } else {
            debug_assert!(!definition.custom || cache::is_complete(definition, &object), "not complete: {object:?}");
        }
        self.requested(object)
    }

    /// What the write of an object is answered with: the object as it will be read.
    pub(crate) fn written(&self, event: &Event, mut stored: Stored) -> Result<Written> {
        let Some(entry) = &event.entry else {
            meta::set_revision(&mut stored.object, event.revision);
            return self.requested_back(stored).map(Written::from);
        };
        let definition = self.definition();
        let index = self.installed.cache.put(entry, &stored.object);
        let before = (!stored.is_complete).then(|| stored.object.clone());
        let mut object = self.requested_back(stored)?;
        let is_stored = self.stores_requested() && before.is_none_or(|before| before == object);
        meta::set_revision(&mut object, entry.revision);
        if !is_stored {
            return Ok(object.into());
        }
        if definition.custom {
            index.set_verbatim(definition.scheme.generation(), true);
        }
        let line = Some(Line::new(&self.installed.prefix, entry));
        Ok(Written { object, line })
    }

    /// What a write is answered with that changes nothing of what is stored.
    pub(crate) fn unchanged(&self, entry: &Arc<Entry>, stored: Value) -> Result<Written> {
        let is_stored = self.stores_requested() && self.installed.is_verbatim(entry)?.0;
        let line = is_stored.then(|| Line::new(&self.installed.prefix, entry));
        Ok(Written { object: self.requested(stored)?, line })
    }

    pub(crate) fn key(&self, name: &str) -> Result<Key> {
        let flaws = name_flaws(name);
        if !flaws.is_empty() {
            let (name, flaws) = (sprag_field::quote::go(name), flaws.join(";"));
            return Err(ApiError::bad_request(format!("Name parameter invalid: {name}: {flaws}")));
        }
        let definition = self.definition();
        let GroupResource { group, resource } = definition.place();
        let key = if definition.namespaced() {
            Key::namespaced(group, resource, self.request.namespace, name)
        } else {
            Key::cluster(group, resource, name)
        };
        // What cannot be a key was never stored under one.
        key.map_err(|_| ApiError::not_found(&definition.resource, name))
    }

    /// The part of the store that the request is about; none when nothing can be there.
    pub(crate) fn scope(&self, namespace: &str) -> Option<Scope> {
        let definition = self.definition();
        let GroupResource { group, resource } = definition.place();
        match (definition.namespaced(), namespace) {
            (false, _) => Scope::cluster(group, resource),
            (true, "") => Scope::all_namespaces(group, resource),
            (true, namespace) => Scope::namespace(group, resource, namespace),
        }
        .ok()
    }

    /// The write of an object, which may not be there for ever.
    pub(crate) fn expiring(&self, write: Write) -> Write {
        match self.definition().create.expires_in() {
            Some(time) => write.expiring_in(time),
            None => write,
        }
    }

    pub(crate) async fn find(&self, name: &str, verb: &str) -> Result<Option<Arc<Entry>>> {
        let key = self.key(name)?;
        let found = self.registry.0.store.get(&key).await.map_err(|error| self.store_error(error, verb))?;
        Ok(found.entry)
    }

    pub(crate) fn decode(&self, entry: &Entry) -> Result<Value> {
        self.installed.cache.decode(self.definition(), entry)
    }

    /// A failure of the store as upstream reports it.
    pub(crate) fn store_error(&self, error: StoreError, verb: &str) -> ApiError {
        match error {
            StoreError::Unavailable { .. } => ApiError::server_timeout(&self.definition().resource, verb),
            StoreError::Gone { .. } => ApiError::expired(error.to_string()),
            StoreError::Future { requested, current } => ApiError::too_large_resource_version(requested.0, current.0),
            StoreError::TooLarge { .. } => ApiError::unknown(error.to_string()),
            error => ApiError::internal(error),
        }
    }

    /// Refuses an object of another version.
    pub(crate) fn check_version(&self, object: &Value) -> Result<()> {
        let (given, expected) = (type_member(object, "apiVersion"), self.api_version());
        if given == expected {
            return Ok(());
        }
        let given = given.strip_prefix('/').unwrap_or(given);
        Err(ApiError::bad_request(format!(
            "the API version in the data ({given}) does not match the expected API version ({expected})"
        )))
    }

    /// Whether an object says that it is of the kind of the resource.
    pub(crate) fn has_kind(&self, object: &Value) -> bool {
        type_member(object, "kind") == self.definition().kind
    }

    /// Refuses an object of another kind, which for custom resources is left to their validation.
    pub(crate) fn check_kind(&self, object: &Value) -> Result<()> {
        let (kind, definition) = (type_member(object, "kind"), self.definition());
        if definition.custom || self.has_kind(object) {
            return Ok(());
        }
        let error = Error::invalid(&Path::new("kind"), kind, format!("must be {}", definition.kind));
        Err(ApiError::invalid(kind, definition.group(), meta::name(object), &[error]))
    }

    /// The rules on names and namespaces, the strategy's checks, and what a valid object is still refused for.
    pub(crate) fn validate_create(&self, new: &Value, warnings: &mut Vec<String>) -> Result<()> {
        let errors = self.timed(|| self.errors_of_new(new))?;
        self.conclude(new, errors, warnings)?;
        let create = &self.definition().create;
        warnings.extend(self.registry.guarded(|| create.warnings_on_create(&self.cx(), new))?);
        Ok(())
    }

    fn timed<R>(&self, validate: impl FnOnce() -> R) -> R {
        timed(self.observer(), |observer, took| observer.validated(self.definition(), took), validate)
    }

    fn errors_of_new(&self, new: &Value) -> Result<Errors> {
        let definition = self.definition();
        let (mut errors, path) = (Errors::new(), Path::new("metadata"));
        let metadata = new.get("metadata").unwrap_or(&Value::Null);
        let rules = Rules { namespaced: definition.namespaced(), name: &*definition.name_rule };
        if self.has_kind(new) {
            object_meta::validate_create(metadata, &rules, &path, &mut errors);
        }
        by_hand(&mut errors);
        let requested = self.convert(new.clone(), self.hub(), self.request.version)?;
        let views = Views { hub: new, requested: &requested };
        self.registry.guarded(|| definition.create.validate(&self.cx(), views, &mut errors))?;
        if errors.is_empty() {
            let name = meta::name(new);
            object_meta::path_segment(name, Usage::Name, &mut |detail| {
                errors.push(Error::invalid(&path.child("name"), name, detail));
            });
        }
        Ok(errors)
    }

    /// The same for a changed object. Upstream checks metadata in the generic code and again in each strategy, so what is
    /// wrong there is said twice.
    pub(crate) fn validate_update(
        &self,
        strategy: &dyn Strategy,
        new: &Value,
        old: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let errors = self.timed(|| self.errors_of_changed(strategy, new, old))?;
        self.conclude(new, errors, warnings)?;
        warnings.extend(self.registry.guarded(|| strategy.warnings_on_update(&self.cx(), new, old))?);
        Ok(())
    }

    fn errors_of_changed(&self, strategy: &dyn Strategy, new: &Value, old: &Value) -> Result<Errors> {
        let (mut errors, path) = (Errors::new(), Path::new("metadata"));
        let (new_meta, old_meta) =
            (new.get("metadata").unwrap_or(&Value::Null), old.get("metadata").unwrap_or(&Value::Null));
        let rules = Rules { namespaced: self.definition().namespaced(), name: &object_meta::path_segment };
        object_meta::validate_create(new_meta, &rules, &path, &mut errors);
        let mark = errors.len();
        object_meta::validate_update(new_meta, old_meta, &path, &mut errors);
        if self.has_kind(new) {
            let again = errors.since(mark).to_vec();
            errors.extend(again);
        }
        by_hand(&mut errors);
        let convert = |object: &Value| self.convert(object.clone(), self.hub(), self.request.version);
        let (new_requested, old_requested) = (convert(new)?, convert(old)?);
        let new_views = Views { hub: new, requested: &new_requested };
        let old_views = Views { hub: old, requested: &old_requested };
        self.registry.guarded(|| strategy.validate_update(&self.cx(), new_views, old_views, &mut errors))?;
        Ok(errors)
    }

    fn conclude(&self, new: &Value, mut errors: Errors, warnings: &mut Vec<String>) -> Result<()> {
        warnings.extend(errors.warnings.drain(..).map(|warning| format!("{}: {}", warning.field, warning.message)));
        if errors.is_empty() {
            return Ok(());
        }
        let definition = self.definition();
        let (kind, group) = if definition.custom {
            (type_member(new, "kind"), split_api_version(type_member(new, "apiVersion")).0)
        } else {
            (definition.kind.as_str(), definition.place().group.as_str())
        };
        Err(ApiError::invalid(kind, group, meta::name(new), &errors.into_vec()))
    }

    /// The object as it is stored: in the storage version, without a resource version.
    pub(crate) fn stored(&self, new: Value) -> Result<Value> {
        let definition = self.definition();
        let mut stored = self.convert(new, self.hub(), &definition.storage_version)?;
        meta::remove(&mut stored, "resourceVersion");
        Ok(stored)
    }
}

/// Why a name cannot be part of a path.
fn name_flaws(name: &str) -> Vec<String> {
    let mut flaws = Vec::new();
    object_meta::path_segment(name, Usage::Name, &mut |flaw| flaws.push(flaw.to_string()));
    flaws
}

/// `apiVersion` or `kind` of an object.
pub(crate) fn type_member<'v>(object: &'v Value, member: &str) -> &'v str {
    object.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// Drops references to owners that are there already; the remark on that.
pub(crate) fn drop_repeated_owners(object: &mut Value, when: &str) -> Vec<String> {
    let uids = meta::drop_repeated_owners(object);
    let warning = || {
        format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, and \
             may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            uids.join(", ")
        )
    };
    Vec::from_iter((!uids.is_empty()).then(warning))
}

/// Marks errors as those of hand-written code.
fn by_hand(errors: &mut Errors) {
    for error in errors.since_mut(0) {
        error.source = Source::HandWritten;
    }
}
