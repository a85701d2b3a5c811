//! Keeps the number of entries of updates in bounds by merging the oldest ones.

use std::collections::BTreeMap;

use sprag_value::{Text, Time};

use crate::apply::owners::managed::{Managed, ManagerId, Operation};

/// The most entries of updates that are kept apart.
const MAX_UPDATERS: usize = 10;
/// The manager of entries that were merged.
const ANCIENT: &str = "ancient-changes";

/// Merges the oldest updates of each version until there are no more than allowed.
pub(in crate::apply) fn cap_updaters(managed: &mut Managed) {
    let updaters = || managed.0.keys().filter(|id| id.operation == Operation::Update);
    let mut count = updaters().count();
    if count <= MAX_UPDATERS {
        return;
    }
    let mut updaters: Vec<ManagerId> = updaters().cloned().collect();
    updaters.sort_by_cached_key(|id| (managed.0[id].time.map_or(0, Time::unix_seconds), id.sort_key()));
    let mut first_of: BTreeMap<Text, ManagerId> = BTreeMap::new();
    for id in updaters {
        if count <= MAX_UPDATERS {
            break;
        }
        let Some(version) = managed.0.get(&id).map(|owned| owned.api_version.clone()) else { continue };
        match first_of.get(&version) {
            None => {
                first_of.insert(version, id);
            }
            Some(first) => {
                merge_into_bucket(managed, first, &id, version);
                count -= 1;
            }
        }
    }
}

fn merge_into_bucket(managed: &mut Managed, first: &ManagerId, id: &ManagerId, version: Text) {
    let bucket = ManagerId {
        manager: ANCIENT.into(),
        operation: Operation::Update,
        api_version: version,
        subresource: Text::new(),
    };
    if !managed.0.contains_key(&bucket)
        && let Some(owned) = managed.0.remove(first)
    {
        managed.0.insert(bucket.clone(), owned);
    }
    let merged = managed.0.get(id).cloned();
    if let (Some(owned), Some(bucket)) = (merged, managed.0.get_mut(&bucket)) {
        bucket.set = owned.set.union(&bucket.set).into();
        bucket.time = owned.time;
    }
    managed.0.remove(id);
}
