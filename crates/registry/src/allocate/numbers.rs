//! The range object: the numbers that are taken, such as ports of nodes.
//!
//! Upstream's `RangeAllocation` has a bit for each number. Here each number comes with a revision of the store before which it was free
//! and after which it was taken, so that who lets a number go cannot erase what another object took in the meantime.

use std::collections::BTreeMap;

use bytes::Bytes;
use sprag_rest::{Allocator, ApiError, Claim, MODIFIED, Result};
use sprag_storage::{Entry, Error as StoreError, Key, Revision, Write};
use sprag_value::{Object, Value, json};

use super::{Attempt, Reserved};
use crate::pipeline::MAX_CONFLICTS;
use crate::registry::Target;

/// The resource of range objects in keys of the store. It is not served.
const RESOURCE: &str = "ranges";

/// The resource of the markers that say since when no numbers were erased that nobody needed.
const EPOCHS: &str = "rangeepochs";
const EPOCH: &[u8] = br#"{"apiVersion":"v1","kind":"RangeEpoch"}"#;

/// Numbers with the revision after which each one was taken.
pub(super) type Numbers = BTreeMap<u32, Revision>;

impl Target<'_> {
    /// Takes numbers, all or none.
    pub(super) async fn take_numbers(&self, allocator: &dyn Allocator, wanted: &[u32]) -> Result<Attempt> {
        if wanted.is_empty() {
            return Ok(Attempt::Recorded(Reserved::default()));
        }
        let mut lost = Vec::new();
        let take = |numbers: &mut Numbers, now: Revision| {
            lost.clear();
            if wanted.iter().any(|number| numbers.contains_key(number)) {
                lost.extend(numbers.keys().map(|number| allocator.numbered(*number)));
                return false;
            }
            numbers.extend(wanted.iter().map(|number| (*number, now)));
            true
        };
        let epoch = self.epoch(allocator).await?;
        let since = self.change_numbers(allocator, take).await?;
        if !lost.is_empty() {
            return Ok(Attempt::Lost(lost));
        }
        let records: BTreeMap<Claim, Revision> =
            wanted.iter().map(|number| (allocator.numbered(*number), since)).collect();
        Ok(Attempt::Recorded(Reserved { records, required: vec![epoch], ..Reserved::default() }))
    }

    /// The marker that is there while no numbers of objects that may still be stored are erased.
    async fn epoch(&self, allocator: &dyn Allocator) -> Result<(Key, Revision)> {
        let store = &self.registry.0.store;
        let key = epoch_key(allocator)?;
        let mut entry = store.get(&key).await.map_err(|error| self.store_error(error, "get"))?.entry;
        for _ in 0..MAX_CONFLICTS {
            if let Some(entry) = entry {
                return Ok((key, entry.created));
            }
            match store.write(Write::create(key.clone(), Bytes::from_static(EPOCH))).await {
                Ok(event) => return Ok((key, event.revision)),
                Err(StoreError::Conflict { current }) => entry = current,
                Err(error) => return Err(self.store_error(error, "create")),
            }
        }
        Err(ApiError::conflict(&self.definition().resource, self.write.request.name, MODIFIED))
    }

    /// Lets no object be stored any more whose numbers were taken before: they may be erased then.
    pub(super) async fn end_epoch(&self, allocator: &dyn Allocator) -> Result<()> {
        let store = &self.registry.0.store;
        let key = epoch_key(allocator)?;
        let found = store.get(&key).await.map_err(|error| self.store_error(error, "get"))?;
        let Some(entry) = found.entry else { return Ok(()) };
        match store.write(Write::delete(key, entry.revision)).await {
            // Somebody else has ended it.
            Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(self.store_error(error, "delete")),
        }
    }

    /// Lets numbers go.
    pub(super) async fn drop_numbers(
        &self,
        allocator: &dyn Allocator,
        is_dropped: impl Fn(u32, Revision) -> bool,
    ) -> Result<()> {
        let drop_them = |numbers: &mut Numbers, _| {
            let before = numbers.len();
            numbers.retain(|number, since| !is_dropped(*number, *since));
            numbers.len() != before
        };
        self.change_numbers(allocator, drop_them).await.map(drop)
    }

    /// The numbers that are taken.
    pub(super) async fn taken_numbers(&self, allocator: &dyn Allocator) -> Result<Numbers> {
        let found = self.registry.0.store.get(&key(allocator)?).await;
        decode(found.map_err(|error| self.store_error(error, "get"))?.entry.as_deref())
    }

    /// Changes the range object, unless the change says that it does not. Returns the revision that the change was given, which is
    /// that of the object before.
    pub(super) async fn change_numbers(
        &self,
        allocator: &dyn Allocator,
        mut change: impl FnMut(&mut Numbers, Revision) -> bool,
    ) -> Result<Revision> {
        let store = &self.registry.0.store;
        let key = key(allocator)?;
        let _turn = self.installed.allocations.turn.lock().await;
        let mut entry = store.get(&key).await.map_err(|error| self.store_error(error, "get"))?.entry;
        for _ in 0..MAX_CONFLICTS {
            let mut numbers = decode(entry.as_deref())?;
            let before = entry.as_ref().map(|entry| entry.revision).unwrap_or_default();
            if !change(&mut numbers, before) {
                return Ok(before);
            }
            let write = match &entry {
                Some(entry) => Write::update(key.clone(), entry.revision, encode(&numbers)),
                None => Write::create(key.clone(), encode(&numbers)),
            };
            match store.write(write).await {
                Ok(_) => return Ok(before),
                Err(StoreError::Conflict { current }) => entry = current,
                Err(error) => return Err(self.store_error(error, "update")),
            }
            self.registry.counters().count_retry();
        }
        Err(ApiError::conflict(&self.definition().resource, self.write.request.name, MODIFIED))
    }
}

fn key(allocator: &dyn Allocator) -> Result<Key> {
    Key::cluster("", RESOURCE, allocator.records().range).map_err(ApiError::internal)
}

fn epoch_key(allocator: &dyn Allocator) -> Result<Key> {
    Key::cluster("", EPOCHS, allocator.records().range).map_err(ApiError::internal)
}

fn encode(numbers: &Numbers) -> Bytes {
    let numbers: Object = numbers
        .iter()
        .map(|(number, since)| {
            (sprag_value::Key::from(number.to_string()), Value::from(i64::try_from(since.0).unwrap_or(i64::MAX)))
        })
        .collect();
    let types = [("apiVersion", Value::from("v1")), ("kind", Value::from("RangeAllocation"))];
    let mut object = Value::Object(Object::from(types));
    object.insert("numbers", numbers);
    json::to_string(&object).into()
}

fn decode(entry: Option<&Entry>) -> Result<Numbers> {
    let Some(entry) = entry else { return Ok(Numbers::new()) };
    let damaged = || ApiError::internal(format_args!("stored range {} is damaged", entry.key));
    let object = json::parse(&entry.value).map_err(|_| damaged())?;
    let numbers = object.get("numbers").and_then(Value::as_object).ok_or_else(damaged)?;
    let read = |(number, since): (&sprag_value::Key, &Value)| {
        let since = u64::try_from(since.as_i64()?).ok()?;
        Some((number.as_str().parse().ok()?, Revision(since)))
    };
    numbers.iter().map(read).collect::<Option<Numbers>>().ok_or_else(damaged)
}
