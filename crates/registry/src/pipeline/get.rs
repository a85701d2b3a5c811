//! Reading one object.

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use sprag_field::quote;
use sprag_rest::{ApiError, Request, Result, SubresourceKind, meta, read_scale};
use sprag_storage::Entry;
use sprag_value::Value;

use crate::encoded::encode;
use crate::registry::{Inner, Registry, Target};

/// The number of retries for a state that does not exist yet, and the pause between them: three seconds in all, as
/// upstream waits.
const WAITS: usize = 30;
const WAIT: Duration = Duration::from_millis(100);

impl Registry {
    /// One object, or what a subresource shows of it. `resource_version` is the oldest state that will do; empty for
    /// the newest.
    pub async fn get(&self, request: &Request<'_>, resource_version: &str) -> Result<Value> {
        self.get_as(request, resource_version, Ok).await
    }

    /// What is made of one object as soon as it is decoded, in one turn: who waits for that has neither.
    pub async fn get_as<T: Send>(
        &self,
        request: &Request<'_>,
        resource_version: &str,
        make: impl FnOnce(Value) -> Result<T> + Send,
    ) -> Result<T> {
        let target = self.resolve(request)?;
        if let Some(observer) = target.observer() {
            return target.observe(observer).await.and_then(make);
        }
        target.await_revision(resource_version).await?;
        let _turn = target.conversion_turn().await;
        target.get_as(|object| make(target.shown(object)?)).await
    }
}

impl Registry {
    /// One object with its revision, for those who keep it: nothing if it is still at the revision that they know.
    pub async fn get_newer(&self, request: &Request<'_>, known: Option<u64>) -> Result<Option<(u64, Value)>> {
        let target = self.resolve(request)?;
        let Some(entry) = target.find(request.name, "get").await? else {
            return Err(ApiError::not_found(&target.definition().resource, request.name));
        };
        if known == Some(entry.revision.0) {
            return Ok(None);
        }
        let _turn = target.conversion_turn().await;
        Ok(Some((entry.revision.0, target.object_of(&entry)?)))
    }

    /// The same as text, which costs no decoding where the object is as it was stored.
    pub async fn get_encoded(&self, request: &Request<'_>, resource_version: &str) -> Result<Bytes> {
        let target = self.resolve(request)?;
        if !matches!(
            target.write.subresource()?.map(|subresource| &subresource.kind),
            None | Some(SubresourceKind::Part(_))
        ) {
            return self.get(request, resource_version).await.map(|object| encode(&object));
        }
        if let Some(observer) = target.observer() {
            return target.observe(observer).await.map(|object| encode(&object));
        }
        target.await_revision(resource_version).await?;
        let Some(entry) = target.find(request.name, "get").await? else {
            return Err(ApiError::not_found(&target.definition().resource, request.name));
        };
        let _turn = target.conversion_turn().await;
        // At once: who has waited for a turn would have its text made when there is no room for it any more.
        let mut out = Vec::new();
        target.installed.render(request.version, &entry, entry.revision, &mut out)?;
        Ok(out.into())
    }
}

impl Target<'_> {
    /// The object in the version of the request.
    pub(crate) async fn get(&self) -> Result<Value> {
        self.get_as(Ok).await
    }

    async fn get_as<T: Send>(&self, make: impl FnOnce(Value) -> Result<T> + Send) -> Result<T> {
        let name = self.write.request.name;
        match self.find(name, "get").await? {
            Some(entry) => self.heavy(entry.value.len(), pin!(async { make(self.object_of(&entry)?) })).await,
            None => Err(ApiError::not_found(&self.definition().resource, name)),
        }
    }

    /// What the subresource of the request shows of an object.
    fn shown(&self, object: Value) -> Result<Value> {
        let Some(subresource) = self.write.subresource()? else { return Ok(object) };
        match &subresource.kind {
            SubresourceKind::Part(_) => Ok(object),
            SubresourceKind::Scale(paths) => match read_scale(&object, paths)? {
                (scale, true) => Ok(scale),
                (_, false) => Err(ApiError::internal(format_args!(
                    "the spec replicas field {:?} does not exist",
                    paths.spec_replicas
                ))),
            },
            SubresourceKind::Create(_) | SubresourceKind::Connect(_) => {
                Err(ApiError::method_not_supported(&self.definition().resource, "get"))
            }
        }
    }

    /// The object of an entry in the version of the request.
    fn object_of(&self, entry: &Entry) -> Result<Value> {
        let stored = self.decode(entry)?;
        let version = self.write.request.version;
        self.definition().convert_stored(stored, version, entry.revision.0)
    }

    /// Reads are never older than the store; a state that the store does not reach in time is an error.
    pub(crate) async fn await_revision(&self, resource_version: &str) -> Result<()> {
        let parsed = parse_revision(resource_version).map_err(|error| {
            let is_cached = self.definition().is_cached;
            if is_cached { error } else { ApiError::bad_request(format!("invalid resource version: {error}")) }
        });
        match parsed? {
            0 => Ok(()),
            requested => self.check_reached(requested).await,
        }
    }

    pub(crate) async fn check_reached(&self, requested: u64) -> Result<()> {
        let Inner { store, sleep, .. } = &*self.registry.0;
        let mut waits = sleep.iter().flat_map(|sleep| std::iter::repeat_n(sleep, WAITS));
        loop {
            let current = store.revision().await.map_err(|error| self.store_error(error, "get"))?;
            if requested <= current.0 {
                return Ok(());
            }
            let Some(sleep) = waits.next() else {
                return Err(ApiError::too_large_resource_version(requested, current.0));
            };
            sleep(WAIT).await;
        }
    }
}

/// A resource version as the store counts; 0 when it is left out.
pub(super) fn parse_revision(resource_version: &str) -> Result<u64> {
    if resource_version.is_empty() {
        return Ok(0);
    }
    meta::parse_revision(resource_version).map_err(|error| {
        let version = quote::go(resource_version);
        ApiError::unknown(format!("resourceVersion: Invalid value: {version}: {error}"))
    })
}
