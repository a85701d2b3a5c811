//! The operations of each writer, known in advance, so that a store can be checked by the progress of each of them.

use std::collections::BTreeMap;

use bytes::Bytes;
use sprag_storage::testing::Random;
use sprag_storage::{EmbeddedOptions, Key, ListOptions, Retention, Scope, Store};

/// The number of concurrent writers.
pub(super) const WRITERS: usize = 8;
/// The number of keys of each writer.
const KEYS: usize = 20;

/// The operations of one writer, one after the other.
pub(super) struct Plan {
    writer: usize,
    random: Random,
    number: usize,
}

/// One operation: the value that a key gets, or none if it is to be deleted.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) key: Key,
    pub(super) value: Option<Bytes>,
}

/// The value of every key.
pub(super) type Contents = BTreeMap<Key, Bytes>;

impl Plan {
    pub(super) fn new(writer: usize) -> Plan {
        Plan { writer, random: Random::new(writer as u64 + 1), number: 0 }
    }

    /// The operation after those so far.
    pub(super) fn next(&mut self) -> Result<Step, String> {
        let number = self.number;
        self.number += 1;
        let name = format!("{}-{}", self.writer, self.random.below(KEYS));
        let key = Key::namespaced("", "things", "faults", &name).map_err(|error| error.to_string())?;
        let size = self.random.below(3000);
        let deletes = self.random.below(8) == 0;
        let value = format!("{}/{number}/", self.writer).into_bytes();
        let filler = u8::try_from(number % 251).unwrap_or(0);
        let value = value.into_iter().chain(std::iter::repeat_n(filler, size)).collect::<Vec<_>>();
        Ok(Step { key, value: (!deletes).then(|| value.into()) })
    }

    /// Returns the number of operations taken.
    pub(super) fn taken(&self) -> usize {
        self.number
    }

    /// Takes the first operations and has them change the contents.
    pub(super) fn skip(&mut self, steps: usize, contents: &mut Contents) -> Result<(), String> {
        for _ in 0..steps {
            self.next()?.apply(contents);
        }
        Ok(())
    }
}

impl Step {
    pub(super) fn apply(self, contents: &mut Contents) {
        match self.value {
            Some(value) => contents.insert(self.key, value),
            None => contents.remove(&self.key),
        };
    }
}

/// Returns the scope that all writers write to.
pub(super) fn scope() -> Result<Scope, String> {
    Scope::resource("", "things").map_err(|error| error.to_string())
}

pub(super) fn contents(store: &dyn Store) -> Result<Contents, String> {
    let page = store.list(&scope()?, ListOptions::default()).wait().map_err(|error| error.to_string())?;
    Ok(page.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect())
}

/// Small files and little history, so that a short run sees logs change, snapshots and forgotten revisions.
pub(super) fn options() -> EmbeddedOptions {
    EmbeddedOptions {
        retention: Retention { events: 300, ..Retention::default() },
        segment_bytes: 128 << 10,
        snapshot_after: 256 << 10,
        ..EmbeddedOptions::default()
    }
}
