//! The one way of every request: accept, prepare, validate, store, answer.
//!
//! Each file adds one family of operations to [`Registry`](crate::Registry); this one has the steps they share.

mod answer;
mod connect;
mod create;
mod delete;
mod get;
mod guards;
mod kept;
mod list;
mod listing;
mod observe;
mod update;
mod watch;

use std::pin::Pin;
use std::sync::Arc;

use sprag_checks::object_meta::path_segment_flaws;
use sprag_field::Path;
use sprag_rest::{ApiError, GroupResource, Result, meta};
use sprag_storage::{Entry, Error as StoreError, Event, Key, KeyError, Scope, Write};
use sprag_value::Value;

use crate::allocate;
use crate::encoded::Line;
use crate::registry::Target;

pub use self::list::List;
pub use self::listing::Listing;
pub use self::watch::{INITIAL_EVENTS_END, WatchEvent, WatchKind, WatchLine, WatchStream};

/// Maximum retries of a write after a conflict.
pub(crate) const MAX_CONFLICTS: usize = 64;

/// Work on more bytes than this leaves the threads of the runtime: it takes longer than the change of threads does.
pub const HEAVY_BYTES: usize = 32 << 10;

/// An object that was written, and its text where that is at hand.
pub(crate) struct Answered {
    pub(crate) object: Value,
    pub(crate) line: Option<Line>,
}

/// An object as it is stored.
pub(crate) struct Stored {
    pub(crate) object: Value,
    /// True if it is known to have all its defaults, and nothing that is dropped when it is read.
    pub(crate) is_complete: bool,
}

impl From<Value> for Answered {
    fn from(object: Value) -> Answered {
        Answered { object, line: None }
    }
}

impl Target<'_> {
    /// Does work on so many bytes: off the threads of the runtime when they are many.
    pub(crate) async fn heavy<T: Send>(
        &self,
        bytes: usize,
        work: Pin<&mut (impl Future<Output = Result<T>> + Send)>,
    ) -> Result<T> {
        let is_heavy = bytes >= HEAVY_BYTES;
        let Some(offload) = self.registry.0.offload.as_ref().filter(|_| is_heavy) else { return work.await };
        let user = &self.write.request.user.name;
        let mut outcome = Err(ApiError::internal("work was given up"));
        offload(user, bytes, Box::pin(async { outcome = work.await })).await;
        outcome
    }

    /// True if objects are stored in the version that was asked for.
    fn stores_requested(&self) -> bool {
        self.definition().storage_version == self.write.request.version
    }

    /// The same for an object that is to be stored: as it would be read, which may differ from how it was sent.
    pub(crate) fn requested_back(&self, stored: Stored) -> Result<Value> {
        let definition = self.definition();
        let mut object = stored.object;
        let coerces = definition.conventions.coerces_stored_objects;
        if (coerces && !stored.is_complete) || !self.stores_requested() {
            definition.complete_stored(&definition.storage_version, &mut object)?;
        } else {
            debug_assert!(!coerces || definition.is_complete(&object), "not complete: {object:?}");
        }
        self.write.requested(object)
    }

    /// The response to a write: the object as reads return it.
    pub(crate) fn written(&self, event: &Event, mut stored: Stored) -> Result<Answered> {
        let Some(entry) = &event.entry else {
            meta::set_resource_version(&mut stored.object, event.revision.0);
            return self.requested_back(stored).map(Answered::from);
        };
        let definition = self.definition();
        let index = self.installed.cache.put(entry, &stored.object);
        let before = (!stored.is_complete).then(|| stored.object.clone());
        let mut object = self.requested_back(stored)?;
        let is_stored = self.stores_requested() && before.is_none_or(|before| before == object);
        meta::set_resource_version(&mut object, entry.revision.0);
        if !is_stored {
            return Ok(object.into());
        }
        // Of objects that are coerced it is known by now that coercing them again changes nothing.
        let is_complete = definition.conventions.coerces_stored_objects || definition.is_complete(&object);
        index.set_verbatim(definition.scheme.generation(), is_complete);
        let line = Some(Line::new(&self.installed.prefix, entry));
        Ok(Answered { object, line })
    }

    /// The response to a no-op write.
    pub(crate) fn unchanged(&self, entry: &Arc<Entry>, stored: Value) -> Result<Answered> {
        let is_stored = self.stores_requested() && self.installed.is_verbatim(entry)?.0;
        let line = is_stored.then(|| Line::new(&self.installed.prefix, entry));
        Ok(Answered { object: self.write.requested(stored)?, line })
    }

    pub(crate) fn key(&self, name: &str) -> Result<Key> {
        // A name that cannot be a key was never stored.
        self.key_or(name, |_| ApiError::not_found(&self.definition().resource, name))
    }

    /// The key of a new object.
    pub(crate) fn new_key(&self, name: &str) -> Result<Key> {
        self.key_or(name, |error| {
            let (definition, parent) = (self.definition(), Path::new("metadata"));
            let flaw = sprag_field::Error::invalid(&parent.child("name"), name, error.to_string());
            ApiError::invalid(&definition.kind, definition.group(), name, &[flaw])
        })
    }

    fn key_or(&self, name: &str, refused: impl FnOnce(KeyError) -> ApiError) -> Result<Key> {
        let flaws = path_segment_flaws(name);
        if !flaws.is_empty() {
            let (name, flaws) = (sprag_field::quote::go(name), flaws.join(";"));
            return Err(ApiError::bad_request(format!("Name parameter invalid: {name}: {flaws}")));
        }
        let definition = self.definition();
        let GroupResource { group, resource } = definition.place();
        let key = if definition.namespaced() {
            Key::namespaced(group, resource, self.write.request.namespace, name)
        } else {
            Key::cluster(group, resource, name)
        };
        key.map_err(refused)
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
            StoreError::Unmet => allocate::too_late(),
            StoreError::TooLarge { .. } => ApiError::unknown(error.to_string()),
            error => ApiError::internal(error.for_clients()),
        }
    }

    /// The object as it is stored: in the storage version, without a resource version.
    pub(crate) fn stored(&self, new: Value) -> Result<Value> {
        let definition = self.definition();
        let mut stored = self.definition().convert(new, self.write.hub(), &definition.storage_version)?;
        meta::remove(&mut stored, "resourceVersion");
        Ok(stored)
    }
}
